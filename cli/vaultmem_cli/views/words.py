"""Small pieces of English that the views share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from vaultmem.files.vouch import WATCHED
from vaultmem.search.model import Freshness
from vaultmem_cli.console import Style
from vaultmem_cli.textwidth import cells, clean, pad

SHOWN = 20
"""Paths that a page lists at most; JSON has them all."""


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count(1, "note"), count(1200, "note"), count(2, "alias", "aliases")
    ('1 note', '1,200 notes', '2 aliases')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> str:
    """A number of bytes in the unit that suits it.

    >>> size(900), size(1_300_000)
    ('900 B', '1.3 MB')
    """
    amount = float(number)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def duration(seconds: float) -> str:
    """
    >>> duration(0.0123), duration(1.26)
    ('12 ms', '1.3 s')
    """
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"


def moment(nanoseconds: int) -> str:
    """A time since the epoch on the local clock, to the minute; "never" for 0."""
    if not nanoseconds:
        return "never"
    return datetime.fromtimestamp(nanoseconds / 1e9).strftime("%Y-%m-%d %H:%M")


def freshness_phrase(freshness: Freshness) -> str:
    """How far the answer knows the last edits, in a few words."""
    if freshness.pending:
        return f"{count(freshness.pending, 'edit')} not in the index yet"
    if not freshness.checked:
        return "files not checked"
    if freshness.applied:
        return f"index fresh, {count(freshness.applied, 'edit')} taken in"
    return "index fresh, watched" if freshness.note == WATCHED else "index fresh"


def freshness_notes(freshness: Freshness) -> list[str]:
    """A line that says why an answer may be behind the files, or what was mended; none when all is well."""
    notes = []
    if freshness.pending:
        notes.append(f"note: {freshness_phrase(freshness)}.")
    if freshness.note and freshness.note != WATCHED:
        notes.append(f"note: {clean(freshness.note)}")
    return notes


def listed(paths: Sequence[str], indent: str = "  ", most: int = SHOWN) -> list[str]:
    """Paths, one a line, and how many more there are."""
    lines = [indent + clean(path) for path in paths[:most]]
    if len(paths) > most:
        lines.append(f"{indent}… and {len(paths) - most:,} more")
    return lines


def labelled(rows: Iterable[tuple[str, str]], style: Style) -> list[str]:
    """Label and value, one pair a line, values below each other; pairs without value are left out."""
    kept = [(label, value) for label, value in rows if value]
    width = max((cells(label) for label, _ in kept), default=0) + 2
    return [style.dim(pad(label, width)) + value for label, value in kept]
