"""Which claims of two texts speak of the same thing. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.judge.claims import claims
from vaultmem.judge.reading import Reading, likeness, read

MOST_PAIRS: Final = 20_000
"""Pairs of claims that are compared; more differences than that are no duplicate, and no drift that we find."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The claims of two texts."""

    same: int
    """Claims that both have word for word."""
    weight: float
    """Of these, in words."""
    alike: tuple[tuple[Reading, Reading], ...]
    only_a: tuple[Reading, ...]
    only_b: tuple[Reading, ...]
    compared: bool
    """False when there were too many differences to go through."""


def pair_claims(a: str, b: str, *, least: float) -> Paired:
    """Each claim with the one most like it, if their likeness is at least ``least``; each in one pair only."""
    left, right, weight, same = _unequal([c.text for c in claims(a)], [c.text for c in claims(b)])
    if len(left) * len(right) > MOST_PAIRS:
        return Paired(same, weight, (), tuple(left), tuple(right), False)
    scored = sorted(
        (
            (-score, i, j)
            for i, x in enumerate(left)
            for j, y in enumerate(right)
            if (score := likeness(x, y)) >= least
        )
    )
    used_a: set[int] = set()
    used_b: set[int] = set()
    alike = []
    for _, i, j in scored:
        if i not in used_a and j not in used_b:
            used_a.add(i)
            used_b.add(j)
            alike.append((left[i], right[j]))
    return Paired(
        same,
        weight,
        tuple(alike),
        tuple(x for i, x in enumerate(left) if i not in used_a),
        tuple(y for j, y in enumerate(right) if j not in used_b),
        True,
    )


def _unequal(a: Sequence[str], b: Sequence[str]) -> tuple[list[Reading], list[Reading], float, int]:
    """The claims that only one text has, then the weight and the number of those that both have."""
    plain_a, plain_b = [_plain(c) for c in a], [_plain(c) for c in b]
    common = Counter(plain_a) & Counter(plain_b)
    left, right = _rest(a, plain_a, common), _rest(b, plain_b, common)
    weight = sum(read(text).weight * count for text, count in common.items())
    return left, right, weight, common.total()


def _rest(found: Sequence[str], plain: Sequence[str], common: Counter[str]) -> list[Reading]:
    rest = common.copy()
    kept = []
    for claim, key in zip(found, plain, strict=True):
        if rest[key] > 0:
            rest[key] -= 1
        else:
            kept.append(read(claim))
    return kept


def _plain(claim: str) -> str:
    return " ".join(claim.split()).rstrip(".。!！")
