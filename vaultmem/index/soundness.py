"""Whether the tables of an index belong together, as far as that shows without reading a note."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.vectors import vector_tables

# Rows of one query that are not among those of the other.
COUNT_APART = "SELECT count(*) FROM ({these} EXCEPT {those})"

BLOCKS = "SELECT id FROM notes_blocks"
WORD_ROWS = "SELECT id FROM notes_fts_docsize"
SUBSTRING_ROWS = "SELECT id FROM notes_fts_trigram_docsize"
# Vectors without a block, and of the dimension of each table those that ought to be in it.
MAPPED_BLOCKS = "SELECT block_id FROM notes_vec_map"
MAPPED_OF = "SELECT id FROM notes_vec_map WHERE dim = {dim}"
VECTOR_ROWS = "SELECT rowid FROM {table}"


class _Counterparts(NamedTuple):
    """Two queries that must give the same ids."""

    name: str
    owners: str
    rows: str


def faults(connection: apsw.Connection) -> list[str]:
    """What is wrong, in words, most basic first; nothing for a sound index.

    SQLite's own check sees a broken page and a full-text index that contradicts itself. It does not know which rows
    of different tables belong together, so a row that one of them never heard of is looked for here.
    """
    return [*page_faults(connection), *_row_faults(connection)]


def page_faults(connection: apsw.Connection) -> list[str]:
    """What SQLite itself finds wrong, in its words; it reads every page."""
    return [row[0] for row in fetch(connection, "PRAGMA integrity_check(5)") if row[0] != "ok"]


def _row_faults(connection: apsw.Connection) -> Iterator[str]:
    pairs = [
        _Counterparts("full-text index", BLOCKS, WORD_ROWS),
        _Counterparts("full-text index of substrings", BLOCKS, SUBSTRING_ROWS),
    ]
    for table in vector_tables(connection):
        dim = int(table.removeprefix("notes_vec_"))
        pairs.append(
            _Counterparts(table, MAPPED_OF.format(dim=dim), VECTOR_ROWS.format(table=table))
        )
    for pair in pairs:
        if lacking := _apart(connection, pair.owners, pair.rows):
            yield f"rows missing from the {pair.name}: {lacking}"
        if surplus := _apart(connection, pair.rows, pair.owners):
            yield f"rows of nothing in the {pair.name}: {surplus}"
    if stray := _apart(connection, MAPPED_BLOCKS, BLOCKS):
        yield f"vectors of no block: {stray}"


def _apart(connection: apsw.Connection, these: str, those: str) -> int:
    return fetch_int(connection, COUNT_APART.format(these=these, those=those))
