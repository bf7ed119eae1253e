"""Notes that have to do with a note though no link says so, each with its reasons. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vaultmem.errors import listed
from vaultmem.graph.near import likeness_floor
from vaultmem.graph.snapshot import GraphSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Related", "related"]

BUSY: Final = 500
"""Neighbours beyond which a note that two others share says nothing of them."""
COMMON_TAG: Final = 50
MOST_ALIKE: Final = 30
"""Notes that are likest in meaning, which are looked at."""
LIKE_WEIGHT: Final = 1.5
MENTION_WEIGHT: Final = 1.0
NAMED: Final = 3
"""Notes or tags that a reason names."""


@dataclass(frozen=True, slots=True)
class Related:
    """One related note."""

    node: int
    score: float
    reasons: tuple[str, ...]
    """The weightiest first."""


def related(
    graph: GraphSnapshot,
    node: int,
    *,
    vectors: NDArray[np.float32] | None,
    mentions: Mapping[int, int],
    limit: int,
) -> list[Related]:
    """The notes that are related to the node's and that no link connects with it, best first. ``mentions`` says which
    notes name it in plain text, or are named in it, and how often."""
    linked = {node, *_neighbours(graph, node)}
    said: dict[int, list[tuple[float, str]]] = {}
    for found in (
        _by_neighbours(graph, node),
        _by_tags(graph, node),
        _by_meaning(vectors, node),
        _by_mentions(mentions),
    ):
        for other, reason in found.items():
            if other not in linked:
                said.setdefault(other, []).append(reason)
    every = [
        Related(
            other,
            round(sum(weight for weight, _ in reasons), 4),
            tuple(text for _, text in sorted(reasons, key=lambda reason: (-reason[0], reason[1]))),
        )
        for other, reasons in said.items()
        if graph.current(other) == other
    ]
    return sorted(every, key=lambda each: (-each.score, each.node))[:limit]


Reasons = dict[int, tuple[float, str]]


def _neighbours(graph: GraphSnapshot, node: int) -> list[int]:
    """Each note that a link connects with it, in order."""
    out = graph.target[graph.out_start[node] : graph.out_start[node + 1]].tolist()
    into = graph.source[graph.in_edge[graph.in_start[node] : graph.in_start[node + 1]]].tolist()
    return sorted({*out, *into})


def _by_neighbours(graph: GraphSnapshot, node: int) -> Reasons:
    shared: dict[int, list[tuple[float, int]]] = {}
    for between in _neighbours(graph, node):
        if int(graph.degree[between]) > BUSY:
            continue
        weight = 1 / math.log(2 + int(graph.degree[between]))
        for other in _neighbours(graph, between):
            shared.setdefault(other, []).append((weight, between))
    found: Reasons = {}
    for other, ways in shared.items():
        ways.sort(key=lambda way: (-way[0], way[1]))
        names = _listed([graph.titles[between] for _, between in ways])
        found[other] = (sum(weight for weight, _ in ways), f"linked with the same notes: {names}")
    return found


def _by_tags(graph: GraphSnapshot, node: int) -> Reasons:
    mine = set(graph.tags[node])
    if not mine:
        return {}
    having: dict[str, list[int]] = {tag: [] for tag in mine}
    for other, tags in enumerate(graph.tags):
        for tag in mine.intersection(tags):
            having[tag].append(other)
    shared: dict[int, list[tuple[float, str]]] = {}
    for tag in sorted(having):
        others = having[tag]
        if len(others) <= COMMON_TAG:
            for other in others:
                shared.setdefault(other, []).append((1 / math.log(2 + len(others)), tag))
    return {
        other: (
            sum(weight for weight, _ in tags),
            f"both tagged {_listed([f'#{tag}' for _, tag in sorted(tags, reverse=True)])}",
        )
        for other, tags in shared.items()
    }


def _by_meaning(vectors: NDArray[np.float32] | None, node: int) -> Reasons:
    import numpy as np

    if vectors is None or len(vectors) < 2 or not vectors[node].any():
        return {}
    cosines = vectors @ vectors[node]
    cosines[node] = -1
    best = np.argpartition(-cosines, min(MOST_ALIKE, len(cosines) - 1) - 1)[:MOST_ALIKE]
    floor = likeness_floor(vectors)
    return {
        other: (
            LIKE_WEIGHT * (float(cosines[other]) - floor) / max(1e-6, 1 - floor),
            f"alike in meaning ({float(cosines[other]):.2f})",
        )
        for other in best.tolist()
        if cosines[other] > floor
    }


def _by_mentions(mentions: Mapping[int, int]) -> Reasons:
    return {
        other: (
            MENTION_WEIGHT * math.log2(1 + count),
            f"names it without a link ({count} {'time' if count == 1 else 'times'})",
        )
        for other, count in mentions.items()
    }


def _listed(names: list[str]) -> str:
    return listed(names, NAMED)
