"""Whether an answer is clearly about what was asked, or only the nearest there is. Pure.

Measured in ``docs/internals/retrieval.md``: it errs towards saying nothing.
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

COVERED_PAIRS: Final = 0.42
"""The same for pairs of Chinese, Japanese or Korean characters, of which many lie across two words."""


def is_relevant(hits: Collection[int], answers: Sequence[LaneAnswer]) -> bool:
    """Whether one of the hits (blocks) speaks of most of the query's words, holds one as a part of a word, or is far above the
    noise: what the embedder finds between texts that have nothing to do with each other, and in this vault for this query."""
    if not hits:
        return False
    for answer in answers:
        found = {candidate.block_id for candidate in answer.candidates}
        if answer.report.lane == Lane.SUBSTRING and not found.isdisjoint(hits):
            return True
        if answer.heard and max(covered(hit, answer.heard) for hit in hits) >= _needed(
            answer.heard
        ):
            return True
        if answer.noise is not None and any(
            answer.likes[hit].cosine >= answer.noise.clear for hit in hits if hit in answer.likes
        ):
            return True
    return False


def covered(block: int, heard: Sequence[Heard]) -> float:
    """The share of the query's words that the block speaks of, 0 … 1, the rare ones counting more."""
    spoken = sum(word.weight for word in heard if _has(word, block))
    return spoken / sum(word.weight for word in heard)


def _needed(heard: Sequence[Heard]) -> float:
    of_words = sum(word.weight for word in heard if word.is_word)
    share = of_words / sum(word.weight for word in heard)
    return share * COVERED + (1 - share) * COVERED_PAIRS


def _has(word: Heard, block: int) -> bool:
    at = int(word.blocks.searchsorted(block))
    return at < len(word.blocks) and int(word.blocks[at]) == block
