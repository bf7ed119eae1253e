"""Files that cannot be read (in the cloud, locked): what is proven without them, what they cost, and that they move."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.vaults import age, falsify, found, rows, vault_at, verified, write
from vaultmem.index.look import look
from vaultmem.vault import Vault

WRONG_WORDS = """
UPDATE notes_fts SET title = 'wrong', aliases = '', headings = '', tags = '', body = 'wrong', cjk = ''
WHERE rowid = (SELECT b.id FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id WHERE f.path = 'a.md')
"""
WRONG_PARTS = WRONG_WORDS.replace(
    "notes_fts SET title = 'wrong', aliases = '', headings = '', tags = '', body = 'wrong', cjk = ''",
    "notes_fts_trigram SET text = 'wrong'",
)
NOTES = {"a.md": "zebra", "b.md": "a horse and a zebra"}


def verdicts(vault: Vault) -> dict[str, bool]:
    return {check.table: check.identical for check in vault.verify().tables}


def to_cloud(vault: Vault, name: str) -> None:
    """The note's file becomes a stub, as it does when a cloud service takes it off the machine."""
    (vault.root / f"{name}.md").unlink(missing_ok=True)
    write(vault.root, {f".{name}.md.icloud": ""})


@pytest.mark.parametrize("was_read", [False, True])
class TestVerify:
    """What can be compared is compared: only the files that cannot be read are left out, and they are named."""

    @pytest.fixture
    def vault(self, vault_of: VaultOf, was_read: bool) -> Vault:
        vault = vault_of({**NOTES, "N.md": "a quagga"} if was_read else NOTES)
        vault.rebuild()
        to_cloud(vault, "N")
        vault.sync()
        age(vault)
        return vault

    def test_a_sound_index_is_identical(self, vault: Vault) -> None:
        before = found(vault, "quagga"), found(vault, "uagg")

        report = vault.verify()

        assert (report.identical, report.skipped) == (True, ("N.md",))
        assert report.queries > 0
        assert all(t.rows_live == t.rows_built for t in report.tables)
        assert all(t.rows_live > 0 for t in report.tables if t.table.endswith("_terms"))
        assert (found(vault, "quagga"), found(vault, "uagg")) == before

    def test_a_falsified_one_is_not(self, vault: Vault) -> None:
        vault.close()
        falsify(vault, WRONG_WORDS)
        report = vault.verify()
        assert not report.identical
        assert report.queries_differing != ()
        assert not verdicts(vault)["notes_fts_terms"]

    def test_one_with_false_parts_of_words_is_not(self, vault: Vault) -> None:
        vault.close()
        falsify(vault, WRONG_PARTS)
        assert not verdicts(vault)["notes_fts_trigram_terms"]


def nothing_to_do(vault: Vault) -> bool:
    source = vault._store.source()
    return vault._store.answer(lambda connection: look(connection, source))[0].nothing_to_do


class TestCost:
    """A file that cannot be read is looked at again and again, and no more than that: nothing is written for it."""

    def test_a_locked_note(self, users_folder: Path) -> None:
        write(users_folder / "vault", NOTES)
        with vault_at(users_folder / "vault") as vault:
            vault.sync()
            age(vault)
            (vault.root / "a.md").chmod(0)
            generation = vault.status().generation

            assert found(vault, "horse") == ["b.md"]
            assert nothing_to_do(vault)
            assert vault.status().generation == generation
            assert vault.sync().unreadable == ("a.md",)
            assert vault.status().unreadable == 1

            (vault.root / "a.md").chmod(0o600)
            assert not nothing_to_do(vault)
            assert vault.status().unreadable == 0

    def test_a_note_in_the_cloud_that_is_gone_there_too(self, vault_of: VaultOf) -> None:
        vault = vault_of(NOTES)
        vault.sync()
        to_cloud(vault, "N")
        vault.sync()
        age(vault)
        assert nothing_to_do(vault)

        (vault.root / ".N.md.icloud").unlink()

        assert not nothing_to_do(vault)
        assert vault.sync().removed == ("N.md",)
        verified(vault)


class TestMove:
    """A note that cannot be read is known by its inode, size and time, so its rows move with it."""

    @pytest.mark.parametrize("to", ["Sub/a.md", "Sub/other.md"])
    def test_its_words_stay(self, users_folder: Path, to: str) -> None:
        write(users_folder / "vault", NOTES)
        with vault_at(users_folder / "vault") as vault:
            vault.sync()
            before = rows(vault, "SELECT id FROM vault_files WHERE path = 'a.md'")
            (vault.root / "a.md").chmod(0)
            (vault.root / "Sub").mkdir()
            (vault.root / "a.md").rename(vault.root / to)

            answer = vault.sync()

            assert (answer.moved, answer.added, answer.removed) == ((("a.md", to),), (), ())
            assert found(vault, "zebra") == [to, "b.md"]
            assert rows(vault, f"SELECT id FROM vault_files WHERE path = '{to}'") == before
            assert vault.status().unreadable == 1
            verified(vault)

            (vault.root / to).chmod(0o600)
            assert found(vault, "zebra") == [to, "b.md"]
            assert vault.note(to).title == Path(to).stem
            assert vault.status().unreadable == 0
            verified(vault)
