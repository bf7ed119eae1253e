"""What the lines of a region are beyond text: tasks, inline fields, block ids, facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from vaultmem.notes.model import BlockId, FactLine, InlineField, Link, Task
from vaultmem.notes.structure import Region, RegionKind

Spans: TypeAlias = "Sequence[tuple[int, int]]"

FACT_PREFIX: Final = "f-"
"""A list line whose block id starts so is a fact."""


@dataclass(slots=True)
class Marks:
    """What was found, in order."""

    tasks: list[Task] = field(default_factory=list)
    fields: list[InlineField] = field(default_factory=list)
    block_ids: list[BlockId] = field(default_factory=list)
    facts: list[FactLine] = field(default_factory=list)


_TASK: Final = re.compile(r"\[([^\n])\][ \t]")
_ID_AT_END: Final = re.compile(r"(?<![ \t])[ \t]++\^[A-Za-z0-9-]++[ \t]*+\Z")
"""Looked for from the first blank of a run only: a long run is gone through once."""

_ID_AT_LINE_END: Final = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*(?=\n|\Z)")


def take_marks(flat: str, region: Region, marks: Marks) -> None:
    """Take down the task, block id and fact of a region of a flattened note."""
    if region.item:
        _take_task(flat, region, marks)
    if flat.find("^", region.start, region.end) >= 0:
        _take_block_ids(flat, region, marks)


def _take_task(flat: str, region: Region, marks: Marks) -> None:
    box = _TASK.match(flat, region.start)
    if box:
        line_end = flat.find("\n", region.start, region.end)
        text = flat[box.end() : region.end if line_end < 0 else line_end]
        text = _ID_AT_END.sub("", text)
        marks.tasks.append(Task(box[1], text.strip(), region.line, region.start))


def _take_block_ids(flat: str, region: Region, marks: Marks) -> None:
    """Each ``^id`` after a blank at the end of one of the region's lines, or alone on a line (H-06, H-07)."""
    box = _TASK.match(flat, region.start) if region.item else None
    since = box.end() if box else region.start
    for match in _ID_AT_LINE_END.finditer(flat, region.start, region.end):
        caret = match.start()
        before = flat[caret - 1] if caret > region.start else "\n"
        if before not in " \t\n" and not _is_quote_mark(flat, region, caret):
            continue
        if region.kind is RegionKind.CELL and not _is_alone(flat, region):
            continue
        line = region.line + flat.count("\n", region.start, caret)
        marks.block_ids.append(BlockId(match[1], line, caret, match.end(1)))
        if region.item and match[1].startswith(FACT_PREFIX):
            text = " ".join(flat[since:caret].split())
            marks.facts.append(FactLine(match[1], text, line))
        since = match.end()


def _is_quote_mark(flat: str, region: Region, caret: int) -> bool:
    """Whether only quote marks stand before the caret on its line."""
    line_start = flat.rfind("\n", 0, caret) + 1
    return region.quotes > 0 and not flat[line_start:caret].strip(" \t>")


def _is_alone(flat: str, region: Region) -> bool:
    """Whether a cell is all its line holds: no cell then, but the id of the table above it."""
    start = flat.rfind("\n", 0, region.start) + 1
    end = flat.find("\n", region.end)
    around = flat[start : region.start] + flat[region.end : len(flat) if end < 0 else end]
    return not around.strip(" \t>")


# --- inline fields ---

_KEY: Final = (
    r"(?P<key>[^\s\x00-\x2c\x2e\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]"
    r"[^\t-\x1f\x21-\x2c\x2e\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]{0,79})"
)
"""Letters and digits of any script, ``_``, ``-``, ``/``, blanks and symbols; 80 at most."""
_SEPARATOR: Final = r"::(?=[ \t\n]|\Z|!?\[\[)"
_LINE_FIELD: Final = re.compile(
    rf"(?:\A|\n)[ \t>]*+(?:\[[^\n]\][ \t]++)?+(?P<marks>[*_=~]{{0,3}}){_KEY}[*=~]{{0,3}}[ \t]*+{_SEPARATOR}"
)
_BRACKET_FIELD: Final = re.compile(rf"(?:(?<!\[)\[|\(){_KEY}{_SEPARATOR}")


def take_fields(flat: str, region: Region, hidden: Spans, links: list[Link], marks: Marks) -> None:
    """Take down the region's inline fields, and give the links inside them their relation.

    ``links`` and ``hidden`` are those of the region; the links are in order and replaced in place. A field
    is ``key:: value`` at the start of a line of a paragraph or list item, or ``[key:: value]`` or
    ``(key:: value)`` anywhere; a link belongs to the innermost. A field that starts in a hidden span is none.
    """
    text = flat[region.start : region.end]
    if "::" not in text:
        return
    spans = sorted(_fields(text), key=lambda span: (span.start, -span.end))
    found = _outside(_placed(spans, text, region), sorted(hidden))
    marks.fields += found
    _relate(links, found)


def _relate(links: list[Link], fields: list[InlineField]) -> None:
    open_fields: list[InlineField] = []
    coming = iter(fields)
    following = next(coming, None)
    for number, link in enumerate(links):
        while following is not None and following.start <= link.start:
            open_fields.append(following)
            following = next(coming, None)
        while open_fields and open_fields[-1].end < link.end:
            open_fields.pop()
        if open_fields:
            links[number] = replace(link, relation=open_fields[-1].key)


def _outside(fields: list[InlineField], hidden: Spans) -> list[InlineField]:
    """The fields that do not start inside one of the spans; both are in order."""
    kept = []
    covered = place = 0
    for item in fields:
        while place < len(hidden) and hidden[place][0] <= item.start:
            covered = max(covered, hidden[place][1])
            place += 1
        if item.start >= covered:
            kept.append(item)
    return kept


class _FieldSpan(NamedTuple):
    """A field in the text of a region."""

    key: str
    start: int
    value_start: int
    value_end: int
    end: int
    is_line: bool


def _fields(text: str) -> Iterator[_FieldSpan]:
    for match in _LINE_FIELD.finditer(text):
        end = _line_end(text, match.end())
        if block_id := _ID_AT_END.search(text, match.end(), end):
            end = block_id.start()
        end = match.end() + len(text[match.end() : end].rstrip())
        key = match["key"].strip()
        if "_" in match["marks"]:
            key = key.removesuffix(match["marks"])
        yield _FieldSpan(key, match.start("marks"), match.end(), end, end, True)
    matches = list(_BRACKET_FIELD.finditer(text))
    closings = _closings(text) if matches else {}
    for match in matches:
        closing = closings.get(match.start(), -1)
        if closing >= 0 and not text.startswith("(", closing + 1):
            key = match["key"].strip()
            yield _FieldSpan(key, match.start(), match.end(), closing, closing + 1, False)


def _placed(spans: list[_FieldSpan], text: str, region: Region) -> list[InlineField]:
    """The fields as they stand in the note; only paragraphs and list items have lines for a field."""
    placed = []
    line, line_at = region.line, 0
    for span in spans:
        line += text.count("\n", line_at, span.start)
        line_at = span.start
        if span.is_line and region.kind is not RegionKind.TEXT:
            continue
        value = text[span.value_start : span.value_end].strip()
        start, end = region.start + span.start, region.start + span.end
        placed.append(InlineField(span.key, value, line, start, end))
    return placed


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


_BRACKETS: Final = re.compile(r"[\[\]()\n]")


def _closings(text: str) -> dict[int, int]:
    """For each opening bracket or parenthesis the one that closes it on its line."""
    closings: dict[int, int] = {}
    square: list[int] = []
    round_: list[int] = []
    for mark in _BRACKETS.finditer(text):
        character = mark.group()
        if character == "\n":
            square.clear()
            round_.clear()
        elif character in "[(":
            (square if character == "[" else round_).append(mark.start())
        else:
            stack = square if character == "]" else round_
            if stack:
                closings[stack.pop()] = mark.start()
    return closings
