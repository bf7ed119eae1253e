"""Taking back what was done to folders: those that moved, were made, or lost a file since."""

from __future__ import annotations

import pytest

from tests.files.vaults import contents
from tests.history.conftest import MINUTE, Lab, refusal
from vaultmem.files.changes import Creation
from vaultmem.files.events import EventKind, FileChange, MemoryEvent
from vaultmem.files.read import content_hash


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
