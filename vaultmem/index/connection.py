"""Opening ``memory.db``: pragmas, checksums, transactions, and SQLite's errors in our own words.

Every page carries a checksum (SQLite's cksumvfs, which APSW ships) that SQLite checks when it reads the page,
so a flipped bit ends in :class:`IndexDamagedError` and a rebuild, never in a wrong answer. Where an APSW
build lacks that extension the index has no checksums, and :func:`has_checksums` says so.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import apsw

from vaultmem.errors import FailedError, IndexDamagedError, IndexReadOnlyError, LockedError
from vaultmem_schemas import index_ddl

BUSY_TIMEOUT_MS = 10_000
"""How long a statement waits for another process's transaction; ours are short, so this is never reached."""

PAGE_BYTES = 8192
"""Twice SQLite's default: less of each page stays empty with rows of some hundred bytes (6 % of the file)."""

PAGE_CACHE_KIB = 16_384
LEAST_ROOM = 1 << 16
"""Bytes; SQLite's shared memory alone takes half of them."""
SET_ASIDE = ".set-aside"
"""Appended to the name of an index file that proved damaged and was replaced."""

HEADER_ID = (68, 4)
"""Offset and size of SQLite's ``application_id`` in a database file."""

GET_FILE_ID = "SELECT value FROM index_meta WHERE key = 'file_id'"
PUT_FILE_ID = "INSERT INTO index_meta VALUES ('file_id', ?)"

CHECKSUM_VFS = "cksmvfs"
CHECKSUM_BYTES = 8

_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.ConstraintError)
"""A constraint that does not hold: rows stand where none should be, or the other way round."""
_DAMAGE_CODES = {
    apsw.SQLITE_IOERR_DATA: "a page fails its checksum",
    apsw.SQLITE_IOERR_SHORT_READ: "a page is not there",
}
"""Read errors that come of what the file holds, in words: SQLite calls each a "disk I/O error"."""


@cache
def _checksum_vfs() -> str | None:
    """The name of the checksum VFS, registered with SQLite on first use; None where APSW has none."""
    if importlib.util.find_spec("apsw.sqlite_extra") is None:
        return None
    from apsw import sqlite_extra

    if not sqlite_extra.has("cksumvfs") or not hasattr(apsw.Connection, "reserve_bytes"):
        return None
    with_extension = apsw.Connection(":memory:")
    try:
        sqlite_extra.load(with_extension, "cksumvfs")
    except (apsw.Error, sqlite_extra.NotAvailable):
        return None
    finally:
        with_extension.close()
    return CHECKSUM_VFS if CHECKSUM_VFS in apsw.vfs_names() else None


def has_checksums() -> bool:
    """Whether pages are checksummed on this installation."""
    return _checksum_vfs() is not None


@cache
def _vector_extension() -> str:
    """The path of sqlite-vec's library, found without importing its package (that costs 70 ms)."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise FailedError(
            "The package sqlite-vec is not installed.",
            hint="Install vaultmem again with pip or uv.",
        )
    return str(Path(next(iter(spec.submodule_search_locations))) / "vec0")


def _connect(path: Path, flags: int, *, immutable: bool = False) -> apsw.Connection:
    # By its bytes: a folder's name need not be UTF-8.
    uri = f"file:{quote(os.fsencode(path))}" + ("?immutable=1" if immutable else "")
    connection = apsw.Connection(uri, flags | apsw.SQLITE_OPEN_URI, vfs=_checksum_vfs())
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.enable_load_extension(True)
        connection.load_extension(_vector_extension())
        connection.enable_load_extension(False)
        connection.execute(f"PRAGMA cache_size = -{PAGE_CACHE_KIB}")
    except apsw.Error:
        connection.close()
        raise
    return connection


def create_copy(path: Path) -> apsw.Connection:
    """A connection to a new, empty file that another index is to be copied into. Its pages are checksummed as they are
    written: those that SQLite hands over from its cache bear checksums of the time before they were changed."""
    with sqlite_errors(path):
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        if has_checksums():
            connection.reserve_bytes(reserve=CHECKSUM_BYTES)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        return connection


def create_index(path: Path, file_id: int) -> apsw.Connection:
    """A connection to a new, empty index file, tuned for a build that nobody else sees.

    ``file_id`` (31 bits) tells the file from every other, see :func:`check_whole`. No journal and no sync: a build that does not finish is thrown away. ``finish_build`` makes it durable.
    """
    with sqlite_errors(path):
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        if has_checksums():
            connection.reserve_bytes(reserve=CHECKSUM_BYTES)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        with write_transaction(connection):
            connection.execute(index_ddl())
            connection.execute(f"PRAGMA application_id = {file_id}")
            connection.execute(PUT_FILE_ID, (file_id,))
        return connection


def open_index(path: Path, *, writable: bool = True) -> apsw.Connection:
    """A connection to an existing index.

    A file that cannot be opened for writing, or whose folder cannot hold SQLite's side files, is opened for
    reading alone; ``connection.readonly("main")`` tells. Raises IndexDamagedError, and IndexReadOnlyError when
    that is not enough: the log of changes beside it cannot be read then, and without it the index says what it
    said at some time before, or parts of that.
    """
    with sqlite_errors(path):
        if writable:
            try:
                return _open_wal(path, apsw.SQLITE_OPEN_READWRITE)
            except (apsw.ReadOnlyError, apsw.CantOpenError):
                pass
        try:
            return _open_wal(path, apsw.SQLITE_OPEN_READONLY)
        except (apsw.ReadOnlyError, apsw.CantOpenError):
            # No side files can be made beside it: read it as a file that nobody changes.
            _refuse_unread_log(path)
            return _connect(path, apsw.SQLITE_OPEN_READONLY, immutable=True)


def _refuse_unread_log(path: Path) -> None:
    if _has_log(path):
        raise IndexReadOnlyError(
            f"The index {path} cannot be written, and changes that it lacks lie in the log beside it.",
            hint='Make its folder writable once, or set index.location = "cache".',
        )


def _has_log(path: Path) -> bool:
    """Whether SQLite's log beside the index holds anything."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _open_wal(path: Path, flags: int) -> apsw.Connection:
    connection = _connect(path, flags)
    try:
        if not connection.readonly("main"):
            connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.Error:
        connection.close()
        raise
    return connection


def read_file_id(connection: apsw.Connection) -> int:
    """The id with which the index file was made, as its tables have it."""
    return fetch_int(connection, GET_FILE_ID)


def check_whole(connection: apsw.Connection, path: Path) -> None:
    """Raises IndexDamagedError when the file is shorter than it says and no log holds the rest, or when the log
    beside it is another index's.

    SQLite plays any log of the right name into a file. Each transaction of ours writes to the page that holds the
    file's id, so with a strange log the tables name another id than the first page on disk.
    """
    _, header = connection.read("main", 0, *HEADER_ID)
    if int.from_bytes(header, "big") != read_file_id(connection):
        raise IndexDamagedError(
            f"The log beside the index {path} is another index's.",
            hint="Run `vaultmem rebuild`; no note is touched.",
        )
    size = int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
    if not _has_log(path) and path.stat().st_size < size:
        raise IndexDamagedError(
            f"The index {path} is cut short.", hint="Run `vaultmem rebuild`; no note is touched."
        )


@contextmanager
def write_transaction(connection: apsw.Connection) -> Iterator[None]:
    """``BEGIN IMMEDIATE`` … ``COMMIT``, rolled back on every other exit, Ctrl-C included."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def rolled_back(connection: apsw.Connection) -> Iterator[None]:
    """Changes that nobody but this connection sees, and that are undone at the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def read_transaction(connection: apsw.Connection) -> Iterator[None]:
    """One snapshot for several queries; within another transaction it does nothing."""
    nested = connection.in_transaction
    if not nested:
        connection.execute("BEGIN")
    try:
        yield
    finally:
        if not nested and connection.in_transaction:
            connection.execute("ROLLBACK")


def is_damage(error: apsw.Error) -> bool:
    """Whether SQLite says that the file cannot be trusted: not a database, malformed, a bad checksum, or rows
    that contradict each other."""
    if isinstance(error, _DAMAGE):
        return True
    return getattr(error, "extendedresult", 0) in _DAMAGE_CODES


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into ours, naming the index file."""
    try:
        yield
    except apsw.Error as error:
        raise _translated(error, path) from error


def _translated(error: apsw.Error, path: Path) -> Exception:
    if is_damage(error) or isinstance(error, apsw.SQLError):
        # SQLError: a table or column is missing, so the file is an index of no version we know.
        reason = _DAMAGE_CODES.get(getattr(error, "extendedresult", 0), str(error))
        return IndexDamagedError(
            f"The index {path} is damaged: {reason}.",
            hint="Run `vaultmem rebuild`; no note is touched.",
            reason=reason,
        )
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return LockedError(
            f"Another process has been writing to the index {path} for too long.",
            hint="Try again; `vaultmem doctor` names the process.",
        )
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
        return IndexReadOnlyError(
            f"The index {path} cannot be opened or written ({error}).",
            hint='Check the folder\'s permissions, or set index.location = "cache".',
        )
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and _is_full(path)):
        return FailedError(
            f"The disk is full; the index {path} was left as it was.",
            hint="Free some room, try again.",
        )
    return FailedError(
        f"SQLite failed on the index {path}: {error}.", hint="Run `vaultmem doctor`."
    )


def _is_full(path: Path) -> bool:
    """Whether there is no room beside the file: SQLite does not always say so when it cannot make its own."""
    from shutil import disk_usage

    try:
        return disk_usage(path.parent).free < LEAST_ROOM
    except OSError:
        return False


def fetch(
    connection: apsw.Connection, statement: str, bindings: apsw.Bindings | None = None
) -> list[Any]:
    """All rows of a query, each a tuple of cells; their types are the table's, which no checker sees."""
    return connection.execute(statement, bindings).fetchall()


def fetch_one(
    connection: apsw.Connection, statement: str, bindings: apsw.Bindings | None = None
) -> Any:
    """The first row of a query that has one in every sound index. Raises IndexDamagedError when it has none."""
    for row in connection.execute(statement, bindings):
        return row
    raise IndexDamagedError(
        "Rows are missing from the index.", hint="Run `vaultmem rebuild`; no note is touched."
    )


def fetch_int(
    connection: apsw.Connection, statement: str, bindings: apsw.Bindings | None = None
) -> int:
    """The first cell of a query as a number; 0 when there is no row or it is NULL."""
    return int(cast("int | None", connection.execute(statement, bindings).get) or 0)
