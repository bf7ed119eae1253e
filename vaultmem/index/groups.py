"""The communities of an index that is built anew: their ids and names cannot be found in the notes, so they are carried
over."""

from __future__ import annotations

from typing import Final, NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_int

__all__ = ["Groups", "carry_over", "groups_in"]

PARTITION: Final = "partition"

COUNT_TABLES: Final = """
SELECT count(*) FROM sqlite_schema
WHERE type = 'table' AND name IN ('notes_graph_cache', 'notes_graph_communities')
"""
GET_CACHE: Final = "SELECT key, generation, value FROM notes_graph_cache WHERE key = ?"
GET_COMMUNITIES: Final = (
    "SELECT id, name, terms, notes, hub, inside, previous FROM notes_graph_communities"
)
PUT_CACHE: Final = (
    "INSERT OR REPLACE INTO notes_graph_cache (key, generation, value) VALUES (?, ?, ?)"
)
PUT_COMMUNITY: Final = """
INSERT OR REPLACE INTO notes_graph_communities (id, name, terms, notes, hub, inside, previous)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""


class Groups(NamedTuple):
    """Which note was in which community, and what these were called, as rows."""

    cache: list[tuple[str, int, bytes]]
    communities: list[tuple[int, str, str, int, str, float, int]]


def groups_in(connection: apsw.Connection) -> Groups:
    """What the index has; nothing when it has no place for them, as those of earlier versions."""
    if fetch_int(connection, COUNT_TABLES) < 2:
        return Groups([], [])
    return Groups(
        list(fetch(connection, GET_CACHE, (PARTITION,))), list(fetch(connection, GET_COMMUNITIES))
    )


def carry_over(connection: apsw.Connection, groups: Groups) -> None:
    """Puts them into a new index, as those of an earlier generation: the next grouping sets out from them."""
    connection.executemany(PUT_CACHE, groups.cache)
    connection.executemany(PUT_COMMUNITY, groups.communities)
