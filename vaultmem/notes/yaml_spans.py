"""Where the values of a property block stand, so that one of them can be spliced (E-02).

Only places are told here; what the values are says :mod:`vaultmem.notes.yaml12`, with which these places
are walked side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from vaultmem.notes.textedit import line_end, line_start, next_line

if TYPE_CHECKING:
    from yaml.events import Event


class NodeKind(Enum):
    """What stands there."""

    SCALAR = 0
    LIST = 1
    MAP = 2
    ALIAS = 3


@dataclass(slots=True)
class Node:
    """A value and its place in the whole note. Block lists and maps end with their last child."""

    kind: NodeKind
    start: int
    """Of the value, its anchor and tag included."""
    end: int
    flow: bool = False
    """A list in ``[]`` or a map in ``{}``."""
    style: str = ""
    """Of a scalar: ``'``, ``"``, ``|``, ``>``, or nothing for a plain one."""
    children: list[Node] = field(default_factory=list)
    """The items of a list; key, value, key, value … of a map."""

    @property
    def is_block_scalar(self) -> bool:
        """Whether it is text below a ``|`` or ``>``."""
        return self.style in ("|", ">")

    @property
    def is_block_collection(self) -> bool:
        """Whether it is a list or map with a line for each entry."""
        return self.kind in (NodeKind.LIST, NodeKind.MAP) and not self.flow

    def entries(self) -> Iterator[tuple[Node, Node]]:
        """Key and value of each entry of a map."""
        return zip(self.children[::2], self.children[1::2], strict=True)


def node_tree(text: str, start: int, end: int) -> Node | None:
    """The value of the YAML in ``text[start:end]``, its places counted in the whole text.

    None when there is no value: only blanks and comments. The YAML must have been read without a fault.
    """
    root: Node | None = None
    open_nodes: list[Node] = []
    for event in _events(text[start:end]):
        name = type(event).__name__
        if name in ("SequenceEndEvent", "MappingEndEvent"):
            closed = open_nodes.pop()
            closed.end = _index(event.end_mark) + start if closed.flow else _block_end(closed)
            continue
        node = _node(name, event, text, start)
        if node is None:
            continue
        if open_nodes:
            open_nodes[-1].children.append(node)
        else:
            root = node
        if node.kind in (NodeKind.LIST, NodeKind.MAP):
            open_nodes.append(node)
    return root


_KINDS: Final = {
    "ScalarEvent": NodeKind.SCALAR,
    "SequenceStartEvent": NodeKind.LIST,
    "MappingStartEvent": NodeKind.MAP,
    "AliasEvent": NodeKind.ALIAS,
}


def _node(name: str, event: Any, text: str, shift: int) -> Node | None:
    kind = _KINDS.get(name)
    if kind is None:
        return None
    start, end = _index(event.start_mark) + shift, _index(event.end_mark) + shift
    if kind is not NodeKind.SCALAR:
        return Node(kind, start, end, flow=bool(getattr(event, "flow_style", False)))
    node = Node(kind, start, end, style=event.style or "")
    if node.is_block_scalar:
        node.end = _block_scalar_end(text, node)
    return node


def _index(mark: Any) -> int:
    """The offset of a mark; the stubs allow events without any, which the parser never makes."""
    return int(mark.index)


def _block_end(node: Node) -> int:
    return node.children[-1].end if node.children else node.start


# --- block scalars ---

_HEADER: Final = re.compile(r"(?:[&!]\S*[ \t]+)*[|>]([0-9]?[+-]?[0-9]?)")


def header_end(text: str, node: Node) -> int:
    """Past the ``|-`` of a block scalar, before a comment on its line."""
    header = _HEADER.match(text, node.start)
    return header.end() if header else line_end(text, node.start)


def content_start(text: str, node: Node) -> int:
    """Where the lines of a block scalar start."""
    return next_line(text, node.start)


def _block_scalar_end(text: str, node: Node) -> int:
    """Past the last line that is of the value, its line break included.

    Blank lines after the text are not of it, unless ``+`` keeps them or they hold more blanks than the
    text's indent.
    """
    first = content_start(text, node)
    if first > node.end:
        return first
    header = _HEADER.match(text, node.start)
    if header and "+" in header[1]:
        return node.end
    indent = block_scalar_indent(text, node)
    end = node.end
    while end > first:
        start = line_start(text, end - 1)
        if text.startswith("\r\n", end - 2) and start == end - 1:
            start = line_start(text, end - 2)
        line = text[start:end].rstrip("\r\n")
        if line.strip(" ") or len(line) > indent:
            break
        end = start
    return end


def block_scalar_indent(text: str, node: Node) -> int:
    """The blanks before the first line of a block scalar that has text; 0 when none has."""
    at, end = content_start(text, node), node.end
    while at < end:
        line = text[at : line_end(text, at)]
        if line.strip(" "):
            return len(line) - len(line.lstrip(" "))
        at = next_line(text, at)
    return 0


# --- what PyYAML says ---

_FOREIGN_BREAKS: Final = "\x85\u2028\u2029"
"""Line breaks to PyYAML, ordinary characters in YAML 1.2."""


def _events(block: str) -> Iterator[Event]:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    # A letter in place of each keeps the offsets; what the values are does not matter here.
    plain = block.translate(dict.fromkeys(map(ord, _FOREIGN_BREAKS), "x"))
    yield from yaml.parse(plain, Loader=loader)
