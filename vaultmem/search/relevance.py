"""Whether an answer is clearly about what was asked, or only the nearest there is. Pure.

Of the development sets, questions to their own collection pass in 98 to 100 per cent; questions to a collection that does
not know the answer in 1 to 15 per cent, but in 49 where the claims of SciFact were put to the articles of XQuAD.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from vaultmem.search.model import Lane

if TYPE_CHECKING:
    from vaultmem.search.lanes import LaneAnswer
    from vaultmem.search.words import Heard

COVERED: Final = 0.6
"""Share of the query's words, weighed by their rarity, that a hit must speak of to be clearly about it."""


def is_relevant(hits: Collection[int], answers: Sequence[LaneAnswer]) -> bool:
    """Whether one of the hits (blocks) speaks of most of the query's words, holds one as a part of a word, or is above the
    noise of the embedder, which is a percentile of its cosines between texts that have nothing to do with each other."""
    for answer in answers:
        found = {candidate.block_id for candidate in answer.candidates}
        if answer.report.lane == Lane.SUBSTRING and not found.isdisjoint(hits):
            return True
        if answer.heard and max((covered(hit, answer.heard) for hit in hits), default=0) >= COVERED:
            return True
        if answer.noise is not None and any(
            answer.likes[hit].cosine >= answer.noise.floor for hit in hits if hit in answer.likes
        ):
            return True
    return False


def covered(block: int, heard: Sequence[Heard]) -> float:
    """The share of the query's words that the block speaks of, 0 … 1, the rare ones counting more."""
    spoken = sum(word.weight for word in heard if _has(word, block))
    return spoken / sum(word.weight for word in heard)


def _has(word: Heard, block: int) -> bool:
    at = int(word.blocks.searchsorted(block))
    return at < len(word.blocks) and int(word.blocks[at]) == block
