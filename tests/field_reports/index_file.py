"""What the index file holds, asked without any of the product's own answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem.files.read import UnreadableFile, read_note_bytes
from vaultmem.files.scan import scan_vault
from vaultmem.index.connection import open_index
from vaultmem.index.plan import CONTENT_KINDS
from vaultmem.notes.paths import path_key

NOTES: Final = "SELECT f.path FROM notes_index JOIN vault_files AS f USING (id) ORDER BY f.path"
HASHES: Final = "SELECT path, hex(content_hash) FROM vault_files WHERE content_hash IS NOT NULL"
VECTORS: Final = "SELECT model, dim, count(*) FROM notes_vec_map GROUP BY model, dim"
BLOCKS: Final = "SELECT count(*) FROM notes_blocks"


def rows(index: Path, query: str, bindings: Sequence[str] = ()) -> list[tuple[Any, ...]]:
    """The rows of a query on the index as it lies there."""
    with closing(open_index(index, writable=False)) as connection:
        return connection.execute(query, tuple(bindings)).fetchall()


def note_paths(index: Path) -> list[str]:
    """The path of every note in the index, in order; an entry that stands twice is there twice."""
    return [path for (path,) in rows(index, NOTES)]


def entries_like(index: Path, path: str) -> list[str]:
    """The notes in the index whose path is that one without regard to case and Unicode form, in NFC."""
    return [normalize("NFC", p) for p in note_paths(index) if path_key(p) == path_key(path)]


def says_what_the_disk_says(root: Path, index: Path, but_for: Collection[str] = ()) -> bool:
    """Whether the index holds exactly the notes and canvases of the disk, with their present contents; those
    ``but_for`` may be as they are."""
    try:
        known = dict(rows(index, HASHES))
    except (apsw.Error, IndexDamagedError):
        return False
    files = [file.path for file in scan_vault(root).files if file.kind in CONTENT_KINDS]
    if known.keys() - set(files):
        return False
    for path in files:
        if path in but_for:
            continue
        try:
            digest = read_note_bytes(root, path).hash
        except UnreadableFile:
            continue
        if known.get(path, "").lower() != digest:
            return False
    return True
