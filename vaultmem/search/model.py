"""What a search gives back: hits by note, each with its reasons, and how fresh the answer is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vaultmem.errors import UsageError


class Lane(StrEnum):
    """A source of candidates."""

    KEYWORD = "keyword"
    """``notes_fts``: words, weighted by where they stand; BM25."""
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
class SearchAnswer:
    """Hits, best first, with what is needed to judge them."""

    query: str
    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]
    freshness: Freshness
    seconds: float
