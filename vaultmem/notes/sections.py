"""Cutting a note's body into the blocks that search answers with."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from vaultmem.notes.model import Heading, Section

LONG_SECTION: Final = 2_000
"""Characters; a longer section is cut at blank lines into parts of about this length."""
LONGEST_SECTION: Final = 6_000
"""Characters; no part is longer, even where it must be cut inside a code block or a line."""


def cut_sections(
    flat: str,
    body_start: int,
    first_line: int,
    headings: Sequence[Heading],
    hidden: Sequence[tuple[int, int]],
) -> tuple[Section, ...]:
    """The sections of a flattened note's body, in order and without a gap.

    One for each heading, and one for the text before the first if it is not blank; its path is empty.
    ``hidden`` are the spans not to cut in if avoidable. A blank body is one section, so that a note
    with only a title can be found. ``first_line`` is the line of the body's first character.
    """
    sections: list[Section] = []
    line, line_at = first_line, body_start
    for path, start, end in _heading_spans(flat, body_start, headings):
        parts = ((start, end),) if end - start <= LONG_SECTION else _parts(flat, start, end, hidden)
        for part_start, part_end in parts:
            line += flat.count("\n", line_at, part_start)
            line_at = part_start
            sections.append(Section(len(sections), path, part_start, part_end, line))
    return tuple(sections)


def _heading_spans(
    flat: str, body_start: int, headings: Sequence[Heading]
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    if not headings:
        yield (), body_start, len(flat)
        return
    start = headings[0].start
    if flat[body_start:start].strip():
        yield (), body_start, start
    else:
        start = body_start
    above: list[Heading] = []
    for number, heading in enumerate(headings):
        end = headings[number + 1].start if number + 1 < len(headings) else len(flat)
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield tuple([one.text for one in above]), start, end
        start = end


_BLANK_LINES: Final = re.compile(r"\n(?:[ \t]*\n)+")


def _parts(
    flat: str, start: int, end: int, hidden: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Cut at the last good place before the wished length, else at the first after it."""
    cuts = [
        match.end()
        for match in _BLANK_LINES.finditer(flat, start, end)
        if match.end() < end and not _is_inside(match.end(), hidden)
    ]
    while end - start > LONG_SECTION:
        wished = bisect_right(cuts, start + LONG_SECTION) - 1
        if wished >= 0 and cuts[wished] > start:
            cut = cuts[wished]
        elif wished + 1 < len(cuts) and cuts[wished + 1] - start <= LONGEST_SECTION:
            cut = cuts[wished + 1]
        elif end - start <= LONGEST_SECTION:
            break
        else:
            cut = _forced_cut(flat, start)
        yield start, cut
        start = cut
    yield start, end


def _forced_cut(flat: str, start: int) -> int:
    """Past a line's end, else past a blank, else anywhere, at most the longest length away."""
    limit = start + LONGEST_SECTION
    for mark in ("\n", " "):
        place = flat.rfind(mark, start + LONG_SECTION // 2, limit)
        if place >= 0:
            return place + 1
    return limit


def _is_inside(offset: int, spans: Sequence[tuple[int, int]]) -> bool:
    place = bisect_left(spans, offset, key=lambda span: span[0]) - 1
    return place >= 0 and offset < spans[place][1]
