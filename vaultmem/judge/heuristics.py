"""The judge that needs no model."""

from __future__ import annotations

from vaultmem.judge.duplicates import judge_duplicate
from vaultmem.judge.model import DuplicateJudgement


class HeuristicJudge:
    """Decides by values, negations, opposites and wording. The same answer at each time, on every machine."""

    def duplicate(self, a: str, b: str) -> DuplicateJudgement:
        """What should become of the two texts. Anything doubtful is COEXIST."""
        return judge_duplicate(a, b)
