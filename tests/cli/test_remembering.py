"""Which questions of a person are kept, with which notes; and where none are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run
from vaultmem.files.recalls import RecallEntry, RecallLog


def kept(vault: Path) -> list[RecallEntry]:
    return list(RecallLog(vault).read())


def test_a_question_is_kept_with_the_notes_that_came_first(indexed: Path) -> None:
    assert run("search", "harbour", "--vault", str(indexed)).code == 0
    (entry,) = kept(indexed)
    assert (entry.by, entry.query) == ("person", "harbour")
    assert set(entry.paths) == {"Harbour.md", "Ferry.md"}


def test_three_notes_are_kept_at_most(indexed: Path) -> None:
    for number in range(6):
        (indexed / f"Buoy {number}.md").write_text(f"A buoy, number {number}.\n", "utf-8")
    assert run("search", "buoy", "--vault", str(indexed)).code == 0
    assert len(kept(indexed)[0].paths) == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [(["harbour", "--no-sync"], 0), (["zeppelin", "--lane", "keyword"], 3)],
    ids=["measuring", "nothing found"],
)
def test_some_questions_are_not_kept(indexed: Path, words: list[str], code: int) -> None:
    assert run("search", *words, "--vault", str(indexed)).code == code
    assert kept(indexed) == []


def test_a_setting_switches_it_off(indexed: Path) -> None:
    (indexed / ".vaultmem" / "config.toml").write_text("[dream]\nremember_queries = false\n")
    assert run("search", "harbour", "--vault", str(indexed)).code == 0
    assert kept(indexed) == []
    assert not (indexed / ".vaultmem" / "recalls").exists()


def test_a_vault_with_nothing_of_ours_in_it_gets_nothing_for_being_asked(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTMEM_INDEX_LOCATION", "cache")
    assert run("search", "harbour", "--vault", str(vault)).code == 0
    assert not (vault / ".vaultmem").exists()


def test_where_it_cannot_be_kept_the_answer_comes_all_the_same(indexed: Path) -> None:
    (indexed / ".vaultmem" / "recalls").write_text("in the way")
    ran = run("search", "harbour", "--vault", str(indexed))
    assert ran.code == 0
    assert "Harbour.md" in ran.out
