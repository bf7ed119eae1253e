"""The graph in forms that other programs read: GraphML, JSON Canvas, node-link JSON, and networkx's own."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from vaultmem.errors import UsageError
from vaultmem.graph.snapshot import GraphSnapshot

if TYPE_CHECKING:
    import networkx

__all__ = ["FORMATS", "exported", "to_networkx"]

_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document can hold."""

WIDTH: Final = 260
HEIGHT: Final = 60
GAP: Final = 40
"""Of the cards on a canvas, in its units."""


def to_networkx(
    graph: GraphSnapshot, nodes: Sequence[int], communities: Mapping[int, str]
) -> networkx.MultiDiGraph:
    """Those notes and every edge between two of them, under their paths; attributes are what answers call so."""
    import networkx

    found = networkx.MultiDiGraph()
    for node in nodes:
        found.add_node(
            graph.paths[node],
            title=graph.titles[node],
            category=graph.categories[node],
            tags=", ".join(graph.tags[node]),
            severity=graph.severities[node],
            community=communities.get(node, ""),
        )
    for edge in _edges(graph, nodes):
        found.add_edge(
            graph.paths[int(graph.source[edge])],
            graph.paths[int(graph.target[edge])],
            relation=graph.relations[int(graph.relation[edge])],
            confidence=round(float(graph.confidence[edge]), 4),
            links=int(graph.links[edge]),
        )
    return found


def exported(
    form: str, graph: GraphSnapshot, nodes: Sequence[int], communities: Mapping[int, str]
) -> str:
    """Those notes and the edges between them as a text in one of ``FORMATS``. Raises UsageError for another one."""
    make = FORMATS.get(form.strip().lower())
    if make is None:
        raise UsageError(f"There is no format {form!r}.", hint=f"Formats: {', '.join(FORMATS)}.")
    return make(graph, nodes, communities)


def _edges(graph: GraphSnapshot, nodes: Sequence[int]) -> list[int]:
    import numpy as np

    inside = np.zeros(len(graph), np.bool_)
    inside[list(nodes)] = True
    found: list[int] = np.flatnonzero(inside[graph.source] & inside[graph.target]).tolist()
    return found


def _graphml(graph: GraphSnapshot, nodes: Sequence[int], communities: Mapping[int, str]) -> str:
    import networkx

    found = to_networkx(graph, nodes, communities)
    clean = networkx.MultiDiGraph()
    for path, values in found.nodes(data=True):
        clean.add_node(_xml(path), **{key: _xml(value) for key, value in values.items()})
    for source, target, values in found.edges(data=True):
        clean.add_edge(_xml(source), _xml(target), **values)
    return "\n".join(networkx.generate_graphml(clean)) + "\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _node_link(graph: GraphSnapshot, nodes: Sequence[int], communities: Mapping[int, str]) -> str:
    import networkx

    data = networkx.node_link_data(to_networkx(graph, nodes, communities), edges="edges")
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _canvas(graph: GraphSnapshot, nodes: Sequence[int], communities: Mapping[int, str]) -> str:
    """A canvas with a card for each note, those of a community in one frame, and an arrow for each linked pair."""
    groups: dict[str, list[int]] = {}
    for node in nodes:
        groups.setdefault(communities.get(node, ""), []).append(node)
    cards: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    left = 0
    for number, name in enumerate(sorted(groups, key=lambda each: (-len(groups[each]), each))):
        members = groups[name]
        columns = math.ceil(math.sqrt(len(members)))
        for at, node in enumerate(members):
            x = left + GAP + (at % columns) * (WIDTH + GAP)
            y = GAP + (at // columns) * (HEIGHT + GAP)
            cards.append(_box(f"n{node}", x, y, WIDTH, HEIGHT, type="file", file=graph.paths[node]))
        wide = GAP + columns * (WIDTH + GAP)
        high = GAP + math.ceil(len(members) / columns) * (HEIGHT + GAP)
        if name:
            frames.append(_box(f"g{number}", left, 0, wide, high, type="group", label=name))
        left += wide + 2 * GAP
    pairs: dict[tuple[int, int], list[str]] = {}
    for edge in _edges(graph, nodes):
        relation = graph.relations[int(graph.relation[edge])]
        pairs.setdefault((int(graph.source[edge]), int(graph.target[edge])), []).append(relation)
    arrows = []
    for (source, target), relations in pairs.items():
        named = [relation for relation in relations if relation != "mentions"]
        arrow = {"id": f"e{source}-{target}", "fromNode": f"n{source}", "toNode": f"n{target}"}
        arrows.append({**arrow, "label": ", ".join(named)} if named else arrow)
    data = {"nodes": [*frames, *cards], "edges": arrows}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _box(name: str, x: int, y: int, width: int, height: int, **more: str) -> dict[str, Any]:
    return {"id": name, **more, "x": x, "y": y, "width": width, "height": height}


FORMATS: Final[Mapping[str, Callable[[GraphSnapshot, Sequence[int], Mapping[int, str]], str]]] = {
    "graphml": _graphml,
    "canvas": _canvas,
    "json": _node_link,
}
"""Name → what makes it."""
