"""How common words are, remembered until the index changes: counting the blocks of a very common word means
walking through all of them."""

from __future__ import annotations

from threading import Lock

import apsw

from vaultmem.index.connection import fetch_int
from vaultmem.index.meta import Stamp

REMEMBERED = 50_000
"""Words; past it the memory is begun anew."""

BLOCKS_WITH = "SELECT doc FROM notes_fts_terms WHERE term = ?"
COUNT_BLOCKS = "SELECT count(*) FROM notes_fts_docsize"
COUNT_VECTORS = "SELECT count(*) FROM notes_vec_map WHERE model = ?"


class TermCounts:
    """Counts of one index; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stamp: Stamp | None = None
        self._counts: dict[str, int] = {}

    def blocks_with(self, connection: apsw.Connection, stamp: Stamp, token: str) -> int:
        """In how many blocks the token stands, in any column."""
        return self._count(connection, stamp, token, BLOCKS_WITH, (token,))

    def blocks(self, connection: apsw.Connection, stamp: Stamp) -> int:
        """How many blocks there are."""
        return self._count(connection, stamp, "", COUNT_BLOCKS, None)

    def vectors(self, connection: apsw.Connection, stamp: Stamp) -> int:
        """How many blocks have a vector of the model that the index keeps up."""
        model = stamp.vector_model
        return self._count(connection, stamp, f" {model}", COUNT_VECTORS, (model,))

    def _count(
        self,
        connection: apsw.Connection,
        stamp: Stamp,
        key: str,
        query: str,
        bindings: tuple[str] | None,
    ) -> int:
        with self._lock:
            if stamp != self._stamp or len(self._counts) > REMEMBERED:
                self._stamp, self._counts = stamp, {}
            counts = self._counts
        count = counts.get(key)
        if count is None:
            count = counts[key] = fetch_int(connection, query, bindings)
        return count
