"""Looking back and going back on the command line: exit codes, streams and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Ran, run
from tests.cli.test_json import _checked


def _in(vault: Path, *words: str) -> Ran:
    command, *rest = words
    return run(command, "--vault", str(vault), *rest)


@pytest.fixture
def changed(vault: Path) -> Path:
    """The vault of two notes, one of which a command has edited."""
    assert _in(vault, "append", "Ferry", "At ten on Sundays.", "--why", "new timetable").code == 0
    return vault


def _last(vault: Path) -> str:
    event: str = json.loads(_in(vault, "history", "--json").out)["entries"][0]["event"]
    return event


@pytest.mark.parametrize("command", ["history", "diff"])
def test_where_nothing_was_changed_there_is_nothing(vault: Path, command: str) -> None:
    ran = _in(vault, command)
    assert (ran.code, ran.out) == (3, "")
    ran = _in(vault, command, "--json")
    assert ran.code == 3
    _checked(ran, command)


def test_a_vault_without_events_is_proven_and_has_nothing_to_let_go(vault: Path) -> None:
    assert _in(vault, "prove").code == 0
    assert (_in(vault, "gc").code, _in(vault, "undo", "last").code) == (0, 3)


@pytest.mark.parametrize(
    ("words", "schema"),
    [
        (["history"], "history"),
        (["history", "Ferry"], "history"),
        (["diff"], "diff"),
        (["show", "Ferry", "--at", "now"], "show-at"),
        (["undo", "last", "--dry-run"], "undo"),
        (["prove"], "prove"),
        (["gc", "--dry-run"], "gc"),
    ],
)
def test_answers_are_as_their_schemas_say(changed: Path, words: list[str], schema: str) -> None:
    ran = _in(changed, *words, "--json")
    assert (ran.code, ran.err) == (0, "")
    _checked(ran, schema)


def test_a_line_says_when_and_what_and_the_next_which_who_and_why(changed: Path) -> None:
    event = _last(changed)
    ran = _in(changed, "history", "Ferry")
    first, second = ran.out.splitlines()
    assert first[19:] == "  edited  +2"
    assert second == f"  {event}  vaultmem append: new timetable"
    assert ran.err == "1 event of Ferry.md\n"


def test_undo_and_undo_of_the_undo(changed: Path) -> None:
    new = (changed / "Ferry.md").read_bytes()
    ran = _in(changed, "undo", "last")
    assert (ran.code, ran.out) == (0, "restored  Ferry.md\n")
    assert ran.err == (
        f"Undone: 1 event, 1 file. To take that back: vaultmem undo {_last(changed)}\n"
    )
    assert (changed / "Ferry.md").read_bytes() != new
    assert _in(changed, "undo", _last(changed)).code == 0
    assert (changed / "Ferry.md").read_bytes() == new


def test_a_hand_edit_since_is_shown_and_refused(changed: Path) -> None:
    note = changed / "Ferry.md"
    note.write_bytes(note.read_bytes().replace(b"Leaves", b"Departs"))
    ran = _in(changed, "undo", "last")
    assert ran.code == 4
    assert ran.out.startswith("Ferry.md  edited since\n@@ ")
    assert "+Departs the harbour at nine.\n" in ran.out
    assert ran.err.startswith("error: Nothing was undone.\n  Ferry.md was edited since")
    assert ran.err.endswith(
        "hint: With --keep-mine, what was changed since stays and all else is undone.\n"
    )

    ran = _in(changed, "undo", "last", "--json")
    assert ran.code == 4
    assert _checked(ran, "undo")["conflicts"][0]["path"] == "Ferry.md"


def test_a_note_that_is_gone_has_its_past(changed: Path) -> None:
    assert _in(changed, "rm", "Ferry").code == 0
    assert "deleted" in _in(changed, "history", "Ferry").out
    ran = _in(changed, "show", "Ferry", "--at", "now")
    assert (ran.code, ran.out) == (3, "")
    assert _in(changed, "undo", "last").out == "brought back  .trash/Ferry.md → Ferry.md\n"


def test_a_fault_is_named_and_ends_with_1(changed: Path) -> None:
    for path in (changed / ".vaultmem" / "objects").glob("*/*"):
        path.unlink()
    ran = _in(changed, "prove")
    assert ran.code == 1
    assert ran.out.startswith("✗ 2 faults\n")
    assert f"is missing. ({_last(changed)})\n" in ran.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "Ferry", "--at", "soon"], 2),
        (["diff", "--since", "soon"], 2),
        (["history", "Nobody"], 3),
        (["undo", "zebra"], 3),
        (["undo", "2"], 0),
        (["gc", "--keep-days", "-1"], 2),
        (["history", "--limit", "0"], 2),
    ],
)
def test_exit_codes(changed: Path, words: list[str], code: int) -> None:
    assert _in(changed, *words).code == code
