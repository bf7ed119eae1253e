"""One search: lanes, fusion, the best block of each note, snippets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from vaultmem.errors import EmbedderError, UsageError
from vaultmem.index.connection import fetch_one, read_transaction
from vaultmem.index.meta import read_stamp
from vaultmem.index.rows import split_headings
from vaultmem.search import lanes
from vaultmem.search.fusion import Fused, best_per_note, fuse
from vaultmem.search.model import Hit, Lane, LaneReport
from vaultmem.search.query import Query, parse_query
from vaultmem.search.snippet import make_snippet

if TYPE_CHECKING:
    from vaultmem.embed.protocol import Embedder
    from vaultmem.search.counts import TermCounts
    from vaultmem.search.matrix import VectorMatrix

MAX_LIMIT = 1000

_HEADING_LINE = re.compile(
    r"\A\s*(?:#{1,6}[^\r\n]*|[^\r\n]+(?:\r\n|\r|\n)(?:=+|-+)[ \t]*)(?=[\r\n]|\Z)"
)

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
        answers = _ask(index, query, chosen, embedder)
        fused = fuse({answer.report.lane: answer.candidates for answer in answers})
        hits = _hits(connection, query, fused, limit)
    return Found(hits, tuple(answer.report for answer in answers))


def _ask(
    index: lanes.Snapshot,
    query: Query,
    chosen: Sequence[Lane] | None,
    embedder: Callable[[], Embedder | None],
) -> list[lanes.LaneAnswer]:
    wanted = set(chosen) if chosen is not None else set(Lane)
    answers = []
    if Lane.KEYWORD in wanted:
        answers.append(lanes.keyword(index, query))
    if Lane.SUBSTRING in wanted:
        asked = chosen is not None and Lane.KEYWORD not in wanted
        answers.append(lanes.substring(index, query, asked=asked))
    if Lane.VECTOR in wanted:
        answers.append(_ask_vectors(index, query, embedder))
    return answers


def _ask_vectors(
    index: lanes.Snapshot, query: Query, embedder: Callable[[], Embedder | None]
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
