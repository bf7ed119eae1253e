"""Times as people type them: a day, a moment, or how long ago."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from typing import Final, NamedTuple

from vaultmem.errors import UsageError

ACCEPTED: Final = (
    'Use a date (2026-11-29), a date and time ("2026-11-29 14:30"), a time of day (14:30), today, yesterday, '
    'now, or how long ago ("2 days ago", 3h).'
)

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAYS: Final = 24 * _HOUR
_UNITS: Final = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), _MINUTE),
    **dict.fromkeys(("h", "hour"), _HOUR),
    **dict.fromkeys(("d", "day"), _DAYS),
    **dict.fromkeys(("w", "week"), 7 * _DAYS),
    "month": 30 * _DAYS,
    **dict.fromkeys(("y", "year"), 365 * _DAYS),
}
"""In seconds. Who says "2 months ago" does not mean a certain hour."""
_AGO: Final = re.compile(r"(\d+|an?|one)\s*([a-z]+?)s?(?:\s+ago)?")
_DAY: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_SECONDS: Final = re.compile(r":\d\d:\d\d(?!\.)")


class Span(NamedTuple):
    """The stretch of time that the words mean, in nanoseconds since 1970, both ends belonging to it."""

    first: int
    last: int


def parse_time(words: str, now_ns: int, zone: tzinfo | None = None) -> Span:
    """What the words mean on the clock of ``zone`` (None: this machine's).

    A day is all of that day, a time with seconds all of that second; anything else is a moment. A time of day
    alone is the last one that was. An own offset in the words (``+02:00``, ``Z``) goes before the zone. Raises
    UsageError with the accepted forms.
    """
    text = " ".join(words.strip().lower().replace("_", " ").split())
    now = datetime.fromtimestamp(now_ns / 1e9, zone)
    try:
        found = (
            _ago(text, now_ns) or _named(text, now) or _clock(text, now) or _iso(words.strip(), now)
        )
    except (ValueError, OverflowError, OSError):
        found = None
    if found is None:
        raise UsageError(f"{words!r} is no time.", hint=ACCEPTED)
    return found


def _ago(text: str, now_ns: int) -> Span | None:
    if text == "now":
        return Span(now_ns, now_ns)
    found = _AGO.fullmatch(text)
    seconds = _UNITS.get(found[2]) if found else None
    if found is None or seconds is None:
        return None
    many = int(found[1]) if found[1].isdigit() else 1
    moment = now_ns - many * seconds * 10**9
    datetime.fromtimestamp(moment / 1e9)  # a time before all calendars is none
    return Span(moment, moment)


def _named(text: str, now: datetime) -> Span | None:
    day, _, clock = text.partition(" ")
    days = {"today": 0, "yesterday": 1}.get(day)
    if days is None:
        return None
    if not clock:
        return _day(now - timedelta(days=days))
    found = _CLOCK.fullmatch(clock.removeprefix("at "))
    return _at(now - timedelta(days=days), found) if found else None


def _clock(text: str, now: datetime) -> Span | None:
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    today = _at(now, found)
    return today if today.first <= _ns(now) else _at(now - timedelta(days=1), found)


def _iso(text: str, now: datetime) -> Span | None:
    if _DAY.fullmatch(text):
        year, month, day = map(int, text.split("-"))
        return _day(now.replace(year=year, month=month, day=day, fold=0))
    if ":" not in text:
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=now.tzinfo)
    return _whole_second(moment, _SECONDS.search(text) is not None)


def _day(moment: datetime) -> Span:
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    # The next midnight, not 24 hours on: the clock may be set in between.
    return Span(_ns(start), _ns((start + timedelta(hours=36)).replace(hour=0)) - 1)


def _at(day: datetime, found: re.Match[str]) -> Span:
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    moment = day.replace(hour=hour, minute=minute, second=second, microsecond=0, fold=0)
    return _whole_second(moment, found[3] is not None)


def _whole_second(moment: datetime, whole: bool) -> Span:
    first = _ns(moment)
    return Span(first, first + (10**9 - 1 if whole else 0))


def _ns(moment: datetime) -> int:
    return int(moment.replace(microsecond=0).timestamp()) * 10**9 + moment.microsecond * 1000


def shown_time(time_ns: int, zone: tzinfo | None = None) -> str:
    """The time on the clock of the zone (None: this machine's), to the second; ``parse_time`` reads it back."""
    return datetime.fromtimestamp(time_ns // 10**9, zone).strftime("%Y-%m-%d %H:%M:%S")
