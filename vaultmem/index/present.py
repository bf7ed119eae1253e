"""The versions that notes hold now, kept so that the next hand edit of each has something before it.

Where hand edits are captured, every version that the index knows is in the object store. The index remembers for which
of its generations and in which object store that was last seen to; until then the versions of all files are looked at,
afterwards those of the files that a sync has touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import apsw

from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import UnreadableFile, read_note_bytes
from vaultmem.index.connection import fetch

ALL: Final = "SELECT path, content_hash FROM vault_files WHERE content_hash IS NOT NULL"
ONE: Final = f"{ALL} AND path = ?"
HASHES: Final = "SELECT content_hash FROM vault_files WHERE content_hash IS NOT NULL"
KEPT: Final = "SELECT value FROM index_meta WHERE key = 'versions_kept'"
SET_KEPT: Final = """
INSERT INTO index_meta VALUES ('versions_kept', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
FORGET_KEPT: Final = "DELETE FROM index_meta WHERE key = 'versions_kept'"

_AT_ONCE: Final = 200
"""Versions that are synced to the disk together."""


def claims_kept(connection: apsw.Connection) -> bool:
    """Whether it was ever seen to, in whatever store."""
    return connection.execute(KEPT).get is not None


def are_kept(connection: apsw.Connection, root: Path, generation: int) -> bool:
    """Whether every version of that generation of the index was kept, in the store that is there now."""
    value = connection.execute(KEPT).get
    token = ObjectStore(root).token()
    return token != "" and str(value) == f"{generation} {token}"


def set_kept(connection: apsw.Connection, root: Path, generation: int) -> None:
    """Remembers that they are. Raises WriteFailed."""
    connection.execute(SET_KEPT, (f"{generation} {ObjectStore(root).make_token()}",))


def keep_all(connection: apsw.Connection, root: Path) -> None:
    """Keeps the version of every file that the index knows. Raises WriteFailed."""
    stored = frozenset(map(bytes.fromhex, ObjectStore(root).walk()))
    rows = fetch(connection, ALL)
    _put(root, ((path, digest) for path, digest in rows if digest not in stored))


def keep_of(connection: apsw.Connection, root: Path, paths: Iterable[str]) -> None:
    """Keeps the versions of those files. Raises WriteFailed."""
    store = ObjectStore(root)
    rows = (row for path in paths for row in fetch(connection, ONE, (path,)))
    _put(root, ((path, digest) for path, digest in rows if not store.has(digest.hex())))


def present_versions(connection: apsw.Connection) -> frozenset[bytes]:
    """The hash of each version that a file holds, as far as the index knows."""
    return frozenset(digest for (digest,) in fetch(connection, HASHES))


def _put(root: Path, files: Iterable[tuple[str, bytes]]) -> None:
    store = ObjectStore(root)
    versions = _versions(root, files)
    while some := list(islice(versions, _AT_ONCE)):
        store.put_all(some)


def _versions(root: Path, files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The bytes of files that still have that hash; others are seen to by the sync that finds them changed."""
    for path, digest in files:
        try:
            read = read_note_bytes(root, path)
        except UnreadableFile:
            continue
        if read.hash == digest.hex():
            yield read.data
