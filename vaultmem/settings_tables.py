"""The settings as values, a class for each table of a settings file; every one has its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vaultmem.embed.registry import DEFAULT_EMBEDDER

IndexLocation = Literal["vault", "cache"]
HandNotes = Literal["propose", "write"]
Source = Literal["flag", "environment", "vault", "user", "default"]


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The table ``[index]``."""

    location: IndexLocation = "vault"
    """In ``.vaultmem/`` inside the vault, or in a folder of the user's cache (cloud-synced or read-only vaults)."""


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The table ``[embed]``."""

    model: str = DEFAULT_EMBEDDER
    """A name that :func:`vaultmem.embed.registry.load_embedder` knows; "none" switches vectors off."""
    threads: int = 0
    """Threads that embed at the same time, where the model leaves it to us; 0: one per core, at most eight."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The table ``[search]``."""

    limit: int = 10
    """Notes in an answer, at most."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The table ``[memory]``."""

    root: str = "Memory"
    """The folder of managed notes: from the vault's folder, with ``/``, without one at either end."""


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """The table ``[history]``."""

    capture_hand_edits: bool = False
    """Whether the bytes of notes that a person edited are kept, too; else only their hashes are."""
    keep_days: int = 365
    """How many days a version can be had back, at least: ``gc`` removes older ones. 0: for ever."""


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """The table ``[dream]``."""

    enabled: bool = True
    """Whether the daemon dreams at all; it keeps the index up either way."""
    window: str = "01:00-06:00"
    """When it may begin: from and to in the person's own time, also across midnight; or "any"."""
    idle_minutes: int = 15
    """So long nobody must have used the vault."""
    hand_notes: HandNotes = "propose"
    """What is found in a person's own notes: proposed in the review note, or written."""
    edits: int = 32
    """Destructive edits in a cycle, at most."""
    kilobytes: int = 256
    """Bytes that these may change, in kilobytes."""
    remember_queries: bool = True
    """Whether questions are kept, with the notes that answered them: they say which notes are needed."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The table ``[judge]``."""

    model: str = ""
    """PROVIDER:NAME of the model that :func:`vaultmem.judge.make_judge` makes a judge of; "": none, heuristics judge."""
    base_url: str = ""
    """Where it answers; "": at the provider's own address."""
    api_key_env: str = ""
    """The environment variable with its key; "": the provider's usual one, at the provider's own address."""
    max_tokens: int = 200_000
    """Tokens a cycle, sent and received."""
    max_cost: float = 0.5
    """US dollars a cycle."""
    max_minutes: int = 15
    """Minutes a cycle of waiting for the model."""
    timeout_seconds: int = 60
    """Seconds for one try."""
    price: str = ""
    """US dollars for a million tokens in/out, as in "0.25/2"; "": from a table."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from."""

    source: Source
    where: str = ""
    """The variable's name or the file's path; empty for a flag and for the default."""

    def __str__(self) -> str:
        return f"{self.source} ({self.where})" if self.where else self.source


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting; the default of each when made without arguments."""

    index: IndexSettings = IndexSettings()
    embed: EmbedSettings = EmbedSettings()
    search: SearchSettings = SearchSettings()
    memory: MemorySettings = MemorySettings()
    history: HistorySettings = HistorySettings()
    dream: DreamSettings = DreamSettings()
    judge: JudgeSettings = JudgeSettings()
    origins: tuple[tuple[str, Origin], ...] = ()
    """The origin by key; a key that is not here has its default."""

    def origin(self, key: str) -> Origin:
        """Where the value of ``key`` came from."""
        return dict(self.origins).get(key, Origin("default"))
