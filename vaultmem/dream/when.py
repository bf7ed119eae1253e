"""Which of two claims is the newer. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from vaultmem.dream.context import DreamNote
from vaultmem.dream.passages import Passage
from vaultmem.judge.tokens import Kind, tokens
from vaultmem.notes.dated import as_day, days_in, note_day
from vaultmem.notes.model import PropertyValue

NS_OF_DAY: Final = 86_400 * 1_000_000_000
KNOWN_SINCE_NS: Final = 3_660 * NS_OF_DAY
"""Modification times before 1980-01-09 were never those of a note: archives and disks write 1970 or 1980 for what they do not know."""
LEAST_APART_NS: Final = NS_OF_DAY
"""Between two modification times that say which is newer: a copy or a sync sets many at once."""
UPDATED: Final = ("updated_at", "updated", "modified", "last_updated")
"""Properties that say when a note was last gone over."""
LOG_TYPES: Final = frozenset(
    ("log", "episode", "event", "meeting", "daily", "journal", "diary", "session", "observation")
)
"""Notes that tell of a day, and stay true of it."""

_AS_OF: Final = re.compile(
    r"\b(?:as of|since|updated|from|seit|stand|depuis|desde)\b\s*:?\s*\(?\s*$", re.IGNORECASE
)
_OPENS: Final = re.compile(r"^[\s(\[*_]*$")
_CLOSES: Final = re.compile(r"^[\s)\].*_]*$")


@dataclass(frozen=True, slots=True)
class Standing:
    """When a claim was made, as far as it can be told."""

    day: int | None
    """Of its note or dated heading, in days since 1970."""
    stated: int | None
    """The day that the claim itself gives: *since 2026-03-01*."""
    modified_ns: int
    logged: bool
    """Whether it tells of its day and stays true of that."""
    taken_over: bool = False
    """Whether it is another note's claim: when this note was changed tells nothing of it."""


def standing(note: DreamNote, passage: Passage) -> Standing:
    """When a claim of the note was made; one that was taken over is as old as it is where it is from."""
    if passage.origin is not None:
        stated, day = stated_day(passage.text), passage.origin.day
        return Standing(
            None if stated == day else day,
            stated,
            day * NS_OF_DAY,
            logged=False,
            taken_over=True,
        )
    logged = passage.logged is not None or is_log(note)
    told = passage.logged if passage.logged is not None else _updated(note)
    return Standing(
        note.day if told is None else told, stated_day(passage.text), note.modified_ns, logged
    )


def is_log(note: DreamNote) -> bool:
    """Whether the note tells of one day: its name is dated, or its type says so."""
    return note.note_type.lower() in LOG_TYPES or note_day(note.path, {}) is not None


def first_is_newer(a: Standing, b: Standing) -> bool | None:
    """Whether the first claim is the newer one; None when it cannot be told, or the signs disagree.

    The day comes first, then a date in the text, then when the file was changed.
    """
    signs = [
        x > y
        for x, y in ((a.day, b.day), (a.stated, b.stated))
        if x is not None and y is not None and x != y
    ]
    signs += _mixed(a, b)
    if signs:
        return signs[0] if len(set(signs)) == 1 else None
    if any(
        one.taken_over and (one.day is None or other.day is not None)
        for one, other in ((a, b), (b, a))
    ):
        return None  # they are of one day, and the file may be newer than the claim
    if a.day is not None and b.day is None and KNOWN_SINCE_NS <= b.modified_ns < a.day * NS_OF_DAY:
        return True
    if b.day is not None and a.day is None and KNOWN_SINCE_NS <= a.modified_ns < b.day * NS_OF_DAY:
        return False
    unknown = min(a.modified_ns, b.modified_ns) < KNOWN_SINCE_NS
    if unknown or abs(a.modified_ns - b.modified_ns) < LEAST_APART_NS:
        return None
    return a.modified_ns > b.modified_ns


def _mixed(a: Standing, b: Standing) -> list[bool]:
    """What it says that one claim gives a date of its own and the other has only the day of its note."""
    if a.stated is not None and b.stated is None and b.day is not None and a.stated != b.day:
        return [a.stated > b.day]
    if b.stated is not None and a.stated is None and a.day is not None and b.stated != a.day:
        return [a.day > b.stated]
    return []


def stated_day(claim: str) -> int | None:
    """The day from which the claim says it holds: after *as of* or *since*, or alone at its beginning or end in
    parentheses. Any other date is what the claim is about.

    >>> stated_day("Since 2026-03-01 the port is 9090."), stated_day("The lease ends on 2026-03-01.")
    (20513, None)
    """
    for token in tokens(claim):
        if token.kind is not Kind.DATE or "?" in token.key or ":" in token.key:
            continue
        start = claim.find(token.text)
        before, after = claim[:start], claim[start + len(token.text) :]
        told = _AS_OF.search(before) or (_OPENS.match(before) and after[:1] in (":", ")", "]"))
        in_brackets = before.rstrip().endswith(("(", "[")) and _CLOSES.match(after)
        if told or in_brackets:
            return _day(token.key)
    return None


def _day(key: str) -> int | None:
    try:
        return as_day(date.fromisoformat("-".join(part.zfill(2) for part in key.split("-"))))
    except ValueError:
        return None


def _updated(note: DreamNote) -> int | None:
    for key in UPDATED:
        found = _property_day(note.properties.get(key))
        if found is not None:
            return found
    return None


def _property_day(value: PropertyValue) -> int | None:
    found = next(days_in(value), None) if isinstance(value, str) else None
    return as_day(found) if found else None
