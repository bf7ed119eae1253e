"""The index of one vault as others use it: opened, mended, brought up to date, never older than it says."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from vaultmem.errors import (
    IndexDamagedError,
    IndexReadOnlyError,
    LockedError,
    RefusedError,
)
from vaultmem.files.lock import WriterLock
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.scan import scan_vault
from vaultmem.index.connection import open_index, sqlite_errors
from vaultmem.index.look import look
from vaultmem.index.meta import INDEX_VERSION, read_stamp, version_of
from vaultmem.index.source import Progress, Semantics, Source, no_progress
from vaultmem.index.writer import check_in_step

INDEX_NAME = "memory.db"
LOCK_NAME = "writer.lock"

PATIENCE_S = 5.0
"""How long an answer waits for another writer before it is given with what is pending."""

REBUILD_PATIENCE_S = 3600.0
"""How long a rebuild waits for another one."""

if TYPE_CHECKING:
    from vaultmem.index.rebuild import BuildReport
    from vaultmem.index.sync import SyncReport

_T = TypeVar("_T")


class Fresh:
    """What :meth:`IndexStore.bring_up` found: enough for an answer's freshness line."""

    def __init__(self, *, synced_ns: int, applied: int, pending: int, note: str) -> None:
        self.synced_ns = synced_ns
        self.applied = applied
        self.pending = pending
        self.note = note


class IndexStore:
    """The index file of one vault, with everything that keeps it usable. Safe for several threads: each has a
    connection of its own."""

    def __init__(
        self,
        root: Path,
        folder: Path,
        *,
        semantics: Callable[[], Semantics | None],
        clock_ns: Callable[[], int],
        cores: int,
    ) -> None:
        self.root = root
        self.folder = folder
        self.path = folder / INDEX_NAME
        self._semantics = semantics
        self._clock_ns = clock_ns
        self._cores = cores
        self._local = threading.local()
        self._all: list[apsw.Connection] = []
        self._guard = threading.Lock()

    # -- opening ---------------------------------------------------------------------------------------------

    def problem(self) -> str:
        """Why the index cannot be used as it is: ``missing``, ``damaged (…)``, ``made by another version``; or "".

        Leaves a sound index open.
        """
        if not self.path.exists():
            self.close()
            return "missing"
        try:
            connection = self._open()
            with sqlite_errors(self.path):
                if version_of(connection) != INDEX_VERSION:
                    self.close()
                    return "made by another version"
                check_in_step(connection)
                read_stamp(connection)
        except IndexDamagedError as error:
            self.close()
            return f"damaged ({error.message})"
        return ""

    def connection(self) -> apsw.Connection:
        """This thread's connection to the index. Raises IndexDamagedError when it is missing or unsound."""
        held = self._held()
        if held is not None:
            return held
        problem = self.problem()
        if problem:
            raise IndexDamagedError(
                f"The index {self.path} is {problem}.", hint="Run `vaultmem rebuild`."
            )
        return self._open()

    def _held(self) -> apsw.Connection | None:
        """The open connection, unless another file has taken its place since."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            return None
        if self._identity() != self._local.identity:
            self.close()
            return None
        return connection

    def _open(self) -> apsw.Connection:
        held = self._held()
        if held is None:
            held = open_index(self.path)
            self._local.connection = held
            self._local.identity = self._identity()
            with self._guard:
                self._all.append(held)
        return held

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def close(self) -> None:
        """Closes this thread's connection; the next use opens it again."""
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            with self._guard:
                self._all.remove(connection)
            connection.close()

    def close_all(self) -> None:
        """Closes the connections of all threads; none of them may be in use."""
        with self._guard:
            for connection in self._all:
                connection.close()
            self._all.clear()
        self._local = threading.local()

    # -- writing ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self, patience_s: float) -> Iterator[None]:
        """Holds the writer's lock. Raises LockedError after ``patience_s`` seconds, IndexReadOnlyError when the
        folder cannot be written."""
        with WriterLock(self.folder / LOCK_NAME, timeout=patience_s):
            yield

    def source(self) -> Source:
        """The vault as it is now."""
        now_ns = self._clock_ns()
        config = read_obsidian_config(self.root)
        return Source(
            root=self.root,
            scan=scan_vault(self.root),
            settings=config.settings,
            settings_digest=config.digest,
            now_ns=now_ns,
        )

    def rebuild(
        self,
        *,
        vectors: bool = True,
        accept_removals: bool = False,
        progress: Progress = no_progress,
    ) -> BuildReport:
        """Builds the index anew from the files alone and swaps it in."""
        with self.writing(REBUILD_PATIENCE_S):
            return self._rebuild(progress, vectors=vectors, accept_removals=accept_removals)

    def _rebuild(
        self,
        progress: Progress,
        *,
        vectors: bool = True,
        accept_removals: bool = False,
        damaged: bool = False,
    ) -> BuildReport:
        from vaultmem.index.rebuild import rebuild

        self.close()
        return rebuild(
            self.path,
            self.source(),
            self._semantics() if vectors else None,
            cores=self._cores,
            accept_removals=accept_removals,
            damaged=damaged,
            progress=progress,
        )

    def ensure(self, progress: Progress = no_progress) -> str:
        """Makes sure that there is a sound index, building one when there is not; says why it had to, or ""."""
        problem = self.problem()
        if not problem:
            return ""
        with self.writing(REBUILD_PATIENCE_S):
            problem = self.problem()  # another process may have mended it while this one waited
            if problem:
                self._rebuild(progress, damaged=problem != "missing")
        return problem

    def sync(
        self, *, accept_removals: bool = False, progress: Progress = no_progress
    ) -> SyncReport:
        """Brings the index up with the disk. Raises RefusedError on a mass disappearance (P11)."""
        with self.writing(REBUILD_PATIENCE_S):
            return self._sync(accept_removals, progress)

    def sync_locked(self, progress: Progress = no_progress) -> SyncReport:
        """Like :meth:`sync`, for a caller that holds the writer's lock already."""
        return self._sync(False, progress)

    def _sync(self, accept_removals: bool, progress: Progress) -> SyncReport:
        from vaultmem.index.sync import sync

        return sync(
            self.connection(),
            self.path,
            self.source,
            self._semantics(),
            cores=self._cores,
            accept_removals=accept_removals,
            progress=progress,
        )

    # -- answering -------------------------------------------------------------------------------------------

    def bring_up(self, progress: Progress = no_progress) -> Fresh:
        """Compares index and disk and applies what differs, as far as possible; never raises for what merely
        keeps the index behind (another writer, a read-only place, a mass disappearance), but says so."""
        problem = self.ensure(progress)
        source = self.source()
        (comparison, stamp), mended = self.answer(
            lambda c: (look(c, source), read_stamp(c)), progress
        )
        note = mended or (f"The index was {problem}; it was built anew." if problem else "")
        connection = self.connection()
        if comparison.nothing_to_do:
            return Fresh(synced_ns=stamp.synced_ns, applied=0, pending=0, note=note)
        pending = len(comparison.new) + len(comparison.doubtful) + len(comparison.gone)
        try:
            if connection.readonly("main"):
                raise IndexReadOnlyError(f"The index {self.path} is read-only.")
            with self.writing(PATIENCE_S):
                report = self._sync(False, progress)
        except (LockedError, RefusedError, IndexReadOnlyError) as error:
            return Fresh(synced_ns=stamp.synced_ns, applied=0, pending=pending, note=str(error))
        applied = sum(map(len, (report.added, report.changed, report.moved, report.removed)))
        with sqlite_errors(self.path):
            stamp = read_stamp(self.connection())
        return Fresh(synced_ns=stamp.synced_ns, applied=applied, pending=0, note=note)

    def answer(
        self, ask: Callable[[apsw.Connection], _T], progress: Progress = no_progress
    ) -> tuple[_T, str]:
        """What ``ask`` finds, with a note when the index proved damaged and was built anew on the way."""
        try:
            with sqlite_errors(self.path):
                return ask(self.connection()), ""
        except IndexDamagedError as error:
            self.close()
            with self.writing(REBUILD_PATIENCE_S):
                self._rebuild(progress, damaged=True)
            with sqlite_errors(self.path):
                return ask(
                    self.connection()
                ), f"The index was damaged ({error.message}); it was built anew."


__all__ = ["INDEX_NAME", "Fresh", "IndexStore"]
