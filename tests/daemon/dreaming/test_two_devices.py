"""One vault on two devices: file sync brings the review note, the proposals, the notes and the journal in any order, or
some of them never. What this device does not know stays in the note, and nothing is done about it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import time_ns

import pytest

from tests.daemon.dreaming.nights import dream, notes_of, vault_with
from vaultmem.dream.decided import ReviewOutcome
from vaultmem.dream.review_note import Choice, read_decisions
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.reviews import Reviews

NOTE = "Memory/_review/Review.md"
COPY = "Memory/_review/Review.sync-conflict-20261130-101112-ABCDEFG.md"
BROKEN = {f"{place}.md": f"See [[Lantren in the {place}]].\n" for place in ("attic", "den")}
TOLD = (
    f"2 items in {NOTE} are from another device, and what they propose has not arrived here: they stay as they are. "
    "Decide there, or here once it has arrived."
)


@dataclass(frozen=True, slots=True)
class Device:
    """A vault of the two, and what a person may do on it."""

    vault: Vault

    @property
    def note(self) -> str:
        return (self.vault.root / NOTE).read_text()

    @property
    def marks(self) -> dict[str, Choice]:
        return {name: decision.choice for name, decision in read_decisions(self.note).items()}

    def marked(self, mark: str) -> None:
        """All boxes of the review note so."""
        place = self.vault.root / NOTE
        place.write_text(self.note.replace("- [ ]", f"- [{mark}]"))

    def decide(self) -> ReviewOutcome:
        self.vault.sync()
        return Reviews(self.vault, time_ns).take_decisions()

    def waiting(self) -> set[str]:
        return {proposal.id for proposal in Reviews(self.vault, time_ns).waiting()}

    def gets(self, other: Device, path: str) -> None:
        """File sync brings a file, or a folder with all that is in it and nothing else."""
        source, place = other.vault.root / path, self.vault.root / path
        if source.is_dir():
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(source, place)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)


Two = tuple[Device, Device]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    """One device that has dreamt, two broken links waiting, and one that has not."""
    with ExitStack() as stack:
        one, other = (
            Device(stack.enter_context(vault_with(tmp_path / name, BROKEN))) for name in ("a", "b")
        )
        dream(one.vault)
        yield one, other


@pytest.mark.parametrize("mark", [" ", "x", "-"])
def test_an_item_whose_proposal_is_not_here_stays_as_it_is_and_is_told_once(
    two: Two, mark: str
) -> None:
    one, other = two
    other.gets(one, NOTE)
    other.marked(mark)
    note, notes = other.note, notes_of(other.vault)

    first, second = other.decide(), other.decide()

    assert first == ReviewOutcome(warnings=(TOLD,))
    assert second == ReviewOutcome()
    assert (other.note, notes_of(other.vault)) == (note, notes)
    told = Reviews(other.vault, time_ns).told()
    assert (told.suggestions, set(told.unknown)) == ((), one.waiting())


def test_it_stays_through_a_cycle_and_beside_what_this_device_proposes(two: Two) -> None:
    one, other = two
    other.gets(one, NOTE)
    held = one.marks
    (other.vault.root / "attic.md").unlink()
    (other.vault.root / "den.md").unlink()
    (other.vault.root / "hall.md").write_text("See [[Lantren in the hall]].\n")

    dream(other.vault)

    assert set(other.marks) == set(held) | other.waiting()
    assert len(other.waiting()) == 1
    assert "Nothing waits" not in other.note


def test_a_mark_is_followed_once_the_proposal_has_arrived(two: Two) -> None:
    one, other = two
    other.gets(one, NOTE)
    other.marked("x")
    other.decide()

    other.gets(one, ".vaultmem/proposals")
    done = other.decide()

    assert len(done.applied) == 2
    assert other.marks == {}


def test_a_mark_is_followed_once_this_device_has_found_the_same(two: Two) -> None:
    one, other = two
    other.gets(one, NOTE)
    other.marked("x")
    other.decide()

    dream(other.vault)
    assert set(other.marks.values()) == {Choice.ACCEPT}
    done = other.decide()

    assert len(done.applied) == 2
    assert other.marks == {}


def test_a_proposal_that_comes_before_its_notes_waits_for_them(two: Two) -> None:
    one, other = two
    (one.vault.root / "attic.md").write_text("Later. See [[Lantren in the attic]].\n")
    dream(one.vault, night=1)
    other.gets(one, NOTE)
    other.gets(one, ".vaultmem/proposals")
    other.marked("x")

    early = other.decide()
    assert (len(early.applied), early.void, len(early.warnings)) == (1, (), 1)
    assert list(other.marks.values()) == [Choice.ACCEPT]
    other.gets(one, "attic.md")
    late = other.decide()

    assert (len(late.applied), late.void, late.warnings) == (1, (), ())
    assert other.marks == {}


def test_an_older_note_with_marks_that_were_followed_elsewhere_does_nothing_again(two: Two) -> None:
    one, other = two
    one.marked("x")
    other.gets(one, NOTE)
    one.decide()
    for path in (*BROKEN, ".vaultmem/journal"):
        other.gets(one, path)
    notes = notes_of(other.vault)

    assert other.decide() == ReviewOutcome()
    dream(other.vault)

    assert other.marks == {}
    assert notes_of(other.vault) == notes


def test_an_older_note_that_comes_back_to_the_device_that_followed_it_does_nothing_again(
    two: Two,
) -> None:
    one, _ = two
    one.marked("x")
    older = one.note
    one.decide()
    notes = notes_of(one.vault)
    (one.vault.root / NOTE).write_text(older)

    assert one.decide() == ReviewOutcome()
    dream(one.vault, night=1)

    assert one.marks == {}
    assert notes_of(one.vault) == notes


def test_what_was_decided_elsewhere_leaves_the_note_with_the_next_cycle(two: Two) -> None:
    one, other = two
    other.gets(one, NOTE)
    other.gets(one, ".vaultmem/proposals")
    other.decide()
    one.marked("-")
    one.decide()

    other.gets(one, ".vaultmem/proposals")
    dream(other.vault)

    assert set(other.marks) == other.waiting()


@pytest.mark.parametrize("text", ["{", '{"stage": "of a newer version"}'])
def test_a_proposal_that_cannot_be_read_is_not_taken_for_settled(two: Two, text: str) -> None:
    one, _ = two
    note = one.note
    for place in (one.vault.root / ".vaultmem/proposals").glob("*.json"):
        place.write_text(text)

    Reviews(one.vault, time_ns).refresh()

    assert one.note == note


def test_marks_in_a_copy_that_file_sync_left_are_told_once_and_not_followed(two: Two) -> None:
    one, _ = two
    notes = notes_of(one.vault)
    (one.vault.root / COPY).write_text(one.note.replace("- [ ]", "- [x]"))

    first, second = one.decide(), one.decide()

    told = (
        f"{COPY} is a copy that file sync left of the review note: marks in it are not followed. "
        f"Make them in {NOTE}, then delete the copy."
    )
    assert first == ReviewOutcome(warnings=(told,), waiting=2)
    assert second == ReviewOutcome(waiting=2)
    assert notes_of(one.vault) == notes


def test_what_only_a_copy_holds_was_not_taken_out_by_a_person(two: Two) -> None:
    """The other device's note came in the place of this one's, which file sync put aside."""
    one, other = two
    held = one.marks
    (one.vault.root / COPY).write_text(one.note)
    (other.vault.root / "hall.md").write_text("See [[Lantren in the hall]].\n")
    (other.vault.root / "attic.md").unlink()
    (other.vault.root / "den.md").unlink()
    dream(other.vault)
    one.gets(other, NOTE)

    dream(one.vault, night=1)
    Reviews(one.vault, time_ns).refresh()

    assert one.marks == {**held, **other.marks}
