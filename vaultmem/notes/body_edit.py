"""Changing the text below the properties: under a heading, by block id, or an exact text.

A target that is not there exactly once is refused with the places it may have meant. New text gets the
line endings of its neighbourhood; a missing last line break stays missing. Each edit is made on a copy and
read back: the properties and every heading that it does not name must still be there, so that an open code
fence in new text, say, cannot swallow what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from vaultmem.notes.model import Heading, ParsedNote
from vaultmem.notes.parse import parse_note
from vaultmem.notes.refusal import Candidate, EditRefused, RefusalCode
from vaultmem.notes.structure import RegionKind
from vaultmem.notes.subpath import heading_key
from vaultmem.notes.targets import (
    find_block,
    find_heading,
    find_text,
    heading_places,
    region_at,
    structure_of,
)
from vaultmem.notes.textedit import (
    TextEdit,
    apply_edits,
    in_order,
    inverse_edits,
    line_end,
    line_ending_near,
    line_start,
    next_line,
    split_lines,
    with_line_ending,
)
from vaultmem.notes.yaml_render import UnwritableValue, check_writable_text

Edits: TypeAlias = tuple[TextEdit, ...]


def append_text(text: str, addition: str, *, heading: str | None = None) -> Edits:
    """Edits that put the text at the end of the note, or at the end of a heading's own text.

    A heading's own text ends where the next heading of any level starts. Blank lines at the end stay
    behind the addition. A blank line is put between, unless both sides are lines of one list, table or
    quote. Nothing for a blank addition.

    Raises EditRefused: ``no-match``, ``many-matches``, ``unsafe-edit``, ``unwritable-value``.
    """
    note = parse_note(text)
    span = _whole(text, note)
    if heading is not None:
        span = _own_text(text, note, find_heading(text, note, heading).heading)
    return _checked(text, note, [_appended(text, span, addition)])


def insert_under_heading(text: str, heading: str, addition: str) -> Edits:
    """Edits that put the text first under a heading; blank lines below the heading stay above it.

    Raises EditRefused as :func:`append_text` does.
    """
    note = parse_note(text)
    span = _own_text(text, note, find_heading(text, note, heading).heading)
    if span.is_blank:
        return _checked(text, note, [_appended(text, span, addition)])
    at = span.first
    added = _lines(text, at, addition)
    if not added:
        return ()
    ending = line_ending_near(text, at)
    following = text[at : line_end(text, at)]
    between = ending if _runs_on(added, following) else ending * 2
    return _checked(text, note, [TextEdit(at, at, added + between)])


def replace_section(text: str, heading: str, new: str, *, subsections: bool = False) -> Edits:
    """Edits that replace a heading's own text, the blank lines around it kept; a blank text removes it.

    ``subsections`` replaces the deeper headings and their texts too.

    Raises EditRefused as :func:`append_text` does.
    """
    note = parse_note(text)
    target = find_heading(text, note, heading).heading
    span = _own_text(text, note, target, subsections=subsections)
    gone = [one for one in note.headings if target.start < one.start < span.end]
    if span.is_blank:
        return _checked(text, note, [_appended(text, span, new)])
    added = _lines(text, span.first, new)
    # Without text its lines go, so that no gap of two stays behind.
    last = span.last if added else next_line(text, span.last)
    return _checked(text, note, [TextEdit(span.first, last, added)], gone)


def add_section(
    text: str, heading: str, body: str = "", *, level: int = 2, under: str | None = None
) -> Edits:
    """Edits that put a new heading with its text last in the note, or last in the section ``under``.

    Under a heading it is one level deeper than that, whatever ``level`` says.

    Raises EditRefused: ``exists`` when that heading is there at the same place, ``unwritable-value`` when
    the text cannot be a heading; and as :func:`append_text` does.
    """
    note = parse_note(text)
    span = _whole(text, note)
    path: tuple[str, ...] = ()
    if under is not None:
        place = find_heading(text, note, under)
        path, level = place.path, place.heading.level + 1
        span = _own_text(text, note, place.heading, subsections=True)
    words = " ".join(heading.split())
    if not words or not heading_key(words) or not 1 <= level <= _DEEPEST:
        raise EditRefused(
            RefusalCode.UNWRITABLE_VALUE, f"{heading!r} cannot be a heading of level {level}."
        )
    _check_new(text, note, words, path if under is not None else _above(note, level))
    added = "\n".join(
        [f"{'#' * level} {words}", *(["", body.strip("\r\n")] if body.strip() else [])]
    )
    edits = _checked(text, note, [_appended(text, span, added)])
    after = parse_note(apply_edits(text, edits))
    count = [(one.level, one.text) for one in note.headings].count((level, words))
    if [(one.level, one.text) for one in after.headings].count((level, words)) <= count:
        raise _unsafe("The heading would not be read as one there")
    return edits


def replace_block(text: str, block_id: str, new: str) -> Edits:
    """Edits that give the line of a block id another text; its list mark, check box and id stay.

    ``new`` is one line. One that starts with a check box of its own replaces the box.

    Raises EditRefused: ``no-match``, ``many-matches``; ``unsafe-edit`` when the id names no line of text
    (a table, a heading); ``unwritable-value`` for several lines or none.
    """
    note = parse_note(text)
    block = _block_line(text, note, block_id)
    words = new.strip()
    if not words or any(mark in words for mark in "\r\n"):
        raise EditRefused(RefusalCode.UNWRITABLE_VALUE, "A block's text is one line.")
    start = block.start
    if block.item:
        words = _ITEM_MARK.sub("", words, count=1)
        box = _BOX.match(text, start)
        start = box.end() if box and not _BOX.match(words) else start
    edits = _checked(text, note, [TextEdit(start, block.text_end, words)])
    after = parse_note(apply_edits(text, edits))
    if [b.id for b in after.block_ids] != [b.id for b in note.block_ids]:
        raise _unsafe("The block id would not be read any more")
    return edits


def delete_block(text: str, block_id: str) -> Edits:
    """Edits that take the line of a block id away, the id with it.

    Raises EditRefused: ``no-match``, ``many-matches``; ``unsafe-edit`` when the id names no line of text, or
    a list item with more below it, which would fall to the item above, or when another id would be lost.
    """
    note = parse_note(text)
    block = _block_line(text, note, block_id)
    start, end = line_start(text, block.start), next_line(text, block.end)
    if block.item and _has_children(text, block.start, end):
        raise _unsafe("The list item has lines below it, which would belong to another item")
    if (
        end == len(text)
        and line_end(text, block.end) == end
        and start > note.frontmatter.body_start
    ):
        # The last line has no line break: the one before it goes, so that it is missing still.
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    edits = _checked(text, note, [TextEdit(start, end, "")])
    left = [one.id for one in parse_note(apply_edits(text, edits)).block_ids]
    if left != [one.id for one in note.block_ids if one.end != block.end]:
        raise _unsafe("Another block id would not be read any more")
    return edits


def replace_text(text: str, old: str, new: str) -> Edits:
    """Edits that replace a text which stands exactly once in the body; line breaks in it match any kind.

    Raises EditRefused: ``no-match``, ``many-matches``, ``unsafe-edit``, ``unwritable-value``.
    """
    note = parse_note(text)
    start, end = find_text(text, note, old)
    _check_text(new)
    added = with_line_ending(new, line_ending_near(text, start))
    touched = [one for one in note.headings if one.start < end and start < one.end]
    return _checked(text, note, [TextEdit(start, end, added)], touched)


# --- spans ---

_DEEPEST: Final = 6
_ITEM_MARK: Final = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])[ \t]+")
_BOX: Final = re.compile(r"\[[^\r\n]\][ \t]+")


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of whole lines; ``first`` to ``last`` is its text without the blank lines around it."""

    start: int
    end: int
    first: int
    last: int

    @property
    def is_blank(self) -> bool:
        return self.first >= self.last


def _span(text: str, start: int, end: int) -> _Span:
    held = text[start:end]
    if not held.strip():
        return _Span(start, end, start, start)
    first = line_start(text, start + len(held) - len(held.lstrip()))
    last = line_end(text, start + len(held.rstrip()))
    return _Span(start, end, max(first, start), min(last, end))


def _whole(text: str, note: ParsedNote) -> _Span:
    return _span(text, note.frontmatter.body_start, len(text))


def _own_text(text: str, note: ParsedNote, heading: Heading, *, subsections: bool = False) -> _Span:
    """What stands below a heading, up to the next one; with subsections, to the next not deeper."""
    end = len(text)
    for other in note.headings:
        if other.start > heading.start and (other.level <= heading.level or not subsections):
            end = other.start
            break
    return _span(text, heading.end, end)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of text with an id: a list item or paragraph."""

    start: int
    """Of its text, past the list mark."""
    text_end: int
    """Before the blank and the id."""
    end: int
    item: bool


def _block_line(text: str, note: ParsedNote, block_id: str) -> _Block:
    block = find_block(text, note, block_id)
    region = region_at(structure_of(text, note.frontmatter.body_start), block.start)
    if region is None or region.kind is not RegionKind.TEXT:
        raise _unsafe(f"^{block.id} does not end a line of text")
    # An id ends its line; what follows in the same paragraph is another block's.
    earlier = [one for one in note.block_ids if region.start <= one.start < block.start]
    start = _line_text(text, next_line(text, earlier[-1].end)) if earlier else region.start
    text_end = start + len(text[start : block.start].rstrip())
    if text_end <= start:
        raise _unsafe(f"^{block.id} stands alone and names the block above it")
    item = region.item and not earlier
    if item and text[block.end : region.end].strip():
        raise _unsafe(f"The list item of ^{block.id} goes on below its id")
    return _Block(start, text_end, block.end, item)


def _line_text(text: str, at: int) -> int:
    """Past the blanks and quote marks that the line at the offset starts with."""
    while text[at : at + 1] in (" ", "\t", ">"):
        at += 1
    return at


def _has_children(text: str, start: int, after: int) -> bool:
    """Whether the line that follows is indented deeper than the item's mark."""
    mark = text[line_start(text, start) : start]
    indent = len(mark) - len(mark.lstrip(" \t"))
    following = text[after : line_end(text, after)]
    depth = len(following) - len(following.lstrip(" \t"))
    return bool(following.strip()) and depth > indent


# --- text to put in ---


def _lines(text: str, at: int, addition: str) -> str:
    """The addition with the line endings of the place, without line breaks around it; "" when blank."""
    _check_text(addition)
    if not addition.strip():
        return ""
    return with_line_ending(addition.strip("\r\n"), line_ending_near(text, at))


def _check_text(addition: str) -> None:
    try:
        check_writable_text(addition)
    except UnwritableValue as fault:
        raise EditRefused(
            RefusalCode.UNWRITABLE_VALUE, f"The text cannot be written. {fault}"
        ) from fault


def _appended(text: str, span: _Span, addition: str) -> TextEdit:
    """The edit that puts the addition behind the span's text, or at its start when it has none."""
    added = _lines(text, span.start, addition)
    if not added:
        return TextEdit(span.start, span.start, "")
    if span.is_blank:
        ending = line_ending_near(text, span.last)
        if span.start == 0 or text[span.start - 1] in "\r\n\ufeff":
            return TextEdit(span.start, span.start, added + ending)
        return TextEdit(span.start, span.start, ending + added)  # a heading without a line break
    ending = _ending_of(text, span.last)
    before = text[line_start(text, span.last) : span.last]
    goes_on = _runs_on(before, added) or _is_one_run(text[span.first : span.last], added)
    gap = ending if goes_on else ending * 2
    return TextEdit(span.last, span.last, gap + added)


def _ending_of(text: str, at: int) -> str:
    """The line break of the line that ends at the offset, which stays its own; for a last line without one, that of its
    neighbourhood."""
    return text[at : next_line(text, at)] or line_ending_near(text, at)


_ROW: Final = re.compile(r"[ \t]*(?:([-+*])[ \t]|[0-9]{1,9}[.)][ \t]|(>)|(\|))")


def _is_one_run(before: str, added: str) -> bool:
    """Whether the text below the last heading is lines without a blank one between, as in a log kept by hand, and the
    addition is one more such line."""
    if not _is_plain_line(added):
        return False
    lines: list[str] = []
    for line in split_lines(before):
        lines = [] if _HEADING_LINE.match(line) else [*lines, line]
    below = "\n".join(lines).strip("\n").split("\n")
    return len(below) > 1 and all(map(_is_plain_line, below))


def _is_plain_line(line: str) -> bool:
    return "\n" not in line and "\r" not in line and _PLAIN_LINE.match(line) is not None


_HEADING_LINE: Final = re.compile(r"#{1,6}[ \t]")
_PLAIN_LINE: Final = re.compile(r"(?![-+*>|#=`~$<%]|[0-9]{1,9}[.)][ \t])\S")
"""A line of text that starts no list, quote, table, fence, comment or underline."""


def _runs_on(before: str, after: str) -> bool:
    """Whether the line that comes first and the text after it are lines of one list, table or quote."""
    one, other = _ROW.match(before.split("\n")[-1]), _ROW.match(after)
    return one is not None and other is not None and one.lastindex == other.lastindex


# --- whether it is right ---


def _checked(
    text: str, note: ParsedNote, edits: Iterable[TextEdit], touched: Iterable[Heading] = ()
) -> Edits:
    """The edits, if the properties and all headings but the touched ones are still what they were."""
    kept = in_order(text, edits)
    after_text = apply_edits(text, kept)
    after = parse_note(after_text)
    before_block, after_block = note.frontmatter, after.frontmatter
    if (before_block.state, text[: before_block.inner_end]) != (
        after_block.state,
        after_text[: after_block.inner_end],
    ) or before_block.warnings != after_block.warnings:
        raise _unsafe("The text would be read as properties")
    gone = {heading.start for heading in touched}
    wanted = [(one.level, one.text) for one in note.headings if one.start not in gone]
    new_spans = inverse_edits(text, kept)
    held = [
        (one.level, one.text)
        for one in after.headings
        if not any(edit.start <= one.start < edit.end for edit in new_spans)
    ]
    if not _is_subsequence(wanted, held):
        raise _unsafe("A heading that is there would not be read as one any more")
    return kept


def _is_subsequence(part: Iterable[object], whole: Iterable[object]) -> bool:
    rest = iter(whole)
    return all(item in rest for item in part)


def _check_new(text: str, note: ParsedNote, words: str, path: tuple[str, ...]) -> None:
    key = heading_key(words)
    for place in heading_places(note.headings):
        if place.path[:-1] == path and heading_key(place.path[-1]) == key:
            heading = place.heading
            line = text[heading.start : line_end(text, heading.start)].strip()
            raise EditRefused(
                RefusalCode.EXISTS,
                f"There is a heading {place.path[-1]!r} already; nothing was changed.",
                candidates=(Candidate(place.path, heading.line, line),),
            )


def _above(note: ParsedNote, level: int) -> tuple[str, ...]:
    """The headings that a new one of the level stands below, at the end of the note."""
    above: list[Heading] = []
    for heading in note.headings:
        above = [*(one for one in above if one.level < heading.level), heading]
    return tuple(one.text for one in above if one.level < level)


def _unsafe(why: str) -> EditRefused:
    return EditRefused(RefusalCode.UNSAFE_EDIT, f"{why}; nothing was changed.")
