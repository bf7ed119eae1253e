"""The net change of each file in a span of time."""

from __future__ import annotations

import shutil

import pytest

from tests.history.conftest import DAY, Lab
from vaultmem.errors import UsageError
from vaultmem.files.changes import Creation
from vaultmem.history.answers import DiffAnswer, DiffHunk


def told(answer: DiffAnswer) -> list[tuple[str, str | None, str]]:
    return [(file.path, file.path_before, file.status) for file in answer.files]


def test_many_events_are_one_difference(lab: Lab) -> None:
    one = lab.edit("Boat.md", b"one\ntwo\n3\nfour\nfive\n", actor="otter")
    two = lab.edit("Boat.md", b"one\ntwo\n3!\nfour\nfive\n", actor="heron")

    (file,) = lab.history.diff().files

    assert (file.path, file.status, file.added, file.removed) == ("Boat.md", "changed", 1, 1)
    lines = (" one", " two", "-three", "+3!", " four", " five")
    assert file.hunks == (DiffHunk(1, 5, 1, 5, lines),)
    assert (file.events, file.actors) == ((one.id, two.id), ("otter", "heron"))


def test_what_came_went_and_moved(lab: Lab) -> None:
    lab.apply(Creation("New.md", b"new\n"))
    lab.move("Boat.md", "fleet/Ship.md")
    lab.edit("fleet/Ship.md", b"one\n")
    lab.trash("Sea.md")
    lab.move("log", "diary")

    answer = lab.history.diff()

    assert told(answer) == [
        ("New.md", None, "added"),
        ("Sea.md", None, "deleted"),
        ("diary", "log", "moved"),
        ("fleet/Ship.md", "Boat.md", "moved"),
    ]
    assert [file.removed for file in answer.files] == [0, 2, 0, 4]


def test_what_came_and_went_again_or_went_back_is_no_difference(lab: Lab) -> None:
    lab.apply(Creation("New.md", b"new\n"))
    lab.trash("New.md")
    lab.edit("Boat.md", b"1\n")
    lab.history.undo(["last"])
    assert lab.history.diff().files == ()


def test_only_the_span_counts(lab: Lab) -> None:
    lab.edit("Boat.md", b"first\n")
    lab.now += 3 * DAY
    lab.edit("Boat.md", b"second\n")

    def lines(answer: DiffAnswer) -> tuple[str, ...]:
        return answer.files[0].hunks[0].lines

    assert lines(lab.history.diff()) == ("-first", "+second")
    assert lines(lab.history.diff("4 days ago"))[-1] == "+second"
    assert len(lines(lab.history.diff("4 days ago"))) == 6
    assert lines(lab.history.diff("4 days ago", until="2 days ago"))[-1] == "+first"
    with pytest.raises(UsageError):
        lab.history.diff("yesterday", until="3 days ago")


def test_an_edit_by_hand_since_is_part_of_it(lab: Lab) -> None:
    lab.edit("Boat.md", b"first\n")
    lab.by_hand("Boat.md", b"first\nmine\n")
    (file,) = lab.history.diff().files
    assert file.hunks[0].lines[-2:] == ("+first", "+mine")
    assert file.actors == ("agent", "by hand")


def test_what_is_known_by_its_hash_only_is_named(lab: Lab) -> None:
    lab.by_hand("Boat.md", b"mine\n", told=True)
    (file,) = lab.history.diff().files
    assert (file.known, file.hunks) == (False, ())
    assert file.note == "what it was before is known by its hash only"


def test_bytes_that_are_no_text_have_no_hunks(lab: Lab) -> None:
    lab.edit("Boat.md", b"\x00\xff")
    (file,) = lab.history.diff().files
    assert (file.known, file.hunks, file.note) == (True, (), "not text")


def test_by_shows_nobody_elses_changes(lab: Lab) -> None:
    lab.edit("Boat.md", b"a\n", actor="otter")
    lab.edit("Boat.md", b"a\nb\n", actor="heron")
    lab.edit("Boat.md", b"a\nb\nc\n", actor="Otter")
    lab.edit("Sea.md", b"sea\n", actor="heron")

    files = lab.history.diff(by="otter").files

    assert [(file.path, file.added, file.removed) for file in files] == [
        ("Boat.md", 1, 5),
        ("Boat.md", 1, 0),
    ]


@pytest.mark.parametrize(
    ("subject", "paths"),
    [
        ("boat", ["Boat.md", "Sea.md", "log/Day.md"]),
        ("CAFÉ", ["log/Day.md"]),
        ("soundings", ["Sea.md"]),
        ("nowhere", []),
    ],
)
def test_subject_keeps_what_mentions_it(lab: Lab, subject: str, paths: list[str]) -> None:
    lab.edit("Boat.md", b"one\n")
    lab.edit("Sea.md", b"# Sea\r\n", cause="new soundings")
    lab.edit("log/Day.md", "at the café".encode())
    answer = lab.history.diff(subject=subject)
    assert [file.path for file in answer.files] == paths


def test_subject_keeps_only_the_hunks_that_mention_it(lab: Lab) -> None:
    before = b"".join(b"line %d\n" % number for number in range(30))
    lab.apply(Creation("Long.md", before))
    lab.now += 2 * DAY
    lab.edit("Long.md", before.replace(b"line 2\n", b"seal\n").replace(b"line 25\n", b"tern\n"))

    (file,) = lab.history.diff(subject="tern").files

    assert (len(file.hunks), file.added, file.removed) == (1, 1, 1)
    assert "+tern" in file.hunks[0].lines


def test_without_a_line_break_at_the_end_it_says_so(lab: Lab) -> None:
    lab.edit("log/Day.md", b"a day with [[Boat]]\n")
    (file,) = lab.history.diff().files
    assert file.hunks[0].lines == (
        "-a day with [[Boat]]",
        "\\ No line break at the end",
        "+a day with [[Boat]]",
    )


def test_an_emptied_trash_does_not_matter(lab: Lab) -> None:
    lab.trash("Sea.md")
    shutil.rmtree(lab.root / ".trash")
    assert told(lab.history.diff()) == [("Sea.md", None, "deleted")]
