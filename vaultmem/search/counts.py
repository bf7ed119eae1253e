"""How common words are, remembered until the index changes: counting the blocks of a very common word means
walking through all of them."""

from __future__ import annotations

from threading import Lock

import apsw

from vaultmem.index.connection import fetch_int

REMEMBERED = 50_000
"""Words; past it the memory is begun anew."""

BLOCKS_WITH = "SELECT doc FROM notes_fts_terms WHERE term = ?"
COUNT_BLOCKS = "SELECT count(*) FROM notes_fts_docsize"


class TermCounts:
    """Counts of one index; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._generation = -1
        self._counts: dict[str, int] = {}

    def blocks_with(self, connection: apsw.Connection, generation: int, token: str) -> int:
        """In how many blocks the token stands, in any column."""
        return self._count(connection, generation, token, BLOCKS_WITH, (token,))

    def blocks(self, connection: apsw.Connection, generation: int) -> int:
        """How many blocks there are."""
        return self._count(connection, generation, "", COUNT_BLOCKS, None)

    def _count(
        self,
        connection: apsw.Connection,
        generation: int,
        key: str,
        query: str,
        bindings: tuple[str] | None,
    ) -> int:
        with self._lock:
            if generation != self._generation or len(self._counts) > REMEMBERED:
                self._generation, self._counts = generation, {}
            counts = self._counts
        count = counts.get(key)
        if count is None:
            count = counts[key] = fetch_int(connection, query, bindings)
        return count
