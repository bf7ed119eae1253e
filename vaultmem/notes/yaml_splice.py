"""One value of a property block changed by splices that touch its own lines only (E-02, E-03, E-11).

The old value is walked side by side with the new one: an item or entry that stays keeps its line, its
comment and its quotes. Whoever calls must read the result and compare: these functions place text, and know
less of YAML than a parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from vaultmem.notes import yaml_render
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.textedit import TextEdit, line_end, line_start, next_line
from vaultmem.notes.yaml_spans import (
    Node,
    NodeKind,
    block_scalar_indent,
    content_start,
    header_end,
)


class CannotSplice(Exception):  # noqa: N818 - a way to say that a coarser edit must be tried
    """The value is written in a way that these splices do not handle."""


def same_value(one: PropertyValue, other: PropertyValue) -> bool:
    """Whether two values are equal: true is not 1, and the order of a map's keys does not matter."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value hangs: behind ``key:`` or ``-``."""

    after: int
    """Past the colon or dash."""
    indent: str
    """Blanks before the key or dash."""


@dataclass(slots=True)
class Splicer:
    """Collects the edits that change values of a note's property block."""

    text: str
    ending: str
    """Line break of new lines (E-05)."""
    edits: list[TextEdit] = field(default_factory=list)
    _dashes: dict[int, list[int]] = field(default_factory=dict)
    """By the identity of the list's node."""

    # --- entries of the block ---

    def slot_of(self, key: Node) -> Slot:
        """Where the value of a key hangs. Raises CannotSplice for a key that is not ``key:`` on one line."""
        colon = _COLON.match(self.text, key.end)
        if colon is None:
            raise CannotSplice
        return Slot(colon.end(), self.indent_of(key.start))

    def indent_of(self, at: int) -> str:
        """As many blanks as stand, or would, before the offset on its line."""
        return " " * (at - line_start(self.text, at))

    def remove_entry(self, key: Node, value: Node) -> None:
        """Remove the lines of an entry and no other (E-09)."""
        self._delete(self._line_of(key.start), self.past_lines(value))

    def past_lines(self, node: Node) -> int:
        """Where the line after the node's last one starts."""
        last = node
        while last.is_block_collection and last.children:
            last = last.children[-1]
        # A block scalar's end is there already.
        return last.end if last.is_block_scalar else next_line(self.text, last.end)

    def insert_lines(self, at: int, lines: Iterable[str]) -> None:
        """Put lines before the line that starts at the offset."""
        self._put(at, at, self._joined(lines))

    # --- a value ---

    def change(self, node: Node, old: PropertyValue, new: PropertyValue, slot: Slot) -> None:
        """Make the value the new one, item by item and entry by entry where both are alike."""
        if same_value(old, new):
            return
        if isinstance(old, list) and isinstance(new, list) and old and new and _is_list(node):
            self._change_list(node, old, new)
        elif isinstance(old, dict) and isinstance(new, dict) and new and node.kind is NodeKind.MAP:
            self._change_map(node, old, new)
        else:
            self.replace(node, new, slot)

    def replace(self, node: Node, new: PropertyValue, slot: Slot) -> None:
        """Put the new value in the place of the old one as a whole."""
        if node.flow and isinstance(new, list | dict):
            self._put(node.start, node.end, yaml_render.flow(new))
        elif node.is_block_scalar:
            self._replace_block_scalar(node, new, slot)
        elif node.is_block_collection:
            self._replace_block_collection(node, new, slot)
        elif yaml_render.is_inline(new):
            self._replace_inline(node, yaml_render.scalar(new, quote=_quote(node)), slot)
        else:
            self._inline_to_block(node, new, slot)

    def _replace_inline(self, node: Node, inline: str, slot: Slot) -> None:
        if node.start == node.end:
            self._write_after(slot, inline)
        elif inline:
            self._put(node.start, node.end, inline)
        elif node.start < next_line(self.text, slot.after):
            self._put(slot.after, self._past_blanks(node.end), "")
        else:
            self._delete_own_lines(node)

    def _write_after(self, slot: Slot, inline: str) -> None:
        """Put text behind a key that has none, in place of blanks at the end of its line."""
        lead = " " + inline if inline else ""
        self._put(slot.after, self._past_blanks(slot.after), lead)

    def _inline_to_block(self, node: Node, new: PropertyValue, slot: Slot) -> None:
        lines = yaml_render.block_lines(new, slot.indent + yaml_render.INDENT)
        if node.start == node.end:
            self._put(slot.after, self._past_blanks(slot.after), "")
            self.insert_lines(next_line(self.text, slot.after), lines)
        elif node.start < next_line(self.text, slot.after):
            self._put(slot.after, self._past_blanks(node.end), "")
            self.insert_lines(next_line(self.text, node.end), lines)
        else:
            self._put(
                self._line_of(node.start), next_line(self.text, node.end), self._joined(lines)
            )

    def _replace_block_scalar(self, node: Node, new: PropertyValue, slot: Slot) -> None:
        header, content = header_end(self.text, node), content_start(self.text, node)
        indent = " " * block_scalar_indent(self.text, node) or slot.indent + yaml_render.INDENT
        literal = None
        if isinstance(new, str) and "\n" in new:
            literal = yaml_render.literal_lines(new, indent)
        if literal is not None:
            self._put(node.start, header, literal[0])
            self._put(content, node.end, self._joined(literal[1]))
        elif yaml_render.is_inline(new):
            inline = yaml_render.scalar(new)
            self._put(slot.after, header, " " + inline if inline else "")
            self._put(content, node.end, "")
        else:
            lines = yaml_render.block_lines(new, slot.indent + yaml_render.INDENT)
            self._put(slot.after, header, "")
            self._put(content, node.end, self._joined(lines))

    def _replace_block_collection(self, node: Node, new: PropertyValue, slot: Slot) -> None:
        first = self.dashes(node)[0] if node.kind is NodeKind.LIST else node.children[0].start
        lines_start = self._line_of(first)
        if lines_start <= slot.after:
            raise CannotSplice
        if properties := _NODE_PROPERTIES.match(self.text, slot.after):
            self._put(slot.after, properties.end(), "")
        if yaml_render.is_inline(new):
            at = properties.end() if properties else slot.after
            inline = yaml_render.scalar(new)
            self._put(at, self._past_blanks(at), " " + inline if inline else "")
            lines: list[str] = []
        else:
            indent = slot.indent + yaml_render.INDENT
            if node.kind is NodeKind.LIST and isinstance(new, list):
                indent = self.indent_of(first)
            lines = list(yaml_render.block_lines(new, indent))
        self._put(lines_start, self.past_lines(node), self._joined(lines))

    # --- maps ---

    def _change_map(
        self, node: Node, old: dict[str, PropertyValue], new: dict[str, PropertyValue]
    ) -> None:
        entries = list(node.entries())
        added = {key: value for key, value in new.items() if key not in old}
        removed = [key for key in old if key not in new]
        if node.flow and (removed or (added and not entries)):
            raise CannotSplice
        for (key_node, value_node), (key, value) in zip(entries, old.items(), strict=True):
            if key not in new:
                self.remove_entry(key_node, value_node)
            elif node.flow:
                self._change_in_flow(value_node, value, new[key])
            else:
                self.change(value_node, value, new[key], self.slot_of(key_node))
        if not added:
            return
        if node.flow:
            texts = [yaml_render.flow_entry(key, value) for key, value in added.items()]
            self._put(entries[-1][1].end, entries[-1][1].end, "".join(f", {t}" for t in texts))
            return
        indent = self.indent_of(entries[0][0].start)
        lines = [line for item in added.items() for line in yaml_render.entry_lines(*item, indent)]
        self.insert_lines(self.past_lines(node), lines)

    def _change_in_flow(self, node: Node, old: PropertyValue, new: PropertyValue) -> None:
        if same_value(old, new):
            return
        if node.start == node.end or node.is_block_collection:
            raise CannotSplice
        if isinstance(old, list) and isinstance(new, list) and old and new and _is_list(node):
            self._change_list(node, old, new)
        else:
            self._put(node.start, node.end, yaml_render.flow(new, quote=_quote(node)))

    # --- lists ---

    def _change_list(self, node: Node, old: list[PropertyValue], new: list[PropertyValue]) -> None:
        if len(node.children) != len(old):
            raise CannotSplice
        change = self._change_flow_items if node.flow else self._change_block_items
        matcher = SequenceMatcher(None, _keys(old), _keys(new), autojunk=False)
        for _, old_from, old_to, new_from, new_to in matcher.get_opcodes():
            pairs = min(old_to - old_from, new_to - new_from)
            for step in range(pairs):
                self._change_item(node, old_from + step, old, new[new_from + step])
            change(node, old_from + pairs, old_to, new[new_from + pairs : new_to])

    def _change_item(
        self, node: Node, number: int, old: list[PropertyValue], new: PropertyValue
    ) -> None:
        item = node.children[number]
        if same_value(old[number], new):
            return
        if node.flow:
            self._change_in_flow(item, old[number], new)
            return
        dash = self.dashes(node)[number]
        slot = Slot(dash + 1, self.indent_of(dash))
        if yaml_render.is_inline(new) and not item.is_block_collection and not item.is_block_scalar:
            self._replace_inline(item, yaml_render.scalar(new, quote=_quote(item)), slot)
        else:
            lines = yaml_render.item_lines(new, self._lead(node, number))
            self._put(self._line_of(dash), self.past_lines(item), self._joined(lines))

    def _change_block_items(
        self, node: Node, start: int, stop: int, new: Sequence[PropertyValue]
    ) -> None:
        """Remove the items from start to stop, and put new ones before the place of ``stop``."""
        dashes = self.dashes(node)
        for number in range(start, stop):
            self._delete(self._line_of(dashes[number]), self.past_lines(node.children[number]))
        if new:
            lead = self._lead(node, max(stop - 1, 0))
            first = self._line_of(dashes[0])
            at = self.past_lines(node.children[stop - 1]) if stop else first
            lines = [line for item in new for line in yaml_render.item_lines(item, lead)]
            self.insert_lines(at, lines)

    def dashes(self, node: Node) -> list[int]:
        """Where the dash of each item of a block list stands."""
        if id(node) not in self._dashes:
            self._dashes[id(node)] = self._find_dashes(node)
        return self._dashes[id(node)]

    def _find_dashes(self, node: Node) -> list[int]:
        dashes: list[int] = []
        at = node.start
        for item in node.children:
            if not dashes and self.text.startswith("-", at):
                dash = _DASH.match(self.text, at, item.start)
            else:
                dash = _DASH_LINE.search(self.text, line_start(self.text, at), item.start)
            if dash is None:
                raise CannotSplice
            dashes.append(dash.start(1))
            at = self.past_lines(item)
        return dashes

    def _lead(self, node: Node, number: int) -> str:
        """The blanks, the dash and the blanks after it with which an item begins."""
        dash, item = self.dashes(node)[number], node.children[number]
        gap = self.text[dash + 1 : item.start]
        return f"{self.indent_of(dash)}-{gap if gap and not gap.strip(' ') else ' '}"

    def _change_flow_items(
        self, node: Node, start: int, stop: int, new: Sequence[PropertyValue]
    ) -> None:
        if stop > start:
            self._delete_flow_items(node, start, stop)
        if new:
            self._insert_flow_items(node, stop, [yaml_render.flow(item) for item in new])

    def _delete_flow_items(self, node: Node, start: int, stop: int) -> None:
        items = node.children
        if stop < len(items):
            span = items[start].start, items[stop].start
        elif start:
            span = items[start - 1].end, items[stop - 1].end
        else:
            raise CannotSplice
        if "#" not in self._between(items, max(start - 1, 0), stop):
            self._put(*span, "")
            return
        first, last = line_start(self.text, items[start].start), items[stop - 1].end
        rest = self.text[last : line_end(self.text, last)]
        if self.text[first : items[start].start].strip(" \t") or not _COMMA_COMMENT.fullmatch(rest):
            raise CannotSplice
        self._delete(first, next_line(self.text, last))

    def _insert_flow_items(self, node: Node, at: int, texts: list[str]) -> None:
        items = node.children
        if at == 0:
            separator = self._separator(items, 1)
            self._put(items[0].start, items[0].start, "".join(text + separator for text in texts))
            return
        last = items[at - 1].end
        separator = self._separator(items, at)
        rest = self.text[last : line_end(self.text, last)]
        if "#" in rest and _COMMA_COMMENT.fullmatch(rest) and self._starts_line(items[at - 1]):
            # The comment belongs to the item before: the new ones get lines of their own.
            comma = rest.lstrip(" \t").startswith(",")
            if not comma:
                self._put(last, last, ",")
            indent = self.indent_of(items[at - 1].start)
            lines = [f"{indent}{text}," for text in texts]
            if not comma and at == len(items):
                lines[-1] = lines[-1][:-1]
            self.insert_lines(next_line(self.text, last), lines)
            return
        self._put(last, last, "".join(separator + text for text in texts))

    def _separator(self, items: Sequence[Node], at: int) -> str:
        """What stands between the items before ``at``, else what would."""
        if at >= 2:
            typed = self.text[items[at - 2].end : items[at - 1].start]
            if re.fullmatch(r"[ \t]*,\s*", typed):
                return typed
        if self._starts_line(items[at - 1]):
            return f",{self.ending}{self.indent_of(items[at - 1].start)}"
        return ", "

    def _starts_line(self, node: Node) -> bool:
        return not self.text[line_start(self.text, node.start) : node.start].strip(" \t")

    def _between(self, items: Sequence[Node], start: int, stop: int) -> str:
        """What is no item from the item ``start`` to the end of the line after the last before ``stop``."""
        end = line_end(self.text, items[stop - 1].end)
        bounds = [item for node in items[start:stop] for item in (node.start, node.end)]
        gaps = zip(bounds[1::2], [*bounds[2::2], end], strict=True)
        return "".join(self.text[first:last] for first, last in gaps)

    # --- text ---

    def _line_of(self, at: int) -> int:
        """The start of the line on which something stands first. Raises CannotSplice if it does not."""
        start = line_start(self.text, at)
        if self.text[start:at].strip(" "):
            raise CannotSplice
        return start

    def _past_blanks(self, at: int) -> int:
        """The end of the line when only blanks follow, else the offset itself."""
        end = line_end(self.text, at)
        return at if self.text[at:end].strip(" \t") else end

    def _delete_own_lines(self, node: Node) -> None:
        if self._past_blanks(node.end) == node.end < line_end(self.text, node.end):
            self._put(node.start, node.end, "")  # a comment stands behind it
        else:
            self._delete(self._line_of(node.start), next_line(self.text, node.end))

    def _joined(self, lines: Iterable[str]) -> str:
        return "".join(line + self.ending for line in lines)

    def _delete(self, start: int, end: int) -> None:
        self._put(start, end, "")

    def _put(self, start: int, end: int, replacement: str) -> None:
        if self.text[start:end] != replacement:
            self.edits.append(TextEdit(start, end, replacement))


_COLON: Final = re.compile(r"[ \t]*:")
_DASH: Final = re.compile(r"(-)")
_DASH_LINE: Final = re.compile(r"(?<=[\r\n])[ ]*(-)(?=\s|\Z)")
_COMMA_COMMENT: Final = re.compile(r"[ \t]*,?[ \t]*(?:#.*)?")
_NODE_PROPERTIES: Final = re.compile(r"(?:[ \t]+[&!]\S*)+")


def _is_list(node: Node) -> bool:
    return node.kind is NodeKind.LIST


def _quote(node: Node) -> str:
    return node.style if node.style in ("'", '"') else ""


def _keys(items: Iterable[PropertyValue]) -> list[str]:
    """Each item as a text that is equal only for equal items."""
    return [json.dumps(item, sort_keys=True) for item in items]
