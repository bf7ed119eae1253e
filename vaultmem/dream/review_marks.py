"""The items of a review note as they stand in its text, and which of their lines are still as we wrote them. Pure.

An item is a list line with a check box and the block id ``^r-…``, and what is indented below it. Its reason ends with a
comment that holds a short hash of each of our lines, so that what a person has written among them is told apart from
what may go once the item is settled.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.notes.parse import parse_note

BLOCK_PREFIX: Final = "r-"
_ID: Final = re.compile(r"(?<!\S)\^[rR]-([0-9a-fA-F]{10})(?![\w-])")
_CODES: Final = re.compile(r"[ \t]*%%((?: ?[0-9a-f]{5})+)%%")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINK: Final = re.compile(r"\[\[[^\[\]]*\]\]|\]\([^()]*\)")
_BOX: Final = re.compile(r"^(?:[-*+]|\d+[.)])[ \t]+\[[^\n]\][ \t]+")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")
_TAB: Final = 4


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item where it stands."""

    id: str
    """The proposal's."""
    mark: str
    """The character in the box."""
    line: int
    """From 0."""
    hidden: bool
    """Whether it stands in a ``%%`` comment, which reading view does not show."""


def split_lines(text: str) -> list[str]:
    """The lines with their breaks, counted as the parser counts them."""
    return _LINE.findall(text)


def find_items(text: str) -> list[FoundItem]:
    """The items of the note, in order. What stands in code, math or HTML is none."""
    if BLOCK_PREFIX not in text.lower():
        return []
    lines = split_lines(text)
    starts = _starts(lines)
    parsed = parse_note(text)
    comments = _comment_lines(text, parsed.hidden, starts)
    found = []
    for task in parsed.tasks:
        at = starts[task.line]
        ids = [
            match
            for match in _ID.finditer(lines[task.line])
            if not any(start <= at + match.start() < end for start, end in parsed.hidden)
        ]
        names = {match[1].lower() for match in ids}
        if len(names) > 1:  # the one that Obsidian would take, if any
            names = {m[1].lower() for m in ids if not lines[task.line][m.end() :].strip()}
        if len(names) == 1:
            found.append(FoundItem(names.pop(), task.status, task.line, task.line in comments))
    return found


def _starts(lines: Sequence[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _comment_lines(
    text: str, hidden: Sequence[tuple[int, int]], starts: Sequence[int]
) -> frozenset[int]:
    """The lines between the marks of a ``%%`` comment; marks that nothing closes hide nothing (L-43).

    Our own comments stand on one line and pair with nothing else, so a lone ``%%`` hides no item.
    """
    own = [match.span() for match in _CODES.finditer(text)]
    marks = [
        match.start()
        for match in re.finditer("%%", text)
        if not any(start <= match.start() < end for start, end in (*hidden, *own))
    ]
    lines: set[int] = set()
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        lines.update(range(bisect_right(starts, opening), bisect_right(starts, closing) - 1))
    return frozenset(lines)


# --- our lines ---


def codes(groups: Sequence[str]) -> str:
    """The comment that tells which lines are ours: a line, or a whole fenced block, each."""
    return f"%%{' '.join(_hash(group) for group in groups)}%%"


def _hash(group: str) -> str:
    """Of its text: links may be renamed, and indentation, box and line breaks do not count."""
    lines = [_CODES.sub("", line).strip() for line in group.splitlines()]
    lines[0] = _LINK.sub("[[]]", _ID.sub("", _BOX.sub("", lines[0]))).strip()
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:5]


@dataclass(frozen=True, slots=True)
class Extent:
    """The lines of an item, and which of them are ours."""

    start: int
    end: int
    """Past its last line; blank lines below are not of it, unless ours stand above them."""
    ours: frozenset[int]
    title_is_ours: bool
    marked: bool
    """Whether a hash of ours stands among its lines: else nothing but its id says that we wrote it."""


def extent(lines: Sequence[str], item: FoundItem, titles: frozenset[int]) -> Extent:
    """The item's lines: those indented below its title, up to the next item's. ``titles`` are the lines of all items."""
    quotes = quotes_of(lines[item.line])
    indent = _indent(_bare(lines[item.line], quotes))
    end = item.line + 1
    for number in range(item.line + 1, len(lines)):
        bare = _bare(lines[number], quotes)
        if number in titles or quotes_of(lines[number], quotes) < quotes:
            break
        if bare.strip():
            if _indent(bare) <= indent:
                break
            end = number + 1
    held = [_bare(line, quotes) for line in lines[item.line : end]]
    known = {code for line in held for found in _CODES.findall(line) for code in found.split()}
    ours: set[int] = set()
    for first, last in _groups(held):
        if _hash("\n".join(held[first:last]) or " ") in known:
            ours.update(range(first, last))
    for number in range(1, len(held)):
        if not held[number].strip() and number - 1 in ours | {0}:
            ours.add(number)
    while (
        end < len(lines)
        and not _bare(lines[end], quotes).strip()
        and end - item.line - 1 in ours | {0}
    ):
        if end in titles or quotes_of(lines[end], quotes) < quotes:
            break
        ours.add(end - item.line)
        end += 1
    return Extent(
        item.line,
        end,
        frozenset(item.line + at for at in ours - {0}),
        0 in ours or not known,
        bool(known),
    )


def _groups(held: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each line, and each fenced block as one."""
    at = 0
    while at < len(held):
        opening = _FENCE.match(held[at].strip()) if at else None
        stop = at + 1
        if opening is not None:
            closing = next(
                (n for n in range(at + 1, len(held)) if held[n].strip() == opening[1]), None
            )
            stop = stop if closing is None else closing + 1
        if held[at].strip():
            yield at, stop
        at = stop


def quotes_of(line: str, limit: int = 99) -> int:
    """How many quote marks a line begins with, at most ``limit``."""
    many = 0
    while many < limit and (found := re.match(r"[ \t]{0,3}>[ \t]?", line)):
        line = line[found.end() :]
        many += 1
    return many


def _bare(line: str, quotes: int) -> str:
    """The line without that many quote marks."""
    for _ in range(quotes):
        line = re.sub(r"^[ \t]{0,3}>[ ]?", "", line, count=1)
    return line.rstrip("\r\n")


def _indent(line: str) -> int:
    """In columns."""
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(_TAB))


def title_text(line: str) -> str:
    """An item's title as it stands, without list mark, box and id."""
    bare = _bare(line, quotes_of(line)).strip()
    return " ".join(_ID.sub("", _BOX.sub("", bare)).split())


def marked_ids(text: str) -> frozenset[str]:
    """The ids of the items that hold a hash of ours."""
    found = find_items(text)
    lines, titles = split_lines(text), frozenset(item.line for item in found)
    return frozenset(item.id for item in found if extent(lines, item, titles).marked)
