"""Where in a note an edit is meant to go: a heading, a block, an exact text, each found exactly once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.notes import fast_structure
from vaultmem.notes.model import BlockId, Heading, ParsedNote
from vaultmem.notes.parse import HUGE_NOTE
from vaultmem.notes.refusal import Candidate, EditRefused, RefusalCode
from vaultmem.notes.structure import Region, Structure, flatten, read_structure
from vaultmem.notes.subpath import heading_key
from vaultmem.notes.textedit import line_end, line_number, line_start


@dataclass(frozen=True, slots=True)
class HeadingPlace:
    """A heading and the headings above it, outermost first, itself last."""

    heading: Heading
    above: tuple[Heading, ...]

    @property
    def path(self) -> tuple[str, ...]:
        """The texts of the headings that lead to it, its own last."""
        return tuple(heading.text for heading in self.above)


def heading_places(headings: Iterable[Heading]) -> Iterator[HeadingPlace]:
    """Each heading of a note with those it stands below."""
    above: list[Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield HeadingPlace(heading, tuple(above))


def find_heading(text: str, note: ParsedNote, wanted: str) -> HeadingPlace:
    """The one heading that ``wanted`` means: its text, or a chain ``Above#Below`` of headings that it stands below
    (H-01).

    One written to the letter as wanted wins over others that are alike without marks and case.

    Raises EditRefused, ``no-match`` with all headings or ``many-matches`` with those that match.
    """
    places = list(heading_places(note.headings))
    chain = [part.strip() for part in wanted.split("#") if part.strip()]
    found = [place for place in places if _ends_chain(place, chain)]
    if not found:  # a "#" in the heading's own text
        whole = heading_key(wanted)
        found = [place for place in places if whole and heading_key(place.heading.text) == whole]
    if not found:  # named without the block id at its end
        whole = heading_key(wanted)
        found = [p for p in places if whole and heading_key(_without_id(p.heading.text)) == whole]
    exact = [place for place in found if place.heading.text == wanted.strip()]
    if len(exact) == 1:
        return exact[0]
    if len(found) == 1:
        return found[0]
    shown = tuple(_heading_candidate(text, place) for place in found or places)
    raise not_once(f"heading {wanted!r}", len(found), shown)


def _without_id(heading: str) -> str:
    return _BLOCK_ID.sub("", heading)


_BLOCK_ID: Final = re.compile(r"[ \t]+\^[A-Za-z0-9-]+\Z")


def _ends_chain(place: HeadingPlace, chain: Sequence[str]) -> bool:
    """Whether the chain's last segment is the heading's text and the others are, in order, among those above it.

    Stricter than a link (H-02): what is about to be edited must stand in the section that was named.
    """
    if not chain or heading_key(chain[-1]) != heading_key(place.heading.text):
        return False
    above = iter([heading_key(text) for text in place.path[:-1]])
    return all(heading_key(segment) in above for segment in chain[:-1])


def find_block(text: str, note: ParsedNote, wanted: str) -> BlockId:
    """The one block of that id, its ``^`` given or not, case ignored (H-08).

    Raises EditRefused, ``no-match`` with all ids or ``many-matches`` with those of that id.
    """
    key = wanted.strip().removeprefix("^").lower()
    found = [block for block in note.block_ids if block.id.lower() == key]
    if len(found) == 1:
        return found[0]
    shown = tuple(candidate(text, note, block.start) for block in found or note.block_ids)
    raise not_once(f"block id ^{key}", len(found), shown)


def find_text(text: str, note: ParsedNote, wanted: str) -> tuple[int, int]:
    """Where the exact text stands in the body; a line break in it matches any kind of line break.

    Raises EditRefused, ``no-match`` or ``many-matches`` with the places; texts that overlap are counted.
    """
    if not wanted:
        raise not_once("empty text", 0, ())
    lines = re.split(r"\r\n|\r|\n", wanted)
    pattern = re.compile(r"(?=(" + r"(?:\r\n|\r|\n)".join(map(re.escape, lines)) + "))")
    found = [match.span(1) for match in pattern.finditer(text, note.frontmatter.body_start)]
    if len(found) == 1:
        return found[0]
    shown = tuple(candidate(text, note, start) for start, _ in found[:20])
    raise not_once(f"text {wanted[:60]!r}", len(found), shown)


def candidate(text: str, note: ParsedNote, at: int) -> Candidate:
    """The line at the offset, and the headings it stands under."""
    path: tuple[str, ...] = ()
    for place in heading_places(note.headings):
        if place.heading.start > at:
            break
        path = place.path
    line = text[line_start(text, at) : line_end(text, at)]
    return Candidate(path, line_number(text, at), line.strip())


def _heading_candidate(text: str, place: HeadingPlace) -> Candidate:
    start = place.heading.start
    return Candidate(place.path, place.heading.line, text[start : line_end(text, start)].strip())


def not_once(what: str, count: int, candidates: tuple[Candidate, ...]) -> EditRefused:
    """The refusal of a target that is there not at all or more than once."""
    if count:
        message = f"The {what} is there {count} times; nothing was changed."
        hint = "Say which one, with the headings above it or more of its text."
        if what.startswith("heading") and len({place.heading_path for place in candidates}) == 1:
            hint = "They are alike, and so is all above them: give one another text by hand first."
        return EditRefused(RefusalCode.MANY_MATCHES, message, hint=hint, candidates=candidates)
    message = f"There is no {what} in the note; nothing was changed."
    return EditRefused(RefusalCode.NO_MATCH, message, candidates=candidates)


def structure_of(text: str, body_start: int) -> Structure:
    """The blocks of a note's body, read as :func:`vaultmem.notes.parse.parse_note` reads them."""
    flat = flatten(text)
    if len(text) > HUGE_NOTE:
        return fast_structure.read_roughly(flat, body_start)
    return fast_structure.read(flat, body_start) or read_structure(flat, body_start)


def region_at(structure: Structure, at: int) -> Region | None:
    """The run of text that holds the offset."""
    for region in structure.regions:
        if region.start <= at < region.end:
            return region
    return None
