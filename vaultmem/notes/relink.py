"""One written link changed in its place: another target, subpath or display text, the rest as typed."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from unicodedata import normalize

from vaultmem.notes.linktext import encode_destination, split_destination, split_wikilink
from vaultmem.notes.model import Link, LinkKind, Resolution, ResolvedBy
from vaultmem.notes.paths import FileKind, file_kind, name_key, parent, stem
from vaultmem.notes.resolve import Lookup, resolve
from vaultmem.notes.textedit import TextEdit


def retarget(
    link: Link, was: Resolution, *, wanted: str, source: str, lookup: Lookup
) -> str | None:
    """The target text that leads from ``source`` to the file ``wanted``, in the form the link has.

    Bare stays bare, a path a path, ``../`` and ``./`` relative, a leading ``/`` stays, and so does ``.md``
    or its absence (M-04). Where that form would lead elsewhere, the full vault path is given (M-03, M-14).
    None when no text that such a link can hold leads there. ``was`` is how the link resolved before.
    """
    has_extension = was.path is not None and name_key(link.target) == name_key(was.path)
    for form, alone in _forms(link.target, was, source, wanted):
        for text in _spellings(form, has_extension):
            found = resolve(text, source, lookup)
            if found.path != wanted or (alone and found.ambiguous):
                continue
            if _is_writable(link.kind, text):
                return text
    return None


def _forms(target: str, was: Resolution, source: str, wanted: str) -> Iterator[tuple[str, bool]]:
    """Texts with their extension, the wanted form first; whether each must be the only match."""
    if target.startswith("/"):
        yield "/" + wanted, False
    elif target.startswith(("./", "../")):
        relative = _relative(source, wanted)
        yield relative if relative.startswith("../") else "./" + relative, False
    elif "/" not in target:
        yield wanted[wanted.rfind("/") + 1 :], False
    elif was.by is ResolvedBy.SUFFIX:
        parts = wanted.split("/")
        yield "/".join(parts[-target.count("/") - 1 :]), True
    yield wanted, False
    yield "/" + wanted, False


def _relative(source: str, path: str) -> str:
    here = parent(source).split("/") if parent(source) else []
    there = path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def _spellings(form: str, has_extension: bool) -> Iterator[str]:
    """With or without ``.md`` as before, else the other way; composed letters first (N-07)."""
    for spelled in dict.fromkeys((normalize("NFC", form), form)):
        if file_kind(spelled) is not FileKind.NOTE:
            yield spelled
        elif has_extension:
            yield from (spelled, spelled[:-3])
        else:
            yield from (spelled[:-3], spelled)


def _is_writable(kind: LinkKind, text: str) -> bool:
    """Whether the link reads back as leading to this text (R-20, L-34)."""
    if kind is LinkKind.MARKDOWN:
        return split_destination(encode_destination(text)) == (text, "")
    brackets = any(mark in text for mark in ("[[", "]]", "\n", "\r"))
    return not brackets and split_wikilink(text) == (text, "", None) and not text.endswith("]")


# --- edits ---


def target_edit(text: str, link: Link, target: str) -> TextEdit:
    """The edit that gives the link this target; its subpath keeps the way it is typed (M-05)."""
    end = link.dest_start + _target_length(text[link.dest_start : link.dest_end], link.kind)
    return TextEdit(link.dest_start, end, _written(text, link, target))


def display_edit(text: str, link: Link, display: str) -> TextEdit | None:
    """The edit that gives the link this display text; None where the old one is not typed as it reads."""
    if not link.display:
        return None
    if link.kind is LinkKind.MARKDOWN:
        start = link.start + (2 if link.embed else 1)
        display = re.sub(r"[\\\[\]`$<]", r"\\\g<0>", display)
    else:
        start = text.find("|", link.dest_end, link.end) + 1
        display = _in_quotes(text, link, display)
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    if start <= link.start or not text.startswith(link.display, start):
        return None
    return TextEdit(start, start + len(link.display), display)


def shows_name_of(link: Link, path: str) -> bool:
    """Whether the display text is just the file's name (M-06)."""
    return link.display is not None and link.display == stem(path)


def subpath_segments(text: str, link: Link) -> list[tuple[str, int, int]]:
    """Each segment of the link's subpath as understood, and where it stands, blanks around it left out.

    Blank segments are left out, as they are when the subpath is resolved.
    """
    typed = text[link.dest_start : link.dest_end]
    bounds = [*_separators(typed, link.kind), (len(typed), len(typed))]
    segments = []
    for (_, start), (end, _) in pairwise(bounds):
        raw = typed[start:end]
        held = raw.strip()
        if held:
            at = link.dest_start + start + raw.index(held)
            shown = split_destination(held)[0] if link.kind is LinkKind.MARKDOWN else held
            segments.append((shown, at, at + len(held)))
    return segments


def segment_text(text: str, link: Link, segment: str) -> str:
    """A segment of a subpath as this link has to hold it (L-40)."""
    return _written(text, link, segment)


_DESTINATION_MARK: Final = re.compile(r"\\.|&#?\w+;|%23|#", re.DOTALL)


def _separators(typed: str, kind: LinkKind) -> Iterator[tuple[int, int]]:
    """Where each ``#`` of a typed target and subpath stands, as a mark or encoded (L-34)."""
    if kind is not LinkKind.MARKDOWN:
        for mark in re.finditer("#", typed):
            yield mark.span()
        return
    for mark in _DESTINATION_MARK.finditer(typed):
        if mark[0] in ("#", "%23", "\\#") or html.unescape(mark[0]) == "#":
            yield mark.span()


def _target_length(typed: str, kind: LinkKind) -> int:
    for start, _ in _separators(typed, kind):
        return len(typed[:start].rstrip())
    return len(typed)


def _written(text: str, link: Link, part: str) -> str:
    if link.kind is not LinkKind.MARKDOWN:
        return _in_quotes(text, link, part)
    encoded = encode_destination(part)
    # Between angle brackets blanks stay raw (M-08).
    in_angle = text[link.dest_start - 1] == "<" and text[link.dest_end : link.dest_end + 1] == ">"
    return encoded.replace("%20", " ") if in_angle else encoded


def _in_quotes(text: str, link: Link, part: str) -> str:
    """The part as a property's quotes need it (M-09)."""
    if link.kind is not LinkKind.PROPERTY:
        return part
    if text[link.start] == "'":
        return part.replace("'", "''")
    return part.replace("\\", "\\\\").replace('"', '\\"')
