"""The one module that inserts and deletes rows of files, notes, blocks, links and both full-text indexes.

Both full-text indexes change in the same call as ``notes_blocks``, and :func:`check_in_step` proves after each
write path that the three hold the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem.index.connection import fetch_int
from vaultmem.index.rows import Cell, FileRows, Row
from vaultmem.notes.model import LinkKind, Resolution, ResolvedBy
from vaultmem.notes.resolve import Lookup, resolve, resolve_exact

# Adds or replaces what is known of one file.
PUT_FILE = """
INSERT INTO vault_files (id, path, name_hash, kind, state, excluded, size, mtime_ns, ctime_ns, inode, read_ns,
                         content_hash, conflict_of)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
  path = excluded.path, name_hash = excluded.name_hash, kind = excluded.kind, state = excluded.state,
  excluded = excluded.excluded, size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
  inode = excluded.inode, read_ns = excluded.read_ns, content_hash = excluded.content_hash,
  conflict_of = excluded.conflict_of
"""
PUT_NOTE = "INSERT INTO notes_index VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
PUT_BLOCK = "INSERT INTO notes_blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
PUT_WORDS = "INSERT INTO notes_fts (rowid, title, aliases, headings, tags, body, cjk) VALUES (?, ?, ?, ?, ?, ?, ?)"
PUT_SUBSTRINGS = "INSERT INTO notes_fts_trigram (rowid, text) VALUES (?, ?)"
PUT_BLOCK_ID = "INSERT INTO notes_block_ids VALUES (?, ?, ?, ?)"
PUT_TAG = "INSERT INTO notes_tags VALUES (?, ?, ?, ?, ?, ?)"
PUT_TASK = "INSERT INTO notes_tasks VALUES (?, ?, ?, ?, ?)"
PUT_FIELD = "INSERT INTO notes_fields VALUES (?, ?, ?, ?, ?)"
PUT_FACT = "INSERT INTO notes_facts VALUES (?, ?, ?, ?, ?)"
PUT_WARNING = "INSERT INTO file_warnings VALUES (?, ?, ?, ?, ?)"
PUT_LINK = "INSERT INTO notes_links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

BLOCKS_OF = "SELECT id FROM notes_blocks WHERE note_id = ?"
LAST_BLOCK = "SELECT coalesce(max(id), 0) FROM notes_blocks"
DROP_WORDS = "DELETE FROM notes_fts WHERE rowid = ?"
DROP_SUBSTRINGS = "DELETE FROM notes_fts_trigram WHERE rowid = ?"
DROP_CONTENT = (
    "DELETE FROM notes_index WHERE id = ?",
    "DELETE FROM notes_blocks WHERE note_id = ?",
    "DELETE FROM notes_block_ids WHERE note_id = ?",
    "DELETE FROM notes_tags WHERE note_id = ?",
    "DELETE FROM notes_tasks WHERE note_id = ?",
    "DELETE FROM notes_fields WHERE note_id = ?",
    "DELETE FROM notes_facts WHERE note_id = ?",
    "DELETE FROM notes_links WHERE source_id = ?",
    "DELETE FROM file_warnings WHERE file_id = ?",
)
DROP_FILE = "DELETE FROM vault_files WHERE id = ?"

# Links whose end may have changed: their target's name is one of those that came or went.
LINKS_BY_NAME = """
SELECT l.source_id, l.ordinal, l.kind, l.target, f.path, l.target_id, l.resolved_by, l.status, l.confidence,
       l.gone_path
FROM notes_links AS l JOIN vault_files AS f ON f.id = l.source_id WHERE l.name_hash = ?
"""
SET_LINK_END = """
UPDATE notes_links SET target_id = ?, resolved_by = ?, status = ?, confidence = ?, gone_path = ?
WHERE source_id = ? AND ordinal = ?
"""

# The rows of the three block tables, by the full-text indexes' own document tables.
COUNT_BLOCKS = "SELECT count(*), coalesce(max(id), 0) FROM notes_blocks"
COUNT_WORDS = "SELECT count(*), coalesce(max(id), 0) FROM notes_fts_docsize"
COUNT_SUBSTRINGS = "SELECT count(*), coalesce(max(id), 0) FROM notes_fts_trigram_docsize"

# The pages of the full-text indexes by the term that each begins with.
SEGMENTS = ("notes_fts_idx", "notes_fts_trigram_idx")
FLUSHING = (
    "SELECT term FROM notes_fts_terms LIMIT 1",
    "SELECT term FROM notes_fts_trigram_terms LIMIT 1",
)
GET_SEGMENTS = "SELECT value FROM index_meta WHERE key = ?"
PUT_SEGMENTS = """
INSERT INTO index_meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


class FileNames(Protocol):
    """What resolving needs to know of the vault's files."""

    def lookup(self, key: str) -> Sequence[str]:
        """The paths of the files whose name has that key."""

    def gone(self, key: str) -> Sequence[str]:
        """The same of files that are gone: those with a tombstone."""

    def id_of(self, path: str) -> int:
        """The id of the file at that path."""


class LinkEnd(NamedTuple):
    """Where a link leads, as the last cells of its row."""

    target_id: int | None
    resolved_by: str | None
    status: str
    confidence: float
    gone_path: str | None = None
    """Where it would lead, were that file not gone."""


class FileContent(NamedTuple):
    """A file of known id and path with the rows its content yields."""

    file_id: int
    path: str
    rows: FileRows


def link_end(find: Callable[[Lookup], Resolution], names: FileNames) -> LinkEnd:
    """Where a link leads that ``find`` resolves among files, as cells: an ambiguous link leads to the best candidate
    with a share of the confidence, and one to nothing may have led to a file that is gone."""
    resolution = find(names.lookup)
    if resolution.path is None:
        gone = find(names.gone)
        if gone.path is None:
            return LinkEnd(None, None, "unresolved", 0.0)
        return LinkEnd(None, str(gone.by), "deleted", 0.0, gone.path)
    target = names.id_of(resolution.path)
    by = str(resolution.by)
    if resolution.ambiguous:
        return LinkEnd(target, by, "ambiguous", 1.0 / len(resolution.candidates))
    return LinkEnd(target, by, "resolved", 1.0)


def put_contents(
    connection: apsw.Connection, contents: Sequence[FileContent], names: FileNames
) -> list[tuple[int, int]]:
    """Inserts the rows of files that have none yet; both full-text indexes with them.

    Returns (block id, file id) of the new blocks, in order. Call inside a transaction.
    """
    first = fetch_int(connection, LAST_BLOCK) + 1
    notes: list[Row] = []
    blocks: list[Row] = []
    words: list[Row] = []
    substrings: list[Row] = []
    owners: list[tuple[int, int]] = []
    for content in contents:
        if content.rows.note is not None:
            notes.append((content.file_id, *content.rows.note))
        for block in content.rows.blocks:
            block_id = first + len(owners)
            owners.append((block_id, content.file_id))
            blocks.append((block_id, content.file_id, *block.row))
            words.append((block_id, *block.words))
            substrings.append((block_id, block.substrings))
    _insert(connection, PUT_NOTE, notes)
    _insert(connection, PUT_BLOCK, blocks)
    _insert(connection, PUT_WORDS, words)
    _insert(connection, PUT_SUBSTRINGS, substrings)
    for statement, field in _BY_FILE:
        _insert(
            connection,
            statement,
            [(c.file_id, *row) for c in contents for row in getattr(c.rows, field)],
        )
    _insert(connection, PUT_LINK, _link_rows(contents, names))
    return owners


_BY_FILE = (
    (PUT_BLOCK_ID, "block_ids"),
    (PUT_TAG, "tags"),
    (PUT_TASK, "tasks"),
    (PUT_FIELD, "fields"),
    (PUT_FACT, "facts"),
    (PUT_WARNING, "warnings"),
)
_KIND, _TARGET = 1, 3


def _link_rows(contents: Sequence[FileContent], names: FileNames) -> list[Row]:
    rows: list[Row] = []
    anywhere: dict[str, LinkEnd] = {}
    """Ends that are the same from every note: the only file of that name, or none."""
    for content in contents:
        for row in content.rows.links:
            kind, target = row[_KIND], str(row[_TARGET])
            end = anywhere.get(target) if kind != LinkKind.CANVAS else None
            if end is None:
                end = _find_end(str(kind), target, content.path, names)
                if end.resolved_by == ResolvedBy.NAME:
                    anywhere[target] = end
            rows.append((content.file_id, *row, *end))
    return rows


def _find_end(kind: str, target: str, source: str, names: FileNames) -> LinkEnd:
    if kind == LinkKind.CANVAS:  # a card names its file by path; the link rules do not apply
        return link_end(partial(resolve_exact, target), names)
    return link_end(partial(resolve, target, source), names)


def _insert(connection: apsw.Connection, statement: str, rows: Sequence[Sequence[Cell]]) -> None:
    if rows:
        connection.executemany(statement, rows)


def drop_contents(connection: apsw.Connection, file_ids: Sequence[int]) -> list[int]:
    """Deletes the rows that the files' contents yielded, full-text rows included; returns the block ids."""
    dropped: list[int] = []
    for file_id in file_ids:
        dropped += [int(row[0]) for row in connection.execute(BLOCKS_OF, (file_id,))]
    connection.executemany(DROP_WORDS, [(block,) for block in dropped])
    connection.executemany(DROP_SUBSTRINGS, [(block,) for block in dropped])
    for statement in DROP_CONTENT:
        connection.executemany(statement, [(file_id,) for file_id in file_ids])
    return dropped


def resolve_again(connection: apsw.Connection, name_hashes: Iterable[int], names: FileNames) -> int:
    """Resolves anew each link whose target's name is among those; returns how many lead elsewhere now."""
    changes: list[Row] = []
    for name_hash in name_hashes:
        for source, ordinal, kind, target, path, *before in connection.execute(
            LINKS_BY_NAME, (name_hash,)
        ):
            end = _find_end(kind, target, path, names)
            if tuple(before) != end:
                changes.append((*end, source, ordinal))
    connection.executemany(SET_LINK_END, changes)
    return len(changes)


def keep_segments(connection: apsw.Connection) -> None:
    """Notes how many pages each full-text index is found by, for :func:`check_segments`. Call at the end of each
    transaction that changes one."""
    for terms in FLUSHING:  # FTS5 writes what is pending when its terms are asked for
        connection.execute(terms).fetchall()
    connection.executemany(PUT_SEGMENTS, list(_segments(connection).items()))


def check_segments(connection: apsw.Connection) -> None:
    """Raises IndexDamagedError when the pages that a full-text index is found by are not as many as after the last
    change: words on those that are missing would be found nowhere. Cheap enough for every opening."""
    for key, count in _segments(connection).items():
        if fetch_int(connection, GET_SEGMENTS, (key,)) != count:
            raise IndexDamagedError(
                f"Parts of the full-text index are missing ({key}: {count}).",
                hint="Run `vaultmem rebuild`; no note is touched.",
            )


def _segments(connection: apsw.Connection) -> dict[str, int]:
    return {table: fetch_int(connection, f"SELECT count(*) FROM {table}") for table in SEGMENTS}


def check_in_step(connection: apsw.Connection) -> None:
    """Raises IndexDamagedError unless blocks and both full-text indexes hold the same number of rows up to the
    same last one. Cheap enough for every write and every opening."""
    counts = {
        tuple(connection.execute(query).get)
        for query in (COUNT_BLOCKS, COUNT_WORDS, COUNT_SUBSTRINGS)
    }
    if len(counts) != 1:
        raise IndexDamagedError(
            f"The full-text index is out of step with the blocks it is made of: {sorted(counts)}.",
            hint="Run `vaultmem rebuild`; no note is touched.",
        )
