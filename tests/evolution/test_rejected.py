"""What was rejected once is remembered while its inputs stay as they are."""

from __future__ import annotations

from vaultmem.evolution import Rejected, RejectedEdits, fingerprint
from vaultmem.evolution.rejected import MOST

MERGE = Rejected("merge", {"a": "h1", "b": "h2"}, "values differ", "c1")


def test_the_same_edit_on_the_same_inputs_is_found_whatever_their_order() -> None:
    edits = RejectedEdits().with_rejected(MERGE)

    assert edits.find("merge", {"b": "h2", "a": "h1"}) == MERGE
    assert edits.find("merge", {"a": "h1", "b": "changed"}) is None
    assert edits.find("archive", {"a": "h1", "b": "h2"}) is None
    assert fingerprint("merge", {"a": "h1"}) != fingerprint("merge", {"ah": "1"})


def test_a_rejection_goes_when_an_input_changed_or_is_gone() -> None:
    edits = RejectedEdits().with_rejected(MERGE)

    assert edits.still_valid({"a": "h1", "b": "h2", "c": "h9"}) == edits
    assert edits.still_valid({"a": "h1", "b": "new"}) == RejectedEdits()
    assert edits.still_valid({"a": "h1"}) == RejectedEdits()


def test_a_rejection_follows_an_edit_of_ours() -> None:
    other = Rejected("archive", {"a": "h0"}, "", "c1")
    edits = RejectedEdits().with_rejected(other).with_rejected(MERGE).followed("a", "h1", "h3")

    assert edits == RejectedEdits().with_rejected(other).with_rejected(
        Rejected("merge", {"a": "h3", "b": "h2"}, "values differ", "c1")
    )


def test_the_oldest_go_first_when_there_are_too_many() -> None:
    edits = RejectedEdits().with_rejected(MERGE)
    for i in range(MOST):
        edits = edits.with_rejected(Rejected("archive", {"n": str(i)}, "", "c2"))

    assert len(edits.entries) == MOST
    assert edits.find("merge", MERGE.inputs) is None
    assert edits.find("archive", {"n": "0"}) is not None
