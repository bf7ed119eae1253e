"""What speaks for and against changing a note: how often it was needed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

HALF_SUPPORT: Final = 3
"""Distinct queries at which a note has half of the support that it can have."""
LEAST_CONFIDENCE: Final = 0.6
"""That superseding a note needs which was never recalled."""


class Recaller(StrEnum):
    """Who asked."""

    PERSON = "person"
    AGENT = "agent"
    DREAM = "dream"


@dataclass(frozen=True, slots=True)
class Recall:
    """A query that a note answered."""

    query: str
    by: Recaller


@dataclass(frozen=True, slots=True)
class Evidence:
    """Whether there is enough evidence, with its numbers."""

    enough: bool
    confidence: float
    needed: float
    reason: str


def recall_support(recalls: Iterable[Recall]) -> float:
    """How well use speaks for a note, from 0 towards 1: n / (n + 3) over the n distinct queries of people and agents.

    Queries that differ in case and blanks only are one; what the dream asked itself does not count.

    >>> recall_support([Recall("port?", Recaller.PERSON), Recall("Port? ", Recaller.AGENT)])
    0.25
    """
    queries = {" ".join(r.query.casefold().split()) for r in recalls if r.by is not Recaller.DREAM}
    return len(queries) / (len(queries) + HALF_SUPPORT)


def gate_supersede_evidence(confidence: float, support: float) -> Evidence:
    """Whether a confidence (0 to 1) is enough to supersede a note of this support: what is needed rises with it.

    >>> gate_supersede_evidence(0.8, 0.0).enough, gate_supersede_evidence(0.8, 0.75).enough
    (True, False)
    """
    needed = LEAST_CONFIDENCE + (1 - LEAST_CONFIDENCE) * min(max(support, 0.0), 1.0)
    enough = confidence >= needed
    reason = f"confidence {confidence:.2f}, needed {needed:.2f} at a support of {support:.2f}"
    return Evidence(enough, confidence, needed, reason)


def score_merge_candidate(
    likeness: float, confidence: float, support_a: float, support_b: float, *, same_category: bool
) -> float:
    """How much a merge is worth trying first, 0 to 1: alike and sure ones before others, notes in use last.

    ``likeness`` is that of the texts, ``confidence`` the judge's; a pair in two categories counts four fifths, and the
    support of the note less used takes up to half away.
    """
    value = likeness * confidence * (1.0 if same_category else 0.8)
    return max(0.0, min(1.0, value * (1 - min(support_a, support_b) / 2)))
