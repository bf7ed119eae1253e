"""Where the files are that a sync finds gone, as far as events tell: moved by one to another path, or removed by one.

What vaultmem itself moved and edited in one go looks to a comparison like one file gone and another one new. The
journal knows that they are one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from vaultmem.files.events import LATEST_NS, FileChange, MemoryEvent, carried_path, from_json
from vaultmem.index.journal import FOLDER
from vaultmem.index.plan import KnownFile, Pair, SyncPlan
from vaultmem.index.whereabouts import Order, Said, State, Told, Whereabouts
from vaultmem.notes.paths import path_key


class Departures:
    """What events say of paths from which something went; the journal has been taken in."""

    def __init__(
        self, root: Path, said: Whereabouts, under_way: Iterable[MemoryEvent] = ()
    ) -> None:
        """``said`` is for this object alone; the changes ``under_way`` come on top of it, as if they were done."""
        self._root = root
        self._said = said
        self._changes: dict[Order, tuple[FileChange, ...]] = {}
        for number, event in enumerate(under_way):
            order = Order(LATEST_NS, "", number)
            self._changes[order] = event.changes
            said.take_in(Told(order, event.id, event.changes))

    def is_removed(self, path: str) -> bool:
        """Whether an event removed the file, or moved it to where the vault does not look (the trash)."""
        said = self._said.of(path_key(path))
        return said is not None and said.state == State.GONE

    def is_elsewhere(self, path: str) -> bool:
        """Whether events moved the file to another path and something is there on the disk."""
        place = self.place_of(path)
        return place is not None and os.path.lexists(os.path.join(self._root, *place.split("/")))

    def place_of(self, path: str) -> str | None:
        """The vault path at which the file should be that was last at the path; None when no event moved it."""
        place, since = path, Order(-1, "", -1)
        while (said := self._last_word(place)) is not None and said.state == State.MOVED:
            if said.order <= since:
                return None  # the word is older than the move that led here
            following = self._moved_by(said, place)
            if following is None:
                return None
            place, since = following, said.order
        is_here = said is not None and said.state == State.HERE
        return place if place != path and is_here else None

    def _last_word(self, path: str) -> Said | None:
        """Of the path itself, else of the nearest folder above it that is spoken of."""
        key = path_key(path)
        said = self._said.of(key)
        while said is None and (key := key.rpartition("/")[0]):
            above = self._said.of(key)
            said = above if above is not None and above.is_folder else None
        return said

    def _moved_by(self, said: Said, path: str) -> str | None:
        """Where the event of that word moved the file at the path."""
        key = path_key(path)
        changes = self._changes_of(said.order)
        for change in changes:
            if not change.is_folder and path_key(change.path) == key:
                return change.path_after
        for folder in changes:
            if folder.is_folder and key.startswith(f"{path_key(folder.path)}/"):
                depth = folder.path.count("/") + 1
                spelled = "/".join((folder.path, *path.split("/")[depth:]))
                return carried_path(spelled, [folder])
        return None

    def _changes_of(self, order: Order) -> tuple[FileChange, ...]:
        if order not in self._changes:
            self._changes[order] = self._read(order)
        return self._changes[order]

    def _read(self, order: Order) -> tuple[FileChange, ...]:
        place = self._root.joinpath(*FOLDER.split("/"), *order.file.split("/"))
        try:
            with open(place, "rb") as file:
                file.seek(order.place)
                return from_json(file.readline().decode()).changes
        except (OSError, ValueError):  # it was replaced a moment ago
            return ()


def with_told_moves(plan: SyncPlan, departures: Departures) -> SyncPlan:
    """The plan in which a file that is gone and a new one are one that moved, where events tell of that move."""
    new = {path_key(file.path): file for file in plan.added}
    pairs: list[Pair] = []
    for row in plan.removed if new else ():
        place = departures.place_of(row.path)
        file = new.get(path_key(place)) if place is not None else None
        if file is not None and file.kind == row.kind:
            del new[path_key(file.path)]
            pairs.append(Pair(row, file))
    if not pairs:
        return plan
    left = frozenset(pair.known.path for pair in pairs)
    return replace(
        plan,
        added=tuple(file for file in plan.added if path_key(file.path) in new),
        moved=(*plan.moved, *pairs),
        removed=tuple(row for row in plan.removed if row.path not in left),
    )


def missing(rows: Sequence[KnownFile], departures: Departures) -> int:
    """How many of the files that are gone events do not account for."""
    return sum(
        not departures.is_removed(row.path) and not departures.is_elsewhere(row.path)
        for row in rows
    )
