"""Canvases (JSON Canvas 1.0): what they link to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from vaultmem.notes.model import (
    CanvasContent,
    Link,
    LinkKind,
    NoteWarning,
    WarningCode,
)
from vaultmem.notes.parse import parse_note

_Node: TypeAlias = Mapping[str, object]


def read_canvas(text: str) -> CanvasContent:
    """The links of a canvas, in the order of its nodes (F-04, F-05).

    A file card and a group's background give a link of kind ``canvas``; it names an exact vault path and
    has no place in the text (all offsets 0). A text card is read like a note; its links keep their kind,
    and their offsets and lines count within the card's own text. Every link has its node's id as ``key``.

    An empty file is an empty canvas. One that does not parse has no links and a warning.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return CanvasContent(())
    try:
        canvas = json.loads(text)
    except (ValueError, RecursionError) as fault:
        return _invalid(f"The canvas is not valid JSON: {fault}.")
    if not isinstance(canvas, dict):
        return _invalid("The canvas holds no JSON object.")
    nodes = canvas.get("nodes", [])
    if not isinstance(nodes, list):
        return _invalid("The canvas's nodes are no list.")
    return _content([node for node in nodes if isinstance(node, dict)])


def _content(nodes: list[_Node]) -> CanvasContent:
    links: list[Link] = []
    for node in nodes:
        key = _text(node, "id") or None
        links.extend(_file_links(node, key))
        card = _text(node, "text") if node.get("type") == "text" else ""
        if card:
            links.extend(replace(link, key=key) for link in parse_note(card).links)
    return CanvasContent(tuple(links))


def _file_links(node: _Node, key: str | None) -> Iterator[Link]:
    if node.get("type") == "file" and (path := _text(node, "file")):
        subpath = _text(node, "subpath")
        yield _link(path, subpath if subpath.startswith("#") else "", key)
    if node.get("type") == "group" and (path := _text(node, "background")):
        yield _link(path, "", key)


def _link(path: str, subpath: str, key: str | None) -> Link:
    return Link(
        kind=LinkKind.CANVAS,
        embed=False,
        target=path,
        subpath=subpath,
        display=None,
        start=0,
        end=0,
        dest_start=0,
        dest_end=0,
        line=0,
        key=key,
    )


def _text(node: _Node, name: str) -> str:
    value = node.get(name)
    return value if isinstance(value, str) else ""


def _invalid(message: str) -> CanvasContent:
    return CanvasContent((), (NoteWarning(WarningCode.INVALID_CANVAS, message),))
