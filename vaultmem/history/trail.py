"""One note's way through the journal, newest event first, whatever it was called at the time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from vaultmem.files.events import FileChange, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.files.targets import TRASH


class Step(NamedTuple):
    """What an event did to the note."""

    event: MemoryEvent
    change: FileChange
    """The file's own; of one that moved along with a folder, a change of its path alone, without hashes."""

    @property
    def carried(self) -> bool:
        """Whether the note only moved along with a folder; its bytes stayed."""
        return self.change.is_folder


def in_trash(path: str) -> bool:
    """Whether the vault path is in the vault's trash."""
    return path.startswith(f"{TRASH}/")


def is_deletion(change: FileChange) -> bool:
    """Whether the file was gone afterwards: in the trash, or from the disk."""
    if change.is_folder or change.hash_before is None:
        return change.path_after is not None and in_trash(change.path_after)
    return change.hash_after is None or (in_trash(change.final_path) and not in_trash(change.path))


def moved_along(path: str, folder: FileChange) -> str | None:
    """Where the path is after the folder's move; None for a path outside the folder."""
    if folder.is_folder and path.startswith(f"{folder.path}/"):
        return folder.final_path + path[len(folder.path) :]
    return None


def forward(path: str, event: MemoryEvent) -> str | None:
    """Where the file is after the event; None when it was deleted for good."""
    own = next((change for change in event.changes if change.path == path), None)
    if own is not None and not own.is_folder:
        gone = own.hash_after is None and own.hash_before is not None
        return None if gone else own.final_path
    for change in event.changes:
        path = moved_along(path, change) or path
    return path


def trail(journal: Journal, path: str) -> Iterator[Step]:
    """The events about the note that is or last was at the vault path, newest first.

    It is followed through moves of its own and of its folders, and through deletion: what was at the path
    before it was deleted belongs to it, whether it came back from the trash or was made anew. A note that left
    the path for another one does not.
    """
    names = _Names(path)
    for event in journal.backward(names.in_line):
        step = _step(event, names.path)
        if step is None:
            continue
        change = step.change
        left = change.path == names.path and change.final_path != names.path
        if left and not is_deletion(change):
            return  # another note, which had the path before
        yield step
        names.path = change.path


def latest_path(journal: Journal, path: str) -> str:
    """Where the note that was last at the vault path is now, or was before it was deleted, as far as events tell."""
    names = _Names(path)
    newer: list[MemoryEvent] = []
    for event in journal.backward(lambda line: b'"to":' in line or names.in_line(line)):
        newer.append(event)
        if any(path in (change.path, change.final_path) for change in event.changes):
            break
    place = now = path
    for event in reversed(newer):
        if any(change.final_path == now and change.path != now for change in event.changes):
            if now != path:
                return place  # another one came to that place: ours is gone from there
            continue
        followed = forward(now, event)
        if followed is None:
            return place
        now = followed
        place = place if in_trash(now) else now
    return place


def _step(event: MemoryEvent, path: str) -> Step | None:
    came = [change for change in event.changes if change.final_path == path]
    went = [change for change in event.changes if change.path == path]
    for change in (*came, *went):
        if not change.is_folder:
            return Step(event, change)
    for folder in event.changes:
        if folder.is_folder and path.startswith(f"{folder.final_path}/"):
            before = folder.path + path[len(folder.final_path) :]
            return Step(event, FileChange(before, path))
        if folder.is_folder and is_deletion(folder) and (new := moved_along(path, folder)):
            return Step(event, FileChange(path, new))
    return None


class _Names:
    """What a line of the journal holds if it may be about the path: the path itself, or a folder above it."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def path(self) -> str:
        return self._path

    @path.setter
    def path(self, path: str) -> None:
        self._path = path
        parts = path.split("/")
        above = ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1))
        self._needles = [json.dumps(place, ensure_ascii=False).encode() for place in above]

    def in_line(self, line: bytes) -> bool:
        """Whether the line may be about the path."""
        return any(needle in line for needle in self._needles)
