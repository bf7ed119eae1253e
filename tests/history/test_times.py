"""Times as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from vaultmem.errors import UsageError
from vaultmem.history.times import ACCEPTED, parse_time, shown_time

NOW = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)


def ns(moment: datetime) -> int:
    return int(moment.timestamp()) * 10**9


def utc(*parts: int) -> int:
    return ns(datetime(*parts, tzinfo=UTC))  # type: ignore[misc, arg-type]


DAY = 24 * 3600 * 10**9
SECOND = 10**9


@pytest.mark.parametrize(
    ("words", "first", "length"),
    [
        ("now", utc(2026, 11, 29, 15), 0),
        ("2026-11-28", utc(2026, 11, 28), DAY - 1),
        ("2026-11-8", utc(2026, 11, 8), DAY - 1),
        ("today", utc(2026, 11, 29), DAY - 1),
        ("Yesterday", utc(2026, 11, 28), DAY - 1),
        ("yesterday 14:30", utc(2026, 11, 28, 14, 30), 0),
        ("yesterday at 9:05", utc(2026, 11, 28, 9, 5), 0),
        ("2026-11-28 14:30", utc(2026, 11, 28, 14, 30), 0),
        ("2026-11-28T14:30", utc(2026, 11, 28, 14, 30), 0),
        ("2026-11-28 14:30:05", utc(2026, 11, 28, 14, 30, 5), SECOND - 1),
        ("2026-11-28T14:30:05Z", utc(2026, 11, 28, 14, 30, 5), SECOND - 1),
        ("2026-11-28T14:30+02:00", utc(2026, 11, 28, 12, 30), 0),
        ("14:30", utc(2026, 11, 29, 14, 30), 0),
        ("15:30", utc(2026, 11, 28, 15, 30), 0),
        ("14:30:05", utc(2026, 11, 29, 14, 30, 5), SECOND - 1),
        ("2 days ago", utc(2026, 11, 27, 15), 0),
        ("  a week  ago ", utc(2026, 11, 22, 15), 0),
        ("an hour ago", utc(2026, 11, 29, 14), 0),
        ("90 min", utc(2026, 11, 29, 13, 30), 0),
        ("3h", utc(2026, 11, 29, 12), 0),
        ("5s", utc(2026, 11, 29, 14, 59, 55), 0),
        ("2 months ago", ns(NOW - timedelta(days=60)), 0),
    ],
)
def test_what_words_mean(words: str, first: int, length: int) -> None:
    assert parse_time(words, ns(NOW), UTC) == (first, first + length)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "soon",
        "2026-13-01",
        "2026-02-30",
        "25:00",
        "14:61",
        "2 fortnights",
        "99999999 years",
        "20261128",
    ],
)
def test_what_is_no_time_is_told_with_the_forms_that_are(words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_time(words, ns(NOW), UTC)
    assert caught.value.hint == ACCEPTED


def test_a_day_is_as_long_as_the_clock_says() -> None:
    zone = ZoneInfo("Europe/Berlin")
    now = ns(datetime(2026, 10, 27, 12, tzinfo=zone))
    first, last = parse_time("2026-10-25", now, zone)  # clocks go back
    assert (first, last - first + 1) == (utc(2026, 10, 24, 22), 25 * 3600 * 10**9)


def test_what_is_shown_can_be_typed() -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    moment = utc(2026, 11, 28, 1, 2, 3)
    assert shown_time(moment + 5, zone) == "2026-11-28 06:32:03"
    assert parse_time(shown_time(moment, zone), ns(NOW), zone).first == moment
