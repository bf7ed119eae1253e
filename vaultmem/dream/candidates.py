"""Which blocks are worth comparing, found without comparing all with all. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from vaultmem.dream.minhash import near_pairs, signatures

LEAST_SHARED: Final = 0.4
"""Of the pairs of neighbouring words; with a tenth of the words changed it is about two thirds."""
PER_BLOCK: Final = 20
"""Candidates of a block, its best ones (more only where it is among the best of another); look-alike series (daily notes) would otherwise drown the rest."""


class Source(IntEnum):
    """What proposed a pair, the surest last."""

    VECTOR = 1
    MINHASH = 2
    EXACT = 3


class Neighbour(NamedTuple):
    """Two blocks whose vectors are near, as the index knows them."""

    a: int
    b: int
    likeness: float
    """Cosine."""


@dataclass(frozen=True, slots=True, order=True)
class CandidatePair:
    """Two blocks that may say the same, by their places in the list that was given; ``a < b``."""

    a: int
    b: int
    source: Source
    likeness: float
    """1 for equal texts, the share of equal word pairs for near ones, the cosine for near vectors."""


def candidate_pairs(
    texts: Sequence[str],
    neighbours: Iterable[Neighbour] = (),
    *,
    notes: Sequence[object] | None = None,
    least: float = LEAST_SHARED,
) -> list[CandidatePair]:
    """The pairs worth judging: surest source first, then by likeness, then by place.

    Equal texts (but for blanks and case) are paired with the first of them, so that a thousand copies are 999 pairs.
    ``notes`` says for each text which note it is from; two blocks of one note are no pair. Blank texts are in none.
    """
    found: dict[tuple[int, int], CandidatePair] = {}

    def add(a: int, b: int, source: Source, likeness: float) -> None:
        key = (min(a, b), max(a, b))
        if a == b or (notes is not None and notes[a] == notes[b]):
            return
        if key not in found or found[key].source < source:
            found[key] = CandidatePair(*key, source, likeness)

    groups = _equal(texts)
    for group in groups:
        for other in group[1:]:
            add(group[0], other, Source.EXACT, 1.0)
    firsts = [group[0] for group in groups]
    for a, b, share in _near([texts[i] for i in firsts], least):
        add(firsts[a], firsts[b], Source.MINHASH, share)
    for near in neighbours:
        if texts[near.a].strip() and texts[near.b].strip():
            add(near.a, near.b, Source.VECTOR, near.likeness)
    return _best(found.values())


def _equal(texts: Sequence[str]) -> list[list[int]]:
    """The places of equal texts, in groups, also of one; blank texts are left out."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        if plain := " ".join(text.lower().split()):
            groups.setdefault(plain, []).append(place)
    return list(groups.values())


def _near(texts: Sequence[str], least: float) -> Iterable[tuple[int, int, float]]:
    """The near pairs that are among the ``PER_BLOCK`` best of one of their texts, best first."""
    if len(texts) < 2:
        return
    import numpy as np

    pieces = list(near_pairs(signatures(texts), least))
    first, second, shares = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.lexsort((second, first, -shares))
    count = [0] * len(texts)
    for place in order:  # one at a time: millions of Python numbers at once would be a gigabyte
        a, b = int(first[place]), int(second[place])
        if count[a] < PER_BLOCK or count[b] < PER_BLOCK:
            count[a] += 1
            count[b] += 1
            yield a, b, float(shares[place])


def _best(pairs: Iterable[CandidatePair]) -> list[CandidatePair]:
    """The pairs that are among the ``PER_BLOCK`` best of one of their blocks, best first; equal texts are all kept."""
    kept, count = [], Counter[int]()
    for pair in sorted(pairs, key=lambda p: (-p.source, -p.likeness, p.a, p.b)):
        if pair.source is not Source.EXACT:
            if count[pair.a] >= PER_BLOCK and count[pair.b] >= PER_BLOCK:
                continue
            count[pair.a] += 1
            count[pair.b] += 1
        kept.append(pair)
    return kept
