"""The events of one note, under every name it had, and of the vault."""

from __future__ import annotations

import pytest

from tests.history.conftest import Lab
from vaultmem.errors import NoteNotFoundError, UsageError
from vaultmem.files.changes import Creation
from vaultmem.history.answers import HistoryAnswer


def told(answer: HistoryAnswer) -> list[tuple[str, str]]:
    return [(entry.what, entry.path) for entry in answer.entries]


def test_an_entry_says_when_what_who_why_and_how_much(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"one\ntwo\n3\nfour\nfive\nsix\n", actor="otter", cause="counted")

    (entry,) = lab.history.history("Boat").entries

    assert (entry.event, entry.time_ns, entry.what) == (event.id, lab.now, "edited")
    assert (entry.actor, entry.cause, entry.files) == ("otter", "counted", 1)
    assert (entry.added, entry.removed, entry.undone_by) == (2, 1, None)


def test_a_note_is_followed_through_moves_of_its_own_and_of_its_folder(lab: Lab) -> None:
    lab.edit("log/Day.md", b"a day")
    lab.move("log/Day.md", "log/A day.md")
    lab.move("log", "diary")
    lab.edit("diary/A day.md", b"a fine day")

    assert told(lab.history.history("diary/A day.md")) == [
        ("edited", "diary/A day.md"),
        ("moved from log with its folder", "diary/A day.md"),
        ("renamed from Day.md", "log/A day.md"),
        ("edited", "log/Day.md"),
    ]
    assert lab.history.history("log/Day.md").path == "diary/A day.md"


def test_a_note_that_is_gone_is_known_by_path_and_by_name(lab: Lab) -> None:
    lab.edit("log/Day.md", b"a day")
    lab.trash("log/Day.md")

    for name in ("log/Day.md", "log/Day", "Day", "day", "[[Day]]"):
        answer = lab.history.history(name)
        assert (answer.path, answer.exists) == ("log/Day.md", False)
        assert told(answer) == [("deleted", "log/Day.md"), ("edited", "log/Day.md")]


def test_a_deleted_note_that_is_back_has_one_history(lab: Lab) -> None:
    lab.edit("Boat.md", b"boat\n")
    lab.trash("Boat.md")
    lab.history.undo(["last"])

    assert [what for what, _ in told(lab.history.history("Boat"))] == [
        "undo: back from the trash",
        "deleted",
        "edited",
    ]


def test_another_note_that_had_the_path_before_is_another_note(lab: Lab) -> None:
    lab.edit("Boat.md", b"boat\n")
    lab.move("Boat.md", "Ship.md")
    lab.apply(Creation("Boat.md", b"new\n"))

    assert told(lab.history.history("Boat.md")) == [("created", "Boat.md")]
    assert len(lab.history.history("Ship.md").entries) == 2


def test_hand_edits_are_told_without_lines_unless_they_were_kept(lab: Lab) -> None:
    lab.edit("Boat.md", b"one\n")
    lab.by_hand("Boat.md", b"one\ntwo\n", told=True, captured=True)
    lab.by_hand("Boat.md", b"x\n", told=True)
    lab.edit("Boat.md", b"y\n")
    lab.by_hand("Boat.md", b"z\n", told=True)
    lab.by_hand("Boat.md", b"w\n", told=True)

    entries = lab.history.history("Boat").entries
    assert [(entry.what, entry.added, entry.removed) for entry in entries] == [
        ("edited by hand", None, None),
        ("edited by hand", None, None),
        ("edited", 1, 1),
        ("edited by hand", 1, 2),
        ("edited by hand", 1, 0),
        ("edited", 0, 4),
    ]


def test_what_was_undone_says_so_until_the_undo_is_undone(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"boat\n")
    undo = lab.history.undo([event.id]).event
    assert undo is not None
    assert [entry.undone_by for entry in lab.history.history("Boat").entries] == [None, undo]

    again = lab.history.undo([undo]).event
    assert [entry.undone_by for entry in lab.history.history("Boat").entries] == [None, again, None]


def test_the_vaults_latest_events_and_how_many_more(lab: Lab) -> None:
    lab.edit("Boat.md", b"boat\n")
    lab.apply(lab.to("Sea.md", b"# Sea\r\n"), lab.moved("Boat.md", "Ship.md"))
    lab.edit("Ship.md", b"ship\n")

    answer = lab.history.history(limit=2)
    assert (answer.path, answer.more) == (None, True)
    assert [(entry.what, entry.path, entry.files) for entry in answer.entries] == [
        ("edited", "Ship.md", 1),
        ("renamed from Boat.md", "Ship.md", 2),
    ]
    assert not lab.history.history(limit=3).more


def test_a_note_without_events_and_an_empty_vault_have_no_entries(lab: Lab) -> None:
    assert lab.history.history("Boat") == HistoryAnswer("Boat.md", True, (), False)
    assert lab.history.history() == HistoryAnswer(None, True, (), False)


def test_what_nobody_knows_and_what_is_not_clear(lab: Lab) -> None:
    lab.apply(Creation("a/Same.md", b"1"), Creation("b/Same.md", b"2"))
    for path in ("a/Same.md", "b/Same.md"):
        lab.apply(lab.moved(path, f".trash/{path[0]}.md"))

    with pytest.raises(NoteNotFoundError):
        lab.history.history("Nothing")
    with pytest.raises(UsageError) as caught:
        lab.history.history("Same")
    assert caught.value.hint == "Say which: b/Same.md, a/Same.md"
    with pytest.raises(UsageError):
        lab.history.history("Boat", limit=0)


def test_a_note_that_moved_and_went_is_one_note_under_all_its_names(lab: Lab) -> None:
    lab.move("Boat.md", "a/Boat.md")
    lab.move("a/Boat.md", "b/Boat.md")
    lab.trash("b/Boat.md")

    for name in ("Boat", "Boat.md", "a/Boat", "b/Boat.md"):
        answer = lab.history.history(name)
        assert (answer.path, answer.exists, len(answer.entries)) == ("b/Boat.md", False, 3)


def test_notes_of_one_name_are_told_apart_by_their_last_paths(lab: Lab) -> None:
    lab.move("log/Day.md", "a/Day.md")
    lab.trash("a/Day.md")
    (lab.root / ".trash/Day.md").unlink()
    lab.apply(Creation("c/Day.md", b"another"))
    lab.trash("c/Day.md")

    with pytest.raises(UsageError, match="2 notes were called 'Day'") as refused:
        lab.history.history("Day")
    assert refused.value.hint == "Say which: c/Day.md, a/Day.md"
