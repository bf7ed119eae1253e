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


def test_lines_that_are_no_events_are_faults(lab: Lab) -> None:
    lab.edit("Boat.md", b"new")
    (path,) = (lab.root / ".vaultmem" / "journal").glob("*/*.jsonl")
    path.write_bytes(b"{}\n" + path.read_bytes() + b'{"id": "2026')
    shown = path.relative_to(lab.root).as_posix()
    assert [(fault.code, fault.event) for fault in lab.history.prove().faults] == [
        ("no-event", f"{shown}:1"),
        ("torn-line", f"{shown}:3"),
    ]


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
