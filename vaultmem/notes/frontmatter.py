"""The property block at the top of a note: where it stands and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from vaultmem.notes.model import (
    Frontmatter,
    FrontmatterState,
    Link,
    NoteWarning,
    PropertyValue,
    Tag,
    WarningCode,
)
from vaultmem.notes.near_values import near_value_warnings
from vaultmem.notes.simple_yaml import load_simple
from vaultmem.notes.spans import property_link
from vaultmem.notes.tagtext import is_tag_name
from vaultmem.notes.yaml12 import (
    MAX_DEPTH,
    KeyPath,
    LoadedYaml,
    TextValue,
    YamlFault,
    load_mapping,
    resolve_plain,
)

BYTE_ORDER_MARK: Final = "\ufeff"


def read_frontmatter(text: str, *, template: bool = False) -> Frontmatter:
    """The property block of a note's whole text; state ``none`` when there is no block (P-01 to P-23).

    Links and property tags come in the order of the keys, aliases trimmed (L-24 to L-26, T-13 to T-20,
    P-18). A block that is no mapping is ``invalid`` and yields nothing but a warning (P-15, L-44), and
    in a template not even that (P-21). Never raises, whatever the text.
    """
    block = _find_block(text)
    if block is None:
        return _no_block(text, template)
    inner = text[block.inner_start : block.inner_end]
    is_json = inner.lstrip(" \t\r\n").startswith("{")
    try:
        loaded = load_simple(inner) or _load(inner, is_json)
    except YamlFault as fault:
        return _invalid(block, fault, is_json, template)
    if not loaded.values:
        return _without_content(FrontmatterState.EMPTY, block, is_json)
    place = _Place(text, block.inner_start)
    tags, tags_fault = _tags(loaded, place)
    aliases, aliases_fault = _aliases(loaded.values)
    warnings: tuple[NoteWarning, ...] = ()
    if not template:
        near = near_value_warnings(inner, loaded.values)
        warnings = (*(w for w in (tags_fault, aliases_fault) if w is not None), *near)
    return Frontmatter(
        FrontmatterState.OK,
        loaded.values,
        aliases,
        tags,
        _links(loaded.texts, place),
        warnings,
        block.inner_start,
        block.inner_end,
        block.body_start,
        is_json,
    )


# --- where the block stands ---

_OPENING: Final = re.compile("\ufeff?---(\r\n|\r|\n)")
_CLOSING: Final = re.compile(r"(?:\r\n|\r|\n)(---)(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class _Block:
    inner_start: int
    inner_end: int
    body_start: int


def _find_block(text: str) -> _Block | None:
    opening = _OPENING.match(text)
    if opening is None:
        return None
    # The opening's own line break may be the one before the closing fence (P-08).
    closing = _CLOSING.search(text, opening.start(1))
    if closing is None:
        return None
    return _Block(opening.end(), closing.start(1), closing.end())


def _without_content(state: FrontmatterState, block: _Block, is_json: bool = False) -> Frontmatter:
    return Frontmatter(
        state, {}, (), (), (), (), block.inner_start, block.inner_end, block.body_start, is_json
    )


def _invalid(block: _Block, fault: YamlFault, is_json: bool, template: bool) -> Frontmatter:
    warnings: tuple[NoteWarning, ...] = ()
    if not template:
        line = None if fault.line is None else fault.line + 1
        message = f"The properties cannot be read. {fault.message}"
        warnings = (NoteWarning(WarningCode.INVALID_FRONTMATTER, message, line),)
    return Frontmatter(
        FrontmatterState.INVALID,
        {},
        (),
        (),
        (),
        warnings,
        block.inner_start,
        block.inner_end,
        block.body_start,
        is_json,
    )


_NEAR_OPENING: Final = re.compile("\ufeff?\\s*---[ \t]*(?:\r\n|\r|\n)")
_NEAR_CLOSING: Final = re.compile(r"(?:\r\n|\r|\n)[ \t]*---[ \t]*(?:[\r\n]|\Z)")
_FIRST_PROPERTY: Final = re.compile(
    r"(?:\#[^\r\n]*(?:\r\n|\r|\n))*+(?:\{|[\"']?\w[^:\r\n]{0,200}:(?:[ \t\r\n]|\Z))"
)


def _no_block(text: str, template: bool) -> Frontmatter:
    start = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    warnings: tuple[NoteWarning, ...] = ()
    if not template and _is_near_miss(text):
        message = (
            "The property block is not read: it must start with --- as the very first characters, "
            "and both --- lines must have no blanks."
        )
        warnings = (NoteWarning(WarningCode.NEAR_MISS_FRONTMATTER, message, 0),)
    return Frontmatter(FrontmatterState.NONE, {}, (), (), (), warnings, 0, 0, start)


def _is_near_miss(text: str) -> bool:
    """Whether a block seems meant, but its fences have blanks or stand below blank lines (P-22)."""
    opening = _NEAR_OPENING.match(text)
    if opening is None or not _FIRST_PROPERTY.match(text, opening.end()):
        return False
    return _NEAR_CLOSING.search(text, opening.end() - 1) is not None


# --- what it says ---


def _load(inner: str, is_json: bool) -> LoadedYaml:
    try:
        return load_mapping(inner)
    except YamlFault:
        if not is_json:
            raise
        loaded = _load_json(inner)
        if loaded is None:
            raise
        return loaded


def _load_json(inner: str) -> LoadedYaml | None:
    """JSON that is no YAML for the loader (surrogate pairs in escapes, say); None when it is no JSON.

    The places of its texts are not known; they get the place of the block's start.
    """
    try:
        value = json.loads(
            inner,
            object_pairs_hook=_unique_keys,
            parse_int=resolve_plain,
            parse_float=resolve_plain,
            parse_constant=str,
        )
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not _is_storable(value, 0):
        return None
    texts: list[TextValue] = []
    for key, item in value.items():
        if key.lower() == "tags":
            items = item if isinstance(item, list) else [item]
            texts += [TextValue((key,), tag, 0, 0, True) for tag in items if isinstance(tag, str)]
    return LoadedYaml(value, tuple(texts))


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) != len(pairs):
        raise ValueError("a key stands twice")
    return keys


_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _is_storable(value: PropertyValue, depth: int) -> bool:
    """Whether the value is not too deep and all its text can be written as UTF-8."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, str):
        return _LONE_SURROGATE.search(value) is None
    if isinstance(value, dict):
        parts = (*value, *value.values())
        return all(_is_storable(part, depth + 1) for part in parts)
    if isinstance(value, list):
        return all(_is_storable(item, depth + 1) for item in value)
    return True


@dataclass(frozen=True, slots=True)
class _Place:
    """Turns places in the block into places in the note."""

    text: str
    inner_start: int

    def line(self, offset: int) -> int:
        text = self.text
        crlf = text.count("\r\n", 0, offset)
        return text.count("\n", 0, offset) + text.count("\r", 0, offset) - crlf


def _links(texts: tuple[TextValue, ...], place: _Place) -> tuple[Link, ...]:
    links = []
    for found in texts:
        if not found.quoted or not found.value.startswith("[["):
            continue
        start, end = place.inner_start + found.start, place.inner_start + found.end
        link = property_link(
            found.value,
            place.text[start:end],
            start,
            place.line(start),
            ".".join(map(str, found.path)),
            ".".join(part for part in found.path if isinstance(part, str)),
        )
        if link is not None:
            links.append(link)
    return tuple(links)


def _tags(loaded: LoadedYaml, place: _Place) -> tuple[tuple[Tag, ...], NoteWarning | None]:
    tags = tuple(_tags_of_lists(loaded, place))
    for key, value in loaded.values.items():
        if key.lower() == "tags" and not isinstance(value, list) and value not in (None, ""):
            message = "tags is not a list, so Obsidian may not read it as tags."
            return tags, NoteWarning(WarningCode.TAGS_NOT_LIST, message)
    return tags, None


def _tags_of_lists(loaded: LoadedYaml, place: _Place) -> Iterator[Tag]:
    for found in loaded.texts:
        if not _holds_tag(found.path):
            continue
        name = found.value.removeprefix("#")
        if is_tag_name(name):
            start, end = place.inner_start + found.start, place.inner_start + found.end
            yield Tag(name, place.line(start), start, end, in_property=True)


def _holds_tag(path: KeyPath) -> bool:
    """Whether the path is ``tags`` itself or an item of it (not a key of a map below it)."""
    if not isinstance(path[0], str) or path[0].lower() != "tags":
        return False
    return len(path) == 1 or (len(path) == 2 and isinstance(path[1], int))


def _aliases(values: dict[str, PropertyValue]) -> tuple[tuple[str, ...], NoteWarning | None]:
    aliases: list[str] = []
    fault: NoteWarning | None = None
    for key, value in values.items():
        if key.lower() != "aliases" or value in (None, ""):
            continue
        if isinstance(value, list):
            items = value
        else:
            items = [value]
            message = "aliases is not a list, so Obsidian may not suggest it."
            fault = NoteWarning(WarningCode.ALIASES_NOT_LIST, message)
        names = (item.strip() for item in items if isinstance(item, str))
        aliases += [name for name in names if name]
    return tuple(aliases), fault
