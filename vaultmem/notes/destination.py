"""The ``(destination "title")`` part of a Markdown link."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MAX_PARENTHESES: Final = 32
"""Depth to which raw parentheses may nest, as CommonMark allows an implementation to limit."""


class Destination(NamedTuple):
    """Where a destination stands."""

    start: int
    """Of the destination as typed, without angle brackets."""
    stop: int
    end: int
    """Past the closing parenthesis."""


_SIMPLE: Final = re.compile(r"\(([^()<>\\\"'\x00-\x20\x7f]*+)\)")
_GAP: Final = re.compile(r"[ \t]*+(?:\n[ \t]*+)?+")
_ANGLE: Final = re.compile(r"<((?:[^<>\n\\]|\\.)*+)>")
_TITLE: Final = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)", re.DOTALL
)


def destination_after(text: str, at: int) -> Destination | None:
    """The destination that starts with the ``(`` at ``at``; None when it is none (L-28, L-29, L-32)."""
    simple = _SIMPLE.match(text, at)
    if simple:
        return Destination(simple.start(1), simple.end(1), simple.end())
    start = _skip_gap(text, at + 1)
    if text.startswith("<", start):
        angle = _ANGLE.match(text, start)
        if angle is None:
            return None
        span, after = angle.span(1), angle.end()
    else:
        after = _bare_end(text, start)
        if after < 0:
            return None
        span = (start, after)
    end = _closing(text, after)
    return None if end < 0 else Destination(*span, end)


def _skip_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


_BARE_PIECE: Final = re.compile(
    r"(?:[^()\\\x00-\x20\x7f]|\\[^()\\\x00-\x20\x7f])++|\\[()\\]|\\|[()]"
)


def _bare_end(text: str, at: int) -> int:
    """The end of a destination without angle brackets: its parentheses balance; -1 when they nest too deep."""
    depth = 0
    while piece := _BARE_PIECE.match(text, at):
        mark = piece.group()
        if mark == "(":
            depth += 1
            if depth > MAX_PARENTHESES:
                return -1
        elif mark == ")":
            if depth == 0:
                return at
            depth -= 1
        at = piece.end()
    return at if depth == 0 else -1


def _closing(text: str, at: int) -> int:
    """Past the ``)`` after an optional title, or -1."""
    start = _skip_gap(text, at)
    if start > at:
        title = _TITLE.match(text, start)
        if title:
            start = _skip_gap(text, title.end())
    return start + 1 if text.startswith(")", start) else -1
