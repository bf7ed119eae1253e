"""Whether an edit may stay: the vault must not answer worse with it. Pure.

The score is answering: the same questions with known answers are asked before and after. Each question is compared with
itself, so that hard and easy ones weigh alike, and the burden of proof is the edit's: with up to 400 probes it is rejected
when it loses one answer more than it wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import comb
from typing import Final, TypeAlias

FEWEST_PROBES: Final = 60
"""Under which no destructive edit passes: an edit that breaks one answer in twenty stays unseen by 60 probes in one of
twenty cases, by fewer more often."""
MOST_DOUBT: Final = 0.25
"""An edit is rejected when so many losses would come by chance with at most this probability."""
WORSE_THAN_BEST: Final = 0.05
"""The same for the comparison with the best state, over many edits."""
EPSILON: Final = 0.0025
"""One answer in 400."""

ProbeScores: TypeAlias = "Mapping[str, float]"
"""By probe how well it is answered, 0 to 1."""


class Decision(StrEnum):
    """What becomes of an edit."""

    ACCEPT_NEW_BEST = "AcceptNewBest"
    ACCEPT = "Accept"
    REJECT = "Reject"


@dataclass(frozen=True, slots=True)
class GateResult:
    """The decision with its numbers, for the journal."""

    decision: Decision
    reason: str
    probes: int
    before: float
    """Mean score of the current state, 0 to 1."""
    after: float
    """Mean score with the edit."""
    gained: int
    """Probes that are answered better."""
    lost: int
    """Probes that are answered worse."""
    chance: float
    """Probability of so many losses among the changes, if gain and loss were equally likely."""

    @property
    def accepted(self) -> bool:
        """Whether the edit stays."""
        return self.decision is not Decision.REJECT


def evaluate_gate(
    candidate: ProbeScores,
    current: ProbeScores,
    best: ProbeScores | None,
    epsilon: float = EPSILON,
    *,
    destructive: bool = True,
) -> GateResult:
    """Whether the state with the edit (``candidate``) may follow the one without (``current``).

    The first two hold the same probes, scored on the vault as it is now; ``best`` those of them that the best state was asked,
    too. It must have been scored again after outside changes, else a hand edit would close the gate. Far below the best state only edits that win answers pass. ``epsilon``
    is by how much the mean may fall, and must rise to be a new best.
    """
    before, after = _mean(current), _mean(candidate)
    lost, gained = _changed(candidate, current)
    chance = _chance(lost, gained)

    def result(decision: Decision, reason: str) -> GateResult:
        return GateResult(decision, reason, len(current), before, after, gained, lost, chance)

    if candidate.keys() != current.keys():
        return result(Decision.REJECT, "the questions before and after are not the same")
    if destructive and len(current) < FEWEST_PROBES:
        return result(Decision.REJECT, f"fewer than {FEWEST_PROBES} known questions")
    if after < before - epsilon:
        return result(Decision.REJECT, f"answers {(before - after) * 100:.1f} % worse")
    if lost and chance <= MOST_DOUBT:
        return result(Decision.REJECT, f"{lost} answers worse, {gained} better")
    if best is None or not best:
        return result(Decision.ACCEPT_NEW_BEST, "the first state that was scored")
    lost_to_best, gained_to_best = _changed(candidate, best)
    worse_than_best = lost_to_best and _chance(lost_to_best, gained_to_best) <= WORSE_THAN_BEST
    if worse_than_best and gained <= lost:
        return result(Decision.REJECT, f"{lost_to_best} answers worse than in the best state")
    both = candidate.keys() & best.keys()
    shared = {probe: candidate[probe] for probe in both}
    if _mean(shared) > _mean({probe: best[probe] for probe in both}) + epsilon:
        return result(Decision.ACCEPT_NEW_BEST, "answers better than ever")
    return result(Decision.ACCEPT, "answers no worse")


def _mean(scores: ProbeScores) -> float:
    return sum(scores.values()) / len(scores) if scores else 0.0


def _changed(after: ProbeScores, before: ProbeScores) -> tuple[int, int]:
    """How many of the probes that both have are answered worse, and how many better."""
    both = after.keys() & before.keys()
    worse = sum(after[probe] < before[probe] for probe in both)
    return worse, sum(after[probe] > before[probe] for probe in both)


def _chance(lost: int, gained: int) -> float:
    """The one-sided exact sign test: the probability of at least so many losses, if each change went either way."""
    changes = lost + gained
    return sum(comb(changes, k) for k in range(lost, changes + 1)) / (1 << changes)
