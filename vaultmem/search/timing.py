"""What a question about a time does to the ranking: blocks that are dated inside come first, nothing is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

import apsw

from vaultmem.index.connection import fetch
from vaultmem.notes.dated import days_in, from_day
from vaultmem.search.filters import Before, Filter, Filters, Not, midnight_ns, teach

if TYPE_CHECKING:
    from vaultmem.search.ranges import DateRange

BY_FILE_TIME: Final = 0.5
"""What a note counts whose date is only the time at which its file was changed: a copied vault is of one day."""

BY_TEXT: Final = 0.5
"""What a block counts in whose text a day of that time stands."""

# Where blocks could be dated.
DATED = """
SELECT b.id, n.day, f.mtime_ns, replace(b.heading_path, char(31), n.title), b.text
FROM json_each(?) AS j JOIN notes_blocks AS b ON b.id = j.value
JOIN notes_index AS n ON n.id = b.note_id JOIN vault_files AS f ON f.id = b.note_id
"""


class _Dated(NamedTuple):
    block_id: int
    day: int | None
    mtime_ns: int
    headings: str
    text: str


def within(span: DateRange) -> Filters:
    """The notes that are dated inside."""
    conditions: list[Filter] = []
    if span.first != date.min:
        conditions.append(Not(Before(span.first)))
    if span.last != date.max:
        conditions.append(Before(span.last + timedelta(days=1)))
    return Filters(tuple(conditions))


def blocks_within(connection: apsw.Connection, times: Sequence[DateRange]) -> list[int]:
    """The ids of all blocks of notes that are dated inside one of the ranges."""
    teach(connection)
    found: set[int] = set()
    for span in times:
        clause = within(span).blocks()
        found.update(block for (block,) in fetch(connection, clause.sql, clause.values))
    return sorted(found)


def shares(
    connection: apsw.Connection, times: Sequence[DateRange], blocks: Sequence[int]
) -> dict[int, float]:
    """How much each of the blocks is of one of the times, 0 … 1: by the note's date, by a day in the headings above the
    block, which is closer, or by one in its text."""
    if not times or not blocks:
        return {}
    rows = fetch(connection, DATED, (json.dumps(list(blocks)),))
    return {row[0]: _share(_Dated(*row), times) for row in rows}


def first_blocks_within(
    connection: apsw.Connection, times: Sequence[DateRange], most: int
) -> list[int]:
    """The first block of each note that is dated inside one of the ranges, newest first."""
    teach(connection)
    found: list[int] = []
    for span in times:
        clause = within(span).first_blocks(str(int(most)))
        found += [block for (block,) in fetch(connection, clause.sql, clause.values)]
    return list(dict.fromkeys(found))[:most]


def _share(block: _Dated, times: Sequence[DateRange]) -> float:
    above = list(days_in(block.headings))
    if above:
        return float(_any_within(above, times))
    if block.day is not None:
        if _any_within([from_day(block.day)], times):
            return 1.0
    elif any(_is_file_within(block.mtime_ns, span) for span in times):
        return BY_FILE_TIME
    return BY_TEXT if _any_within(list(days_in(block.text)), times) else 0.0


def _any_within(days: Sequence[date], times: Sequence[DateRange]) -> bool:
    return any(span.holds(day) for day in days for span in times)


def _is_file_within(mtime_ns: int, span: DateRange) -> bool:
    begins = span.first == date.min or midnight_ns(span.first) <= mtime_ns
    return begins and (
        span.last == date.max or mtime_ns < midnight_ns(span.last + timedelta(days=1))
    )


def day_of(clock_ns: int) -> date:
    """The local day of a clock, however far off it is: the first or the last day that there is for one beyond."""
    try:
        return datetime.fromtimestamp(clock_ns / 1e9).date()
    except (OverflowError, ValueError, OSError):
        return date.min if clock_ns < 0 else date.max
