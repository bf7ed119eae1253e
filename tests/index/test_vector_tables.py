"""The vec0 tables as the index keeps them: read in bulk, written anew when they are mostly holes, never half written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.field_reports.embedders import CaseEmbedder
from vaultmem.index.connection import create_index, fetch_int, write_transaction
from vaultmem.index.stored_vectors import rows_at, stored_vectors
from vaultmem.index.vectors import (
    VectorSet,
    compact,
    drop_set,
    drop_vectors,
    put_vectors,
    vector_sets,
    vector_tables,
)

DIM = 8
ALL = f"SELECT rowid, embedding FROM notes_vec_{DIM} ORDER BY rowid"
CHUNKS = f"SELECT count(*) FROM notes_vec_{DIM}_chunks"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = create_index(tmp_path / "memory.db", 1)
    yield connection
    connection.close()


def put(index: apsw.Connection, blocks: range, model: str = "m") -> None:
    rows = [(b"h" * 16, np.full(DIM, block, np.float32).tobytes()) for block in blocks]
    with write_transaction(index):
        put_vectors(index, CaseEmbedder(model, DIM), list(blocks), rows)


def in_bulk(index: apsw.Connection) -> list[tuple[int, bytes]]:
    return sorted(
        (int(rowid), row.tobytes())
        for some in stored_vectors(index, DIM)
        for rowid, row in zip(some.ids, some.rows, strict=True)
    )


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 300)), max_size=6))
@settings(max_examples=25, deadline=None)
def test_bulk_reading_gives_what_the_table_gives(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, int, int]]
) -> None:
    index = create_index(tmp_path_factory.mktemp("bulk") / "memory.db", 1)
    try:
        put(index, range(300))
        size = 300
        for adds, first, count in steps:
            if adds:
                put(index, range(size, size + count))
                size += count
            else:
                with write_transaction(index):
                    drop_vectors(index, range(first * 7, first * 7 + count))
        wanted = index.execute(ALL).fetchall()

        assert in_bulk(index) == wanted
        ids = [int(rowid) for rowid, _ in in_bulk(index)][::3]
        read = [row.tobytes() for row in rows_at(index, DIM, ids)]
        assert read == [blob for _, blob in wanted][::3]
    finally:
        index.close()


def test_an_id_that_is_not_there_reads_as_zero(index: apsw.Connection) -> None:
    put(index, range(3))

    assert rows_at(index, DIM, [999, 1]).tolist() == [[0.0] * DIM, [0.0] * DIM]
    assert rows_at(index, DIM, []).shape == (0, DIM)


def test_a_table_of_another_form_is_read_row_by_row(index: apsw.Connection) -> None:
    put(index, range(20))
    wanted = index.execute(ALL).fetchall()
    index.execute(f"UPDATE notes_vec_{DIM}_chunks SET size = size + 8")

    assert in_bulk(index) == wanted


class TestCompaction:
    """Given a table with holes, it is written anew when fewer than seven slots in ten are in use."""

    def drop(self, index: apsw.Connection, share: int) -> None:
        with write_transaction(index):
            drop_vectors(index, [block for block in range(5120) if block % 100 < share])

    def test_a_full_table_and_one_with_few_holes_stay(self, index: apsw.Connection) -> None:
        put(index, range(5120))
        self.drop(index, 25)

        with write_transaction(index):
            assert compact(index) == []

    def test_one_with_many_holes_is_written_anew(self, index: apsw.Connection) -> None:
        put(index, range(5120))
        self.drop(index, 60)
        wanted, before = index.execute(ALL).fetchall(), fetch_int(index, CHUNKS)

        with write_transaction(index):
            assert compact(index) == [f"notes_vec_{DIM}"]

        assert index.execute(ALL).fetchall() == in_bulk(index) == wanted
        assert (before, fetch_int(index, CHUNKS)) == (20, 8)

    def test_a_small_one_stays(self, index: apsw.Connection) -> None:
        put(index, range(300))
        with write_transaction(index):
            drop_vectors(index, range(290))
            assert compact(index) == []

    def test_a_crash_in_the_middle_leaves_the_old_table(self, index: apsw.Connection) -> None:
        put(index, range(5120))
        self.drop(index, 60)
        wanted = index.execute(ALL).fetchall()

        def crash() -> None:
            with write_transaction(index):
                compact(index)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            crash()

        assert index.execute(ALL).fetchall() == in_bulk(index) == wanted

    def test_vacuum_after_it_keeps_every_vector(self, index: apsw.Connection) -> None:
        put(index, range(5120))
        with write_transaction(index):
            drop_vectors(index, range(256, 2048))  # whole chunks: their numbers are missing
            compact(index, least=0, always=True)
        wanted = index.execute(ALL).fetchall()

        index.execute("VACUUM")

        assert index.execute(ALL).fetchall() == in_bulk(index) == wanted
        put(index, range(9000, 9100))
        assert len(in_bulk(index)) == len(wanted) + 100


def test_dropping_one_of_two_sets_leaves_the_other(index: apsw.Connection) -> None:
    put(index, range(100), "one")
    put(index, range(100), "two")

    with write_transaction(index):
        drop_set(index, VectorSet("one", DIM, 100))

    assert vector_sets(index) == [VectorSet("two", DIM, 100)]
    assert [rowid for rowid, _ in in_bulk(index)] == list(range(101, 201))

    with write_transaction(index):
        drop_set(index, VectorSet("two", DIM, 100))

    assert (vector_sets(index), vector_tables(index)) == ([], [])
