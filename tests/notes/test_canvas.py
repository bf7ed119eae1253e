"""Canvases as sources of links (F-04, F-05)."""

import json

import pytest

from vaultmem.notes.canvas import read_canvas
from vaultmem.notes.model import CanvasContent, Link, LinkKind, WarningCode


def canvas(*nodes: object, **more: object) -> str:
    return json.dumps({"nodes": nodes, "edges": [], **more})


def file_link(target: str, key: str | None, subpath: str = "") -> Link:
    return Link(LinkKind.CANVAS, False, target, subpath, None, 0, 0, 0, 0, 0, key=key)


def test_file_cards_and_group_backgrounds_are_links() -> None:
    text = canvas(
        {"id": "1", "type": "file", "file": "Reef.md", "subpath": "#Coral"},
        {"id": "2", "type": "group", "label": "x", "background": "img/p.png"},
        {"id": "3", "type": "link", "url": "https://host/"},
        {"type": "file", "file": "a/b.md"},
    )
    links = (
        file_link("Reef.md", "1", "#Coral"),
        file_link("img/p.png", "2"),
        file_link("a/b.md", None),
    )
    assert read_canvas(text) == CanvasContent(links)


def test_text_cards_are_read_like_notes() -> None:
    card = "see [[Reef|r]] and `[[Sand]]` #tide\n[m](Wave.md)"
    content = read_canvas(canvas({"id": "n1", "type": "text", "text": card}))
    assert [(link.kind, link.target, link.display, link.key) for link in content.links] == [
        (LinkKind.WIKILINK, "Reef", "r", "n1"),
        (LinkKind.MARKDOWN, "Wave.md", "m", "n1"),
    ]
    assert [card[link.start : link.end] for link in content.links] == [
        "[[Reef|r]]",
        "[m](Wave.md)",
    ]


def test_only_its_own_fields_make_a_node_a_link() -> None:
    text = canvas(
        {"id": "1", "type": "text", "text": "x", "file": "Reef.md", "background": "p.png"},
        {"id": "2", "type": "file", "file": "a.md", "background": "p.png", "text": "[[b]]"},
        {"id": "3", "type": "file", "file": 7, "subpath": "no mark"},
        {"id": "4", "type": "group"},
        {"id": 5, "type": "file", "file": "c.md", "subpath": "no mark"},
        "no node",
        None,
    )
    assert read_canvas(text) == CanvasContent((file_link("a.md", "2"), file_link("c.md", None)))


@pytest.mark.parametrize("text", ["", " \n", "{}", '{"nodes":[],"edges":[]}', "\ufeff{}"])
def test_an_empty_canvas_is_fine(text: str) -> None:
    assert read_canvas(text) == CanvasContent(())


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "7",
        "not json",
        '{"nodes": 3}',
        "[" * 100_000,
        '{"nodes":[]',
        '{"x": 1' + "0" * 5000,
    ],
)
def test_a_canvas_that_does_not_parse_gives_a_warning(text: str) -> None:
    content = read_canvas(text)
    assert content.links == ()
    assert [warning.code for warning in content.warnings] == [WarningCode.INVALID_CANVAS]
