"""What a look at the whole graph shows: notes that stand alone, loose communities, bridges, links nobody would expect.

Each with its reason in a sentence. Pure.
"""

from __future__ import annotations

import math
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
class _Crossing:
    """The links between two communities."""

    edges: list[int]
    expected: float
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


def _crossings(graph: GraphSnapshot, ids: NDArray[np.int64]) -> dict[tuple[int, int], _Crossing]:
    """The links between each two communities that have any."""
    import numpy as np

    one, other = ids[graph.source], ids[graph.target]
    across = np.flatnonzero((one != other) & (one != NONE) & (other != NONE))
    ends = np.bincount(ids, graph.degree, minlength=int(ids.max(initial=0)) + 1)
    found: dict[tuple[int, int], _Crossing] = {}
    low = np.minimum(one[across], other[across])
    high = np.maximum(one[across], other[across])
    total = 2 * max(1, len(graph.source))
    for edge, a, b in zip(across.tolist(), low.tolist(), high.tolist(), strict=True):
        crossing = found.get((a, b))
        if crossing is None:
            expected = float(ends[a]) * float(ends[b]) / total
            crossing = found[a, b] = _Crossing([], expected)
        crossing.edges.append(edge)
    return found


def _bridges(
    graph: GraphSnapshot,
    ids: NDArray[np.int64],
    name: dict[int, str],
    crossings: dict[tuple[int, int], _Crossing],
) -> list[Insight]:
    """Notes without which two communities would have far fewer links, or none."""
    carried: dict[int, list[tuple[float, int, int, int]]] = {}
    for (a, b), crossing in crossings.items():
        total = len(crossing.edges)
        if total < LEAST_LINKS:
            continue
        counted: Counter[int] = Counter()
        for edge in crossing.edges:
            counted[int(graph.source[edge])] += 1
            counted[int(graph.target[edge])] += 1
        for node, count in counted.items():
            if count >= 2 and count >= LEAST_SHARE * total:
                other = b if int(ids[node]) == a else a
                worth = count / total * math.log1p(total)
                carried.setdefault(node, []).append((worth, other, count, total))
    found = []
    for node, ways in carried.items():
        ways.sort(key=lambda way: (-way[0], way[1]))
        _, other, count, total = ways[0]
        reason = f"{count} of the {total} links between “{name[int(ids[node])]}” and “{name[other]}” go through it"
        more = len(ways) - 1
        reason += f", and it holds {more} more pairs of communities together." if more > 1 else "."
        score = sum(way[0] for way in ways)
        found.append(Insight(BRIDGE, node, None, round(score, 4), reason))
    return sorted(found, key=lambda insight: (-insight.score, insight.node))[:MOST]


def _surprising(
    graph: GraphSnapshot,
    name: dict[int, str],
    crossings: dict[tuple[int, int], _Crossing],
) -> list[Insight]:
    """Links between communities that have few of them, seen how large they are, and between notes that nothing else
    connects."""
    total = 2 * max(1, len(graph.source))
    scored = []
    for (a, b), crossing in crossings.items():
        count = len(crossing.edges)
        rarity = math.log((1 + crossing.expected) / count)
        for edge in crossing.edges:
            source, target = int(graph.source[edge]), int(graph.target[edge])
            by_chance = float(graph.degree[source]) * float(graph.degree[target]) / total
            score = rarity + 0.25 * math.log(1 / max(by_chance, 1e-9))
            score += 0.5 * (graph.categories[source] != graph.categories[target])
            scored.append((round(score, 4), edge, a, b))
    scored.sort(key=lambda item: (-item[0], item[1]))
    found: list[Insight] = []
    told: Counter[tuple[int, int]] = Counter()
    for score, edge, a, b in scored[: 4 * MOST]:
        source, target = int(graph.source[edge]), int(graph.target[edge])
        pair = (min(source, target), max(source, target))
        if told[pair] or told[-a, -b] >= OF_A_PAIR:
            continue
        if _share_a_neighbour(graph, source, target):
            continue
        count, expected = len(crossings[a, b].edges), crossings[a, b].expected
        rare = "the only link" if count == 1 else f"one of {count} links"
        reason = f"It is {rare} between “{name[a]}” and “{name[b]}”"
        usual = f", which by their size would have {expected:.0f}" if expected > count else ""
        reason += f"{usual}, and the two notes have no neighbour in common."
        told.update([pair, (-a, -b)])
        found.append(Insight(SURPRISING, source, target, score, reason))
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
