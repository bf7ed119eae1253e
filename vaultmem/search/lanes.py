"""The lanes: each asks one table and offers blocks with a score, best first, and says what it left out."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import apsw

from vaultmem.index import vectors
from vaultmem.index.connection import fetch_int, fetch_one
from vaultmem.index.meta import Stamp
from vaultmem.index.terms import fold
from vaultmem.search.fusion import Candidate
from vaultmem.search.matrix import Searched
from vaultmem.search.model import Lane, LaneReport
from vaultmem.search.query import (
    MAX_TERMS,
    Query,
    Term,
    has_trigram,
    match_all,
    match_substrings,
    match_whole,
    words_of,
)
from vaultmem.search.timing import blocks_within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.embed.protocol import Embedder
    from vaultmem.search.blocks import Blocks
    from vaultmem.search.bridge import Vocabulary
    from vaultmem.search.likeness import Likeness, Noise
    from vaultmem.search.memory import SearchMemory
    from vaultmem.search.postings import Postings
    from vaultmem.search.ranges import DateRange
    from vaultmem.search.words import Heard, Spoken

POOL = 100
"""Blocks a lane offers at most, unless more notes are asked for."""

BLOCKS_PER_HIT = 4
"""Blocks a lane offers for each note that is asked for beyond ``POOL``: a note may have several that match."""

LOOKED_AT_PER_NOTE = 20
"""Blocks, best first, among which the notes that are asked for are looked for before all are put in order."""

SWITCHED_OFF = 'switched off (embed.model = "none")'
"""What a lane that needs an embedding model says without one."""

CHECKED_SUBSTRINGS = 600
"""Candidates of the trigram index whose text is compared."""

# Blocks of notes that Obsidian's settings exclude, which leave search (F-03), and of the notes listed.
LEFT_OUT = """
SELECT b.id FROM vault_files AS f JOIN notes_blocks AS b ON b.note_id = f.id WHERE f.excluded = 1
UNION ALL SELECT b.id FROM json_each(:notes) AS j JOIN notes_blocks AS b ON b.note_id = j.value
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
WHERE notes_fts_trigram MATCH :match AND rowid NOT IN ({LEFT_OUT})
AND (:open IS NULL OR rowid IN (SELECT value FROM json_each(:open))) LIMIT :most
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
    heard: tuple[Heard, ...] = ()
    """The keyword lane's: the words that were ranked by."""
    likes: Mapping[int, Likeness] = {}
    """The vector lane's: how like the query its candidates and those of the other lanes are."""
    noise: Noise | None = None
    """The vector lane's: what is usual for the query."""


def off(lane: Lane, why: str) -> LaneAnswer:
    """The answer of a lane that did not run."""
    return LaneAnswer([], LaneReport(lane, ran=False, candidates=0, note=why))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the lanes of one search share: one state of the index, and what is remembered about it."""

    connection: apsw.Connection
    stamp: Stamp
    memory: SearchMemory
    table: Blocks
    """All blocks of this state: asked for once, since another thread may be at another state."""
    limit: int
    """Notes that are asked for."""
    closed: NDArray[np.bool_]
    """The blocks, by id, that are not searched: of notes that Obsidian's settings exclude (F-03), outside the folder that
    was named, or not admitted by the query's filters."""
    narrow: bool = False
    """A folder or filters close most blocks."""
    pool: int = POOL
    """Blocks that a lane may offer."""
    done: frozenset[int] = frozenset()
    """Notes that the lane has offered already and now leaves out."""

    def bound(self, match: str, most: int) -> dict[str, str | int | None]:
        """The values that the lanes' questions take."""
        import numpy as np

        open_ = json.dumps(np.flatnonzero(~self.closed).tolist()) if self.narrow else None
        notes = json.dumps(sorted(self.done))
        return {"match": match, "most": most, "notes": notes, "open": open_}

    @property
    def postings(self) -> Postings:
        """The places of words."""
        return self.memory.postings

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the vault by meaning."""
        return self.memory.vocabulary

    def barred(self) -> NDArray[np.bool_]:
        """The blocks, by id, that no lane may offer."""
        import numpy as np

        if not self.done:
            return self.closed
        barred: NDArray[np.bool_] = self.closed | np.isin(self.table.notes, list(self.done))
        return barred

    def has_open(self, note: int) -> bool:
        """Whether a block of the note is searched."""
        return not self.closed[self.table.notes == note].all()

    def has_whole(self, term: Term) -> bool:
        """Whether some block has the term as it stands, as whole words."""
        if not all(self.blocks_with(token) for token in term.tokens):
            return False
        if len(term.tokens) == 1:
            return True
        return bool(fetch_int(self.connection, ANY_WITH, (match_whole(term),)))

    def blocks_with(self, token: str) -> int:
        """In how many blocks the token stands."""
        return self.memory.counts.blocks_with(self.connection, self.stamp, token)

    def blocks(self) -> int:
        """How many blocks there are."""
        return self.memory.counts.blocks(self.connection, self.stamp)

    def blocks_without_vector(self) -> int:
        """How many blocks the vector lane cannot find."""
        return self.blocks() - self.memory.counts.vectors(self.connection, self.stamp)


def pool_for(limit: int) -> int:
    """How many blocks each lane offers when so many notes are asked for."""
    return POOL if limit <= POOL else BLOCKS_PER_HIT * limit


def by_words(index: Snapshot, query: Query, wanted: Collection[Lane]) -> list[LaneAnswer]:
    """What the keyword lane and the bridge offer, those of the two that are wanted.

    Keyword: blocks that hold any of the query's words or another form of one, by BM25 over weighted columns, lifted by
    their neighbours and their note. Bridge: what words of the vault that are near in meaning add to that; it is told in
    the same measure, and both offer from the same blocks. A wanted lane is there, even if it did not run.
    """
    chosen = [lane for lane in (Lane.KEYWORD, Lane.BRIDGE) if lane in wanted]
    if not chosen:
        return []
    if not query.terms:
        return [off(lane, "the query has no word") for lane in chosen]
    import numpy as np

    from vaultmem.search.words import lifted, spoken

    told = spoken(index, query, bridge=Lane.BRIDGE in wanted)
    exact, near = told.exact, told.near
    together = exact + near if len(chosen) == 2 else exact if chosen[0] == Lane.KEYWORD else near
    best = _best(index, lifted(index, together), query.times)
    found = np.zeros(len(exact), dtype=np.bool_)
    found[best] = True
    answers = []
    for lane, own in zip(
        chosen, (exact, near) if chosen[0] == Lane.KEYWORD else (near,), strict=False
    ):
        scores = lifted(index, own)
        blocks = np.flatnonzero(found & (scores > 0))
        candidates = [Candidate(int(block), float(scores[block])) for block in blocks]
        candidates.sort(key=lambda c: (-c.score, c.block_id))
        notes = _words_left_out(query, told) if lane == Lane.KEYWORD else []
        answers.append(
            _answer(lane, candidates, notes, more=False)._replace(
                heard=told.heard if lane == Lane.KEYWORD else ()
            )
        )
    return answers


def _best(
    index: Snapshot, scores: NDArray[np.float32], times: Sequence[DateRange]
) -> NDArray[np.int64]:
    """The blocks with the highest scores, as many as the pool takes, as many of notes that are of the ``times``, and the
    best of each further note until there are as many notes as are asked for."""
    import numpy as np

    found = np.flatnonzero(scores > 0)
    notes = index.table.notes
    timely = found[np.isin(found, blocks_within(index.connection, times))] if times else found[:0]
    timely = timely[np.argsort(-scores[timely], kind="stable")[: index.pool]]
    most = max(index.pool, LOOKED_AT_PER_NOTE * index.limit)
    if len(found) > most:
        top = found[np.argpartition(-scores[found], most - 1)[:most]]
        if len(np.unique(notes[top])) >= index.limit:
            found = top
    order = found[np.argsort(-scores[found], kind="stable")]
    _, firsts = np.unique(notes[order], return_index=True)
    best_of_notes = order[np.sort(firsts)[: index.limit]]
    return np.unique(np.concatenate((order[: index.pool], best_of_notes, timely)))


def _words_left_out(query: Query, told: Spoken) -> list[str]:
    notes = []
    if query.cut:
        notes.append(f"only the first {MAX_TERMS} words were looked up")
    if told.common:
        notes.append("too common to rank: " + ", ".join(told.common))
    if told.bounded:
        notes.append("only common words: ranked the first places that they stand in")
    return notes


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


def vector(
    index: Snapshot, query: Query, embedder: Embedder | None, also: Sequence[int] = ()
) -> LaneAnswer:
    """Blocks whose meaning is like the query's, by cosine, above the noise of this query; and the cosines of those in
    ``also``, which other lanes found."""
    if embedder is None:
        return off(Lane.VECTOR, SWITCHED_OFF)
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
    wanted = embedder.embed_query(query.words or query.text)
    if not wanted.any():
        return off(Lane.VECTOR, "the embedder knows no part of the query")
    table = index.table
    searched = Searched(table.notes, table.lengths, index.closed, index.barred(), index.narrow)
    near = index.memory.matrix.nearest(
        connection, index.stamp, embedder, wanted, index.pool, searched=searched, also=also
    )
    without = index.blocks_without_vector()
    notes = [f"blocks without a vector: {without}; run `vaultmem sync`"] if without else []
    answer = _answer(Lane.VECTOR, near.found, notes, more=len(near.found) == index.pool)
    return answer._replace(likes=near.likes, noise=near.noise)


def _answer(
    lane: Lane, candidates: list[Candidate], notes: Sequence[str], *, more: bool
) -> LaneAnswer:
    report = LaneReport(lane, ran=True, candidates=len(candidates), note="; ".join(notes))
    return LaneAnswer(candidates, report, more)


def heading_candidates(connection: apsw.Connection, heading: str) -> list[int]:
    """Ids of the blocks below a heading with those words; none for a text without words."""
    terms = words_of(heading)
    if not terms:
        return []
    found = connection.execute(ALL_WITH, (f"headings : ({match_all(terms)})",))
    return [int(row[0]) for row in found]


def mention_candidates(connection: apsw.Connection, names: Sequence[str]) -> list[int]:
    """Ids of the blocks in which one of the names may stand, as words or, where a name has none, as characters."""
    blocks: set[int] = set()
    for name in names:
        terms = words_of(name)
        if terms:
            found = connection.execute(ALL_WITH, (f"{{body cjk}} : ({match_all(terms)})",))
        else:
            found = connection.execute(ALL_CONTAINING, (name,))
        blocks.update(int(row[0]) for row in found)
    return sorted(blocks)
