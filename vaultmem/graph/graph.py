"""The graph of a vault as others ask it. Composes: what is walked, grouped and judged is done next door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import apsw

from vaultmem.errors import UsageError
from vaultmem.graph import shown
from vaultmem.graph.answers import NeighborsAnswer, PathAnswer, SubgraphAnswer
from vaultmem.graph.memory import GraphMemory, Keep
from vaultmem.graph.names import Find, Meant, meant, node_named
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.graph.walk import Direction, Walk, neighbours, shortest_path
from vaultmem.search.model import Freshness

__all__ = ["Ask", "Graph"]

_T = TypeVar("_T")

DEEPEST: Final = 10
LIMIT: Final = 50
"""Notes that an answer shows unless told otherwise."""
MOST: Final = 1000

Ask = Callable[[Callable[[apsw.Connection], _T]], tuple[_T, Freshness]]


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
    ) -> None:
        self._ask_index = ask
        self._find = find
        self._memory = GraphMemory(keep)

    def _ask(
        self, question: Callable[[apsw.Connection, GraphSnapshot], _T]
    ) -> tuple[_T, Freshness]:
        """The answer to a question to the snapshot of one state of the index."""
        found: list[_T] = []

        def asked(connection: apsw.Connection) -> None:
            found[:] = [question(connection, self._memory.snapshot(connection))]

        _, freshness = self._ask_index(asked)
        self._memory.keep_if_due()
        return found[0], freshness

    def _node(self, connection: apsw.Connection, graph: GraphSnapshot, name: str) -> int:
        return node_named(connection, graph, name, self._find)

    def snapshot(self) -> GraphSnapshot:
        """The whole graph in arrays, as it is now."""
        return self._ask(lambda _, graph: graph)[0]

    def meant(self, name: str) -> Meant:
        """Which note a name means, or which it may mean; raises nothing for a name."""
        return self._ask(lambda c, graph: meant(c, graph, name, self._find))[0]

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


NOT_YET: Final = Freshness(checked=False, synced_ns=0, applied=0, pending=0)
"""What stands in an answer until its freshness is known."""


def _fresh(answer: _T, freshness: Freshness) -> _T:
    """The answer with its freshness."""
    from dataclasses import replace

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
        known = ", ".join(sorted(graph.relations)[:20])
        raise UsageError(
            f"No link has the relation {', '.join(relations)}.", hint=f"Relations: {known}."
        )
    return Walk(way, tuple(codes))


def _check(depth: int, limit: int, *, least: int = 1) -> None:
    if not least <= depth <= DEEPEST:
        raise UsageError(f"A depth of {depth} is out of range.", hint=f"Use {least} to {DEEPEST}.")
    if not 1 <= limit <= MOST:
        raise UsageError(f"A limit of {limit} is out of range.", hint=f"Use 1 to {MOST}.")
