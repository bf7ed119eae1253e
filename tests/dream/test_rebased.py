"""A proposal after another was carried out on its note: given both texts of the note, the proposal as it is then."""

from __future__ import annotations

import pytest

from vaultmem.dream.proposal import (
    NewPlace,
    NewText,
    NoteText,
    Operation,
    Proposal,
    StageName,
)
from vaultmem.dream.rebased import rebased

NOTE = "Bread.md"
BEFORE = NoteText(NOTE, "See [[Sourdogh]] and [[Flour mil]].\n\n- Bakes for 40 minutes.\n", "aa")
NOW = NoteText(NOTE, "See [[Sourdough]] and [[Flour mil]].\n\n- Bakes for 40 minutes.\n", "bb")
CLAIM = "Bakes for 40 minutes."


def proposal(**more: object) -> Proposal:
    given: dict[str, object] = {
        "stage": StageName.LINT,
        "operation": Operation.FIX_LINK,
        "title": "Mend a link",
        "reason": "It leads nowhere.",
        "confidence": 0.9,
        "inputs": {NOTE: "aa", "Mill.md": "cc"},
        "edits": (NewText(NOTE, BEFORE.text.replace("mil]", "mill]")),),
    }
    return Proposal(**{**given, **more})  # type: ignore[arg-type]


def test_it_makes_its_own_change_on_the_text_as_it_is_now() -> None:
    after = rebased(proposal(), BEFORE, NOW)

    assert after == proposal(
        inputs={NOTE: "bb", "Mill.md": "cc"},
        edits=(NewText(NOTE, NOW.text.replace("mil]", "mill]")),),
        known_as=proposal().id,
    )
    assert after.id == proposal().id


def test_a_contradiction_that_stands_as_it_did_is_told_on() -> None:
    told = proposal(
        operation=Operation.NOTE_ONLY, edits=(), claims=((NOTE, CLAIM), ("Mill.md", "x"))
    )

    after = rebased(told, BEFORE, NOW)

    assert after is not None
    assert (after.inputs, after.edits) == ({NOTE: "bb", "Mill.md": "cc"}, ())


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(proposal(inputs={NOTE: "zz"}), id="made from other bytes"),
        pytest.param(proposal(move=NewPlace(NOTE, "Memory/_archive/Bread.md")), id="moves a note"),
        pytest.param(proposal(operation=Operation.MERGE), id="unites two notes"),
        pytest.param(
            proposal(edits=(NewText(NOTE, BEFORE.text.replace("dogh", "daugh")),)),
            id="the same link",
        ),
        pytest.param(proposal(edits=()), id="nobody knows what of the note it is about"),
        pytest.param(
            proposal(edits=(), claims=((NOTE, "See [[Sourdogh]]"),)), id="its claim was changed"
        ),
        pytest.param(proposal(claims=((NOTE, "Bakes well."),)), id="its claim is not found"),
    ],
)
def test_what_would_not_be_the_same_does_not_go_on(given: Proposal) -> None:
    assert rebased(given, BEFORE, NOW) is None
