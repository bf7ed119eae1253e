"""Whether two texts say the same, without a model. Pure.

Likeness only proposes; what decides is what differs. Two texts in which one word differs are most likely made for that
word, so a single unknown word keeps them apart, while a longer text in which many small things differ is a rewording.
In a single sentence nothing unknown passes.
"""

from __future__ import annotations

from typing import Final

from vaultmem.judge.differences import differences
from vaultmem.judge.model import Duplicate, DuplicateJudgement
from vaultmem.judge.pairing import pair_claims

LEAST_LIKENESS: Final = 0.3
"""Of two claims to be held against each other."""
REWORDED_FROM: Final = 12.0
"""Words that a text must have before unknown words in it may pass as rewording."""
MOST_UNKNOWN: Final = 0.2
"""Of the words of a rewording."""
FEWEST_CHANGES: Final = 2
"""In a rewording."""


def judge_duplicate(a: str, b: str) -> DuplicateJudgement:
    """What should become of the two texts. Anything doubtful is COEXIST."""
    paired = pair_claims(a, b, least=LEAST_LIKENESS)
    if not paired.compared:
        return _coexist("too many differences", 0.9)
    if paired.only_a and paired.only_b:
        return _coexist("each says something that the other does not", 0.9)
    if not paired.same and not paired.alike:
        return _coexist("nothing in common", 1.0)
    found = [differences(x, y) for x, y in paired.alike]
    for difference in found:
        if difference.hard:
            return _coexist(difference.hard, 0.95)
    unknown = sum(d.unknown for d in found)
    weight = paired.weight + sum(max(x.weight, y.weight) for x, y in paired.alike)
    if unknown:
        alone = paired.same + len(paired.alike) == 1
        changes = sum(d.changes for d in found)
        if alone or changes < FEWEST_CHANGES or weight < REWORDED_FROM:
            return _coexist("one word differs, and it may be what matters", 0.6)
        if unknown > MOST_UNKNOWN * weight:
            return _coexist("too many words differ", 0.8)
    return _verdict(bool(paired.only_a), bool(paired.only_b), 1 - unknown / max(weight, 1.0))


def _verdict(more_a: bool, more_b: bool, confidence: float) -> DuplicateJudgement:
    if more_b:
        return DuplicateJudgement(
            Duplicate.ABSORB_A, "the second says it all, and more", confidence
        )
    if more_a:
        return DuplicateJudgement(Duplicate.ABSORB_B, "the first says it all, and more", confidence)
    return DuplicateJudgement(Duplicate.MERGE, "both say the same", confidence)


def _coexist(reason: str, confidence: float) -> DuplicateJudgement:
    return DuplicateJudgement(Duplicate.COEXIST, reason, confidence)
