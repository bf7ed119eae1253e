"""Files that are gone and still asked for: which paths have a tombstone, and which links end at one.

A path has a tombstone while the last event about it says that its file is gone and no file is at that path, compared
by ``path_key``. A path that a file merely moved away from has none: the file is elsewhere, and a link to the old path
asks for something that no longer exists under that name. The tombstone goes when a file is at the path again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from vaultmem.index.connection import fetch
from vaultmem.index.journal import whereabouts
from vaultmem.index.rows import Row, name_hash
from vaultmem.index.whereabouts import Said, State
from vaultmem.notes.paths import is_hidden, name_key, path_key
from vaultmem.notes.resolve import Lookup, affected_name_keys

TOMBSTONE = "SELECT path, gone_ns, event_id FROM notes_tombstones WHERE path_key = ?"
ROW = "SELECT * FROM notes_tombstones WHERE path_key = ?"
PUT = "INSERT OR REPLACE INTO notes_tombstones VALUES (?, ?, ?, ?, ?, ?)"
DROP = "DELETE FROM notes_tombstones WHERE path_key = ?"
GONE_KEYS = "SELECT path_key FROM journal_paths WHERE state = 'gone' AND is_folder = 0"
ANY = "SELECT EXISTS (SELECT 1 FROM journal_paths) OR EXISTS (SELECT 1 FROM notes_tombstones)"
ALL_PATHS = "SELECT path FROM notes_tombstones"


class Tombstone(NamedTuple):
    """What is left of a file that is gone."""

    path: str
    """As it was last spelled."""
    gone_ns: int
    """When it went."""
    event_id: str


def tombstone_at(connection: apsw.Connection, path: str) -> Tombstone | None:
    """The tombstone of the path, if it has one."""
    for row in connection.execute(TOMBSTONE, (path_key(path),)):
        return Tombstone._make(row)
    return None


def tombstone_paths(connection: apsw.Connection) -> list[str]:
    """The path of each file that is gone."""
    return [path for (path,) in fetch(connection, ALL_PATHS)]


def settle_all(connection: apsw.Connection, lookup: Lookup) -> None:
    """Puts up the tombstones of an index that has none yet; ``lookup`` finds the files that are there."""
    settle(connection, [key for (key,) in fetch(connection, GONE_KEYS)], lookup)


def settle(connection: apsw.Connection, keys: Iterable[str], lookup: Lookup) -> set[int]:
    """Puts up and takes away the tombstones of paths with those keys, after the journal was taken in and the files
    are as on disk; the name hashes of links that may end elsewhere for it."""
    if not connection.execute(ANY).get:
        return set()
    said = whereabouts(connection)
    affected: set[int] = set()
    for key in keys:
        before = next(iter(connection.execute(ROW, (key,))), None)
        after = _row(said.of(key), lookup)
        if before == after:
            continue
        if after is None:
            connection.execute(DROP, (key,))
        else:
            connection.execute(PUT, after)
        for row in (before, after):
            if row is not None:
                affected.update(map(name_hash, affected_name_keys(str(row[1]))))
    return affected


def _row(said: Said | None, lookup: Lookup) -> Row | None:
    """The row of the tombstone that the last word about a path calls for."""
    if said is None or said.state != State.GONE or said.is_folder or is_hidden(said.path):
        return None
    if _is_there(said.key, lookup(name_key(said.path))):
        return None
    hashed = name_hash(name_key(said.path))
    return (said.key, said.path, hashed, said.content_hash, said.order.at_ns, said.event_id)


def _is_there(key: str, named: Sequence[str]) -> bool:
    return any(path_key(path) == key for path in named)
