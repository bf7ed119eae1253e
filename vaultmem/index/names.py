"""The vault's file names as the link rules look them up: from a list in memory, or from the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.rows import name_hash
from vaultmem.notes.paths import name_key
from vaultmem.notes.resolve import NameIndex

# Every file of that name, wherever it lies and whatever its state.
BY_NAME = "SELECT path, id FROM vault_files WHERE name_hash = ?"
GONE_BY_NAME = "SELECT path FROM notes_tombstones WHERE name_hash = ?"
ID_OF = "SELECT id FROM vault_files WHERE path = ?"


class ListedNames:
    """Names of a list of files, for a rebuild."""

    def __init__(self, files: Iterable[tuple[int, str]]) -> None:
        self._ids = {path: file_id for file_id, path in files}
        self.lookup = NameIndex(self._ids)
        self.gone = NameIndex()

    def id_of(self, path: str) -> int:
        """The id of the file at that path."""
        return self._ids[path]


class IndexedNames:
    """Names of the files in the index, for a sync and for queries; each key is asked for once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._paths: dict[str, tuple[str, ...]] = {}
        self._gone: dict[str, tuple[str, ...]] = {}
        self._ids: dict[str, int] = {}

    def lookup(self, key: str) -> Sequence[str]:
        """The paths of the files whose name has that key."""
        paths = self._paths.get(key)
        if paths is None:
            rows = fetch(self._connection, BY_NAME, (name_hash(key),))
            self._ids.update(rows)
            paths = self._paths[key] = tuple(path for path, _ in rows if name_key(path) == key)
        return paths

    def gone(self, key: str) -> Sequence[str]:
        """The paths of the files that are gone and whose name had that key."""
        paths = self._gone.get(key)
        if paths is None:
            rows = fetch(self._connection, GONE_BY_NAME, (name_hash(key),))
            paths = tuple(path for (path,) in rows if name_key(path) == key)
            self._gone[key] = paths
        return paths

    def id_of(self, path: str) -> int:
        """The id of the file at that path."""
        file_id = self._ids.get(path)
        return file_id if file_id is not None else fetch_int(self._connection, ID_OF, (path,))
