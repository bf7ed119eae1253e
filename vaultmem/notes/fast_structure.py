"""The block structure of ordinary notes, read line by line.

It says exactly what the reference (:mod:`vaultmem.notes.structure`) says, or nothing: wherever code, HTML,
indentation or nesting could matter in a way that is not surely handled here, the reader gives up. That the
two agree is tested over generated texts and real vaults.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from vaultmem.notes.model import Heading
from vaultmem.notes.structure import (
    Region,
    RegionKind,
    Structure,
    cell_bounds,
    heading_bounds,
    hidden_span,
    setext_text,
)

MAX_DEPTH: Final = 12
"""Quotes, and lists, inside each other that are read here: together well below the limit of the reference."""


def read(flat: str, body_start: int) -> Structure | None:
    """The blocks of a flattened note's body, or None when the reference must be asked."""
    try:
        return _read(flat, body_start, rough=False)
    except _Unsure:
        return None


def read_roughly(flat: str, body_start: int) -> Structure:
    """The blocks of any body, in linear time: what is not surely handled counts as plain text."""
    return _read(flat, body_start, rough=True)


def _read(flat: str, body_start: int, *, rough: bool) -> Structure:
    structure = Structure([], [], [])
    lines = flat[body_start:].split("\n")
    if not lines[-1].strip(" \t"):
        lines.pop()
    starts = list(accumulate((len(line) + 1 for line in lines), initial=body_start))
    first_line = flat.count("\n", 0, body_start)
    _Reader(flat, lines, starts, first_line, 0, structure, rough).run()
    return structure


class _Unsure(Exception):  # noqa: N818 - not an error: the reader's way to give up
    """The reference must be asked."""


# What further lines of text would belong to. Plain numbers, as they are asked for on every line.
_NOTHING: Final = 0
_PARAGRAPH: Final = 1
_ITEM_TEXT: Final = 2
_FOOTNOTE_TEXT: Final = 3

_TEXT: Final = RegionKind.TEXT


_SPECIAL: Final = frozenset("#>-+*_=0123456789`~<|[$:")
"""First characters that may start a block other than a paragraph."""

_HEADING: Final = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)[ \t]*\Z")
_RULE: Final = re.compile(r"([-*_])[ \t]*+(?:\1[ \t]*+){2,}\Z")
_ITEM: Final = re.compile(r"([-+*]|([0-9]{1,9})[.)])(?:([ \t]+)|\Z)")
_FENCE: Final = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_FOOTNOTE: Final = re.compile(r"\[\^[^ \]]+\]:([ \t]*)")
_TABLE_RULE: Final = re.compile(r"[|:][-:| \t]+\Z|-[-:|][-:| \t]*\Z")
_COLUMN_RULE: Final = re.compile(r":?-+:?\Z")
_HTML_BLOCK: Final = re.compile(
    r"</?(?:address|article|aside|blockquote|body|caption|center|details|dialog|div|dl|dt|dd"
    r"|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol"
    r"|optgroup|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?:[ \t]|/?>|\Z)",
    re.IGNORECASE | re.ASCII,
)
"""Elements whose block ends with a blank line; a selection, the reference knows more."""
_INLINE_HTML: Final = re.compile(
    r"</?(?:a|abbr|audio|b|br|cite|code|del|em|font|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|u"
    r"|video)(?:[ \t]+[a-z-]+(?:=\"[^\"<>]*\")?)*+[ \t]*+/?>\s*+"
)
"""A tag that starts a block only when it stands alone on its line, and then only after a blank line."""
_HARMLESS_ANGLE: Final = re.compile(r"<(?:[^A-Za-z/!?]|[A-Za-z][A-Za-z0-9+.-]*:|\Z)")
_AFTER_QUOTE: Final = (_HEADING, _RULE, _ITEM, _FENCE, _HTML_BLOCK, re.compile("<!--"))
"""What surely ends a quote without a blank line."""
_ODD_BLANK: Final = re.compile(r"[^\S \t]")
_BLANKS: Final = " \t"


class _Reader:
    """Reads the lines of one container: the body, or the inside of a quote."""

    __slots__ = (
        "first_line",
        "flat",
        "item_is_empty",
        "items",
        "lines",
        "opened",
        "opened_at",
        "opened_line",
        "out",
        "quotes",
        "rough",
        "starts",
    )

    def __init__(
        self,
        flat: str,
        lines: list[str],
        starts: list[int],
        first_line: int,
        quotes: int,
        out: Structure,
        rough: bool,
    ) -> None:
        self.flat = flat
        self.lines = lines
        self.starts = starts
        self.first_line = first_line
        self.quotes = quotes
        self.out = out
        self.rough = rough
        self.opened = _NOTHING
        self.opened_at = 0
        """Offset of the open block's text."""
        self.opened_line = 0
        """Its first line, counted in this container."""
        self.items: list[int] = []
        """Column of the content of each open list item, outermost first."""
        self.item_is_empty = False
        """Whether the innermost item has no text yet."""

    def run(self) -> None:
        lines, number, count = self.lines, 0, len(self.lines)
        while number < count:
            line = lines[number]
            head = line.lstrip(_BLANKS)
            if not head:
                if self.item_is_empty:
                    self.blank_after_mark()
                if self.opened:
                    self.close(number)
                number += 1
            elif head[0] not in _SPECIAL:
                # Plain text goes on with what is open, however far it is indented.
                if not self.opened:
                    self.text(number, line, head)
                number += 1
            else:
                number = self.special(number, line, head)
        self.close(count)

    # --- text ---

    def blank_after_mark(self) -> None:
        """What may follow an item that starts with a blank line is a matter for the reference."""
        self.unsure()
        self.item_is_empty = False

    def text(self, number: int, line: str, head: str) -> None:
        """A line of plain text that starts a paragraph."""
        if len(line) != len(head):
            if self.items or _columns(line, len(line) - len(head)) >= 4:
                self.unsure()
            self.no_tab(line, head)
        elif self.item_is_empty:
            self.unsure()
        self.items.clear()
        self.item_is_empty = False
        self.open(_PARAGRAPH, number, self.starts[number] + len(line) - len(head))

    def open(self, what: int, number: int, offset: int) -> None:
        self.opened = what
        self.opened_line = number
        self.opened_at = offset

    def close(self, number: int) -> None:
        """End what is open before the line."""
        opened = self.opened
        if not opened:
            return
        last = number - 1
        end = self.starts[last] + len(self.lines[last].rstrip(_BLANKS))
        end = max(end, self.opened_at)
        line = self.first_line + self.opened_line
        region = Region(self.opened_at, end, line, _TEXT, self.quotes, opened == _ITEM_TEXT)
        self.out.regions.append(region)
        self.opened = _NOTHING

    def unsure(self) -> None:
        if not self.rough:
            raise _Unsure

    def no_tab(self, line: str, head: str) -> None:
        """Inside a quote the width of a tab depends on where the quote stands."""
        if self.quotes and "\t" in line[: len(line) - len(head)]:
            self.unsure()

    # --- lines that may start a block ---

    def special(self, number: int, line: str, head: str) -> int:
        """Read the block that starts at the line, or take the line as text; the next line to read."""
        shift = len(line) - len(head)
        indent = 0
        if shift:
            indent = _columns(line, shift)
            self.no_tab(line, head)
        mark = head[0]
        if mark == "#":
            following = self.heading(number, line, head, indent)
            return following or self.plain(number, line, head)
        if mark in "|:-" and self.is_table_rule(number, head):
            following = self.table(number, indent)
            if following:
                return following
        if mark in "-=" and self.opened and _UNDERLINE.match(head):
            following = self.underline(number, indent)
            if following:
                return following
        if mark in "-+*0123456789":
            following = self.item(number, line, head, indent)
        elif mark == ">":
            following = self.quote(number, indent)
        elif mark in "`~":
            following = self.fence(number, head, indent)
        elif mark == "_":
            following = self.rule(number, head, indent)
        elif mark == "[":
            following = self.footnote(number, line, head, indent)
        elif mark == "<":
            following = self.html(number, head, indent)
        elif mark == "$":
            following = self.math(number, head, indent)
        else:
            following = 0
        return following or self.plain(number, line, head)

    def plain(self, number: int, line: str, head: str) -> int:
        if not self.opened:
            self.text(number, line, head)
        return number + 1

    def leave_lists(self, indent: int) -> None:
        """A block that is no list item starts: at the left edge it ends all lists."""
        if indent >= 4 or (indent and (self.items or self.opened == _FOOTNOTE_TEXT)):
            self.unsure()
        self.items.clear()
        self.item_is_empty = False

    def heading(self, number: int, line: str, head: str, indent: int) -> int:
        if not _HEADING.match(head):
            return 0
        self.leave_lists(indent)
        self.close(number)
        end = self.starts[number] + len(line)
        level, text_start, text_end = heading_bounds(self.flat, end - len(head), end)
        self.add_heading(text_start, text_end, number)
        if not self.quotes:
            text = self.flat[text_start:text_end]
            self.add_note_heading(level, text, number, number + 1)
        return number + 1

    def underline(self, number: int, indent: int) -> int:
        """The line under a heading's text."""
        if self.opened != _PARAGRAPH:
            if self.lines[number].lstrip(_BLANKS)[0] == "=" or indent:
                self.unsure()
            return 0
        if indent >= 4:
            return 0
        last = number - 1
        end = self.starts[last] + len(self.lines[last].rstrip(_BLANKS))
        self.add_heading(self.opened_at, end, self.opened_line)
        if not self.quotes:
            level = 1 if self.lines[number].lstrip(_BLANKS)[0] == "=" else 2
            text = setext_text(self.flat[self.opened_at : end].split("\n"))
            self.add_note_heading(level, text, self.opened_line, number + 1)
        self.opened = _NOTHING
        return number + 1

    def add_heading(self, start: int, end: int, number: int) -> None:
        line = self.first_line + number
        self.out.regions.append(Region(start, end, line, RegionKind.HEADING, self.quotes))

    def add_note_heading(self, level: int, text: str, number: int, stop: int) -> None:
        end = min(self.starts[stop], len(self.flat))
        line = self.first_line + number
        self.out.headings.append(Heading(level, text, line, self.starts[number], end))

    def rule(self, number: int, head: str, indent: int) -> int:
        if not _RULE.match(head):
            return 0
        self.leave_lists(indent)
        self.close(number)
        return number + 1

    def fence(self, number: int, head: str, indent: int) -> int:
        match = _FENCE.match(head)
        if not match:
            return 0
        self.leave_lists(indent)
        self.close(number)
        self.no_table_head(number)
        marks = match[1] or match[2]
        return self.hide(number, head, self.fence_end(number + 1, marks))

    def fence_end(self, number: int, marks: str) -> int:
        """Past the closing fence, or past the last line."""
        lines = self.lines
        for at in range(number, len(lines)):
            line = lines[at]
            if marks in line and not line.strip(_BLANKS).strip(marks[0]):
                head = line.lstrip(_BLANKS)
                self.no_tab(line, head)
                if _columns(line, len(line) - len(head)) < 4:
                    return at + 1
        if self.quotes and not lines[-1].strip(_BLANKS):
            self.unsure()
        return len(lines)

    def html(self, number: int, head: str, indent: int) -> int:
        """A comment, up to its end, or another block of HTML, up to a blank line."""
        if _HARMLESS_ANGLE.match(head):
            return 0
        comment = head.startswith("<!--")
        if not comment and not _HTML_BLOCK.match(head):
            tag = _INLINE_HTML.match(head)
            if not tag:
                self.unsure()
                return 0
            if tag.end() < len(head) or self.opened:
                return 0
        self.leave_lists(indent)
        self.close(number)
        self.no_table_head(number)
        stop = number
        while stop < len(self.lines):
            line = self.lines[stop]
            if not comment and not line.strip(_BLANKS):
                break
            stop += 1
            if comment and "-->" in line:
                break
        return self.hide(number, head, stop)

    def math(self, number: int, head: str, indent: int) -> int:
        if not head.startswith("$$"):
            return 0
        stop = self.math_end(number, head)
        if not stop:
            return 0
        self.leave_lists(indent)
        self.close(number)
        self.no_table_head(number)
        return self.hide(number, head, stop)

    def math_end(self, number: int, head: str) -> int:
        """Past the line that ends with the next ``$$``; 0 when there is none or text follows it."""
        line = head[2:]
        for at in range(number, len(self.lines)):
            if at > number:
                line = self.lines[at].lstrip(_BLANKS)
            closing = line.find("$$")
            if closing >= 0:
                return 0 if line[closing + 2 :].strip(_BLANKS) else at + 1
        return 0

    def hide(self, number: int, head: str, stop: int) -> int:
        start = self.starts[number] + len(self.lines[number]) - len(head)
        end = self.starts[stop - 1] + len(self.lines[stop - 1])
        self.out.hidden.append(hidden_span(self.flat, start, end))
        return stop

    def footnote(self, number: int, line: str, head: str, indent: int) -> int:
        match = _FOOTNOTE.match(head)
        if not match:
            return 0
        self.leave_lists(indent)
        rest = head[match.end() :]
        blanks = match[1]
        if len(blanks) >= 4 or "\t" in blanks:
            self.unsure()
        self.plain_start(rest)
        self.close(number)
        self.open(_FOOTNOTE_TEXT, number, self.starts[number] + len(line) - len(rest))
        return number + 1

    def plain_start(self, rest: str) -> None:
        """Give up when the text after a mark may itself start a block, or is missing."""
        mark = rest[:1]
        if mark and mark not in _SPECIAL:
            return
        starts_block = (
            mark in ("", ">")
            or (mark == "[" and _FOOTNOTE.match(rest))
            or (mark == "#" and _HEADING.match(rest))
            or (mark in "`~" and _FENCE.match(rest))
            or (mark == "<" and not _HARMLESS_ANGLE.match(rest))
            or rest.startswith("$$")
            or (mark in "-+*_0123456789" and (_RULE.match(rest) or _ITEM.match(rest)))
        )
        if starts_block:
            self.unsure()

    # --- lists ---

    def item(self, number: int, line: str, head: str, indent: int) -> int:
        """A list item or a rule."""
        match = _ITEM.match(head)
        rest = head[match.end() :] if match else "-"
        if rest[:1] in "-*" and _RULE.match(head):
            return self.rule(number, head, indent)
        if not match:
            return 0
        depth = len(self.items)
        while depth and indent < self.items[depth - 1]:
            depth -= 1
        if indent - (self.items[depth - 1] if depth else 0) >= 4 or depth >= MAX_DEPTH:
            self.unsure()
        if self.opened and depth == len(self.items) and not self.may_interrupt(match, rest):
            if self.items or self.opened == _FOOTNOTE_TEXT:
                self.unsure()
            return 0
        content = self.content_column(match, indent)
        self.close(number)
        del self.items[depth:]
        self.items.append(content)
        self.item_is_empty = not rest
        if rest:
            self.plain_start(rest)
            self.open(_ITEM_TEXT, number, self.starts[number] + len(line) - len(rest))
        return number + 1

    def may_interrupt(self, match: re.Match[str], rest: str) -> bool:
        """Whether the item may follow directly on a paragraph's text: not when empty or numbered from 2 on."""
        return bool(rest) and (match[2] is None or int(match[2]) == 1)

    def content_column(self, match: re.Match[str], indent: int) -> int:
        after_mark = indent + len(match[1])
        blanks = match[3]
        if not blanks or match.end() == len(match.string):
            return after_mark + 1
        if self.quotes and "\t" in blanks:
            self.unsure()
        column = after_mark
        for blank in blanks:
            column += 4 - column % 4 if blank == "\t" else 1
        if column - after_mark > 4:
            self.unsure()
        return column

    # --- quotes ---

    def quote(self, number: int, indent: int) -> int:
        if indent:
            self.unsure()
            return 0
        if self.quotes >= MAX_DEPTH:
            self.unsure()
            return 0
        self.leave_lists(indent)
        self.close(number)
        lines, starts = [], []
        stop = number
        while stop < len(self.lines) and self.lines[stop].startswith(">"):
            line = self.lines[stop]
            if line.startswith(">\t"):
                self.unsure()
            cut = 2 if line.startswith("> ") else 1
            lines.append(line[cut:])
            starts.append(self.starts[stop] + cut)
            stop += 1
        starts.append(self.starts[stop])
        self.after_quote(stop)
        line_number = self.first_line + number
        _Reader(self.flat, lines, starts, line_number, self.quotes + 1, self.out, self.rough).run()
        return stop

    def after_quote(self, stop: int) -> None:
        """Give up when the line after a quote may still belong to it."""
        if stop == len(self.lines):
            return
        line = self.lines[stop]
        starts_block = any(rule.match(line) for rule in _AFTER_QUOTE)
        if line.strip(_BLANKS) and not starts_block:
            self.unsure()

    # --- tables ---

    def is_table_rule(self, number: int, head: str) -> bool:
        """Whether the line may be the rule below a table's head."""
        return number > 0 and "|" in self.lines[number - 1] and bool(_TABLE_RULE.match(head))

    def table(self, number: int, indent: int) -> int:
        """The table whose rule is the line; 0 when it is none."""
        head_line = self.lines[number - 1]
        shift = len(head_line) - len(head_line.lstrip(_BLANKS))
        simple = self.opened == _PARAGRAPH and not self.items and not indent and not shift
        if not simple or not self.has_same_columns(number):
            self.unsure()
            return 0
        if self.opened_line == number - 1:
            self.opened = _NOTHING
        else:
            self.close(number - 1)
        self.add_row(number - 1)
        at = number + 1
        while at < len(self.lines):
            line = self.lines[at]
            if not line.strip(_BLANKS):
                break
            if line[0] in "#>-+*_0123456789`~<$ \t":
                self.unsure()
                if line[0] in "#>`~":
                    break
            self.add_row(at)
            at += 1
        return at

    def no_table_head(self, number: int) -> None:
        """Give up when the line, whatever it is else, may be the head of a table."""
        if number + 1 < len(self.lines):
            following = self.lines[number + 1].lstrip(_BLANKS)
            if following and self.is_table_rule(number + 1, following):
                self.unsure()

    def has_same_columns(self, number: int) -> bool:
        if _ODD_BLANK.search(self.lines[number]) or _ODD_BLANK.search(self.lines[number - 1]):
            self.unsure()
        rules = self.lines[number].strip(_BLANKS).split("|")
        if rules and not rules[0].strip(_BLANKS):
            rules.pop(0)
        if rules and not rules[-1].strip(_BLANKS):
            rules.pop()
        if not rules or not all(_COLUMN_RULE.match(rule.strip(_BLANKS)) for rule in rules):
            return False
        head = self.lines[number - 1].strip(_BLANKS).replace("\\|", "..").split("|")
        return len(head) - (head[0] == "") - (head[-1] == "") == len(rules)

    def add_row(self, number: int) -> None:
        if _ODD_BLANK.search(self.lines[number]):
            self.unsure()
        start = self.starts[number]
        line = self.first_line + number
        for cell_start, cell_end in cell_bounds(self.flat, start, start + len(self.lines[number])):
            self.out.regions.append(
                Region(cell_start, cell_end, line, RegionKind.CELL, self.quotes)
            )


def _columns(line: str, shift: int) -> int:
    """The width of the first ``shift`` blanks of the line, a tab reaching to the next multiple of four."""
    if "\t" not in line[:shift]:
        return shift
    column = 0
    for blank in line[:shift]:
        column += 4 - column % 4 if blank == "\t" else 1
    return column
