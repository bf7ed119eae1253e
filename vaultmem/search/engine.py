"""One search: lanes, fusion, the six stages, the best block of each note, snippets."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import apsw

from vaultmem.errors import EmbedderError, UsageError
from vaultmem.index.connection import fetch, fetch_one, read_transaction
from vaultmem.index.meta import read_stamp
from vaultmem.index.rows import split_headings
from vaultmem.search import lanes
from vaultmem.search.fusion import Fused, convex, lane_ranks, reciprocal_rank
from vaultmem.search.likeness import Judged, judged
from vaultmem.search.model import Hit, Lane, LaneReport, Snippet
from vaultmem.search.profile import DEFAULT, Profile, Trust
from vaultmem.search.query import Query, parse_query
from vaultmem.search.relations import OUTDATED_WEIGHT, Succession, outdated, say_the_same
from vaultmem.search.relevance import is_relevant
from vaultmem.search.snippet import make_snippet
from vaultmem.search.spelling import did_you_mean
from vaultmem.search.stages import Ranked, run_stages
from vaultmem.search.stopwords import are_stop_words
from vaultmem.search.timing import day_of, first_blocks_within
from vaultmem.search.whole import described, named, vectors_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.embed.protocol import Embedder
    from vaultmem.search.filters import Filters
    from vaultmem.search.memory import SearchMemory

MAX_LIMIT = 1000

FEWEST_RANKED = 100
"""Blocks that go through the stages, unless fewer were found or more notes are asked for."""

COPY_WEIGHT = 0.5
"""A sync conflict copy says what its note said once; the note itself should come first."""

# Blocks of sync conflict copies.
COPIES = """
SELECT b.id FROM vault_files AS f JOIN notes_blocks AS b ON b.note_id = f.id WHERE f.conflict_of IS NOT NULL
"""

FULL = 0.5
"""Share of what a block with all words of the query scores from which on the best score by words counts fully beside
likeness."""

MOST_ROUNDS = 12
"""How often a lane is asked on while a few notes with many blocks take up what it offers."""

_HEADING_LINE = re.compile(
    r"\A\s*(?:#{1,6}[^\r\n]*|[^\r\n]+(?:\r\n|\r|\n)(?:=+|-+)[ \t]*)(?=[\r\n]|\Z)"
)

# A block with its note.
BLOCK = """
SELECT b.note_id, b.ordinal, b.level, b.heading_path, b.line, b.text, n.title, f.path, f.conflict_of, n.stale
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id JOIN vault_files AS f ON f.id = b.note_id
WHERE b.id = ?
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a search is to do."""

    text: str
    limit: int
    """Notes, or blocks with ``by_block``."""
    chosen: Sequence[Lane] | None = None
    """The lanes that may run; None for all."""
    profile: Profile = DEFAULT
    within: str = ""
    """Only notes below this folder are looked at; "" for all."""
    by_block: bool = False
    """Every block is a hit of its own."""
    now_ns: int = 0
    """The clock, nanoseconds since the epoch; 0 for none: then words of time are words."""
    set_aside: tuple[str, ...] = ()
    """Folders whose notes are offered only to who asks ``within`` them."""
    snippets: bool = True
    """Whether the hits are for somebody who reads them; else their snippets are empty."""


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search, with what each lane did."""

    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]
    did_you_mean: str
    """The query as it was probably meant; "" when there is nothing to say."""
    course: Course
    told: tuple[str, ...] = ()
    """How the query was read, where that should be known, and whether nothing is clearly about it."""
    relevant: bool = True
    """Whether a hit is clearly about what was asked."""


class Course(NamedTuple):
    """How the ranking came about, in block ids: what a trace is made of."""

    answers: tuple[lanes.LaneAnswer, ...]
    fused: tuple[Fused, ...]
    stages: tuple[tuple[str, list[Ranked]], ...]
    hits: tuple[int, ...]
    """The block that each hit was found by."""
    folded: tuple[tuple[int, str], ...]
    """Blocks that would have been hits, and why they are not."""
    likes: Mapping[int, Judged]
    """How like the query the candidates are, as far as that is known."""


def search(
    connection: apsw.Connection,
    asked: Asked,
    *,
    embedder: Callable[[], Embedder | None],
    memory: SearchMemory,
) -> Found:
    """The notes (or blocks) that answer, best first, from one snapshot of the index.

    The embedder is made only when a lane needs it. Raises UsageError for a limit outside 1 … 1000.
    """
    if not 1 <= asked.limit <= MAX_LIMIT:
        raise UsageError(
            f"A limit of {asked.limit} hits has no meaning.", hint=f"Ask for 1 to {MAX_LIMIT}."
        )
    query = parse_query(asked.text, today=day_of(asked.now_ns) if asked.now_ns else None)
    with read_transaction(connection):
        stamp = read_stamp(connection)
        table = memory.blocks.get(connection, stamp)
        query, closed = _admitting(
            query,
            partial(memory.closed.get, connection, stamp, table, set_aside=asked.set_aside),
            asked,
        )
        narrow = bool(asked.within or query.filters)
        pool = lanes.pool_for(asked.limit)
        index = lanes.Snapshot(connection, stamp, memory, table, asked.limit, closed, narrow, pool)
        askers = _Askers(asked.chosen, embedder)
        answers = askers.ask(index, query)
        if query.filters_only:  # that no lane had a word to look for is not worth telling
            answers = [lanes.off(answer.report.lane, "") for answer in answers]
        answers = _asked_on(index, query, askers, answers, asked.limit)
        trust = asked.profile.trust_in(stamp.vector_model, cjk=query.is_cjk)
        likes = _judged(answers, trust)
        fused = _fused(index, answers, asked.profile, trust, likes)
        if query.filters_only:
            ranked, stages = _listed(index, query, asked.limit)
        else:
            ranked, stages = _staged(index, query, fused, answers, trust, likes, asked)
            if query.only_when:
                ranked = _led_by_all_within(index, query, ranked, asked.limit)
                stages = [*stages[:-1], (stages[-1][0], ranked)]
        notes = {r.block_id: r.note_id for r in ranked}
        hits, blocks, folded = _hits(index, query, ranked, notes, asked)
        hits = _with_ranks(hits, blocks, answers)
        meant = _meant(index, query, answers)
        told = tuple(_told(index, query, ranked))
    course = Course(tuple(answers), tuple(fused), tuple(stages), blocks, folded, likes)
    titles = dict(zip(blocks, (hit.title for hit in hits), strict=True))
    relevant = bool(hits) and (
        not query.terms
        or (_asks_when_alone(query) and any(r.timely for r in ranked[: asked.limit]))
        or is_relevant(titles, answers)
    )
    if hits and not relevant:
        told = (*told, _NEAREST)
    return Found(hits, tuple(a.report for a in answers), meant, course, told, relevant)


def _admitting(
    query: Query, shut: Callable[[Filters, str], NDArray[np.bool_]], asked: Asked
) -> tuple[Query, NDArray[np.bool_]]:
    """The query, with its words in a row as mere words if as they are nothing passes; and the blocks that are closed."""
    closed = shut(query.filters, asked.within)
    loose = query.without_phrases() if closed.all() else None
    if loose is not None:
        reopened = shut(loose.filters, asked.within)
        if not reopened.all():
            return loose, reopened
    return query, closed


def _asks_when_alone(query: Query) -> bool:
    """Whether the query names a time and nothing else that says anything: what is dated so is what was asked for."""
    return bool(query.times) and are_stop_words(query.beside)


_ONLY_FILTERS = "only filters: every note that they admit, newest first"
_NEAREST = "nothing here is clearly about this; what comes nearest is shown"
_EMPTY_FOLDER = "there is no note in that folder"
_NONE_ADMITTED = "no note passes the filters"


def _told(index: lanes.Snapshot, query: Query, ranked: Sequence[Ranked]) -> Iterator[str]:
    """How the query was read, where that should be known."""
    yield from query.told
    if index.narrow and index.closed.all():
        yield _NONE_ADMITTED if query.filters else _EMPTY_FOLDER
    elif query.filters_only:
        yield _ONLY_FILTERS
    timely = any(r.timely for r in ranked)
    for reading in query.dated:
        if timely:
            yield f"{reading}; what is dated so comes first"
        elif query.only_when:
            yield f"{reading}; nothing that was found is dated so"


def _listed(
    index: lanes.Snapshot, query: Query, limit: int
) -> tuple[list[Ranked], list[tuple[str, list[Ranked]]]]:
    """The notes that a query of filters alone lists, newest first, untouched by the stages; their scores only keep them
    in order."""
    clause = query.filters.first_blocks(":most")
    rows = fetch(index.connection, clause.sql, {**clause.values, "most": MAX_LIMIT})
    found = [block for (block,) in rows if not index.closed[block]]
    ranked = _in_a_row(index, found[:limit], 1.0, 0.0)
    return ranked, [("listing", ranked)]


def _led_by_all_within(
    index: lanes.Snapshot, query: Query, ranked: Sequence[Ranked], limit: int
) -> list[Ranked]:
    """The ranking behind the notes that are of the times, newest first: for a query that says nothing else."""
    found = first_blocks_within(index.connection, query.times, MAX_LIMIT)
    first = [block for block in found if not index.closed[block]][:limit]
    led = _in_a_row(index, first, 1.0, 0.5, timely=1.0)
    return led + [r._replace(score=r.score * 0.5) for r in ranked if r.block_id not in set(first)]


def _in_a_row(
    index: lanes.Snapshot,
    blocks: Sequence[int],
    best: float,
    worst: float,
    *,
    timely: float = 0.0,
) -> list[Ranked]:
    """The blocks with scores from ``best`` down to just above ``worst``."""
    notes = index.table.notes
    step = (best - worst) / (len(blocks) + 1)
    return [
        Ranked(block, int(notes[block]), best - step * place, timely=timely)
        for place, block in enumerate(blocks)
    ]


_BY_WORDS = frozenset({Lane.KEYWORD, Lane.SUBSTRING})


def _meant(index: lanes.Snapshot, query: Query, answers: Sequence[lanes.LaneAnswer]) -> str:
    """What the query was probably meant to say, if words were looked for and one stands in no note, not even as a
    part of another."""
    found = {answer.report.lane: answer.candidates for answer in answers}
    if found.keys().isdisjoint(_BY_WORDS) or found.get(Lane.SUBSTRING):
        return ""
    return did_you_mean(index, query)


_Asker: TypeAlias = "Callable[[lanes.Snapshot, Query], lanes.LaneAnswer]"


class _Askers:
    """The lanes that run, asked in their order: what the words find, the vectors are asked about."""

    def __init__(
        self, chosen: Sequence[Lane] | None, embedder: Callable[[], Embedder | None]
    ) -> None:
        self._wanted: Collection[Lane] = set(chosen) if chosen is not None else set(Lane)
        self._chosen = chosen
        self._embedder = embedder

    def ask(self, index: lanes.Snapshot, query: Query) -> list[lanes.LaneAnswer]:
        """The answer of each lane."""
        wanted = set(self._wanted)
        embedder: Embedder | None = None
        fault = ""
        if not wanted.isdisjoint({Lane.BRIDGE, Lane.VECTOR}):
            try:
                embedder = self._embedder()
            except EmbedderError as error:
                fault = str(error)
        answers = []
        if embedder is None and not fault and Lane.BRIDGE in wanted:
            wanted.discard(Lane.BRIDGE)
            answers = [lanes.off(Lane.BRIDGE, lanes.SWITCHED_OFF)]
        answers = lanes.by_words(index, query, wanted) + answers
        if Lane.SUBSTRING in wanted:
            answers.append(self._substring(index, query))
        if Lane.VECTOR in wanted:
            also = list({c.block_id for answer in answers for c in answer.candidates})
            answers.append(
                lanes.off(Lane.VECTOR, fault)
                if fault
                else _ask_vectors(index, query, embedder=embedder, also=also)
            )
        return answers

    def again(self, lane: Lane, index: lanes.Snapshot, query: Query) -> lanes.LaneAnswer:
        """What a lane has beyond what it offered."""
        if lane == Lane.SUBSTRING:
            return self._substring(index, query)
        return _ask_vectors(index, query, embedder=self._embedder(), also=())

    def _substring(self, index: lanes.Snapshot, query: Query) -> lanes.LaneAnswer:
        asked = self._chosen is not None and Lane.KEYWORD not in self._wanted
        return lanes.substring(index, query, asked=asked)


def _ask_vectors(
    index: lanes.Snapshot, query: Query, *, embedder: Embedder | None, also: Sequence[int]
) -> lanes.LaneAnswer:
    try:
        return lanes.vector(index, query, embedder, also)
    except EmbedderError as error:
        return lanes.off(Lane.VECTOR, str(error))


def _fused(
    index: lanes.Snapshot,
    answers: Sequence[lanes.LaneAnswer],
    profile: Profile,
    trust: Trust,
    likes: Mapping[int, Judged],
) -> list[Fused]:
    """The fused ranking, with the copies that a sync made of an edit conflict behind what they may be copies of."""
    found = {answer.report.lane: answer.candidates for answer in answers}
    if profile.fusion == "rrf":
        fused = reciprocal_rank(found, profile.rrf_k)
    else:
        alone = {block: like.alone for block, like in likes.items()}
        said = sum(word.scored for answer in answers for word in answer.heard)
        weights = {**profile.lane_weights, Lane.VECTOR: trust.vector}
        fused = convex(found, weights, alone, full=FULL * said)
    copies = {block for (block,) in fetch(index.connection, COPIES)}
    if not copies:
        return fused
    weighed = [
        f._replace(score=f.score * COPY_WEIGHT) if f.block_id in copies else f for f in fused
    ]
    return sorted(weighed, key=lambda f: (-f.score, f.block_id))


def _judged(answers: Sequence[lanes.LaneAnswer], trust: Trust) -> dict[int, Judged]:
    """How like the query the candidates are, as far as that is known."""
    found: dict[int, Judged] = {}
    for answer in answers:
        if answer.noise is not None:
            found.update(judged(answer.likes, answer.noise, trust.half_believed))
    return found


def _staged(
    index: lanes.Snapshot,
    query: Query,
    fused: Sequence[Fused],
    answers: Sequence[lanes.LaneAnswer],
    trust: Trust,
    likes: Mapping[int, Judged],
    asked: Asked,
) -> tuple[list[Ranked], list[tuple[str, list[Ranked]]]]:
    """The ranking after the stages, and what each made of it. As many blocks go through as make the notes asked for."""
    profile = asked.profile
    notes = index.table.notes
    taken: list[Fused] = []
    seen: set[int] = set()
    for candidate in fused:
        if len(taken) >= FEWEST_RANKED and len(seen) >= asked.limit and not query.times:
            break
        taken.append(candidate)
        seen.add(int(notes[candidate.block_id]))
    cosines = {block: like.cosine for answer in answers for block, like in answer.likes.items()}
    dated = profile.recency > 0 or profile.decay > 0
    measured = profile.length_anchor > 0
    ranked = described(
        index.connection,
        taken,
        cosines,
        dated=dated,
        measured=measured,
        now_ns=asked.now_ns,
        times=query.times,
    )
    ranked = [
        r._replace(likeness=likes[r.block_id].around) if r.block_id in likes else r for r in ranked
    ]
    ranked = _led_by_named(index, query, ranked)
    vectors = partial(vectors_of, index.connection, index.stamp)
    stages = run_stages(ranked, profile, trust, vectors)
    final = _outdated_behind(index, stages[-1][1])
    return final, [*stages[:-1], (stages[-1][0], final)]


def _outdated_behind(index: lanes.Snapshot, ranked: list[Ranked]) -> list[Ranked]:
    """The candidates, those that say what no longer holds with less weight."""
    behind = outdated(index.connection, (r.block_id for r in ranked))
    if not behind:
        return ranked
    weighed = [
        r._replace(score=r.score * OUTDATED_WEIGHT) if r.block_id in behind else r for r in ranked
    ]
    return sorted(weighed, key=lambda r: -r.score)


def _led_by_named(index: lanes.Snapshot, query: Query, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The candidates, that with which a note of just that name begins as sure as can be: who types a title means it."""
    names = named(index.connection, [r.block_id for r in ranked], query.words)
    sure = [r._replace(score=1.0, likeness=1.0) for r in ranked if r.block_id in names]
    return sure + [r for r in ranked if r.block_id not in names]


def _asked_on(
    index: lanes.Snapshot,
    query: Query,
    askers: _Askers,
    answers: Sequence[lanes.LaneAnswer],
    limit: int,
) -> list[lanes.LaneAnswer]:
    """The answers, those of lanes that had more to offer continued with blocks of other notes, round by round, until
    there are ``limit`` notes or no more; a lane that is stopped before says so."""
    answers = list(answers)
    if not any(answer.more for answer in answers):
        return answers
    notes = index.table.notes
    for round_ in range(1, MOST_ROUNDS + 1):
        offered = {int(notes[c.block_id]) for answer in answers for c in answer.candidates}
        if len(offered) >= limit or not any(answer.more for answer in answers):
            return answers
        pool = index.pool << min(round_, 4)
        for number, answer in enumerate(answers):
            if answer.more:
                done = frozenset(int(notes[c.block_id]) for c in answer.candidates)
                rest = replace(index, pool=pool, done=done)
                answers[number] = _continued(answer, askers.again(answer.report.lane, rest, query))
    return [_stopped(answer) if answer.more else answer for answer in answers]


def _continued(answer: lanes.LaneAnswer, rest: lanes.LaneAnswer) -> lanes.LaneAnswer:
    found = sorted(answer.candidates + rest.candidates, key=lambda c: (-c.score, c.block_id))
    report = replace(answer.report, candidates=len(found))
    # What comes to nothing once would do so again.
    return answer._replace(
        candidates=found,
        report=report,
        more=rest.more and bool(rest.candidates),
        likes={**answer.likes, **rest.likes},
    )


def _stopped(answer: lanes.LaneAnswer) -> lanes.LaneAnswer:
    notes = [answer.report.note, "not all notes that match were looked at"]
    return answer._replace(report=replace(answer.report, note="; ".join(filter(None, notes))))


class _Row(NamedTuple):
    """A block with what a hit tells of its note."""

    note_id: int
    ordinal: int
    level: int
    heading_path: str
    line: int
    text: str
    title: str
    path: str
    conflict_of: str | None
    stale: int


def _hits(
    index: lanes.Snapshot,
    query: Query,
    ranked: Sequence[Ranked],
    notes: Mapping[int, int],
    asked: Asked,
) -> tuple[tuple[Hit, ...], tuple[int, ...], tuple[tuple[int, str], ...]]:
    """The hits, the block that each was found by (of its predecessor, where it stands for one), and the blocks that would
    have been hits, with the reason why they are not."""
    connection = index.connection
    succession = Succession(connection)
    as_they_are = asked.by_block or query.filters_only
    hits: list[Hit] = []
    texts: list[str] = []
    blocks: list[int] = []
    folded: list[tuple[int, str]] = []
    seen: dict[int, int] = {}
    for r in ranked:
        if len(hits) >= asked.limit:
            break
        block, stands_for = r.block_id, None
        note = notes[block]
        if not asked.by_block:
            if note in seen:
                continue
            heir = None if as_they_are else succession.successor(note)
            if heir is not None and index.has_open(heir):
                stands_for = succession.path(note)
                seen[note] = -1
                better = _block_of(heir, ranked)
                block = better if better is not None else succession.first_block(heir)
                if heir in seen:
                    folded.append((r.block_id, "its successor is a better hit"))
                    continue
                note = heir
        row = _Row(*fetch_one(connection, BLOCK, (block,)))
        same = say_the_same(row.text, texts) if asked.profile.collapse and not as_they_are else -1
        if same >= 0:
            seen[note] = -1
            hits[same] = replace(hits[same], also=(*hits[same].also, row.path))
            folded.append((block, f"says the same as {hits[same].path}"))
            continue
        seen[note] = len(hits)
        texts.append(row.text)
        blocks.append(r.block_id)
        hits.append(_hit(row, r, query, stands_for, snippet=asked.snippets))
    return tuple(hits), tuple(blocks), tuple(folded)


def _with_ranks(
    hits: Sequence[Hit], blocks: Sequence[int], answers: Sequence[lanes.LaneAnswer]
) -> tuple[Hit, ...]:
    """The hits with where their blocks stood in the lanes."""
    found = {answer.report.lane: answer.candidates for answer in answers}
    ranks = lane_ranks(found, set(blocks))
    return tuple(replace(hit, lanes=ranks[block]) for hit, block in zip(hits, blocks, strict=True))


def _block_of(note: int, ranked: Iterable[Ranked]) -> int | None:
    return next((r.block_id for r in ranked if r.note_id == note), None)


def _hit(row: _Row, ranked: Ranked, query: Query, stands_for: str | None, *, snippet: bool) -> Hit:
    shown = Snippet("", ())
    if snippet:
        shown = make_snippet(_below_heading(row.text) if row.level else row.text, query.terms)
    return Hit(
        path=row.path,
        title=row.title,
        score=round(ranked.score, 6),
        heading_path=split_headings(row.heading_path, row.title),
        line=row.line,
        block=row.ordinal,
        snippet=shown,
        lanes=(),
        conflict_of=row.conflict_of,
        stale=bool(row.stale),
        stands_for=stands_for,
    )


def _below_heading(text: str) -> str:
    """A block without the heading that it begins with, which the hit names already; whole if that is all."""
    rest = _HEADING_LINE.sub("", text, count=1)
    return rest if rest.strip() else text
