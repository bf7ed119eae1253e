"""The graph of a vault as others ask it. Composes: what is walked, grouped and judged is done next door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

import apsw

from vaultmem.errors import UsageError, listed
from vaultmem.files.recalls import RecallLog
from vaultmem.graph import shown
from vaultmem.graph.answers import (
    CommunitiesAnswer,
    CommunityView,
    ExportAnswer,
    InsightsAnswer,
    InsightView,
    NeighborsAnswer,
    PathAnswer,
    RelatedAnswer,
    RelatedView,
    SubgraphAnswer,
    Superseded,
    TraceAnswer,
)
from vaultmem.graph.communities import NONE, Community
from vaultmem.graph.export import exported, to_networkx
from vaultmem.graph.groups import GroupMemory
from vaultmem.graph.insights import KINDS
from vaultmem.graph.memory import GraphMemory, Keep
from vaultmem.graph.names import Find, Meant, meant, node_named
from vaultmem.graph.near import note_vectors
from vaultmem.graph.related import related
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.graph.trace import steps_from
from vaultmem.graph.uris import is_memo_uri, parse_uri
from vaultmem.graph.walk import Direction, Walk, neighbours, shortest_path
from vaultmem.search.model import Freshness

if TYPE_CHECKING:
    import networkx
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Graph"]

_T = TypeVar("_T")

DEEPEST: Final = 10
LIMIT: Final = 50
"""Notes that an answer shows unless told otherwise."""
MOST: Final = 1000

FEW: Final = 10
MOST_LISTED: Final = 20
"""Relations that an error names."""


class Graph:
    """The notes of a vault as a graph of links.

    ``ask`` puts a question to an index that was compared with the disk, ``keep`` changes the index, ``find`` gives the
    note of a name. Names are as for the methods of a vault; they raise NoteNotFoundError with close names, and
    UsageError when several notes are meant. A superseded note is never answered with alone: what stands for it is named
    with it.
    """

    def __init__(
        self,
        ask: Callable[[Callable[[apsw.Connection], object]], tuple[object, Freshness]],
        *,
        keep: Keep,
        find: Find,
        mentions: Callable[[apsw.Connection, str], Sequence[tuple[str, int]]] = lambda *_: (),
        ask_as_is: Callable[[Callable[[apsw.Connection], object]], tuple[object, Freshness]]
        | None = None,
        recalls: RecallLog | None = None,
    ) -> None:
        """``mentions`` gives the notes that name the one at a path without a link, and how often; ``ask_as_is`` puts a
        question to the index without a look at the disk; ``recalls`` says which notes came up together."""
        self._ask_index = ask
        self._ask_as_is = ask_as_is or ask
        self._keep = keep
        self._find = find
        self._mentions = mentions
        self._memory = GraphMemory(keep)
        self._groups = GroupMemory(keep, recalls)
        self._vectors: tuple[GraphSnapshot, NDArray[np.float32] | None] | None = None

    @property
    def as_it_is(self) -> Graph:
        """The same graph of the index as it is, without a look at the disk: for a caller that watches the vault."""
        other = copy(self)
        other._ask_index = self._ask_as_is
        return other

    def _ask(
        self, question: Callable[[apsw.Connection, GraphSnapshot], _T]
    ) -> tuple[_T, Freshness]:
        """The answer to a question to the snapshot of one state of the index."""
        found: list[_T] = []

        def asked(connection: apsw.Connection) -> None:
            found[:] = [question(connection, self._memory.snapshot(connection))]

        _, freshness = self._ask_index(asked)
        self._memory.keep_if_due()
        self._groups.keep_if_due()
        return found[0], freshness

    def _node(self, connection: apsw.Connection, graph: GraphSnapshot, name: str) -> int:
        return node_named(connection, graph, name, self._find)

    def snapshot(self) -> GraphSnapshot:
        """The whole graph in arrays, as it is now."""
        return self._ask(lambda _, graph: graph)[0]

    def meant(self, name: str) -> Meant:
        """Which note a name means, or which it may mean; raises nothing for a name."""
        return self._ask(lambda c, graph: meant(c, graph, name, self._find))[0]

    def superseded(self, paths: Sequence[str]) -> tuple[Superseded, ...]:
        """Those of the notes at these vault paths that others stand for, each once, with what does."""

        def find(_: apsw.Connection, graph: GraphSnapshot) -> tuple[Superseded, ...]:
            nodes = [graph.node_at[path] for path in paths if path in graph.node_at]
            return shown.superseded_among(graph, nodes)

        return self._ask(find)[0]

    def path(
        self,
        start: str,
        end: str,
        *,
        direction: str = "both",
        relations: Sequence[str] | None = None,
    ) -> PathAnswer:
        """How two notes are connected, by as few links as there can be; through current notes where that is as short.

        ``direction``: ``out`` follows links from the note that holds them, ``in`` against, ``both`` either way.
        ``relations`` restricts the links to those.
        """

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> PathAnswer:
            a, b = (self._node(connection, graph, name) for name in (start, end))
            walk = _walk(graph, direction, relations)
            return _path(graph, a, b, walk)

        return _fresh(*self._ask(find))

    def neighbors(
        self,
        name: str,
        *,
        depth: int = 1,
        direction: str = "both",
        relations: Sequence[str] | None = None,
        limit: int = LIMIT,
    ) -> NeighborsAnswer:
        """The notes at most ``depth`` links away, nearest first, at most ``limit`` of them. For the rest see
        :meth:`path`."""
        _check(depth, limit)

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> NeighborsAnswer:
            node = self._node(connection, graph, name)
            walk = _walk(graph, direction, relations)
            reached, total = neighbours(graph, [node], depth, limit, walk)
            return NeighborsAnswer(
                note=shown.note_view(graph, node),
                depth=depth,
                direction=str(walk.direction),
                neighbors=shown.neighbor_views(graph, reached, walk),
                total=total,
                superseded=shown.superseded_among(graph, [each.node for each in reached]),
                freshness=NOT_YET,
            )

        return _fresh(*self._ask(find))

    def subgraph(
        self,
        names: Sequence[str],
        *,
        depth: int = 1,
        direction: str = "both",
        relations: Sequence[str] | None = None,
        limit: int = LIMIT,
    ) -> SubgraphAnswer:
        """Those notes, what is at most ``depth`` links from one of them (at most ``limit``), and all links between
        these. A search's paths may be the names."""
        _check(depth, limit, least=0)

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> SubgraphAnswer:
            roots = [self._node(connection, graph, name) for name in names]
            walk = _walk(graph, direction, relations)
            reached, total = neighbours(graph, roots, depth, limit, walk)
            nodes = [each.node for each in reached]
            nodes = list(dict.fromkeys([*nodes, *map(graph.current, nodes)]))
            return SubgraphAnswer(
                roots=tuple(graph.paths[node] for node in dict.fromkeys(roots)),
                notes=tuple(shown.note_view(graph, node) for node in nodes),
                edges=shown.edges_among(graph, nodes),
                total=total,
                superseded=shown.superseded_among(graph, nodes),
                freshness=NOT_YET,
            )

        return _fresh(*self._ask(find))

    # -- the graph as a whole ----------------------------------------------------------------------------------

    def communities(self, name: str | None = None, *, anew: bool = False) -> CommunitiesAnswer:
        """The communities, largest first; with a name the one that the note is in. ``anew`` groups all notes again
        instead of finding a place for those that changed."""

        said: list[str] = []

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> CommunitiesAnswer:
            grouped = self._groups.at(connection, graph, anew=anew)
            said[:] = filter(None, [grouped.said])
            loose = int((grouped.grouping.ids == NONE).sum())
            if name is None:
                views = tuple(_community(graph, each, FEW) for each in grouped.communities)
                return CommunitiesAnswer(None, views, loose, NOT_YET)
            node = self._node(connection, graph, name)
            own = grouped.community(node)
            views = (_community(graph, own, None),) if own is not None else ()
            return CommunitiesAnswer(graph.paths[node], views, loose, NOT_YET)

        answer, freshness = self._ask(find)
        if said:
            freshness = replace(freshness, note=" ".join(filter(None, (freshness.note, *said))))
        return _fresh(answer, freshness)

    def insights(self, kinds: Sequence[str] | None = None, *, limit: int = FEW) -> InsightsAnswer:
        """Isolated notes, sparse communities, bridges and surprising links, at most ``limit`` of each kind."""
        wanted = [kind.strip().lower() for kind in kinds or KINDS]
        if unknown := [kind for kind in wanted if kind not in KINDS]:
            raise UsageError(
                f"There is no kind {unknown[0]!r} of insight.", hint=f"Kinds: {', '.join(KINDS)}."
            )
        _check(1, limit)

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> InsightsAnswer:
            every = self._groups.at(connection, graph).insights
            views: list[InsightView] = []
            for kind in KINDS:
                of_kind = [each for each in every.told if each.kind == kind and kind in wanted]
                views += [
                    InsightView(
                        each.kind,
                        graph.paths[each.node],
                        graph.paths[each.other] if each.other is not None else "",
                        each.score,
                        each.reason,
                    )
                    for each in of_kind[:limit]
                ]
            counts = tuple((kind, every.counts[kind]) for kind in KINDS)
            return InsightsAnswer(tuple(views), counts, NOT_YET)

        return _fresh(*self._ask(find))

    def related(self, name: str, *, limit: int = FEW) -> RelatedAnswer:
        """Notes that have to do with a note though no link connects them: by common neighbours, rare tags, likeness of
        meaning, and by naming it in plain text; each with its reasons."""
        _check(1, limit)

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> RelatedAnswer:
            node = self._node(connection, graph, name)
            if self._vectors is None or self._vectors[0] is not graph:
                self._vectors = (graph, note_vectors(connection, graph.ids))
            mentions = {
                graph.node_at[path]: count
                for path, count in self._mentions(connection, graph.paths[node])
                if path in graph.node_at
            }
            found = related(graph, node, vectors=self._vectors[1], mentions=mentions, limit=limit)
            current = graph.current(node)
            return RelatedAnswer(
                path=graph.paths[node],
                current=graph.paths[current] if current != node else "",
                related=tuple(
                    RelatedView(graph.paths[r.node], graph.titles[r.node], r.score, r.reasons)
                    for r in found
                ),
                freshness=NOT_YET,
            )

        return _fresh(*self._ask(find))

    def trace(self, name: str) -> TraceAnswer:
        """Where what a note says comes from, back to notes and records that name no source. ``name`` is a note's name,
        or a ``memo://`` URI, which may name a line or block. Raises NotFoundError when the note has no such line or
        block."""
        place = parse_uri(name) if is_memo_uri(name) else None
        if place is not None and place.kind != "note":
            raise UsageError(
                f"{name} is an original record, which has no sources.", hint="Trace a note."
            )

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> TraceAnswer:
            node = self._node(connection, graph, place.name if place is not None else name)
            file = self._find(connection, graph.paths[node])
            steps = tuple(
                replace(step, current=shown.current_path(graph, step.path))
                for step in steps_from(connection, file, place)
            )
            complete = all(step.state != "missing" for step in steps)
            return TraceAnswer(steps[0].uri if steps else name, steps, complete, NOT_YET)

        return _fresh(*self._ask(find))

    def export(
        self, form: str, names: Sequence[str] | None = None, *, depth: int = 1, limit: int = MOST
    ) -> ExportAnswer:
        """The whole graph, or what is near some notes, as ``graphml``, ``canvas`` (JSON Canvas, as Obsidian has it) or
        ``json`` (node-link)."""
        _check(depth, limit, least=0)

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> ExportAnswer:
            nodes, communities = self._chosen(connection, graph, names, depth, limit)
            text = exported(form, graph, nodes, communities)
            edges = len(shown.edges_among(graph, nodes)) if names else len(graph.source)
            return ExportAnswer(form.strip().lower(), len(nodes), edges, text, NOT_YET)

        return _fresh(*self._ask(find))

    def networkx(
        self, names: Sequence[str] | None = None, *, depth: int = 1, limit: int = MOST
    ) -> networkx.MultiDiGraph:
        """The whole graph, or what is near some notes, for networkx: nodes are paths."""
        _check(depth, limit, least=0)

        def find(connection: apsw.Connection, graph: GraphSnapshot) -> networkx.MultiDiGraph:
            nodes, communities = self._chosen(connection, graph, names, depth, limit)
            return to_networkx(graph, nodes, communities)

        return self._ask(find)[0]

    def _chosen(
        self,
        connection: apsw.Connection,
        graph: GraphSnapshot,
        names: Sequence[str] | None,
        depth: int,
        limit: int,
    ) -> tuple[list[int], dict[int, str]]:
        """The nodes that are meant, and the name of each one's community."""
        grouped = self._groups.at(connection, graph)
        nodes = list(range(len(graph)))
        if names:
            roots = [self._node(connection, graph, name) for name in names]
            reached, _ = neighbours(graph, roots, depth, limit, Walk())
            nodes = sorted(each.node for each in reached)
        name_of = {each.id: each.name for each in grouped.communities}
        ids = grouped.grouping.ids
        return nodes, {node: name_of[int(ids[node])] for node in nodes if int(ids[node]) != NONE}


def _community(graph: GraphSnapshot, each: Community, most: int | None) -> CommunityView:
    return CommunityView(
        id=each.id,
        name=each.name,
        terms=each.terms,
        size=len(each.nodes),
        inside=each.inside,
        hub=graph.paths[each.nodes[0]],
        paths=tuple(graph.paths[node] for node in each.nodes[:most]),
    )


NOT_YET: Final = Freshness(checked=False, synced_ns=0, applied=0, pending=0)
"""What stands in an answer until its freshness is known."""


def _fresh(answer: _T, freshness: Freshness) -> _T:
    """The answer with its freshness."""
    return replace(answer, freshness=freshness)  # type: ignore[type-var]


def _path(graph: GraphSnapshot, a: int, b: int, walk: Walk) -> PathAnswer:
    steps = shortest_path(graph, a, b, walk)
    nodes = [a, *(step.node for step in steps or ()), b]
    superseded = shown.superseded_among(graph, nodes)
    current_start, current = "", None
    if superseded and any(not each.ring for each in superseded):
        first, last = graph.current(a), graph.current(b)
        current = shortest_path(graph, first, last, walk, avoid=graph.is_superseded)
        current_start = graph.paths[first] if current is not None else ""
    return PathAnswer(
        start=shown.note_view(graph, a),
        end=shown.note_view(graph, b),
        found=steps is not None,
        steps=shown.step_views(graph, steps or ()),
        current_start=current_start,
        current=shown.step_views(graph, current or ()),
        superseded=superseded,
        freshness=NOT_YET,
    )


def _walk(graph: GraphSnapshot, direction: str, relations: Sequence[str] | None) -> Walk:
    try:
        way = Direction(direction.strip().lower())
    except ValueError:
        raise UsageError(
            f"There is no direction {direction!r}.", hint="Use out, in or both."
        ) from None
    if relations is None:
        return Walk(way)
    codes = graph.codes(relations)
    if not codes:
        known = listed(sorted(graph.relations), MOST_LISTED)
        raise UsageError(
            f"No link has the relation {', '.join(relations)}.", hint=f"Relations: {known}."
        )
    return Walk(way, tuple(codes))


def _check(depth: int, limit: int, *, least: int = 1) -> None:
    if not least <= depth <= DEEPEST:
        raise UsageError(f"A depth of {depth} is out of range.", hint=f"Use {least} to {DEEPEST}.")
    if not 1 <= limit <= MOST:
        raise UsageError(f"A limit of {limit} is out of range.", hint=f"Use 1 to {MOST}.")
