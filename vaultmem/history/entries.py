"""Events as lines of a history."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from vaultmem.files.events import FileChange, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.history.answers import HistoryAnswer, HistoryEntry
from vaultmem.history.linediff import Figures, figures, is_text
from vaultmem.history.stored import Stored
from vaultmem.history.trail import Step, is_deletion
from vaultmem.history.words import kind_word, of_folder, of_note


class Undone:
    """Which event took an event back and still stands."""

    def __init__(self) -> None:
        self._by: dict[str, str] = {}

    def read(self, journal: Journal) -> None:
        for event in journal.backward(lambda line: b'"undoes":' in line):
            self.see(event)

    def see(self, event: MemoryEvent) -> None:
        """Events come newest first."""
        if event.id not in self._by:
            for taken_back in event.undone:
                self._by.setdefault(taken_back, event.id)

    def by(self, event: MemoryEvent) -> str | None:
        return self._by.get(event.id)


def answer(
    path: str | None, exists: bool, entries: Iterator[HistoryEntry], limit: int | None
) -> HistoryAnswer:
    found = list(islice(entries, None if limit is None else limit + 1))
    kept = found if limit is None else found[:limit]
    return HistoryAnswer(path, exists, tuple(kept), len(found) > len(kept))


def entry_of_note(step: Step, stored: Stored, undone: Undone) -> HistoryEntry:
    event, change = step
    counted = _figures(change, stored)
    path = change.path if is_deletion(change) else change.final_path
    return _made(event, of_note(step), path, counted, undone)


def entry_of_vault(event: MemoryEvent, stored: Stored, undone: Undone) -> HistoryEntry:
    """The event by what it did to the file that it is about most: one that it moved, else its first."""
    if not event.changes:
        return _made(event, kind_word(event), "", None, undone)
    moved = (change for change in event.changes if change.path_after is not None)
    change = next(moved, event.changes[0])
    counted = _figures(change, stored) if len(event.changes) == 1 else None
    path = change.path if is_deletion(change) else change.final_path
    what = of_folder(event, change) if change.is_folder else of_note(Step(event, change))
    return _made(event, what, path, counted, undone)


def _made(
    event: MemoryEvent, what: str, path: str, counted: Figures | None, undone: Undone
) -> HistoryEntry:
    return HistoryEntry(
        event=event.id,
        time_ns=event.time_ns,
        what=what,
        kind=str(event.extra.get("kind", event.kind)),
        actor=event.actor,
        cause=event.cause,
        path=path,
        files=len(event.changes),
        added=None if counted is None else counted.added,
        removed=None if counted is None else counted.removed,
        undone_by=undone.by(event),
    )


def _figures(change: FileChange, stored: Stored) -> Figures | None:
    """Lines that came and went; None when a version is not stored or is no text."""
    if change.is_folder:
        return None
    gone = change.hash_after is None
    if change.hash_before == change.hash_after:
        return Figures(0, 0)
    before = b"" if change.hash_before is None else stored.version(change.hash_before)
    after = b"" if gone else stored.had(change.hash_after, change.final_path)
    if before is None or after is None or not (is_text(before) and is_text(after)):
        return None
    return figures(before, after)
