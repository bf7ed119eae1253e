"""What can be done to one note, as values, and the plan of several such changes at once.

The changes are made one after the other, each on the text that the one before left, and all of them or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from vaultmem.notes import body_edit
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.paths import FileKind, file_kind
from vaultmem.notes.property_edit import (
    AddItem,
    PropertyChange,
    RemoveItem,
    RemoveProperty,
    SetProperty,
    plan_property_edit,
)
from vaultmem.notes.refusal import EditRefused, RefusalCode
from vaultmem.notes.textedit import ByteEdit, TextEdit, apply_edits, byte_edits


@dataclass(frozen=True, slots=True)
class AppendText:
    """Put the text last in the note, or last in a heading's own text."""

    text: str
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class InsertText:
    """Put the text first under a heading."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceSection:
    """Give a heading another text; with ``subsections`` in place of its deeper headings, too."""

    heading: str
    text: str
    subsections: bool = False


@dataclass(frozen=True, slots=True)
class AddSection:
    """Put a new heading with its text last in the note, or last in the section ``under``."""

    heading: str
    text: str = ""
    level: int = 2
    under: str | None = None


@dataclass(frozen=True, slots=True)
class ReplaceBlock:
    """Give the line of a block id another text."""

    block_id: str
    text: str


@dataclass(frozen=True, slots=True)
class DeleteBlock:
    """Take the line of a block id away."""

    block_id: str


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """Put another text in place of one that stands exactly once in the body."""

    old: str
    new: str


BodyChange: TypeAlias = (
    AppendText | InsertText | ReplaceSection | AddSection | ReplaceBlock | DeleteBlock | ReplaceText
)
NoteChange: TypeAlias = PropertyChange | BodyChange


@dataclass(frozen=True, slots=True)
class NoteEdit:
    """The text after all changes."""

    text: str
    edits: tuple[ByteEdit, ...] = ()
    """What one change does to the bytes; empty when nothing changes, and for several changes, whose splices are
    not those of one text."""


def plan_note_edit(
    text: str,
    changes: Sequence[NoteChange],
    *,
    path: str,
    settings: ObsidianSettings,
    allow_template: bool = False,
) -> NoteEdit:
    """The note's text once the changes are made, in their order.

    ``allow_template`` says that the user named this very file, so that a template may be changed (E-17).
    Raises EditRefused as :func:`plan_property_edit` and the functions of ``body_edit`` do.
    """
    after = text
    edits: tuple[TextEdit, ...] = ()
    for change in changes:
        if isinstance(change, (SetProperty, RemoveProperty, AddItem, RemoveItem)):
            edits = plan_property_edit(
                after, change, path=path, settings=settings, allow_template=allow_template
            )
        else:
            _check_file(path, settings, allow_template=allow_template)
            edits = _body_edits(after, change)
        after = apply_edits(after, edits)
    return NoteEdit(after, byte_edits(text, edits) if len(changes) == 1 else ())


def _check_file(path: str, settings: ObsidianSettings, *, allow_template: bool) -> None:
    if file_kind(path) is not FileKind.NOTE:
        raise EditRefused(RefusalCode.NOT_A_NOTE, f"{path} is no note: only .md files are edited.")
    if settings.in_templates(path) and not allow_template:
        raise EditRefused(
            RefusalCode.TEMPLATE_FOLDER,
            f"{path} lies in the templates folder and is left alone.",
            hint="Name the template itself, by its path, to change it.",
        )


def _body_edits(text: str, change: BodyChange) -> tuple[TextEdit, ...]:
    match change:
        case AppendText(added, heading):
            return body_edit.append_text(text, added, heading=heading)
        case InsertText(heading, added):
            return body_edit.insert_under_heading(text, heading, added)
        case ReplaceSection(heading, new, subsections):
            return body_edit.replace_section(text, heading, new, subsections=subsections)
        case AddSection(heading, body, level, under):
            return body_edit.add_section(text, heading, body, level=level, under=under)
        case ReplaceBlock(block_id, new):
            return body_edit.replace_block(text, block_id, new)
        case DeleteBlock(block_id):
            return body_edit.delete_block(text, block_id)
        case ReplaceText(old, new):
            return body_edit.replace_text(text, old, new)
