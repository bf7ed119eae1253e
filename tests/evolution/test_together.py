"""Edits before the gate at once: given what each does to the answers, which stay and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.evolution import GateResult, Judged, decide, evaluate_gate

PROBES = [f"q{n}" for n in range(100)]


@dataclass
class Answers:
    """A panel over a table: an edit is the set of answers that it loses and wins (``-3``, ``+7``); all others are right in half."""

    now: dict[str, float] = field(
        default_factory=lambda: {probe: float(n % 2) for n, probe in enumerate(PROBES)}
    )
    trials: list[str] = field(default_factory=list)
    outcome: dict[str, str] = field(default_factory=dict)
    time: int = 1_000

    def _with(self, edits: Sequence[str]) -> dict[str, float]:
        after = dict(self.now)
        for change in " ".join(edits).split():
            if change[0] in "+-":
                after[f"q{change[1:]}"] = float(change[0] == "+")
        return after

    def try_all(self, edits: Sequence[str]) -> Judged:
        self.trials.append(" & ".join(edits))
        after = self._with(edits)
        lost = frozenset(q for q in PROBES if after[q] < self.now[q])
        judged = Judged(evaluate_gate(after, self.now, None), lost)
        if judged.passes(len(edits)):
            self.now = after
            self.outcome.update(dict.fromkeys(edits, "made"))
        return judged

    def loses(self, edit: str, probes: frozenset[str]) -> bool:
        after = self._with([edit])
        return any(after[q] < self.now[q] for q in probes)

    def refuse(self, edit: str, result: GateResult) -> None:
        self.outcome[edit] = "refused"

    def leave(self, edits: Sequence[str]) -> None:
        self.outcome.update(dict.fromkeys(edits, "left"))

    def has_time(self) -> bool:
        self.time -= 1
        return self.time >= 0


@pytest.mark.parametrize(
    ("edits", "outcome", "trials"),
    [
        pytest.param([], {}, [], id="none"),
        pytest.param(
            ["a", "b +2", "c +4"],
            {"a": "made", "b +2": "made", "c +4": "made"},
            ["a & b +2 & c +4"],
            id="no answer is the worse for it: asked once",
        ),
        pytest.param(
            ["a", "b -1", "c +4"],
            {"a": "made", "b -1": "refused", "c +4": "made"},
            ["a & b -1 & c +4", "b -1", "a & c +4"],
            id="what loses an answer is asked alone, the others together",
        ),
        pytest.param(
            ["a", "b -1 +2 +4"],
            {"a": "made", "b -1 +2 +4": "made"},
            ["a & b -1 +2 +4", "b -1 +2 +4", "a"],
            id="alone it may make up for what it loses",
        ),
        pytest.param(
            ["b -1 +2 +4", "c +2 +4"],
            {"b -1 +2 +4": "made", "c +2 +4": "made"},
            ["b -1 +2 +4 & c +2 +4", "b -1 +2 +4", "c +2 +4"],
            id="before others win the same answers",
        ),
    ],
)
def test_which_edits_stay(edits: list[str], outcome: dict[str, str], trials: list[str]) -> None:
    panel = Answers()

    decide(edits, panel)

    assert (panel.outcome, panel.trials) == (outcome, trials)


def test_what_only_several_lose_together_is_looked_at_in_halves() -> None:
    class Both(Answers):
        def _with(self, edits: Sequence[str]) -> dict[str, float]:
            both = {"a", "b"} <= set(edits)
            return self.now | ({"q1": 0.0} if both else {})

    panel = Both()

    decide(["a", "b", "c"], panel)

    assert panel.trials == ["a & b & c", "a & c", "b"]
    assert panel.outcome == {"a": "made", "b": "made", "c": "made"}


def test_what_there_is_no_time_for_is_left() -> None:
    panel = Answers(time=2)

    decide(["a -1", "b", "c"], panel)

    assert panel.outcome == {"a -1": "left", "b": "left", "c": "left"}


CHANGES = st.lists(
    st.tuples(st.sampled_from("+-"), st.integers(0, 99)).map(lambda c: f"{c[0]}{c[1]}"), max_size=3
)


@given(st.lists(CHANGES, max_size=6), st.integers(0, 12))
def test_each_edit_meets_one_end_and_no_answer_is_lost_for_nothing(
    changes: list[list[str]], time: int
) -> None:
    panel = Answers(time=time)
    before = sum(panel.now.values())
    edits = [f"{n} {' '.join(each)}" for n, each in enumerate(changes)]

    decide(edits, panel)

    assert panel.outcome.keys() == set(edits)
    assert sum(panel.now.values()) >= before
