"""Property blocks of the ordinary kind, read without a YAML parser.

It says exactly what :func:`vaultmem.notes.yaml12.load_mapping` says, or nothing: keys with a plain word, a
number, a quoted text, or a list of such are read; anything else is left to the parser, faults included. That
the two agree is tested over generated blocks and real vaults.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from vaultmem.notes.model import PropertyValue
from vaultmem.notes.yaml12 import KeyPath, LoadedYaml, TextValue, matters, resolve_plain

MAX_LENGTH: Final = 50_000
"""Characters; a longer block is left to the parser and its budgets."""

_UNUSUAL: Final = re.compile(
    "[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Characters that YAML forbids or treats in a way of its own; tabs too."""

_KEY_LINE: Final = re.compile(r"([^\W_][\w-]*+(?: [\w-]++)*+):(?: ++(.*))?\Z")
_ITEM_LINE: Final = re.compile(r"( *+)-(?: ++(.*))?\Z")
_PLAIN_START: Final = re.compile("[\\w./(\x80-\U0010ffff]")
_FLOW_ITEM: Final = re.compile(
    " *+(?:([\\w./(\x80-\U0010ffff][^][{},:#\"'\\n]*+)|\"([^\"\\\\]*+)\" *+|'([^']*+)' *+)(?:,|\\Z)"
)
_LONGEST_KEY: Final = 100


class _Scalar(NamedTuple):
    value: PropertyValue
    quoted: bool


class _Reader:
    """Reads one block; ``sure`` turns false at the first thing left to the parser."""

    __slots__ = ("sure", "texts", "values")

    def __init__(self) -> None:
        self.values: dict[str, PropertyValue] = {}
        self.texts: list[TextValue] = []
        self.sure = True

    def read(self, block: str) -> None:
        offset = 0
        key = ""
        items: list[PropertyValue] | None = None
        indent = -1
        open_list = False
        for line in block.split("\n"):
            start, offset = offset, offset + len(line) + 1
            line = line.rstrip(" \r")
            if not line:
                continue
            if match := _KEY_LINE.match(line):
                key = match[1]
                if key in self.values or len(key) > _LONGEST_KEY:
                    self.sure = False
                    return
                typed = match[2]
                open_list = not typed
                items, indent = None, -1
                self.values[key] = self.value(key, typed, start + match.start(2)) if typed else None
            elif open_list and (match := _ITEM_LINE.match(line)):
                if items is None:
                    self.values[key] = items = []
                    indent = match.end(1)
                if match.end(1) != indent:
                    self.sure = False
                    return
                typed = match[2]
                path = (key, len(items))
                items.append(self.scalar(path, typed, start + match.start(2)) if typed else None)
            else:
                self.sure = False
            if not self.sure:
                return

    def value(self, key: str, typed: str, start: int) -> PropertyValue:
        if typed[0] == "[":
            return self.flow_list(key, typed, start)
        return self.scalar((key,), typed, start)

    def scalar(self, path: KeyPath, typed: str, start: int) -> PropertyValue:
        first = typed[0]
        if first in "\"'":
            inner = typed[1:-1]
            if (
                len(typed) < 2
                or typed[-1] != first
                or first in inner
                or (first == '"' and "\\" in inner)
            ):
                self.sure = False
            return self.text(path, inner, start, start + len(typed), True)
        if not _PLAIN_START.match(typed) or ": " in typed or " #" in typed or typed[-1] == ":":
            self.sure = False
            return None
        return self.plain(path, typed, start)

    def plain(self, path: KeyPath, typed: str, start: int) -> PropertyValue:
        value = resolve_plain(typed)
        if isinstance(value, str):
            return self.text(path, value, start, start + len(typed), False)
        return value

    def text(self, path: KeyPath, value: str, start: int, end: int, quoted: bool) -> str:
        if matters(path, value, quoted):
            self.texts.append(TextValue(path, value, start, end, quoted))
        return value

    def flow_list(self, key: str, typed: str, start: int) -> PropertyValue:
        items: list[PropertyValue] = []
        end = len(typed) - 1
        if typed[-1] != "]":
            self.sure = False
            return items
        at = 1
        while at < end:
            match = _FLOW_ITEM.match(typed, at, end)
            if match is None:
                self.sure = not items and not typed[at:end].strip(" ")
                return items
            path = (key, len(items))
            group = match.lastindex or 1
            item, item_start = match[group], match.start(group) + start
            if group == 1:
                items.append(self.plain(path, item.rstrip(" "), item_start))
            else:
                items.append(
                    self.text(path, item, item_start - 1, item_start + len(item) + 1, True)
                )
            at = match.end()
        if typed[end - 1] == ",":
            self.sure = False
        return items


def load_simple(block: str) -> LoadedYaml | None:
    """What :func:`load_mapping` returns for the block, or None when it must be asked."""
    lines = block.replace("\r\n", "\n") if "\r" in block else block
    if len(block) > MAX_LENGTH or _UNUSUAL.search(lines):
        return None
    reader = _Reader()
    reader.read(block)
    return LoadedYaml(reader.values, tuple(reader.texts)) if reader.sure else None
