"""Opening an index: what is noticed at once, wherever it lies and whatever happens to its file meanwhile."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import apsw
import pytest

from tests.conftest import VaultOf
from tests.vaults import execute, found, vault_at, verified, write
from vaultmem.embed.cache import EmbeddingCache
from vaultmem.errors import IndexDamagedError, IndexReadOnlyError, LockedError
from vaultmem.index.connection import SET_ASIDE, fetch_int, open_index
from vaultmem.index.meta import read_stamp
from vaultmem.index.opened import OpenedIndex
from vaultmem.index.rebuild import COUNT_NOTES
from vaultmem.search.model import Lane
from vaultmem.settings import Settings

MISSING = "The index was missing; it was built anew."
WORDY = {f"n{i}.md": " ".join(f"w{i}x{k}" for k in range(60)) for i in range(300)}
"""Enough words for a full-text index of several pages."""


class TestMissingPages:
    """A full-text index that lost what it is found by would find nothing and say nothing."""

    @pytest.mark.parametrize("table", ["notes_fts_idx", "notes_fts_trigram_idx"])
    @pytest.mark.parametrize("lost", ["1", "pgno = (SELECT max(pgno) FROM {table})"])
    def test_it_is_noticed(self, vault_of: VaultOf, table: str, lost: str) -> None:
        vault = vault_of(WORDY)
        vault.rebuild()
        vault.close()
        execute(vault, f"DELETE FROM {table} WHERE {lost.format(table=table)}")

        answer = vault.search("w200x5")

        assert [hit.path for hit in answer.hits] == ["n200.md"]
        assert "parts of the full-text index are missing" in answer.freshness.note

    def test_edits_do_not_pass_for_it(self, vault_of: VaultOf) -> None:
        vault = vault_of(WORDY)
        vault.rebuild()
        for turn in range(20):
            write(vault.root, {f"n{turn}.md": " ".join(f"v{turn}x{k}" for k in range(900))})
            vault.sync()
            vault.close()
            assert vault.search(f"v{turn}x7").freshness.note == ""


class TestReadOnlyBesideALog:
    """Without its log an index says what it said before; so it is not read where the log cannot be."""

    @pytest.fixture
    def root(self, users_folder: Path) -> Path:
        """A vault that cannot be written, its index copied while it was in use."""
        root = users_folder / "vault"
        write(root, {"a.md": "zebra"})
        with vault_at(root) as vault:
            vault.rebuild()
            write(root, {"b.md": "zebra"})
            vault.sync()
            for name in ("memory.db", "memory.db-wal"):
                shutil.copy(vault.index_dir / name, users_folder / name)
        for place in (root / ".vaultmem").iterdir():
            if place.is_file():
                place.unlink()
        for name in ("memory.db", "memory.db-wal"):
            (users_folder / name).rename(root / ".vaultmem" / name)
            (root / ".vaultmem" / name).chmod(0o400)
        (root / ".vaultmem").chmod(0o500)
        return root

    def test_it_is_not_opened(self, root: Path) -> None:
        with pytest.raises(IndexReadOnlyError, match="log beside it"):
            open_index(root / ".vaultmem/memory.db")

    def test_the_vault_is_answered_from_the_cache(self, root: Path) -> None:
        with vault_at(root) as vault:
            assert vault.index_location == "cache"
            assert found(vault, "zebra") == ["a.md", "b.md"]


@pytest.mark.skipif(os.name == "nt", reason="names there are no bytes")
@pytest.mark.parametrize("name", [b"\xff\xfev", b"a%20b?c#d"])
def test_a_folder_of_any_name(tmp_path: Path, name: bytes) -> None:
    root = tmp_path / os.fsdecode(name) / "vault"
    try:
        write(root, {"a.md": "zebra"})
    except OSError:
        pytest.skip("this disk has no such names")
    with vault_at(root, settings=Settings()) as vault:
        assert found(vault, "zebra") == ["a.md"]
        assert vault.status().notes == 1
        [lane] = vault.search("zebra", lanes=[Lane.VECTOR]).lanes
        assert lane.ran
        verified(vault)
        assert (vault.index_dir / "embeddings.db").is_file()
        with EmbeddingCache(vault.index_dir / "embeddings.db") as cache:
            assert cache.is_writable


class TestMending:
    """What is damaged or gone is built anew, but never under a lock that the same thread holds."""

    def test_not_in_the_middle_of_a_write(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "zebra"})
        vault.rebuild()

        def damaged(connection: apsw.Connection) -> None:
            raise IndexDamagedError("It is damaged.")

        began = time.monotonic()
        with vault._store.writing(5), pytest.raises(IndexDamagedError):
            vault._store.answer(damaged)
        assert time.monotonic() - began < 5

    def test_whether_it_is_up_mends_nothing(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "zebra"})
        vault.rebuild()
        vault.close()
        vault.index_path.write_bytes(b"noise" * 10_000)

        with vault._store.writing(5), pytest.raises(IndexDamagedError):
            vault.is_up()

        assert vault.index_path.read_bytes() == b"noise" * 10_000

    def test_a_file_that_goes_in_the_middle_of_an_answer(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "zebra"})
        vault.rebuild()
        kept = vault.index_path.with_name(f"memory.db{SET_ASIDE}")
        kept.write_bytes(b"kept before")

        def once(connection: apsw.Connection) -> int:
            if vault.index_path.exists() and fetch_int(connection, COUNT_NOTES) == 1:
                vault.index_path.unlink()
                write(vault.root, {"b.md": ""})
                raise IndexDamagedError("A page is missing.")
            return fetch_int(connection, COUNT_NOTES)

        assert vault._store.answer(once) == (2, MISSING)
        assert kept.read_bytes() == b"kept before"

    def test_a_file_that_is_gone(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "zebra"})
        vault.rebuild()
        kept = vault.index_path.with_name(f"memory.db{SET_ASIDE}")
        kept.write_bytes(b"kept before")
        vault.index_path.unlink()

        _, note = vault._store.answer(read_stamp)

        assert note == MISSING
        assert kept.read_bytes() == b"kept before"


class Busy(OpenedIndex):
    """Its index cannot be examined: another process keeps it busy."""

    def _check(self, connection: apsw.Connection) -> str:
        raise LockedError("Another process is writing.")


def test_what_was_not_examined_is_not_held_for_sound(vault_of: VaultOf) -> None:
    vault = vault_of({"a.md": "zebra"})
    vault.rebuild()
    index = Busy(vault.index_path)

    for _ in range(2):
        with pytest.raises(LockedError):
            index.problem()
    assert not index.is_usable()


def test_a_file_that_takes_the_place_while_the_index_is_opened(
    vault_of: VaultOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = vault_of({"a.md": "zebra"})
    vault.rebuild()
    vault.close()
    newer = tmp_path / "newer"
    with vault_at(tmp_path / "two") as other:
        write(other.root, {"b.md": "", "c.md": ""})
        other.rebuild()
        other.close()
        shutil.copy(other.index_path, newer)

    def overtake(opened: apsw.Connection) -> None:
        """Puts a new file in the index's place when the first connection to the old one is made."""
        if newer.exists():
            os.replace(newer, vault.index_path)

    monkeypatch.setattr(apsw, "connection_hooks", [overtake])
    index = OpenedIndex(vault.index_path)

    assert fetch_int(index.connection(), COUNT_NOTES) == 2
    assert not newer.exists()
    index.close_all()
