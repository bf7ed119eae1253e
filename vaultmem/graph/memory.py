"""The snapshot of a vault's graph: in memory by the index's generation, kept in the index, brought up by what changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import apsw

from vaultmem.graph.columns import Columns, from_bytes, read_columns, read_some, replaced, to_bytes
from vaultmem.graph.snapshot import GraphSnapshot, snapshot_of
from vaultmem.index.connection import fetch, read_file_id
from vaultmem.index.meta import PUT, read_generation
from vaultmem_schemas import graph_triggers_ddl

__all__ = ["GraphMemory", "Keep", "kept_value", "mark", "put_value"]

GET: Final = "SELECT generation, value FROM notes_graph_cache WHERE key = ?"
GET_GENERATION: Final = "SELECT generation FROM notes_graph_cache WHERE key = ?"
PUT_VALUE: Final = "INSERT OR REPLACE INTO notes_graph_cache VALUES (?, ?, ?)"
CHANGED: Final = "SELECT file_id FROM notes_graph_changes WHERE generation > ? ORDER BY file_id"
DROP_KNOWN: Final = "DELETE FROM notes_graph_changes WHERE generation <= ?"

SNAPSHOT: Final = "snapshot"
MARK: Final = "graph_generation"
"""Written with whatever is kept: each change of the index writes to the page that tells it from others."""

KEEP_AFTER: Final = 0.05
"""Share of the notes that may have changed before the snapshot is kept anew."""

Keep = Callable[[Callable[[apsw.Connection], None]], bool]
"""Carries out a change of the index in a transaction of its own; False when that cannot be done now."""


class GraphMemory:
    """The latest snapshot. Safe for several threads."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._guard = threading.Lock()
        self._columns: Columns | None = None
        self._graph: GraphSnapshot | None = None
        self._generation = -1
        self._identity = -1
        self._due = False

    @property
    def generation(self) -> int:
        """Of the index that the latest snapshot tells of."""
        return self._generation

    def snapshot(self, connection: apsw.Connection) -> GraphSnapshot:
        """The graph of the index as the connection sees it."""
        with self._guard:
            generation = read_generation(connection)
            identity = read_file_id(connection)
            if self._graph is None or (generation, identity) != (self._generation, self._identity):
                columns = self._columns_at(connection, generation, identity)
                if columns is not self._columns or self._graph is None:
                    self._graph = snapshot_of(columns)
                self._columns = columns
                self._generation, self._identity = generation, identity
            return self._graph

    def _columns_at(self, connection: apsw.Connection, generation: int, identity: int) -> Columns:
        """The columns of that generation, from the nearest that are at hand."""
        kept_at = connection.execute(GET_GENERATION, (SNAPSHOT,)).get
        if kept_at is None or int(kept_at) > generation:
            self._due = True
            return read_columns(connection)
        columns, since = self._columns, self._generation
        # What changed up to the kept one is not known any more.
        usable = identity == self._identity and int(kept_at) <= since <= generation
        if columns is None or not usable:
            columns, since = from_bytes(connection.execute(GET, (SNAPSHOT,)).get[1]), int(kept_at)
            if columns is None:
                self._due = True
                return read_columns(connection)
        changed = [int(row[0]) for row in fetch(connection, CHANGED, (since,))]
        if not changed:
            return columns
        if len(changed) > KEEP_AFTER * len(columns.ids):
            self._due = True
        return replaced(columns, changed, read_some(connection, changed))

    def keep_if_due(self) -> None:
        """Keeps the snapshot in the index for later processes, where it has none or an old one. Call outside of any
        transaction; does nothing where the index cannot be written now."""
        with self._guard:
            columns, generation, identity = self._columns, self._generation, self._identity
            if not self._due or columns is None:
                return

            def put(connection: apsw.Connection) -> None:
                if (
                    read_generation(connection) != generation
                    or read_file_id(connection) != identity
                ):
                    return  # others were quicker; what they changed would go unnoticed
                connection.execute(graph_triggers_ddl())
                put_value(connection, SNAPSHOT, generation, to_bytes(columns))
                connection.execute(DROP_KNOWN, (generation,))

            self._due = not self._keep(put)


def kept_value(connection: apsw.Connection, key: str) -> tuple[int, bytes] | None:
    """(generation, value) of what is kept under the key."""
    row = connection.execute(GET, (key,)).get
    return (int(row[0]), bytes(row[1])) if row is not None else None


def put_value(connection: apsw.Connection, key: str, generation: int, value: bytes) -> None:
    """Keeps the value under the key, inside a transaction."""
    connection.execute(PUT_VALUE, (key, generation, value))
    mark(connection, generation)


def mark(connection: apsw.Connection, generation: int) -> None:
    """Belongs into each transaction that keeps something of the graph."""
    connection.execute(PUT, (MARK, generation))
