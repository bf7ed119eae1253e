"""Ranges of days: weeks, months, seasons, and what lies so many of them away. Pure."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class DateRange:
    """Days from the first to the last, both included; ``date.min`` and ``date.max`` for an open end."""

    first: date
    last: date

    def __str__(self) -> str:
        if self.first == self.last:
            return self.first.isoformat()
        if self.first == date.min:
            return f"until {self.last.isoformat()}"
        if self.last == date.max:
            return f"since {self.first.isoformat()}"
        return f"{self.first.isoformat()} to {self.last.isoformat()}"

    def holds(self, day: date) -> bool:
        """Whether the day lies in it."""
        return self.first <= day <= self.last


class Unit(StrEnum):
    """What people count time in."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


class Season(StrEnum):
    """Of the northern half of the Earth, by whole months; a winter bears the year in which it begins."""

    SPRING = "spring"
    SUMMER = "summer"
    AUTUMN = "autumn"
    WINTER = "winter"


_SEASON_MONTHS = {Season.SPRING: 3, Season.SUMMER: 6, Season.AUTUMN: 9, Season.WINTER: 12}
_UNIT_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}

MOST_AWAY = 12 * 2000
"""Months, weeks or days that can be counted; more mean nothing."""


def day_range(day: date) -> DateRange:
    """The one day."""
    return DateRange(day, day)


def shifted(day: date, unit: Unit, count: int) -> date:
    """The day so many units later; the last of the month where there is no such day in it. Stops at the first and the
    last day that there are."""
    if unit in _UNIT_MONTHS:
        months = day.year * 12 + day.month - 1 + count * _UNIT_MONTHS[unit]
        if months < 12:
            return date.min
        if months >= 120_000:
            return date.max
        year, month = divmod(months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        return date(year, month + 1, min(day.day, last))
    days = count * (7 if unit == Unit.WEEK else 1)
    ordinal = day.toordinal() + days
    if ordinal < 1:
        return date.min
    return date.fromordinal(min(ordinal, date.max.toordinal()))


def around(day: date, unit: Unit) -> DateRange:
    """The unit of the calendar that the day is in; weeks begin on Monday."""
    if unit == Unit.DAY:
        return day_range(day)
    if unit == Unit.WEEK:
        first = shifted(day, Unit.DAY, -day.weekday())
        return DateRange(first, shifted(first, Unit.DAY, 6))
    if unit == Unit.MONTH:
        return month_range(day.year, day.month)
    if unit == Unit.QUARTER:
        return quarter_range(day.year, (day.month + 2) // 3)
    if unit == Unit.YEAR:
        return year_range(day.year)
    return decade_range(day.year - day.year % 10)


def month_range(year: int, month: int) -> DateRange:
    """The whole month."""
    return DateRange(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def quarter_range(year: int, quarter: int) -> DateRange:
    """The quarter of the calendar, 1 to 4."""
    return DateRange(date(year, 3 * quarter - 2, 1), month_range(year, 3 * quarter).last)


def year_range(year: int) -> DateRange:
    """The whole year."""
    return DateRange(date(year, 1, 1), date(year, 12, 31))


def decade_range(year: int) -> DateRange:
    """Ten years from that one on."""
    return DateRange(date(max(year, 1), 1, 1), date(min(year + 9, 9999), 12, 31))


def season_range(year: int, season: Season) -> DateRange:
    """The season that begins in that year."""
    first = date(year, _SEASON_MONTHS[season], 1)
    return DateRange(first, shifted(shifted(first, Unit.MONTH, 3), Unit.DAY, -1))


def latest(ranges_of: list[DateRange], today: date, *, over: bool) -> DateRange:
    """The last of the ranges that has begun, or, with ``over``, that has ended before today; they are in order, and if
    none has, it is the first."""
    fit = [r for r in ranges_of if (r.last < today if over else r.first <= today)]
    return fit[-1] if fit else ranges_of[0]


def weekday_range(today: date, weekday: int, *, weeks: int | None) -> DateRange:
    """That day (0: Monday) of the week so many weeks after this one; the last one before today for None."""
    if weeks is None:
        return day_range(shifted(today, Unit.DAY, -((today.weekday() - weekday - 1) % 7 + 1)))
    return day_range(shifted(today, Unit.DAY, 7 * weeks + weekday - today.weekday()))


def part_of(whole: DateRange, part: str) -> DateRange:
    """The ``early``, ``mid`` or ``late`` third of a range, a little more than a third each."""
    days = (whole.last - whole.first).days + 1
    third = max(1, -(-days // 3))
    if part == "early":
        return DateRange(whole.first, whole.first + timedelta(days=third - 1))
    if part == "late":
        return DateRange(whole.last - timedelta(days=third - 1), whole.last)
    return (
        DateRange(whole.first + timedelta(days=third - 1), whole.last - timedelta(days=third - 1))
        if days > 2
        else whole
    )
