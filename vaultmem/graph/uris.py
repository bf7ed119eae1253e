"""``memo://`` URIs: the address of a note, or of a place in it, that outlasts the program that gave it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from vaultmem.errors import UsageError

__all__ = ["SCHEME", "MemoUri", "is_memo_uri", "note_uri", "parse_uri"]

SCHEME: Final = "memo://"
_FORM: Final = re.compile(r"memo://(note|raw)/([^#?]+)(?:#(.*))?", re.DOTALL)
_LINE: Final = re.compile(r"L([1-9]\d{0,8})")
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class MemoUri:
    """What a URI names."""

    kind: str
    """``note``, or ``raw`` for an original record."""
    name: str
    """The note's vault path; the record's id."""
    line: int | None = None
    """From 0."""
    block_id: str = ""
    """Without ``^``."""


def note_uri(path: str, *, line: int | None = None, block_id: str = "") -> str:
    """The URI of a note, of a line in it (from 0), or of what a block id marks.

    >>> note_uri("Zoë/Tide table.md", line=3)
    'memo://note/Zo%C3%AB/Tide%20table.md#L4'
    """
    place = f"#^{quote(block_id, safe='-')}" if block_id else ""
    if line is not None and not block_id:
        place = f"#L{line + 1}"
    return f"{SCHEME}note/{quote(path, safe='/', errors='surrogatepass')}{place}"


def is_memo_uri(text: str) -> bool:
    """Whether a text wants to be such a URI."""
    return text.strip()[: len(SCHEME)].lower() == SCHEME


def parse_uri(text: str) -> MemoUri:
    """What the URI names. Raises UsageError for one of another form, and for a path that is none in a vault."""
    typed = text.strip()
    found = _FORM.fullmatch(SCHEME + typed[len(SCHEME) :]) if is_memo_uri(typed) else None
    if found is None or _BROKEN_ESCAPE.search(typed):
        raise UsageError(
            f"{typed[:80]!r} is no memo URI.", hint="They look like memo://note/Folder/Note.md#L3"
        )
    try:
        name = unquote_to_bytes(found[2]).decode("utf-8")
        place = unquote_to_bytes(found[3] or "").decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{typed[:80]!r} is not UTF-8 when it is decoded.") from None
    parts = name.split("/")
    if "\0" in name or "\\" in name or any(not p or p[0] == "." for p in parts):
        raise UsageError(f"{name[:80]!r} is no path in a vault.")
    line = _LINE.fullmatch(place)
    return MemoUri(
        kind=found[1],
        name=name,
        line=int(line[1]) - 1 if line else None,
        block_id=place[1:] if place.startswith("^") else "",
    )
