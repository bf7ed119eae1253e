"""What the index knows about itself: version, counters, the freshness stamp."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem.index.rules import Rules
from vaultmem_schemas import SCHEMA_VERSION

if TYPE_CHECKING:
    from vaultmem.embed.protocol import Embedder

PARSER_VERSION = 4
"""Rises whenever the same note would yield other rows than before."""

INDEX_VERSION = SCHEMA_VERSION * 1000 + PARSER_VERSION
"""Kept as SQLite's ``user_version``; an index of any other version is rebuilt."""

GET = "SELECT value FROM index_meta WHERE key = ?"
PUT = "INSERT INTO index_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

_KEYS = ("generation", "synced_ns", "exclusions", "templates", "vector_model", "vector_dim")
_NAME_KEY = "vector_name"
_NAMED = "vectors-of:"
"""Before the identity of a model: its name, which outlasts that its vectors are the ones kept up."""
ALL_NAMED = "SELECT key, value FROM index_meta WHERE key GLOB ?"


@dataclass(frozen=True, slots=True)
class Stamp:
    """The freshness stamp, written last in the transaction that changed the index."""

    generation: int
    """Rises by one with each change of the index; rebuilds go on counting."""
    synced_ns: int
    """When the last change was read from disk, nanoseconds since the epoch."""
    rules: Rules
    """The settings that decide how files become rows."""
    vector_model: str
    """The embedding model whose vectors are kept up; "" when the index was built without vectors."""
    vector_dim: int
    """Of those vectors; 0 without."""
    vector_name: str = ""
    """What the registry calls that model; "" when it knows none."""

    def has_vectors_of(self, embedder: Embedder) -> bool:
        """Whether the vectors that are kept up can be compared with the embedder's."""
        return (self.vector_model, self.vector_dim) == (embedder.model, embedder.dim)

    def after(self, synced_ns: int, rules: Rules) -> Stamp:
        """The stamp of the next change."""
        return replace(self, generation=self.generation + 1, synced_ns=synced_ns, rules=rules)


def version_of(connection: apsw.Connection) -> int:
    """The version that made this index; 0 for one that was never finished."""
    return int(connection.pragma("user_version"))


def set_version(connection: apsw.Connection) -> None:
    """Marks the index as made by this version. The last step of a build."""
    connection.pragma("user_version", INDEX_VERSION)


def read_generation(connection: apsw.Connection) -> int:
    """The number of the last change, of an index of any version. Raises IndexDamagedError when there is none."""
    value = connection.execute(GET, ("generation",)).get
    if value is None:
        raise _unfinished()
    return int(value)


def read_stamp(connection: apsw.Connection) -> Stamp:
    """The stamp of the last change. Raises IndexDamagedError when there is none."""
    values = [connection.execute(GET, (key,)).get for key in _KEYS]
    if any(value is None for value in values):
        raise _unfinished()
    generation, synced_ns, exclusions, templates, model, dim = values
    rules = Rules(str(exclusions), str(templates))
    name = connection.execute(GET, (_NAME_KEY,)).get or ""  # indexes of before have none
    return Stamp(int(generation), int(synced_ns), rules, str(model), int(dim), str(name))


def _unfinished() -> IndexDamagedError:
    return IndexDamagedError(
        "The index was never finished.", hint="Run `vaultmem rebuild`; no note is touched."
    )


def write_stamp(connection: apsw.Connection, stamp: Stamp) -> None:
    """Writes the stamp. Call as the last statement of the transaction that made the change."""
    values = (
        stamp.generation,
        stamp.synced_ns,
        *stamp.rules,
        stamp.vector_model,
        stamp.vector_dim,
        stamp.vector_name,
    )
    connection.executemany(PUT, list(zip((*_KEYS, _NAME_KEY), values, strict=True)))
    if stamp.vector_name:
        connection.execute(PUT, (_NAMED + stamp.vector_model, stamp.vector_name))


def vector_names(connection: apsw.Connection) -> dict[str, str]:
    """What the registry calls the models whose vectors are or were in the index, by their identity."""
    rows = connection.execute(ALL_NAMED, (f"{_NAMED}*",))
    return {str(key).removeprefix(_NAMED): str(value) for key, value in rows}
