"""Decisions about two texts: whether they say the same, and whether both can hold.

``HeuristicJudge`` decides without a model, ``ModelJudge`` asks one; ``make_judge`` makes the one that settings ask for.
Whatever else fulfils ``Judge`` may take its place.
"""

from vaultmem.judge.caps import JudgeCaps
from vaultmem.judge.heuristics import HeuristicJudge
from vaultmem.judge.making import JudgeChoice, make_judge
from vaultmem.judge.model import (
    HEURISTIC,
    Drift,
    DriftJudgement,
    Duplicate,
    DuplicateJudgement,
    Judge,
    JudgeReport,
    as_drift,
    as_duplicate,
)
from vaultmem.judge.modeljudge import ModelJudge
from vaultmem.judge.prices import Price, price_of
from vaultmem.judge.usage import Usage
from vaultmem.judge.veto import hard_difference, merge_veto

__all__ = [
    "HEURISTIC",
    "Drift",
    "DriftJudgement",
    "Duplicate",
    "DuplicateJudgement",
    "HeuristicJudge",
    "Judge",
    "JudgeCaps",
    "JudgeChoice",
    "JudgeReport",
    "ModelJudge",
    "Price",
    "Usage",
    "as_drift",
    "as_duplicate",
    "hard_difference",
    "make_judge",
    "merge_veto",
    "price_of",
]
