"""Renaming a heading together with the links to it (M-24). A heading edited by hand updates nothing (H-10)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from vaultmem.notes.link_edits import (
    CardRewrite,
    EditReason,
    FileEdits,
    LinkChange,
    PlanWarning,
    PlanWarningCode,
    Rewrite,
    relink_file,
)
from vaultmem.notes.linktext import heading_for_link
from vaultmem.notes.model import Heading, Link, ParsedNote
from vaultmem.notes.parse import parse_note
from vaultmem.notes.paths import FileKind, file_kind
from vaultmem.notes.refusal import EditRefused, RefusalCode
from vaultmem.notes.relink import segment_text, subpath_segments
from vaultmem.notes.rename import ReadText, RenamePlan
from vaultmem.notes.resolve import Lookup, affected_name_keys, resolve, resolve_exact
from vaultmem.notes.structure import heading_bounds
from vaultmem.notes.subpath import follow_chain, heading_key
from vaultmem.notes.targets import HeadingPlace, find_heading
from vaultmem.notes.textedit import (
    TextEdit,
    apply_edits,
    in_order,
    line_end,
    line_start,
    next_line,
)
from vaultmem.notes.yaml_render import UnwritableValue, check_writable_text


def heading_link_keys(path: str) -> frozenset[str]:
    """The ``link_name_key`` values of the links that may lead to a heading of the note."""
    return frozenset(affected_name_keys(path))


def plan_heading_rename(
    path: str,
    old: str,
    new: str,
    *,
    lookup: Lookup,
    sources: Iterable[str],
    read: ReadText,
) -> RenamePlan:
    """The plan for giving a heading another text, links to it included, chains through it too.

    ``old`` is the heading's text, or a chain ``Above#Below`` where it alone is not the only one. ``sources``
    are the notes and canvases with a link of one of the :func:`heading_link_keys` (more do no harm); the note
    itself is added here. A block id at the heading's end stays. No moves; nothing at all when the heading is
    already so.

    Raises EditRefused: ``missing``, ``no-match``, ``many-matches``, ``unwritable-value`` for a text that
    cannot be a heading, ``unsafe-edit`` when it would not be read as this heading there.
    """
    text = read(path)
    if text is None or file_kind(path) is not FileKind.NOTE:
        raise EditRefused(RefusalCode.MISSING, f"There is no readable note {path}.")
    note = parse_note(text)
    place = find_heading(text, note, old)
    words = _with_block_id(_heading_text(new), place.heading.text)
    edit = _heading_edit(text, place.heading, words)
    if text[edit.start : edit.end] == edit.replacement:
        return RenamePlan(())
    after = _checked(text, note, place, edit, words)
    relinker = _HeadingRenamer(path, place, note, after, lookup)
    own = LinkChange(
        (edit,),
        EditReason.HEADING,
        text[place.heading.start : place.heading.end].rstrip("\r\n"),
        _first_line(apply_edits(text, (edit,))[place.heading.start :]),
        place.heading.line,
    )
    files: list[FileEdits] = []
    warnings: list[PlanWarning] = []
    for source in sorted({*sources, path}):
        held = text if source == path else read(source)
        if held is None:
            message = f"{source} is not readable text; links in it are not updated."
            warnings.append(PlanWarning(PlanWarningCode.UNREADABLE, source, message))
            continue
        relinked = relink_file(source, held, relinker)
        warnings += relinked.warnings
        changes = relinked.changes
        if source == path:
            changes = _with_own(own, changes, place.heading)
        if changes:
            files.append(FileEdits(source, source, changes))
    return RenamePlan((), tuple(files), tuple(warnings))


# --- the heading itself ---


def _first_line(text: str) -> str:
    return text[: line_end(text, 0)]


_BLOCK_ID: Final = re.compile(r"[ \t]+\^[A-Za-z0-9-]+\Z")


def _heading_text(new: str) -> str:
    words = " ".join(new.split())
    try:
        check_writable_text(words)
    except UnwritableValue as fault:
        raise EditRefused(RefusalCode.UNWRITABLE_VALUE, f"No heading can be so. {fault}") from fault
    if not heading_key(words):
        raise EditRefused(
            RefusalCode.UNWRITABLE_VALUE, f"{new!r} cannot be a heading that links lead to."
        )
    return words


def _with_block_id(words: str, old: str) -> str:
    block_id = _BLOCK_ID.search(old)
    return words if block_id is None or _BLOCK_ID.search(words) else words + block_id[0]


def _heading_edit(text: str, heading: Heading, words: str) -> TextEdit:
    """The edit of the heading's text alone: marks, blanks and the underline stay."""
    first_end = line_end(text, heading.start)
    indent = len(text[heading.start : first_end]) - len(text[heading.start : first_end].lstrip(" "))
    start = heading.start + indent
    if next_line(text, heading.start) >= heading.end and text.startswith("#", start):
        _, text_start, text_end = heading_bounds(text, start, first_end)
        lead = "" if text_start > start and text[text_start - 1] in " \t" else " "
        return TextEdit(text_start, text_end, lead + words)
    # Text over one or more lines, with an underline below them.
    underline = line_start(text, len(text[: heading.end].rstrip("\r\n")))
    held = text[start:underline]
    return TextEdit(start, start + len(held.rstrip()), words)


def _checked(
    text: str, note: ParsedNote, place: HeadingPlace, edit: TextEdit, words: str
) -> ParsedNote:
    """The note as edited, if all its headings are as before but the one."""
    after = parse_note(apply_edits(text, (edit,)))
    expected = [
        (one.level, words if one.start == place.heading.start else one.text)
        for one in note.headings
    ]
    if [(one.level, one.text) for one in after.headings] != expected:
        raise EditRefused(
            RefusalCode.UNSAFE_EDIT,
            f"{words!r} would not be read as this heading; nothing was changed.",
        )
    return after


def _with_own(
    own: LinkChange, changes: tuple[LinkChange, ...], heading: Heading
) -> tuple[LinkChange, ...]:
    """The heading's change among those of its note's links; a link inside it goes with the old text."""
    others = (
        change
        for change in changes
        if not any(heading.start <= edit.start < heading.end for edit in change.edits)
    )
    return tuple(sorted((own, *others), key=lambda change: change.edits[0].start))


# --- the links ---


@dataclass(frozen=True, slots=True)
class _HeadingRenamer:
    """Changes those segments of a chain that mean the heading."""

    path: str
    place: HeadingPlace
    note: ParsedNote
    after: ParsedNote
    lookup: Lookup

    def rewrite(self, text: str, link: Link, source: str) -> Rewrite | PlanWarning | None:
        if "#" not in link.subpath or resolve(link.target, source, self.lookup).path != self.path:
            return None
        segments = subpath_segments(text, link)
        means = self._meant([shown for shown, _, _ in segments])
        if means is None:
            return None
        number, target = means
        new = self._new_segments([shown for shown, _, _ in segments], number)
        _, start, end = segments[number]
        edit = TextEdit(start, end, segment_text(text, link, new[number]))
        if not in_order(text, (edit,)):
            return None
        expected = replace(link, subpath=_subpath_after(link.subpath, number, new[number]))
        warning = self._warning(text, link, source, new, target)
        return Rewrite((edit,), expected, EditReason.HEADING, warning)

    def card(self, path: str, subpath: str) -> CardRewrite | None:
        if resolve_exact(path, self.lookup).path != self.path:
            return None
        segments = [part.strip() for part in subpath.split("#") if part.strip()]
        means = self._meant(segments)
        if means is None:
            return None
        number, _ = means
        new = self._new_segments(segments, number)[number]
        return CardRewrite(path, _subpath_after(subpath, number, new), EditReason.HEADING)

    def _meant(self, chain: list[str]) -> tuple[int, Heading] | None:
        """Which segment means the heading, and where the chain ends; None when none does (H-01 to H-03)."""
        key = heading_key(self.place.heading.text)
        if not chain or chain[-1].startswith(("^", "[^")):
            return None
        if key not in map(heading_key, chain):
            return None
        met = follow_chain(chain, self.note.headings) or []
        for number, heading in enumerate(met):
            if heading.start == self.place.heading.start:
                return number, met[-1]
        return None

    def _new_segments(self, chain: list[str], number: int) -> list[str]:
        words = self._renamed(self.place.heading.line)
        return [*chain[:number], heading_for_link(words), *chain[number + 1 :]]

    def _renamed(self, line: int) -> str:
        for number, heading in enumerate(self.note.headings):
            if heading.line == line:
                return self.after.headings[number].text
        return ""

    def _warning(
        self, text: str, link: Link, source: str, chain: list[str], was: Heading
    ) -> PlanWarning | None:
        """A warning when the new chain ends at another heading than the old one did."""
        wanted = next(
            number
            for number, heading in enumerate(self.note.headings)
            if heading.start == was.start
        )
        met = follow_chain(chain, self.after.headings)
        if met is not None and met[-1].start == self.after.headings[wanted].start:
            return None
        typed = text[link.start : link.end]
        message = f"{typed} will lead to another heading of the same words."
        return PlanWarning(PlanWarningCode.OTHER_HEADING, source, message, link.line)


def _subpath_after(subpath: str, number: int, new: str) -> str:
    """The subpath with one of its segments that are not blank replaced, blanks around it kept."""
    parts = subpath.split("#")
    held = [place for place, part in enumerate(parts) if part.strip()]
    place = held[number]
    part = parts[place]
    lead = part[: len(part) - len(part.lstrip())]
    tail = part[len(part.rstrip()) :]
    parts[place] = lead + new + tail
    return "#".join(parts)
