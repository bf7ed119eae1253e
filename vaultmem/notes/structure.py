"""The block structure of a note: where text that is read stands, and where text that is not.

`markdown-it-py` decides it, with a rule for ``$$`` math added. This is the reference; ordinary notes are
read by :mod:`vaultmem.notes.fast_structure`, which must say exactly the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from vaultmem.notes.model import Heading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

MAX_NESTING: Final = 60
"""Quotes inside each other (twice the lists) that are read; what is nested deeper is passed over."""


class RegionKind(IntEnum):
    """What kind of block an inline region is the text of."""

    TEXT = 0
    HEADING = 1
    CELL = 2


class Region(NamedTuple):
    """A run of text in which links, tags and the like are read: one paragraph, heading or table cell."""

    start: int
    """Past the block's own marks (``#``, ``-``, ``>``)."""
    end: int
    """Without blanks at the end, and without the closing ``#`` marks of a heading."""
    line: int
    kind: RegionKind = RegionKind.TEXT
    quotes: int = 0
    """How many quotes it stands in; its further lines start with up to as many ``>``."""
    item: bool = False
    """Whether it is the first thing in a list item."""


class Structure(NamedTuple):
    """What the blocks of a body are. Offsets and lines are those of the whole note."""

    regions: list[Region]
    hidden: list[tuple[int, int]]
    """Fences with their fence lines, indented code, HTML blocks, math blocks; blank ends cut off."""
    headings: list[Heading]


def flatten(text: str) -> str:
    r"""The text with ``\n`` as its only line break, of the same length: ``\r\n`` becomes blank + ``\n``.

    A blank at a line's end means nothing to block structure, so offsets stay right without a table.
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


def read_structure(flat: str, body_start: int) -> Structure:
    """The blocks of the body of a flattened note, as the reference reads them (L-15, L-17, L-21 to L-23)."""
    from markdown_it.rules_block import StateBlock

    parser = _parser()
    out = _Collector(flat, body_start, flat.count("\n", 0, body_start))
    state = StateBlock(flat[body_start:], parser, {"out": out}, [])
    parser.block.tokenize(state, 0, state.lineMax)
    return Structure(out.regions, out.hidden, out.headings)


# --- shared with the fast reader ---

_ATX: Final = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_ATX_CLOSING: Final = re.compile(r"(?:^|[ \t])#+$")


def heading_bounds(flat: str, start: int, end: int) -> tuple[int, int, int]:
    """Level, start and end of the text of a ``#`` heading that starts at ``start``."""
    opening = _ATX.match(flat, start, end)
    if opening is None:  # a heading whose marks end the line
        return end - start, end, end
    text_start = opening.end()
    text = flat[text_start:end].rstrip(" \t")
    if text.endswith("#") and (closing := _ATX_CLOSING.search(text)):
        text = text[: closing.start()].rstrip(" \t")
    return len(opening[1]), text_start, text_start + len(text)


def cell_bounds(flat: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the cells of a table row stand that are not blank; ``\\|`` separates nothing (L-13)."""
    cells = []
    at = start
    while at <= end:
        bar = flat.find("|", at, end)
        while bar > at and flat[bar - 1] == "\\":
            bar = flat.find("|", bar + 1, end)
        stop = end if bar < 0 else bar
        cell = flat[at:stop]
        text = cell.strip(" \t")
        if text:
            first = at + cell.index(text)
            cells.append((first, first + len(text)))
        at = stop + 1
    return cells


def hidden_span(flat: str, start: int, end: int) -> tuple[int, int]:
    """The span without the blank lines and blanks at its end."""
    while end > start and flat[end - 1] in " \t\n":
        end -= 1
    return start, end


def setext_text(lines: list[str]) -> str:
    """The heading text of the lines above an underline, on one line."""
    return " ".join(line.strip() for line in lines)


# --- the reference ---

BlockRule: TypeAlias = "Callable[[StateBlock, int, int, bool], bool]"


class _Collector:
    """Takes down each leaf block as its rule has matched."""

    def __init__(self, flat: str, body_start: int, first_line: int) -> None:
        self.flat = flat
        self.body_start = body_start
        self.first_line = first_line
        self.quotes = 0
        self.regions: list[Region] = []
        self.hidden: list[tuple[int, int]] = []
        self.headings: list[Heading] = []

    def region(self, start: int, end: int, line: int, kind: RegionKind, item: bool = False) -> None:
        """Add a region given in offsets and lines of the body."""
        text_end = end
        while text_end > start and self.flat[self.body_start + text_end - 1] in " \t":
            text_end -= 1
        shift = self.body_start
        self.regions.append(
            Region(start + shift, text_end + shift, line + self.first_line, kind, self.quotes, item)
        )

    def text(self, state: StateBlock, first: int, item: bool) -> None:
        line, stop = _lines_of(state, first)
        self.region(_content(state, line), state.eMarks[stop - 1], line, RegionKind.TEXT, item)

    def code(self, state: StateBlock, first: int, _item: bool) -> None:
        line, stop = _lines_of(state, first)
        start, end = _content(state, line), state.eMarks[stop - 1]
        shift = self.body_start
        self.hidden.append(hidden_span(self.flat, start + shift, end + shift))

    def heading(self, state: StateBlock, first: int, _item: bool) -> None:
        line, _ = _lines_of(state, first)
        start, end = _content(state, line), state.eMarks[line]
        shift = self.body_start
        level, text_start, text_end = heading_bounds(self.flat, start + shift, end + shift)
        self.region(text_start - shift, text_end - shift, line, RegionKind.HEADING)
        if state.level == 0:
            self._note_heading(state, level, self.flat[text_start:text_end], line, line + 1)

    def lheading(self, state: StateBlock, first: int, _item: bool) -> None:
        line, stop = _lines_of(state, first)
        start, end = _content(state, line), state.eMarks[stop - 2]
        self.region(start, end, line, RegionKind.HEADING)
        if state.level == 0:
            shift = self.body_start
            lines = self.flat[start + shift : end + shift].split("\n")
            level = 1 if state.tokens[first].markup == "=" else 2
            self._note_heading(state, level, setext_text(lines), line, stop)

    def table(self, state: StateBlock, first: int, _item: bool) -> None:
        line, stop = _lines_of(state, first)
        shift = self.body_start
        for row in range(line, stop):
            if row == line + 1:
                continue
            start, end = _content(state, row), state.eMarks[row]
            for cell_start, cell_end in cell_bounds(self.flat, start + shift, end + shift):
                self.region(cell_start - shift, cell_end - shift, row, RegionKind.CELL)

    def _note_heading(self, state: StateBlock, level: int, text: str, line: int, stop: int) -> None:
        shift = self.body_start
        start = self.flat.rfind("\n", shift, state.eMarks[line] + shift) + 1 or shift
        end = min(state.eMarks[stop - 1] + shift + 1, len(self.flat))
        self.headings.append(Heading(level, text, line + self.first_line, start, end))


def _lines_of(state: StateBlock, first: int) -> tuple[int, int]:
    lines = state.tokens[first].map or [0, 0]
    return lines[0], lines[1]


def _content(state: StateBlock, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


_Take: TypeAlias = "Callable[[_Collector, StateBlock, int, bool], None]"


def _recorded(rule: BlockRule, take: _Take) -> BlockRule:
    """The rule, and what it matched taken down."""

    def run(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        if silent:
            return rule(state, line, end, True)
        first = len(state.tokens)
        item = first > 0 and state.tokens[-1].type == "list_item_open"
        if not rule(state, line, end, False):
            return False
        take(state.env["out"], state, first, item)
        return True

    return run


def _counting_quotes(rule: BlockRule) -> BlockRule:
    def run(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        if silent:
            return rule(state, line, end, True)
        out: _Collector = state.env["out"]
        out.quotes += 1
        matched = rule(state, line, end, False)
        out.quotes -= 1
        return matched

    return run


def _math_block(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """``$$`` at the start of a line up to a line that ends with ``$$``, blank lines included (L-22).

    When text follows the closing marks, or there are none, it is no block (L-43).
    """
    start = _content(state, line)
    if not state.src.startswith("$$", start) or state.is_code_block(line):
        return False
    stop = _math_end(state, line, end)
    if stop is None:
        return False
    if not silent:
        state.line = stop
        token = state.push("math_block", "", 0)
        token.map = [line, stop]
    return True


def _math_end(state: StateBlock, line: int, end: int) -> int | None:
    at = _content(state, line) + 2
    # A line left of its container ends what is open there and belongs to an outer one.
    edge = min(state.blkIndent, state.sCount[line])
    for row in range(line, end):
        if row > line:
            at = _content(state, row)
            if state.sCount[row] < edge and not state.isEmpty(row):
                return None
        row_end = state.eMarks[row]
        closing = state.src.find("$$", at, row_end)
        if closing >= 0:
            rest = state.src[closing + 2 : row_end]
            return None if rest.strip(" \t") else row + 1
    return None


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import (
        blockquote,
        code,
        fence,
        heading,
        html_block,
        lheading,
        paragraph,
        table,
    )
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("zero", {"maxNesting": MAX_NESTING, "html": True})
    parser.use(footnote_plugin)
    parser.enable(["blockquote", "code", "fence", "heading", "lheading", "hr", "html_block"])
    parser.enable(["list", "table"])
    ruler = parser.block.ruler
    interrupting = ["paragraph", "reference", "blockquote", "list"]
    ruler.before(
        "fence", "math_block", _recorded(_math_block, _Collector.code), {"alt": interrupting}
    )
    ruler.at("fence", _recorded(fence, _Collector.code), {"alt": interrupting})
    ruler.at("code", _recorded(code, _Collector.code))
    ruler.at("blockquote", _counting_quotes(blockquote), {"alt": interrupting})
    quotable = ["paragraph", "reference", "blockquote"]
    ruler.at("html_block", _recorded(html_block, _Collector.code), {"alt": quotable})
    ruler.at("heading", _recorded(heading, _Collector.heading), {"alt": quotable})
    ruler.at("table", _recorded(table, _Collector.table), {"alt": ["paragraph", "reference"]})
    ruler.at("lheading", _recorded(lheading, _Collector.lheading))
    ruler.at("paragraph", _recorded(paragraph, _Collector.text))
    return parser
