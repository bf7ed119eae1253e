"""A claim that one note took over from another: its words, and behind them where they are from and of which day. Pure.

Where a claim was overtaken, the note goes on to say what holds, in the words of the newer note. A line such as
``- The port is 9090. — from [[Relay log]], 2026-06-11`` is no claim of the note's own: it is as old as that day, and when the note it is
from says otherwise, that one is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from vaultmem.notes.dated import as_day, from_day

_MARK: Final = re.compile(
    r"[ \t]+— from (?P<link>\[\[[^\[\]\n]+\]\]), (?P<day>\d{4}-\d{2}-\d{2})[ \t]*$"
)
_BULLET: Final = re.compile(r"[-*+][ \t]+")
_OWN_PLACE: Final = re.compile(r"!\[|\]\(|\[\^|(?:^|\s)\^[\w-]+\s*$|::")
"""Embeds, links by path, footnotes, block ids and fields mean something else, or nothing, in another note."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a claim was taken over from."""

    link: str
    """To that note, as written."""
    day: int
    """Of the claim there, in days since 1970."""


def carried(line: str, claim: str, origin: Origin) -> str:
    """The line to stand in place of ``line``; empty where the claim would not mean the same there.

    >>> carried("* The port is 8080.", "The port is 9090.", Origin("[[Log]]", 20_000))
    '* The port is 9090. — from [[Log]], 2024-10-04'
    """
    if _OWN_PLACE.search(claim) or not origin.link.startswith("[["):
        return ""
    bullet = _BULLET.match(line)
    mark = bullet[0] if bullet else ""
    return f"{mark}{claim} — from {origin.link}, {from_day(origin.day).isoformat()}"


def without_origin(line: str) -> tuple[str, Origin | None]:
    """The line without what tells where it is from, and that; the line as it is where nothing does."""
    found = _MARK.search(line)
    if found is None:
        return line, None
    try:
        day = as_day(date.fromisoformat(found["day"]))
    except ValueError:
        return line, None
    return line[: found.start()], Origin(found["link"], day)
