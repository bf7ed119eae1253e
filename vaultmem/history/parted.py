"""What has left a folder since it was moved, as far as events tell. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vaultmem.files.events import FileChange, MemoryEvent
from vaultmem.history.trail import forward, is_deletion


class Parted(NamedTuple):
    """A file or folder that was in a folder and is elsewhere now."""

    was: str
    """Its vault path when it was still in the folder."""
    now: str


def folder_after(folder: str, event: MemoryEvent) -> str:
    """Where the folder is after the event."""
    return (forward(f"{folder}/.", event) or f"{folder}/.").removesuffix("/.")


def parted(folder: str, later: Iterable[MemoryEvent]) -> list[Parted]:
    """What was in the folder before those events, which come oldest first, and was moved out of it by them. What
    was deleted has left no place, and what only came and went was never of the folder."""
    inside = _Inside(folder)
    for event in later:
        after = folder_after(inside.folder, event)
        for change in event.changes:
            inside.follow(change, after)
        inside.move(after)
    return [Parted(was, now) for now, was in inside.out.items()]


class _Inside:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.out: dict[str, str] = {}
        """Where something is now → where it was in the folder."""
        self._guests: set[str] = set()

    def follow(self, change: FileChange, after: str) -> None:
        """What the change does to a path; ``after`` is where its event puts the folder."""
        was = self.out.pop(change.path, None)
        began, ends = _holds(self.folder, change.path), _holds(after, change.final_path)
        if was is None and not began:
            if ends:
                self._guests.add(change.final_path)
            return
        if not ends and not is_deletion(change) and change.path not in self._guests:
            self.out[change.final_path] = was or change.path

    def move(self, after: str) -> None:
        """The folder is there now."""
        depth = len(self.folder)
        self._guests = {
            after + path[depth:] if _holds(self.folder, path) else path for path in self._guests
        }
        self.folder = after


def _holds(folder: str, path: str) -> bool:
    return path.startswith(f"{folder}/")
