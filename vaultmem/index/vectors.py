"""The vectors of blocks: stored in ``notes_vec_{dim}`` (sqlite-vec), one table per dimension, and mapped to blocks
by ``notes_vec_map``.

sqlite-vec's tables know no ``INSERT OR REPLACE``: a vector changes by delete and insert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

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
"""Blocks that are embedded and stored at a time, at most."""

FIRST_BATCH = 64
LEAST_BATCH = 16
QUICK_S = 0.5
SLOW_S = 2.0
"""A batch that took less or more seconds than these is followed by one of twice or half the size: what was embedded
is kept batch by batch, so a kill costs no more than that."""

LIVE_SHARE = 0.7
"""When fewer of a table's slots than this are in use, it is written anew."""

FEW_SLOTS = 4096
"""Smaller tables are left as they are."""

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


_T = TypeVar("_T")

DROP_EMPTY_MAPS = """
DELETE FROM notes_vec_map WHERE model = :model
AND id IN (SELECT rowid FROM notes_vec_{dim} WHERE embedding = zeroblob(4 * {dim}))
"""
DROP_STRAYS = "DELETE FROM notes_vec_{dim} WHERE rowid NOT IN (SELECT id FROM notes_vec_map)"
COUNT_OF_DIM = "SELECT count(*) FROM notes_vec_map WHERE dim = ?"
HASHES_OF = "SELECT text_hash FROM notes_vec_map WHERE model = ?"


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
    pace = _Pace()
    if progress and total:
        progress("embed", 0, total)
    while rows := fetch(connection, BLOCKS_WITHOUT, (last, embedder.model, pace.size)):
        last = rows[-1][0]
        embedded = pace.timed(lambda rows=rows: _embed(embedder, cache, _texts(rows)))  # type: ignore[misc]
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


class _Pace:
    """How many blocks to embed at a time: as many as a second or so is enough for."""

    def __init__(self) -> None:
        self.size = FIRST_BATCH

    def timed(self, work: Callable[[], _T]) -> _T:
        """What ``work`` gives; the next size by the time that it took."""
        began = monotonic()
        given = work()
        seconds = monotonic() - began
        if seconds < QUICK_S:
            self.size = min(2 * self.size, BATCH)
        elif seconds > SLOW_S:
            self.size = max(self.size // 2, LEAST_BATCH)
        return given


def _texts(rows: Sequence[Row]) -> list[str]:
    """What is embedded of the rows of BLOCKS_WITHOUT."""
    return [
        embedded_text(str(title), split_headings(str(path), str(title)), str(text))
        for _, title, path, text, *_ in rows
    ]


def embed_ahead(
    read: Callable[[Callable[[apsw.Connection], _T]], _T],
    semantics: Semantics,
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Embeds every block that has no vector of this model, into the cache alone, so that the set can be put into the
    index in a moment. Nothing is locked meanwhile, and what a killed process embedded is not embedded again.

    ``read`` asks a question of the index. Raises EmbedderError when the model takes no text.
    """
    embedder, cache = semantics.embedder, semantics.cache
    if not cache.is_writable:
        return  # it would be for nothing
    total = cast(int, read(lambda c: cast(_T, fetch_int(c, COUNT_WITHOUT, (0, embedder.model)))))
    pace, last, done = _Pace(), 0, 0
    while rows := _blocks_without(read, (last, embedder.model, pace.size)):
        last = cast(int, rows[-1][0])
        texts = _texts(rows)
        pace.timed(lambda texts=texts: _embed(embedder, cache, texts))  # type: ignore[misc]
        done += len(rows)
        if progress:
            progress("embed", done, max(done, total))


def _blocks_without(
    read: Callable[[Callable[[apsw.Connection], _T]], _T], wanted: tuple[int, str, int]
) -> list[Row]:
    return cast(list[Row], read(lambda c: cast(_T, fetch(c, BLOCKS_WITHOUT, wanted))))


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


def begin_set(connection: apsw.Connection, embedder: Embedder) -> None:
    """Makes ready for the model's own set to become the one that is kept up. Sets of other models stay beside it;
    one of the same model with another dimension goes, and so do the empty vectors of this one and what was said
    of texts that a model rejected: they are tried again. Call inside a transaction."""
    for old in vector_sets(connection):
        if old.model == embedder.model and old.dim != embedder.dim:
            drop_set(connection, old)
    if embedder.dim in _dims(connection):
        connection.execute(DROP_EMPTY_MAPS.format(dim=embedder.dim), {"model": embedder.model})
        connection.execute(DROP_STRAYS.format(dim=embedder.dim))
    connection.execute(DROP_WARNINGS, (NOT_EMBEDDED,))


def drop_set(connection: apsw.Connection, gone: VectorSet) -> None:
    """Deletes the vectors of one model, and their table with the last of them. Call inside a transaction."""
    alone = not any(
        other.dim == gone.dim for other in vector_sets(connection) if other.model != gone.model
    )
    if alone:
        connection.execute(f"DROP TABLE IF EXISTS notes_vec_{int(gone.dim)}")
    else:
        connection.execute(DROP_VECTORS_OF.format(dim=int(gone.dim)), (gone.model, gone.dim))
    connection.execute(DROP_MAPS_OF, (gone.model, gone.dim))


def compact(
    connection: apsw.Connection, *, least: int = FEW_SLOTS, always: bool = False
) -> list[str]:
    """Writes each table anew of whose slots (``least`` or more) too few are in use, or ``always``; returns their
    names. sqlite-vec fills no slot again that a deleted vector left in the middle. Call inside a transaction."""
    rewritten = []
    for dim in _dims(connection):
        slots = fetch_int(connection, f"SELECT coalesce(sum(size), 0) FROM notes_vec_{dim}_chunks")
        if slots < least:
            continue
        if always or fetch_int(connection, COUNT_OF_DIM, (dim,)) < LIVE_SHARE * slots:
            _write_anew(connection, dim)
            rewritten.append(f"notes_vec_{dim}")
    return rewritten


def _write_anew(connection: apsw.Connection, dim: int) -> None:
    table = f"notes_vec_{dim}"
    connection.execute("DROP TABLE IF EXISTS temp.vectors_kept")
    connection.execute(
        f"CREATE TEMP TABLE vectors_kept AS SELECT v.rowid AS id, v.embedding AS embedding FROM {table} AS v"
    )
    connection.execute(f"DROP TABLE {table}")
    connection.execute(vector_table_ddl(dim))
    connection.execute(
        f"INSERT INTO {table} (rowid, embedding) SELECT id, embedding FROM temp.vectors_kept ORDER BY id"
    )
    connection.execute("DROP TABLE temp.vectors_kept")


def _dims(connection: apsw.Connection) -> list[int]:
    return [int(name.removeprefix("notes_vec_")) for name in vector_tables(connection)]


def text_hashes(connection: apsw.Connection, model: str) -> set[bytes]:
    """The hashes of the texts that have a vector of the model."""
    return {value for (value,) in connection.execute(HASHES_OF, (model,))}


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
