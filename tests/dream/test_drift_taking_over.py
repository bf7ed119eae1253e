"""What is done about a claim that no longer holds: it moves, and the newer one comes in its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.dream.contexts import applied, digest
from tests.dream.drifting import DAYS, LOG, NEW, OLD, proposed, report
from vaultmem.dream import drift, kinds
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Operation, Proposal


def test_the_claim_moves_and_says_where_it_was_corrected() -> None:
    files = {
        OLD: "# Relay\n\n- The port is 8080. ^f-1\n- Made of tin. ^f-2\n",
        NEW: "The port is 9090.\n",
    }

    (proposal,) = report(files).proposals

    assert proposal == Proposal(
        stage=DriftStage.name,
        operation=Operation.SUPERSEDE,
        title='Move an outdated claim of "Relay" to its section Superseded',
        reason=f'“The port is 8080.” against “The port is 9090.” in "{NEW}": numbers differ.',
        confidence=0.9,
        inputs={OLD: digest(files[OLD]), NEW: digest(files[NEW])},
        edits=(
            replace(
                proposal.edits[0],
                text="# Relay\n\n- The port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n"
                "- Made of tin. ^f-2\n\n## Superseded\n\n- The port is 8080. ^f-1\n"
                "  - corrected by [[Memory/a/later/Relay]], 2026-11-30\n",
            ),
        ),
        keeper=NEW,
        figures={"confidence": 0.9, "support": 0.0, "needed": 0.6, "evidence": "enough"},
        detail="The port is 8080.",
        claims=((OLD, "The port is 8080."), (NEW, "The port is 9090.")),
    )


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        pytest.param(
            "Tin.\n\nThe port is 8080.\n",
            "The port is 9090.\n",
            "Tin.\n\nThe port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n",
            id="a paragraph",
        ),
        pytest.param(
            "* The port is 8080.\n* Tin.\n",
            "As of 2026-11-02 the port is 9090.\n",
            "* As of 2026-11-02 the port is 9090. — from [[Memory/a/later/Relay]], 2026-11-02\n* Tin.\n",
            id="the day that the claim states",
        ),
        pytest.param(
            "- The port is 8080.\n- Tin.\n",
            "- The port is 9090. — from [[Rack]], 1970-05-01\n",
            "- The port is 9090. — from [[Rack]], 1970-05-01\n- Tin.\n",
            id="what was taken over before keeps its origin",
        ),
        pytest.param("- owner:: Ada\n- Tin.\n", "- owner:: Tom\n", "- Tin.\n", id="a field"),
        pytest.param(
            "- It has port 8080.\n- Tin.\n", "- It has port 9090.\n", "- Tin.\n", id="what leans"
        ),
        pytest.param(
            "- The port is 8080.\n- Tin.\n",
            "- The port is 9090 #net.\n",
            "- Tin.\n",
            id="a tag is its own note's",
        ),
        pytest.param(
            "- The port is 8080.\n- Tin.\n",
            "- The port [is](x.md) 9090.\n",
            "- Tin.\n",
            id="a link by path",
        ),
        pytest.param(
            "Tin.\nThe port is 8080.\nGrey.\n",
            "The port is 9090.\n",
            "Tin.\nGrey.\n",
            id="a line among the sentences of a paragraph",
        ),
    ],
)
def test_in_its_place_comes_what_holds_in_the_words_of_the_newer_note(
    old: str, new: str, after: str
) -> None:
    assert _after({OLD: old, NEW: new}).partition("\n## Superseded")[0] == after


@pytest.mark.parametrize("key", ["owner", "agent", "project"])
def test_words_of_a_note_that_is_for_others_stay_there(key: str) -> None:
    old, new = "- The port is 8080.\n- Tin.\n", "- The port is 9090.\n"

    def mine(value: str, body: str) -> str:
        return f"---\n{key}: {value}\n---\n{body}"

    assert "- The port is 9090." in _after({OLD: mine("Ann", old), NEW: mine("Ann", new)})
    assert "9090" not in _after({OLD: mine("Ann", old), NEW: new})
    assert "9090" not in _after({OLD: old, NEW: mine("Ann", new)})
    assert proposed({OLD: mine("Ann", old), NEW: mine("Tom", new)}) == []


def test_of_two_agents_that_say_different_things_a_person_is_told_and_neither_note_is_changed() -> (
    None
):
    theirs, everybodys = "Memory/b/facts/Relay.md", "Network/Relay.md"
    old, new = "- The port is 8080.\n- Tin.\n", "- The port is 9090.\n"

    days = {OLD: 100, theirs: 200, everybodys: 200}

    (told,) = report({OLD: old, theirs: new}, days=days).proposals
    (changed,) = report({OLD: old, everybodys: new}, days=days).proposals

    assert (told.operation, told.edits, told.reason.endswith(drift.APART)) == (
        Operation.NOTE_ONLY,
        (),
        True,
    )
    assert (changed.operation, changed.keeper) == (Operation.SUPERSEDE, everybodys)


def _after(files: dict[str, str]) -> str:
    """The older note once all is done."""
    return applied(files, report(files).proposals)[OLD]


def test_a_claim_is_taken_over_into_a_note_about_something_else_only_where_it_names_its_thing() -> (
    None
):
    rack = "- [[a/facts/Relay]] listens on port 8080.\n- Grey.\n"
    old, new = "- Listens on port 9090.\n", "- The relay listens on port 9090.\n"

    without, with_name = (
        applied(files, report(files, days={LOG: 100, OLD: 200}).proposals)[LOG]
        for files in ({LOG: rack, OLD: old}, {LOG: rack, OLD: new})
    )

    assert without.startswith("- Grey.\n")
    assert with_name.startswith(
        "- The relay listens on port 9090. — from [[Relay]], 1970-07-20\n- Grey.\n"
    )


def test_a_line_is_taken_over_once_for_all_claims_that_it_overtakes() -> None:
    files = {OLD: "- The port is 8080. ^a\n- The port is 8080. ^b\n", NEW: "- The port is 9090.\n"}

    after = applied(files, report(files).proposals)[OLD]

    assert after == (
        "- The port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n"
        "\n## Superseded\n\n"
        "- The port is 8080. ^a\n  - corrected by [[Memory/a/later/Relay]], 2026-11-30\n"
        "- The port is 8080. ^b\n  - corrected by [[Memory/a/later/Relay]], 2026-11-30\n"
    )


def test_a_note_whose_only_claim_has_ceased_names_its_successor() -> None:
    files = {OLD: "Tom works for Velora.\n", NEW: "Tom no longer works for Velora.\n"}

    (proposal,) = report(files).proposals

    assert proposal.edits[0].text == (
        '---\nstale: true\nsuperseded_by: "[[Memory/a/later/Relay]]"\n---\nTom works for Velora.\n'
    )


# -- what was taken over --------------------------------------------------------------------------------------------


def test_what_was_taken_over_is_as_old_as_it_is_there() -> None:
    files = {
        OLD: "- Listens on port 9090. — from [[a/later/Relay]], 1970-07-20\n- Tin.\n",
        LOG: "[[a/facts/Relay]] listens on port 7070.\n",
    }

    assert proposed(files, days={OLD: 100, LOG: 150}) == [(Operation.SUPERSEDE, LOG)]
    assert proposed(files, days={OLD: 100, LOG: 250}) == [(Operation.SUPERSEDE, OLD)]


def test_where_both_differ_the_note_is_right_that_the_claim_is_from() -> None:
    files = {
        OLD: "- The port is 9090. — from [[Memory/a/later/Relay]], 1970-07-20\n- Tin.\n",
        NEW: "- The port is 7070.\n",
    }

    made = report(files, days={OLD: 300, NEW: 200}).proposals

    assert applied(files, made)[OLD].startswith(
        "- The port is 7070. — from [[Memory/a/later/Relay]], 1970-07-20\n"
    )


# -- notes that are suspect -----------------------------------------------------------------------------------------


def test_a_note_that_took_the_claim_over_is_suspect() -> None:
    other = "Memory/a/notes/Ports.md"
    files = {
        OLD: "- The port is 8080.\n- Tin.\n",
        NEW: "- The port is 9090.\n",
        other: "- The port is 8080. — from [[a/facts/Relay]], 1970-04-11\n",
    }

    (finding,) = report(files, days={**DAYS, other: 100}).findings

    assert (finding.kind, finding.path, finding.text) == (
        kinds.SUSPECT,
        other,
        "took a claim over from [[Memory/a/facts/Relay]] that is outdated there: “The port is 8080.”",
    )


def test_what_was_made_from_an_outdated_note_is_suspect() -> None:
    made = "Memory/a/synthesis/Ports.md"
    files = {
        OLD: "- The port is 8080.\n",
        NEW: "- The port is 9090.\n",
        made: '---\nsource_notes:\n  - "[[a/facts/Relay]]"\n---\nAll ports are even.\n',
    }

    found = report(files)

    assert found.suspects == {made}
    assert [(one.kind, one.path, one.text) for one in found.findings] == [
        (
            kinds.SUSPECT,
            made,
            "was made from [[Memory/a/facts/Relay]], which has an outdated claim: “The port is 8080.”",
        )
    ]
