"""All links of one note or canvas run through, and those that must change edited in place.

What has to change is decided by a :class:`Relinker`; here it is made, read back and compared: every other
link, and every part of a changed one that was not meant, must read as before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import Protocol

from vaultmem.notes.canvas import read_canvas
from vaultmem.notes.json_spans import JsonString, json_strings, json_text, splice_string
from vaultmem.notes.model import Link
from vaultmem.notes.parse import parse_note
from vaultmem.notes.paths import FileKind, file_kind
from vaultmem.notes.textedit import TextEdit, apply_edits


class EditReason(StrEnum):
    """Why a link is changed."""

    RENAMED = "renamed"
    """It leads to a file that gets another path (M-01)."""
    PINNED = "pinned"
    """It stands in a file that moves, and would lead elsewhere from there (M-13)."""
    STOLEN = "stolen"
    """The new name would take it over from another file (M-14)."""
    HEADING = "heading"
    """It leads to a heading that gets another text (M-24)."""


class PlanWarningCode(StrEnum):
    """What a person should look at before or after a rename."""

    AMBIGUOUS_LINK = "ambiguous-link"
    """Several files matched, and a tie rule chose the one the link is kept to (R-21)."""
    CANNOT_REWRITE = "cannot-rewrite"
    """No text that the link can hold leads to its file; it is left as it is."""
    UNREADABLE = "unreadable"
    """The file may hold links that should change, but is not readable text (G-06, F-04)."""
    OTHER_HEADING = "other-heading"
    """The link's heading is another one after the change."""


@dataclass(frozen=True, slots=True)
class PlanWarning:
    """One of them: where, and a sentence."""

    code: PlanWarningCode
    path: str
    """Of the file before the rename."""
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A link that changes: the whole of it as typed before and after, and the splices that do it."""

    edits: tuple[TextEdit, ...]
    reason: EditReason
    before: str
    after: str
    line: int
    """From 0, in the whole file; of a canvas, always 0."""


@dataclass(frozen=True, slots=True)
class FileEdits:
    """A file with links that change."""

    path: str
    """Before the rename."""
    new_path: str
    links: tuple[LinkChange, ...]

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """All splices, to be made at once on the file's text."""
        return tuple(edit for link in self.links for edit in link.edits)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a relinker wants of a link: the splices, and how the link must read afterwards."""

    edits: tuple[TextEdit, ...]
    link: Link
    """Its target, subpath and display text count."""
    reason: EditReason
    warning: PlanWarning | None = None


@dataclass(frozen=True, slots=True)
class CardRewrite:
    """What a relinker wants of a canvas card that names a file."""

    path: str
    subpath: str
    reason: EditReason


class Relinker(Protocol):
    """Decides what becomes of a link. A warning without a rewrite leaves the link as it is."""

    def rewrite(self, text: str, link: Link, source: str) -> Rewrite | PlanWarning | None:
        """For a link of the note or canvas card ``text`` in the file ``source``."""

    def card(self, path: str, subpath: str) -> CardRewrite | None:
        """For a canvas card or background that names the file ``path``."""


@dataclass(frozen=True, slots=True)
class Relinked:
    """The changes of one file, in order, and what to look at."""

    changes: tuple[LinkChange, ...]
    warnings: tuple[PlanWarning, ...]


def relink_file(path: str, text: str, relinker: Relinker) -> Relinked:
    """The changes that the relinker wants in a note or canvas; none in any other file (M-11)."""
    kind = file_kind(path)
    if kind is FileKind.NOTE:
        return _relink_note(path, text, relinker)
    if kind is FileKind.CANVAS:
        return _relink_canvas(path, text, relinker)
    return Relinked((), ())


# --- notes ---


def _relink_note(path: str, text: str, relinker: Relinker) -> Relinked:
    links = parse_note(text).links
    wanted: dict[int, Rewrite] = {}
    warnings: list[PlanWarning] = []
    for number, link in enumerate(links):
        answer = relinker.rewrite(text, link, path)
        if isinstance(answer, Rewrite):
            wanted[number] = answer
            warnings += [answer.warning] if answer.warning else []
        elif answer is not None:
            warnings.append(answer)
    if not _reads_as(text, links, wanted):
        sound = {
            number: one for number, one in wanted.items() if _reads_as(text, links, {number: one})
        }
        if not _reads_as(text, links, sound):
            sound = {}
        warnings += [
            cannot_rewrite(path, text, links[number]) for number in wanted if number not in sound
        ]
        wanted = sound
    changes = (_change(text, links[number], one) for number, one in sorted(wanted.items()))
    return Relinked(tuple(changes), tuple(warnings))


def _reads_as(text: str, links: Sequence[Link], wanted: dict[int, Rewrite]) -> bool:
    """Whether the text, edited, holds the same links but for what was wanted of some."""
    if not wanted:
        return True
    edits = chain.from_iterable(one.edits for one in wanted.values())
    try:
        after = parse_note(apply_edits(text, edits)).links
    except ValueError:
        return False
    expected = (wanted[n].link if n in wanted else link for n, link in enumerate(links))
    return [_meaning(link) for link in after] == [_meaning(link) for link in expected]


def _meaning(link: Link) -> tuple[object, ...]:
    return (
        link.kind,
        link.embed,
        link.target,
        link.subpath,
        link.display,
        link.size,
        link.key,
        link.relation,
    )


def _change(text: str, link: Link, rewrite: Rewrite) -> LinkChange:
    before = text[link.start : link.end]
    inside = (_shifted(edit, -link.start) for edit in rewrite.edits)
    return LinkChange(rewrite.edits, rewrite.reason, before, apply_edits(before, inside), link.line)


def _shifted(edit: TextEdit, shift: int) -> TextEdit:
    return TextEdit(edit.start + shift, edit.end + shift, edit.replacement)


def cannot_rewrite(path: str, text: str, link: Link) -> PlanWarning:
    """The warning for a link that has to stay as it is."""
    typed = text[link.start : link.end]
    message = f"{typed} cannot be made to lead to its file any more; it is left as it is."
    return PlanWarning(PlanWarningCode.CANNOT_REWRITE, path, message, link.line)


# --- canvases ---


def _relink_canvas(path: str, text: str, relinker: Relinker) -> Relinked:
    if read_canvas(text).warnings:
        message = f"{path} is no valid canvas; it is left as it is."
        return Relinked((), (PlanWarning(PlanWarningCode.UNREADABLE, path, message),))
    if not text.strip("\ufeff \t\r\n"):
        return Relinked((), ())
    start = 1 if text.startswith("\ufeff") else 0
    strings = json_strings(text, start)
    changes: list[LinkChange] = []
    warnings: list[PlanWarning] = []
    for number, node in enumerate(_nodes(text[start:])):
        cells = {name: strings.get(("nodes", number, name)) for name in _NAMES}
        kind = node.get("type")
        if kind == "file":
            changes += _card_changes(cells["file"], cells["subpath"], relinker)
        elif kind == "group":
            changes += _card_changes(cells["background"], None, relinker)
        elif kind == "text" and (cell := cells["text"]) is not None:
            card = _relink_note(path, cell.value, relinker)
            warnings += card.warnings
            changes += [_in_canvas(text, cell, change) for change in card.changes]
    return Relinked(tuple(changes), tuple(warnings))


_NAMES = ("file", "subpath", "background", "text")


def _nodes(text: str) -> Iterable[dict[str, object]]:
    canvas = json.loads(text)
    return (node if isinstance(node, dict) else {} for node in canvas.get("nodes", []))


def _card_changes(
    file: JsonString | None, subpath: JsonString | None, relinker: Relinker
) -> list[LinkChange]:
    if file is None:
        return []
    held = subpath.value if subpath is not None and subpath.value.startswith("#") else ""
    wanted = relinker.card(file.value, held)
    if wanted is None:
        return []
    edits = []
    if wanted.path != file.value:
        edits.append(TextEdit(file.start, file.end, json_text(wanted.path)))
    if subpath is not None and held != wanted.subpath:
        edits.append(TextEdit(subpath.start, subpath.end, json_text(wanted.subpath)))
    before, after = file.value + held, wanted.path + wanted.subpath
    return [LinkChange(tuple(edits), wanted.reason, before, after, 0)] if edits else []


def _in_canvas(text: str, cell: JsonString, change: LinkChange) -> LinkChange:
    return replace(change, edits=splice_string(text, cell, list(change.edits)), line=0)
