"""The commands that change notes, as a person at a terminal meets them: paths, values, options, exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command import Ran, run
from tests.field_reports.privileges import can_be_normal, normal_user
from vaultmem_cli.app import COMMANDS


def _in(vault: Path, *words: str) -> Ran:
    return run(words[0], "--vault", str(vault), *words[1:])


def notes(vault: Path) -> list[str]:
    """The vault path of every note, sorted."""
    found = (place.relative_to(vault).as_posix() for place in vault.rglob("*.md"))
    return sorted(path for path in found if not path.startswith("."))


# --- paths ---


def test_an_absolute_path_into_the_vault_is_a_path_of_the_vault(vault: Path) -> None:
    assert _in(vault, "create", f"{vault}/Log/Low tide", "x").code == 0
    assert _in(vault, "mv", "Ferry", f"{vault}/Boats/Ferry").code == 0
    assert notes(vault) == ["Boats/Ferry.md", "Harbour.md", "Log/Low tide.md"]


def test_an_absolute_path_of_a_folder_takes_the_file_in(vault: Path) -> None:
    assert _in(vault, "mv", "Ferry", f"{vault}/Boats/").code == 0
    assert _in(vault, "mv", "Harbour", f"{vault}/Boats").code == 0
    assert notes(vault) == ["Boats/Ferry.md", "Boats/Harbour.md"]
    assert _in(vault, "mv", "Ferry", str(vault)).code == 0
    assert notes(vault) == ["Boats/Harbour.md", "Ferry.md"]


@pytest.mark.parametrize("place", ["{tmp}/outside", "/Boats/Ferry", "{tmp}/vault/../outside"])
def test_a_place_outside_the_vault_is_refused(vault: Path, tmp_path: Path, place: str) -> None:
    typed = place.format(tmp=tmp_path)
    for words in (("create", typed, "x"), ("mv", "Ferry", typed)):
        ran = _in(vault, *words)
        assert (ran.code, ran.err.splitlines()[-2]) == (
            4,
            f"error: {typed!r} is no path within the vault.",
        )
    assert notes(vault) == ["Ferry.md", "Harbour.md"]
    assert not (tmp_path / "outside.md").exists()


def test_a_path_from_here_counts_from_here(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "Log").mkdir()
    monkeypatch.chdir(vault / "Log")
    assert _in(vault, "create", "./Monday", "x").code == 0
    assert _in(vault, "mv", "Ferry", "../Boats/").code == 0
    assert _in(vault, "mv", "Harbour", "Places/Harbour").code == 0
    assert notes(vault) == ["Boats/Ferry.md", "Log/Monday.md", "Places/Harbour.md"]


def test_a_folder_that_differs_in_case_alone_is_not_made_beside_one(vault: Path) -> None:
    """The two could not both travel to a disk that knows no case."""
    (vault / "boats").mkdir()
    (vault / "boats/Cutter.md").write_text("c")
    ran = _in(vault, "mv", "boats/Cutter", "Boats/cutter")
    assert (ran.code, notes(vault)) == (4, ["Ferry.md", "Harbour.md", "boats/Cutter.md"])
    assert _in(vault, "mv", "boats", "Boats").code == 0
    assert notes(vault) == ["Boats/Cutter.md", "Ferry.md", "Harbour.md"]


# --- values ---


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["3"], "depth: 3"),
        (["2.5"], "depth: 2.5"),
        (["true"], "depth: true"),
        (["null"], "depth:"),
        ([], "depth:"),
        (["1.10"], 'depth: "1.10"'),
        (["00491234567"], 'depth: "00491234567"'),
        (["TRUE"], 'depth: "TRUE"'),
        (["two fathoms"], "depth: two fathoms"),
        (["a # b"], 'depth: "a # b"'),
        (["--text", "3"], 'depth: "3"'),
    ],
)
def test_a_value_is_written_as_it_was_typed(vault: Path, words: list[str], line: str) -> None:
    assert _in(vault, "set", "Ferry", "depth", *words).code == 0
    assert line in (vault / "Ferry.md").read_text().splitlines()


def test_a_value_is_taken_out_of_a_list_however_it_stands_there(vault: Path) -> None:
    (vault / "Ferry.md").write_text('---\nmarks: [1.10, "1.10", 2]\n---\n')
    assert _in(vault, "set", "Ferry", "marks", "1.10", "--remove").code == 0
    assert (vault / "Ferry.md").read_text() == "---\nmarks: [2]\n---\n"


# --- options ---


@pytest.mark.parametrize(
    "words",
    [
        ["block", "Ferry", "id", "text", "--delete"],
        ["section", "Ferry", "Crew", "text", "--level", "3"],
        ["section", "Ferry", "Crew", "text", "--under", "Deck"],
        ["section", "Ferry", "Crew", "text", "--add", "--deep"],
        ["section", "Ferry", "Crew", "text", "--add", "--under", "Deck", "--level", "3"],
        ["append", "Ferry", "text", "--first"],
        ["set", "Ferry", "tags", "x", "--add", "--remove"],
        ["set", "Ferry", "tags", "--add"],
        ["set", "Ferry", "tags", "--text"],
        ["show", "Ferry", "--text", "--raw"],
        ["show", "Ferry", "--text", "--raw", "--at", "now"],
    ],
)
def test_an_option_that_would_mean_nothing_is_wrong_usage(vault: Path, words: list[str]) -> None:
    before = (vault / "Ferry.md").read_bytes()
    ran = _in(vault, *words)
    assert (ran.code, ran.out) == (2, "")
    assert (vault / "Ferry.md").read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["caf\udce9", "--why=\udcff", "--limit=\udcff"])
def test_words_that_are_no_utf8_are_refused(user: None, command: str, word: str) -> None:
    ran = run(command, word, "--json")
    shown = word.replace("\udce9", r"\xe9").replace("\udcff", r"\xff")
    assert (ran.code, ran.err.splitlines()[0]) == (2, f"error: '{shown}' is not valid UTF-8.")
    assert json.loads(ran.out)["kind"] == "usage"


@pytest.mark.skipif(os.name != "posix", reason="names are text there")
def test_a_vault_may_lie_in_a_folder_of_any_name(tmp_path: Path, user: None) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    assert run("create", "--vault", os.fsdecode(folder), "Tide", "x").code == 0
    assert os.listdir(folder + b"/.vaultmem") != []
    assert os.path.exists(folder + b"/Tide.md")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["rename", "a", "b"], "Did you mean 'mv'?"),
        (["delete", "a"], "Did you mean 'rm'?"),
        (["log"], "Did you mean 'history'?"),
        (
            ["append", "Ferry", "- 18:00"],
            "For a text that begins with a dash: vaultmem append -- NOTE '- 18:00'",
        ),
        (
            ["append", "Ferry", "-n", "- [ ] paint"],
            "For a text that begins with a dash: vaultmem append -- NOTE '- [ ] paint'",
        ),
        (
            ["set", "Ferry", "depth", "-5"],
            "For a value that begins with a dash: vaultmem set -- NOTE KEY -5",
        ),
    ],
)
def test_what_was_meant_is_told(user: None, words: list[str], hint: str) -> None:
    ran = run(*words)
    assert (ran.code, ran.err.splitlines()[1]) == (2, f"hint: {hint}")


def test_what_follows_two_dashes_may_begin_with_one(vault: Path) -> None:
    assert _in(vault, "append", "--", "Ferry", "- 18:00").code == 0
    assert (vault / "Ferry.md").read_text().endswith("\n\n- 18:00\n")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["create", "a:b", "x"],
            """'a:b.md' is no name that works everywhere: some systems allow no \\ / : * ? " < > | in it.""",
        ),
        (
            ["mv", "Ferry", "a#b"],
            "a#b.md was not given as a name: 'a#b.md' will not do, since links cannot hold # ^ [ ] | or %%.",
        ),
        (["set", "Ferry", "", "x"], "Ferry.md was not changed. A property cannot be called ''."),
    ],
)
def test_why_a_name_will_not_do_is_said_in_words(vault: Path, words: list[str], error: str) -> None:
    ran = _in(vault, *words)
    assert (ran.code, f"error: {error}" in ran.err.splitlines()) == (4, True)


# --- what could not be done ---


def test_a_folder_is_counted_as_one(vault: Path) -> None:
    for number in range(3):
        assert _in(vault, "create", f"Places/{number}", "[[Ferry]]").code == 0
    assert "\n1 folder changed." in f"\n{_in(vault, 'mv', 'Places', 'Orte').err}"


@pytest.mark.skipif(not can_be_normal(), reason="permissions do not count here")
def test_a_note_that_cannot_be_read_leaves_a_rename_done_in_part(vault: Path) -> None:
    assert _in(vault, "sync").code == 0
    (vault / "Harbour.md").chmod(0)
    with normal_user():
        dry = _in(vault, "mv", "Ferry", "Boat", "--dry-run")
        ran = _in(vault, "mv", "Ferry", "Boat", "--json")
    answer = json.loads(ran.out)
    assert (dry.code, ran.code, answer["unread"]) == (0, 5, ["Harbour.md"])
    assert answer["warnings"] == [
        "Harbour.md cannot be read: Permission denied. Links in it are not updated."
    ]
    assert notes(vault) == ["Boat.md", "Harbour.md"]


def test_who_changed_what_reads_as_a_sentence(vault: Path) -> None:
    assert _in(vault, "sync").code == 0
    (vault / "Ferry.md").write_text("Leaves at ten.\n")
    assert _in(vault, "sync").code == 0
    ran = _in(vault, "diff", "--by", "by hand")
    assert ran.out.splitlines()[0].endswith("  by hand")
    assert ran.err.startswith("1 file by hand, ")


@pytest.mark.parametrize("group", ["daemon", "dream", "graph", "embedder", "bench"])
def test_a_group_named_alone_shows_its_help(user: None, group: str) -> None:
    ran = run(group)
    assert ran == run(group, "--help")
    assert (ran.code, ran.err) == (0, "")


def test_wrong_usage_within_a_group_leads_to_the_help_of_what_was_meant(user: None) -> None:
    assert "hint: See: vaultmem dream run --help" in run("dream", "run", "--blah").err


def test_a_word_that_may_come_several_times_is_shown_so(user: None) -> None:
    assert run("undo", "--help").out.splitlines()[0] == "Usage: vaultmem undo [OPTIONS] EVENT..."
