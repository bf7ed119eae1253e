"""From a note's text to all that it says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vaultmem.notes import fast_structure
from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem.notes.inline import Found, scan
from vaultmem.notes.marks import Marks, take_fields, take_marks
from vaultmem.notes.model import NoteWarning, ParsedNote, WarningCode
from vaultmem.notes.sections import cut_sections
from vaultmem.notes.structure import Structure, flatten, read_structure

HUGE_NOTE: Final = 1_000_000
"""Characters; a longer note is read line by line, by rules that are right for all but odd nesting."""


def parse_note(text: str, *, template: bool = False) -> ParsedNote:
    """All that a note's text says: properties, links, headings, tags, tasks, fields, facts, sections.

    Links and tags: those of the properties first, in the order of the keys, then those of the body in
    order of position (T-20). ``template`` says that the note lies in the templates folder, where faulty
    properties are normal (P-21). A note past ``HUGE_NOTE`` characters gets a warning and is read in
    linear time. Never raises, whatever the text.
    """
    frontmatter = read_frontmatter(text, template=template)
    flat = flatten(text)
    warnings = frontmatter.warnings
    body_start = frontmatter.body_start
    if len(text) > HUGE_NOTE:
        message = f"Longer than {HUGE_NOTE:,} characters: its blocks are read in a simpler way."
        warnings = (*warnings, NoteWarning(WarningCode.HUGE_NOTE, message))
        structure = fast_structure.read_roughly(flat, body_start)
    else:
        structure = fast_structure.read(flat, body_start) or read_structure(flat, body_start)
    found, marks = _read_regions(flat, structure)
    first_line = flat.count("\n", 0, body_start)
    return ParsedNote(
        frontmatter,
        (*frontmatter.links, *found.links),
        tuple(structure.headings),
        tuple(marks.block_ids),
        (*frontmatter.tags, *found.tags),
        tuple(marks.tasks),
        tuple(marks.fields),
        tuple(marks.facts),
        cut_sections(flat, body_start, first_line, structure.headings, structure.hidden),
        _united(structure.hidden, found.hidden),
        warnings,
    )


def _read_regions(flat: str, structure: Structure) -> tuple[Found, Marks]:
    found, marks = Found(), Marks()
    has_fields = "::" in flat
    has_block_ids = "^" in flat
    for region in structure.regions:
        links, hidden = len(found.links), len(found.hidden)
        scan(flat, region, found)
        if has_block_ids or region.item:
            take_marks(flat, region, marks)
        if has_fields:
            its_links = found.links[links:]
            take_fields(flat, region, found.hidden[hidden:], its_links, marks)
            found.links[links:] = its_links
    return found, marks


def _united(
    blocks: list[tuple[int, int]], inline: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """All spans in order, overlapping ones made one."""
    united: list[tuple[int, int]] = []
    for start, end in sorted([*blocks, *inline]):
        if united and start < united[-1][1]:
            if end > united[-1][1]:
                united[-1] = (united[-1][0], end)
        else:
            united.append((start, end))
    return tuple(united)
