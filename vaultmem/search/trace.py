"""Why an answer is as it is: for each hit what the lanes and the stages did, and what was left out on the way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from vaultmem.index.connection import fetch
from vaultmem.search.model import HitTrace, LeftOut, StageEffect, Trace

if TYPE_CHECKING:
    from vaultmem.search.engine import Found
    from vaultmem.search.stages import Ranked

MOST_LEFT_OUT = 20
"""Blocks that were left out, told at most."""

# Where blocks stand.
PLACES = """
SELECT b.id, f.path, b.line FROM json_each(?) AS j JOIN notes_blocks AS b ON b.id = j.value
JOIN vault_files AS f ON f.id = b.note_id
"""
FACTS = """
SELECT fact_id FROM notes_facts WHERE note_id = ? AND line >= ? AND line < ? ORDER BY ordinal
"""
BLOCK_IDS = """
SELECT block_id FROM notes_block_ids WHERE note_id = ? AND line >= ? AND line < ? ORDER BY ordinal
"""
OWN = """
SELECT b.note_id, b.line, b.text, n.properties,
  (SELECT line FROM notes_blocks AS o WHERE o.note_id = b.note_id AND o.ordinal = b.ordinal + 1)
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id WHERE b.id = ?
"""


@dataclass(frozen=True, slots=True)
class ScoredFact:
    """One block that answers, with where it comes from."""

    path: str
    """Path of the note in the vault."""
    title: str
    """The note's."""
    heading_path: tuple[str, ...]
    """Headings above the text, outermost first."""
    block: int
    """The block's ordinal in its note."""
    line: int
    """Of its first line, from 0."""
    text: str
    """Verbatim."""
    block_ids: tuple[str, ...]
    """The ids that stand in it, without ``^``."""
    fact_ids: tuple[str, ...]
    """Those of them that name facts."""
    source: str
    """The note's property ``source``, else empty."""
    score: float
    """0 to 1, comparable within one answer only."""


def make_trace(connection: apsw.Connection, found: Found, profile: str) -> Trace:
    """The trace of a search, from the same state of the index."""
    course = found.course
    steps: list[tuple[str, dict[int, tuple[int, float]]]] = [
        ("fusion", {f.block_id: (rank, f.score) for rank, f in enumerate(course.fused, 1)})
    ]
    steps += [(name, _places(ranked)) for name, ranked in course.stages]
    cosines = {r.block_id: r.cosine for r in course.stages[0][1]}
    noise = next((a.noise.floor for a in course.answers if a.noise is not None), None)
    hits = []
    for hit, block in zip(found.hits, course.hits, strict=True):
        cosine = cosines.get(block)
        above = None if cosine is None or noise is None else cosine >= noise
        effects = []
        for name, places in steps:
            rank, score = places.get(block, (0, 0.0))
            effects.append(StageEffect(name, rank, round(score, 6)))
        like = course.likes.get(block)
        alone, around = (round(x, 6) for x in like) if like is not None else (None, None)
        hits.append(
            HitTrace(hit.path, hit.line, hit.lanes, cosine, above, alone, around, tuple(effects))
        )
    return Trace(
        profile=profile,
        lanes=found.lanes,
        noise=noise,
        relevant=found.relevant,
        hits=tuple(hits),
        left_out=_left_out(connection, found),
    )


def _places(ranked: Sequence[Ranked]) -> dict[int, tuple[int, float]]:
    return {r.block_id: (rank, r.score) for rank, r in enumerate(ranked, 1)}


def _left_out(connection: apsw.Connection, found: Found) -> tuple[LeftOut, ...]:
    course = found.course
    left: list[tuple[int, str, str]] = []
    before: set[int] = set()
    previous: Sequence[Ranked] = ()
    for name, ranked in course.stages:
        after = {r.block_id for r in ranked}
        if name == "hard_min_score":
            scores = {r.block_id: r.score for r in previous}
            gone = [block for block in before - after if block in scores]
            gone.sort(key=lambda block: -scores[block])
            left += [(b, name, f"its score {scores[b]:.3f} is below the floor") for b in gone]
        before, previous = after, ranked
    left += [(block, "folding", why) for block, why in course.folded]
    left = left[:MOST_LEFT_OUT]
    ids = json.dumps([block for block, _, _ in left])
    where = {block: (path, line) for block, path, line in fetch(connection, PLACES, (ids,))}
    return tuple(LeftOut(*where[block], by, why) for block, by, why in left if block in where)


def scored_facts(connection: apsw.Connection, found: Found) -> tuple[ScoredFact, ...]:
    """The blocks of the hits as facts with their provenance, in the same order."""
    facts = []
    for hit, block in zip(found.hits, found.course.hits, strict=True):
        note, line, text, properties, following = fetch(connection, OWN, (block,))[0]
        span = (note, line, following if following is not None else 1 << 40)
        source = json.loads(properties).get("source", "")
        facts.append(
            ScoredFact(
                path=hit.path,
                title=hit.title,
                heading_path=hit.heading_path,
                block=hit.block,
                line=line,
                text=text,
                block_ids=tuple(row[0] for row in fetch(connection, BLOCK_IDS, span)),
                fact_ids=tuple(row[0] for row in fetch(connection, FACTS, span)),
                source=source if isinstance(source, str) else "",
                score=hit.score,
            )
        )
    return tuple(facts)
