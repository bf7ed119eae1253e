"""Taking back what was edited, moved or deleted since: refused with the reason, or done beside it (P5)."""

from __future__ import annotations

import shutil

import pytest

from tests.history.conftest import Lab, refusal
from vaultmem.files.changes import Creation
from vaultmem.history.answers import DiffHunk, KeptPart


def test_a_hand_edit_after_it_refuses_with_what_was_edited(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"one\ntwo\n3\nfour\nfive\n")
    lab.by_hand("Boat.md", b"one\ntwo\n3\nfour\nfive\nmine\n")

    (conflict,) = refusal(lab, event.id)

    assert (conflict.path, conflict.event, conflict.keep_mine) == ("Boat.md", event.id, True)
    assert conflict.reason == "Boat.md was edited since."
    assert conflict.hunks == (DiffHunk(3, 3, 3, 4, (" 3", " four", " five", "+mine")),)


def test_one_file_edited_since_keeps_all_from_being_undone(lab: Lab) -> None:
    lab.apply(lab.to("Sea.md", b"sea"), lab.to("Boat.md", b"boat"))
    lab.by_hand("Sea.md", b"my sea")
    assert [conflict.path for conflict in refusal(lab, "last")] == ["Sea.md"]


def test_a_later_event_on_the_same_note_is_named(lab: Lab) -> None:
    first = lab.edit("Boat.md", b"1\n")
    second = lab.edit("Boat.md", b"2\n", actor="heron")
    (conflict,) = refusal(lab, first.id)
    assert conflict.reason == f"Boat.md was edited since, by heron ({second.id})."


def test_keep_mine_keeps_the_hand_edit_and_undoes_the_rest(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"ONE\ntwo\nthree\nfour\nFIVE\n")
    lab.by_hand("Boat.md", b"ONE\ntwo\nmy three\nfour\nFIVE\n")

    report = lab.history.undo([event.id], keep_mine=True)

    assert lab.read("Boat.md") == b"one\ntwo\nmy three\nfour\nfive\n"
    assert (report.kept, report.done) == (0, True)
    assert report.event is not None
    lab.history.undo([report.event])
    assert lab.read("Boat.md") == b"ONE\ntwo\nmy three\nfour\nFIVE\n"


def test_keep_mine_says_which_parts_it_left(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"ONE\ntwo\nthree\nfour\nFIVE\n")
    lab.by_hand("Boat.md", b"mine\nONE\ntwo\nthree\nfour\nFIVE\n")

    report = lab.history.undo([event.id], keep_mine=True)

    assert lab.read("Boat.md") == b"mine\nONE\ntwo\nthree\nfour\nfive\n"
    assert report.files[0].kept == (KeptPart(2, ("ONE",), ("one",)),)


def test_keep_mine_that_could_undo_nothing_is_refused(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"ONE\ntwo\nthree\nfour\nfive\n")
    lab.by_hand("Boat.md", b"one!\ntwo\nthree\nfour\nfive\n")
    (conflict,) = refusal(lab, event.id, keep_mine=True)
    assert (
        conflict.reason
        == "All that it changed is on lines that were edited since, or next to them."
    )


def test_a_new_note_edited_since_stays(lab: Lab) -> None:
    lab.apply(Creation("New.md", b"new"), lab.to("Boat.md", b"[[New]]"))
    lab.by_hand("New.md", b"new and mine")
    assert [conflict.path for conflict in refusal(lab, "last")] == ["New.md"]

    report = lab.history.undo(["last"], keep_mine=True)
    assert lab.read("New.md") == b"new and mine"
    assert [(file.path, file.action) for file in report.files] == [
        ("Boat.md", "restored"),
        ("New.md", "left"),
    ]
    assert report.kept == 1


def test_a_moved_note_edited_since_moves_back_as_it_is(lab: Lab) -> None:
    lab.move("Boat.md", "Ship.md")
    lab.by_hand("Ship.md", b"mine")
    lab.history.undo(["last"])
    assert lab.read("Boat.md") == b"mine"


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ("gone", "Ship.md is gone."),
        ("moved on", "It was moved on since, to Yacht.md."),
        ("deleted", "It was deleted since; undo that first."),
        ("taken", "There is something at Boat.md now."),
    ],
)
def test_a_move_that_cannot_go_back_says_why(lab: Lab, after: str, reason: str) -> None:
    event = lab.move("Boat.md", "Ship.md")
    if after == "gone":
        (lab.root / "Ship.md").unlink()
    elif after == "moved on":
        lab.move("Ship.md", "Yacht.md")
    elif after == "deleted":
        lab.trash("Ship.md")
    else:
        lab.by_hand("Boat.md", b"another boat")
    assert [conflict.reason for conflict in refusal(lab, event.id)] == [reason]


def test_keep_mine_helps_no_single_file_that_is_gone(lab: Lab) -> None:
    event = lab.move("Boat.md", "Ship.md")
    (lab.root / "Ship.md").unlink()
    (conflict,) = refusal(lab, event.id)
    assert not conflict.keep_mine
    (conflict,) = refusal(lab, event.id, keep_mine=True)
    assert conflict.reason == "It was deleted since, so it stays so."


def test_a_deletion_does_not_overwrite_what_has_the_name_now(lab: Lab) -> None:
    lab.trash("Boat.md")
    shutil.rmtree(lab.root / ".trash")
    lab.by_hand("Boat.md", b"another boat")
    (conflict,) = refusal(lab, "last")
    assert conflict.reason == "There is another file of that name now."


def test_what_is_as_before_already_needs_nothing(lab: Lab) -> None:
    old = lab.read("Boat.md")
    event = lab.edit("Boat.md", b"1\n")
    lab.by_hand("Boat.md", old)
    report = lab.history.undo([event.id])
    assert (report.done, report.files, report.event) == (False, (), None)


def test_a_hand_edit_can_be_undone_if_what_was_before_is_kept(lab: Lab) -> None:
    lab.edit("Boat.md", b"1\n")
    lab.by_hand("Boat.md", b"2\n", told=True)
    lab.by_hand("Boat.md", b"3\n", told=True)
    third, second, _ = (entry.event for entry in lab.history.history("Boat").entries)

    (conflict,) = refusal(lab, third)
    assert "history.capture_hand_edits" in conflict.reason
    lab.by_hand("Boat.md", b"2\n")
    lab.history.undo([second])
    assert lab.read("Boat.md") == b"1\n"


def test_a_version_that_was_let_go_cannot_be_had_back(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"1\n")
    lab.now += 40 * 24 * 60 * 60 * 10**9
    lab.history.gc()
    (conflict,) = refusal(lab, event.id)
    assert conflict.reason == "What it was before is no longer stored."
