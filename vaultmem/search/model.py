"""What a search gives back: hits by note, each with its reasons, and how fresh the answer is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vaultmem.errors import UsageError


class Lane(StrEnum):
    """A source of candidates."""

    KEYWORD = "keyword"
    """``notes_fts``: words, weighted by where they stand; BM25."""
    BRIDGE = "bridge"
    """Words of the vault that are near in meaning to the query's, one by one."""
    SUBSTRING = "substring"
    """``notes_fts_trigram``: the query's words as parts of words, three characters and more."""
    VECTOR = "vector"
    """``notes_vec_{dim}``: likeness of meaning."""

    @classmethod
    def parse(cls, name: str) -> Lane:
        """The lane of that name. Raises UsageError naming the lanes there are."""
        try:
            return cls(name.strip().lower())
        except ValueError:
            known = ", ".join(cls)
            raise UsageError(f"There is no lane {name!r}.", hint=f"Lanes: {known}.") from None


@dataclass(frozen=True, slots=True)
class LaneReport:
    """How one lane fared in one search."""

    lane: Lane
    ran: bool
    candidates: int
    """Blocks it offered."""
    note: str = ""
    """Why it did not run, or what was left out of it; "" when there is nothing to say."""


@dataclass(frozen=True, slots=True)
class LaneRank:
    """Where a hit's best block stood in one lane."""

    lane: Lane
    rank: int
    """From 1."""
    score: float
    """In the lane's own measure: BM25 (higher is better), matches per length, cosine."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """The words around the match, as a reader sees them."""

    text: str
    marks: tuple[tuple[int, int], ...]
    """Spans in ``text`` that match the query, in order, not overlapping."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One note that answers, by its best block."""

    path: str
    title: str
    score: float
    """0 to 1, comparable within one answer only."""
    heading_path: tuple[str, ...]
    line: int
    """Of the block's first line, from 0."""
    block: int
    """The block's ordinal in its note."""
    snippet: Snippet
    lanes: tuple[LaneRank, ...]
    conflict_of: str | None = None
    """For a sync conflict copy the path of its original, empty when that is gone; else None."""
    stale: bool = False
    """The note says of itself that it is stale."""
    stands_for: str | None = None
    """The path of a note that matched and that this one supersedes; else None."""
    also: tuple[str, ...] = ()
    """Paths of further notes that say the same."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the answer can be trusted to know the last edit."""

    checked: bool
    """The disk was compared with the index for this answer (or a live watcher vouches for it)."""
    synced_ns: int
    """When the index last changed, nanoseconds since the epoch."""
    applied: int
    """Edits that were brought into the index for this answer."""
    pending: int
    """Edits that are known to be missing from it."""
    note: str = ""
    """Why edits are pending, or why nothing was checked; ``watched`` when a live watcher vouches for the index."""


@dataclass(frozen=True, slots=True)
class StageEffect:
    """What one stage made of a block."""

    stage: str
    """Its name; ``fusion`` for the ranking that the stages begin with."""
    rank: int
    """From 1, among all blocks; 0 when the stage left it out."""
    score: float
    """After the stage; 0 when it left the block out."""


@dataclass(frozen=True, slots=True)
class HitTrace:
    """How one hit came to its place."""

    path: str
    """Path in the vault."""
    line: int
    """Of the block's first line, from 0."""
    lanes: tuple[LaneRank, ...]
    """Where the block stood in each lane."""
    cosine: float | None
    """To the query; None when it is not known."""
    above_noise: bool | None
    """Whether that is above the noise of this query; None without a cosine."""
    likeness: float | None
    """How far that is above what is usual for the query, 0 … 1, as far as so short a block is believed; the fusion takes
    it."""
    around: float | None
    """The same of the block with its neighbours; ``cosine_rerank`` takes it."""
    stages: tuple[StageEffect, ...]
    """Fusion, then each stage, in order."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A block that was a candidate and is no hit."""

    path: str
    """Path in the vault."""
    line: int
    """Of the block's first line, from 0."""
    by: str
    """The stage that left it out, or ``folding``."""
    why: str
    """The reason, in words."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The course of one search."""

    profile: str
    """The constants that were used."""
    lanes: tuple[LaneReport, ...]
    """How each lane fared."""
    noise: float | None
    """The cosine that a block must exceed to be like this query: a percentile of the vault's blocks, at least the
    model's own noise; None when the vector lane did not run."""
    relevant: bool
    """Whether a hit is clearly about what was asked: most of the query's words by their rarity, a part of a word, or a
    likeness above the noise."""
    hits: tuple[HitTrace, ...]
    """In the order of the hits."""
    left_out: tuple[LeftOut, ...]
    """The best of what was left out, at most 20."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits, best first, with what is needed to judge them."""

    query: str
    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]
    freshness: Freshness
    seconds: float
    did_you_mean: str = ""
    """The query as it was probably meant, when a word of it stands in no note; "" when there is nothing to say."""
    trace: Trace | None = None
    """Why the answer is as it is, when that was asked for."""
    told: tuple[str, ...] = ()
    """How the query was read, where that should be known: a filter that was left out, words that were taken for a time,
    that there are only filters."""
