"""Properties that are valid and do not say what is meant: tags that are comments, days that there are not, keys that Obsidian has
given up. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from vaultmem.notes.model import NoteWarning, PropertyValue, WarningCode
from vaultmem.notes.tagtext import is_tag_name

OLD_KEYS: Final = {"tag": "tags", "alias": "aliases", "cssclass": "cssclasses"}
"""Properties that Obsidian has given up, and those that have taken their place."""

_BEHIND_KEY: Final = re.compile(
    r"^(?P<key>tags|aliases)[ \t]*:[ \t]+(?P<said>#[^\s#][^\r\n]*?)[ \t]*(?=[\r\n]|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
_LIST: Final = re.compile(
    r"^(?P<key>tags|aliases)[ \t]*:[ \t]*(?P<items>(?:(?:\r\n|\r|\n)[ \t]*-[ \t][^\r\n]*)+)",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM: Final = re.compile(
    r"^[ \t]*-[ \t]+(?P<said>#[^\s#][^\r\n]*?)[ \t]*(?=[\r\n]|\Z)", re.MULTILINE
)
_DAY: Final = re.compile(r"((?:1[5-9]|2[01])\d\d)-(\d\d)-(\d\d)(?:[T ].*)?")


@dataclass(frozen=True, slots=True)
class Commented:
    """What stands behind ``#`` where tags or aliases are wanted, so that YAML takes it for a comment."""

    key: str
    """As written."""
    start: int
    """In the block, of the ``#``."""
    end: int
    items: tuple[str, ...]
    """What is meant: tags without ``#``, an alias with it. Empty where that is not plain."""
    in_list: bool
    """Whether it is one item of a list."""


def near_value_warnings(inner: str, values: Mapping[str, PropertyValue]) -> Iterator[NoteWarning]:
    """The faults of a property block that was read; ``inner`` is its text between the fences."""
    for found in commented(inner, values):
        said = inner[found.start : found.end]
        message = f"{said} behind {found.key} is a comment to YAML, so it counts for nothing."
        yield NoteWarning(WarningCode.COMMENTED_VALUE, message)
    for key, value in values.items():
        if isinstance(value, str) and _is_no_day(value.strip()):
            message = f"{key} is {value.strip()[:10]}, and there is no such day."
            yield NoteWarning(WarningCode.IMPOSSIBLE_DAY, message)
    held = {key.lower() for key in values}
    for old, new in OLD_KEYS.items():
        if old in held and new not in held:
            message = f"Obsidian no longer reads the property {old}; {new} has taken its place."
            yield NoteWarning(WarningCode.OLD_PROPERTY, message)


def commented(inner: str, values: Mapping[str, PropertyValue]) -> Iterator[Commented]:
    """The comments of a property block that are meant as tags or aliases, in order of place for each key."""
    if "#" not in inner:
        return
    for key, value in values.items():
        if key.lower() not in ("tags", "aliases"):
            continue
        if value is None:
            for found in _BEHIND_KEY.finditer(inner):
                if found["key"] == key:
                    yield _meant(key, found.start("said"), found["said"], in_list=False)
        elif isinstance(value, list) and None in value:
            for block in _LIST.finditer(inner):
                if block["key"] == key:
                    for item in _ITEM.finditer(inner, block.start("items"), block.end("items")):
                        yield _meant(key, item.start("said"), item["said"], in_list=True)


def _meant(key: str, start: int, said: str, *, in_list: bool) -> Commented:
    items: tuple[str, ...] = (said,)
    if key.lower() == "tags":
        items = tuple(part.removeprefix("#") for part in re.split(r"[,\s]+", said) if part)
        if not all(map(is_tag_name, items)) or (in_list and len(items) > 1):
            items = ()
    return Commented(key, start, start + len(said), items, in_list)


def _is_no_day(text: str) -> bool:
    """Whether the text is written as a day that there is not.

    >>> _is_no_day("2026-13-45"), _is_no_day("2026-02-28T10:00"), _is_no_day("1234-56-78")
    (True, False, False)
    """
    found = _DAY.fullmatch(text)
    if found is None:
        return False
    try:
        date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return True
    return False
