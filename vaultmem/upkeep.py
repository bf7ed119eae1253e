"""The upkeep of a vault's index: built anew, brought up with the disk, compared with the files; with a report of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vaultmem import views
from vaultmem.answers import (
    RebuildReport,
    SyncAnswer,
    TableComparison,
    VerifyReport,
    WarningView,
)
from vaultmem.embedder_choice import EmbedderChoice
from vaultmem.index.meta import read_stamp
from vaultmem.index.queries import figures as count_all
from vaultmem.index.source import Progress, no_progress
from vaultmem.index.store import IndexStore

if TYPE_CHECKING:
    from vaultmem.index.sync import SyncReport
    from vaultmem.index.verify import Verification

VERIFY_ATTEMPTS: Final = 3
"""How often a verification that finds a difference is done again, when the disk has changed under it."""

VERIFY_PATIENCE_S: Final = 60.0
"""How long a verification waits for another writer."""


class Upkeep:
    """What the commands about the index do. ``settle`` sees to what killed processes left."""

    def __init__(
        self,
        store: IndexStore,
        choice: EmbedderChoice,
        *,
        cores: int,
        settle: Callable[[], None],
    ) -> None:
        self._store = store
        self._choice = choice
        self._cores = cores
        self._settle = settle

    def rebuild(self, *, vectors: bool, accept_removals: bool, progress: Progress) -> RebuildReport:
        """Builds the index anew from the files alone. Raises RefusedError (P11)."""
        began = time.perf_counter()
        self._settle()
        built = self._store.rebuild(
            vectors=vectors, accept_removals=accept_removals, progress=progress
        )
        seconds = time.perf_counter() - began
        figures, _ = self._store.answer(count_all)
        return RebuildReport(
            vault=str(self._store.root),
            index=str(self._store.path),
            files=built.files,
            notes=built.notes,
            blocks=built.blocks,
            links=figures.links,
            unresolved=figures.unresolved,
            ambiguous=figures.ambiguous,
            invalid_frontmatter=figures.invalid_frontmatter,
            vectors=built.vectors,
            unreadable=built.unreadable,
            seconds=seconds,
            index_bytes=views.index_bytes(self._store.path),
            vault_bytes=figures.vault_bytes,
            left_out=self._left_out(built.unreadable),
        )

    def _left_out(self, unreadable: Sequence[str]) -> tuple[WarningView, ...]:
        scanned = self._store.left_out
        return self._store.answer(lambda c: views.left_out(c, scanned, unreadable))[0]

    def sync(
        self,
        *,
        accept_removals: bool,
        already_removed: int,
        begin_vectors: bool,
        progress: Progress,
    ) -> SyncAnswer:
        """Brings the index up with the disk and says what was new. Raises RefusedError (P11)."""
        began = time.perf_counter()
        self._settle()
        report, note = self._store.sync(
            accept_removals=accept_removals,
            already_removed=already_removed,
            begin_vectors=begin_vectors,
            progress=progress,
        )
        if not report.is_empty:
            self._store.trim_cache()
        answer = _sync_answer(report, note, began)
        return replace(answer, left_out=self._left_out(answer.unreadable))

    def sync_paths(self, paths: Sequence[str], *, already_removed: int) -> SyncAnswer | None:
        """Brings the index up with what stands at those paths and below them; None, with nothing changed, when only
        :meth:`sync` can tell what to do. Raises as :meth:`IndexStore.sync_paths` does."""
        began = time.perf_counter()
        report = self._store.sync_paths(paths, already_removed=already_removed)
        return _sync_answer(report, "", began) if report is not None else None

    def verify(self, *, progress: Progress = no_progress) -> VerifyReport:
        """Compares the index, brought up with the disk, with one built aside from the files alone."""
        began = time.perf_counter()
        self._settle()
        _, note = self._store.sync(progress=progress)
        outcome = self._compared(progress)
        return VerifyReport(
            vault=str(self._store.root),
            identical=outcome.identical,
            tables=tuple(
                TableComparison(t.table, t.rows_live, t.rows_built, t.identical, t.differences)
                for t in outcome.tables
            ),
            queries=outcome.queries,
            queries_differing=outcome.queries_differing,
            skipped=outcome.skipped,
            note=note,
            seconds=time.perf_counter() - began,
        )

    def _compared(self, progress: Progress) -> Verification:
        """The comparison; done again where a difference may come from an edit made meanwhile."""
        with self._store.writing(VERIFY_PATIENCE_S):
            for _ in range(VERIFY_ATTEMPTS):
                self._store.sync_locked(progress)
                outcome = self._compare_with_files(progress)
                if outcome.identical or self._store.is_up():
                    break
        return outcome

    def _compare_with_files(self, progress: Progress) -> Verification:
        from vaultmem.index.verify import verify

        connection = self._store.opened.connection()
        stamp = read_stamp(connection)
        semantics = self._choice.former(stamp) or (
            self._choice.semantics if stamp.vector_model else None
        )
        return verify(
            connection,
            self._store.path,
            self._store.source(),
            semantics,
            cores=self._cores,
            progress=progress,
        )


def _sync_answer(report: SyncReport, note: str, began: float) -> SyncAnswer:
    return SyncAnswer(
        added=report.added,
        changed=report.changed,
        moved=report.moved,
        removed=report.removed,
        unchanged=report.unchanged,
        unreadable=report.unreadable,
        unseen=report.unseen,
        rebuilt=bool(note),
        seconds=time.perf_counter() - began,
        note=" ".join(filter(None, (note, report.note))),
    )
