"""One search: lanes, fusion, the best block of each note, snippets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import apsw

from vaultmem.errors import EmbedderError, UsageError
from vaultmem.index.connection import fetch, fetch_int, fetch_one, read_transaction
from vaultmem.index.meta import read_stamp
from vaultmem.index.rows import split_headings
from vaultmem.search import lanes
from vaultmem.search.fusion import Candidate, Fused, best_per_note, fuse
from vaultmem.search.model import Hit, Lane, LaneReport
from vaultmem.search.query import Query, parse_query
from vaultmem.search.snippet import make_snippet

if TYPE_CHECKING:
    from vaultmem.embed.protocol import Embedder
    from vaultmem.search.counts import TermCounts
    from vaultmem.search.matrix import VectorMatrix

MAX_LIMIT = 1000

COPY_WEIGHT = 0.5
"""A sync conflict copy says what its note said once; the note itself should come first."""

# Blocks of sync conflict copies.
COPIES = """
SELECT b.id FROM vault_files AS f JOIN notes_blocks AS b ON b.note_id = f.id WHERE f.conflict_of IS NOT NULL
"""

MOST_ROUNDS = 12
"""How often a lane is asked on while a few notes with many blocks take up what it offers."""

_HEADING_LINE = re.compile(
    r"\A\s*(?:#{1,6}[^\r\n]*|[^\r\n]+(?:\r\n|\r|\n)(?:=+|-+)[ \t]*)(?=[\r\n]|\Z)"
)

NOTE_OF = "SELECT note_id FROM notes_blocks WHERE id = ?"
# A block with its note.
BLOCK = """
SELECT b.note_id, b.ordinal, b.level, b.heading_path, b.line, b.text, n.title, f.path
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id JOIN vault_files AS f ON f.id = b.note_id
WHERE b.id = ?
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search, with what each lane did."""

    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]


def search(
    connection: apsw.Connection,
    text: str,
    *,
    limit: int,
    chosen: Sequence[Lane] | None,
    embedder: Callable[[], Embedder | None],
    counts: TermCounts,
    matrix: VectorMatrix,
) -> Found:
    """At most ``limit`` notes that answer the text, best first, from one snapshot of the index.

    ``chosen`` names the lanes that may run (all for None); the embedder is made only when its lane runs. Raises
    UsageError for a limit outside 1 … 1000.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(
            f"A limit of {limit} hits has no meaning.", hint=f"Ask for 1 to {MAX_LIMIT}."
        )
    query = parse_query(text)
    with read_transaction(connection):
        stamp = read_stamp(connection)
        index = lanes.Snapshot(connection, stamp, counts, matrix, lanes.pool_for(limit))
        asked = list(_askers(chosen, embedder))
        answers = [ask(index, query) for ask in asked]
        hits = _hits(connection, query, _fused(index, answers), limit)
        if len(hits) < limit and any(answer.more for answer in answers):
            answers = _asked_on(index, query, asked, answers, limit)
            hits = _hits(connection, query, _fused(index, answers), limit)
    return Found(hits, tuple(answer.report for answer in answers))


_Asker: TypeAlias = "Callable[[lanes.Snapshot, Query], lanes.LaneAnswer]"


def _askers(
    chosen: Sequence[Lane] | None, embedder: Callable[[], Embedder | None]
) -> Iterator[_Asker]:
    wanted = set(chosen) if chosen is not None else set(Lane)
    if Lane.KEYWORD in wanted:
        yield lanes.keyword
    if Lane.SUBSTRING in wanted:
        asked = chosen is not None and Lane.KEYWORD not in wanted
        yield partial(lanes.substring, asked=asked)
    if Lane.VECTOR in wanted:
        yield partial(_ask_vectors, embedder=embedder)


def _fused(index: lanes.Snapshot, answers: Sequence[lanes.LaneAnswer]) -> list[Fused]:
    """The fused ranking, with the copies that a sync made of an edit conflict behind what they may be copies of."""
    fused = fuse({answer.report.lane: answer.candidates for answer in answers})
    copies = {block for (block,) in fetch(index.connection, COPIES)}
    if not copies:
        return fused
    weighed = [
        f._replace(score=f.score * COPY_WEIGHT) if f.block_id in copies else f for f in fused
    ]
    return sorted(weighed, key=lambda f: (-f.score, f.block_id))


def _asked_on(
    index: lanes.Snapshot,
    query: Query,
    asked: Sequence[_Asker],
    answers: Sequence[lanes.LaneAnswer],
    limit: int,
) -> list[lanes.LaneAnswer]:
    """The answers, those of lanes that had more to offer continued with blocks of other notes, round by round, until
    there are ``limit`` notes or no more; a lane that is stopped before says so."""
    notes = _NoteOf(index.connection)
    answers = list(answers)
    for round_ in range(1, MOST_ROUNDS + 1):
        if len(notes.among(c for answer in answers for c in answer.candidates)) >= limit:
            return answers
        if not any(answer.more for answer in answers):
            return answers
        pool = index.pool << min(round_, 4)
        for number, answer in enumerate(answers):
            if answer.more:
                rest = replace(index, pool=pool, done=notes.among(answer.candidates))
                answers[number] = _continued(answer, asked[number](rest, query))
    return [_stopped(answer) if answer.more else answer for answer in answers]


def _continued(answer: lanes.LaneAnswer, rest: lanes.LaneAnswer) -> lanes.LaneAnswer:
    found = sorted(answer.candidates + rest.candidates, key=lambda c: (-c.score, c.block_id))
    report = replace(answer.report, candidates=len(found))
    # What comes to nothing once would do so again.
    return lanes.LaneAnswer(found, report, rest.more and bool(rest.candidates))


def _stopped(answer: lanes.LaneAnswer) -> lanes.LaneAnswer:
    notes = [answer.report.note, "not all notes that match were looked at"]
    return answer._replace(report=replace(answer.report, note="; ".join(filter(None, notes))))


class _NoteOf:
    """The notes of blocks, each looked up once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._known: dict[int, int] = {}

    def among(self, candidates: Iterable[Candidate]) -> frozenset[int]:
        """The notes that the candidates belong to."""
        found = set()
        for block, _ in candidates:
            note = self._known.get(block)
            if note is None:
                note = self._known[block] = fetch_int(self._connection, NOTE_OF, (block,))
            found.add(note)
        return frozenset(found)


def _ask_vectors(
    index: lanes.Snapshot, query: Query, *, embedder: Callable[[], Embedder | None]
) -> lanes.LaneAnswer:
    try:
        return lanes.vector(index, query, embedder())
    except EmbedderError as error:
        return lanes.off(Lane.VECTOR, str(error))


def _hits(
    connection: apsw.Connection, query: Query, fused: Sequence[Fused], limit: int
) -> tuple[Hit, ...]:
    rows = {}
    notes: dict[int, int] = {}
    for candidate in fused:
        row = fetch_one(connection, BLOCK, (candidate.block_id,))
        rows[candidate.block_id] = row
        notes[candidate.block_id] = row[0]
        if len(set(notes.values())) >= limit:
            break
    hits = []
    for candidate in best_per_note(fused, notes)[:limit]:
        _, ordinal, level, heading_path, line, text, title, path = rows[candidate.block_id]
        hits.append(
            Hit(
                path=path,
                title=title,
                score=round(candidate.score, 6),
                heading_path=split_headings(heading_path, title),
                line=line,
                block=ordinal,
                snippet=make_snippet(_below_heading(text) if level else text, query.terms),
                lanes=candidate.lanes,
            )
        )
    return tuple(hits)


def _below_heading(text: str) -> str:
    """A block without the heading that it begins with, which the hit names already; whole if that is all."""
    rest = _HEADING_LINE.sub("", text, count=1)
    return rest if rest.strip() else text
