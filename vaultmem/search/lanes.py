"""The lanes: each asks one table and offers blocks with a score, best first, and says what it left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import apsw

from vaultmem.index import vectors
from vaultmem.index.connection import fetch, fetch_int, fetch_one
from vaultmem.index.meta import Stamp
from vaultmem.index.terms import fold
from vaultmem.search.counts import TermCounts
from vaultmem.search.fusion import Candidate
from vaultmem.search.model import Lane, LaneReport
from vaultmem.search.query import (
    MAX_TERMS,
    Query,
    Term,
    has_trigram,
    match_all,
    match_any,
    match_substrings,
    match_whole,
    parse_query,
)

if TYPE_CHECKING:
    from vaultmem.embed.protocol import Embedder
    from vaultmem.search.matrix import VectorMatrix

POOL = 100
"""Blocks a lane offers at most, unless more notes are asked for."""

BLOCKS_PER_HIT = 4
"""Blocks a lane offers for each note that is asked for beyond ``POOL``: a note may have several that match."""

MOST_NEIGHBOURS = 4096
"""Neighbours that sqlite-vec gives at most."""

COMMON_SHARE = 0.1
"""A word in more of the blocks than this says little and costs much; it is left out while rarer words remain."""

FEW_BLOCKS = 50
"""A word in no more blocks than this is never too common."""

COMMON_POOL = 4000
"""Blocks that are ranked when a query has nothing but common words."""

CHECKED_SUBSTRINGS = 600
"""Candidates of the trigram index whose text is compared."""

# Weight of each column of notes_fts: title, aliases, headings, tags, body, cjk.
COLUMN_WEIGHTS = "6.0, 5.0, 3.0, 3.0, 1.0, 1.0"

# Blocks of notes that Obsidian's settings exclude, which leave search (F-03), and of the notes listed.
LEFT_OUT = """
SELECT b.id FROM vault_files AS f JOIN notes_blocks AS b ON b.note_id = f.id WHERE f.excluded = 1
UNION ALL SELECT b.id FROM json_each(:notes) AS j JOIN notes_blocks AS b ON b.note_id = j.value
"""
# Blocks with any of the terms, best first. bm25() is negative, lower is better.
RANKED = f"""
SELECT rowid, -bm25(notes_fts, {COLUMN_WEIGHTS}) FROM notes_fts
WHERE notes_fts MATCH :match AND rowid NOT IN ({LEFT_OUT}) ORDER BY bm25(notes_fts, {COLUMN_WEIGHTS}) LIMIT :most
"""
# The first blocks with any of the terms, in no order of merit.
FIRST = f"""
SELECT rowid, -bm25(notes_fts, {COLUMN_WEIGHTS}) FROM notes_fts
WHERE notes_fts MATCH :match AND rowid NOT IN ({LEFT_OUT}) LIMIT :most
"""
# Whether any block satisfies an expression.
ANY_WITH = "SELECT EXISTS (SELECT 1 FROM notes_fts WHERE notes_fts MATCH ?)"
# Every block that satisfies an expression.
ALL_WITH = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?"
# Every block with those characters; reads them all.
ALL_CONTAINING = "SELECT id FROM notes_blocks WHERE instr(text, ?)"

# Candidates for substrings, with the text that the trigram index saw.
SUBSTRING_CANDIDATES = f"""
SELECT rowid FROM notes_fts_trigram
WHERE notes_fts_trigram MATCH :match AND rowid NOT IN ({LEFT_OUT}) LIMIT :most
"""
BLOCK_TEXT = """
SELECT b.ordinal, b.text, n.title, n.aliases, f.path
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id JOIN vault_files AS f ON f.id = b.note_id
WHERE b.id = ?
"""


class LaneAnswer(NamedTuple):
    """What a lane offers and how it fared."""

    candidates: list[Candidate]
    report: LaneReport
    more: bool = False
    """There may be further blocks, which the pool had no room for."""


def off(lane: Lane, why: str) -> LaneAnswer:
    """The answer of a lane that did not run."""
    return LaneAnswer([], LaneReport(lane, ran=False, candidates=0, note=why))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the lanes of one search share: one state of the index, and what is remembered about it."""

    connection: apsw.Connection
    stamp: Stamp
    counts: TermCounts
    matrix: VectorMatrix
    pool: int = POOL
    """Blocks that a lane may offer."""
    done: frozenset[int] = frozenset()
    """Notes that the lane has offered already and now leaves out."""

    def bound(self, match: str, most: int) -> dict[str, str | int]:
        """The values that the lanes' questions take."""
        return {"match": match, "most": most, "notes": json.dumps(sorted(self.done))}

    def left_out(self) -> set[int]:
        """The blocks that no lane may offer."""
        notes = {"notes": json.dumps(sorted(self.done))}
        return {block for (block,) in fetch(self.connection, LEFT_OUT, notes)}

    def has_whole(self, term: Term) -> bool:
        """Whether some block has the term as it stands, as whole words."""
        if not all(self.blocks_with(token) for token in term.tokens):
            return False
        if len(term.tokens) == 1:
            return True
        return bool(fetch_int(self.connection, ANY_WITH, (match_whole(term),)))

    def blocks_with(self, token: str) -> int:
        """In how many blocks the token stands."""
        return self.counts.blocks_with(self.connection, self.stamp, token)

    def blocks(self) -> int:
        """How many blocks there are."""
        return self.counts.blocks(self.connection, self.stamp)

    def blocks_without_vector(self) -> int:
        """How many blocks the vector lane cannot find."""
        return self.blocks() - self.counts.vectors(self.connection, self.stamp)


def pool_for(limit: int) -> int:
    """How many blocks each lane offers when so many notes are asked for."""
    return POOL if limit <= POOL else BLOCKS_PER_HIT * limit


def keyword(index: Snapshot, query: Query) -> LaneAnswer:
    """Blocks that hold any of the query's words, by BM25 over weighted columns."""
    if not query.terms:
        return off(Lane.KEYWORD, "the query has no word")
    notes = []
    if query.cut:
        notes.append(f"only the first {MAX_TERMS} words were looked up")
    connection = index.connection
    rare, common = split_common(index, query.terms)
    rows = fetch(connection, RANKED, index.bound(match_any(rare), index.pool)) if rare else []
    if rows and common:
        notes.append("too common to rank: " + ", ".join(term.text for term in common))
    if common and not rows and not (rare and index.done):
        rows = fetch(connection, FIRST, index.bound(match_any(common), COMMON_POOL))
        if len(rows) == COMMON_POOL:
            notes.append(f"only common words: ranked the first {COMMON_POOL} blocks that have them")
        rows = sorted(rows, key=lambda row: (-row[1], row[0]))[: index.pool]
    more = len(rows) == index.pool
    return _answer(Lane.KEYWORD, [Candidate(*row) for row in rows], notes, more=more)


def split_common(index: Snapshot, terms: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """The terms apart: those rare enough to rank by, and those in too large a share of all blocks."""
    rare: list[Term] = []
    common: list[Term] = []
    limit = max(COMMON_SHARE * index.blocks(), FEW_BLOCKS)
    for term in terms:
        held = min(index.blocks_with(token) for token in term.tokens)
        (common if held > limit else rare).append(term)
    return rare, common


def substring(index: Snapshot, query: Query, *, asked: bool) -> LaneAnswer:
    """Blocks that hold the query's words as parts of words.

    Only words that no note has as a whole word are looked for, unless the lane was ``asked`` for by name: for all
    others the keyword lane knows better.
    """
    long_enough = [term for term in query.terms if not term.is_cjk and has_trigram(term.text)]
    words = [term.text for term in long_enough if asked or not index.has_whole(term)]
    if not words:
        return off(Lane.SUBSTRING, "" if query.terms else "the query has no word")
    connection = index.connection
    notes: list[str] = []
    expression = match_substrings(words)
    rowids = [
        int(row[0])
        for row in connection.execute(
            SUBSTRING_CANDIDATES, index.bound(expression, CHECKED_SUBSTRINGS)
        )
    ]
    if len(rowids) == CHECKED_SUBSTRINGS:
        notes.append(f"compared the first {CHECKED_SUBSTRINGS} blocks only")
    found = []
    for rowid in rowids:
        text, names = _substring_text(connection, rowid)
        score = _substring_score(text, names, words)
        if score > 0:
            found.append(Candidate(rowid, score))
    found.sort(key=lambda c: (-c.score, c.block_id))
    more = len(rowids) == CHECKED_SUBSTRINGS or len(found) > index.pool
    return _answer(Lane.SUBSTRING, found[: index.pool], notes, more=more)


def _substring_text(connection: apsw.Connection, rowid: int) -> tuple[str, str]:
    ordinal, text, title, aliases, path = fetch_one(connection, BLOCK_TEXT, (rowid,))
    names = f"{title}\n{path.rpartition('/')[2]}\n{aliases}" if ordinal == 0 else ""
    return fold(text), fold(names)


def _substring_score(text: str, names: str, words: Sequence[str]) -> float:
    """Occurrences per length, a name's counting eight times; 0 unless every word is there."""
    score = 0.0
    for word in words:
        in_text, in_names = text.count(word), names.count(word)
        if not (in_text or in_names):
            return 0.0
        score += (in_text + 8 * in_names) / (1 + len(text) / 1000)
    return score


def vector(index: Snapshot, query: Query, embedder: Embedder | None) -> LaneAnswer:
    """Blocks whose meaning is like the query's, by cosine, above the noise of this query."""
    if embedder is None:
        return off(Lane.VECTOR, 'switched off (embed.model = "none")')
    connection = index.connection
    if index.stamp.vector_model != embedder.model:
        sets = vectors.vector_sets(connection)
        have = ", ".join(f"{s.model} ({s.dim})" for s in sets) or "none"
        return off(
            Lane.VECTOR,
            f"no vectors of {embedder.model} ({embedder.dim} dimensions) in the index, which has: {have}; "
            f"run `vaultmem {'sync' if sets else 'rebuild'}`",
        )
    if not query.terms:
        return off(Lane.VECTOR, "the query has no word")
    wanted = embedder.embed_query(query.text)
    if not wanted.any():
        return off(Lane.VECTOR, "the embedder knows no part of the query")
    excluded = index.left_out()
    wide = min(index.pool + min(len(excluded), 10 * POOL), MOST_NEIGHBOURS)
    if index.done:
        wide = min(index.pool + len(excluded), MOST_NEIGHBOURS)
    found = index.matrix.nearest(connection, index.stamp, embedder, wanted, wide)
    kept = [candidate for candidate in found if candidate.block_id not in excluded]
    without = index.blocks_without_vector()
    notes = [f"blocks without a vector: {without}; run `vaultmem sync`"] if without else []
    more = len(found) == wide or len(kept) > index.pool
    return _answer(Lane.VECTOR, kept[: index.pool], notes, more=more)


def _answer(
    lane: Lane, candidates: list[Candidate], notes: Sequence[str], *, more: bool
) -> LaneAnswer:
    report = LaneReport(lane, ran=True, candidates=len(candidates), note="; ".join(notes))
    return LaneAnswer(candidates, report, more)


def mention_candidates(connection: apsw.Connection, names: Sequence[str]) -> list[int]:
    """Ids of the blocks in which one of the names may stand, as words or, where a name has none, as characters."""
    blocks: set[int] = set()
    for name in names:
        terms = parse_query(name).terms
        if terms:
            found = connection.execute(ALL_WITH, (f"{{body cjk}} : ({match_all(terms)})",))
        else:
            found = connection.execute(ALL_CONTAINING, (name,))
        blocks.update(int(row[0]) for row in found)
    return sorted(blocks)
