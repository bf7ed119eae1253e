"""A case while it runs: its vault on disk, the library's view of it, what each step left behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.field_reports.case import Case, Check, Step
from tests.field_reports.embedders import CaseEmbedder
from tests.field_reports.files import write_files
from tests.field_reports.watching import Watcher
from vaultmem.errors import VaultmemError
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

if TYPE_CHECKING:
    from tests.field_reports.agents import Server
    from tests.field_reports.turning import TurnedDaemon

STATE_FOLDER = ".vaultmem"


class SkipError(Exception):
    """The case cannot be put on this machine or with this library; says why."""


class CaseVault(Vault):
    """A vault whose embedder is the case's."""

    def __init__(self, root: Path, cache: Path, embedder: CaseEmbedder | None) -> None:
        words = Settings(embed=EmbedSettings(model="none"))
        super().__init__(root, words if embedder is None else Settings(), cache_root=cache, cores=1)
        vars(self._choice)["embedder"] = embedder  # as if it had been loaded by its name


@dataclass(slots=True)
class Record:
    """What one step left behind."""

    step: Step
    seconds: float = 0.0
    answer: object = None
    error: VaultmemError | None = None
    """The library refused, in its own words."""
    crash: str = ""
    """Something else went wrong: an error of no kind of ours, a process that died."""
    told: tuple[str, ...] = ()
    """What the user was told is wrong."""
    embedded: tuple[str, ...] = ()
    """Texts that were handed to the embedder."""
    index_bytes: int = 0
    """Size of the index with its log afterwards; 0 when there was none."""
    dreams: tuple[datetime, ...] = ()
    """When the dreams of this step began, in the case's own time; only with a clock that the case turns."""
    scans: int = 0
    """How often the daemon compared all files in this step; only with such a clock."""
    said: str = ""
    """What the daemon's process printed during the step."""
    changes: tuple[str, ...] = ()
    """Paths of the vault that are not as they were before the step; only for steps that must be refused."""


@dataclass(slots=True)
class World:
    """All that steps act on and checks look at."""

    case: Case
    folder: Path
    """Holds the vault, and what lies outside of it."""
    embedder: CaseEmbedder | None
    planted: dict[str, bytes] = field(default_factory=dict)
    """The bytes that each file of the vault has by the user's own doing, by vault path."""
    records: list[Record] = field(default_factory=list)
    watchers: list[Watcher] = field(default_factory=list)
    turned: TurnedDaemon | None = None
    """The daemon of a case that turns the clock."""
    raising: set[str] = field(default_factory=set)
    """Files at which the daemon's own code is made to fail."""
    hasty: bool = False
    """Long observations are cut short."""
    servers: list[Server] = field(default_factory=list)
    """Servers for agents."""
    held: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    """Processes that were stopped in the middle of the step with that label."""
    _vault: CaseVault | None = None

    @classmethod
    def begin(cls, case: Case, folder: Path, *, hasty: bool = False) -> World:
        """The world of the case before its first step, its files written. Raises FaultError, OSError."""
        world = cls(case, folder, CaseEmbedder() if case.is_semantic else None, hasty=hasty)
        world.root.mkdir()
        world.planted = write_files(folder, world.root, case)
        return world

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.folder / "vault"

    @property
    def vault(self) -> CaseVault:
        """The vault as the library has it; opened on first use."""
        if self._vault is None:
            self._vault = CaseVault(self.root, self.folder / "cache", self.embedder)
        return self._vault

    @property
    def index(self) -> Path:
        """The index file."""
        return self.vault.index_path

    @property
    def watcher(self) -> Watcher | None:
        """The watcher that serves the vault, if one runs."""
        return next((w for w in self.watchers if w.is_healthy), None)

    def close(self) -> None:
        """Closes what the library has open; the next use opens it again."""
        if self._vault is not None:
            self._vault.close()
            self._vault = None

    def end(self) -> None:
        """Ends whatever the case has started."""
        self.close()
        for server in self.servers:
            server.pipe.kill()
        for process in self.held.values():
            process.kill()
            process.wait()
        for watcher in self.watchers:
            watcher.stop()
        if self.turned is not None:
            self.turned.stop()

    def record_of(self, check: Check) -> Record:
        """What the step left behind that the check is tied to: the last one of that label."""
        return next(r for r in reversed(self.records) if r.step.label == check.label)

    def snapshot(self) -> Mapping[str, object]:
        """All that stands in the vault but our own folder, by path: enough to see any change."""
        found: dict[str, object] = {}
        for folder, folders, files in os.walk(self.root):
            if Path(folder) == self.root and STATE_FOLDER in folders:
                folders.remove(STATE_FOLDER)
            for name in (*folders, *files):
                place = Path(folder, name)
                found[place.relative_to(self.root).as_posix()] = _content(place)
        return found


def _content(place: Path) -> object:
    status = place.lstat()
    try:
        if place.is_symlink():
            return os.readlink(place)
        return (status.st_mode, place.read_bytes() if place.is_file() else "")
    except PermissionError:
        return (status.st_mode, status.st_size)
