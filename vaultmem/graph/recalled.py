"""Notes that came up together: the same question of a person or an agent was answered with both.

The log of the questions says so. How often the same words were asked counts for nothing, so that a habit does not draw
notes together; time counts for nothing either, so that communities do not change by themselves.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from vaultmem.files.recalls import RecallEntry, RecallLog
from vaultmem.graph.snapshot import GraphSnapshot

__all__ = ["NOTHING", "Recalled", "RecalledMemory", "recalled_pairs"]

ASKERS: Final = frozenset(("person", "agent"))
FIRST: Final = 3
"""Notes of an answer that count: a person seldom looks further down."""

Pairs = Mapping[tuple[int, int], int]
"""How many different questions brought up both nodes, the lower first."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the log says of the notes of a graph."""

    pairs: Pairs
    mark: str
    """Another one when the pairs are others; "" when there are none."""


NOTHING: Final = Recalled({}, "")


class RecalledMemory:
    """What the log said last; it is read again when it or the graph has changed. Safe for several threads."""

    def __init__(self, log: RecallLog | None) -> None:
        self._log = log
        self._guard = threading.Lock()
        self._known: tuple[str, GraphSnapshot, Recalled] | None = None

    def at(self, graph: GraphSnapshot) -> Recalled:
        """What the log says now of the notes of the graph."""
        if self._log is None:
            return NOTHING
        with self._guard:
            state = self._log.state()
            if self._known is None or self._known[0] != state or self._known[1] is not graph:
                pairs = recalled_pairs(self._log.read(), graph.node_at) if state else {}
                self._known = (state, graph, Recalled(pairs, _mark(graph, pairs)))
            return self._known[2]


def recalled_pairs(entries: Iterable[RecallEntry], node_at: Mapping[str, int]) -> Pairs:
    """The pairs of nodes that came up among the first of the same questions, in order. Notes that are gone, and
    questions that were asked in a dream, are left out."""
    asked: dict[tuple[int, int], set[str]] = {}
    for entry in entries:
        if entry.by not in ASKERS:
            continue
        nodes = sorted({node_at[path] for path in entry.paths[:FIRST] if path in node_at})
        for pair in combinations(nodes, 2):
            asked.setdefault(pair, set()).add(" ".join(entry.query.casefold().split()))
    return {pair: len(asked[pair]) for pair in sorted(asked)}


def _mark(graph: GraphSnapshot, pairs: Pairs) -> str:
    if not pairs:
        return ""
    told = [[graph.paths[one], graph.paths[other], count] for (one, other), count in pairs.items()]
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=16).hexdigest()
