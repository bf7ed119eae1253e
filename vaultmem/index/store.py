"""The index of one vault as others use it: opened, mended, brought up to date, never older than it says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from vaultmem.errors import (
    EmbedderError,
    FailedError,
    IndexDamagedError,
    IndexReadOnlyError,
    RefusedError,
    VaultVanishedError,
)
from vaultmem.files.lock import WriterLock
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.scan import ScanWarning, scan_vault
from vaultmem.files.vouch import WATCHED, is_vouched_for
from vaultmem.index.connection import (
    SET_ASIDE,
    read_transaction,
    sqlite_errors,
    write_transaction,
)
from vaultmem.index.handedits import HandEdits
from vaultmem.index.journal import has_news
from vaultmem.index.look import look, look_at
from vaultmem.index.meta import Stamp, read_stamp
from vaultmem.index.opened import DAMAGED, OpenedIndex
from vaultmem.index.plan import Comparison
from vaultmem.index.rules import rules_of
from vaultmem.index.source import Progress, Semantics, Source, no_progress
from vaultmem.notes.paths import is_hidden

INDEX_NAME = "memory.db"
LOCK_NAME = "writer.lock"

PATIENCE_S = 5.0
"""How long an answer waits for another writer before it is given with what is pending."""

LOG_PAGES = 8000
"""The log of a process that syncs paths may grow to that many pages (64 MB) when it is never quiet."""

CACHED_PER_USED = 3
CACHED_SPARE = 10_000
"""A cache with more than so many vectors for each one in use, and these beyond, is trimmed to those in use."""

REBUILD_PATIENCE_S = 3600.0
"""How long a rebuild waits for another one."""

if TYPE_CHECKING:
    from vaultmem.index.rebuild import BuildReport
    from vaultmem.index.sync import SyncReport

_T = TypeVar("_T")


class Fresh:
    """What :meth:`IndexStore.bring_up` found: enough for an answer's freshness line."""

    def __init__(
        self,
        *,
        synced_ns: int,
        applied: int,
        pending: int,
        note: str,
        error: RefusedError | FailedError | None = None,
    ) -> None:
        self.synced_ns = synced_ns
        self.applied = applied
        self.pending = pending
        self.note = note
        self.error = error
        """Why edits are pending."""


class IndexStore:
    """The index of one vault, with everything that keeps it usable. Safe for several threads: see ``opened``."""

    def __init__(
        self,
        root: Path,
        folder: Path,
        *,
        semantics: Callable[[], Semantics | None],
        clock_ns: Callable[[], int],
        cores: int,
        why_there: str = "",
        capture_hand_edits: bool = False,
        former: Callable[[Stamp], Semantics | None] = lambda _: None,
    ) -> None:
        """``why_there`` says why the folder is not the one that settings name; "" when it is. With
        ``capture_hand_edits`` the bytes of what a person edited are kept, not only their hashes. ``former`` gives the
        embedder of the vectors that the index has, where settings ask for another."""
        self.root = root
        self.folder = folder
        self.path = folder / INDEX_NAME
        self.opened = OpenedIndex(self.path)
        self._semantics = semantics
        self._former = former
        self._clock_ns = clock_ns
        self._cores = cores
        self._why_there = why_there
        self._hand_edits = HandEdits(root, clock_ns, capture_hand_edits)
        self.left_out: tuple[ScanWarning, ...] = ()
        """What the last walk over the vault had to leave out."""
        self._writer = 0
        """The thread that holds the writer's lock through this object; 0 for none."""

    # -- writing ---------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self, patience_s: float) -> Iterator[None]:
        """Holds the writer's lock. Raises LockedError after ``patience_s`` seconds, IndexReadOnlyError when the
        folder cannot be written, VaultVanishedError when there is no vault: an index in its place would keep it
        from coming back."""
        if not self.root.is_dir():
            raise VaultVanishedError(
                f"The vault {self.root} is gone.", hint="Is its disk mounted? Nothing was changed."
            )
        below = self.root if self.folder.is_relative_to(self.root) else None
        with WriterLock(self.folder / LOCK_NAME, timeout=patience_s, below=below):
            self._writer = threading.get_ident()
            try:
                yield
            finally:
                self._writer = 0

    def source(self) -> Source:
        """The vault as it is now."""
        now_ns = self._clock_ns()
        settings = read_obsidian_config(self.root)
        scan = scan_vault(self.root)
        self.left_out = scan.warnings
        return Source(root=self.root, scan=scan, settings=settings, now_ns=now_ns)

    def rebuild(
        self,
        *,
        vectors: bool = True,
        accept_removals: bool = False,
        progress: Progress = no_progress,
    ) -> BuildReport:
        """Builds the index anew from the files alone and swaps it in. Raises EmbedderError when there should be
        vectors and there is no embedder, or one that fails."""
        with self.writing(REBUILD_PATIENCE_S):
            semantics = self._semantics() if vectors else None
            return self._rebuild(progress, semantics, accept_removals=accept_removals)

    def _usable_semantics(self) -> Semantics | None:
        """The embedder in use; None without one, and when it cannot be had: an answer then says so, and words
        are kept up all the same."""
        try:
            return self._semantics()
        except EmbedderError:
            return None

    def _rebuild(
        self,
        progress: Progress,
        semantics: Semantics | None,
        *,
        accept_removals: bool = False,
        damaged: bool = False,
        may_owe: bool = False,
    ) -> BuildReport:
        from vaultmem.index.rebuild import rebuild

        self.opened.refuse_folder()
        self.opened.close()
        report = rebuild(
            self.path,
            self.source(),
            semantics,
            cores=self._cores,
            accept_removals=accept_removals,
            damaged=damaged,
            may_owe=may_owe,
            hand_edits=self._hand_edits,
            progress=progress,
        )
        return self._with_versions(report)

    def _with_versions(self, report: BuildReport) -> BuildReport:
        """Sees to the versions that captured hand edits need, as a sync does."""
        connection = self.opened.connection()
        with sqlite_errors(self.path):
            now = read_stamp(connection).generation
            if not self._hand_edits.owes(connection, now):
                return report
            note = self._hand_edits.keep_present(connection, now, now, ())
        return replace(report, note=" ".join(filter(None, (report.note, note))))

    def _mend(self, problem: str, progress: Progress) -> str:
        """Builds the index anew, without vectors where the embedder fails; says so and why. The caller holds the
        writer's lock."""
        is_damaged = problem.startswith(DAMAGED)
        report = self._rebuild(progress, self._usable_semantics(), damaged=is_damaged, may_owe=True)
        return " ".join(filter(None, (self._built_anew(problem), report.note)))

    def ensure(self, progress: Progress = no_progress) -> str:
        """Makes sure that there is a sound index, building one when there is not; says that it had to and why,
        or ""."""
        if not self.opened.problem():
            return ""
        with self.writing(REBUILD_PATIENCE_S):
            problem = (
                self.opened.problem()
            )  # another process may have mended it while this one waited
            return self._mend(problem, progress) if problem else ""

    def _built_anew(self, problem: str) -> str:
        where = f" in {self.folder}, since {self._why_there}" if self._why_there else ""
        if problem.startswith(DAMAGED):
            kept = f"the old file is kept as {self.path.name}{SET_ASIDE}"
            return f"The index was {problem}. It was built anew{where}; {kept}."
        return f"The index was {problem}; it was built anew{where}."

    def sync(
        self,
        *,
        accept_removals: bool = False,
        already_removed: int = 0,
        begin_vectors: bool = False,
        progress: Progress = no_progress,
    ) -> tuple[SyncReport, str]:
        """Brings the index up with the disk; a note says when the index had to be built anew for it. With
        ``begin_vectors`` one that was built without vectors gets those of the embedder in use.

        Raises RefusedError on a mass disappearance (P11), for which the ``already_removed`` notes count too.
        """
        built = self.ensure(progress)
        self._embed_ahead(begin_vectors, progress)
        report, mended = self._mended(
            lambda: self._sync_alone(
                REBUILD_PATIENCE_S,
                accept_removals,
                progress,
                already_removed,
                renew_vectors=True,
                begin_vectors=begin_vectors,
            ),
            progress,
        )
        return report, mended or built

    def _sync_alone(
        self,
        patience_s: float,
        accept_removals: bool,
        progress: Progress,
        already_removed: int = 0,
        *,
        renew_vectors: bool = False,
        begin_vectors: bool = False,
    ) -> SyncReport:
        with self.writing(patience_s):
            return self._sync(
                accept_removals,
                progress,
                already_removed,
                renew_vectors=renew_vectors,
                begin_vectors=begin_vectors,
            )

    def _embed_ahead(self, begin_vectors: bool, progress: Progress) -> None:
        """Embeds what a change of the model asks for before anything is locked: others go on, and what was done is
        not lost with the process."""
        from vaultmem.index.vectors import embed_ahead

        stamp, _ = self.answer(read_stamp, progress)
        found = self._usable_semantics() if stamp.vector_model or begin_vectors else None
        if found is None or stamp.has_vectors_of(found.embedder):
            return
        with suppress(EmbedderError):  # the sync that follows says why
            embed_ahead(lambda ask: self.answer(ask, progress)[0], found, progress)

    def drop_vectors(self, models: Sequence[str]) -> int:
        """Deletes the sets of vectors of those models and gives their room back; returns how many vectors there
        were."""
        from vaultmem.index import vectors

        with self.writing(PATIENCE_S), sqlite_errors(self.path):
            connection = self.opened.connection()
            gone = [each for each in vectors.vector_sets(connection) if each.model in models]
            if gone:
                with write_transaction(connection):
                    for each in gone:
                        vectors.drop_set(connection, each)
                    # SQLite's VACUUM may number the rows anew by which sqlite-vec finds its chunks; in a table
                    # that has just been written they have those numbers already.
                    vectors.compact(connection, least=0, always=True)
                with suppress(apsw.BusyError, apsw.LockedError, apsw.FullError):
                    connection.execute("VACUUM")
                    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        return sum(each.blocks for each in gone)

    def trim_cache(self) -> None:
        """Deletes cached vectors of texts that are in no note, when they are many more than those that are."""
        from vaultmem.index import vectors

        stamp, _ = self.answer(read_stamp)
        found = self._usable_semantics() if stamp.vector_model else None
        if found is None or not stamp.has_vectors_of(found.embedder):
            return
        cached = found.cache.count(stamp.vector_model)
        if cached <= CACHED_SPARE:
            return
        used, _ = self.answer(lambda c: vectors.text_hashes(c, stamp.vector_model))
        if cached > CACHED_PER_USED * len(used) + CACHED_SPARE:
            found.cache.trim(stamp.vector_model, used)

    def keep(self, change: Callable[[apsw.Connection], None]) -> bool:
        """Carries out a change of what is worked out of the index and kept in it, in a transaction of its own; False,
        with nothing changed, when the index cannot be written, or another process is writing."""
        try:
            connection = self.opened.connection()
            if connection.readonly("main"):
                return False
            with self.writing(0.0), sqlite_errors(self.path), write_transaction(connection):
                change(connection)
        except (RefusedError, FailedError):
            return False
        return True

    def sync_locked(self, progress: Progress = no_progress) -> SyncReport:
        """Like :meth:`sync`, for a caller that holds the writer's lock already."""
        return self._sync(False, progress)

    def sync_paths(self, paths: Sequence[str], *, already_removed: int = 0) -> SyncReport | None:
        """Brings the index up with what stands at those vault paths and below them, without a walk over the vault;
        None, with nothing changed, when only :meth:`sync` can tell what to do. Hidden paths are none of the vault's.

        SQLite's log is let grow, so that no edit has to wait until it is moved into the index: call :meth:`tidy`
        when it is quiet. Raises LockedError when another writer takes longer than an answer would wait, and
        RefusedError like :meth:`sync`.
        """
        from vaultmem.files.glance import glance
        from vaultmem.index.sync import UnclearError, sync

        if self.opened.problem():
            return None
        with self.writing(PATIENCE_S):
            settings, now_ns = read_obsidian_config(self.root), self._clock_ns()
            seen = glance(self.root, [path for path in paths if not is_hidden(path)])
            connection = self.opened.connection()
            with sqlite_errors(self.path):
                connection.wal_autocheckpoint(LOG_PAGES)
                if seen is None or read_stamp(connection).rules != rules_of(settings):
                    return None
            source = Source(self.root, seen.scan, settings, now_ns)
            try:
                return sync(
                    connection,
                    self.path,
                    lambda: source,
                    self._usable_semantics,
                    cores=self._cores,
                    already_removed=already_removed,
                    looking=lambda c, s: look_at(c, s, seen.places),
                    former=self._former,
                    hand_edits=self._hand_edits,
                )
            except UnclearError:
                return None

    def tidy(self) -> None:
        """Moves what SQLite's log holds into the index file, as far as no reader still needs it."""
        with sqlite_errors(self.path):
            self.opened.connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _sync(
        self,
        accept_removals: bool,
        progress: Progress,
        already_removed: int = 0,
        *,
        renew_vectors: bool = False,
        begin_vectors: bool = False,
    ) -> SyncReport:
        from vaultmem.index.rebuild import remove_leftovers
        from vaultmem.index.sync import sync

        remove_leftovers(self.path)
        return sync(
            self.opened.connection(),
            self.path,
            self.source,
            self._usable_semantics,
            cores=self._cores,
            accept_removals=accept_removals,
            already_removed=already_removed,
            renew_vectors=renew_vectors,
            begin_vectors=begin_vectors,
            former=self._former,
            hand_edits=self._hand_edits,
            progress=progress,
        )

    def is_up(self) -> bool:
        """Whether the index still says what the disk says, by stat data. Mends nothing: raises IndexDamagedError
        when there is no sound index."""
        source = self.source()
        connection = self.opened.connection()
        with sqlite_errors(self.path), read_transaction(connection):
            return not has_news(connection, self.root) and look(connection, source).nothing_to_do

    # -- answering -------------------------------------------------------------------------------------------

    def vouched(self) -> Fresh | None:
        """The freshness that a live watcher vouches for; None when there is none or it cannot say so at once, and
        the disk has to be compared."""
        if self.opened.problem() or not is_vouched_for(self.folder):
            return None
        stamp, mended = self.answer(read_stamp)
        return Fresh(synced_ns=stamp.synced_ns, applied=0, pending=0, note=mended or WATCHED)

    def bring_up(self, progress: Progress = no_progress) -> Fresh:
        """Compares index and disk and applies what differs, as far as possible; never raises for what merely
        keeps the index behind (another writer, a read-only place, a mass disappearance), but says so."""
        note = self.ensure(progress)
        source = self.source()
        (comparison, news, stamp, owes), mended = self.answer(
            lambda c: (look(c, source), has_news(c, self.root), *self._owed(c)), progress
        )
        note = mended or note
        if comparison.nothing_to_do and not (news or owes):
            return Fresh(synced_ns=stamp.synced_ns, applied=0, pending=0, note=note)
        try:
            if self.opened.connection().readonly("main"):
                raise IndexReadOnlyError(f"The index {self.path} cannot be written.")
            report, mended = self._mended(
                lambda: self._sync_alone(PATIENCE_S, False, progress), progress
            )
        except (VaultVanishedError, IndexDamagedError):
            raise
        except (RefusedError, FailedError) as error:
            pending = self._pending(source, comparison)
            return Fresh(
                synced_ns=stamp.synced_ns,
                applied=0,
                pending=pending,
                note=str(error) if pending else note,
                error=error if pending else None,
            )
        applied = sum(map(len, (report.added, report.changed, report.moved, report.removed)))
        stamp, _ = self.answer(read_stamp, progress)
        note = mended or note
        if report.note not in note:
            note = f"{note} {report.note}".strip()
        return Fresh(synced_ns=stamp.synced_ns, applied=applied, pending=0, note=note)

    def _owed(self, connection: apsw.Connection) -> tuple[Stamp, bool]:
        """The stamp, and whether versions are to be kept of which the index was not seen to have them."""
        stamp = read_stamp(connection)
        return stamp, self._hand_edits.owes(connection, stamp.generation)

    def _pending(self, source: Source, comparison: Comparison) -> int:
        """How many edits the index lacks that could not be written to it."""
        from vaultmem.index.sync import pending_edits

        return self.answer(lambda c: pending_edits(c, source, comparison, cores=self._cores))[0]

    def answer(
        self, ask: Callable[[apsw.Connection], _T], progress: Progress = no_progress
    ) -> tuple[_T, str]:
        """What ``ask`` finds in one state of the index, with a note when the index proved damaged and was built
        anew on the way."""

        def question() -> _T:
            connection = self.opened.connection()
            with sqlite_errors(self.path), read_transaction(connection):
                return ask(connection)

        return self._mended(question, progress)

    def _mended(self, work: Callable[[], _T], progress: Progress) -> tuple[_T, str]:
        """What ``work`` returns; when it finds the index damaged or gone, that is built anew and the work done
        again. Who holds the writer's lock is in the middle of something that an index built anew would not know:
        for them the error stands."""
        before = self.opened.identity()
        try:
            return work(), ""
        except IndexDamagedError as error:
            self.opened.close()
            if self._writer == threading.get_ident():
                raise
            found = f"{DAMAGED}: {error.reason}"
            with self.writing(REBUILD_PATIENCE_S):
                # Another process may have mended it while this one waited.
                same = before is not None and self.opened.identity() == before
                problem = found if same else self.opened.problem()
                note = self._mend(problem, progress) if problem else self._built_anew(found)
            return work(), note


__all__ = ["INDEX_NAME", "Fresh", "IndexStore"]
