"""Changing one property of a note: only the lines of that property (E-01 to E-19).

The block is never written anew. The edit is planned as splices, made on a copy, read back, and given out
only if the note then says exactly what it said before with the one change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from vaultmem.notes import yaml_render
from vaultmem.notes.frontmatter import BYTE_ORDER_MARK, read_frontmatter
from vaultmem.notes.model import Frontmatter, FrontmatterState, PropertyValue, WarningCode
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.paths import FileKind, file_kind
from vaultmem.notes.refusal import EditRefused, RefusalCode
from vaultmem.notes.tagtext import is_tag_name
from vaultmem.notes.textedit import TextEdit, apply_edits, line_ending
from vaultmem.notes.yaml_render import UnwritableValue
from vaultmem.notes.yaml_spans import Node, NodeKind, node_tree
from vaultmem.notes.yaml_splice import CannotSplice, Splicer, same_value


@dataclass(frozen=True, slots=True)
class SetProperty:
    """Give the property this value, whatever it had; ``tags`` and ``aliases`` get a list (E-12)."""

    key: str
    value: PropertyValue


@dataclass(frozen=True, slots=True)
class RemoveProperty:
    """Take the property away, and the block with the last one (E-09)."""

    key: str


@dataclass(frozen=True, slots=True)
class AddItem:
    """Put the item last in the property's list, unless it is there (E-13)."""

    key: str
    item: PropertyValue


@dataclass(frozen=True, slots=True)
class RemoveItem:
    """Take the item out of the property's list, wherever it stands in it."""

    key: str
    item: PropertyValue


PropertyChange: TypeAlias = SetProperty | RemoveProperty | AddItem | RemoveItem


def plan_property_edit(
    text: str,
    change: PropertyChange,
    *,
    path: str,
    settings: ObsidianSettings,
    allow_template: bool = False,
) -> tuple[TextEdit, ...]:
    """The edits, in order, that make the change in the note's text; none when it is so already (E-08).

    ``allow_template`` says that the user named this very file, so that a template may be changed (E-17).

    Raises EditRefused: ``not-a-note``, ``template-folder``, ``ambiguous-frontmatter``,
    ``invalid-frontmatter``, ``json-frontmatter`` as the rules E-07 and E-15 to E-18 say; ``not-a-list`` for an
    item of a value that is none; ``unwritable-value``; and ``unsafe-edit`` when no splice makes just this
    change (a value that an anchor shares, say).
    """
    _check_file(path, settings, allow_template)
    block = read_frontmatter(text)
    _check_block(text, block, path)
    try:
        wanted = _wanted(block.values, change)
    except UnwritableValue as fault:
        raise EditRefused(
            RefusalCode.UNWRITABLE_VALUE, f"{path} was not changed. {fault}"
        ) from fault
    if wanted is None:
        return ()
    for attempt in (_finely, _coarsely):
        try:
            edits = tuple(attempt(text, block, wanted))
            if _makes_just(edits, text, block, wanted):
                return edits
        except (CannotSplice, ValueError):
            continue
    raise EditRefused(
        RefusalCode.UNSAFE_EDIT,
        f"{path}: {wanted.key} was not changed: as it is written there, other properties would change too.",
        hint="Edit it by hand; the note says it with an anchor, an alias or a key over several lines.",
    )


# --- what may not be edited ---


def _check_file(path: str, settings: ObsidianSettings, allow_template: bool) -> None:
    if file_kind(path) is not FileKind.NOTE:
        raise EditRefused(
            RefusalCode.NOT_A_NOTE, f"{path} is no note: only .md files have properties."
        )
    if settings.in_templates(path) and not allow_template:
        raise EditRefused(
            RefusalCode.TEMPLATE_FOLDER,
            f"{path} lies in the templates folder and is left alone.",
            hint="Name the template itself to change it.",
        )


def _check_block(text: str, block: Frontmatter, path: str) -> None:
    if block.state is FrontmatterState.INVALID:
        raise EditRefused(
            RefusalCode.INVALID_FRONTMATTER,
            f"{path} was not changed: {' '.join(warning.message for warning in block.warnings)}",
            hint="Mend its properties by hand first.",
        )
    if any(warning.code is WarningCode.NEAR_MISS_FRONTMATTER for warning in block.warnings):
        raise EditRefused(
            RefusalCode.AMBIGUOUS_FRONTMATTER,
            f"{path} was not changed: its property block does not start the file or has blanks at its fences.",
            hint="Put --- on the very first line, without blanks.",
        )
    if block.is_json or _is_flow(text, block):
        raise EditRefused(
            RefusalCode.JSON_FRONTMATTER,
            f"{path} was not changed: its properties are written as JSON, which Obsidian turns into YAML.",
            hint="Change one property in Obsidian first.",
        )


def _is_flow(text: str, block: Frontmatter) -> bool:
    if block.state is not FrontmatterState.OK or "{" not in text[: block.inner_end]:
        return False
    root = node_tree(text, block.inner_start, block.inner_end)
    return root is not None and root.flow


# --- what is wanted ---

_LISTS: Final = frozenset(("tags", "aliases"))
_ANY_CASE: Final = frozenset(("tags", "aliases", "cssclasses"))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The change in terms of what stands there."""

    key: str
    """As written in the note, or as asked for a new one."""
    value: PropertyValue
    removed: bool
    values: dict[str, PropertyValue]
    """All properties afterwards, in order."""
    emptied: bool = False
    """The last item of the list goes: the key may stay with nothing behind it (E-19)."""


def _wanted(values: Mapping[str, PropertyValue], change: PropertyChange) -> _Wanted | None:
    """What to do; None when it is so already. Raises UnwritableValue, EditRefused (``not-a-list``)."""
    key = _key_in(values, change.key)
    if isinstance(change, RemoveProperty):
        if key not in values:
            return None
        left = {name: value for name, value in values.items() if name != key}
        return _Wanted(key, None, True, left)
    if isinstance(change, SetProperty):
        if key in values and same_value(values[key], change.value):
            return None
        value = _listed(key, change.value)
    else:
        items = _items(key, values.get(key))
        item = _item(key, change.item)
        add = isinstance(change, AddItem)
        # Whether it is there is asked of what stands there, before anything is split.
        held = [other for other in items if _same_item(key, other, item)]
        if bool(held) is add:
            return None
        value = [*items, item] if add else [other for other in items if other not in held]
    if key in values and same_value(values[key], value):
        return None
    yaml_render.check_key(key)
    yaml_render.check_writable(value)
    emptied = isinstance(change, RemoveItem) and value == []
    return _Wanted(key, value, False, {**values, key: value}, emptied)


def _key_in(values: Mapping[str, PropertyValue], key: str) -> str:
    """The key as written in the note: exactly so, or for a few in any case (E-14)."""
    if key not in values and key.lower() in _ANY_CASE:
        for written in values:
            if written.lower() == key.lower():
                return written
    return key


def _listed(key: str, value: PropertyValue) -> PropertyValue:
    """The value to set; a single one of ``tags`` and ``aliases`` as a list (E-12)."""
    if key.lower() not in _LISTS or value is None or isinstance(value, list | dict):
        return value
    return [value]


def _items(key: str, value: PropertyValue) -> list[PropertyValue]:
    """The items of a property that is a list, or becomes one (E-12). Raises EditRefused for any other."""
    if value is None or isinstance(value, list):
        return value or []
    if key.lower() not in _LISTS or isinstance(value, dict):
        raise EditRefused(
            RefusalCode.NOT_A_LIST, f"{key} is no list, so it has no items: nothing was changed."
        )
    if key.lower() == "tags" and isinstance(value, str):
        names: list[PropertyValue] = [name for name in re.split(r"[,\s]+", value) if name]
        # Obsidian once read tags so; a text that is not a row of tags stays whole.
        if all(is_tag_name(str(name).removeprefix("#")) for name in names):
            return names
    return [value]


def _item(key: str, item: PropertyValue) -> PropertyValue:
    if key.lower() == "tags" and isinstance(item, str):
        return item.strip().removeprefix("#")
    return item


def _same_item(key: str, one: PropertyValue, other: PropertyValue) -> bool:
    """Whether two items are one and the same: for tags without regard to case and ``#`` (E-13)."""
    if key.lower() == "tags" and isinstance(one, str) and isinstance(other, str):
        return one.strip().removeprefix("#").lower() == other.strip().removeprefix("#").lower()
    return same_value(one, other)


# --- how it is done ---

_Attempt: TypeAlias = "Callable[[str, Frontmatter, _Wanted], list[TextEdit]]"


def _finely(text: str, block: Frontmatter, wanted: _Wanted) -> list[TextEdit]:
    """Edits that spare every item and entry that stays."""
    return _edits(text, block, wanted, coarse=False)


def _coarsely(text: str, block: Frontmatter, wanted: _Wanted) -> list[TextEdit]:
    """Edits that put the whole value anew."""
    return _edits(text, block, wanted, coarse=True)


def _edits(text: str, block: Frontmatter, wanted: _Wanted, *, coarse: bool) -> list[TextEdit]:
    if block.state is FrontmatterState.NONE:
        return [_new_block(text, block, wanted)]
    if wanted.removed and not wanted.values and (edit := _without_block(text, block)):
        return [edit]
    ending = _fence_ending(text, block)
    splicer = Splicer(text, ending)
    root = node_tree(text, block.inner_start, block.inner_end)
    found = _entry(root, block.values, wanted.key)
    if found is None:
        indent = splicer.indent_of(root.children[0].start) if root and root.children else ""
        lines = yaml_render.entry_lines(wanted.key, wanted.value, indent)
        splicer.insert_lines(block.inner_end, lines)
        return splicer.edits
    key, value = found
    if wanted.removed:
        splicer.remove_entry(key, value)
        return splicer.edits
    new = None if wanted.emptied and not value.flow else wanted.value
    slot = splicer.slot_of(key)
    if coarse:
        splicer.replace(value, new, slot)
    else:
        splicer.change(value, block.values[wanted.key], new, slot)
    return splicer.edits


def _entry(
    root: Node | None, values: Mapping[str, PropertyValue], key: str
) -> tuple[Node, Node] | None:
    """Key and value as they stand in the block; None when the key is new."""
    if root is None or key not in values:
        return None
    if root.kind is not NodeKind.MAP or len(root.children) != 2 * len(values):
        raise CannotSplice
    return list(root.entries())[list(values).index(key)]


def _fence_ending(text: str, block: Frontmatter) -> str:
    """The line break of the opening fence (E-05)."""
    start = block.inner_start
    return "\r\n" if text[start - 2 : start] == "\r\n" else text[start - 1]


def _new_block(text: str, block: Frontmatter, wanted: _Wanted) -> TextEdit:
    """A block at the very top, above a body that keeps its bytes (E-06)."""
    ending = line_ending(text)
    lines = ["---", *yaml_render.entry_lines(wanted.key, wanted.value, ""), "---"]
    return TextEdit(block.body_start, block.body_start, "".join(line + ending for line in lines))


def _without_block(text: str, block: Frontmatter) -> TextEdit | None:
    """The edit that takes the block away with its last property; None when something is left to stay.

    A comment is something. So is an empty block above a body that would itself be read as one.
    """
    root = node_tree(text, block.inner_start, block.inner_end)
    if root is None or not root.children:
        return None
    splicer = Splicer(text, "\n")
    splicer.remove_entry(*next(root.entries()))
    inner_edits = splicer.edits
    shift = block.inner_start
    inner = apply_edits(
        text[shift : block.inner_end],
        [TextEdit(e.start - shift, e.end - shift, e.replacement) for e in inner_edits],
    )
    start = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    after = read_frontmatter(text[:start] + text[block.body_start :])
    if inner.strip() or after.state is not FrontmatterState.NONE or after.warnings:
        return None
    return TextEdit(start, block.body_start, "")


# --- whether it is right ---


def _makes_just(
    edits: tuple[TextEdit, ...], text: str, block: Frontmatter, wanted: _Wanted
) -> bool:
    """Whether the edited note says what is wanted, in the same order, above the same body."""
    edited = apply_edits(text, edits)
    after = read_frontmatter(edited)
    if after.state is FrontmatterState.INVALID or after.is_json or not edits:
        return False
    if edited[after.body_start :] != text[block.body_start :]:
        return False
    if list(after.values) != list(wanted.values):
        return False
    if same_value(dict(after.values), wanted.values):
        return True
    emptied = {**wanted.values, wanted.key: None}
    return wanted.emptied and same_value(dict(after.values), emptied)
