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

__all__ = ["BRIDGE", "ISOLATED", "KINDS", "SPARSE", "SURPRISING", "Insight", "insights"]

ISOLATED: Final = "isolated"
SPARSE: Final = "sparse"
BRIDGE: Final = "bridge"
SURPRISING: Final = "surprising"
KINDS: Final = (ISOLATED, SPARSE, BRIDGE, SURPRISING)

MOST: Final = 100
"""Insights of each kind at most."""
LOOSE: Final = 0.5
"""Share of its links that a community keeps inside, below which it is loose."""
FEW_LINKS: Final = 1.25
"""Links for each note inside a community, below which it is loose."""
LEAST_SHARE: Final = 0.25
"""Of the links between two communities that go through one note, for it to be a bridge."""
OF_A_PAIR: Final = 2
"""Surprising links between the same two communities at most."""
LOOKED_AT: Final = 10
"""For each surprising link that is told, so many are looked at."""
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
    graph: GraphSnapshot, communities: Sequence[Community], ids: NDArray[np.int64]
) -> list[Insight]:
    """What there is to see, by kind, of each the most telling first."""
    name = {each.id: each.name for each in communities}
    crossings = _crossings(graph, ids)
    return [
        *_isolated(graph),
        *_sparse(graph, communities, ids),
        *_bridges(graph, ids, name, crossings),
        *_surprising(graph, name, crossings),
    ]


def _isolated(graph: GraphSnapshot) -> list[Insight]:
    import numpy as np

    alone = np.flatnonzero(graph.degree == 0).tolist()
    reason = "No link leads to it, and it links to no other note."
    return [Insight(ISOLATED, node, None, 1.0, reason) for node in alone[:MOST]]


def _sparse(
    graph: GraphSnapshot, communities: Sequence[Community], ids: NDArray[np.int64]
) -> list[Insight]:
    import numpy as np

    one, other = ids[graph.source], ids[graph.target]
    size = int(ids.max(initial=0)) + 1
    inside = np.bincount(one[one == other], minlength=size)
    leaving = np.bincount(one[one != other], minlength=size)
    leaving += np.bincount(other[one != other], minlength=size)
    found = []
    for each in communities:
        own, away, notes = int(inside[each.id]), int(leaving[each.id]), len(each.nodes)
        share = 2 * own / (2 * own + away) if own else 0.0
        if share < LOOSE or own < FEW_LINKS * (notes - 1):
            reason = (
                f"The {notes} notes of “{each.name}” have {own} links among them and {away} to "
                "others, so they hardly hang together."
            )
            score = round(1 - min(share, own / max(1, 2 * notes)), 4)
            found.append(Insight(SPARSE, each.nodes[0], None, score, reason))
    return sorted(found, key=lambda insight: (-insight.score, insight.node))[:MOST]


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
    best = first[np.lexsort((node[first], -np.round(summed[node[first]], 4)))][:MOST]
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
    found: list[Insight] = []
    told: Counter[tuple[int, int]] = Counter()
    for place in np.lexsort((edges, -score))[: LOOKED_AT * MOST].tolist():
        ends = (int(source[place]), int(target[place]))
        groups = (-1, int(pair[place]))
        if told[min(ends), max(ends)] or told[groups] >= OF_A_PAIR:
            continue
        if _share_a_neighbour(graph, *ends):
            continue
        count, expected = int(crossings.count[pair[place]]), float(crossings.expected[pair[place]])
        low, high = int(crossings.low[pair[place]]), int(crossings.high[pair[place]])
        rare = "the only link" if count == 1 else f"one of {count} links"
        reason = f"It is {rare} between “{name[low]}” and “{name[high]}”"
        usual = f", which by their size would have {expected:.0f}" if expected > count else ""
        reason += f"{usual}, and the two notes have no neighbour in common."
        told.update([(min(ends), max(ends)), groups])
        found.append(Insight(SURPRISING, *ends, float(score[place]), reason))
        if len(found) == MOST:
            break
    return found


def _share_a_neighbour(graph: GraphSnapshot, a: int, b: int) -> bool:
    import numpy as np

    return bool(np.intersect1d(_near(graph, a), _near(graph, b)).size)


def _near(graph: GraphSnapshot, node: int) -> NDArray[np.int32]:
    import numpy as np

    out = graph.target[graph.out_start[node] : graph.out_start[node + 1]]
    into = graph.source[graph.in_edge[graph.in_start[node] : graph.in_start[node + 1]]]
    return np.concatenate([out, into])
