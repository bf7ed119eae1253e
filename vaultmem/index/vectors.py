"""The vectors of blocks: stored in ``notes_vec_{dim}`` (sqlite-vec), one table per dimension, and mapped to blocks
by ``notes_vec_map``.

sqlite-vec's tables know no ``INSERT OR REPLACE``: a vector changes by delete and insert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import apsw

from vaultmem.errors import EmbedderError, TextRejectedError
from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.rows import Row, split_headings
from vaultmem.notes.plain import plain_text
from vaultmem_schemas import vector_table_ddl

if TYPE_CHECKING:
    from vaultmem.embed.cache import EmbeddingCache
    from vaultmem.embed.protocol import Embedder
    from vaultmem.index.reading import FileRead
    from vaultmem.index.source import Semantics

SHORTEST = 500
"""Characters; a text that the model rejects is not cut to less than this."""

BATCH = 2048
"""Blocks that are embedded and stored at a time."""

# Blocks without a vector of this model, in order, from the first id on; with what their text is made of.
BLOCKS_WITHOUT = """
SELECT b.id, n.title, b.heading_path, b.text, b.note_id, b.line
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id
WHERE b.id > ? AND NOT EXISTS (SELECT 1 FROM notes_vec_map AS m WHERE m.block_id = b.id AND m.model = ?)
ORDER BY b.id LIMIT ?
"""
COUNT_WITHOUT = """
SELECT count(*) FROM notes_blocks AS b
WHERE b.id > ? AND NOT EXISTS (SELECT 1 FROM notes_vec_map AS m WHERE m.block_id = b.id AND m.model = ?)
"""
# One more warning of a file.
ADD_WARNING = """
INSERT INTO file_warnings SELECT :id, coalesce(max(ordinal) + 1, 0), :code, :message, :line
FROM file_warnings WHERE file_id = :id
"""
DROP_WARNINGS = "DELETE FROM file_warnings WHERE code = ?"
COUNT_BLOCKS = "SELECT count(*) FROM notes_blocks"
COUNT_OF = "SELECT count(*) FROM notes_vec_map WHERE model = ? AND dim = ?"
PUT_MAP = "INSERT INTO notes_vec_map (id, block_id, dim, model, text_hash) VALUES (?, ?, ?, ?, ?)"
LAST_MAP = "SELECT coalesce(max(id), 0) FROM notes_vec_map"
MAPS_OF = "SELECT id, dim FROM notes_vec_map WHERE block_id = ?"
DROP_MAP = "DELETE FROM notes_vec_map WHERE id = ?"
DROP_VECTORS_OF = """
DELETE FROM notes_vec_{dim} WHERE rowid IN (SELECT id FROM notes_vec_map WHERE model = ? AND dim = ?)
"""
DROP_MAPS_OF = "DELETE FROM notes_vec_map WHERE model = ? AND dim = ?"
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

    A block that the model rejects gets the vector 0, which is like nothing, and its file a warning; it is not
    tried again until it changes. Call inside a transaction. Raises EmbedderError when the model takes no text.
    """
    _ensure_table(connection, embedder.dim)
    total = fetch_int(connection, COUNT_WITHOUT, (after, embedder.model))
    done = 0
    last = after
    rejected: dict[int, list[tuple[int, str]]] = {}
    while rows := fetch(connection, BLOCKS_WITHOUT, (last, embedder.model, BATCH)):
        last = rows[-1][0]
        texts = [embedded_text(row[1], split_headings(row[2], row[1]), row[3]) for row in rows]
        embedded = _embed(embedder, cache, texts)
        put_vectors(connection, embedder, [row[0] for row in rows], embedded.rows)
        for place, why in embedded.rejected.items():
            *_, note_id, line = rows[place]
            rejected.setdefault(note_id, []).append((line, why))
        done += len(rows)
        if progress:
            progress("embed", done, total)
    connection.executemany(
        ADD_WARNING,
        [
            {"id": note_id, "code": code, "message": message, "line": line}
            for note_id, places in rejected.items()
            for code, message, line in [_rejection(places)]
        ],
    )
    return done


_LINE = 4
"""The place of the line among the cells of a block's row."""

NOT_EMBEDDED = "not-embedded"
"""Code of the warning of a file with blocks that the embedding model rejects."""


def _rejection(places: Sequence[tuple[int, str]]) -> tuple[str, str, int]:
    """code, message and line of the warning for a file whose blocks at those lines were rejected, and why."""
    line, why = places[0]
    what = "a part of the text is" if len(places) == 1 else f"{len(places)} parts of the text are"
    return NOT_EMBEDDED, f"{what} not searched by meaning: {why}", line


def embed_or_owe(
    connection: apsw.Connection,
    semantics: Semantics,
    *,
    after: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> str:
    """Does what :func:`embed_missing` does, or nothing when the model takes no text; returns "", or why the vectors
    are owed. Call inside a transaction."""
    try:
        with connection:  # a savepoint: nothing of a half-done round stays
            embed_missing(
                connection, semantics.embedder, semantics.cache, after=after, progress=progress
            )
    except EmbedderError as error:
        return owing(error)
    return ""


def owing(error: EmbedderError) -> str:
    """What to tell when vectors are owed since the embedder failed."""
    return f"Some notes are not searched by meaning yet. {error}"


def count_without(connection: apsw.Connection, model: str, dim: int) -> int:
    """How many blocks have no vector of the model and dimension; 0 for the model ""."""
    if not model:
        return 0
    return fetch_int(connection, COUNT_BLOCKS) - fetch_int(connection, COUNT_OF, (model, dim))


class _Embedded(NamedTuple):
    """What came of texts, in their order."""

    rows: list[Row]
    """hash of the text, vector"""
    rejected: dict[int, str]
    """Why the model rejects a text, by its place; its vector is 0."""


def _embed(embedder: Embedder, cache: EmbeddingCache, texts: Sequence[str]) -> _Embedded:
    """The texts embedded together. Where the model rejects one, it is found by halving; a long text stands for
    itself by its first half, or half of that, if the model takes no more."""
    from vaultmem.embed.cache import embed_with_cache, text_hash

    try:
        found = embed_with_cache(embedder, cache, texts)
    except TextRejectedError as error:
        if len(texts) == 1 and len(texts[0]) >= 2 * SHORTEST:
            [(_, vector)], rejected = _embed(embedder, cache, [texts[0][: len(texts[0]) // 2]])
            return _Embedded([(text_hash(texts[0]), vector)], rejected)
        if len(texts) == 1:
            return _Embedded([(text_hash(texts[0]), bytes(4 * embedder.dim))], {0: error.message})
        half = len(texts) // 2
        first, second = (_embed(embedder, cache, part) for part in (texts[:half], texts[half:]))
        moved = {half + place: why for place, why in second.rejected.items()}
        return _Embedded(first.rows + second.rows, first.rejected | moved)
    return _Embedded(
        [(text_hash(text), row.tobytes()) for text, row in zip(texts, found, strict=True)], {}
    )


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
    embedded = _embed(embedder, cache, texts)
    done: list[FileRead] = []
    first = 0
    for read in reads:
        if read.rows is None:
            done.append(read)
            continue
        end = first + len(read.rows.blocks)
        warnings = list(read.rows.warnings)
        rejected = [place for place in embedded.rejected if first <= place < end]
        if rejected:
            lines = [cast(int, read.rows.blocks[place - first].row[_LINE]) for place in rejected]
            whys = [embedded.rejected[place] for place in rejected]
            warnings.append((len(warnings), *_rejection(list(zip(lines, whys, strict=True)))))
        rows = read.rows._replace(vectors=embedded.rows[first:end], warnings=warnings)
        done.append(read._replace(rows=rows))
        first = end
    return done


def keep_only(connection: apsw.Connection, embedder: Embedder) -> None:
    """Deletes the vectors of all models but this one, and what was said of the texts that those rejected. Call
    inside a transaction, before this model's own are made."""
    for old in vector_sets(connection):
        if (old.model, old.dim) != (embedder.model, embedder.dim):
            connection.execute(DROP_VECTORS_OF.format(dim=old.dim), (old.model, old.dim))
            connection.execute(DROP_MAPS_OF, (old.model, old.dim))
    for table in vector_tables(connection):
        if table != f"notes_vec_{embedder.dim}":
            connection.execute(f"DROP TABLE {table}")
    connection.execute(DROP_WARNINGS, (NOT_EMBEDDED,))


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
