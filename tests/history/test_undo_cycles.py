"""Taking back a whole cycle of the dream: all that it did, but for what a hand changed since."""

from __future__ import annotations

import pytest

from tests.files.vaults import contents
from tests.history.conftest import Lab, refusal
from vaultmem.errors import NotFoundError, RefusedError
from vaultmem.files.events import EventKind


def test_a_cycle_is_all_its_events_but_those_already_undone(lab: Lab) -> None:
    before = contents(lab.root)
    lab.edit("Boat.md", b"1\n", cycle="dream-7")
    lab.edit("Sea.md", b"2\n", cycle="dream-7")
    lab.history.undo(["last"])
    lab.edit("log/Day.md", b"3\n", cycle="dream-8")
    lab.edit("Boat.md", b"4\n", cycle="dream-7")

    report = lab.history.undo(["dream-7"])
    assert len(report.undone) == 2
    assert contents(lab.root) == before | {"log/Day.md": b"3\n"}
    with pytest.raises(RefusedError, match="already undone by"):
        lab.history.undo(["dream-7"])


@pytest.mark.parametrize("word", ["cycle:2026-11-20", "2026-11-20", "cycle:last"])
def test_what_a_hand_changed_since_stays_when_a_cycle_is_undone(lab: Lab, word: str) -> None:
    boat, sea = lab.read("Boat.md"), lab.read("Sea.md")
    lab.edit("Boat.md", b"dreamt\n", cycle="2026-11-20")
    lab.edit("Sea.md", sea + b"\ndreamt\n", cycle="2026-11-20")
    lab.by_hand("Sea.md", b"mine\n" + lab.read("Sea.md"))

    report = lab.history.undo([word])

    assert (lab.read("Boat.md"), lab.read("Sea.md")) == (boat, b"mine\n" + sea)
    assert (report.done, report.kept) == (True, 0)


def test_an_event_of_a_cycle_that_is_named_itself_is_refused_as_ever(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"dreamt\n", cycle="c")
    lab.by_hand("Boat.md", b"mine\n")

    assert refusal(lab, event.id)[0].event == event.id


def test_where_a_hand_changed_all_that_a_cycle_did_the_undo_is_refused(lab: Lab) -> None:
    lab.edit("Boat.md", b"dreamt\n", cycle="c")
    lab.by_hand("Boat.md", b"mine\n")

    assert refusal(lab, "cycle:c")[0].path == "Boat.md"
    assert lab.read("Boat.md") == b"mine\n"


def test_a_note_stays_where_a_cycle_put_it_when_another_has_its_old_place(lab: Lab) -> None:
    sea = lab.read("Sea.md")
    lab.apply(lab.moved("Sea.md", "Archive/Sea.md"), kind=EventKind.ARCHIVED, cycle="c")
    lab.edit("Boat.md", b"dreamt\n", cycle="c")
    lab.by_hand("Sea.md", b"another\n")

    report = lab.history.undo(["cycle:c"])

    assert (lab.read("Sea.md"), lab.read("Archive/Sea.md")) == (b"another\n", sea)
    (left,) = [file for file in report.files if file.path == "Archive/Sea.md"]
    assert (left.action, left.note) == (
        "left",
        "There is another file at Sea.md now, so it stays here.",
    )


def test_the_last_cycle_is_the_last_that_stands(lab: Lab) -> None:
    boat = lab.read("Boat.md")
    lab.edit("Boat.md", b"1\n", cycle="a")
    lab.edit("Boat.md", b"2\n", cycle="b")
    lab.edit("Sea.md", b"no cycle\n")

    lab.history.undo(["cycle:last"])
    assert lab.read("Boat.md") == b"1\n"
    lab.history.undo(["cycle:last"])
    assert lab.read("Boat.md") == boat
    with pytest.raises(NotFoundError, match="no cycle that changed anything"):
        lab.history.undo(["cycle:last"])


def test_a_cycle_that_there_is_not_is_told(lab: Lab) -> None:
    lab.edit("Boat.md", b"1\n", cycle="a")
    with pytest.raises(NotFoundError, match="No cycle '2' changed anything"):
        lab.history.undo(["cycle:2"])  # which events begin with
