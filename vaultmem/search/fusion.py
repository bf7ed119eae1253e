"""From the lanes' candidates to one ranking. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from vaultmem.search.model import Lane, LaneRank


class Candidate(NamedTuple):
    """A block that a lane offers."""

    block_id: int
    score: float


class Fused(NamedTuple):
    """A block with its fused score."""

    block_id: int
    score: float
    """0 to 1."""


def convex(
    lanes: Mapping[Lane, Sequence[Candidate]],
    weights: Mapping[Lane, float],
    likes: Mapping[int, float] | None = None,
    *,
    full: float = 0.0,
) -> list[Fused]:
    """Convex fusion: the scores of each lane are brought to 0 … 1 for this query, weighted and summed; best first,
    equal ones by block id. The weights of the lanes that found something sum to 1.

    Words and parts of words have a natural zero and are divided by the best; words by ``full`` when the best is less:
    what speaks of few of the query's words is weak, also when nothing speaks of more. ``likes`` says of the candidates of every
    lane how like the query they are, 0 … 1; without it the cosines speak, whose worst counts a tenth. Keyword and
    bridge speak in one measure and are one voice.
    """
    voices: list[tuple[float, dict[int, float]]] = []
    words: dict[int, float] = {}
    for lane in (Lane.KEYWORD, Lane.BRIDGE):
        for block, score in lanes.get(lane, ()):
            words[block] = words.get(block, 0.0) + score
    if words:
        voices.append((weights[Lane.KEYWORD], _by_best(words, full)))
    if parts := lanes.get(Lane.SUBSTRING):
        voices.append((weights[Lane.SUBSTRING], _by_best(dict(parts))))
    offered = {block for found in lanes.values() for block, _ in found}
    if likes is not None:
        judged = {block: like for block, like in likes.items() if block in offered}
    else:
        judged = stretched(dict(lanes.get(Lane.VECTOR, ())), least=0.1)
    if judged:
        voices.append((weights[Lane.VECTOR], judged))
    total = sum(weight for weight, _ in voices) or 1.0
    scores: dict[int, float] = {}
    for weight, voice in voices:
        for block, score in voice.items():
            scores[block] = scores.get(block, 0.0) + weight / total * score
    return _sorted(scores)


def reciprocal_rank(lanes: Mapping[Lane, Sequence[Candidate]], k: int) -> list[Fused]:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the lanes, brought to 1 for what all of them put first."""
    active = [candidates for candidates in lanes.values() if candidates]
    scores: dict[int, float] = {}
    for candidates in active:
        for rank, (block, _) in enumerate(candidates, 1):
            scores[block] = scores.get(block, 0.0) + (k + 1) / (k + rank) / len(active)
    return _sorted(scores)


def _by_best(scores: Mapping[int, float], full: float = 0.0) -> dict[int, float]:
    best = max(full, *scores.values())
    return {block: score / best if best > 0 else 1.0 for block, score in scores.items()}


def stretched(scores: Mapping[int, float], *, least: float = 0.0) -> dict[int, float]:
    """The scores brought to ``least`` … 1 by their worst and best; all 1 when these are equal."""
    if not scores:
        return {}
    worst, best = min(scores.values()), max(scores.values())
    if best <= worst:
        return dict.fromkeys(scores, 1.0)
    scale = (1 - least) / (best - worst)
    return {block: least + (score - worst) * scale for block, score in scores.items()}


def _sorted(scores: Mapping[int, float]) -> list[Fused]:
    fused = [Fused(block, score) for block, score in scores.items()]
    return sorted(fused, key=lambda f: (-f.score, f.block_id))


def lane_ranks(
    lanes: Mapping[Lane, Sequence[Candidate]], blocks: Collection[int]
) -> dict[int, tuple[LaneRank, ...]]:
    """For each of the blocks where it stands in which lane."""
    ranks: dict[int, list[LaneRank]] = {block: [] for block in blocks}
    for lane, candidates in lanes.items():
        for rank, (block, score) in enumerate(candidates, 1):
            if block in ranks:
                ranks[block].append(LaneRank(lane, rank, score))
    return {block: tuple(found) for block, found in ranks.items()}
