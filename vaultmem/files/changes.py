"""A change of several files: planned as a value, checked in full, then done as a whole or not at all (D-06).

    plan = ChangeSet(kind=…, actor="vaultmem mv", cause="…", edits=(Edit(…),), moves=(Move(…),))
    event = apply_changes(root, plan)

Edits and creations come first, at the paths that hold before anything moves; then the moves, in order.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from vaultmem.errors import UsageError
from vaultmem.files.emptied import remove_emptied
from vaultmem.files.events import (
    MADE_FOLDERS,
    ByteSpan,
    EventKind,
    FileChange,
    JsonValue,
    MemoryEvent,
    carried_path,
    changed_spans,
    new_event_id,
)
from vaultmem.files.execution import Execution
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.late import settle_late_saves
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import NoteRead, UnreadableFile, content_hash, read_note_bytes
from vaultmem.files.recover import changes_lock, recover_alone
from vaultmem.files.refusals import WriteConflict, WriteFailed, WriteRefused
from vaultmem.files.targets import (
    Target,
    WriteRules,
    check_free,
    check_no_stub,
    check_quiet,
    check_regular,
    check_writable,
    existing_target,
    new_target,
    real_root,
)
from vaultmem.notes.paths import path_key


@dataclass(frozen=True, slots=True)
class Edit:
    """New bytes for a file."""

    path: str
    expected: str
    """The hash of the bytes that were read."""
    data: bytes
    spans: tuple[ByteSpan, ...] = ()
    """Where the bytes differ; told from the bytes when empty."""


@dataclass(frozen=True, slots=True)
class Creation:
    """A new file."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Move:
    """A new place for a file, or for a folder with all that is in it."""

    path: str
    path_after: str
    expected: str | None
    """The hash of the bytes that were read, before any edit in the same set; None for a folder."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What is to be done, and how it is to be remembered. No file twice among edits, none twice among moves."""

    kind: EventKind
    actor: str
    cause: str
    edits: tuple[Edit, ...] = ()
    creations: tuple[Creation, ...] = ()
    moves: tuple[Move, ...] = ()
    cycle: str | None = None
    undoes: str | None = None
    """The event that is taken back: then old names come back as they were, however odd."""
    also_undoes: tuple[str, ...] = ()
    """Further ones that are taken back with it."""
    unmade: tuple[str, ...] = ()
    """Folders that were made for those events: they go as far as they are empty afterwards."""
    note: str = ""
    told: Mapping[str, JsonValue] = field(default_factory=dict)
    """What else the event is to hold, in its ``extra``."""


def apply_changes(
    root: Path,
    changes: ChangeSet,
    *,
    rules: WriteRules | None = None,
    journal: Journal | None = None,
    timeout: float = 10.0,
    still_holds: Callable[[], None] = lambda: None,
) -> MemoryEvent | None:
    """The event of the change, which is done and durable; None when nothing would change (D-04 to D-06).

    Before the first write everything is checked and both versions of each file are in the object store. What a
    killed process left undone is settled first. A file that vaultmem itself wrote a moment ago does not
    count as freshly saved (D-03); one that the journal knows as edited by hand does. ``still_holds`` is called before
    all that, when nobody else can change the vault any more: it raises where what the set was planned on is no
    longer so.

    Raises, with every file as it was: WriteConflict when a file holds other bytes than were read or is gone,
    WriteRefused for what must not be written or is in the way, WriteFailed, LockedError when another process does not
    finish within ``timeout`` seconds, UsageError for a set that contradicts itself. Raises PartlyDoneError when a file
    could not be taken back, because it was meanwhile edited on top of our change: its event is in the journal. Raises
    UnsettledError when the disk refused even the way back, which the next call then goes.
    """
    rules = rules or WriteRules()
    journal = journal or Journal(root)
    with alone(root, rules=rules, journal=journal, timeout=timeout):
        still_holds()
        return apply_alone(root, changes, rules=rules, journal=journal)


def check_new(root: Path, path: str, *, rules: WriteRules) -> None:
    """Raises WriteRefused as ``apply_changes`` would for a file that is to be made there; nothing is done."""
    check_free(new_target(real_root(root), path, rules))


@contextmanager
def alone(
    root: Path, *, rules: WriteRules, journal: Journal, timeout: float = 10.0
) -> Iterator[None]:
    """While the block runs, no other process that keeps to the lock changes notes, and nothing is left unsettled.
    Raises LockedError when another one does not finish within ``timeout`` seconds, and the errors of ``recover``."""
    with changes_lock(root, timeout=timeout):
        recover_alone(root, rules=rules, journal=journal)
        settle_late_saves(root, rules=rules, journal=journal)
        yield


def apply_alone(
    root: Path, changes: ChangeSet, *, rules: WriteRules, journal: Journal
) -> MemoryEvent | None:
    """``apply_changes`` for a caller within ``alone``."""
    try:
        planned = _Planner(root, changes, rules, journal).plan()
    except OSError as error:
        raise WriteFailed(os.fsdecode(error.filename or root), error) from error
    if not planned.changes:
        return None
    store = ObjectStore(root)
    store.put_all(planned.versions)
    event = _event(changes, planned, journal.device, rules.clock())
    intent = Intent(event, planned.missing_folders)
    intents = IntentStore(root)
    intents.keep(intent)
    Execution(root, intent, store, rules).run(journal, intents)
    remove_emptied(root, changes.unmade, rules)
    return event


def _event(changes: ChangeSet, planned: _Planner, device: str, now_ns: int) -> MemoryEvent:
    return MemoryEvent(
        id=new_event_id(now_ns),
        time_ns=now_ns,
        device=device,
        kind=changes.kind,
        actor=changes.actor,
        cause=changes.cause,
        changes=tuple(planned.changes),
        cycle=changes.cycle,
        undoes=changes.undoes,
        also_undoes=changes.also_undoes,
        note=" ".join((changes.note, *map(_parted, planned.parted))).strip(),
        extra={
            **changes.told,
            **({MADE_FOLDERS: list(planned.missing_folders)} if planned.missing_folders else {}),
        },
    )


def _parted(path: str) -> str:
    return f"{path} had another name (a hard link), which keeps the bytes of before."


class _Planner:
    """Checks a set against the disk and turns it into the changes of an event."""

    def __init__(self, root: Path, changes: ChangeSet, rules: WriteRules, journal: Journal) -> None:
        self._root = root
        self._real = real_root(root)
        self._set = changes
        self._rules = rules
        self._journal = journal
        self._own: set[str] | None = None
        self.changes: list[FileChange] = []
        self.versions: list[bytes] = []
        self.missing_folders: tuple[str, ...] = ()
        self.parted: list[str] = []
        """Vault paths of files that have another name, a hard link, which will not have the new bytes."""

    def plan(self) -> _Planner:
        edited = {change.path: change for change in self._edits()}
        created = list(self._creations())
        moved = list(self._moves(edited))
        folders = [change for change in moved if change.is_folder]
        files = [self._carried(change, folders) for change in edited.values()]
        self.changes = [*files, *created, *moved]
        self._check_contradictions()
        self.missing_folders = tuple(sorted(self._missing()))
        return self

    def _edits(self) -> Iterator[FileChange]:
        for edit in self._set.edits:
            after = content_hash(edit.data)
            if after == edit.expected:
                continue  # D-05
            target = existing_target(self._real, edit.path, self._rules)
            try:
                read = self._read(target, edit.expected)
                self._check(target, read)
            except FileNotFoundError as error:
                raise WriteConflict(target.path, expected=edit.expected, found=None) from error
            self.versions += (read.data, edit.data)
            spans = edit.spans or changed_spans(read.data, edit.data)
            yield FileChange(target.path, None, edit.expected, after, spans)

    def _creations(self) -> Iterator[FileChange]:
        for creation in self._set.creations:
            keep = creation.path if self._set.undoes is not None else None
            target = new_target(self._real, creation.path, self._rules, keep=keep)
            check_free(target)
            self.versions.append(creation.data)
            yield FileChange(target.path, None, None, content_hash(creation.data))

    def _moves(self, edited: dict[str, FileChange]) -> Iterator[FileChange]:
        """The moves; a file that is edited as well is taken out of ``edited`` and has both in one change."""
        for move in self._set.moves:
            source = existing_target(self._real, move.path, self._rules, trash=True)
            # What is taken back has the name it had, good or bad.
            keep = move.path_after if self._set.undoes is not None else source.path
            target = new_target(self._real, move.path_after, self._rules, trash=True, keep=keep)
            if target.path == source.path:
                continue
            check_free(target, moved=source.path)
            if move.expected is None:
                if not os.path.isdir(os.path.join(source.folder, source.name)):
                    raise WriteConflict(source.path, expected="", found=None)
                yield FileChange(source.path, target.path)
                continue
            read = self._read(source, move.expected)
            edit = edited.pop(source.path, None)
            if edit is None:
                self.versions.append(read.data)
                edit = FileChange(source.path, None, move.expected, move.expected)
            yield dataclasses.replace(edit, path_after=target.path)

    def _carried(self, change: FileChange, folders: list[FileChange]) -> FileChange:
        path = carried_path(change.path, folders)
        return change if path == change.path else dataclasses.replace(change, path_after=path)

    def _read(self, target: Target, expected: str) -> NoteRead:
        try:
            read = read_note_bytes(Path(os.fsdecode(self._real)), target.path)
        except UnreadableFile as error:
            if error.missing:
                check_no_stub(target)
                raise WriteConflict(target.path, expected=expected, found=None) from error
            check_regular(target, os.lstat(os.path.join(target.folder, target.name)))
            raise
        if read.hash != expected:
            raise WriteConflict(target.path, expected=expected, found=read.hash)
        return read

    def _check(self, target: Target, read: NoteRead) -> None:
        status = os.lstat(os.path.join(target.folder, target.name))
        check_writable(target, status)
        if status.st_nlink > 1:
            self.parted.append(target.path)
        try:
            check_quiet(target, status, self._rules)
        except WriteRefused:
            if read.hash not in self._own_writes():
                raise

    def _own_writes(self) -> set[str]:
        """The hash of each version that vaultmem made here since it may count as freshly saved; its file may have
        moved since. Who saved such bytes by hand since made them, too."""
        if self._own is None:
            since = self._rules.clock() - int(2 * self._rules.quiet * 1e9)
            makers: dict[str, EventKind] = {}
            for event in self._journal.newest():
                if event.time_ns < since:
                    break
                for change in event.changes:
                    if change.hash_after is not None and change.hash_after != change.hash_before:
                        makers.setdefault(change.hash_after, event.kind)
            self._own = {
                made for made, kind in makers.items() if kind is not EventKind.EDITED_BY_HAND
            }
        return self._own

    def _check_contradictions(self) -> None:
        """Each path plays one part: what is moved, made or edited is not also another one's new place."""
        before = [change.path for change in self.changes]
        after = [path_key(change.final_path) for change in self.changes]
        asked = [edit.path for edit in self._set.edits]
        twice = any(len(set(paths)) < len(paths) for paths in (before, after, asked))
        for folder in (change for change in self.changes if change.is_folder):
            inside = f"{folder.path}/"
            twice = twice or folder.final_path.startswith(inside)
            twice = twice or any(
                change.path.startswith(inside)
                and carried_path(change.path, [folder]) != change.final_path
                for change in self.changes
            )
        if twice:
            raise UsageError("A set of changes contradicts itself: a file has two parts in it.")

    def _missing(self) -> set[str]:
        missing = set()
        for change in self.changes:
            place = change.final_path
            while (place := place.rpartition("/")[0]) and not os.path.lexists(
                os.path.join(self._real, place.encode())
            ):
                missing.add(place)
        return missing
