"""Taking events back: all or nothing, byte for byte (P2)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.files.vaults import contents
from tests.history.conftest import Lab
from vaultmem.errors import LockedError, NotFoundError, RefusedError, UsageError
from vaultmem.files.changes import Creation
from vaultmem.files.events import EventKind
from vaultmem.files.journal import Journal
from vaultmem.history.answers import DiffHunk
from vaultmem.history.history import History


def test_an_edit_goes_back_byte_for_byte_and_the_undo_too(lab: Lab) -> None:
    old = lab.read("Sea.md")
    event = lab.edit("Sea.md", b"# Sea\r\nnew\rlines\xff")
    new = lab.read("Sea.md")

    report = lab.history.undo([event.id])

    assert lab.read("Sea.md") == old
    assert (report.done, report.undone, report.dry_run) == (True, (event.id,), False)
    (told,) = [e for e in Journal(lab.root).newest() if e.id == report.event]
    assert (told.kind, told.undone, told.cause) == (
        EventKind.UNDONE,
        (event.id,),
        "take back: because",
    )
    assert lab.synced == [["Sea.md"]]

    assert report.event is not None
    lab.history.undo([report.event])
    assert lab.read("Sea.md") == new


def test_a_rename_goes_back_with_its_cascade(lab: Lab) -> None:
    before = contents(lab.root)
    lab.apply(
        lab.to("Sea.md", b"# Sea\r\nsee [[Ship]]\r\n"),
        lab.to("Boat.md", b"boat\n"),
        lab.to("log/Day.md", b"a day with [[Ship]]"),
        lab.moved("Boat.md", "fleet/Ship.md"),
    )

    report = lab.history.undo(["last"])

    assert contents(lab.root) == before
    assert [(file.path, file.path_after, file.action) for file in report.files] == [
        ("Sea.md", "Sea.md", "restored"),
        ("fleet/Ship.md", "Boat.md", "moved and restored"),
        ("log/Day.md", "log/Day.md", "restored"),
    ]


def test_a_note_that_was_made_goes_to_the_trash_and_comes_back(lab: Lab) -> None:
    lab.apply(Creation("New.md", b"new"))
    (lab.root / ".trash").mkdir()
    (lab.root / ".trash" / "New.md").write_bytes(b"an older one")

    undo = lab.history.undo(["last"]).event
    assert contents(lab.root)[".trash/New 1.md"] == b"new"
    assert not (lab.root / "New.md").exists()

    assert undo is not None
    lab.history.undo([undo])
    assert lab.read("New.md") == b"new"
    assert lab.read(".trash/New.md") == b"an older one"


@pytest.mark.parametrize("emptied", [False, True])
def test_a_deleted_note_comes_back_from_the_trash_or_the_store(lab: Lab, emptied: bool) -> None:
    before = contents(lab.root)
    lab.trash("Boat.md")
    if emptied:
        shutil.rmtree(lab.root / ".trash")

    report = lab.history.undo(["last"])

    assert contents(lab.root) == before
    assert [file.action for file in report.files] == ["brought back"]


def test_a_dry_run_shows_it_and_does_nothing(lab: Lab) -> None:
    lab.edit("Boat.md", b"one\ntwo\n3\nfour\nfive\n")
    before = contents(lab.root)

    report = lab.history.undo(["last"], dry_run=True)

    assert contents(lab.root) == before
    assert (report.done, report.event, report.dry_run) == (False, None, True)
    lines = (" one", " two", "-3", "+three", " four", " five")
    assert report.files[0].hunks == (DiffHunk(1, 5, 1, 5, lines),)


def test_several_go_back_as_one_event_newest_first(lab: Lab) -> None:
    before = contents(lab.root)
    first = lab.edit("Boat.md", b"1\n")
    lab.move("Boat.md", "Ship.md")
    second = lab.edit("Ship.md", b"2\n")
    made = lab.apply(Creation("New.md", b"new"))
    moved = lab.history.history("Ship").entries[1].event

    report = lab.history.undo([first.id, made.id, second.id, moved])

    assert report.undone == (made.id, second.id, moved, first.id)
    assert contents(lab.root) == before | {".trash/New.md": b"new"}
    assert report.event is not None
    lab.history.undo([report.event])
    assert (lab.read("Ship.md"), lab.read("New.md")) == (b"2\n", b"new")


def test_an_edit_before_a_rename_goes_back_alone(lab: Lab) -> None:
    old = lab.read("Boat.md")
    event = lab.edit("Boat.md", b"1\n")
    lab.move("Boat.md", "log/Ship.md")
    lab.move("log", "diary")

    lab.history.undo([event.id])

    assert lab.read("diary/Ship.md") == old


def test_last_goes_further_back_each_time(lab: Lab) -> None:
    before = contents(lab.root)
    lab.edit("Boat.md", b"1\n")
    lab.edit("Boat.md", b"2\n")
    lab.by_hand("Sea.md", b"mine", told=True)

    lab.history.undo(["last"])
    assert lab.read("Boat.md") == b"1\n"
    lab.history.undo(["last"])
    assert contents(lab.root) == before | {"Sea.md": b"mine"}
    with pytest.raises(NotFoundError, match="nothing to undo"):
        lab.history.undo(["last"])


BYTES = st.sampled_from([b"", b"a\n", b"b\r\n", b"c", b"a\nb\n", b"\xef\xbb\xbfx\n", b"\x00\xff"])
DEEDS = st.lists(st.tuples(st.sampled_from(["edit", "move", "make", "trash"]), BYTES), max_size=6)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(deeds=DEEDS, data=st.data())
def test_undoing_everything_restores_the_vault(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, bytes]], data: st.DataObject
) -> None:
    """One by one from the newest, or all at once: every note has its old bytes at its old place."""
    root: Path = tmp_path_factory.mktemp("vault")
    lab = Lab(root)
    for name in ("A.md", "B.md"):
        (root / name).write_bytes(name.encode())
    before = _notes(lab)
    events = []
    for number, (deed, text) in enumerate(deeds):
        notes = sorted(_notes(lab))
        if deed == "make":
            events.append(lab.apply(Creation(f"N{number}.md", text)))
        elif notes:
            note = data.draw(st.sampled_from(notes))
            if deed == "move":
                events.append(lab.move(note, f"M{number}.md"))
            elif deed == "trash":
                events.append(lab.trash(note))
            elif lab.read(note) != text:
                events.append(lab.edit(note, text))
    together: bool = data.draw(st.booleans())
    if events and together:
        lab.history.undo([event.id for event in events])
    else:
        for event in reversed(events):
            lab.history.undo([event.id])
    assert _notes(lab) == before
    assert lab.history.prove().faults == ()


def _notes(lab: Lab) -> dict[str, bytes]:
    return {path: data for path, data in contents(lab.root).items() if path[0] != "."}


def test_an_index_that_cannot_follow_makes_no_undo_a_failure(lab: Lab) -> None:
    """The bytes are back on the disk, and the answer says so, with what is still to come."""
    old = lab.read("Sea.md")
    event = lab.edit("Sea.md", b"new")

    def busy(_: Sequence[str]) -> None:
        raise LockedError("The index is being written.")

    history = History(
        lab.root,
        keep_days=30,
        clock_ns=lambda: lab.now,
        rules=lab.rules,
        find=lab.find,
        bring_in=busy,
    )
    report = history.undo([event.id])

    assert (lab.read("Sea.md"), report.done) == (old, True)
    assert (
        report.note == "It is undone; the index does not have it yet: The index is being written."
    )


# -- which event is meant -------------------------------------------------------------------------------------------


def test_an_id_may_be_shortened_as_long_as_it_is_one(lab: Lab) -> None:
    one = lab.edit("Boat.md", b"1\n")
    lab.edit("Boat.md", b"2\n")

    with pytest.raises(UsageError, match="2 events begin with '2026'"):
        lab.history.undo(["2026"])
    assert lab.history.undo(["last", one.id[:-3]]).undone[-1] == one.id


def test_a_word_that_is_no_event_gets_close_ids(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"1\n")
    with pytest.raises(NotFoundError) as caught:
        lab.history.undo([f"{event.id[:-1]}_"])
    assert caught.value.hint == f"Did you mean {event.id}?"
    with pytest.raises(NotFoundError) as caught:
        lab.history.undo(["zebra"])
    assert caught.value.hint == "`vaultmem history` lists the events with their ids."
    for none in ([], [" "]):
        with pytest.raises(UsageError):
            lab.history.undo(none)


def test_what_is_undone_is_not_undone_again_until_it_stands_again(lab: Lab) -> None:
    old = lab.read("Boat.md")
    event = lab.edit("Boat.md", b"1\n")
    undo = lab.history.undo([event.id]).event
    assert undo is not None
    with pytest.raises(RefusedError, match=f"already undone by {undo}"):
        lab.history.undo([event.id])

    lab.history.undo([undo])
    lab.history.undo([event.id])
    assert lab.read("Boat.md") == old
