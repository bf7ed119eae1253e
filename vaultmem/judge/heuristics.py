"""The judge that needs no model."""

from __future__ import annotations

from collections.abc import Sequence

from vaultmem.judge.drift import judge_drift
from vaultmem.judge.duplicates import judge_duplicate
from vaultmem.judge.model import HEURISTIC, DriftJudgement, DuplicateJudgement, JudgeReport


class HeuristicJudge:
    """Decides by values, negations, opposites and wording. The same answer at each time, on every machine."""

    def duplicate(self, a: str, b: str) -> DuplicateJudgement:
        """What should become of the two texts. Anything doubtful is COEXIST."""
        return judge_duplicate(a, b)

    def duplicates(self, pairs: Sequence[tuple[str, str]]) -> list[DuplicateJudgement]:
        """What should become of each pair, in their order."""
        return [self.duplicate(a, b) for a, b in pairs]

    def drift(self, a: str, b: str) -> DriftJudgement:
        """Whether the two texts can both hold. Anything doubtful is CONSISTENT."""
        return judge_drift(a, b)

    def report(self) -> JudgeReport:
        """Nothing was used, nothing failed."""
        return JudgeReport(HEURISTIC)
