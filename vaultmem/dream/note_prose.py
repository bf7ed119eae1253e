"""Texts from notes and judges, made fit to stand in a note that the dream writes. Pure.

Titles, reasons and claims come from anywhere. Here they become one line of Markdown that says what they say and does
nothing: no box, block id, tag, field, comment, embed or markup of theirs takes effect. Plain wikilinks stay links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias
from unicodedata import category

from vaultmem.notes.paths import stem

LinkOf: TypeAlias = "Callable[[str], str]"
"""The link to the note at a path, as it is to be written."""

_SIMPLE_LINK: Final = re.compile(
    r"\[\[[^\[\]\r\n|#^`<>$%\\]*[^\[\]\s|#^`<>$%\\][^\[\]\r\n|#^`<>$%\\]*"
    r"(?:\|[^\[\]\r\n|^`<>$%\\]+)?\]\]"
)
_MARKDOWN_LINK: Final = re.compile(
    r"\[(?:\\[^\r\n]|[^\[\]\\\r\n^`<$])*\]\((?:<[^<>\r\n^`]*>|[^\s()<>^`]+)\)"
)
_MARKS: Final = re.compile(r"[\\`*\[\]<$^]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])|#(?=\S)")
_PAIRS: Final = re.compile(r"%(?=%)|=(?==)|~(?=~)|:(?=:)")
_OUR_MARKS: Final = re.compile(r"%%|\^[rR]-")
"""What we look for when we read a note of ours: not even in code does it come from elsewhere."""
_LEADING: Final = re.compile(r"(?=[-+>|=~:#])|\d+(?=[.)])")
"""What would begin a block at the start of a line."""

_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN: Final = "\ufffd"


def prose(text: str, limit: int) -> str:
    """The text on one line, at most ``limit`` characters of it, without effects of its own."""
    return _no_block(_inert(shortened(text, limit)))


def prose_with_code(text: str, limit: int) -> str:
    """As ``prose``, but what stands in single code marks stays in them: a link that is only shown is then none."""
    return _no_block(_inert_with_code(shortened(text, limit)))


def shortened(text: str, limit: int) -> str:
    """The text on one line, at most ``limit`` characters of it, without characters that cannot be seen."""
    line = shown(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def shown(text: str) -> str:
    """The text with a mark for each character that breaks lines, turns the direction of writing, or cannot be seen."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        _UNSEEN
        if character != "\t"
        and (category(character) in {"Cc", "Zl", "Zp", "Cs"} or character in _BIDI)
        else character
        for character in text
    )


def link(path: str, link_of: LinkOf) -> str:
    """The link to a note; its name alone where the link would not be one link on one line."""
    written = link_of(path)
    is_link = _SIMPLE_LINK.fullmatch(written) or _MARKDOWN_LINK.fullmatch(written)
    if is_link and "%%" not in written and shown(written) == written and "::" not in written:
        return written
    return prose(stem(path), 100)


def linked_title(title: str, paths: Iterable[str], link_of: LinkOf, limit: int) -> str:
    """A proposal's title in which each note's name in quotes is a link, the quotes taken away; code in it stays code."""
    names: dict[str, str] = {}
    for path in paths:
        names.setdefault(shortened(stem(path), limit), path)
    line = shortened(title, limit)
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    if not known:
        return prose_with_code(line, limit)
    parts = re.split(f'["“]({known})["”](?=(?:[^`]*`[^`]*`)*[^`]*$)', line)
    return _no_block(
        "".join(
            link(names[part], link_of) if place % 2 else _before_link(_inert_with_code(part))
            for place, part in enumerate(parts)
        )
    )


def code(text: str) -> str:
    """An id or command in code marks; what would end them is left out."""
    return f"`{shortened(text, 200).replace('`', '')}`"


def name_mark(name: str) -> str:
    """A cycle's name as it may stand in a comment."""
    return re.sub(r"[^\w.:+-]", "-", name) or "-"


def counted(number: int, one: str, many: str = "") -> str:
    """``1 note``, ``1,200 notes``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def cut(lines: Sequence[str], limit: int, *, of: int | None = None) -> tuple[list[str], int]:
    """The first of the lines, and how many more there are; ``of`` says how many there are in all."""
    total = max(len(lines), of or 0)
    if total <= limit + 1 and total == len(
        lines
    ):  # "and 1 more" would take as much room as the one
        return list(lines), 0
    kept = list(lines[:limit])
    return kept, total - len(kept)


def line_break_of(text: str) -> str:
    r"""``\r\n`` where the text's first line ends so, else ``\n``."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _inert(line: str) -> str:
    parts = []
    at = 0
    for found in _SIMPLE_LINK.finditer(line):
        if "::" in found[0]:  # would read as a field
            continue
        parts += [_before_link(_escaped(line[at : found.start()])), found[0]]
        at = found.end()
    return "".join((*parts, _escaped(line[at:])))


def _inert_with_code(line: str) -> str:
    parts = re.split(r"(`[^`]+`)", line)
    return "".join(
        part if place % 2 and not _OUR_MARKS.search(part) else _inert(part)
        for place, part in enumerate(parts)
    )


def _before_link(text: str) -> str:
    """With a last ``!`` made harmless: an embed would show another note's text here."""
    return f"{text[:-1]}\\!" if text.endswith("!") else text


def _escaped(text: str) -> str:
    return _PAIRS.sub(r"\g<0>\\", _MARKS.sub(r"\\\g<0>", text))


def _no_block(text: str) -> str:
    leading = _LEADING.match(text)
    return text if leading is None else f"{leading[0]}\\{text[leading.end() :]}"
