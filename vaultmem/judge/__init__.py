"""Decisions about two texts: whether they say the same, and whether both can hold.

``HeuristicJudge`` decides without a model; whatever else fulfils ``Judge`` may take its place.
"""

from vaultmem.judge.heuristics import HeuristicJudge
from vaultmem.judge.model import (
    Drift,
    DriftJudgement,
    Duplicate,
    DuplicateJudgement,
    Judge,
    as_drift,
    as_duplicate,
)

__all__ = [
    "Drift",
    "DriftJudgement",
    "Duplicate",
    "DuplicateJudgement",
    "HeuristicJudge",
    "Judge",
    "as_drift",
    "as_duplicate",
]
