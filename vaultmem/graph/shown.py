"""Nodes and edges of a snapshot as the values of answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vaultmem.graph.answers import (
    GraphEdge,
    GraphNote,
    Neighbor,
    PathStep,
    Superseded,
)
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.graph.walk import Direction, Reached, Step, Walk

__all__ = [
    "current_path",
    "edge_view",
    "edges_among",
    "neighbor_views",
    "note_view",
    "step_views",
    "superseded_among",
]


def note_view(graph: GraphSnapshot, node: int) -> GraphNote:
    """The note of the node."""
    current = graph.current(node)
    return GraphNote(
        path=graph.paths[node],
        title=graph.titles[node],
        category=graph.categories[node],
        tags=tuple(graph.tags[node]),
        severity=graph.severities[node],
        current=graph.paths[current] if current != node else "",
    )


def current_path(graph: GraphSnapshot, path: str) -> str:
    """The note that stands for the one at that path; "" when none does, and for what is no note of the graph."""
    node = graph.node_at.get(path)
    current = graph.current(node) if node is not None else node
    return graph.paths[current] if current is not None and current != node else ""


def edge_view(graph: GraphSnapshot, edge: int) -> GraphEdge:
    """The edge of that number."""
    return GraphEdge(
        source=graph.paths[int(graph.source[edge])],
        target=graph.paths[int(graph.target[edge])],
        relation=graph.relations[int(graph.relation[edge])],
        confidence=round(float(graph.confidence[edge]), 4),
        links=int(graph.links[edge]),
    )


def step_views(graph: GraphSnapshot, steps: Iterable[Step]) -> tuple[PathStep, ...]:
    """The steps of a path."""
    return tuple(
        PathStep(note_view(graph, step.node), edge_view(graph, step.edge), step.forward)
        for step in steps
    )


def neighbor_views(
    graph: GraphSnapshot, reached: Sequence[Reached], walk: Walk
) -> tuple[Neighbor, ...]:
    """What was reached, and at the end each note that stands for one of these and was not reached itself."""
    views = [
        Neighbor(
            note_view(graph, each.node),
            each.distance,
            graph.paths[each.before],
            _links(graph, each.before, each.node, walk),
        )
        for each in reached
        if each.distance
    ]
    shown = {each.node for each in reached}
    for each in reached:
        current = graph.current(each.node)
        if current not in shown:
            shown.add(current)
            views.append(Neighbor(note_view(graph, current), 0, graph.paths[each.node], ()))
    return tuple(views)


def _links(graph: GraphSnapshot, a: int, b: int, walk: Walk) -> tuple[GraphEdge, ...]:
    edges: list[int] = []
    if walk.direction != Direction.IN:
        edges += graph.edges_between(a, b)
    if walk.direction != Direction.OUT:
        edges += graph.edges_between(b, a)
    if walk.relations is not None:
        edges = [edge for edge in edges if int(graph.relation[edge]) in walk.relations]
    edges.sort(key=lambda edge: graph.relation[edge] == 0)
    return tuple(edge_view(graph, edge) for edge in edges)


def edges_among(graph: GraphSnapshot, nodes: Sequence[int]) -> tuple[GraphEdge, ...]:
    """Every edge between two of the nodes."""
    import numpy as np

    inside = np.zeros(len(graph), np.bool_)
    inside[list(nodes)] = True
    edges: list[int] = []
    for node in sorted(set(nodes)):
        begin, end = int(graph.out_start[node]), int(graph.out_start[node + 1])
        edges += (begin + np.flatnonzero(inside[graph.target[begin:end]])).tolist()
    return tuple(edge_view(graph, edge) for edge in edges)


def superseded_among(graph: GraphSnapshot, nodes: Iterable[int]) -> tuple[Superseded, ...]:
    """Those of the nodes that others stand for, each once."""
    found = []
    for node in dict.fromkeys(nodes):
        succession = graph.succession(node)
        if succession is not None:
            current = succession.current
            found.append(
                Superseded(
                    path=graph.paths[node],
                    current=graph.paths[current] if current is not None else "",
                    chain=tuple(graph.paths[each] for each in succession.chain),
                    ring=succession.ring,
                )
            )
    return tuple(found)
