"""The best state that the vault was in, as a value that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class BestHealth:
    """How well the best state answered."""

    cycle: str
    """That brought it about."""
    scores: Mapping[str, float]
    """By probe, 0 to 1."""

    @property
    def mean(self) -> float:
        """The mean score; 0 without probes."""
        return sum(self.scores.values()) / len(self.scores) if self.scores else 0.0

    def rescored(self, scores: Mapping[str, float]) -> BestHealth:
        """The same checkpoint, scored on the vault as it is after changes from outside."""
        return replace(self, scores=dict(scores))
