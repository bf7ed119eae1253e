"""The communities and insights of a vault as they are now: worked out when asked for, kept from one time to the next."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import apsw

from vaultmem.files.recalls import RecallLog
from vaultmem.graph.communities import (
    NONE,
    Community,
    Grouping,
    describe,
    from_bytes,
    group,
    to_bytes,
)
from vaultmem.graph.insights import Insights, insights
from vaultmem.graph.memory import Keep, kept_value, put_value
from vaultmem.graph.near import mutual_nearest, note_vectors
from vaultmem.graph.recalled import Recalled, RecalledMemory
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.graph.weights import weights_of
from vaultmem.index.connection import fetch
from vaultmem.index.meta import read_generation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GroupMemory", "Grouped"]

NAMES: Final = "SELECT id, name, terms, notes FROM notes_graph_communities"
DROP_COMMUNITIES: Final = "DELETE FROM notes_graph_communities"
PUT_COMMUNITY: Final = "INSERT INTO notes_graph_communities VALUES (?, ?, ?, ?, ?, ?, ?)"
DROP_INSIGHTS: Final = "DELETE FROM notes_graph_insights"
PUT_INSIGHT: Final = "INSERT INTO notes_graph_insights VALUES (?, ?, ?, ?, ?, ?)"
ALIASES: Final = "SELECT id, aliases FROM notes_index WHERE aliases != '[]'"
WORDS: Final = "SELECT id, words FROM notes_index"
PARTITION: Final = "partition"


@dataclass(frozen=True, slots=True)
class Grouped:
    """A graph in communities."""

    grouping: Grouping
    communities: list[Community]
    """Largest first."""
    insights: Insights
    said: str = ""
    """What a person should know of how they were found."""

    def community(self, node: int) -> Community | None:
        """The community that the node is in."""
        wanted = int(self.grouping.ids[node])
        if wanted == NONE:
            return None
        return next(each for each in self.communities if each.id == wanted)


class GroupMemory:
    """The latest grouping. Safe for several threads."""

    def __init__(self, keep: Keep, recalls: RecallLog | None = None) -> None:
        """``recalls`` says which notes came up together; without it no notes did."""
        self._keep = keep
        self._recalled = RecalledMemory(recalls)
        self._guard = threading.Lock()
        self._graph: GraphSnapshot | None = None
        self._grouped: Grouped | None = None
        self._sizes: dict[int, int] = {}
        self._generation = 0
        self._due = False

    def at(
        self, connection: apsw.Connection, graph: GraphSnapshot, *, anew: bool = False
    ) -> Grouped:
        """The communities of the graph of this state of the index; with ``anew`` without regard to the last ones,
        but for their ids."""
        with self._guard:
            recalled = self._recalled.at(graph)
            known = self._grouped if self._graph is graph and not anew else None
            if known is None or known.grouping.recalled != recalled.mark:
                known = self._worked_out(connection, graph, recalled, anew)
                self._grouped, self._graph = known, graph
            return known

    def _worked_out(
        self, connection: apsw.Connection, graph: GraphSnapshot, recalled: Recalled, anew: bool
    ) -> Grouped:
        generation = read_generation(connection)
        kept = kept_value(connection, PARTITION)
        last = from_bytes(kept[1]) if kept is not None else None
        if last is None and self._grouped is not None:
            last = self._grouped.grouping
        names, self._sizes = _known(connection)
        links = weights_of(graph)
        said = links.said
        is_current = kept is not None and kept[0] == generation
        if last is not None and not anew and is_current and _tells_of(last, graph, recalled):
            grouping = last
        else:
            vectors = note_vectors(connection, graph.ids)
            near = mutual_nearest(vectors) if vectors is not None else []
            weights = weights_of(graph, near, recalled.pairs) if near or recalled.pairs else links
            said = weights.said
            grouping = group(graph, weights, last, anew=anew, recalled=recalled.mark)
            self._due = True
        self._generation = generation
        communities = describe(graph, links, grouping.ids, names, _aliases(connection, graph))
        seen = insights(graph, communities, grouping.ids, _words(connection, graph))
        return Grouped(grouping, communities, seen, said)

    def keep_if_due(self) -> None:
        """Keeps what was worked out, for later processes and as what the next grouping sets out from. Call outside of
        any transaction; does nothing where the index cannot be written now."""
        with self._guard:
            graph, grouped, generation = self._graph, self._grouped, self._generation
            if not self._due or graph is None or grouped is None:
                return
            rows = [
                (
                    each.id,
                    each.name,
                    json.dumps(each.terms, ensure_ascii=False),
                    len(each.nodes),
                    graph.paths[each.nodes[0]],
                    each.inside,
                    self._sizes.get(each.id, 0),
                )
                for each in grouped.communities
            ]
            seen = list(_insight_rows(graph, grouped))

            def put(connection: apsw.Connection) -> None:
                if read_generation(connection) != generation:
                    return  # there are newer ones, or will be
                connection.execute(DROP_COMMUNITIES)
                connection.executemany(PUT_COMMUNITY, rows)
                connection.execute(DROP_INSIGHTS)
                connection.executemany(PUT_INSIGHT, seen)
                put_value(connection, PARTITION, generation, to_bytes(grouped.grouping))

            self._due = not self._keep(put)


def _tells_of(last: Grouping, graph: GraphSnapshot, recalled: Recalled) -> bool:
    return last.paths == graph.paths and last.recalled == recalled.mark


def _insight_rows(
    graph: GraphSnapshot, grouped: Grouped
) -> list[tuple[str, int, str, str, float, str]]:
    counted: dict[str, int] = {}
    rows = []
    for each in grouped.insights.told:
        ordinal = counted[each.kind] = counted.get(each.kind, -1) + 1
        other = graph.paths[each.other] if each.other is not None else ""
        rows.append((each.kind, ordinal, graph.paths[each.node], other, each.score, each.reason))
    return rows


def _aliases(connection: apsw.Connection, graph: GraphSnapshot) -> dict[int, list[str]]:
    """The aliases of the nodes that have any."""
    node_of = {file: node for node, file in enumerate(graph.ids.tolist())}
    return {
        node_of[file]: json.loads(aliases)
        for file, aliases in fetch(connection, ALIASES)
        if file in node_of
    }


def _words(connection: apsw.Connection, graph: GraphSnapshot) -> NDArray[np.int64]:
    """How many words each node's note has."""
    import numpy as np

    words = dict(fetch(connection, WORDS))
    return np.array([words.get(file, 0) for file in graph.ids.tolist()], np.int64)


def _known(
    connection: apsw.Connection,
) -> tuple[Mapping[int, tuple[str, tuple[str, ...]]], dict[int, int]]:
    """(name, terms) and size of the communities of the last time."""
    rows = fetch(connection, NAMES)
    names = {number: (name, tuple(json.loads(terms))) for number, name, terms, _ in rows}
    return names, {number: notes for number, _, _, notes in rows}
