"""An index that is missing, damaged or made by another version is built anew with a note: never a traceback, never
a wrong answer."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.vaults import WORDS, execute, found, vault_at, verified, write
from vaultmem.errors import FailedError, IndexDamagedError
from vaultmem.index.connection import PAGE_BYTES, has_checksums
from vaultmem.vault import Vault

FILES = {
    **{
        f"Log/n{i}.md": f"# Day {i}\n\nTide {i} at the gauge. [[n{i + 1}]] #log\n\n水位数据库\n"
        for i in range(40)
    },
    "Map.canvas": '{"nodes":[{"id":"n","type":"file","file":"Log/n1.md"}],"edges":[]}',
    "Chart.png": "pixels",
}
REBUILT = re.compile(
    r"The index was (missing|empty|made by another version); it was built anew\."
    r"|The index was damaged: (?!.*\([^)]*\()(?!.*I/O).+[^.]\. "
    r"It was built anew; the old file is kept as memory\.db\.set-aside\."
)


@pytest.fixture
def vault(vault_of: VaultOf) -> Vault:
    """A closed vault with a sound index, its log written back."""
    vault = vault_of(FILES)
    vault.rebuild()
    found(vault, "tide")
    vault.close()
    return vault


def answers(vault: Vault) -> tuple[object, ...]:
    """What every kind of question gets, freshness aside."""
    return (
        found(vault, "tide"),
        found(vault, "数据"),
        found(vault, "aug"),
        [(link.target, link.to, link.status) for link in vault.links("n3").links],
        [(source.path, source.count) for source in vault.backlinks("n1").sources],
        [(count.tag, count.count) for count in vault.tags().tags],
        vault.status().notes,
        vault.note("n7").headings,
        vault.files(),
        vault.link_counts(),
    )


def mended(vault: Vault) -> str:
    """The note that the next answer gives."""
    return vault.search("tide").freshness.note


class TestUnusable:
    """Whatever lies in the index's place, the next answer is right and says what happened."""

    @pytest.mark.parametrize(
        "content",
        [
            pytest.param(b"", id="nothing"),
            pytest.param(b"not a database\n" * 1000, id="text"),
            pytest.param(b"SQLite format 3\0", id="a header alone"),
            pytest.param(b"SQLite format 3\0" + b"\xff" * 20_000, id="a header and noise"),
            pytest.param(b"\0" * 16_384, id="zeros"),
        ],
    )
    def test_no_database(self, vault: Vault, content: bytes) -> None:
        vault.index_path.write_bytes(content)

        assert REBUILT.fullmatch(mended(vault))
        verified(vault)

    @pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
    def test_a_truncated_file(self, vault: Vault, share: float) -> None:
        size = vault.index_path.stat().st_size
        with open(vault.index_path, "r+b") as file:
            file.truncate(int(size * share))

        assert REBUILT.fullmatch(mended(vault))
        verified(vault)

    @pytest.mark.parametrize("pages", [1, 2, 5])
    def test_whole_pages_cut_off(self, vault: Vault, pages: int) -> None:
        size = vault.index_path.stat().st_size
        with open(vault.index_path, "r+b") as file:
            file.truncate(size - pages * PAGE_BYTES)

        assert REBUILT.fullmatch(mended(vault))
        verified(vault)

    def test_an_empty_file_is_called_empty(self, vault: Vault) -> None:
        vault.index_path.write_bytes(b"")

        assert mended(vault) == "The index was empty; it was built anew."

    def test_a_folder_in_its_place_is_named_with_what_to_do(self, vault: Vault) -> None:
        vault.index_path.unlink()
        vault.index_path.mkdir()

        for question in (lambda: vault.search("tide"), vault.rebuild, vault.sync):
            with pytest.raises(FailedError) as caught:
                question()
            assert caught.value.message.startswith(f"{vault.index_path} is a folder")
            assert caught.value.hint == "Remove or rename that folder."
        errors = [f for f in vault.doctor().findings if f.level == "error"]
        assert [error.hint for error in errors] == ["Remove or rename that folder."]

    @pytest.mark.parametrize("version", [0, 1, 999_999])
    def test_another_version(self, vault: Vault, version: int) -> None:
        execute(vault, f"PRAGMA user_version = {version}")

        assert mended(vault) == "The index was made by another version; it was built anew."
        verified(vault)

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM index_meta",
            "DROP TABLE notes_fts",
            "DROP TABLE notes_blocks",
            "DELETE FROM notes_fts WHERE rowid = 7",
            "DELETE FROM notes_fts_trigram WHERE rowid = 7",
            "DELETE FROM notes_blocks WHERE id = 7",
            "DELETE FROM notes_fts_docsize WHERE id < 9",
            "DELETE FROM notes_fts_trigram_docsize",
            "INSERT INTO notes_fts (rowid, title, aliases, headings, tags, body, cjk) VALUES (999, 'tide', '', '', '', '', '')",
        ],
    )
    def test_tables_out_of_step(self, vault: Vault, statement: str) -> None:
        execute(vault, statement)

        assert REBUILT.fullmatch(mended(vault))
        verified(vault)

    @pytest.mark.parametrize("table", ["notes_fts", "notes_fts_trigram"])
    def test_missing_parts_of_a_full_text_index(self, vault: Vault, table: str) -> None:
        execute(vault, f"DELETE FROM {table}_data WHERE id > 10")

        assert answers(vault) == answers(vault_at(vault.root, settings=WORDS))
        assert found(vault, "tide") == [f"Log/n{i}.md" for i in sorted(map(str, range(40)))]
        assert len(found(vault, "aug")) == 40
        verified(vault)

    def test_rows_that_contradict_each_other(self, vault: Vault) -> None:
        """The counts agree, but what the word index finds is no block: only a question shows it."""
        execute(vault, "UPDATE notes_blocks SET id = 1003 WHERE id = 3")
        execute(vault, "UPDATE notes_fts_docsize SET id = 1003 WHERE id = 3")
        execute(vault, "UPDATE notes_fts_trigram_docsize SET id = 1003 WHERE id = 3")

        assert len(found(vault, "tide")) == 40
        verified(vault)

    def test_a_table_that_only_some_questions_need(self, vault: Vault) -> None:
        execute(vault, "DROP TABLE notes_links")

        answer = vault.links("n3")

        assert [link.to for link in answer.links] == ["Log/n4.md"]
        assert REBUILT.fullmatch(answer.freshness.note)
        verified(vault)

    def test_an_upkeep_that_meets_a_contradiction(self, vault: Vault) -> None:
        execute(vault, "DELETE FROM vault_files WHERE path = 'Log/n5.md'")

        assert len(found(vault, "tide")) == 40
        verified(vault)


class TestSideFiles:
    """A log that does not belong to the index is never played into it."""

    def test_a_log_of_noise(self, vault: Vault) -> None:
        write(vault.index_dir, {"memory.db-wal": b"\x37\x7f\x06\x82" + b"\xab" * 50_000})

        assert len(found(vault, "tide")) == 40
        verified(vault)

    @pytest.mark.parametrize("delete_shm", [True, False])
    def test_a_log_without_its_index(self, vault: Vault, tmp_path: Path, delete_shm: bool) -> None:
        with vault_at(vault.root) as open_one:
            write(vault.root, {"new.md": "tide"})
            open_one.sync()
            for suffix in ("-wal", "-shm"):
                shutil.copy(f"{vault.index_path}{suffix}", tmp_path / suffix)
        vault.index_path.unlink()
        for suffix in ("-wal", "-shm")[: 1 if delete_shm else 2]:
            shutil.copy(tmp_path / suffix, f"{vault.index_path}{suffix}")

        assert mended(vault) == "The index was missing; it was built anew."
        assert len(found(vault, "tide")) == 41
        verified(vault)

    def test_a_log_of_another_index(self, vault: Vault, tmp_path: Path) -> None:
        """What a program that syncs files leaves when it brings the index of another machine, but not its log."""
        with vault_at(vault.root) as open_one:
            write(vault.root, {"new.md": "tide"})
            open_one.sync()
            shutil.copy(f"{vault.index_path}-wal", tmp_path / "log")
        vault.index_path.unlink()
        vault.sync()
        vault.close()
        shutil.copy(tmp_path / "log", f"{vault.index_path}-wal")

        assert "log beside the index" in mended(vault)
        assert len(found(vault, "tide")) == 41
        verified(vault)

    def test_a_crash_that_left_the_log(self, vault: Vault, tmp_path: Path) -> None:
        with vault_at(vault.root) as open_one:
            write(vault.root, {"new.md": "tide"})
            open_one.sync()
            for name in ("memory.db", "memory.db-wal"):
                shutil.copy(vault.index_dir / name, tmp_path / name)
        for name in ("memory.db", "memory.db-wal"):
            shutil.copy(tmp_path / name, vault.index_dir / name)

        answer = vault.search("tide", limit=100)

        assert (len(answer.hits), answer.freshness.note) == (41, "")
        verified(vault)

    def test_a_torn_log_loses_only_what_is_found_again(self, vault: Vault, tmp_path: Path) -> None:
        with vault_at(vault.root) as open_one:
            write(vault.root, {"new.md": "tide"})
            open_one.sync()
            write(vault.root, {"newer.md": "tide"})
            open_one.sync()
            for name in ("memory.db", "memory.db-wal"):
                shutil.copy(vault.index_dir / name, tmp_path / name)
        log = (tmp_path / "memory.db-wal").read_bytes()
        shutil.copy(tmp_path / "memory.db", vault.index_path)
        write(vault.index_dir, {"memory.db-wal": log[: len(log) * 2 // 3]})

        assert len(found(vault, "tide")) == 42
        verified(vault)


@pytest.mark.skipif(not has_checksums(), reason="this APSW has no page checksums")
class TestFlippedBytes:
    """Each page carries a checksum, so a flipped byte ends in a rebuild or in a right answer."""

    def test_in_each_page(self, vault: Vault) -> None:
        right = answers(vault)
        vault.close()
        sound = vault.index_path.read_bytes()
        notes: list[str] = []
        for page in range(0, len(sound), PAGE_BYTES):
            for offset in (3, PAGE_BYTES // 2):
                broken = bytearray(sound)
                broken[page + offset] ^= 0x55
                self._replace(vault, bytes(broken))
                notes += filter(None, [mended(vault)])
                assert answers(vault) == right, (page // PAGE_BYTES, offset)
                vault.close()
        assert len(notes) > len(sound) // PAGE_BYTES
        assert (
            "The index was damaged: a page fails its checksum. "
            "It was built anew; the old file is kept as memory.db.set-aside."
        ) in notes
        assert [note for note in notes if not REBUILT.fullmatch(note)] == []

    def test_under_an_open_connection(self, vault: Vault) -> None:
        found(vault, "tide")
        data = bytearray(vault.index_path.read_bytes())
        for page in range(1, len(data) // PAGE_BYTES):
            data[page * PAGE_BYTES + 50] ^= 1
        vault.index_path.write_bytes(data)

        assert len(found(vault, "gauge")) == 40
        assert len(found(vault, "aug")) == 40

    def test_in_the_header(self, vault: Vault) -> None:
        sound = vault.index_path.read_bytes()
        for offset in (*range(0, 100, 4), 18, 19, 21, 22):
            broken = bytearray(sound)
            broken[offset] ^= 0xFF
            self._replace(vault, bytes(broken))
            assert len(found(vault, "tide")) == 40, offset
            vault.close()

    def test_met_by_a_verification(self, vault: Vault) -> None:
        """It either mends the index on its way, or fails and says why; it never calls a damaged one identical."""
        sound = vault.index_path.read_bytes()
        for page in range(PAGE_BYTES, len(sound), 3 * PAGE_BYTES):
            broken = bytearray(sound)
            broken[page + 99] ^= 0x55
            self._replace(vault, bytes(broken))
            try:
                verified(vault)
            except IndexDamagedError as error:
                assert "vaultmem rebuild" in error.hint  # noqa: PT017 - either way is right
            else:
                assert vault.index_path.read_bytes() != broken
            vault.close()

    def test_met_by_upkeep(self, vault: Vault) -> None:
        data = bytearray(vault.index_path.read_bytes())
        for page in range(1, len(data) // PAGE_BYTES):
            data[page * PAGE_BYTES + 50] ^= 1
        self._replace(vault, bytes(data))
        write(vault.root, {f"more{i}.md": "tide" for i in range(5)})

        assert len(found(vault, "tide")) == 45
        verified(vault)

    @staticmethod
    def _replace(vault: Vault, data: bytes) -> None:
        for suffix in ("-wal", "-shm"):
            vault.index_path.with_name(f"memory.db{suffix}").unlink(missing_ok=True)
        vault.index_path.write_bytes(data)


def test_a_note_says_so_without_a_look_at_the_disk_too(vault: Vault) -> None:
    vault.index_path.unlink()

    freshness = vault.search("tide", sync=False).freshness

    assert freshness.note == "The index was missing; it was built anew."


def test_the_doctor_mends_and_tells(vault: Vault) -> None:
    vault.index_path.write_bytes(b"noise" * 10_000)

    codes = {finding.code: finding.level for finding in vault.doctor().findings}

    assert codes["index-rebuilt"] == "warning"
    assert codes["index"] == "ok"
