"""Which files hold links that may be affected when names change, and which files lie below a folder."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from vaultmem.index.connection import fetch
from vaultmem.index.rows import name_hash

# Names are kept by their hash: a few files too many do no harm, none is missed.
SOURCES_BY_NAME = """
SELECT DISTINCT f.path FROM notes_links AS l JOIN vault_files AS f ON f.id = l.source_id WHERE l.name_hash = ?
"""
ALL_PATHS = "SELECT path FROM vault_files"


def link_sources(connection: apsw.Connection, keys: Iterable[str]) -> list[str]:
    """The vault paths, sorted, of the notes and canvases that hold a link whose target has one of those
    ``link_name_key`` values; maybe some more."""
    found: set[str] = set()
    for hashed in {name_hash(key) for key in keys}:
        found.update(path for (path,) in fetch(connection, SOURCES_BY_NAME, (hashed,)))
    return sorted(found)


def all_paths(connection: apsw.Connection) -> list[str]:
    """The vault path of every file."""
    return [path for (path,) in fetch(connection, ALL_PATHS)]
