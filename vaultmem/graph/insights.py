"""What a look at the whole graph shows: notes that stand alone, loose communities, bridges, links nobody would expect.

Each with its reason in a sentence. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vaultmem.graph.communities import NONE, Community
from vaultmem.graph.snapshot import GraphSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BRIDGE", "ISOLATED", "KINDS", "SPARSE", "SURPRISING", "Insight", "Insights", "insights"]

ISOLATED: Final = "isolated"
SPARSE: Final = "sparse"
BRIDGE: Final = "bridge"
SURPRISING: Final = "surprising"
KINDS: Final = (ISOLATED, SPARSE, BRIDGE, SURPRISING)

MOST: Final = 1000
"""Insights of each kind that are told at most."""
LOOSE: Final = 0.5
"""Share of its links that a community keeps inside, below which it is loose."""
FEW_LINKS: Final = 1.25
"""Links for each note inside a community, below which it is loose."""
LEAST_SHARE: Final = 0.25
"""Of the links between two communities that go through one note, for it to be a bridge."""
OF_A_PAIR: Final = 2
"""Surprising links between the same two communities at most."""
LEAST_LINKS: Final = 2
"""Between two communities, for one of their notes to be a bridge."""


@dataclass(frozen=True, slots=True)
class Insight:
    """One thing to see."""

    kind: str
    node: int
    other: int | None
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Insights:
    """What there is to see."""

    told: list[Insight]
    """By kind, of each the most telling first and ``MOST`` at most."""
    counts: dict[str, int]
    """How many there are of each kind, told or not."""


@dataclass(frozen=True, slots=True)
class _Crossings:
    """The links from one community to another, and between which two each is."""

    edges: NDArray[np.int64]
    pair: NDArray[np.int64]
    """Of each edge the place of its two communities in what follows."""
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    count: NDArray[np.int64]
    """How many links there are between the two."""
    expected: NDArray[np.float64]
    """How many there would be by chance."""


def insights(
    graph: GraphSnapshot,
    communities: Sequence[Community],
    ids: NDArray[np.int64],
    words: NDArray[np.int64],
) -> Insights:
    """What there is to see; ``words`` is how many each note has."""
    name = {each.id: each.name for each in communities}
    crossings = _crossings(graph, ids)
    found = {
        ISOLATED: _isolated(graph, words),
        SPARSE: _sparse(graph, communities, ids),
        BRIDGE: _bridges(graph, ids, name, crossings),
        SURPRISING: _surprising(graph, name, crossings),
    }
    return Insights(
        [one for each in found.values() for one in each[:MOST]],
        {kind: len(each) for kind, each in found.items()},
    )


def _isolated(graph: GraphSnapshot, words: NDArray[np.int64]) -> list[Insight]:
    """The longest notes first: they have most to be linked with."""
    import numpy as np

    alone = np.flatnonzero(graph.degree == 0)
    alone = alone[np.lexsort((alone, -words[alone]))]
    reason = "No link leads to it, and it links to no other note; it has {:,} word{}."
    return [
        Insight(ISOLATED, node, None, float(count), reason.format(count, "" if count == 1 else "s"))
        for node, count in zip(alone.tolist(), words[alone].tolist(), strict=True)
    ]


def _sparse(
    graph: GraphSnapshot, communities: Sequence[Community], ids: NDArray[np.int64]
) -> list[Insight]:
    """Communities with few links, those that have any among them first. What tags or meaning alone hold together, with
    no link at all, is not loosely linked but not linked."""
    import numpy as np

    one, other = ids[graph.source], ids[graph.target]
    size = int(ids.max(initial=0)) + 1
    inside = np.bincount(one[one == other], minlength=size)
    leaving = np.bincount(one[one != other], minlength=size)
    leaving += np.bincount(other[one != other], minlength=size)
    found = []
    for each in communities:
        own, away, notes = int(inside[each.id]), int(leaving[each.id]), len(each.nodes)
        if not own and not away:
            continue
        share = 2 * own / (2 * own + away)
        if share < LOOSE or own < FEW_LINKS * (notes - 1):
            reason = (
                f"The {notes} notes of “{each.name}” have {_links(own)} among them and {away} to "
                "others, so they hardly hang together."
            )
            score = round(1 - min(share, own / max(1, 2 * notes)), 4)
            found.append((own == 0, Insight(SPARSE, each.nodes[0], None, score, reason)))
    found.sort(key=lambda each: (each[0], -each[1].score, each[1].node))
    return [insight for _, insight in found]


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


def _crossings(graph: GraphSnapshot, ids: NDArray[np.int64]) -> _Crossings:
    """The links between each two communities that have any."""
    import numpy as np

    one, other = ids[graph.source], ids[graph.target]
    edges = np.flatnonzero((one != other) & (one != NONE) & (other != NONE))
    size = int(ids.max(initial=0)) + 1
    key = np.minimum(one[edges], other[edges]) * size + np.maximum(one[edges], other[edges])
    found, pair, count = np.unique(key, return_inverse=True, return_counts=True)
    low, high = found // size, found % size
    ends = np.bincount(ids, graph.degree, minlength=size)
    expected = ends[low] * ends[high] / (2 * max(1, len(graph.source)))
    return _Crossings(edges, pair.reshape(-1), low, high, count, expected)


def _bridges(
    graph: GraphSnapshot, ids: NDArray[np.int64], name: dict[int, str], crossings: _Crossings
) -> list[Insight]:
    """Notes without which two communities would have far fewer links, or none."""
    import numpy as np

    edges, nodes = crossings.edges, max(1, len(graph))
    key = np.concatenate(
        [
            crossings.pair * nodes + graph.source[edges],
            crossings.pair * nodes + graph.target[edges],
        ]
    )
    found, carried = np.unique(key, return_counts=True)
    pair, node = found // nodes, found % nodes
    total = crossings.count[pair]
    telling = (total >= LEAST_LINKS) & (carried >= 2) & (carried >= LEAST_SHARE * total)
    pair, node, carried, total = (each[telling] for each in (pair, node, carried, total))
    worth = carried / np.maximum(1, total) * np.log1p(total)
    summed = np.bincount(node, worth, minlength=nodes)
    ways = np.bincount(node, minlength=nodes)
    # Of each note the pair of communities for which it counts most.
    order = np.lexsort((pair, -worth, node))
    first = order[np.flatnonzero(np.diff(node[order], prepend=-1))]
    best = first[np.lexsort((node[first], -np.round(summed[node[first]], 4)))]
    insights = []
    for place in best.tolist():
        one = int(node[place])
        low, high = int(crossings.low[pair[place]]), int(crossings.high[pair[place]])
        own, other = (low, high) if int(ids[one]) == low else (high, low)
        more = int(ways[one]) - 1
        reason = f"{carried[place]} of the {total[place]} links between “{name[own]}” and “{name[other]}” go through it"
        pairs = "pair" if more == 1 else "pairs"
        reason += f", and it holds {more} more {pairs} of communities together." if more else "."
        insights.append(Insight(BRIDGE, one, None, round(float(summed[one]), 4), reason))
    return insights


def _surprising(graph: GraphSnapshot, name: dict[int, str], crossings: _Crossings) -> list[Insight]:
    """Links between communities that have few of them, seen how large they are, and between notes that nothing else
    connects."""
    import numpy as np

    edges, pair = crossings.edges, crossings.pair
    source, target = graph.source[edges], graph.target[edges]
    by_chance = graph.degree[source] * graph.degree[target] / (2 * max(1, len(graph.source)))
    codes: dict[str, int] = {}
    category = np.array([codes.setdefault(each, len(codes)) for each in graph.categories], np.int64)
    score = np.log((1 + crossings.expected[pair]) / crossings.count[pair])
    score += 0.25 * np.log(1 / np.maximum(by_chance, 1e-9))
    score = np.round(score + 0.5 * (category[source] != category[target]), 4)
    order = np.lexsort((edges, -score))
    chosen: list[tuple[int, int, int, float]] = []
    seen: set[tuple[int, int]] = set()
    told: Counter[int] = Counter()
    near = _Near(graph)
    columns = (pair[order], source[order], target[order], score[order])
    for groups, *ends, worth in zip(*(each.tolist() for each in columns), strict=True):
        if told[groups] >= OF_A_PAIR:
            continue
        one, other = ends
        both = (one, other) if one < other else (other, one)
        if both in seen or not near.of(one).isdisjoint(near.of(other)):
            continue
        seen.add(both)
        told[groups] += 1
        chosen.append((groups, one, other, worth))
    return [
        Insight(SURPRISING, one, other, worth, _why_surprising(name, crossings, groups))
        for groups, one, other, worth in chosen
    ]


def _why_surprising(name: dict[int, str], crossings: _Crossings, groups: int) -> str:
    count, expected = int(crossings.count[groups]), float(crossings.expected[groups])
    low, high = name[int(crossings.low[groups])], name[int(crossings.high[groups])]
    rare = "the only link" if count == 1 else f"one of {count} links"
    usual = f", which by their size would have {expected:.0f}" if expected > count else ""
    return f"It is {rare} between “{low}” and “{high}”{usual}, and the two notes have no neighbour in common."


class _Near:
    """The neighbours of nodes, of each looked up once."""

    def __init__(self, graph: GraphSnapshot) -> None:
        self._out = (graph.out_start.tolist(), graph.target.tolist())
        self._in = (graph.in_start.tolist(), graph.source[graph.in_edge].tolist())
        self._known: dict[int, set[int]] = {}

    def of(self, node: int) -> set[int]:
        """All that a link connects with the node, either way."""
        if node not in self._known:
            found: set[int] = set()
            for start, others in (self._out, self._in):
                found.update(others[start[node] : start[node + 1]])
            self._known[node] = found
        return self._known[node]
