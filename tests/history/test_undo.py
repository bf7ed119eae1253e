"""Taking events back: all or nothing, byte for byte, and a hand edit wins (P2, P5)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.files.vaults import contents
from tests.history.conftest import MINUTE, Lab
from vaultmem.errors import LockedError, NotFoundError, RefusedError, UsageError
from vaultmem.files.changes import Creation
from vaultmem.files.events import EventKind, FileChange, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.files.read import content_hash
from vaultmem.history.answers import DiffHunk, KeptPart, UndoConflict
from vaultmem.history.history import History, UndoRefused


def refusal(lab: Lab, *words: str, keep_mine: bool = False) -> tuple[UndoConflict, ...]:
    """The conflicts of an undo that is refused, which leaves every file as it was."""
    before = contents(lab.root)
    with pytest.raises(UndoRefused) as caught:
        lab.history.undo(words, keep_mine=keep_mine)
    assert contents(lab.root) == before
    assert caught.value.exit_code == 4
    return caught.value.report.conflicts


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


def test_a_folder_goes_back_with_what_was_edited_in_it(lab: Lab) -> None:
    before = contents(lab.root)
    lab.apply(lab.to("log/Day.md", b"a day"), lab.moved("log", "diary"))
    (lab.root / "diary" / "new.txt").write_bytes(b"came later")

    lab.history.undo(["last"])

    assert contents(lab.root) == before | {"log/new.txt": b"came later"}


def test_a_folder_that_moved_twice_with_edits_in_it_goes_back_step_by_step(lab: Lab) -> None:
    before = contents(lab.root)
    lab.apply(lab.to("log/Day.md", b"a day"), lab.moved("log", "diary"))
    lab.apply(lab.to("diary/Day.md", b"another day"), lab.moved("diary", "annals"))

    lab.history.undo(["last"])
    lab.history.undo(["last"])

    assert contents(lab.root) == before


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


# -- words -------------------------------------------------------------------------------------------------------


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


# -- what came after ---------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("after", ["gone", "deleted", "renamed", "moved out"])
def test_keep_mine_moves_a_folder_back_without_what_left_it(lab: Lab, after: str) -> None:
    """A note in it, with a link that was edited, was taken away or given another name since."""
    day = lab.read("log/Day.md")
    lab.by_hand("log/Log.md", b"stays in the folder")
    event = lab.apply(lab.to("log/Day.md", b"linked"), lab.moved("log", "diary"))
    now, note = "diary/Day.md", "It was deleted since, so it stays so."
    if after == "gone":
        (lab.root / now).unlink()
    elif after == "deleted":
        lab.trash(now)
        now = ".trash/Day.md"
    else:
        now = "diary/Night.md" if after == "renamed" else "Night.md"
        note = "It was moved on since, and that stays."
        digest = content_hash(b"linked")
        (lab.root / "diary/Day.md").rename(lab.root / now)
        lab.now += MINUTE
        change = FileChange("diary/Day.md", now, digest, digest)
        lab.tell(EventKind.EDITED_BY_HAND, (change,), actor="by hand")
    assert {conflict.keep_mine for conflict in refusal(lab, event.id)} == {True}

    report = lab.history.undo([event.id], keep_mine=True)

    left = {
        "gone": {},
        "deleted": {".trash/Day.md": b"linked"},
        "renamed": {"log/Night.md": day},
        "moved out": {"Night.md": day},
    }
    rest = {"log/Log.md": b"stays in the folder"}
    for path in ("Boat.md", "Sea.md"):
        rest[path] = lab.read(path)
    assert contents(lab.root) == rest | left[after]
    assert (now, note) in [(file.path, file.note) for file in report.files]
    assert report.event is not None
    lab.history.undo([report.event])
    assert lab.read("diary/Log.md") == b"stays in the folder"


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


class TestFoldersThatWereMade:
    """What a change made for itself goes with it; what somebody has put something into stays."""

    @pytest.mark.parametrize("path", ["New/Deep/Boat.md", "New/Boat.md"])
    def test_a_move_takes_its_new_folders_back(self, lab: Lab, path: str) -> None:
        lab.move("Boat.md", path)
        lab.history.undo(["last"])
        assert not (lab.root / "New").exists()

    def test_and_the_undo_makes_them_again_when_it_is_undone(self, lab: Lab) -> None:
        lab.move("Boat.md", "New/Deep/Boat.md")
        undo = lab.history.undo(["last"]).event
        assert undo is not None
        lab.history.undo([undo])
        assert (lab.root / "New/Deep/Boat.md").exists()

    def test_a_note_that_was_made_takes_its_folder_along(self, lab: Lab) -> None:
        event = lab.apply(Creation("New/Deep/Note.md", b"note"), kind=EventKind.CREATED)
        lab.history.undo([event.id])
        assert not (lab.root / "New").exists()

    def test_a_folder_that_holds_something_else_stays(self, lab: Lab) -> None:
        lab.move("Boat.md", "New/Deep/Boat.md")
        lab.by_hand("New/mine.txt", b"mine")
        lab.history.undo(["last"])
        assert sorted(path.name for path in (lab.root / "New").iterdir()) == ["mine.txt"]

    def test_a_folder_that_was_there_before_stays(self, lab: Lab) -> None:
        (lab.root / "Empty").mkdir()
        lab.move("Boat.md", "Empty/Boat.md")
        lab.history.undo(["last"])
        assert (lab.root / "Empty").is_dir()

    def test_nothing_is_left_in_the_way_of_an_older_undo(self, lab: Lab) -> None:
        lab.move("log", "diary")
        lab.move("Boat.md", "log/Boat.md")
        lab.history.undo(["last"])
        lab.history.undo(["last"])
        assert sorted(path.name for path in lab.root.iterdir() if path.name[0] != ".") == [
            "Boat.md",
            "Sea.md",
            "log",
        ]

    def test_they_are_found_where_they_were_moved_since(self, lab: Lab) -> None:
        event = lab.apply(Creation("New/Deep/Note.md", b"note"), kind=EventKind.CREATED)
        lab.by_hand("New/Other.md", b"other")
        lab.move("New", "Newer")
        lab.history.undo([event.id])
        assert sorted(path.name for path in (lab.root / "Newer").iterdir()) == ["Other.md"]

    def test_what_a_journal_says_of_places_outside_is_not_touched(self, lab: Lab) -> None:
        outside = lab.root.parent / f"{lab.root.name}-outside"
        outside.mkdir()
        event = lab.move("Boat.md", "New/Boat.md")
        (path,) = (lab.root / ".vaultmem/journal").glob("*/*.jsonl")
        text = path.read_text()
        assert '"made_folders":["New"]' in text
        path.write_text(text.replace('["New"]', f'["../{outside.name}",".vaultmem",3]'))
        lab.history.undo([event.id])
        assert outside.is_dir()
        outside.rmdir()


class TestAFolderOfWhichAFileWasMovedAway:
    """As for a single file: what was moved on since is not where the links would lead again."""

    @pytest.fixture
    def moved(self, lab: Lab) -> MemoryEvent:
        return lab.move("log", "diary")

    def taken_out(self, lab: Lab, path: str, new: str) -> None:
        """By hand, and a sync has seen it."""
        digest = content_hash(lab.read(path))
        (lab.root / new).parent.mkdir(exist_ok=True)
        (lab.root / path).rename(lab.root / new)
        lab.now += MINUTE
        change = FileChange(path, new, digest, digest)
        lab.tell(EventKind.EDITED_BY_HAND, (change,), actor="by hand")

    def test_it_is_refused(self, lab: Lab, moved: MemoryEvent) -> None:
        self.taken_out(lab, "diary/Day.md", "Day.md")
        (conflict,) = refusal(lab, moved.id)
        assert (conflict.path, conflict.reason) == (
            "diary/Day.md",
            "It was moved on since, to Day.md.",
        )

    def test_together_with_that_move_it_is_done(self, lab: Lab, moved: MemoryEvent) -> None:
        out = lab.move("diary/Day.md", "Day.md")
        lab.history.undo([moved.id, out.id])
        assert lab.read("log/Day.md") == b"a day with [[Boat]]"

    def test_once_it_is_back_nothing_is_in_the_way(self, lab: Lab, moved: MemoryEvent) -> None:
        self.taken_out(lab, "diary/Day.md", "Day.md")
        self.taken_out(lab, "Day.md", "diary/Day.md")
        lab.history.undo([moved.id])
        assert (lab.root / "log/Day.md").exists()

    def test_a_guest_is_not_missed(self, lab: Lab, moved: MemoryEvent) -> None:
        self.taken_out(lab, "Boat.md", "diary/Boat.md")
        self.taken_out(lab, "diary/Boat.md", "Boat.md")
        lab.history.undo([moved.id])
        assert (lab.root / "log/Day.md").exists()

    def test_nor_is_what_was_deleted(self, lab: Lab, moved: MemoryEvent) -> None:
        lab.trash("diary/Day.md")
        lab.history.undo([moved.id])
        assert (lab.root / "log").is_dir()


# -- cycles ------------------------------------------------------------------------------------------------------


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
