"""The time of day at which a dream may begin, and the nights that follow from it. Pure.

A night bears the date on which its window begins, in the person's own time, also where the window goes across midnight.
Where the clocks are put forward over a bound, that bound is the first moment after; where an hour comes twice, a window
begins in the first and ends in the second: so each date has one night, whatever the clocks do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Self

ANY: Final = "any"
_FORM: Final = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)\s*")
_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """From one time of day to another; ``None`` for both: any time, and then a night is a whole day."""

    start: time | None = None
    end: time | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The window that a setting names. Raises ValueError for what names none."""
        if text.strip().lower() == ANY:
            return cls()
        found = _FORM.fullmatch(text)
        if not found:
            raise ValueError(text)
        start, end = time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))
        if start == end:
            raise ValueError(text)
        return cls(start, end)

    def __str__(self) -> str:
        if self.start is None or self.end is None:
            return ANY
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    def night(self, day: date, zone: tzinfo) -> Night | None:
        """The night of that date; None where the date itself does not exist (a zone that changed sides)."""
        start = self.start or time()
        if _instant(day, time(), zone, last=False) >= _instant(
            day + _DAY, time(), zone, last=False
        ):
            return None
        until = day if self.start and self.end and self.end > self.start else day + _DAY
        begins = _instant(day, start, zone, last=False)
        ends = _instant(until, self.end or time(), zone, last=self.end is not None)
        if ends <= begins:  # both bounds in an hour that does not exist
            ends = begins + (datetime.combine(until, self.end or time()) - _combined(day, start))
        return Night(day, begins, ends)

    def latest(self, now: datetime, zone: tzinfo) -> Night:
        """The last night that has begun by ``now``."""
        day = now.astimezone(zone).date() + _DAY
        while True:
            night = self.night(day, zone)
            if night is not None and night.begins <= now:
                return night
            day -= _DAY

    def after(self, night: Night, zone: tzinfo) -> Night:
        """The night that follows."""
        day = night.day + _DAY
        while (found := self.night(day, zone)) is None:
            day += _DAY
        return found


@dataclass(frozen=True, slots=True)
class Night:
    """One night of a window."""

    day: date
    """On which it begins, in the person's own time."""
    begins: datetime
    """In UTC, as are all moments here."""
    ends: datetime

    def holds(self, now: datetime) -> bool:
        """Whether that moment is in the window."""
        return self.begins <= now < self.ends


def _combined(day: date, at: time) -> datetime:
    return datetime.combine(day, at)


def _instant(day: date, at: time, zone: tzinfo, *, last: bool) -> datetime:
    """The moment at which clocks there say so: the first or the last such, or the first after a gap that holds it."""
    local = datetime.combine(day, at, zone)
    early, late = (local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    exists = early.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)
    if exists:
        return late if last else early
    # In a gap: the offset before it gives the later moment, the offset after it the earlier one; it lies between.
    low, high = late, early
    before = low.astimezone(zone).utcoffset()
    while high - low > _SECOND:
        middle = low + (high - low) // 2
        if middle.astimezone(zone).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high.replace(microsecond=0)
