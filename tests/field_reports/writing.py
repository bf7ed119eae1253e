"""The write path as cases use it. To plug in a call: write its function and enter it in ``WRITERS``.

Each function takes the vault and the step's own keys, and raises the library's errors. A step that is not in
``WRITERS`` yet makes its case count as skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.field_reports.case import Details, FaultError
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.note_edit import (
    AddSection,
    AppendText,
    DeleteBlock,
    InsertText,
    NoteChange,
    ReplaceBlock,
    ReplaceSection,
    ReplaceText,
)
from vaultmem.notes.property_edit import AddItem, RemoveItem, RemoveProperty, SetProperty
from vaultmem.vault import Vault

Writer = Callable[[Vault, Details], object]

WRITE_STEPS: Final[Mapping[str, str]] = {
    "edit_note": "path; op: append (text), set_property (key, value), replace, insert_under_heading …",
    "create_note": "title, text, folder (optional); refused when a note of that name exists (N-08, M-17)",
    "rename_note": "path, to: the cascade of M-01 to M-19, case-only renames included",
    "rename_folder": "path, to: M-15",
    "delete_note": "path: to the trash, D-07",
    "undo": "event (optional): the last one without it",
}
"""Every step that writes through the product, with the keys that its call gets."""


def edit_note(vault: Vault, step: Details) -> object:
    op = step.text("op")
    if op not in EDITS:
        raise FaultError(f"edit_note knows no op {op!r}")
    return vault.edits.edit(step.text("path"), [EDITS[op](step)])


def _value(step: Details, key: str) -> PropertyValue:
    value = step.held.get(key)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, list) and all(isinstance(item, (str, int, float, bool)) for item in value):
        return list(value)
    raise FaultError(f"{key!r} is no property's value")


def _append(step: Details) -> NoteChange:
    return AppendText(step.text("text"), step.text("heading") if step.has("heading") else None)


EDITS: Final[Mapping[str, Callable[[Details], NoteChange]]] = {
    "append": _append,
    "set_property": lambda step: SetProperty(step.text("key"), _value(step, "value")),
    "remove_property": lambda step: RemoveProperty(step.text("key")),
    "add_item": lambda step: AddItem(step.text("key"), _value(step, "value")),
    "remove_item": lambda step: RemoveItem(step.text("key"), _value(step, "value")),
    "replace": lambda step: ReplaceText(step.text("old"), step.text("new")),
    "insert_under_heading": lambda step: InsertText(step.text("heading"), step.text("text")),
    "replace_section": lambda step: ReplaceSection(step.text("heading"), step.text("text")),
    "add_section": lambda step: AddSection(step.text("heading"), step.text("text", "")),
    "replace_block": lambda step: ReplaceBlock(step.text("block"), step.text("text")),
    "delete_block": lambda step: DeleteBlock(step.text("block")),
}
"""What ``edit_note`` can do, by its ``op``."""


def create_note(vault: Vault, step: Details) -> object:
    folder = step.text("folder", "").strip("/")
    title = step.text("title")
    return vault.edits.create(f"{folder}/{title}" if folder else title, step.text("text", ""))


def rename_note(vault: Vault, step: Details) -> object:
    return vault.edits.rename(step.text("path"), step.text("to"))


def rename_folder(vault: Vault, step: Details) -> object:
    return vault.edits.rename(step.text("path").rstrip("/") + "/", step.text("to"))


def delete_note(vault: Vault, step: Details) -> object:
    return vault.edits.remove(step.text("path"))


def undo(vault: Vault, step: Details) -> object:
    return vault.history.undo([step.text("event", "last")])


WRITERS: Final[Mapping[str, Writer]] = {
    "edit_note": edit_note,
    "create_note": create_note,
    "rename_note": rename_note,
    "rename_folder": rename_folder,
    "delete_note": delete_note,
    "undo": undo,
}
"""Those that are there."""

NOT_YET: Final = "write path not there yet"
