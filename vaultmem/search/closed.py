"""The blocks that a search may not offer: of notes that Obsidian's settings exclude (F-03), outside the folder that was
named, or not admitted by the query's filters, or in a folder that is set aside (the archive of the dream). Remembered for the last few folders and filters: a person narrows a
search and asks again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

import apsw

from vaultmem.index.connection import fetch
from vaultmem.search.filters import Clause, Filters, teach

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.index.meta import Stamp
    from vaultmem.search.blocks import Blocks

REMEMBERED: Final = 16
"""Pairs of folder and filters; a byte a block each."""

# The notes below a folder, by the first and the last that their paths may be.
NOTES_WITHIN = "SELECT id FROM vault_files WHERE path > :first AND path < :last AND kind = 'note'"


_Key: TypeAlias = "tuple[str, Filters, tuple[str, ...]]"


class ClosedBlocks:
    """What is closed in one index; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stamp: Stamp | None = None
        self._known: OrderedDict[_Key, NDArray[np.bool_]] = OrderedDict()

    def get(
        self,
        connection: apsw.Connection,
        stamp: Stamp,
        blocks: Blocks,
        filters: Filters,
        within: str,
        set_aside: tuple[str, ...] = (),
    ) -> NDArray[np.bool_]:
        """By block id. Never changed. Call inside the transaction that read the stamp. What is below a folder that is
        ``set_aside`` is offered only to who asks ``within`` it."""
        set_aside = tuple(
            folder for folder in set_aside if not f"{within}/".startswith(f"{folder}/")
        )
        if not within and not filters and not set_aside:
            return blocks.excluded
        key = (within, filters, set_aside)
        with self._lock:
            if stamp != self._stamp:
                self._stamp = stamp
                self._known.clear()
            found = self._known.get(key)
            if found is not None and len(found) == len(blocks.notes):
                self._known.move_to_end(key)
                return found
        closed = _closed(connection, blocks, filters, within, set_aside)
        with self._lock:
            if stamp == self._stamp:
                self._known[key] = closed
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return closed


def _closed(
    connection: apsw.Connection,
    blocks: Blocks,
    filters: Filters,
    within: str,
    set_aside: tuple[str, ...],
) -> NDArray[np.bool_]:
    closed = blocks.excluded
    for folder in set_aside:
        aside = Clause(NOTES_WITHIN, {"first": f"{folder}/", "last": f"{folder}0"})
        closed = closed | _of_notes(connection, blocks, aside)
    if within:
        inside = Clause(NOTES_WITHIN, {"first": f"{within}/", "last": f"{within}0"})
        closed = closed | ~_of_notes(connection, blocks, inside)
    if filters:
        teach(connection)
        if filters.speak_of_blocks:
            closed = closed | ~_marked(connection, len(closed), filters.blocks())
        else:
            closed = closed | ~_of_notes(connection, blocks, filters.notes())
    return closed


def _of_notes(connection: apsw.Connection, blocks: Blocks, clause: Clause) -> NDArray[np.bool_]:
    """The blocks of the notes whose ids the clause gives."""
    return _marked(connection, blocks.last_note + 1, clause)[blocks.notes]


def _marked(connection: apsw.Connection, size: int, clause: Clause) -> NDArray[np.bool_]:
    """True at each id that the clause gives."""
    import numpy as np

    marked = np.zeros(size, dtype=np.bool_)
    marked[[found for (found,) in fetch(connection, clause.sql, clause.values)]] = True
    return marked
