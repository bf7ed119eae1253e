"""Faults that SQLite does not see, and what happens to a damaged index."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.field_reports.embedders import CaseEmbedder
from tests.field_reports.world import CaseVault
from tests.vaults import age, found, write
from vaultmem.index.connection import SET_ASIDE, open_index
from vaultmem.index.soundness import faults
from vaultmem.vault import Vault

FILES = {"a.md": "alpha mizzen\n", "b.md": "beta topsail\n"}


def tamper(vault: Vault, *statements: str) -> list[str]:
    """Changes the index behind the product's back; the faults that it then has."""
    with closing(open_index(vault.index_path)) as index:
        for statement in statements:
            index.execute(statement)
        return faults(index)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([], []),
        (
            ["DELETE FROM notes_blocks WHERE id = 1"],
            [
                "rows of nothing in the full-text index: 1",
                "rows of nothing in the full-text index of substrings: 1",
                "vectors of no block: 1",
            ],
        ),
        (
            ["DELETE FROM notes_fts WHERE rowid = 1"],
            ["rows missing from the full-text index: 1"],
        ),
        (
            ["DELETE FROM notes_fts_trigram WHERE rowid IN (1, 2)"],
            ["rows missing from the full-text index of substrings: 2"],
        ),
        (
            ["DELETE FROM notes_vec_256 WHERE rowid = 2"],
            ["rows missing from the notes_vec_256: 1"],
        ),
        (
            ["DELETE FROM notes_vec_map WHERE id = 2"],
            ["rows of nothing in the notes_vec_256: 1"],
        ),
    ],
)
def test_rows_without_their_counterpart_are_found(
    statements: list[str], expected: list[str], tmp_path: Path
) -> None:
    write(tmp_path / "vault", FILES)
    with CaseVault(tmp_path / "vault", tmp_path / "cache", CaseEmbedder()) as vault:
        vault.rebuild()

        assert tamper(vault, *statements) == expected


def test_a_doctor_names_them_and_a_rebuild_mends_them(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    vault.rebuild()
    age(vault)
    assert tamper(vault, "DELETE FROM notes_fts WHERE rowid = 1") != []

    report = vault.doctor()
    assert not report.healthy
    assert report.findings[0].message == (
        "The index is damaged: rows missing from the full-text index: 1."
    )

    vault.rebuild()
    assert vault.doctor().healthy
    assert found(vault, "mizzen") == ["a.md"]


@pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\0" + b"\xff" * 9_000])
def test_a_damaged_index_is_set_aside(vault_of: VaultOf, content: bytes) -> None:
    vault = vault_of(FILES)
    vault.rebuild()
    vault.close()
    vault.index_path.write_bytes(content)

    note = vault.search("mizzen").freshness.note

    kept = vault.index_path.with_name(f"memory.db{SET_ASIDE}")
    assert kept.read_bytes() == content
    assert "the old file is kept as memory.db.set-aside." in note
    assert found(vault, "mizzen") == ["a.md"]


def test_only_the_last_damaged_index_is_kept(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    for content in (b"first", b"second"):
        vault.rebuild()
        vault.close()
        vault.index_path.write_bytes(content)
        assert found(vault, "mizzen") == ["a.md"]

    folder = vault.index_path.parent
    assert [place.name for place in folder.glob("*set-aside*")] == [f"memory.db{SET_ASIDE}"]
    assert (folder / f"memory.db{SET_ASIDE}").read_bytes() == b"second"


def test_a_sound_index_is_not_set_aside(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    vault.rebuild()
    vault.rebuild()

    assert list(vault.index_path.parent.glob("*set-aside*")) == []


def test_a_zero_filled_note_is_told_and_has_no_text(vault_of: VaultOf) -> None:
    vault = vault_of({**FILES, "Crashed.md": b"\0" * 4096, "Nul.md": "a \0 in words\n"})

    told = {finding.code: finding.paths for finding in vault.doctor().findings}

    assert told["zero-filled"] == ("Crashed.md",)
    assert found(vault, "crashed") == ["Crashed.md"]
    assert vault.note("Crashed").words == 0
