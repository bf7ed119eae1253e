"""The six stages between fusion and answer. Each is a pure function from candidates to candidates, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from vaultmem.search.fusion import stretched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.search.profile import Profile, Trust

STAGES: Final = (
    "cosine_rerank",
    "recency_boost",
    "length_normalization",
    "time_decay",
    "hard_min_score",
    "mmr_diversity",
)
"""Their names, in the order in which they run."""


class Ranked(NamedTuple):
    """A block on its way through the stages."""

    block_id: int
    note_id: int
    score: float
    cosine: float | None = None
    """To the query; None when it is not known."""
    likeness: float | None = None
    """How far the cosines of the block and its neighbours are above what is usual for the query, 0 … 1; None when that
    is not known."""
    length: int = 0
    """Characters."""
    age_days: float | None = None
    """Of its note in whole days, never negative; None when it is not known."""
    permanent: bool = False
    """Its note does not fade."""
    timely: float = 0.0
    """How much it is of a time that the query speaks of, 0 … 1."""


def cosine_rerank(ranked: Sequence[Ranked], *, share: float, stretch: bool = False) -> list[Ranked]:
    """Scores mixed with likeness; with ``stretch`` with the cosines instead, brought to 0 … 1 among these candidates. One
    of which neither is known counts 0."""
    cosines = {r.block_id: r.cosine for r in ranked if r.cosine is not None}
    known = {r.block_id: r.likeness for r in ranked if r.likeness is not None}
    likes = stretched(cosines) if stretch else known
    if not likes or share <= 0:
        return list(ranked)
    return _in_order(
        r._replace(score=(1 - share) * r.score + share * likes.get(r.block_id, 0.0)) for r in ranked
    )


def recency_boost(
    ranked: Sequence[Ranked], *, share: float, half_life_days: float, timely: float = 0.0
) -> list[Ranked]:
    """Scores mixed with freshness, which is 1 today and halves with each half-life; where some are of a time that the
    query speaks of, mixed with how much they are instead, by the share ``timely``."""
    if timely > 0 and any(r.timely for r in ranked):
        return _in_order(
            r._replace(score=(1 - timely) * r.score + timely * r.timely) for r in ranked
        )
    if share <= 0:
        return list(ranked)
    return _in_order(
        r._replace(score=(1 - share) * r.score + share * _freshness(r, half_life_days))
        for r in ranked
    )


def length_normalization(ranked: Sequence[Ranked], *, anchor: int) -> list[Ranked]:
    """Blocks longer than the anchor lowered: by a third at twice its length."""
    if anchor <= 0:
        return list(ranked)
    return _in_order(
        r._replace(score=r.score / (1 + 0.5 * math.log2(max(1.0, r.length / anchor))))
        for r in ranked
    )


def time_decay(ranked: Sequence[Ranked], *, share: float, half_life_days: float) -> list[Ranked]:
    """A share of each score fading with age; that of permanent notes, and of notes without a date, does not."""
    if share <= 0:
        return list(ranked)
    return _in_order(
        r
        if r.permanent or r.age_days is None
        else r._replace(score=r.score * (1 - share + share * _freshness(r, half_life_days)))
        for r in ranked
    )


def hard_min_score(ranked: Sequence[Ranked], *, floor: float) -> list[Ranked]:
    """Those whose score reaches the floor."""
    return [r for r in ranked if r.score >= floor]


def mmr_diversity(
    ranked: Sequence[Ranked],
    *,
    balance: float,
    vectors: Callable[[Sequence[int]], Mapping[int, NDArray[np.float32]]],
    most: int = 50,
) -> list[Ranked]:
    """Maximal marginal relevance among the first ``most``: each next one is that with the most of ``balance`` times its
    score less the rest times its likeness to what stands before it. Scores stay as they are, so that the order may
    differ from theirs; a ``balance`` of 1 changes nothing."""
    if balance >= 1 or len(ranked) < 2:
        return list(ranked)
    left, rest = list(ranked[:most]), list(ranked[most:])
    known = vectors([r.block_id for r in left])
    nearest = dict.fromkeys((r.block_id for r in left), 0.0)
    chosen: list[Ranked] = []
    while left:
        best = max(left, key=lambda r: balance * r.score - (1 - balance) * nearest[r.block_id])
        left.remove(best)
        chosen.append(best)
        mine = known.get(best.block_id)
        for other in left:
            theirs = known.get(other.block_id)
            if mine is not None and theirs is not None:
                likeness = float(mine @ theirs)
                nearest[other.block_id] = max(nearest[other.block_id], likeness)
    return chosen + rest


def run_stages(
    ranked: Sequence[Ranked],
    profile: Profile,
    trust: Trust,
    vectors: Callable[[Sequence[int]], Mapping[int, NDArray[np.float32]]],
) -> list[tuple[str, list[Ranked]]]:
    """What each stage made of the candidates, by its name, in order; the last is the ranking."""
    half_life = profile.half_life_days
    steps: tuple[Callable[[Sequence[Ranked]], list[Ranked]], ...] = (
        lambda r: cosine_rerank(r, share=trust.rerank, stretch=profile.stretched),
        lambda r: recency_boost(
            r, share=profile.recency, half_life_days=half_life, timely=profile.timely
        ),
        lambda r: length_normalization(r, anchor=profile.length_anchor),
        lambda r: time_decay(r, share=profile.decay, half_life_days=half_life),
        lambda r: hard_min_score(r, floor=profile.floor),
        lambda r: mmr_diversity(r, balance=profile.mmr_lambda, vectors=vectors),
    )
    done: list[tuple[str, list[Ranked]]] = []
    current = list(ranked)
    for name, step in zip(STAGES, steps, strict=True):
        current = step(current)
        done.append((name, current))
    return done


def _freshness(ranked: Ranked, half_life_days: float) -> float:
    return 0.0 if ranked.age_days is None else float(0.5 ** (ranked.age_days / half_life_days))


def _in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda r: (-r.score, r.block_id))
