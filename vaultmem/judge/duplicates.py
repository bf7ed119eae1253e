"""Whether two texts say the same, without a model. Pure.

Likeness only proposes; what decides is what differs. Two texts in which one word differs are most likely made for that
word, so a word that stands for an unrelated one keeps them apart, however long they are: a rewording says things in
words of the same meaning. In a single sentence nothing unknown passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from vaultmem.judge.claims import Form, claims
from vaultmem.judge.differences import Differences, differences
from vaultmem.judge.lexicon import root
from vaultmem.judge.model import Duplicate, DuplicateJudgement
from vaultmem.judge.pairing import pair_claims
from vaultmem.judge.reading import read

LEAST_LIKENESS: Final = 0.3
"""Of two claims to be held against each other."""
REWORDED_FROM: Final = 12.0
"""Words that a text must have before unknown words in it may pass as rewording."""
MOST_UNKNOWN: Final = 0.2
"""Of the words of a rewording."""
FEWEST_CHANGES: Final = 2
"""In a rewording."""
FEWEST_WORDS: Final = 2.0
"""In the sentences of the shorter text: a title alone, a link or a time of day stands in many notes and says nothing."""

_TEMPLATE: Final = re.compile(r"<%|\{\{|%>|\}\}")


def judge_duplicate(a: str, b: str) -> DuplicateJudgement:
    """What should become of the two texts. Anything doubtful is COEXIST."""
    if reason := no_claims(a, b):
        return _coexist(reason, 0.9)
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
    if min(words_said(a), words_said(b)) < FEWEST_WORDS:
        return _coexist("too short to tell", 0.8)
    if repeated := swapped_throughout(found):
        return _coexist(repeated, 0.9)
    unknown = sum(d.unknown for d in found)
    weight = paired.weight + sum(max(x.weight, y.weight) for x, y in paired.alike)
    if unknown:
        alone = paired.same + len(paired.alike) == 1
        changes = sum(d.changes for d in found)
        if alone or changes < FEWEST_CHANGES or weight < REWORDED_FROM:
            return _coexist("one word differs, and it may be what matters", 0.6)
        if exchanged := next((d.exchanged for d in found if d.exchanged), None):
            return _coexist(f"another thing may be meant: {' / '.join(exchanged)}", 0.7)
        if unknown > MOST_UNKNOWN * weight:
            return _coexist("too many words differ", 0.8)
    return _verdict(bool(paired.only_a), bool(paired.only_b), 1 - unknown / max(weight, 1.0))


def swapped_throughout(found: Sequence[Differences]) -> str:
    """Why texts in which one word stands for another in several claims are about two things, in words; empty when there
    is no such word. A rewording seldom says a thing anew in the same way twice; a form that was filled in twice does."""
    swapped: Counter[tuple[str, str]] = Counter()
    for difference in found:
        left, right = ({root(t.key) for t in words} for words in difference.words)
        swapped.update((x, y) for x in left for y in right)
    again = [pair for pair, times in swapped.items() if times > 1]
    return f"one word for another throughout: {' / '.join(min(again))}" if again else ""


def no_claims(a: str, b: str) -> str:
    """Why the texts are nothing to be merged, whatever they say; empty when they are."""
    if _TEMPLATE.search(a) or _TEMPLATE.search(b):
        return "a template"
    forms = [Counter(claim.form for claim in claims(text)) for text in (a, b)]
    if any(f[Form.TASK] and f[Form.TASK] >= f[Form.PROSE] for f in forms):
        return "tasks"
    code = [[c.text for c in claims(text) if c.form is Form.CODE] for text in (a, b)]
    return "code differs" if code[0] != code[1] else ""


def words_said(text: str) -> float:
    """How many words the sentences of a text have, names and other values not counted; two characters are a word."""
    told = [read(claim.text) for claim in claims(text) if claim.form is Form.PROSE]
    return sum(len(r.words) + len(r.signs) / 2 for r in told)


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
