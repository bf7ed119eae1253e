"""What taking events back means for the files as they are now: planned in full before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Final

from vaultmem.files.changes import ChangeSet, Creation, Edit, Move
from vaultmem.files.events import MADE_FOLDERS, EventKind, FileChange, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.files.presence import is_folder, is_taken, names_in
from vaultmem.files.read import content_hash
from vaultmem.files.targets import TRASH
from vaultmem.history.answers import KeptPart, UndoConflict, UndoneFile
from vaultmem.history.choose import Chosen
from vaultmem.history.linediff import diff_hunks, shown_line
from vaultmem.history.parted import folder_after, parted
from vaultmem.history.stored import Stored
from vaultmem.history.trail import forward, in_trash, is_deletion
from vaultmem.notes.merge import take_back
from vaultmem.notes.names import free_name
from vaultmem.notes.paths import path_key, stem

_GONE: Final = "It was deleted since, so it stays so."
_MOVED_ON: Final = "It was moved on since, and that stays."


@dataclass(slots=True)
class _File:
    """A file on its way back, in memory."""

    origin: str | None
    """Where it is on the disk; None when it is not there."""
    disk: bytes
    place: str
    """Where it is to be; what was made and is unmade stays at its place until it goes to the trash."""
    data: bytes
    unmade: bool = False
    left: bool = False
    kept: list[KeptPart] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What is to be done; nothing, when there are conflicts."""

    changes: ChangeSet
    files: tuple[UndoneFile, ...]
    conflicts: tuple[UndoConflict, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written."""
        return not (self.changes.edits or self.changes.creations or self.changes.moves)


def plan_undo(
    root: Path,
    stored: Stored,
    chosen: Chosen,
    events: Sequence[MemoryEvent],
    *,
    keep_mine: bool,
    actor: str,
) -> UndoPlan:
    """The plan for taking back ``events``, of those chosen, newest first. Reads files and writes none. What a hand
    changed since stays with ``keep_mine``, and always where only a cycle was named: nobody knows all that it did."""
    planner = _Planner(root, stored, chosen, keep_mine)
    for event in events:
        planner.take_back(event)
    return planner.plan(events, actor)


class _Planner:
    def __init__(self, root: Path, stored: Stored, chosen: Chosen, keep_mine: bool) -> None:
        self._root = root
        self._stored = stored
        self._chosen = chosen
        self._keep_mine = keep_mine
        self._files: list[_File] = []
        self._folders: dict[str, str] = {}
        """Where a folder is → where it is to be."""
        self._conflicts: list[UndoConflict] = []
        self._unmade: set[str] = set()

    # -- one event ---------------------------------------------------------------------------------------------

    def take_back(self, event: MemoryEvent) -> None:
        for change in reversed(event.changes):
            if not change.is_folder:
                self._file_back(event, change)
        for change in reversed(event.changes):
            if change.is_folder:
                self._folder_back(event, change)
        made = event.extra.get(MADE_FOLDERS)
        folders = made if isinstance(made, list | tuple) else ()
        for folder in map(str, folders):
            self._unmade.add(reduce(folder_after, self._newer(event), folder))

    def _file_back(self, event: MemoryEvent, change: FileChange) -> None:
        file = self._locate(event, change.final_path)
        if change.hash_before is None:
            self._unmake(event, change, file)
        elif is_deletion(change):
            self._bring_back(event, change, file)
        elif file is None:
            where = self._followed(event, change.final_path) or change.final_path
            if not self._is_left(event, where, f"{where} is gone."):
                return
            self._files.append(_File(None, b"", where, b"", left=True, note=_GONE))
        elif in_trash(file.place):
            reason = "It was deleted since; undo that first."
            if self._is_left(event, change.final_path, reason):
                file.left, file.note = True, _GONE
        else:
            if change.path_after is not None:
                self._move_back(event, change, file)
            self._edit_back(event, change, file)

    def _unmake(self, event: MemoryEvent, change: FileChange, file: _File | None) -> None:
        if file is None or in_trash(file.place):
            return  # gone already
        if file.origin is None:
            self._files.remove(file)
        elif content_hash(file.data) == change.hash_after:
            file.unmade = True
        elif self._keeps(event):
            file.left = True
            file.note = "It was edited since it was made, so it stays."
        else:
            self._refuse_edited(event, change, file)

    def _bring_back(self, event: MemoryEvent, change: FileChange, file: _File | None) -> None:
        after = change.hash_after
        if file is not None and content_hash(file.data) == (after or change.hash_before):
            if file.place == change.path:
                return  # back already
            if in_trash(file.place):
                file.place = change.path
                self._edit_back(event, change, file)
                return
        there = self._stored.on_disk(change.path)
        if there is not None and not self._is_taken_along(change.path):
            if there.hash not in (change.hash_before, after):
                self._refuse(event, change.path, "There is another file of that name now.")
            return
        data = self._stored.version(change.hash_before)
        if data is None:
            self._refuse_unknown(event, change.path)
        else:
            self._files.append(_File(None, b"", change.path, data))

    def _move_back(self, event: MemoryEvent, change: FileChange, file: _File) -> None:
        if file.place == change.final_path:
            if self._keeps(event) and self._is_occupied(change):
                file.note = f"There is another file at {change.path} now, so it stays here."
            else:
                file.place = change.path
        elif file.place != change.path:
            reason = f"It was moved on since, to {file.place}."
            if self._is_left(event, change.final_path, reason):
                file.note = _MOVED_ON

    def _edit_back(self, event: MemoryEvent, change: FileChange, file: _File) -> None:
        before, after = change.hash_before, change.hash_after
        now = content_hash(file.data)
        if after is None or before in (after, now):
            return
        target = self._stored.version(before)
        if target is None:
            self._refuse_unknown(event, file.place)
        elif now == after:
            file.data = target
        elif (left := self._stored.version(after)) is None or not self._keeps(event):
            self._refuse_edited(event, change, file)
        else:
            merged = take_back(left, target, file.data)
            file.data = merged.data
            file.kept += [
                KeptPart(
                    part.line + 1,
                    tuple(map(shown_line, part.lines)),
                    tuple(map(shown_line, part.was)),
                )
                for part in merged.kept
            ]

    def _folder_back(self, event: MemoryEvent, change: FileChange) -> None:
        now = self._followed(event, change.final_path) or change.final_path
        origin = next((old for old, new in self._folders.items() if new == change.final_path), now)
        if not is_folder(self._root, origin):
            self._refuse(event, change.final_path, "The folder is gone.")
            return
        if origin == now and now != change.final_path and now not in self._folders:
            self._refuse(event, change.final_path, f"The folder was moved on since, to {now}.")
            return
        taken_back = {chosen.id for chosen in self._chosen.events}
        others = [later for later in self._newer(event) if later.id not in taken_back]
        for was, place in parted(change.final_path, others):
            if not self._is_left(event, was, f"It was moved on since, to {place}."):
                continue
            if all(file.origin != place for file in self._files):
                self._files.append(_File(place, b"", place, b"", left=True, note=_MOVED_ON))
        self._folders[origin] = change.path
        for file in self._files:
            is_gone = file.left and file.origin is None
            if file.place.startswith(f"{change.final_path}/") and not is_gone:
                file.place = change.path + file.place[len(change.final_path) :]

    # -- where a file is ---------------------------------------------------------------------------------------

    def _newer(self, event: MemoryEvent) -> list[MemoryEvent]:
        """The events after it that moved something, or are taken back as well, oldest first."""
        return self._chosen.seen[: self._chosen.seen.index(event)][::-1]

    def _followed(self, event: MemoryEvent, path: str) -> str | None:
        """Where what was at the path after the event is now, as far as events tell."""
        for later in self._newer(event):
            followed = forward(path, later)
            if followed is None:
                return None
            path = followed
        return path

    def _locate(self, event: MemoryEvent, path: str) -> _File | None:
        made = next(
            (f for f in self._files if f.origin is None and f.place == path and not f.left), None
        )
        if made is not None:
            return made
        now = self._followed(event, path)
        if now is None:
            return None
        known = next((f for f in self._files if f.origin == now and not f.left), None)
        if known is not None:
            return known
        read = self._stored.on_disk(now)
        if read is None:
            return None
        place = now
        for origin, new in self._folders.items():
            if now.startswith(f"{origin}/"):
                place = new + now[len(origin) :]
        file = _File(now, read.data, place, read.data)
        self._files.append(file)
        return file

    def _is_taken_along(self, path: str) -> bool:
        """Whether what is at the path on the disk goes elsewhere in this plan."""
        return any(file.origin == path and file.place != path for file in self._files)

    def _keeps(self, event: MemoryEvent) -> bool:
        """Whether what a hand changed since is to stay, and the rest of the event is undone."""
        return self._keep_mine or event.id in self._chosen.optional

    def _is_occupied(self, change: FileChange) -> bool:
        """Whether another file has come to where the moved one was."""
        if path_key(change.path) == path_key(change.final_path):
            return False
        return is_taken(self._root, change.path) and not self._is_taken_along(change.path)

    # -- refusals ----------------------------------------------------------------------------------------------

    def _refuse(self, event: MemoryEvent, path: str, reason: str) -> None:
        self._conflicts.append(UndoConflict(path, event.id, reason, False, ()))

    def _is_left(self, event: MemoryEvent, path: str, reason: str) -> bool:
        """Whether a file that is not where the event put it stays as it is while the rest is undone; refused if not."""
        if self._keeps(event):
            return True
        helps = len(event.changes) > 1 or any(change.is_folder for change in event.changes)
        self._conflicts.append(UndoConflict(path, event.id, reason, helps, ()))
        return False

    def _refuse_unknown(self, event: MemoryEvent, path: str) -> None:
        by_hand = event.kind is EventKind.EDITED_BY_HAND
        reason = (
            "What it was before that hand edit is not stored: that is so only of what was kept while "
            "history.capture_hand_edits was on."
            if by_hand
            else "What it was before is no longer stored."
        )
        self._refuse(event, path, reason)

    def _made_by(self, digest: str) -> MemoryEvent | None:
        """The event that made the version last."""
        mark = f'"after":"{digest}"'.encode()
        events = Journal(self._root).backward(lambda line: mark in line)
        return next((event for event in events if event.kind is not EventKind.UNKNOWN), None)

    def _refuse_edited(self, event: MemoryEvent, change: FileChange, file: _File) -> None:
        after = self._stored.version(change.hash_after)
        shown = diff_hunks(after, file.data) if after is not None else ()
        made = self._made_by(content_hash(file.data))
        by = ""
        if made is not None:
            by_hand = made.kind is EventKind.EDITED_BY_HAND
            by = f", by {'hand' if by_hand else made.actor} ({made.id})"
        reason = f"{file.place} was edited since{by}."
        self._conflicts.append(UndoConflict(file.place, event.id, reason, after is not None, shown))

    # -- the outcome -------------------------------------------------------------------------------------------

    def plan(self, events: Sequence[MemoryEvent], actor: str) -> UndoPlan:
        parts = _Parts(self._root, self._folders)
        for file in self._files:
            parts.add(file)
        for origin, place in self._folders.items():
            if origin != place:
                parts.add_folder(origin, place)
        parts.check(lambda path, reason: self._refuse(events[0], path, reason))
        first, *rest = (event.id for event in events)
        changes = ChangeSet(
            EventKind.UNDONE,
            actor=actor,
            cause=_cause(events),
            edits=tuple(parts.edits),
            creations=tuple(parts.creations),
            moves=tuple(parts.moves),
            undoes=first,
            also_undoes=tuple(rest),
            unmade=tuple(sorted(self._unmade)),
        )
        shown = sorted(parts.shown, key=lambda file: file.path)
        return UndoPlan(changes, tuple(shown), tuple(self._conflicts))


class _Parts:
    """The parts of the set of changes, and how they are shown."""

    def __init__(self, root: Path, folders: dict[str, str]) -> None:
        self._root = root
        self._folders = folders
        self._taken: set[str] = set()
        self.edits: list[Edit] = []
        self.creations: list[Creation] = []
        self.moves: list[Move] = []
        self.shown: list[UndoneFile] = []

    def add(self, file: _File) -> None:
        if file.left:
            self._show(file, file.place, "left")
        elif file.origin is None:
            self.creations.append(Creation(file.place, file.data))
            self._show(file, file.place, "brought back")
        elif file.unmade:
            place = self._trash_place(file.place)
            self.moves.append(Move(file.origin, place, content_hash(file.disk)))
            self._show(file, place, "trashed")
        else:
            self._add_change(file, file.origin)

    def _add_change(self, file: _File, origin: str) -> None:
        edited = file.data != file.disk
        moved = file.place != self._carried(origin)
        if edited and in_trash(origin):  # nothing is edited in the trash; its copy stays there
            self.creations.append(Creation(file.place, file.data))
            self._show(file, file.place, "brought back")
            return
        expected = content_hash(file.disk)
        if edited:
            self.edits.append(Edit(origin, expected, file.data))
        if moved:
            self.moves.append(Move(origin, file.place, expected))
        if in_trash(origin) and moved:
            self._show(file, file.place, "brought back")
        elif edited or moved or file.kept or file.note:
            words = [word for word, holds in (("moved", moved), ("restored", edited)) if holds]
            self._show(file, file.place, " and ".join(words) or "left")

    def add_folder(self, origin: str, place: str) -> None:
        # Before its files: what was moved out of it comes back into it.
        self.moves.insert(0, Move(origin, place, None))
        self.shown.append(UndoneFile(f"{origin}/", f"{place}/", "moved", (), (), ""))

    def check(self, refuse: Callable[[str, str], None]) -> None:
        """Refuses what the write would refuse: a place that is taken, and a folder whose files go apart."""
        for creation in self.creations:
            if is_taken(self._root, creation.path):
                refuse(creation.path, f"There is another file at {creation.path} now.")
        for move in self.moves:
            same = path_key(move.path) == path_key(move.path_after)
            if not same and is_taken(self._root, move.path_after):
                refuse(move.path, f"There is something at {move.path_after} now.")
        for folder in self._folders:
            for move in self.moves:
                if move.path.startswith(f"{folder}/"):
                    refuse(
                        move.path,
                        f"It and its folder {folder} were moved apart: undo these events one by one.",
                    )

    def _show(self, file: _File, after: str, action: str) -> None:
        edited = action in ("restored", "moved and restored")
        self.shown.append(
            UndoneFile(
                path=file.origin or file.place,
                path_after=after,
                action=action,
                hunks=diff_hunks(file.disk, file.data) if edited else (),
                kept=tuple(file.kept),
                note=file.note,
            )
        )

    def _carried(self, path: str) -> str:
        for origin, place in self._folders.items():
            if path.startswith(f"{origin}/"):
                return place + path[len(origin) :]
        return path

    def _trash_place(self, path: str) -> str:
        name = path.rpartition("/")[2]
        base = stem(name)
        extension = name[len(base) :]
        taken = [*names_in(self._root, TRASH), *self._taken]
        free = free_name(base, taken, extension) + extension
        self._taken.add(free)
        return f"{TRASH}/{free}"


def _cause(events: Sequence[MemoryEvent]) -> str:
    if len(events) == 1:
        return f"take back: {events[0].cause}" if events[0].cause else "take back"
    return f"take back {len(events)} events"
