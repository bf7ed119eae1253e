"""Whether an answer is clearly about what was asked, or only the nearest there is. Pure.

Measured in ``docs/internals/retrieval.md``: it errs towards saying nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vaultmem.index.terms import fold
from vaultmem.search.model import Lane

if TYPE_CHECKING:
    from vaultmem.search.lanes import LaneAnswer
    from vaultmem.search.words import Heard

COVERED: Final = 0.6
"""Share of the query's words, weighed by their rarity, that a hit must speak of to be clearly about it."""

COVERED_NAMED: Final = 0.4
"""The same where the title has the rarest word of the query that stands anywhere."""

COVERED_PAIRS: Final = 0.42
"""The same for pairs of Chinese, Japanese or Korean characters, of which many lie across two words."""


def is_relevant(hits: Mapping[int, str], answers: Sequence[LaneAnswer]) -> bool:
    """Whether one of the hits (block → title of its note) speaks of most of the query's words, has the rarest that stands
    anywhere in its title, holds one as a part of a word, or is far above the noise: what the embedder finds between texts
    that have nothing to do with each other, and in this vault for this query. True also when no lane that can tell ran.
    """
    can_tell = False
    heard = tuple(word for answer in answers for word in answer.heard)
    for answer in answers:
        if answer.report.lane == Lane.SUBSTRING and answer.report.ran:
            can_tell = True
            if any(candidate.block_id in hits for candidate in answer.candidates):
                return True
        # Of the cosines of one script among blocks of others little can be told.
        if answer.noise is not None and (not heard or _share_of_words(heard) >= 0.5):
            can_tell = True
            likes = [answer.likes[hit].cosine for hit in hits if hit in answer.likes]
            if max(likes, default=-1.0) >= answer.noise.clear:
                return True
    if heard:
        return _is_spoken_of(hits, heard)
    return not can_tell


def _is_spoken_of(hits: Mapping[int, str], heard: Sequence[Heard]) -> bool:
    if not hits:
        return False
    share = _share_of_words(heard)
    if max(covered(hit, heard) for hit in hits) >= share * COVERED + (1 - share) * COVERED_PAIRS:
        return True
    known = [word for word in heard if len(word.blocks)]
    rarest = max(known, key=lambda word: word.weight, default=None)
    return rarest is not None and any(
        _has(rarest, hit) and rarest.text in fold(title) and covered(hit, heard) >= COVERED_NAMED
        for hit, title in hits.items()
    )


def _share_of_words(heard: Sequence[Heard]) -> float:
    return sum(w.weight for w in heard if w.is_word) / sum(w.weight for w in heard)


def covered(block: int, heard: Sequence[Heard]) -> float:
    """The share of the query's words that the block speaks of, 0 … 1, the rare ones counting more."""
    spoken = sum(word.weight for word in heard if _has(word, block))
    return spoken / sum(word.weight for word in heard)


def _has(word: Heard, block: int) -> bool:
    at = int(word.blocks.searchsorted(block))
    return at < len(word.blocks) and int(word.blocks[at]) == block
