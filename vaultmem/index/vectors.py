"""The vectors of blocks: stored in ``notes_vec_{dim}`` (sqlite-vec), one table per dimension, and mapped to blocks
by ``notes_vec_map``.

sqlite-vec's tables know no ``INSERT OR REPLACE``: a vector changes by delete and insert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.rows import Row, split_headings
from vaultmem.notes.plain import plain_text
from vaultmem_schemas import vector_table_ddl

if TYPE_CHECKING:
    from vaultmem.embed.cache import EmbeddingCache
    from vaultmem.embed.protocol import Embedder
    from vaultmem.index.reading import FileRead

BATCH = 2048
"""Blocks that are embedded and stored at a time."""

# Blocks without a vector of this model, in order, from the first id on; with what their text is made of.
BLOCKS_WITHOUT = """
SELECT b.id, n.title, b.heading_path, b.text
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id
WHERE b.id > ? AND NOT EXISTS (SELECT 1 FROM notes_vec_map AS m WHERE m.block_id = b.id AND m.model = ?)
ORDER BY b.id LIMIT ?
"""
COUNT_WITHOUT = """
SELECT count(*) FROM notes_blocks AS b
WHERE b.id > ? AND NOT EXISTS (SELECT 1 FROM notes_vec_map AS m WHERE m.block_id = b.id AND m.model = ?)
"""
COUNT_BLOCKS = "SELECT count(*) FROM notes_blocks"
COUNT_OF = "SELECT count(*) FROM notes_vec_map WHERE model = ?"
PUT_MAP = "INSERT INTO notes_vec_map (id, block_id, dim, model, text_hash) VALUES (?, ?, ?, ?, ?)"
LAST_MAP = "SELECT coalesce(max(id), 0) FROM notes_vec_map"
MAPS_OF = "SELECT id, dim FROM notes_vec_map WHERE block_id = ?"
DROP_MAP = "DELETE FROM notes_vec_map WHERE id = ?"
VECTOR_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'notes_vec_[0-9]*'"
)

# How many vectors of each model and dimension there are.
COUNT_BY_MODEL = (
    "SELECT model, dim, count(*) FROM notes_vec_map GROUP BY model, dim ORDER BY model, dim"
)


class VectorSet(NamedTuple):
    """What the index holds for one embedding model."""

    model: str
    dim: int
    blocks: int


def vector_sets(connection: apsw.Connection) -> list[VectorSet]:
    """The models that have vectors in the index, with their dimension and number of blocks."""
    return [VectorSet(*row) for row in connection.execute(COUNT_BY_MODEL)]


def embedded_text(title: str, heading_path: Sequence[str], text: str) -> str:
    """What stands for a block when it is embedded: the note's title, the headings above it, its words."""
    heads = " > ".join(dict.fromkeys((title, *heading_path)))
    return f"{heads}\n{plain_text(text)}"


def embed_missing(
    connection: apsw.Connection,
    embedder: Embedder,
    cache: EmbeddingCache,
    *,
    after: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> int:
    """Gives each block past the id ``after`` that has no vector of this model one; returns how many.

    Call inside a transaction.
    """
    _ensure_table(connection, embedder.dim)
    total = fetch_int(connection, COUNT_WITHOUT, (after, embedder.model))
    done = 0
    last = after
    while rows := fetch(connection, BLOCKS_WITHOUT, (last, embedder.model, BATCH)):
        last = rows[-1][0]
        texts = [
            embedded_text(title, split_headings(path, title), text) for _, title, path, text in rows
        ]
        _store(connection, embedder, cache, [row[0] for row in rows], texts)
        done += len(rows)
        if progress:
            progress("embed", done, total)
    return done


def count_without(connection: apsw.Connection, model: str) -> int:
    """How many blocks have no vector of the model; 0 for the model ""."""
    if not model:
        return 0
    return fetch_int(connection, COUNT_BLOCKS) - fetch_int(connection, COUNT_OF, (model,))


def _store(
    connection: apsw.Connection,
    embedder: Embedder,
    cache: EmbeddingCache,
    blocks: Sequence[int],
    texts: Sequence[str],
) -> None:
    put_vectors(connection, embedder, blocks, _vector_rows(embedder, cache, texts))


def _vector_rows(
    embedder: Embedder, cache: EmbeddingCache, texts: Sequence[str]
) -> list[tuple[bytes, bytes]]:
    from vaultmem.embed.cache import embed_with_cache, text_hash

    rows = embed_with_cache(embedder, cache, texts)
    return [(text_hash(text), row.tobytes()) for text, row in zip(texts, rows, strict=True)]


def put_vectors(
    connection: apsw.Connection,
    embedder: Embedder,
    blocks: Sequence[int],
    rows: Sequence[Row],
) -> None:
    """Inserts the (text hash, vector) rows of blocks that have no vector of this model yet, in the same order."""
    _ensure_table(connection, embedder.dim)
    first = fetch_int(connection, LAST_MAP) + 1
    numbered = list(enumerate(zip(blocks, rows, strict=True), first))
    connection.executemany(
        PUT_MAP,
        [(i, block, embedder.dim, embedder.model, row[0]) for i, (block, row) in numbered],
    )
    connection.executemany(
        f"INSERT INTO notes_vec_{embedder.dim} (rowid, embedding) VALUES (?, ?)",
        [(i, row[1]) for i, (_, row) in numbered],
    )


def with_vectors(
    reads: Sequence[FileRead], embedder: Embedder, cache: EmbeddingCache
) -> list[FileRead]:
    """What was read, with the vectors of its blocks: for a worker process, which has the texts at hand."""
    texts: list[str] = []
    for read in reads:
        if read.rows is not None and read.rows.note is not None:
            title = str(read.rows.note[0])
            for block in read.rows.blocks:
                _, _, path, _, _, text = block.row
                texts.append(embedded_text(title, split_headings(str(path), title), str(text)))
    rows = iter(_vector_rows(embedder, cache, texts))
    return [
        read
        if read.rows is None
        else read._replace(rows=read.rows._replace(vectors=[next(rows) for _ in read.rows.blocks]))
        for read in reads
    ]


def drop_vectors(connection: apsw.Connection, blocks: Iterable[int]) -> None:
    """Deletes the vectors of the blocks, of every model."""
    for block in blocks:
        for map_id, dim in fetch(connection, MAPS_OF, (block,)):
            connection.execute(f"DELETE FROM notes_vec_{int(dim)} WHERE rowid = ?", (map_id,))
            connection.execute(DROP_MAP, (map_id,))


def _ensure_table(connection: apsw.Connection, dim: int) -> None:
    if f"notes_vec_{dim}" not in vector_tables(connection):
        connection.execute(vector_table_ddl(dim))


def vector_tables(connection: apsw.Connection) -> list[str]:
    """The names of the vector tables, one per dimension that was ever used."""
    names = [str(name) for (name,) in connection.execute(VECTOR_TABLES)]
    return sorted(name for name in names if name.removeprefix("notes_vec_").isdigit())
