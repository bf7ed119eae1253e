"""A note as it was at a time."""

from __future__ import annotations

import os
from datetime import UTC

import pytest

from tests.history.conftest import DAY, MINUTE, NOON, Lab
from vaultmem.errors import NotFoundError, RefusedError, UsageError
from vaultmem.files.changes import Creation
from vaultmem.history.times import shown_time


def at(lab: Lab, name: str, minutes: float) -> tuple[str, str]:
    """Path and text so many minutes after noon; the clock goes by seconds."""
    moment = shown_time(NOON + int(minutes * MINUTE), UTC)
    view = lab.history.at(name, moment)
    return view.path, view.text


def test_each_version_in_its_time_under_its_name(lab: Lab) -> None:
    old = lab.read("Boat.md").decode()
    lab.edit("Boat.md", b"first")  # 1
    lab.move("Boat.md", "Ship.md")  # 2
    lab.edit("Ship.md", b"second")  # 3
    lab.now += 10 * MINUTE

    assert at(lab, "Ship", 0.5) == ("Boat.md", old)
    assert at(lab, "Ship", 1) == ("Boat.md", "first")
    assert at(lab, "Ship", 2.5) == ("Ship.md", "first")
    assert at(lab, "Ship", 3) == ("Ship.md", "second")
    assert at(lab, "Boat", 9) == ("Ship.md", "second")


def test_a_version_says_since_when_and_by_which_event(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"first")
    lab.now += MINUTE
    view = lab.history.at("Boat", "now")
    assert (view.event, view.since_ns, view.at_ns) == (event.id, event.time_ns, lab.now)
    assert view.note == ""


def test_a_day_means_its_end(lab: Lab) -> None:
    lab.edit("Boat.md", b"that day")
    lab.now += DAY
    lab.edit("Boat.md", b"the next day")
    assert lab.history.at("Boat", "2026-11-20").text == "that day"
    assert lab.history.at("Boat", "yesterday").text == "that day"


def test_bytes_are_as_they_were(lab: Lab) -> None:
    lab.edit("Boat.md", "\ufeffa\r\nb\rc".encode())
    lab.edit("Boat.md", b"x")
    assert at(lab, "Boat", 1) == ("Boat.md", "\ufeffa\r\nb\rc")


def test_before_it_was_made_and_while_it_was_gone_it_was_not_there(lab: Lab) -> None:
    lab.apply(Creation("New.md", b"new"))  # 1
    lab.trash("New.md")  # 2
    lab.now += MINUTE
    lab.history.undo(["last"])  # 3
    lab.now += 10 * MINUTE

    for minutes in (0.5, 2.5):
        with pytest.raises(NotFoundError, match=r"New.md was not there at 2026-11-20 12:0"):
            at(lab, "New", minutes)
    assert at(lab, "New", 1.5) == ("New.md", "new")
    assert at(lab, "New", 3.5) == ("New.md", "new")


def test_a_hand_edit_that_was_not_kept_is_refused_with_what_can_be_had(lab: Lab) -> None:
    lab.edit("Boat.md", b"first")  # 1
    lab.by_hand("Boat.md", b"by hand", told=True)  # 2
    lab.edit("Boat.md", b"third")  # 3, which kept what the hand wrote
    lab.by_hand("Boat.md", b"by hand again", told=True)  # 4
    lab.by_hand("Boat.md", b"and again", told=True)  # 5
    lab.now += MINUTE

    assert at(lab, "Boat", 2.5) == ("Boat.md", "by hand")
    with pytest.raises(RefusedError) as caught:
        at(lab, "Boat", 4.5)
    assert caught.value.message == (
        "What Boat.md was at 2026-11-20 12:04:30 was not kept: at most its hash is known."
    )
    assert caught.value.hint == (
        "Of the versions that are kept, the last before is of 2026-11-20 12:03:00, the first after is of "
        "2026-11-20 12:05:00. With history.capture_hand_edits = true, hand edits are kept from then on."
    )


def test_an_edit_of_which_nobody_knows_when_is_told(lab: Lab) -> None:
    lab.edit("Boat.md", b"first")  # 1
    lab.by_hand("Boat.md", b"unseen")  # 2
    lab.edit("Boat.md", b"third")  # 3
    lab.now += MINUTE

    view = lab.history.at("Boat", shown_time(NOON + int(2.5 * MINUTE), UTC))
    assert view.text == "first"
    assert view.note.startswith("It was edited before 2026-11-20 12:03:00 without an event")


def test_a_note_without_events_is_known_since_it_was_saved_last(lab: Lab) -> None:
    saved = NOON - DAY
    os.utime(lab.root / "Boat.md", ns=(saved, saved))
    lab.now += MINUTE
    assert lab.history.at("Boat", "now").text.startswith("one\n")
    with pytest.raises(RefusedError, match="was not kept"):
        lab.history.at("Boat", "2 days ago")


def test_a_wrong_time_gets_the_forms(lab: Lab) -> None:
    with pytest.raises(UsageError, match="'whenever' is no time"):
        lab.history.at("Boat", "whenever")
