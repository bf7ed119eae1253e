"""Whether an edit may stay."""

from __future__ import annotations

import pytest

from vaultmem.evolution import Decision, evaluate_gate


def probes(answered: int, of: int = 100) -> dict[str, float]:
    """The first ``answered`` of the probes are answered."""
    return {f"q{i}": float(i < answered) for i in range(of)}


def changed(scores: dict[str, float], **to: float) -> dict[str, float]:
    return {**scores, **to}


STATE = probes(50)


@pytest.mark.parametrize(
    ("candidate", "best", "decision", "reason"),
    [
        (STATE, STATE, Decision.ACCEPT, "answers no worse"),
        (STATE, None, Decision.ACCEPT_NEW_BEST, "the first state that was scored"),
        (probes(55), STATE, Decision.ACCEPT_NEW_BEST, "answers better than ever"),
        (probes(55), probes(60), Decision.ACCEPT, "answers no worse"),
        (probes(49), STATE, Decision.REJECT, "answers 1.0 % worse"),
        (changed(STATE, q0=0, q1=0, q60=1), STATE, Decision.REJECT, "answers 1.0 % worse"),
        (changed(STATE, q0=0, q60=1), STATE, Decision.ACCEPT, "answers no worse"),
        (changed(STATE, q0=0.9), STATE, Decision.ACCEPT, "answers no worse"),
        (changed(STATE, q0=0.9, q1=0.9), STATE, Decision.REJECT, "2 answers worse, 0 better"),
        (STATE, probes(60), Decision.REJECT, "10 answers worse than in the best state"),
        (
            probes(50, of=99),
            STATE,
            Decision.REJECT,
            "the questions before and after are not the same",
        ),
    ],
)
def test_decision(
    candidate: dict[str, float], best: dict[str, float] | None, decision: Decision, reason: str
) -> None:
    result = evaluate_gate(candidate, STATE, best)

    assert (result.decision, result.reason) == (decision, reason)


def test_no_destructive_edit_passes_with_too_few_probes_while_what_adds_does() -> None:
    few = probes(30, of=59)

    assert evaluate_gate(few, few, few).reason == "fewer than 60 known questions"
    assert evaluate_gate(few, few, few, destructive=False).accepted
    assert evaluate_gate({}, {}, None, destructive=False).accepted


def test_the_numbers_of_a_decision_are_told() -> None:
    result = evaluate_gate(changed(STATE, q0=0, q1=0, q60=1), STATE, STATE)

    assert (result.probes, result.before, result.after) == (100, 0.5, 0.49)
    assert (result.gained, result.lost, result.chance) == (1, 2, 0.5)


def test_a_hand_edit_that_costs_answers_closes_the_gate_only_until_the_best_state_is_scored_again() -> (
    None
):
    after_hand_edit = probes(40)

    assert not evaluate_gate(after_hand_edit, after_hand_edit, STATE).accepted
    assert evaluate_gate(after_hand_edit, after_hand_edit, after_hand_edit).accepted
