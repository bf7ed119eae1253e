"""One cycle of its parts: what it did is added up, what it came to is that of the last part, and nothing is told twice."""

from __future__ import annotations

from dataclasses import replace

from vaultmem.dream.answers import usage_answer
from vaultmem.dream.parts import whole_cycle
from vaultmem.dream.proposal import Operation, StageName
from vaultmem.dream.report import (
    CycleReport,
    CycleState,
    DecisionRecord,
    Health,
    ModelUse,
    Outcome,
    StageSummary,
    Strategy,
)

S = 1_000_000_000


def decision(
    name: str, outcome: Outcome, stage: StageName = StageName.LINT, event: str = ""
) -> DecisionRecord:
    return DecisionRecord(name, stage, Operation.FIX_LINK, name, "", outcome, event=event)


def summary(stage: StageName, proposed: int, applied: int) -> StageSummary:
    return StageSummary(stage, 10, proposed, applied, 0, 1.5)


FIRST = CycleReport(
    cycle="c1",
    strategy=Strategy.CONSOLIDATE,
    why_strategy="",
    state=CycleState.CANCELLED,
    began_ns=100 * S,
    ended_ns=110 * S,
    notes=50,
    changed=5,
    edits_left=30,
    health=Health(60, 0.9, 0.92, 0.92),
    model=ModelUse("some:model", 2, 300, 40, 0.25, 1, 1.5, "slow"),
    alarms=("oscillation: A.md",),
    said=("Communities could not be worked out.",),
    digest="Memory/_dreams/2025-12-21.md",
)
SECOND = replace(
    FIRST,
    state=CycleState.DONE,
    began_ns=3_700 * S,
    ended_ns=3_705 * S,
    edits_left=28,
    health=Health(70, 0.92, 0.95, 0.95),
    model=ModelUse("some:model", 1, 100, 10, 0.5, 0, 0.5),
    said=(),
)


def test_a_cycle_of_one_part_is_that_part() -> None:
    assert whole_cycle([FIRST]) == FIRST


def test_what_parts_did_and_cost_is_added_up_and_the_time_between_them_is_none() -> None:
    whole = whole_cycle([FIRST, SECOND])
    assert (whole.state, whole.began_ns, whole.ended_ns) == (CycleState.DONE, 100 * S, 3_705 * S)
    assert whole.seconds == 15.0
    assert whole.model == ModelUse("some:model", 3, 400, 50, 0.75, 1, 2.0, "slow")
    assert whole.health == Health(70, 0.9, 0.95, 0.95)
    assert (whole.edits_left, whole.alarms, whole.said) == (28, FIRST.alarms, FIRST.said)


def test_what_was_done_or_refused_stays_and_what_was_left_open_is_told_as_decided_last() -> None:
    first = replace(
        FIRST,
        decisions=(
            decision("merged", Outcome.APPLIED, StageName.CONSOLIDATE, "e1"),
            decision("refused", Outcome.GATE, StageName.CONSOLIDATE),
            decision("waits", Outcome.WAITING),
            decision("of a note that changed since", Outcome.WAITING),
            decision("fades", Outcome.BUDGET, StageName.DECAY),
        ),
        stages=(summary(StageName.CONSOLIDATE, 2, 1), summary(StageName.LINT, 2, 0)),
    )
    second = replace(
        SECOND,
        decisions=(
            decision("refused", Outcome.REJECTED, StageName.CONSOLIDATE),
            decision("waits", Outcome.WAITING),
            decision("mended", Outcome.APPLIED, event="e2"),
        ),
        stages=(summary(StageName.CONSOLIDATE, 1, 0), summary(StageName.LINT, 2, 1)),
    )

    whole = whole_cycle([first, second])

    assert [(each.proposal, each.outcome) for each in whole.decisions] == [
        ("merged", Outcome.APPLIED),
        ("refused", Outcome.GATE),
        ("fades", Outcome.BUDGET),
        ("waits", Outcome.WAITING),
        ("mended", Outcome.APPLIED),
    ]
    assert [(each.stage, each.proposed, each.applied) for each in whole.stages] == [
        (StageName.CONSOLIDATE, 2, 1),
        (StageName.LINT, 2, 1),
    ]
    assert {each.seconds for each in whole.stages} == {3.0}


def test_an_error_is_over_once_the_cycle_went_on() -> None:
    failed = replace(FIRST, state=CycleState.FAILED, said=("The disk is full.",))
    assert whole_cycle([failed, SECOND]).said == ()
    assert whole_cycle([SECOND, failed]).said == ("The disk is full.",)


def test_of_a_part_that_was_cut_off_only_its_edits_are_known() -> None:
    cut_off = replace(
        FIRST, state=CycleState.FAILED, notes=0, changed=0, edits_left=0, health=Health(), digest=""
    )
    whole = whole_cycle([FIRST, cut_off])
    assert (whole.state, whole.notes, whole.changed, whole.edits_left) == (
        CycleState.FAILED, 50, 5, 30,
    )  # fmt: skip
    assert (whole.health, whole.digest) == (FIRST.health, FIRST.digest)


def test_usage_has_a_line_for_a_cycle_and_model_whatever_the_parts() -> None:
    other = replace(SECOND, model=replace(SECOND.model, model="another:model"))
    answer = usage_answer([other, SECOND, FIRST], None)
    assert answer.looked_at == 1
    assert [(line.cycle, line.model, line.calls, line.began_ns) for line in answer.cycles] == [
        ("c1", "another:model", 1, SECOND.began_ns),
        ("c1", "some:model", 3, FIRST.began_ns),
    ]
    assert (answer.total.calls, answer.total.cost) == (4, 1.25)
