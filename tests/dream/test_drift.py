"""Which claims no longer hold: given a vault, what the stage finds in it."""

from __future__ import annotations

import time

import pytest

from tests.dream.claims import claim_pairs
from tests.dream.contexts import TODAY
from tests.dream.drifting import LOG, NEW, OLD, proposed, report
from tests.dream.words import Half
from vaultmem.dream import drift
from vaultmem.dream.context import StageReport
from vaultmem.dream.proposal import Operation
from vaultmem.dream.when import stated_day
from vaultmem.judge import Drift, DriftJudgement, HeuristicJudge


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"},
            [(Operation.SUPERSEDE, OLD)],
            id="two notes about one thing",
        ),
        pytest.param(
            {OLD: "- Listens on port 8080.\n", LOG: "[[a/facts/Relay]] listens on port 9090.\n"},
            [(Operation.SUPERSEDE, OLD)],
            id="a link, and the claim names what the other note is about",
        ),
        pytest.param(
            {OLD: "- owner:: Ada\n- made of tin\n", NEW: "owner:: Tom\n"},
            [(Operation.SUPERSEDE, OLD)],
            id="a field that can have one value only",
        ),
        pytest.param(
            {OLD: "Tom works for Velora.\n", NEW: "Tom no longer works for Velora.\n"},
            [(Operation.MARK_STALE, OLD)],
            id="what has ceased, in a short note",
        ),
        pytest.param(
            {
                OLD: "- Tom works for Velora.\n"
                + "".join(f"- Likes tea {c}.\n" for c in "abcdefg"),
                NEW: "Tom no longer works for Velora.\n",
            },
            [(Operation.SUPERSEDE, OLD)],
            id="what has ceased, in a long note: the claim alone",
        ),
        pytest.param(
            {"Relay.md": "- The port is 8080.\n", NEW: "The port is 9090.\n"},
            [(Operation.SUPERSEDE, "Relay.md")],
            id="the same proposal for a note of a person",
        ),
        pytest.param(
            {OLD: "The port is 8080. It is made of tin.\n", NEW: "The port is 9090.\n"},
            [(Operation.NOTE_ONLY, "")],
            id="a sentence within a line is not cut out",
        ),
    ],
)
def test_what_contradicts_is_proposed(
    files: dict[str, str], expected: list[tuple[Operation, str]]
) -> None:
    assert proposed(files) == expected


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({OLD: "- Port: 8080\n", LOG: "- Port: 9090\n- by [[Relay]]\n"}, id="another thing"),
        pytest.param(
            {"Sprint 3.md": "- Took 4 days.\n", "Sprint 4.md": "- Took 5 days.\n- after [[Sprint 3]]\n"},
            id="numbered series",
        ),
        pytest.param(
            {"Log/2026-01-02.md": "Tom ran 5 km.\n", "Log/2026-01-03.md": "Tom ran 7 km. [[2026-01-02]]\n"},
            id="each true of its day",
        ),
        pytest.param({OLD: "permanent\n#permanent\nThe port is 8080.\n", NEW: "The port is 9090.\n"}, id="permanent"),
        pytest.param(
            {OLD: "---\nsuperseded_by: '[[a/later/Relay]]'\n---\nThe port is 8080.\n", NEW: "The port is 9090.\n"},
            id="superseded",
        ),
        pytest.param({OLD: "---\nstale: true\n---\nTom works for Velora.\n", NEW: "Tom no longer works for Velora.\n"}, id="stale already"),
        pytest.param({OLD: "Tin.\n\n## Superseded\n\nThe port is 8080.\n", NEW: "The port is 9090.\n"}, id="in the section already"),
        pytest.param({OLD: "```\nThe port is 8080.\n```\n", NEW: "The port is 9090.\n"}, id="code"),
        pytest.param({OLD: "> The port is 8080.\n", NEW: "The port is 9090.\n"}, id="quoted"),
        pytest.param({OLD: "- [ ] The port is 8080.\n", NEW: "The port is 9090.\n"}, id="task"),
        pytest.param({OLD: "Is the port 8080?\n", NEW: "The port is 9090.\n"}, id="question"),
        pytest.param({OLD: "<% the port is 8080 %>\n", NEW: "The port is 9090.\n"}, id="template"),
        pytest.param({OLD: "- Port 1 is 8080.\n- Port 2 is 8081.\n", NEW: "- Port 1 is 8080.\n- Port 2 is 8081.\n"}, id="the same"),
        pytest.param({OLD: "- The port is 8080.\n- The port is 7070.\n", NEW: "The port is 9090.\n"}, id="a series of its own"),
        pytest.param({OLD: "- 4. [[Rack]]\n", LOG: "Rack 5 is in [[Relay]].\n"}, id="a link says nothing"),
        pytest.param({OLD: "It has no port.\n", NEW: "It has no port (see the 'none' entry).\n"}, id="explained"),
        pytest.param({"A/Budget.md": "- The sum is 100.\n", "B/Budget.md": "- The sum is 200.\n"}, id="an everyday name"),
    ],
)  # fmt: skip
def test_what_need_not_contradict_is_left_alone(files: dict[str, str]) -> None:
    assert proposed(files) == []


def test_typed_pairs_in_two_notes_about_one_thing() -> None:
    right = {"consistent": 0, "contradictory": 0, "stale": 0}
    total = dict.fromkeys(right, 0)
    for pair in claim_pairs(360, Half.HELD_OUT, 11):
        found = proposed({OLD: f"{pair.a}\n", NEW: f"{pair.b}\n"})
        total[pair.label] += 1
        right[pair.label] += bool(found) is (pair.label != "consistent")

    assert right["consistent"] == total["consistent"]
    assert right["contradictory"] >= 0.8 * total["contradictory"]


def test_two_notes_of_a_megabyte_take_seconds() -> None:
    filler = "".join(f"- Item {n} says {n * 7} things of no interest.\n" for n in range(20_000))
    files = {OLD: f"{filler}- The port is 8080.\n", NEW: f"- The port is 9090.\n{filler}"}
    began = time.perf_counter()

    found = proposed(files)

    assert found == [(Operation.SUPERSEDE, OLD)]
    assert time.perf_counter() - began < 30


# -- what the judge says --------------------------------------------------------------------------------------------


class _Silent(HeuristicJudge):
    def drift(self, a: str, b: str) -> DriftJudgement:
        raise AssertionError("a quiet vault costs nothing")


def test_a_quiet_vault_asks_no_judge() -> None:
    files = {OLD: "The port is 8080.\n", NEW: "The port is 9090.\n"}

    assert report(files, changed=(), judge=_Silent()) == StageReport()


def test_what_a_judge_does_not_know_counts_as_consistent() -> None:
    class Unsure(HeuristicJudge):
        def drift(self, a: str, b: str) -> DriftJudgement:
            return DriftJudgement(Drift.CONSISTENT, "unsure", 0.5, 0.9)

    files = {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}

    assert proposed(files, judge=Unsure()) == []


def test_a_note_that_is_much_asked_for_needs_more_confidence() -> None:
    files = {OLD: "- The port is 8080.\n", NEW: "- The port is 9090.\n"}

    (proposal,) = report(files, recalls={OLD: 27}).proposals

    assert proposal.figures == {
        "confidence": 0.9,
        "support": 0.9,
        "needed": 0.96,
        "evidence": "not enough",
    }


# -- which side holds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "more", "outdated"),
    [
        pytest.param("", "", {"days": {OLD: 2, NEW: 1}}, NEW, id="the later day"),
        pytest.param("", "", {"days": {}, "modified": {OLD: 20_005, NEW: 20_009}}, OLD, id="changed later"),
        pytest.param("", "", {"days": {}, "modified": {OLD: 20_005, NEW: 20_005.5}}, "", id="changed at a time"),
        pytest.param("", "", {"days": {}, "modified": {OLD: 0, NEW: 20_009}}, "", id="a disk that knows no time"),
        pytest.param("", "", {"days": {OLD: 20_009}, "modified": {NEW: 20_005}}, NEW, id="not changed since the day"),
        pytest.param("Since 2026-03-01 ", "Since 2026-02-01 ", {"days": {}}, NEW, id="the date it gives"),
        pytest.param("Since 2026-03-01 ", "", {"days": {NEW: 20_000, OLD: 19_000}}, "", id="signs disagree"),
    ],
)  # fmt: skip
def test_the_newer_claim_holds(a: str, b: str, more: dict[str, object], outdated: str) -> None:
    files = {OLD: f"- {a}the port is 8080.\n", NEW: f"- {b}the port is 9090.\n"}

    (proposal,) = report(files, **more).proposals

    assert [edit.path for edit in proposal.edits] == ([outdated] if outdated else [])
    assert (proposal.operation is Operation.NOTE_ONLY) is not bool(outdated)


@pytest.mark.parametrize(
    ("claim", "day"),
    [
        ("As of 2026-03-01 the club has 40 members.", 20_513),
        ("2026-03-01: the port is 8080.", 20_513),
        ("The port is 8080 (2026-03-01).", 20_513),
        ("The lease ends on 2026-03-01.", None),
        ("The port is 8080.", None),
    ],
)
def test_only_a_date_of_the_statement_dates_it(claim: str, day: int | None) -> None:
    assert stated_day(claim) == day


def test_a_dated_note_overtakes_another_but_is_never_outdated_itself() -> None:
    log = "Memory/a/log/2026-05-01 Rack.md"
    told = {OLD: "- Listens on port 8080.\n", log: "- [[Relay]] listens on port 9090.\n"}

    assert proposed(told, days={OLD: 100}) == [(Operation.SUPERSEDE, OLD)]
    assert proposed(told, days={OLD: 30_000}) == []


@pytest.mark.parametrize(
    ("new", "day"),
    [("- The port is 9090.\n", TODAY + 60), ("- Since 2027-03-01 the port is 9090.\n", 200)],
)
def test_what_is_to_hold_one_day_sets_nothing_aside_today(new: str, day: int) -> None:
    files = {OLD: "- The port is 8080.\n- Tin.\n", NEW: new}

    (proposal,) = report(files, days={OLD: 100, NEW: day}).proposals

    assert (proposal.operation, proposal.keeper) == (Operation.NOTE_ONLY, NEW)
    assert proposal.reason.endswith(drift.AHEAD)
