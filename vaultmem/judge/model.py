"""What a judge is asked and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from vaultmem.judge.usage import NOTHING, Usage

HEURISTIC: Final = "heuristic"
"""Who judged, where no model did."""


class Duplicate(StrEnum):
    """What should become of two texts that look alike."""

    MERGE = "MERGE"
    """Both say the same: one text with the claims of both."""
    COEXIST = "COEXIST"
    """Both stay."""
    ABSORB_A = "ABSORB_A"
    """The first says nothing that the second does not say as well."""
    ABSORB_B = "ABSORB_B"
    """The second says nothing that the first does not say as well."""


class Drift(StrEnum):
    """Whether two texts can both hold now."""

    CONSISTENT = "CONSISTENT"
    CONTRADICTORY = "CONTRADICTORY"
    STALE = "STALE"
    """Both held, but one of them does no longer."""


@dataclass(frozen=True, slots=True)
class DuplicateJudgement:
    """What should become of a pair."""

    verdict: Duplicate
    reason: str
    """In words, for the journal and the person."""
    confidence: float
    """0 to 1."""
    by: str = HEURISTIC
    """Who judged: "heuristic", or the model as settings name it."""
    degraded: str = ""
    """Why this is not the answer that was asked for (a model that failed, a cap, a veto), in words; empty when it is."""
    usage: Usage = NOTHING
    """What this decision took: its share of the call it was part of."""


@dataclass(frozen=True, slots=True)
class DriftJudgement:
    """Whether a pair can hold together."""

    verdict: Drift
    reason: str
    """In words, for the journal and the person."""
    confidence: float
    """0 to 1."""
    suspicion: float
    """How much speaks for a contradiction, 0 to 1, also where it is too little for a verdict: for ranking."""
    by: str = HEURISTIC
    """As in DuplicateJudgement, like the two below."""
    degraded: str = ""
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """How a judge fared so far, for the end of a cycle."""

    by: str
    """Who judges: "heuristic", or the model as settings name it."""
    usage: Usage = NOTHING
    """Of all decisions together."""
    price_known: bool = True
    stopped: str = ""
    """Why the model is not asked any more in this cycle; empty when it is, or when there is none."""
    degraded: tuple[tuple[str, int], ...] = ()
    """Why decisions were not the model's own, with how many there were; most frequent first."""

    def lines(self) -> tuple[str, ...]:
        """What a person should know, a sentence each; nothing, when all went as asked."""
        told = []
        if self.stopped:
            told.append(f"{self.by} was not asked any more: {self.stopped}.")
        if not self.price_known:
            told.append(f"What {self.by} costs is not known; judge.price can say it.")
        told += [
            f"{_times(count)} not as asked: {reason}."
            for reason, count in self.degraded
            if reason != self.stopped
        ]
        return tuple(told)


def _times(count: int) -> str:
    return "1 decision was" if count == 1 else f"{count} decisions were"


class Judge(Protocol):
    """Decides about pairs of texts. Equal texts get equal answers, in whichever order pairs are asked.

    A judge never raises for what a text or a model says, and is made anew for each cycle. One thread asks it.
    """

    def duplicate(self, a: str, b: str) -> DuplicateJudgement:
        """What should become of the two texts."""

    def duplicates(self, pairs: Sequence[tuple[str, str]]) -> list[DuplicateJudgement]:
        """What should become of each pair, in their order. A model is asked about up to twenty of them at once, so
        pairs of one category should come together."""

    def drift(self, a: str, b: str) -> DriftJudgement:
        """Whether the two texts can both hold."""

    def report(self) -> JudgeReport:
        """How it fared so far."""


def as_duplicate(word: object) -> Duplicate:
    """The verdict a word names; COEXIST for anything that is no verdict.

    >>> as_duplicate(" merge "), as_duplicate("Yes, merge them!")
    (<Duplicate.MERGE: 'MERGE'>, <Duplicate.COEXIST: 'COEXIST'>)
    """
    name = word.strip().upper() if isinstance(word, str) else ""
    return Duplicate(name) if name in Duplicate.__members__ else Duplicate.COEXIST


def as_drift(word: object) -> Drift:
    """The verdict a word names; CONSISTENT for anything that is no verdict.

    >>> as_drift("stale"), as_drift(None)
    (<Drift.STALE: 'STALE'>, <Drift.CONSISTENT: 'CONSISTENT'>)
    """
    name = word.strip().upper() if isinstance(word, str) else ""
    return Drift(name) if name in Drift.__members__ else Drift.CONSISTENT
