"""The day that a note is about, as its properties or its file name tell it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

from vaultmem.notes.model import PropertyValue
from vaultmem.notes.paths import stem

DATE_PROPERTIES: Final = ("date", "created", "created_at")
"""Properties that date a note, the first that holds a date wins; compared without regard to case."""

_EPOCH: Final = date(1970, 1, 1).toordinal()

_YEAR: Final = r"(?P<y>(?:1[5-9]|2[01])\d\d)"
_DAY: Final = re.compile(
    rf"(?<!\d){_YEAR}(?:(?P<sep>[-_./])(?P<m>\d\d?)(?P=sep)(?P<d>\d\d?)|(?P<m2>\d\d)(?P<d2>\d\d)"
    r"|年 ?(?P<m3>\d\d?)月 ?(?P<d3>\d\d?)(?=日))(?!\d)"
)
"""A day in a text, year first: with hyphens, low lines, dots or slashes, without anything between, or 年 月 日."""

_WHOLE_MONTH: Final = re.compile(rf"{_YEAR}[-_./](?P<m>\d\d)")
_WHOLE_WEEK: Final = re.compile(rf"{_YEAR}-?W(?P<w>\d\d)", re.IGNORECASE)
_PATH_DAY: Final = re.compile(rf"(?:^|/){_YEAR}/(?P<m>\d\d)/(?P<d>\d\d)(?:\.md)?$", re.IGNORECASE)


def note_day(path: str, properties: Mapping[str, PropertyValue]) -> int | None:
    """The note's day as days since 1970-01-01: of the first of ``DATE_PROPERTIES`` that begins with a date, else of
    its file name (``2024-03-12 Standup``, a month's or a week's note by its first day, ``2024/03/12.md``); None when
    neither tells one.

    >>> note_day("Log/2024-03-12 Standup.md", {}), note_day("Standup.md", {"created": "1970-01-03T10:00"})
    (19794, 2)
    """
    named = {key.lower(): value for key, value in properties.items()}
    for key in DATE_PROPERTIES:
        day = _property_day(named.get(key))
        if day is not None:
            return as_day(day)
    found = _name_day(path)
    return as_day(found) if found is not None else None


def as_day(day: date) -> int:
    """Days since 1970-01-01."""
    return day.toordinal() - _EPOCH


def from_day(day: int) -> date:
    """The inverse of :func:`as_day`, for a day between the years 1 and 9999."""
    return date.fromordinal(day + _EPOCH)


def days_in(text: str) -> Iterator[date]:
    """Every day that stands in the text in figures, year first."""
    for match in _DAY.finditer(text):
        day = _made(match["y"], *_month_and_day(match))
        if day is not None:
            yield day


def _month_and_day(match: re.Match[str]) -> tuple[str, str]:
    return match["m"] or match["m2"] or match["m3"], match["d"] or match["d2"] or match["d3"]


def _property_day(value: PropertyValue) -> date | None:
    if isinstance(value, list):
        return _property_day(value[0]) if len(value) == 1 else None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    text = value.strip().removeprefix("[[")
    match = _DAY.match(text)
    if match is not None:
        return _made(match["y"], *_month_and_day(match))
    return _whole(text)


def _name_day(path: str) -> date | None:
    name = stem(path)
    found = next(days_in(name), None) or _whole(name.strip())
    if found is not None:
        return found
    match = _PATH_DAY.search(path)
    return _made(match["y"], match["m"], match["d"]) if match else None


def _whole(text: str) -> date | None:
    """The first day of the month or week that the whole text is."""
    if match := _WHOLE_MONTH.fullmatch(text):
        return _made(match["y"], match["m"], "1")
    if match := _WHOLE_WEEK.fullmatch(text):
        try:
            return date.fromisocalendar(int(match["y"]), int(match["w"]), 1)
        except ValueError:
            return None
    return None


def _made(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:  # there is no such day
        return None
