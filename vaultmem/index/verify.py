"""Proof that the live index says what the files say: a second index is built aside from the files alone, and
both are compared table by table and question by question.

Ids differ between the two (a live index has a history), so rows are compared by what they mean: paths in place of
ids, blocks by note and ordinal. The full-text indexes hold no text that could be read back; they are compared by
their vocabulary (each term with the number of rows and of places it stands in) and by the sizes that they keep for
each block, and by the answers to the questions.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem.index.connection import (
    fetch,
    open_index,
    read_transaction,
    rolled_back,
    sqlite_errors,
)
from vaultmem.index.rebuild import build, hidden_paths
from vaultmem.index.soundness import page_faults
from vaultmem.index.source import Progress, Semantics, Source, no_progress
from vaultmem.index.vectors import vector_tables
from vaultmem.index.writer import DROP_SUBSTRINGS, DROP_WORDS

FIRST_DIFFERENCES = 3
BANK_WORDS = 60
SEED = 20_261_129
"""Of the choice of questions: the same index is asked the same."""

VECTOR_MAP = "notes_vec_map"
# What each table says, with paths for ids, ordered by the first columns (its key).
TABLES: dict[str, str] = {
    "vault_files": """
        SELECT path, name_hash, kind, state, excluded, size, mtime_ns, inode, hex(content_hash), conflict_of
        FROM vault_files ORDER BY path""",
    "file_warnings": """
        SELECT f.path, w.ordinal, w.code, w.message, w.line
        FROM file_warnings AS w JOIN vault_files AS f ON f.id = w.file_id ORDER BY 1, 2""",
    "notes_index": """
        SELECT f.path, n.title, n.category, n.note_type, n.text_state, n.frontmatter_state, n.properties,
               n.aliases, n.permanent, n.stale, n.severity, n.words, n.body_start, n.day
        FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id ORDER BY 1""",
    "notes_blocks": """
        SELECT f.path, b.ordinal, b.level, b.heading_path, b.start, b.line, b.text
        FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id ORDER BY 1, 2""",
    "notes_block_ids": """
        SELECT f.path, a.ordinal, a.block_id, a.line
        FROM notes_block_ids AS a JOIN vault_files AS f ON f.id = a.note_id ORDER BY 1, 2""",
    "notes_tags": """
        SELECT f.path, t.ordinal, t.tag, t.tag_key, t.in_property, t.line
        FROM notes_tags AS t JOIN vault_files AS f ON f.id = t.note_id ORDER BY 1, 2""",
    "notes_tasks": """
        SELECT f.path, t.ordinal, t.status, t.text, t.line
        FROM notes_tasks AS t JOIN vault_files AS f ON f.id = t.note_id ORDER BY 1, 2""",
    "notes_fields": """
        SELECT f.path, t.ordinal, t.key, t.value, t.line
        FROM notes_fields AS t JOIN vault_files AS f ON f.id = t.note_id ORDER BY 1, 2""",
    "notes_facts": """
        SELECT f.path, t.ordinal, t.fact_id, t.text, t.line
        FROM notes_facts AS t JOIN vault_files AS f ON f.id = t.note_id ORDER BY 1, 2""",
    "notes_links": """
        SELECT s.path, l.ordinal, l.kind, l.embed, l.target, l.subpath, l.label, l.size, l.key, l.relation, l.line,
               l.start, l.name_hash, t.path, l.resolved_by, l.status, l.confidence, l.gone_path
        FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id
        LEFT JOIN vault_files AS t ON t.id = l.target_id ORDER BY 1, 2""",
    "notes_tombstones": """
        SELECT path, path_key, name_hash, content_hash, gone_ns, event_id FROM notes_tombstones ORDER BY path""",
    "journal_files": """
        SELECT path, seen_bytes, read_bytes, hex(mark), latest_ns FROM journal_files ORDER BY path""",
    "journal_paths": """
        SELECT path_key, path, state, is_folder, content_hash, at_ns, file, place, event_id
        FROM journal_paths ORDER BY path_key""",
    "notes_fts": """
        SELECT f.path, b.ordinal, hex(d.sz)
        FROM notes_fts_docsize AS d LEFT JOIN notes_blocks AS b ON b.id = d.id
        LEFT JOIN vault_files AS f ON f.id = b.note_id ORDER BY 1, 2""",
    "notes_fts_terms": "SELECT term, doc, cnt FROM notes_fts_terms ORDER BY term",
    "notes_fts_trigram": """
        SELECT f.path, b.ordinal, hex(d.sz)
        FROM notes_fts_trigram_docsize AS d LEFT JOIN notes_blocks AS b ON b.id = d.id
        LEFT JOIN vault_files AS f ON f.id = b.note_id ORDER BY 1, 2""",
    "notes_fts_trigram_terms": "SELECT term, doc FROM notes_fts_trigram_terms ORDER BY term",
    VECTOR_MAP: """
        SELECT f.path, b.ordinal, m.model, m.dim, hex(m.text_hash)
        FROM notes_vec_map AS m LEFT JOIN notes_blocks AS b ON b.id = m.block_id
        LEFT JOIN vault_files AS f ON f.id = b.note_id
        WHERE m.model = (SELECT value FROM index_meta WHERE key = 'vector_model') ORDER BY 1, 2, 3""",
}
VECTORS = """
SELECT f.path, b.ordinal, m.model, v.embedding
FROM {table} AS v LEFT JOIN notes_vec_map AS m ON m.id = v.rowid
LEFT JOIN notes_blocks AS b ON b.id = m.block_id LEFT JOIN vault_files AS f ON f.id = b.note_id
WHERE m.model IS NULL OR m.model = (SELECT value FROM index_meta WHERE key = 'vector_model') ORDER BY 1, 2, 3
"""
TERMS = "SELECT term FROM notes_fts_terms ORDER BY term"
ASK_WORDS = """
SELECT f.path, b.ordinal, round(bm25(notes_fts), 6)
FROM notes_fts JOIN notes_blocks AS b ON b.id = notes_fts.rowid JOIN vault_files AS f ON f.id = b.note_id
WHERE notes_fts MATCH ? ORDER BY 1, 2
"""
ASK_SUBSTRINGS = """
SELECT f.path, b.ordinal
FROM notes_fts_trigram JOIN notes_blocks AS b ON b.id = notes_fts_trigram.rowid
JOIN vault_files AS f ON f.id = b.note_id WHERE notes_fts_trigram MATCH ? ORDER BY 1, 2
"""
BLOCKS_AT = """
SELECT b.id FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id WHERE f.path = ?
"""
UNREAD = "SELECT path FROM vault_files WHERE state != 'present'"


@dataclass(frozen=True, slots=True)
class TableCheck:
    """One table, live against built."""

    table: str
    rows_live: int
    rows_built: int
    differences: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether the rows are the same, in content and number."""
        return not self.differences


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of a verification."""

    tables: tuple[TableCheck, ...]
    queries: int
    queries_differing: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether the live index is what a rebuild would make, as far as the files could be read: of those that
        were ``skipped`` nothing is said."""
        return not self.queries_differing and all(check.identical for check in self.tables)


def verify(
    live: apsw.Connection,
    index_path: Path,
    source: Source,
    semantics: Semantics | None,
    *,
    cores: int,
    progress: Progress = no_progress,
) -> Verification:
    """Builds the source's index aside, compares it with the live one, and deletes it again.

    Raises IndexDamagedError when a page of the live index is damaged, whether a row was to be read from it or not.
    """
    aside = index_path.with_name(f"{index_path.name}.verify-{os.urandom(4).hex()}")
    with sqlite_errors(index_path):
        if faults := page_faults(live):
            raise IndexDamagedError(
                f"SQLite finds the index damaged: {faults[0]}.",
                hint="Run `vaultmem rebuild`; no note is touched.",
            )
        known = [path for (path,) in fetch(live, "SELECT path FROM vault_files ORDER BY path")]
    source = replace(source, hidden=hidden_paths(known, source.scan))
    try:
        build(aside, source, semantics, generation=1, cores=cores, progress=progress)
        with (
            sqlite_errors(index_path),
            closing(open_index(aside)) as built,
        ):
            return _compare(live, built)
    finally:
        for leftover in aside.parent.glob(f"{aside.name}*"):
            leftover.unlink(missing_ok=True)


def _compare(live: apsw.Connection, built: apsw.Connection) -> Verification:
    skipped = frozenset(path for side in (live, built) for (path,) in fetch(side, UNREAD))
    with _without(skipped, live), _without(skipped, built):
        return _compare_rest(live, built, skipped)


@contextmanager
def _without(skipped: frozenset[str], side: apsw.Connection) -> Iterator[None]:
    """One state of the index, in whose full-text indexes the blocks of the skipped files are missing as long as
    this lasts: their vocabularies count all blocks together, so that nothing else leaves those files out."""
    if not skipped:
        with read_transaction(side):
            yield
        return
    with rolled_back(side):
        blocks = [row for path in sorted(skipped) for row in fetch(side, BLOCKS_AT, (path,))]
        for statement in (DROP_WORDS, DROP_SUBSTRINGS):
            side.executemany(statement, blocks)
        yield


def _compare_rest(
    live: apsw.Connection, built: apsw.Connection, skipped: frozenset[str]
) -> Verification:
    # Without an embedder none was built; and the live index may keep those of other models beside.
    tables = vector_tables(built)
    apart = {VECTOR_MAP} if vector_tables(live) and not tables else set()
    names = [name for name in TABLES if name not in apart]
    checks = [_compare_table(name, TABLES[name], live, built, skipped) for name in names]
    checks += [
        _compare_table(table, VECTORS.format(table=table), live, built, skipped) for table in tables
    ]
    bank = question_bank(built)
    differing = tuple(
        text
        for text, query, match in bank
        if fetch(live, query, (match,)) != fetch(built, query, (match,))
    )
    return Verification(tuple(checks), len(bank), differing, tuple(sorted(skipped)))


def _compare_table(
    name: str,
    query: str,
    live: apsw.Connection,
    built: apsw.Connection,
    skipped: frozenset[str],
) -> TableCheck:
    """Digests first; only where they differ are the rows put side by side."""
    if name.endswith("_terms"):
        skipped = frozenset()  # these rows begin with a term, not with a path
    counts: list[int] = []
    digests: list[bytes] = []
    for side in (live, built):
        digest = hashlib.blake2b(digest_size=16)
        count = 0
        for row in _rows(side, query, skipped):
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
            count += 1
        counts.append(count)
        digests.append(digest.digest())
    if digests[0] == digests[1]:
        return TableCheck(name, counts[0], counts[1], ())
    differences = tuple(_differences(_rows(live, query, skipped), _rows(built, query, skipped)))
    return TableCheck(name, counts[0], counts[1], differences)


def _rows(
    connection: apsw.Connection, query: str, skipped: frozenset[str]
) -> Iterator[tuple[Any, ...]]:
    for row in connection.execute(query):
        if row[0] not in skipped:
            yield row


def _differences(
    live: Iterator[tuple[Any, ...]], built: Iterator[tuple[Any, ...]]
) -> Iterator[str]:
    """The first rows that are not the same on both sides, in words."""
    told = 0
    left, right = next(live, None), next(built, None)
    while (left is not None or right is not None) and told < FIRST_DIFFERENCES:
        if left == right:
            left, right = next(live, None), next(built, None)
            continue
        if right is None or (left is not None and _key(left) < _key(right)):
            yield f"only in the live index: {_shown(left)}"
            left = next(live, None)
        elif left is None or _key(right) < _key(left):
            yield f"missing from the live index: {_shown(right)}"
            right = next(built, None)
        else:
            yield f"live {_shown(left)} ≠ built {_shown(right)}"
            left, right = next(live, None), next(built, None)
        told += 1


def _key(row: Sequence[Any]) -> tuple[str, int]:
    second = row[1] if len(row) > 1 and isinstance(row[1], int) else 0
    return (row[0] or "", second)


def _shown(row: Sequence[Any] | None) -> str:
    cells = ", ".join(
        f"{len(cell)} bytes" if isinstance(cell, bytes) else repr(cell)[:60] for cell in row or ()
    )
    return f"({cells})"[:300]


def question_bank(connection: apsw.Connection) -> list[tuple[str, str, str]]:
    """(name, query, argument) of the questions both sides are asked: words of the vocabulary chosen by a fixed
    seed, alone and in pairs, and substrings of them."""
    words = [term for (term,) in fetch(connection, TERMS) if len(term) > 1]
    chosen = random.Random(SEED).sample(words, min(BANK_WORDS, len(words)))
    bank = [(word, ASK_WORDS, f'"{word}"') for word in chosen]
    bank += [
        (f"{a} {b}", ASK_WORDS, f'"{a}" OR "{b}"')
        for a, b in zip(chosen[::2], chosen[1::2], strict=False)
    ]
    bank += [
        (f"*{word[:3]}*", ASK_SUBSTRINGS, f'"{word[:3]}"') for word in chosen if len(word) >= 3
    ]
    return bank
