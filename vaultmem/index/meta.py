"""What the index knows about itself: version, counters, the freshness stamp."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem_schemas import SCHEMA_VERSION

PARSER_VERSION = 2
"""Rises whenever the same note would yield other rows than before."""

INDEX_VERSION = SCHEMA_VERSION * 1000 + PARSER_VERSION
"""Kept as SQLite's ``user_version``; an index of any other version is rebuilt."""

GET = "SELECT value FROM index_meta WHERE key = ?"
PUT = "INSERT INTO index_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

_KEYS = ("generation", "synced_ns", "settings_digest", "vector_model")


@dataclass(frozen=True, slots=True)
class Stamp:
    """The freshness stamp, written last in the transaction that changed the index."""

    generation: int
    """Rises by one with each change of the index; rebuilds go on counting."""
    synced_ns: int
    """When the last change was read from disk, nanoseconds since the epoch."""
    settings_digest: str
    """Of the settings that decide how files become rows."""
    vector_model: str
    """The embedding model whose vectors are kept up; "" when the index was built without vectors."""

    def after(self, synced_ns: int, settings_digest: str) -> Stamp:
        """The stamp of the next change."""
        return Stamp(self.generation + 1, synced_ns, settings_digest, self.vector_model)


def version_of(connection: apsw.Connection) -> int:
    """The version that made this index; 0 for one that was never finished."""
    return int(connection.pragma("user_version"))


def set_version(connection: apsw.Connection) -> None:
    """Marks the index as made by this version. The last step of a build."""
    connection.pragma("user_version", INDEX_VERSION)


def read_stamp(connection: apsw.Connection) -> Stamp:
    """The stamp of the last change. Raises IndexDamagedError when there is none."""
    values = [connection.execute(GET, (key,)).get for key in _KEYS]
    if any(value is None for value in values):
        raise IndexDamagedError(
            "The index was never finished.", hint="Run `vaultmem rebuild`; no note is touched."
        )
    return Stamp(int(values[0]), int(values[1]), str(values[2]), str(values[3]))


def write_stamp(connection: apsw.Connection, stamp: Stamp) -> None:
    """Writes the stamp. Call as the last statement of the transaction that made the change."""
    values = (stamp.generation, stamp.synced_ns, stamp.settings_digest, stamp.vector_model)
    connection.executemany(PUT, list(zip(_KEYS, values, strict=True)))
