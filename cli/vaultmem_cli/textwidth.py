"""How wide text is on a terminal, where a Chinese character takes two columns and an accent none."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"


def cells(text: str) -> int:
    """The columns that ``text`` takes on a terminal.

    >>> cells("tide"), cells("潮間"), cells("e\\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cell, text))


def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, width: int) -> str:
    """``text`` with blanks after it up to ``width`` columns; unchanged when it is wider."""
    return text + " " * (width - cells(text))


def shorten(text: str, width: int | None) -> str:
    """As much of ``text`` as fits into ``width`` columns, with an ellipsis when something is left out.

    >>> shorten("low water at dawn", 10)
    'low water…'
    """
    if width is None or cells(text) <= width:
        return text
    used = 0
    for at, character in enumerate(text):
        used += _cell(character)
        if used > width - 1:
            return text[:at].rstrip() + ELLIPSIS
    return text


def wrap(text: str, width: int | None) -> list[tuple[int, int]]:
    """The spans of ``text`` that go on one line each, cut at blanks where there are any; all of it for None.

    >>> [("low water at dawn"[a:b]) for a, b in wrap("low water at dawn", 10)]
    ['low water', 'at dawn']
    """
    if width is None:
        return [(0, len(text))]
    spans: list[tuple[int, int]] = []
    start, used, blank = 0, 0, -1
    at = 0
    while at < len(text):
        if text[at] == " ":
            blank = at
        used += _cell(text[at])
        if used > width and at > start:
            end = blank if blank > start else at
            spans.append((start, end))
            start = end + 1 if end == blank else end
            at, used, blank = start, 0, -1
            continue
        at += 1
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def clean(text: str) -> str:
    """``text`` on one line, with control characters made harmless: a note must not steer the terminal.

    Character for character, so that offsets into the text still hold.

    >>> clean("a\\tb\\x1b[31m")
    'a b�[31m'
    """
    if text.isprintable():
        return text
    return "".join(map(_harmless, text))


def clean_block(text: str) -> str:
    """Like :func:`clean` for text of many lines: line breaks and tabs stay."""
    return "\n".join(
        "\t".join(map(clean, line.split("\t"))) for line in text.replace("\r\n", "\n").split("\n")
    )


def _harmless(character: str) -> str:
    if character in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    return "\ufffd" if unicodedata.category(character) == "Cc" else character
