"""The embedding cache: it may lose time, never a vector's correctness."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vaultmem.embed.cache import SET_ASIDE, EmbeddingCache, embed_with_cache, text_hash

TEXTS = ["tide gauge", "storm petrel", "潮だまり", "", "tide gauge"]


class CountingEmbedder:
    """A small real embedder: two components from a text's length, and a count of what it was asked."""

    dim = 2
    noise_floor = 0.5

    def __init__(self, model: str = "lengths/1") -> None:
        self.model = model
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([self.embed_query(text) for text in texts], np.float32).reshape(-1, 2)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        angle = len(text)
        return np.array([np.cos(angle), np.sin(angle)], np.float32) * bool(text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.db"


@pytest.fixture
def cache(path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(path) as opened:
        yield opened


def fresh_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    return CountingEmbedder().embed_documents(texts)


def test_a_hash_is_sixteen_bytes_of_exactly_that_text() -> None:
    hashes = {text_hash(text) for text in ["a", "a ", "A", "\u00e9", "e\u0301", "\udcff", ""]}

    assert {len(key) for key in hashes} == {16}
    assert len(hashes) == 7


def test_what_was_put_is_got_and_what_was_not_is_left_out(cache: EmbeddingCache) -> None:
    stored = {text_hash(str(n)): bytes([n % 256]) * 8 for n in range(1_200)}

    assert cache.put_many("m/1", stored) == 1_200

    assert cache.get_many("m/1", [*stored, text_hash("absent")]) == stored
    assert cache.get_many("m/2", stored) == {}
    assert cache.get_many("m/1", []) == {}


def test_a_later_vector_replaces_an_earlier_one(cache: EmbeddingCache) -> None:
    key = text_hash("tide")
    cache.put_many("m/1", {key: b"old."})
    cache.put_many("m/1", {key: b"new."})

    assert cache.get_many("m/1", [key]) == {key: b"new."}


def test_two_processes_worth_of_connections_see_each_other(path: Path) -> None:
    with EmbeddingCache(path) as one, EmbeddingCache(path) as two:
        one.put_many("m/1", {b"1" * 16: b"from one"})
        two.put_many("m/1", {b"2" * 16: b"from two"})

        both = {b"1" * 16: b"from one", b"2" * 16: b"from two"}
        assert one.get_many("m/1", both) == both
        assert two.get_many("m/1", both) == both


class TestEmbedWithCache:
    """Given a cache, a text is embedded once per model."""

    def test_the_second_time_nothing_is_embedded(self, path: Path) -> None:
        first, second = CountingEmbedder(), CountingEmbedder()
        with EmbeddingCache(path) as cache:
            cold = embed_with_cache(first, cache, TEXTS)
        with EmbeddingCache(path) as cache:
            warm = embed_with_cache(second, cache, TEXTS)

        assert first.asked == ["tide gauge", "storm petrel", "潮だまり", ""]
        assert second.asked == []
        assert cold.tobytes() == warm.tobytes() == fresh_vectors(TEXTS).tobytes()
        assert warm.flags.writeable

    def test_only_new_texts_are_embedded(self, cache: EmbeddingCache) -> None:
        embed_with_cache(CountingEmbedder(), cache, ["one", "three"])
        embedder = CountingEmbedder()

        rows = embed_with_cache(embedder, cache, ["three", "two and more", "one"])

        assert embedder.asked == ["two and more"]
        assert rows.tobytes() == fresh_vectors(["three", "two and more", "one"]).tobytes()

    def test_another_model_does_not_see_the_vectors(self, cache: EmbeddingCache) -> None:
        embed_with_cache(CountingEmbedder("lengths/1"), cache, TEXTS)
        other = CountingEmbedder("lengths/2")

        embed_with_cache(other, cache, TEXTS)

        assert other.asked == ["tide gauge", "storm petrel", "潮だまり", ""]

    def test_a_stored_vector_of_another_size_is_computed_anew(self, cache: EmbeddingCache) -> None:
        cache.put_many("lengths/1", {text_hash("one"): b"\0" * 12})

        rows = embed_with_cache(CountingEmbedder(), cache, ["one"])

        assert rows.tobytes() == fresh_vectors(["one"]).tobytes()

    def test_without_a_cache_everything_is_embedded(self) -> None:
        embedder = CountingEmbedder()

        rows = embed_with_cache(embedder, None, TEXTS)

        assert embedder.asked == TEXTS
        assert rows.tobytes() == fresh_vectors(TEXTS).tobytes()

    def test_no_texts_give_no_rows(self, cache: EmbeddingCache) -> None:
        assert embed_with_cache(CountingEmbedder(), cache, []).shape == (0, 2)

    @given(st.lists(st.text(max_size=5), max_size=12), st.lists(st.text(max_size=5), max_size=12))
    @settings(max_examples=25, deadline=None)
    def test_cached_or_fresh_is_the_same(
        self, tmp_path_factory: pytest.TempPathFactory, before: list[str], texts: list[str]
    ) -> None:
        with EmbeddingCache(tmp_path_factory.mktemp("cache") / "embeddings.db") as cache:
            embed_with_cache(CountingEmbedder(), cache, before)
            rows = embed_with_cache(CountingEmbedder(), cache, texts)

        assert rows.tobytes() == fresh_vectors(texts).tobytes()


class TestUnusableFiles:
    """Given a file that cannot serve, it is set aside and the cache works as a new one."""

    def assert_begun_anew(self, path: Path, old: bytes) -> None:
        with EmbeddingCache(path) as cache:
            assert cache.put_many("m/1", {b"1" * 16: b"vector.."}) == 1
            assert cache.get_many("m/1", [b"1" * 16]) == {b"1" * 16: b"vector.."}
        assert path.with_name(path.name + SET_ASIDE).read_bytes() == old

    def test_not_a_database(self, path: Path) -> None:
        path.write_bytes(b"this was never a database, " * 400)

        self.assert_begun_anew(path, b"this was never a database, " * 400)

    def test_another_programs_database(self, path: Path) -> None:
        connection = apsw.Connection(str(path))
        connection.execute("CREATE TABLE vectors (something TEXT)")
        connection.close()

        self.assert_begun_anew(path, path.read_bytes())

    def test_an_empty_file_is_simply_used(self, path: Path) -> None:
        path.touch()

        with EmbeddingCache(path) as cache:
            assert cache.put_many("m/1", {b"1" * 16: b"vector.."}) == 1
        assert not path.with_name(path.name + SET_ASIDE).exists()

    def test_a_table_is_missing(self, path: Path) -> None:
        EmbeddingCache(path).close()
        connection = apsw.Connection(str(path))
        connection.execute("DROP TABLE vectors")
        connection.close()

        with EmbeddingCache(path) as cache:
            rows = embed_with_cache(CountingEmbedder(), cache, TEXTS)
            again = CountingEmbedder()
            embed_with_cache(again, cache, TEXTS)

        assert rows.tobytes() == fresh_vectors(TEXTS).tobytes()
        assert again.asked == ["tide gauge", "storm petrel", "潮だまり", ""]

    @pytest.mark.parametrize("part", [0.0, 0.2, 0.4, 0.6, 0.8, 0.99])
    @pytest.mark.parametrize("harm", ["truncated", "overwritten"])
    def test_damage_anywhere_changes_no_vector(self, path: Path, part: float, harm: str) -> None:
        texts = ["t" * n for n in range(2_000)]
        with EmbeddingCache(path) as cache:
            embed_with_cache(CountingEmbedder(), cache, texts)
        at = int(path.stat().st_size * part)
        with path.open("r+b") as file:
            if harm == "truncated":
                file.truncate(at)
            else:
                file.seek(at)
                file.write(b"\xa5" * 3_000)

        with EmbeddingCache(path) as cache:
            rows = embed_with_cache(CountingEmbedder(), cache, texts)

        assert rows.tobytes() == fresh_vectors(texts).tobytes()

    def test_one_flipped_bit_in_a_vector_is_noticed(self, path: Path) -> None:
        vector = bytes(range(200))
        with EmbeddingCache(path) as cache:
            cache.put_many("m/1", {b"1" * 16: vector})
        content = path.read_bytes()
        path.write_bytes(content.replace(vector, b"\x01" + vector[1:]))

        with EmbeddingCache(path) as cache:
            assert cache.get_many("m/1", [b"1" * 16]) == {}

    def test_a_file_of_a_later_version_is_left_alone(self, path: Path) -> None:
        EmbeddingCache(path).close()
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        before = path.read_bytes()

        with EmbeddingCache(path) as cache:
            assert not cache.is_writable
            assert cache.put_many("m/1", {b"1" * 16: b"vector.."}) == 0

        assert path.read_bytes() == before
        assert not path.with_name(path.name + SET_ASIDE).exists()


class TestPlacesThatCannotBeWritten:
    """Given such a place, vectors are computed and nothing is stored."""

    def assert_works_without_storing(self, path: Path) -> None:
        with EmbeddingCache(path) as cache:
            assert not cache.is_writable
            rows = embed_with_cache(CountingEmbedder(), cache, TEXTS)
        assert rows.tobytes() == fresh_vectors(TEXTS).tobytes()

    def test_the_folder_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "folder").touch()

        self.assert_works_without_storing(tmp_path / "folder" / "embeddings.db")

    def test_the_file_is_a_folder(self, path: Path) -> None:
        path.mkdir()

        self.assert_works_without_storing(path)

    def test_the_folder_is_read_only_but_what_is_there_is_used(self, tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        with EmbeddingCache(folder / "embeddings.db") as cache:
            embed_with_cache(CountingEmbedder(), cache, TEXTS)
        folder.chmod(0o500)
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write everywhere")
        try:
            embedder = CountingEmbedder()
            with EmbeddingCache(folder / "embeddings.db") as cache:
                assert not cache.is_writable
                embed_with_cache(embedder, cache, TEXTS)
            assert embedder.asked == []
        finally:
            folder.chmod(0o700)

    def test_after_closing_it_still_answers(self, path: Path) -> None:
        cache = EmbeddingCache(path)
        cache.close()

        assert cache.get_many("m/1", [b"1" * 16]) == {}
        assert cache.put_many("m/1", {b"1" * 16: b"vector.."}) == 0


def test_the_folder_is_made_when_missing(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path / "new" / "deep" / "embeddings.db") as cache:
        assert cache.is_writable


def test_while_another_process_writes_too_long_nothing_is_stored_and_nothing_fails(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultmem.embed import cache as module

    monkeypatch.setattr(module, "_BUSY_MS", 10)
    with EmbeddingCache(path) as cache:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")

        assert cache.put_many("m/1", {b"1" * 16: b"vector.."}) == 0

        other.execute("ROLLBACK")
        other.close()
        assert cache.put_many("m/1", {b"1" * 16: b"vector.."}) == 1
