"""What forbids a merge, whoever proposes it. Pure.

A model may find that two texts say the same in other words. It may not find it where they differ in a value: this
check goes before it and after it, and nothing that a text or a model says gets past it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vaultmem.judge.claims import claims
from vaultmem.judge.differences import differences
from vaultmem.judge.duplicates import (
    FEWEST_CHANGES,
    FEWEST_WORDS,
    LEAST_LIKENESS,
    no_claims,
    swapped_throughout,
    words_said,
)
from vaultmem.judge.model import Duplicate
from vaultmem.judge.pairing import Paired, pair_claims
from vaultmem.judge.reading import Reading, read


def hard_difference(a: str, b: str) -> str:
    """Why neither a merge nor an absorption of the two texts can be right, in words; empty when nothing speaks
    against one."""
    return _hard_difference(a, b, pair_claims(a, b, least=LEAST_LIKENESS))


def merge_veto(a: str, b: str, verdict: Duplicate) -> str:
    """Why this verdict must not stand for the two texts, in words; empty when it may. COEXIST always may.

    What a text says alone must not hold a value, a time, a limit or a negation that the text which is said to tell
    it all does not have.
    """
    if verdict is Duplicate.COEXIST:
        return ""
    paired = pair_claims(a, b, least=LEAST_LIKENESS)
    if found := _hard_difference(a, b, paired):
        return found
    extra_a, extra_b = _extras(paired, a, b)
    if extra_a and verdict in (Duplicate.MERGE, Duplicate.ABSORB_A):
        return f"only the first says: {extra_a}"
    if extra_b and verdict in (Duplicate.MERGE, Duplicate.ABSORB_B):
        return f"only the second says: {extra_b}"
    return ""


def _hard_difference(a: str, b: str, paired: Paired) -> str:
    if reason := no_claims(a, b):
        return reason
    if not paired.compared:
        return "too many differences"
    found = [differences(x, y) for x, y in paired.alike]
    for difference in found:
        if difference.hard:
            return difference.hard
    if repeated := swapped_throughout(found):
        return repeated
    if any(d.unknown for d in found) and sum(d.changes for d in found) < FEWEST_CHANGES:
        return "one word differs, and it may be what matters"
    if min(words_said(a), words_said(b)) < FEWEST_WORDS:
        return "too short to tell"
    extra_a, extra_b = _extras(paired, a, b)
    return f"values differ: {extra_a} / {extra_b}" if extra_a and extra_b else ""


def _extras(paired: Paired, a: str, b: str) -> tuple[str, str]:
    """What each text says in claims that the other has in no form, and that may be what matters."""
    left, right = paired.only_a, paired.only_b
    return _extra(left, right, b), _extra(right, left, a)


def _extra(alone: Sequence[Reading], others: Sequence[Reading], other: str) -> str:
    """Values and times of the claims that the other text nowhere has; limits and negations that its own claims without
    a counterpart do not have as often."""
    if not alone:
        return ""
    there = [read(claim.text) for claim in claims(other)]
    keys = {t.key for r in there for t in r.tokens} | {time for r in there for time in r.times}
    found = [t.text for r in alone for t in r.values if t.key not in keys]
    found += [time for r in alone for time in sorted(r.times) if time not in keys]
    found += sorted(_limits(alone) - _limits(others))
    if sum(r.negations for r in alone) > sum(r.negations for r in others):
        found.append("a negation")
    return ", ".join(dict.fromkeys(found))


def _limits(told: Iterable[Reading]) -> set[str]:
    return {word for r in told for word in r.polar}
