"""What the journal says last of each path: a file is here, has moved away, or is gone.

A pure fold of events in the order of the journal, over a memory of what earlier ones said. Of two events about a path
the later one holds, whichever is taken in first. A folder's change carries the files below it, as far as the journal
knows them, so it is exact only when all earlier events were taken in before and no later one was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

from vaultmem.files.events import FileChange
from vaultmem.notes.paths import is_hidden, path_key


class State(StrEnum):
    """What became of a path."""

    HERE = "here"
    MOVED = "moved"
    """What was here lives on at another path of the vault: nothing to mourn, so no tombstone."""
    GONE = "gone"
    """Deleted, removed by hand, merged away, or moved to where no link can lead (the trash)."""


class Order(NamedTuple):
    """The place of an event in the journal; the same however much of the journal is known."""

    at_ns: int
    """When it happened, but never before the line above it in its file: a clock may have been set back."""
    file: str
    """Below the journal's folder: device and month."""
    place: int
    """Of its line in that file, in bytes."""


class Said(NamedTuple):
    """The last that the journal says of a path."""

    key: str
    """``path_key`` of the path."""
    path: str
    state: str
    is_folder: bool
    content_hash: str | None
    """Of the file that is here, or that was here last; None for a folder."""
    order: Order
    event_id: str


class Told(NamedTuple):
    """An event, as far as paths go."""

    order: Order
    event_id: str
    changes: tuple[FileChange, ...]
    original: bool = True
    """Whether it stands where its device wrote it, and not in a copy of that file."""


class Whereabouts:
    """What was said last of each path: ``changed`` in memory, over what ``recall`` and ``recall_below`` remember."""

    def __init__(
        self,
        recall: Callable[[str], Said | None] = lambda _: None,
        recall_below: Callable[[str], Iterable[Said]] = lambda _: (),
    ) -> None:
        """``recall`` gives what was said of a key, ``recall_below`` of each key that begins with a text."""
        self._recall = recall
        self._recall_below = recall_below
        self.changed: dict[str, Said] = {}

    def of(self, key: str) -> Said | None:
        """What was said last of the path with that key."""
        said = self.changed.get(key)
        return said if said is not None else self._recall(key)

    def take_in(self, told: Told) -> None:
        """Remembers what an event says. Within one event all departures come before all arrivals, so that files may
        change places."""
        files = []
        for change in told.changes:
            if change.is_folder:
                self._carry(change, told)
            else:
                files.append(change)
        for change in files:
            if change.path_after is not None or change.hash_after is None:
                last = change.hash_before or change.hash_after
                self._put(change.path, _leaving(change), last, told)
        for change in files:
            if change.hash_after is not None:
                self._put(change.final_path, State.HERE, change.hash_after, told)

    def _carry(self, folder: FileChange, told: Told) -> None:
        depth = folder.path.count("/") + 1
        away = _leaving(folder)
        below = [s for s in self._below(f"{path_key(folder.path)}/") if s.state == State.HERE]
        for said in below:
            self._put(said.path, away, said.content_hash, told, is_folder=said.is_folder)
        self._put(folder.path, away, None, told, is_folder=True)
        if folder.path_after is None:
            return
        self._put(folder.path_after, State.HERE, None, told, is_folder=True)
        for said in below:
            rest = "/".join(said.path.split("/")[depth:])
            path = f"{folder.path_after}/{rest}"
            self._put(path, State.HERE, said.content_hash, told, is_folder=said.is_folder)

    def _below(self, prefix: str) -> list[Said]:
        held = {said.key: said for said in self._recall_below(prefix)}
        held.update((key, said) for key, said in self.changed.items() if key.startswith(prefix))
        return [held[key] for key in sorted(held)]

    def _put(
        self,
        path: str,
        state: State,
        content_hash: str | None,
        told: Told,
        *,
        is_folder: bool = False,
    ) -> None:
        key = path_key(path)
        before = self.of(key)
        if before is None or before.order <= told.order:
            self.changed[key] = Said(
                key, path, str(state), is_folder, content_hash, told.order, told.event_id
            )


def _leaving(change: FileChange) -> State:
    """What a path is once the change has taken its file or folder away."""
    moved = change.path_after is not None and not is_hidden(change.path_after)
    return State.MOVED if moved else State.GONE
