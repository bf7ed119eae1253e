"""The graph of the notes at one moment, in arrays: who links to whom, how, and which note stands for which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from vaultmem.graph.columns import Columns
from vaultmem.graph.hygiene import canonical_categories, canonical_relations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Nodes = NDArray[np.int64]

__all__ = ["SUPERSEDED_BY", "SUPERSEDES", "GraphSnapshot", "Succession", "snapshot_of"]

SUPERSEDES: Final = "supersedes"
SUPERSEDED_BY: Final = "superseded_by"


@dataclass(frozen=True, slots=True)
class Succession:
    """What stands for a note that was superseded."""

    chain: tuple[int, ...]
    """The nodes from the note's successor to the last one; of a ring, once around it."""
    ring: bool
    """The notes supersede each other in a ring, so none of them is current."""

    @property
    def current(self) -> int | None:
        """The last of the chain; None in a ring."""
        return None if self.ring else self.chain[-1]


@dataclass(frozen=True)
class GraphSnapshot:
    """Notes by number in the order of their paths, and one edge for each linked pair, direction and relation.

    Notes that Obsidian's settings exclude are left out, and so are links of a note to itself. Edges are numbered by
    source, then target, then relation.
    """

    ids: NDArray[np.int64]
    """Of their files in the index."""
    paths: list[str]
    titles: list[str]
    categories: list[str]
    """As they are called in the graph: one spelling for ``Project``, ``projects`` and ``Projects``."""
    severities: list[str]
    tags: list[list[str]]
    relations: list[str]
    """The relations that edges have, the first of them ``mentions``."""
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    relation: NDArray[np.uint16]
    confidence: NDArray[np.float32]
    """Of the best of the links that an edge stands for."""
    links: NDArray[np.int32]
    """How many written links it stands for."""

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def out_start(self) -> Nodes:
        """Where the edges of each node begin, and after the last one where they end."""
        return _starts(self.source, len(self))

    @cached_property
    def in_edge(self) -> Nodes:
        """The edges by their target."""
        import numpy as np

        return np.argsort(self.target, kind="stable")

    @cached_property
    def in_start(self) -> Nodes:
        """Where in ``in_edge`` the edges to each node begin."""
        return _starts(self.target, len(self))

    @cached_property
    def degree(self) -> Nodes:
        """How many edges each node has, both directions together."""
        import numpy as np

        return np.diff(self.out_start) + np.diff(self.in_start)

    @cached_property
    def node_at(self) -> dict[str, int]:
        """The node of each path."""
        return {path: node for node, path in enumerate(self.paths)}

    @cached_property
    def successor(self) -> dict[int, int]:
        """The note that each superseded note names as its successor, else the first that says to supersede it."""
        found: dict[int, int] = {}
        for name in (SUPERSEDES, SUPERSEDED_BY):  # the latter overrules
            for edge in reversed(self.edges_with([name])):
                old, new = int(self.source[edge]), int(self.target[edge])
                if name == SUPERSEDES:
                    old, new = new, old
                found[old] = new
        return found

    @cached_property
    def is_superseded(self) -> NDArray[np.bool_]:
        """Whether a note is known that stands for the node's."""
        import numpy as np

        marks = np.zeros(len(self), np.bool_)
        marks[[node for node in self.successor if self.succession(node) is not None]] = True
        return marks

    def succession(self, node: int) -> Succession | None:
        """What stands for the node's note; None when nothing supersedes it."""
        chain: list[int] = []
        seen = {node}
        last = node
        while (following := self.successor.get(last)) is not None:
            if following in seen:
                return Succession((*chain, following), ring=True)
            chain.append(following)
            seen.add(following)
            last = following
        return Succession(tuple(chain), ring=False) if chain else None

    def current(self, node: int) -> int:
        """The node that stands for this one: itself, unless it is superseded, and in a ring."""
        found = self.succession(node)
        return node if found is None or found.current is None else found.current

    def edges_with(self, names: Iterable[str]) -> list[int]:
        """The edges with one of those relations, in order."""
        import numpy as np

        return np.flatnonzero(np.isin(self.relation, self.codes(names))).tolist()

    def codes(self, names: Iterable[str]) -> list[int]:
        """The places of those relations that there are."""
        wanted = {canonical_relations([name])[name] for name in names}
        return [code for code, name in enumerate(self.relations) if name in wanted]

    def edges_between(self, a: int, b: int) -> list[int]:
        """The edges from ``a`` to ``b``, what is said by name before mere mentions."""
        import numpy as np

        begin, end = int(self.out_start[a]), int(self.out_start[a + 1])
        first = begin + int(np.searchsorted(self.target[begin:end], b, "left"))
        last = begin + int(np.searchsorted(self.target[begin:end], b, "right"))
        return sorted(range(first, last), key=lambda edge: (self.relation[edge] == 0, edge))


def _starts(ends: NDArray[np.int32], nodes: int) -> Nodes:
    import numpy as np

    return np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=nodes))]).astype(np.int64)


def snapshot_of(columns: Columns) -> GraphSnapshot:
    """The graph that the columns tell of."""
    import numpy as np

    order = sorted(np.flatnonzero(columns.excluded == 0).tolist(), key=columns.paths.__getitem__)
    nodes = len(order)
    # Ids are numbered in a row, so that a table of them is small and much quicker than a search.
    most = max(int(ids.max(initial=0)) for ids in (columns.ids, columns.source, columns.target))
    table = np.full(most + 1, -1, np.int64)
    table[columns.ids[order]] = np.arange(nodes)

    def in_order(values: Sequence[str]) -> list[str]:
        return [values[place] for place in order]

    titles = in_order(columns.titles)
    renamed = canonical_relations(columns.relations, entities=titles)
    relations = list(dict.fromkeys(["mentions", *(renamed[name] for name in columns.relations)]))
    recode = np.array([relations.index(renamed[name]) for name in columns.relations], np.int64)
    source, target = table[columns.source], table[columns.target]
    real = (source >= 0) & (target >= 0) & (source != target)
    key = (source[real] * nodes + target[real]) * len(relations) + recode[columns.relation[real]]
    edges, first, links = _grouped(key)
    confidence = np.zeros(len(edges), np.float32)
    np.maximum.at(confidence, first, columns.confidence[real])
    pair, relation = np.divmod(edges, len(relations))
    categories = in_order(columns.categories)
    canonical = canonical_categories(categories)
    return GraphSnapshot(
        ids=columns.ids[order],
        paths=in_order(columns.paths),
        titles=titles,
        categories=[canonical[name] for name in categories],
        severities=in_order(columns.severities),
        tags=[columns.tags[place] for place in order],
        relations=relations,
        source=(pair // max(1, nodes)).astype(np.int32),
        target=(pair % max(1, nodes)).astype(np.int32),
        relation=relation.astype(np.uint16),
        confidence=confidence,
        links=links.astype(np.int32),
    )


def _grouped(
    key: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Each key once, in order; of each given one its place among those; and how often each was given."""
    import numpy as np

    found, places, counts = np.unique(key, return_inverse=True, return_counts=True)
    return found, places.reshape(-1), counts
