"""``embeddings.db``: vectors that were computed once, by model and by the hash of the embedded text.

Only a cache, and it behaves as one: whatever is wrong with the file costs time, never an answer and never an
error. A file that is damaged, or is no cache of ours, is set aside under another name and a new one begun; in
a place that cannot be written nothing is stored; a single row whose checksum does not match is computed anew.
"""

from __future__ import annotations

import os
import sys
import zlib
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Final, Self, TypeVar
from urllib.parse import quote

import apsw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from numpy import float32
    from numpy.typing import NDArray

    from vaultmem.embed.protocol import Embedder

_T = TypeVar("_T")

__all__ = ["EmbeddingCache", "embed_with_cache", "text_hash"]

HASH_BYTES: Final = 16
SET_ASIDE: Final = ".set-aside"
"""Appended to the name of a file that could not be used; an earlier one of that name is replaced."""

_APPLICATION_ID: Final = 0x764D656D  # "vMem": tells our file from another program's
_VERSION: Final = 1
_PAGE_BYTES: Final = 8192
_BUSY_MS: Final = 5_000
_PER_STATEMENT: Final = 500

# SQLError: a table that ought to be there is not.
_UNUSABLE: Final = (apsw.NotADBError, apsw.CorruptError, apsw.FormatError, apsw.SQLError)
_CANNOT_STORE: Final = (
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.AuthError,
    apsw.IOError,
    apsw.FullError,
    apsw.BusyError,
    apsw.LockedError,
)

_MODEL_ID: Final = "SELECT id FROM models WHERE name = ?"
_ADD_MODEL: Final = "INSERT INTO models (name) VALUES (?) ON CONFLICT DO NOTHING"
_FIND: Final = "SELECT hash, vector, checksum FROM vectors WHERE model = ? AND hash IN ({marks})"
_COUNT: Final = "SELECT count(*) FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?)"
_REMOVE: Final = "DELETE FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?)"
_PUT: Final = "INSERT OR REPLACE INTO vectors (model, hash, vector, checksum) VALUES (?, ?, ?, ?)"


def text_hash(text: str) -> bytes:
    """The 16 bytes that stand for exactly this text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


class _ForeignFileError(Exception):
    """The file is a healthy database, but not one of ours."""


class _NewerFileError(Exception):
    """The file was made by a later version of vaultmem; it is left alone."""


class EmbeddingCache:
    """Vectors kept in the SQLite file ``path``; made with its folder when missing.

    Vectors go in and out as the bytes of little-endian 32-bit floats. One object serves one thread at a time;
    several processes may use the file at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: apsw.Connection | None = None
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the file; afterwards nothing is found and nothing stored."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def is_writable(self) -> bool:
        """Whether vectors are stored; False in a place that cannot be written."""
        return self._connection is not None and not self._connection.readonly("main")

    def get_many(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The stored vectors of ``model`` among ``hashes``, by hash; what is not there is left out."""
        return self._attempt(lambda connection: _find(connection, model, hashes), {})

    def put_many(self, model: str, vectors: Mapping[bytes, bytes]) -> int:
        """How many were stored: all of ``vectors`` (hash to bytes) in one transaction, or none.

        None, when the place cannot be written, is full, or another process writes for more than five seconds.
        """
        if not self.is_writable or not vectors:
            return 0
        return self._attempt(lambda connection: _store(connection, model, vectors), 0)

    def count(self, model: str) -> int:
        """How many vectors of the model are stored."""
        return self._attempt(lambda connection: _count(connection, model), 0)

    def remove(self, model: str) -> int:
        """Deletes the vectors of the model and gives the room back; returns how many there were."""
        if not self.is_writable:
            return 0
        return self._attempt(lambda connection: _remove(connection, model), 0)

    def trim(self, model: str, keep: set[bytes]) -> int:
        """Deletes the vectors of the model whose hash is not in ``keep``; returns how many those were."""
        if not self.is_writable:
            return 0
        return self._attempt(lambda connection: _trim(connection, model, keep), 0)

    def _open(self) -> None:
        try:
            self._connection = _connect(self.path)
        except (*_UNUSABLE, _ForeignFileError):
            self._begin_anew()
        except (*_CANNOT_STORE, _NewerFileError, OSError):
            self._connection = None

    def _begin_anew(self) -> None:
        """Puts the unusable file aside and makes an empty one; stores nothing if that fails too."""
        self.close()
        try:
            _set_aside(self.path)
            self._connection = _connect(self.path)
        except (apsw.Error, _ForeignFileError, _NewerFileError, OSError):
            self._connection = None

    def _attempt(self, work: Callable[[apsw.Connection], _T], otherwise: _T) -> _T:
        """What ``work`` returns, or ``otherwise`` where the file gives out; damage begins the file anew."""
        if self._connection is None:
            return otherwise
        try:
            return work(self._connection)
        except _UNUSABLE:
            self._begin_anew()
        except _CANNOT_STORE:
            pass
        return otherwise


def embed_with_cache(
    embedder: Embedder, cache: EmbeddingCache | None, texts: Sequence[str]
) -> NDArray[float32]:
    """The document vectors of ``texts`` (n × dim), in order; computed only where ``cache`` has none.

    Equal texts are embedded once. What was computed is stored before this returns.
    """
    import numpy as np

    if cache is None:
        return embedder.embed_documents(texts)
    keys = [text_hash(text) for text in texts]
    known = cache.get_many(embedder.model, dict.fromkeys(keys))
    size = embedder.dim * 4
    missing = {
        key: text for key, text in zip(keys, texts, strict=True) if len(known.get(key, b"")) != size
    }
    if missing:
        fresh = _little_endian(embedder.embed_documents(list(missing.values())))
        computed = {key: row.tobytes() for key, row in zip(missing, fresh, strict=True)}
        cache.put_many(embedder.model, computed)
        known |= computed
    joined = b"".join([known[key] for key in keys])
    rows = np.frombuffer(joined, dtype="<f4").reshape(len(texts), embedder.dim)
    return rows.astype(np.float32)


def _little_endian(rows: NDArray[float32]) -> NDArray[float32]:
    return rows if sys.byteorder == "little" else rows.astype("<f4")


def _connect(path: Path) -> apsw.Connection:
    """A connection to a cache of our version, made if the file is missing or empty.

    Raises an APSW error of ``_UNUSABLE`` or ``_CANNOT_STORE``, OSError, _ForeignFileError, _NewerFileError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # By its bytes: a folder's name need not be UTF-8.
    uri = f"file:{quote(os.fsencode(path))}"
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    try:
        return _prepared(apsw.Connection(uri, flags | apsw.SQLITE_OPEN_URI))
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # A folder that cannot be written has no room for SQLite's side files: read it as it lies.
        read_only = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _prepared(apsw.Connection(f"{uri}?immutable=1", read_only))


def _prepared(connection: apsw.Connection) -> apsw.Connection:
    try:
        connection.set_busy_timeout(_BUSY_MS)
        if not connection.readonly("main"):
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            _create_tables(connection)
        _check_owner(connection)
        if not connection.readonly("main"):  # only now: another program's file is not to be changed
            connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _create_tables(connection: apsw.Connection) -> None:
    """Makes the tables in a file that holds nothing yet."""
    if connection.execute("SELECT count(*) FROM sqlite_schema").get:
        return
    from importlib.resources import files

    ddl = (files("vaultmem_schemas") / "sql" / "embeddings.sql").read_text(encoding="utf-8")
    with _transaction(connection):
        if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
            connection.execute(ddl)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")


def _check_owner(connection: apsw.Connection) -> None:
    if connection.execute("PRAGMA application_id").get != _APPLICATION_ID:
        raise _ForeignFileError
    version = connection.execute("PRAGMA user_version").get
    if version > _VERSION:
        raise _NewerFileError
    if version < _VERSION:
        raise _ForeignFileError


def _find(connection: apsw.Connection, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
    model_id = _model_id(connection, model)
    if model_id is None:
        return {}
    return {
        key: vector
        for part in _parts(hashes)
        for key, vector, checksum in connection.execute(
            _FIND.format(marks=",".join("?" * len(part))), (model_id, *part)
        )
        if zlib.crc32(vector) == checksum
    }


def _store(connection: apsw.Connection, model: str, vectors: Mapping[bytes, bytes]) -> int:
    with _transaction(connection):
        connection.execute(_ADD_MODEL, (model,))
        model_id = _model_id(connection, model)
        rows = ((model_id, key, vector, zlib.crc32(vector)) for key, vector in vectors.items())
        connection.executemany(_PUT, rows)
    return len(vectors)


def _count(connection: apsw.Connection, model: str) -> int:
    return int(connection.execute(_COUNT, (model,)).get)


def _remove(connection: apsw.Connection, model: str) -> int:
    found = _count(connection, model)
    with _transaction(connection):
        connection.execute(_REMOVE, (model,))
        connection.execute("DELETE FROM models WHERE name = ?", (model,))
    _give_back(connection)
    return found


def _trim(connection: apsw.Connection, model: str, keep: set[bytes]) -> int:
    model_id = _model_id(connection, model)
    if model_id is None:
        return 0
    with _transaction(connection):
        rows = connection.execute("SELECT rowid, hash FROM vectors WHERE model = ?", (model_id,))
        gone = [(rowid,) for rowid, key in rows if key not in keep]
        connection.executemany("DELETE FROM vectors WHERE rowid = ?", gone)
    if gone:
        _give_back(connection)
    return len(gone)


def _give_back(connection: apsw.Connection) -> None:
    """Makes the file as small as what it holds, unless another process is using it just now."""
    with suppress(apsw.BusyError, apsw.LockedError, apsw.FullError):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _model_id(connection: apsw.Connection, model: str) -> int | None:
    found: int | None = connection.execute(_MODEL_ID, (model,)).get
    return found


@contextmanager
def _transaction(connection: apsw.Connection) -> Iterator[None]:
    """``BEGIN IMMEDIATE`` … ``COMMIT``, rolled back on every other exit."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _parts(hashes: Iterable[bytes]) -> Iterator[tuple[bytes, ...]]:
    """``hashes`` in tuples of at most ``_PER_STATEMENT``."""
    rest = iter(hashes)
    while part := tuple(islice(rest, _PER_STATEMENT)):
        yield part


def _set_aside(path: Path) -> None:
    """Renames the file together with its side files, so that the pair stays a database."""
    aside = path.with_name(path.name + SET_ASIDE)
    for suffix in ("", "-wal", "-shm", "-journal"):
        side = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            side.replace(aside.with_name(aside.name + suffix))
