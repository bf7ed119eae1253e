"""Ways through the graph: what is near a note, how two notes are connected. Pure: arrays in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from vaultmem.graph.snapshot import GraphSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Nodes = NDArray[np.int64]

__all__ = ["Direction", "Reached", "Step", "Walk", "neighbours", "shortest_path"]


MOST_LINKS: Final = 255
"""Links between two notes beyond which more make no difference."""


class Direction(StrEnum):
    """Which way links are followed."""

    OUT = "out"
    """From the note that holds the link to the one that it leads to."""
    IN = "in"
    """Against the links."""
    BOTH = "both"
    """Either way."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How to go."""

    direction: Direction = Direction.BOTH
    relations: tuple[int, ...] | None = None
    """The relations whose edges are followed; None: all."""

    @property
    def turned(self) -> Walk:
        """The way back."""
        back = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT}
        return Walk(back.get(self.direction, self.direction), self.relations)


@dataclass(frozen=True, slots=True)
class Reached:
    """A node on the way."""

    node: int
    distance: int
    before: int
    """The node from which it was reached; itself for a root."""


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path as it is walked."""

    edge: int
    node: int
    """Where it leads to on the way."""
    forward: bool
    """Whether the link is followed from its note to its target."""


def neighbours(
    graph: GraphSnapshot, roots: Sequence[int], depth: int, limit: int, walk: Walk
) -> tuple[list[Reached], int]:
    """The roots and what lies at most ``depth`` links from one of them, nearest first; of equals those with a relation
    by name, then those with the most links among their own, then by path. At most ``limit`` beside the roots; and how
    many there are in all, roots left out."""
    import numpy as np

    distance = np.full(len(graph), -1, np.int32)
    before = np.full(len(graph), -1, np.int64)
    frontier = np.array(list(dict.fromkeys(roots)), np.int64)
    distance[frontier] = 0
    found = [Reached(int(node), 0, int(node)) for node in frontier]
    total = 0
    for step in range(1, depth + 1):
        origin, node, edge = _edges(graph, frontier, walk)
        new = distance[node] < 0
        typed = graph.relation[edge[new]] != 0
        # One number for each edge, whose order is that of node, relation, links, and where it comes from: sorting
        # numbers is several times as quick as sorting by four columns.
        links = np.minimum(graph.links[edge[new]], MOST_LINKS)
        key = (node[new] << 1 | ~typed) * (MOST_LINKS + 1) + (MOST_LINKS - links)
        node, typed, origin = _firsts(key, origin[new], len(graph))
        distance[node] = step
        before[node] = origin
        order = np.argsort((~typed * (1 << 61)) - (graph.degree[node] << 30) + node)
        total += len(node)
        room = limit - (len(found) - len(roots))
        shown = node[order[: max(0, room)]]
        found += [Reached(int(each), step, int(before[each])) for each in shown]
        frontier = node
        if not len(frontier):
            break
    return found, total


def shortest_path(
    graph: GraphSnapshot,
    start: int,
    end: int,
    walk: Walk,
    *,
    avoid: NDArray[np.bool_] | None = None,
) -> list[Step] | None:
    """A path with the fewest links, found from both ends at once; of equals one through current notes and through
    those with few links, which say more. [] when both are the same, None when there is none. Nodes marked in
    ``avoid`` are not passed, but may be its ends."""
    if start == end:
        return []
    here, there = _Side(graph, start, walk), _Side(graph, end, walk.turned)
    while len(here.frontier) and len(there.frontier):
        side, other = (here, there) if here.cost <= there.cost else (there, here)
        met = side.grow(other, avoid)
        if met is not None:
            return _steps(graph, here.way_to(met), there.way_to(met)[::-1], walk)
    return None


class _Side:
    """One of the two searches that meet."""

    def __init__(self, graph: GraphSnapshot, root: int, walk: Walk) -> None:
        import numpy as np

        self._graph = graph
        self._walk = walk
        self.root = root
        self.seen = np.zeros(len(graph), np.bool_)
        self.seen[root] = True
        self._before = np.full(len(graph), -1, np.int32)
        self.frontier: Nodes = np.array([root], np.int64)

    @property
    def cost(self) -> int:
        """Edges that the next step would look at."""
        return int(self._graph.degree[self.frontier].sum())

    def grow(self, other: _Side, avoid: NDArray[np.bool_] | None) -> int | None:
        """Goes one link further; the node where it meets the other side, if it does."""
        import numpy as np

        graph = self._graph
        order = np.lexsort(
            (self.frontier, graph.degree[self.frontier], graph.is_superseded[self.frontier])
        )
        frontier = self.frontier[order]
        place = np.empty(len(graph), np.int64)
        place[frontier] = np.arange(len(frontier))
        origin, node, _ = _edges(graph, frontier, self._walk)
        new = ~self.seen[node]
        if avoid is not None:
            new &= ~avoid[node] | (node == other.root)
        # The first of the frontier to reach a node is the one that it is reached from.
        key = np.sort(node[new] * len(frontier) + place[origin[new]])
        node, rank = np.divmod(key, len(frontier))
        first = np.flatnonzero(np.diff(node, prepend=-1))
        node, origin = node[first], frontier[rank[first]]
        self._before[node] = origin
        self.seen[node] = True
        met = node[other.seen[node]]
        if len(met):
            best = np.lexsort((met, graph.degree[met], graph.is_superseded[met]))
            return int(met[best[0]])
        self.frontier = node
        return None

    def way_to(self, node: int) -> list[int]:
        """The nodes from the root to this one."""
        way = [node]
        while way[-1] != self.root:
            way.append(int(self._before[way[-1]]))
        return way[::-1]


def _steps(graph: GraphSnapshot, first: list[int], second: list[int], walk: Walk) -> list[Step]:
    way = first + second[1:]
    return [_best_step(graph, a, b, walk) for a, b in pairwise(way)]


def _best_step(graph: GraphSnapshot, a: int, b: int, walk: Walk) -> Step:
    """The edge that says most of the two neighbours: one by name before a mention, then one that goes this way."""
    options: list[tuple[bool, bool, int]] = []
    if walk.direction != Direction.IN:
        options += [(graph.relation[e] == 0, False, e) for e in graph.edges_between(a, b)]
    if walk.direction != Direction.OUT:
        options += [(graph.relation[e] == 0, True, e) for e in graph.edges_between(b, a)]
    allowed = walk.relations
    kept = [o for o in options if allowed is None or int(graph.relation[o[2]]) in allowed]
    _, against, edge = min(kept)
    return Step(edge, b, not against)


def _edges(graph: GraphSnapshot, nodes: Nodes, walk: Walk) -> tuple[Nodes, Nodes, Nodes]:
    """(from, to, edge) of all edges that leave the nodes on the walk, in the order of the nodes."""
    import numpy as np

    parts: list[tuple[Nodes, Nodes, Nodes]] = []
    if walk.direction != Direction.IN:
        place, origin = _ranges(graph.out_start, nodes)
        parts.append((origin, graph.target[place].astype(np.int64), place))
    if walk.direction != Direction.OUT:
        place, origin = _ranges(graph.in_start, nodes)
        edge = graph.in_edge[place]
        parts.append((origin, graph.source[edge].astype(np.int64), edge))
    origin, node, edge = (
        parts[0]
        if len(parts) == 1
        else tuple(np.concatenate(pair) for pair in zip(*parts, strict=True))
    )
    if walk.relations is not None:
        kept = np.isin(graph.relation[edge], walk.relations)
        origin, node, edge = origin[kept], node[kept], edge[kept]
    return origin, node, edge


def _firsts(key: Nodes, origin: Nodes, nodes: int) -> tuple[Nodes, NDArray[np.bool_], Nodes]:
    """Each node of the keys once, in order, whether its best edge has a relation by name, and where that comes from."""
    import numpy as np

    whole = (
        key * nodes + origin if len(key) and int(key.max()) < (1 << 62) // max(1, nodes) else None
    )
    order = np.argsort(whole) if whole is not None else np.lexsort((origin, key))
    key = key[order]
    node = key // (2 * (MOST_LINKS + 1))
    first = np.flatnonzero(np.diff(node, prepend=-1))
    mentioned = (key[first] // (MOST_LINKS + 1)) & 1
    return node[first], mentioned == 0, origin[order[first]]


def _ranges(starts: Nodes, nodes: Nodes) -> tuple[Nodes, Nodes]:
    """The places of all nodes' edges, one after the other, and the node of each."""
    import numpy as np

    begin = starts[nodes]
    count = starts[nodes + 1] - begin
    shift = np.repeat(begin - (np.cumsum(count) - count), count)
    return np.arange(int(count.sum())) + shift, np.repeat(nodes, count)
