"""Saves of other programs that went into a file we had just replaced: put in place, or kept where undo reaches them.

A late save is a change like any other: its bytes are stored and its event is written before its only file goes, and a
process that is killed meanwhile leaves an intent. Where the note was edited again since, the save cannot be put in
place without costing that edit. Then it is told as made and at once taken back: the note stays as it is, its history
has the save, and undoing the second event brings it back.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Final

from vaultmem.files.displaced import AGE, LateSave, forget, sweep
from vaultmem.files.events import (
    LATE_SAVE,
    EventKind,
    FileChange,
    MemoryEvent,
    carried_path,
    changed_spans,
    new_event_id,
)
from vaultmem.files.execution import Execution, PartlyDoneError
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import NoteRead, UnreadableFile, read_note_bytes
from vaultmem.files.refusals import WriteRefused
from vaultmem.files.targets import TRASH, WriteRules
from vaultmem.files.temporary import HASH_DIGITS

_ACTOR: Final = "another program"
_CAUSE: Final = "saved while vaultmem was writing the note"
_OURS: Final = "vaultmem"
_KEPT: Final = "the note had been edited again; that save is kept here"
_EMPTY: Final = "that save had emptied the note"
_WITHIN_NS: Final = 3600 * 10**9
"""How long before a file was replaced the change that did it can have begun."""

_UNTOLD_NS: Final = 24 * 3600 * 10**9
"""How long the event is waited for that says where the note went: where no index is kept, none comes."""


def settle_late_saves(
    root: Path, *, rules: WriteRules, journal: Journal, age: float = AGE
) -> tuple[MemoryEvent, ...]:
    """Events for the late saves that are ``age`` seconds old, for a caller that holds the lock of ``changes``.

    Such a save is put in place when the note, wherever it has been moved since, still holds what we wrote. Where it
    was edited since, and where the save emptied the file, two events come back: of the save, and of its taking back.
    A note that cannot be read now is left for another time, and so is one that is gone before an event says where to: a
    hand renamed it, perhaps, and the next sync tells. Raises WriteFailed, and UnsettledError as ``Execution``;
    then the save is settled by the next call.
    """
    events: list[MemoryEvent] = []
    for save in sweep(root, now_ns=rules.clock(), age=age):
        if not _is_told(journal, save):
            try:
                events += _Settling(root, save, rules, journal).run()
            except (UnreadableFile, _UntoldError):
                continue
        forget(save)
    return tuple(events)


class _UntoldError(Exception):
    """The note is not where events put it, and one that explains it may yet come."""


def _is_told(journal: Journal, save: LateSave) -> bool:
    mark = save.id.encode()
    told = journal.backward(lambda line: mark in line)
    return any(event.extra.get(LATE_SAVE) == save.id for event in told)


class _Settling:
    """One late save of which no event tells yet."""

    def __init__(self, root: Path, save: LateSave, rules: WriteRules, journal: Journal) -> None:
        self._root = root
        self._save = save
        self._rules = rules
        self._journal = journal
        self._store = ObjectStore(root)

    def run(self) -> tuple[MemoryEvent, ...]:
        save = self._save
        path, is_told_here = _followed(self._journal, save)
        now = self._read(path)
        if now is None and is_told_here and self._rules.clock() - save.time_ns < _UNTOLD_NS:
            raise _UntoldError
        if now is not None and now.hash == save.hash:
            return ()  # it is in place, saved once more or put there before we were killed
        versions = (save.data,) if now is None else (save.data, now.data)
        self._store.put_all(versions)
        if save.data and now is not None and _is(now.hash, save.by):
            try:
                return (self._place(path, now),)
            except PartlyDoneError as error:  # edited on top of it
                return (error.event,)
            except WriteRefused:
                now = self._read(path)
                self._store.put_all(() if now is None else (now.data,))
        return self._keep(path, now)

    def _read(self, path: str) -> NoteRead | None:
        """The note as it is; None when it is gone. Raises UnreadableFile."""
        try:
            return read_note_bytes(self._root, path)
        except UnreadableFile as error:
            if error.missing:
                return None
            raise

    def _place(self, path: str, now: NoteRead) -> MemoryEvent:
        spans = changed_spans(now.data, self._save.data)
        event = self._event(FileChange(path, None, now.hash, self._save.hash, spans))
        intent = Intent(event, ())
        intents = IntentStore(self._root)
        intents.keep(intent)
        Execution(self._root, intent, self._store, self._rules).run(self._journal, intents)
        return event

    def _keep(self, path: str, now: NoteRead | None) -> tuple[MemoryEvent, ...]:
        before, data = (None, b"") if now is None else (now.hash, now.data)
        made = self._event(FileChange(path, None, before, self._save.hash))
        spans = () if now is None else changed_spans(self._save.data, data)
        later_ns = made.time_ns + 1000  # so that its id sorts behind
        back = dataclasses.replace(
            made,
            id=new_event_id(later_ns),
            time_ns=later_ns,
            kind=EventKind.UNDONE,
            actor=_OURS,
            cause=_KEPT if self._save.data else _EMPTY,
            changes=(FileChange(path, None, self._save.hash, before, spans),),
            undoes=made.id,
        )
        self._journal.append(made, back)
        return made, back

    def _event(self, change: FileChange) -> MemoryEvent:
        now_ns = self._rules.clock()
        return MemoryEvent(
            id=new_event_id(now_ns),
            time_ns=now_ns,
            device=self._journal.device,
            kind=EventKind.EDITED_BY_HAND,
            actor=_ACTOR,
            cause=_CAUSE,
            changes=(change,),
            extra={LATE_SAVE: self._save.id},
        )


def _followed(journal: Journal, save: LateSave) -> tuple[str, bool]:
    """Where the note is now that we wrote over the save's file, and whether events say that it is there; where it was,
    if it went to the trash since."""
    path, found, is_here = save.path, False, False
    for event in journal.read(since_ns=save.time_ns - _WITHIN_NS):
        if not found and any(_replaced(change, save) for change in event.changes):
            found = is_here = True
        if not found:
            continue
        own = next((c for c in event.changes if c.path == path and not c.is_folder), None)
        folders = (change for change in event.changes if change.is_folder)
        new = own.final_path if own is not None else carried_path(path, folders)
        if new.startswith(f"{TRASH}/"):
            return path, False
        if own is not None:
            is_here = own.hash_after is not None
        path = new
    return path, is_here


def _replaced(change: FileChange, save: LateSave) -> bool:
    if change.path != save.path or change.hash_before is None or change.hash_after is None:
        return False
    return _is(change.hash_before, save.replaced) and _is(change.hash_after, save.by)


def _is(version: str, told: str) -> bool:
    """Whether the version is the one that was told of: of what a killed process left, only the first digits are known."""
    return len(told) >= HASH_DIGITS and version.startswith(told)
