"""How much each part of the ranking counts: two sets of constants, of which ``default`` is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from vaultmem.errors import UsageError
from vaultmem.search.model import Lane


class Trust(NamedTuple):
    """How much an embedding model is believed."""

    vector: float
    """Weight of the vector lane beside words, which have 1."""
    rerank: float
    """Share of likeness in what ``cosine_rerank`` makes of a score."""
    half_believed: float = 30
    """Words of a block whose likeness is believed by half."""


STATIC_TRUST: Final = Trust(vector=0.6, rerank=0.27)
"""Averaged word vectors."""

SENTENCE_TRUST: Final = Trust(vector=0.6, rerank=0.27)
"""A sentence model that is not listed."""

FOREIGN_TRUST: Final = Trust(vector=0.02, rerank=0.0)
"""A model that has not learnt the script of the query: its cosines tell nothing there. The lane still offers blocks where
words find none."""

TRUST: Final[Mapping[str, Trust]] = {"wordllama": STATIC_TRUST}
"""By the beginning of the model's name."""

LATIN_ONLY: Final = ("wordllama", "all-minilm-l6-v2")
"""Beginnings of the names of models that have learnt no Chinese, Japanese or Korean."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The constants of one way to rank."""

    name: str
    fusion: Literal["convex", "rrf"] = "convex"
    rrf_k: int = 60
    stretched: bool = False
    """``cosine_rerank`` goes by the cosines among the candidates, in place of what is usual for the query."""
    trust: Trust | None = None
    """For every model; None: by the model."""
    recency: float = 0.0
    """Share of freshness in what ``recency_boost`` makes of a score."""
    half_life_days: float = 90.0
    timely: float = 0.25
    """Share of being of the time that the query speaks of, in what ``recency_boost`` makes of a score then."""
    length_anchor: int = 0
    """Characters from which on ``length_normalization`` lowers a block; 0: never."""
    decay: float = 0.0
    """Share of a score that ``time_decay`` lets fade."""
    floor: float = 0.0
    """What ``hard_min_score`` lets pass."""
    mmr_lambda: float = 1.0
    """1: ``mmr_diversity`` keeps the order."""
    collapse: bool = True
    """Whether notes that say the same as a better hit are folded into it."""
    lane_weights: Mapping[Lane, float] = field(
        default_factory=lambda: {Lane.KEYWORD: 1.0, Lane.SUBSTRING: 0.5}
    )

    def trust_in(self, model: str, *, cjk: bool = False) -> Trust:
        """How much that model is believed; ``cjk`` says that the query is mostly Chinese, Japanese or Korean."""
        if self.trust is not None:
            return self.trust
        if cjk and model.lower().startswith(LATIN_ONLY):
            return FOREIGN_TRUST
        listed = (trust for start, trust in TRUST.items() if model.startswith(start))
        return next(listed, SENTENCE_TRUST)


CLASSIC: Final = Profile(
    name="classic",
    fusion="rrf",
    rrf_k=60,
    stretched=True,
    trust=Trust(vector=1.0, rerank=0.3),
    recency=0.1,
    half_life_days=90.0,
    length_anchor=500,
    decay=0.5,
    floor=0.35,
    mmr_lambda=0.7,
    collapse=False,
)
"""The specification's constants: RRF k = 60, half-life 90 days, floor 0.35, MMR λ = 0.7."""

DEFAULT: Final = Profile(name="default", recency=0.02)
"""What wins on the development sets; see ``docs/internals/retrieval.md``."""

PROFILES: Final[Mapping[str, Profile]] = {p.name: p for p in (DEFAULT, CLASSIC)}


def profile_named(name: str) -> Profile:
    """The profile of that name. Raises UsageError naming those there are."""
    try:
        return PROFILES[name.strip().lower()]
    except KeyError:
        known = ", ".join(PROFILES)
        raise UsageError(f"There is no profile {name!r}.", hint=f"Profiles: {known}.") from None
