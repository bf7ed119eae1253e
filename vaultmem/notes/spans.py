"""Links with their exact spans, made from what was found between brackets."""

from __future__ import annotations

import html
import re
from typing import Final, NamedTuple

from vaultmem.notes.linktext import split_destination, split_wikilink
from vaultmem.notes.model import MENTIONS, Link, LinkKind

WIKILINK: Final = re.compile(
    r"\[\[(?!\[)([^\[\]\n]*+(?:(?:\[(?!\[)|\](?!\]))[^\[\]\n]*+)*+)\]\]",
)
"""A wikilink on one line; a second ``[[`` before its end makes it none (L-09)."""

_WIKILINK_KIND: Final = LinkKind.WIKILINK
IMAGE_SIZE: Final = re.compile(r"[0-9]+(?:x[0-9]+)?")
IMAGE_EXTENSIONS: Final = (
    ".avif",
    ".bmp",
    ".gif",
    ".jpeg",
    ".jpg",
    ".png",
    ".svg",
    ".webp",
)
"""Files whose embeds may be sized (F-01, L-11)."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPED: Final = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z0-9]{1,32});"
)


class Dest(NamedTuple):
    """A target with its subpath: as understood, and where it stands in the text it was read from."""

    target: str
    subpath: str
    display: str | None
    start: int
    end: int


def wikilink_dest(inner: str, in_table: bool) -> Dest | None:
    """The parts of what stands between ``[[`` and ``]]``; offsets count from its start.

    None for blank text, which is no link (L-07).
    """
    target, subpath, display = split_wikilink(inner, in_table=in_table)
    if not target and not subpath:
        return None
    start, end = _typed_span(inner)
    return Dest(target, subpath, display, start, end)


def _typed_span(inner: str) -> tuple[int, int]:
    """Where target and subpath stand in a wikilink: before its separator, without blanks around them."""
    end = len(inner.rstrip())
    start = len(inner) - len(inner.lstrip())
    if inner.startswith("\\|", start):
        start += 1
    separator = inner.find("|", start + 1)
    if separator >= 0:
        end = separator - 1 if inner[separator - 1] == "\\" else separator
        end = start + len(inner[start:end].rstrip())
    return start, end


def wikilink(inner: str, start: int, embed: bool, line: int, in_table: bool) -> Link | None:
    """The link ``[[inner]]`` that starts at an offset of the note, its ``!`` included."""
    if "|" not in inner and "#" not in inner and "\\" not in inner:
        return _plain_wikilink(inner, start, embed, line, in_table)
    dest = wikilink_dest(inner, in_table)
    if dest is None:
        return None
    display, size = dest.display, None
    if embed and display:
        display, size = split_size(display, dest.target)
    inner_start = start + (3 if embed else 2)
    return Link(
        LinkKind.WIKILINK,
        embed,
        dest.target,
        dest.subpath,
        display,
        start,
        inner_start + len(inner) + 2,
        inner_start + dest.start,
        inner_start + dest.end,
        line,
        size,
        None,
        MENTIONS,
        in_table,
    )


def _plain_wikilink(inner: str, start: int, embed: bool, line: int, in_table: bool) -> Link | None:
    """The link of a target and nothing else; most are such, so the way is short."""
    target = inner.strip()
    if not target:
        return None
    inner_start = start + 3 if embed else start + 2
    dest_start = inner_start + inner.index(target) if target != inner else inner_start
    return Link(
        _WIKILINK_KIND,
        embed,
        target,
        "",
        None,
        start,
        inner_start + len(inner) + 2,
        dest_start,
        dest_start + len(target),
        line,
        None,
        None,
        MENTIONS,
        in_table,
    )


def markdown_link(
    dest: str,
    shown: str,
    span: tuple[int, int],
    dest_span: tuple[int, int],
    embed: bool,
    line: int,
    in_table: bool,
) -> Link | None:
    r"""The link ``[shown](dest)``; None when its destination is empty or external (L-30, L-31).

    ``dest`` is as typed, without angle brackets; its backslash escapes and HTML entities are undone here
    (L-32). In a table ``\|`` is a plain ``|`` in the text shown.
    """
    if not dest or is_external(dest):
        return None
    if "\\" in dest or "&" in dest:
        dest = _ESCAPED.sub(_unescaped, dest)
    target, subpath = split_destination(dest)
    if not target and not subpath:
        return None
    if in_table:
        shown = shown.replace("\\|", "|")
    display: str | None = shown.strip()
    size = None
    if embed and display:
        display, size = split_size(display, target)
    return Link(
        LinkKind.MARKDOWN,
        embed,
        target,
        subpath,
        display,
        *span,
        *dest_span,
        line,
        size,
        None,
        MENTIONS,
        in_table,
    )


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or html.unescape(match[0])


def is_external(dest: str) -> bool:
    """Whether a destination starts with a URL scheme (L-30)."""
    return _SCHEME.match(dest) is not None


def split_size(display: str, target: str) -> tuple[str | None, str | None]:
    """Display text and size of an embed; only an image has a size (L-11)."""
    if not target.lower().endswith(IMAGE_EXTENSIONS):
        return display, None
    text, separator, last = display.rpartition("|")
    if not IMAGE_SIZE.fullmatch(last.strip()):
        return display, None
    return (text.strip() if separator else None), last.strip()


def property_link(
    value: str, typed: str, start: int, line: int, key: str, relation: str
) -> Link | None:
    """The link of a property whose quoted value is one wikilink and nothing else (L-24, L-25).

    ``typed`` is the value as it stands in the note, its quotes included, at offset ``start``.
    """
    match = WIKILINK.fullmatch(value)
    dest = wikilink_dest(match[1], False) if match else None
    if dest is None:
        return None
    # With YAML escapes the typed text is longer than the value; its own brackets bound it all the same.
    opening, closing = typed.find("[["), typed.rfind("]]")
    dest_start, dest_end = start + 1, start + len(typed) - 1
    if 0 <= opening < closing:
        inner_start, inner_end = _typed_span(typed[opening + 2 : closing])
        dest_start, dest_end = (start + opening + 2 + at for at in (inner_start, inner_end))
    return Link(
        LinkKind.PROPERTY,
        False,
        dest.target,
        dest.subpath,
        dest.display,
        start,
        start + len(typed),
        dest_start,
        dest_end,
        line,
        None,
        key,
        relation,
    )
