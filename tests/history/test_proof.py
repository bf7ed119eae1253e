"""Replaying all receipts: what is well is proven, and every fault is found and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.history.conftest import DAY, Lab
from vaultmem.files.changes import Creation
from vaultmem.files.events import ByteSpan, EventKind, FileChange
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.history.proof import span_fault


def object_of(lab: Lab, data: bytes) -> Path:
    digest = content_hash(data)
    return lab.root / ".vaultmem" / "objects" / digest[:2] / digest[2:]


def busy(lab: Lab) -> None:
    """Four changes of all sorts."""
    lab.edit("Boat.md", b"one\n2\nthree\nfour\nfive\n")
    lab.apply(lab.to("Sea.md", b"# Sea\r\n"), lab.moved("Boat.md", "Ship.md"))
    lab.apply(Creation("New.md", b"new"))
    lab.move("log", "diary")
    lab.edit("diary/Day.md", b"a day")
    lab.trash("New.md")


def test_all_is_well(lab: Lab) -> None:
    busy(lab)
    proof = lab.history.prove()
    assert (proof.proven, proof.faults) == (True, ())
    assert (proof.events, proof.receipts, proof.versions) == (6, 6, 7)
    assert (proof.files, proof.matched, proof.gaps, proof.hash_only) == (3, 3, 0, 0)
    assert (proof.edited_since, proof.gone_since) == ((), ())


def test_a_vault_without_events_is_proven(lab: Lab) -> None:
    proof = lab.history.prove()
    assert (proof.proven, proof.events, proof.files) == (True, 0, 0)


def test_hand_edits_are_no_faults(lab: Lab) -> None:
    busy(lab)
    lab.by_hand("Ship.md", b"mine", told=True)
    lab.by_hand("Sea.md", b"unseen")
    lab.edit("Sea.md", b"ours again")
    lab.by_hand("Sea.md", b"unseen again")
    (lab.root / "diary" / "Day.md").unlink()

    proof = lab.history.prove()

    assert (proof.proven, proof.hash_only, proof.gaps) == (True, 1, 1)
    assert (proof.files, proof.matched) == (3, 1)
    assert (proof.edited_since, proof.gone_since) == (("Sea.md",), ("diary/Day.md",))


def test_a_missing_version_is_a_fault(lab: Lab) -> None:
    event = lab.edit("Boat.md", b"new")
    object_of(lab, b"new").unlink()
    (fault,) = lab.history.prove().faults
    assert (fault.code, fault.event, fault.path) == ("missing-version", event.id, "Boat.md")


def test_a_damaged_version_is_a_fault(lab: Lab) -> None:
    lab.edit("Boat.md", b"new")
    object_of(lab, b"new").write_bytes(b"-other")
    proof = lab.history.prove()
    assert [fault.code for fault in proof.faults] == ["damaged-version"]
    assert not proof.proven


@pytest.mark.parametrize(
    ("spans", "code"),
    [
        ((ByteSpan(2, 3, 1),), None),
        ((ByteSpan(0, 5, 5),), None),
        ((ByteSpan(1, 1, 0), ByteSpan(2, 3, 1)), None),
        ((), "outside-span"),
        ((ByteSpan(1, 2, 1),), "outside-span"),
        ((ByteSpan(2, 3, 2),), "outside-span"),
        ((ByteSpan(0, 5, 4),), "wrong-span"),
        ((ByteSpan(0, 5, 9),), "wrong-span"),
        ((ByteSpan(2, 9, 1),), "wrong-span"),
        ((ByteSpan(2, 3, 1), ByteSpan(1, 2, 1)), "wrong-span"),
    ],
)
def test_a_receipt_names_all_that_changed(spans: tuple[ByteSpan, ...], code: str | None) -> None:
    assert span_fault(b"abcde", b"abXde", spans) == code


def test_bytes_that_changed_outside_of_the_receipt_are_a_fault(lab: Lab) -> None:
    ObjectStore(lab.root).put_all([b"abcde", b"Xbcde"])
    change = FileChange(
        "A.md", None, content_hash(b"abcde"), content_hash(b"Xbcde"), (ByteSpan(3, 4, 1),)
    )
    lab.tell(EventKind.UPDATED, (change,))
    assert [fault.code for fault in lab.history.prove().faults] == ["outside-span"]


def journal_file(lab: Lab) -> Path:
    (path,) = (lab.root / ".vaultmem" / "journal").glob("*/*.jsonl")
    return path


def test_lines_that_are_no_events_are_faults(lab: Lab) -> None:
    lab.edit("Boat.md", b"new")
    path = journal_file(lab)
    path.write_bytes(b"{}\n" + path.read_bytes())
    shown = path.relative_to(lab.root).as_posix()
    assert [(fault.code, fault.event) for fault in lab.history.prove().faults] == [
        ("no-event", f"{shown}:1"),
    ]


def test_a_line_that_a_crash_cut_off_is_named_and_no_fault(lab: Lab) -> None:
    lab.edit("Boat.md", b"new")
    path = journal_file(lab)
    path.write_bytes(path.read_bytes() + b'{"id":"2026')
    shown = path.relative_to(lab.root).as_posix()

    assert lab.history.prove().cut_off == (f"{shown}:2",)

    lab.edit("Boat.md", b"newer")
    proof = lab.history.prove()
    assert (proof.proven, proof.events, proof.cut_off) == (True, 2, (f"{shown}:2",))


def test_an_event_that_was_undone_and_is_not_there_is_a_fault(lab: Lab) -> None:
    gone = lab.edit("Boat.md", b"new")
    lab.now += 1
    undo = lab.history.undo([gone.id]).event
    path = journal_file(lab)
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first[:-20] + b"\n" + second)

    proof = lab.history.prove()

    assert not proof.proven
    (fault,) = proof.faults
    assert (fault.code, fault.event) == ("missing-event", undo)
    assert gone.id in fault.message
    assert "its line was cut off" in fault.message

    path.write_bytes(second)
    assert [fault.code for fault in lab.history.prove().faults] == ["missing-event"]


def test_versions_without_a_journal_are_told(lab: Lab) -> None:
    lab.edit("Boat.md", b"new")
    assert lab.history.prove().unnamed == 0
    journal_file(lab).unlink()
    proof = lab.history.prove()
    assert (proof.events, proof.unnamed) == (0, 2)


class TestAFolderThatMovesWithEditsInside:
    """As every rename of a folder that rewrites links in it."""

    def test_nothing_is_called_edited_since(self, lab: Lab) -> None:
        lab.edit("log/Day.md", b"one day")
        lab.apply(lab.to("log/Day.md", b"another day"), lab.moved("log", "old/diary"))
        proof = lab.history.prove()
        assert (proof.proven, proof.gaps, proof.edited_since) == (True, 0, ())
        assert (proof.files, proof.matched) == (1, 1)

    def test_nor_after_it_was_taken_back(self, lab: Lab) -> None:
        lab.apply(lab.to("log/Day.md", b"another day"), lab.moved("log", "diary"))
        lab.edit("diary/Day.md", b"a third day")
        lab.history.undo(["last"])
        lab.history.undo(["last"])
        proof = lab.history.prove()
        assert (proof.proven, proof.gaps, proof.edited_since) == (True, 0, ())
        assert (proof.files, proof.matched) == (1, 1)

    def test_a_hand_edit_inside_is(self, lab: Lab) -> None:
        lab.apply(lab.to("log/Day.md", b"another day"), lab.moved("log", "diary"))
        lab.by_hand("diary/Day.md", b"mine")
        assert lab.history.prove().edited_since == ("diary/Day.md",)

    def test_files_that_did_not_change_come_along(self, lab: Lab) -> None:
        lab.edit("log/Day.md", b"one day")
        lab.apply(Creation("log/Night.md", b"night"))
        lab.apply(lab.to("log/Night.md", b"dark"), lab.moved("log", "diary"))
        lab.by_hand("diary/Day.md", b"mine")
        proof = lab.history.prove()
        assert (proof.files, proof.matched) == (2, 1)
        assert (proof.gone_since, proof.edited_since) == ((), ("diary/Day.md",))


def test_versions_that_were_let_go_are_no_faults_but_others_are(lab: Lab) -> None:
    lab.edit("Boat.md", b"old")
    lab.now += 40 * DAY
    lab.edit("Boat.md", b"newer")
    lab.edit("Boat.md", b"newest")
    lab.history.gc()

    proof = lab.history.prove()
    assert (proof.proven, proof.let_go, proof.receipts) == (True, 1, 2)

    object_of(lab, b"newer").unlink()
    assert {fault.code for fault in lab.history.prove().faults} == {"missing-version"}
