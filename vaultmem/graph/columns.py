"""What the graph is made of, read from the index in columns, brought up by what changed, and kept as bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import apsw

from vaultmem.index.connection import fetch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Columns", "from_bytes", "read_columns", "read_some", "replaced", "to_bytes"]

NOTES: Final = """
SELECT n.id, f.path, n.title, n.category, n.severity, f.excluded
FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id {where}
"""
TAGS: Final = "SELECT DISTINCT note_id, tag_key FROM notes_tags {where} ORDER BY note_id, ordinal"
LINKS: Final = """
SELECT source_id, target_id, relation, confidence FROM notes_links WHERE target_id IS NOT NULL {where}
"""
SOME: Final = "{column} IN (SELECT value FROM json_each(?))"

MAGIC: Final = b"vmgraph1"
NO_RELATION: Final = "mentions"


@dataclass(frozen=True, slots=True)
class Columns:
    """Notes and the links between files, by the ids of the index; in no order that means anything."""

    ids: NDArray[np.int64]
    paths: list[str]
    titles: list[str]
    categories: list[str]
    severities: list[str]
    tags: list[list[str]]
    """The keys of each note's tags, each once."""
    excluded: NDArray[np.uint8]
    relations: list[str]
    """The relations that links have; those of ``relation`` are places in it."""
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    relation: NDArray[np.uint16]
    confidence: NDArray[np.float32]


def read_columns(connection: apsw.Connection) -> Columns:
    """All notes and all links that lead to a file."""
    return _read(connection, None)


def read_some(connection: apsw.Connection, files: Sequence[int]) -> Columns:
    """Those of the files that are notes now, and the links that they hold."""
    return _read(connection, json.dumps(list(files)))


def _read(connection: apsw.Connection, files: str | None) -> Columns:
    import numpy as np

    def rows(statement: str, column: str, word: str) -> list[tuple[object, ...]]:
        where = f"{word} {SOME.format(column=column)}" if files is not None else ""
        bindings = (files,) if files is not None else None
        return fetch(connection, statement.format(where=where), bindings)

    notes = rows(NOTES, "n.id", "WHERE")
    tags: dict[object, list[str]] = {}
    for note, tag in rows(TAGS, "note_id", "WHERE"):
        tags.setdefault(note, []).append(str(tag))
    links = rows(LINKS, "source_id", "AND")
    codes: dict[object, int] = {None: 0}
    relation = [codes.setdefault(row[2], len(codes)) for row in links]
    ids, paths, titles, categories, severities, excluded = _turned(notes, 6)
    source, target, _, confidence = _turned(links, 4)
    return Columns(
        ids=np.array(ids, np.int64),
        paths=[str(each) for each in paths],
        titles=[str(each) for each in titles],
        categories=[str(each) for each in categories],
        severities=[str(each) for each in severities],
        tags=[tags.get(note, []) for note in ids],
        excluded=np.array(excluded, np.uint8),
        relations=[NO_RELATION if name is None else str(name) for name in codes],
        source=np.array(source, np.int64),
        target=np.array(target, np.int64),
        relation=np.array(relation, np.uint16),
        confidence=np.array(confidence, np.float32),
    )


def _turned(rows: list[tuple[object, ...]], width: int) -> list[tuple[object, ...]]:
    """The columns of the rows, also when there is none."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


def replaced(old: Columns, files: Sequence[int], new: Columns) -> Columns:
    """``old`` with all that it says of the files taken out, and ``new`` put in its place."""
    import numpy as np

    gone = np.array(sorted(files), np.int64)
    kept = np.flatnonzero(~np.isin(old.ids, gone)).tolist()
    kept_links = ~np.isin(old.source, gone)
    codes = {name: code for code, name in enumerate(old.relations)}
    recoded = np.array(
        [codes.setdefault(name, len(codes)) for name in new.relations] or [0], np.uint16
    )

    def both(before: list[str], after: list[str]) -> list[str]:
        return [before[place] for place in kept] + after

    return Columns(
        ids=np.concatenate([old.ids[kept], new.ids]),
        paths=both(old.paths, new.paths),
        titles=both(old.titles, new.titles),
        categories=both(old.categories, new.categories),
        severities=both(old.severities, new.severities),
        tags=[old.tags[place] for place in kept] + new.tags,
        excluded=np.concatenate([old.excluded[kept], new.excluded]),
        relations=list(codes),
        source=np.concatenate([old.source[kept_links], new.source]),
        target=np.concatenate([old.target[kept_links], new.target]),
        relation=np.concatenate([old.relation[kept_links], recoded[new.relation]]),
        confidence=np.concatenate([old.confidence[kept_links], new.confidence]),
    )


_TEXTS: Final = ("paths", "titles", "categories", "severities", "tags", "relations")
_ARRAYS: Final = ("ids", "excluded", "source", "target", "relation", "confidence")
_TYPES: Final = ("<i8", "|u1", "<i8", "<i8", "<u2", "<f4")
_SHRUNK: Final = ("<i4", "|u1", "<i4", "<i4", "<u2", "<f4")
"""Ids of files fit into four bytes until there are two thousand million."""


def to_bytes(columns: Columns) -> bytes:
    """The columns for keeping: their texts as JSON, then each array."""
    text = json.dumps(
        [getattr(columns, name) for name in _TEXTS], ensure_ascii=False, separators=(",", ":")
    ).encode("utf-8", "surrogatepass")
    arrays = [
        getattr(columns, name).astype(kind).tobytes()
        for name, kind in zip(_ARRAYS, _SHRUNK, strict=True)
    ]
    sizes = struct.pack(f"<{1 + len(arrays)}Q", len(text), *map(len, arrays))
    return b"".join([MAGIC, sizes, text, *arrays])


def from_bytes(kept: bytes) -> Columns | None:
    """What :func:`to_bytes` made bytes of; None when it is something else."""
    import numpy as np

    head = len(MAGIC) + 8 * (1 + len(_ARRAYS))
    if kept[: len(MAGIC)] != MAGIC or len(kept) < head:
        return None
    sizes = struct.unpack_from(f"<{1 + len(_ARRAYS)}Q", kept, len(MAGIC))
    if head + sum(sizes) != len(kept):
        return None
    texts = json.loads(kept[head : head + sizes[0]].decode("utf-8", "surrogatepass"))
    at = head + sizes[0]
    arrays = []
    for size, kind, shrunk in zip(sizes[1:], _TYPES, _SHRUNK, strict=True):
        arrays.append(np.frombuffer(kept[at : at + size], shrunk).astype(kind))
        at += size
    known: dict[str, Any] = dict(zip((*_TEXTS, *_ARRAYS), (*texts, *arrays), strict=True))
    return Columns(**known)
