"""A claim moved to the section of what no longer holds, verbatim. Pure.

What is cut is a whole line at the top level: a bullet without anything below it, a paragraph of one line, or a line of a
paragraph whose lines are sentences. The text is read again after the cut: everything else must say what it said before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vaultmem.dream.passages import SUPERSEDED
from vaultmem.notes import body_edit
from vaultmem.notes.frontmatter import BYTE_ORDER_MARK
from vaultmem.notes.parse import parse_note
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.structure import Region, RegionKind, Structure, flatten
from vaultmem.notes.targets import region_at, structure_of
from vaultmem.notes.textedit import (
    apply_edits,
    line_breaks,
    line_end,
    line_ending,
    line_start,
    next_line,
    split_lines,
    with_line_ending,
)

_BULLET: Final = re.compile(r"[-*+][ \t]+")
_BLOCK_ID: Final = re.compile(r"[ \t]\^[A-Za-z0-9-]+[ \t]*$")
_ENDS: Final = re.compile(r"[.!?。！？…][\"')\]»”*_]*(?:[ \t]+\^[A-Za-z0-9-]+)?[ \t]*$")
_LEANS: Final = re.compile(
    r"[*_]*(?:it|its|this|that|these|those|he|she|they|his|her|their|which|so|therefore|thus|hence|but|however|then|also|"
    r"otherwise|instead|because|er|sie|es|dies|das|dieser|daher|aber|il|elle|cela|ceci|mais|esto|eso|pero)\b"
    r"|[*_]*(?:这|那|它|他|她|因此|所以|但|それ|これ|その|この|しかし|だから|그|이것|하지만|그래서)",
    re.IGNORECASE,
)
"""A line that leans on the one before it."""


def superseded(text: str, line: str, correction: str, instead: str = "") -> str | None:
    """The note's text with the line, as written, moved to the end of its section ``Superseded``, which is made at the
    end of the note if it is missing; ``correction`` says below it where it was corrected. In its place comes the line
    ``instead``, unless it is empty or would change what stands around it.

    None where the line cannot be cut without harm: it is there twice, in a nested list, a quote, a table, or the rest leans
    on it.
    """
    parsed = parse_note(text)
    body = parsed.frontmatter.body_start
    start = _only_place(text, line, body)
    if start is None:
        return None
    structure = structure_of(text, body)
    mark = _BULLET.match(line)
    region = region_at(structure, start + (mark.end() if mark else 0))
    if region is None or not _may_go(text, region, start, line):
        return None
    said = _saying(text, structure, but=line)
    end = start + len(line)
    stands_alone = region.item or (region.start == start and region.end <= end)
    if instead and stands_alone and not counts_elsewhere(instead):
        replaced = text[:start] + instead + text[end:]
        now = structure_of(replaced, body)
        is_said = _saying(replaced, now) != said  # a rule or a comment is not
        if is_said and _saying(replaced, now, but=instead) == said:
            return _ended(text, replaced, line, correction)
    removed = _without(text, start, line, body, item=region.item)
    if _saying(removed, structure_of(removed, body)) != said:
        return None
    return _ended(text, removed, line, correction)


def _ended(text: str, rest: str, line: str, correction: str) -> str | None:
    """The rest of the text with the line put into the section; None when anything would be lost by that."""
    after = _kept(rest, line, correction, line_ending(text))
    if after is None:
        return None
    if text[-1:] not in ("\r", "\n"):
        after = after.rstrip("\r\n")  # a missing last line break is missing still
    return after if _holds_all(text, after) else None


def leans(text: str) -> bool:
    """Whether a text leans on what stands before it: *It is slow*."""
    return bool(_LEANS.match(text))


def counts_elsewhere(line: str) -> bool:
    """Whether the line would be found by more than its words: a tag or a task is its own note's."""
    parsed = parse_note(line)
    return bool(parsed.tags or parsed.tasks or parsed.facts or parsed.block_ids)


def _only_place(text: str, line: str, body: int) -> int | None:
    """Where the line stands, if it does so once."""
    found = None
    at = text.find(line, body) if line else -1
    while at >= 0:
        if max(line_start(text, at), body) == at and line_end(text, at) == at + len(line):
            if found is not None:
                return None
            found = at
        at = text.find(line, at + 1)
    return found


def _may_go(text: str, region: Region, start: int, line: str) -> bool:
    if region.kind is not RegionKind.TEXT or region.quotes or line[:1] in (" ", "\t", ">", "|"):
        return False
    end = start + len(line)
    following = _next_text(text, next_line(text, end))
    if region.item:
        alone = _BULLET.match(line) and region.start <= end and region.end <= end
        return (
            bool(alone) and following[:1] not in (" ", "\t") and not _leads_only(text, start, end)
        )
    if region.start == start and region.end <= end:
        before = _last_text(text, start)
        return not _LEANS.match(following) and not before.rstrip().endswith((":", "："))
    return _sentence_of(text, region, start, end)


def _sentence_of(text: str, region: Region, start: int, end: int) -> bool:
    """Whether the line is a sentence among other lines of a paragraph, and none after it leans on it."""
    lines = split_lines(text[region.start : region.end])
    if region.item or text[line_start(text, region.start) : region.start]:
        return False
    if not all(_ENDS.search(one) for one in lines) or any(_BLOCK_ID.search(one) for one in lines):
        return False
    following = text[next_line(text, end) : line_end(text, next_line(text, end))]
    return start >= region.start and not (following.strip() and _LEANS.match(following))


def _leads_only(text: str, start: int, end: int) -> bool:
    """Whether the item is the only one below a line that introduces it."""
    before, after = _last_text(text, start), _next_text(text, next_line(text, end))
    return before.rstrip().endswith((":", "：")) and not _BULLET.match(after)


def _next_text(text: str, at: int) -> str:
    while at < len(text):
        line = text[at : line_end(text, at)]
        if line.strip():
            return line
        at = next_line(text, at)
    return ""


def _last_text(text: str, at: int) -> str:
    held = text[:at].rstrip()
    return held[line_start(held, len(held)) :]


def _without(text: str, start: int, line: str, body: int, *, item: bool) -> str:
    """The text without the line; of two blank lines that would meet, one goes as well."""
    end = next_line(text, start)
    if end == start + len(
        line
    ):  # the last line, without a break: the one before goes, so that it is missing still
        if start > body:
            start -= 2 if text[start - 2 : start] == "\r\n" else 1
        return text[:start] + text[end:]
    blank_before = start == body or not text[line_start(text, start - 1) : start].strip()
    if (
        not item
        and blank_before
        and end < len(text)
        and not text[end : line_end(text, end)].strip()
    ):
        end = next_line(text, end)
    return text[:start] + text[end:]


def _saying(
    text: str, structure: Structure, *, but: str = ""
) -> tuple[list[tuple[str, int, int, bool]], list[str]]:
    """The runs of text and the hidden blocks, in order; ``but`` is a line that is left out."""
    flat = flatten(text)
    said = []
    for region in structure.regions:
        held = [part.strip() for part in flat[region.start : region.end].split("\n")]
        if but:
            bare = _BULLET.sub("", but, count=1).strip() if region.item else but.strip()
            if bare in held:
                held.remove(bare)
                but = ""
        if held:
            said.append(("\n".join(held), int(region.kind), region.quotes, region.item))
    return said, [flat[start:end] for start, end in structure.hidden]


def _kept(text: str, line: str, correction: str, ending: str) -> str | None:
    """The text with the line and its correction last in the section; ``ending`` is for a text that has no line break left."""
    with_id = _BLOCK_ID.search(line) is not None
    if _BULLET.match(line):
        below = f"  - {correction.removeprefix('— ')}" if with_id else f"  {correction}"
    else:
        # A block id ends its paragraph; another line would take it from its place.
        below = f"\n{correction}" if with_id else correction
    addition = f"{line}\n{below}"
    try:
        if _has_section(text):
            edits = body_edit.append_text(text, addition, heading=SUPERSEDED)
        else:
            edits = body_edit.add_section(text, SUPERSEDED, addition)
        if not any(line_breaks(text)):
            edits = tuple(
                replace(edit, replacement=with_line_ending(edit.replacement, ending))
                for edit in edits
            )
        return apply_edits(text, edits)
    except (EditRefused, ValueError):
        return None


def _has_section(text: str) -> bool:
    headings = parse_note(text).headings
    return any(one.text.strip().lower() == SUPERSEDED.lower() for one in headings)


def _holds_all(before: str, after: str) -> bool:
    """Whether every line of text is still there, as often as before, and every block id, tag and task is read."""
    lines = [split_lines(text.removeprefix(BYTE_ORDER_MARK)) for text in (before, after)]
    if not _counts_in(*lines):
        return False
    old, new = parse_note(before), parse_note(after)
    return (
        {one.id for one in old.facts} == {one.id for one in new.facts}
        and {one.id for one in old.block_ids} <= {one.id for one in new.block_ids}
        and len(old.tags) == len(new.tags)
        and len(old.tasks) == len(new.tasks)
        and old.frontmatter.values == new.frontmatter.values
        and old.frontmatter.body_start == new.frontmatter.body_start
    )


def _counts_in(before: Sequence[str], after: Sequence[str]) -> bool:
    left: dict[str, int] = {}
    for line in after:
        left[line] = left.get(line, 0) + 1
    for line in before:
        if line.strip():
            left[line] = left.get(line, 0) - 1
            if left[line] < 0:
                return False
    return True
