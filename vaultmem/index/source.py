"""What a build or a sync works from: the vault as it stands, the embedder, and whom to tell how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.embed.registry import made_by_workers
from vaultmem.files.scan import Scan
from vaultmem.index.rules import Rules, rules_of
from vaultmem.notes.obsidian import ObsidianSettings

if TYPE_CHECKING:
    from vaultmem.embed.cache import EmbeddingCache
    from vaultmem.embed.protocol import Embedder

Progress = Callable[[str, int, int], None]
"""Called with the step (``read`` or ``embed``), how many are done, and how many there are."""


def no_progress(step: str, done: int, total: int) -> None:
    """For callers that show none."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a build or a sync reads: the vault and how it is to be understood."""

    root: Path
    scan: Scan
    settings: ObsidianSettings
    now_ns: int
    """Clock when the scan began."""
    hidden: tuple[str, ...] = ()
    """Paths that an older index knows and this scan could not look at: not seen is not gone."""

    @property
    def rules(self) -> Rules:
        """What the settings decide about rows."""
        return rules_of(self.settings)


@dataclass(frozen=True, slots=True)
class Semantics:
    """The embedder in use, with its cache; a build without one has no vectors."""

    embedder: Embedder
    cache: EmbeddingCache
    name: str = ""
    """What the registry calls the embedder; "" if it knows none."""

    @property
    def by_workers(self) -> bool:
        """Whether each process that parses notes makes the embedder for itself, and embeds what it parsed."""
        return bool(self.name) and made_by_workers(self.name)
