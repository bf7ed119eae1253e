"""The rules for English, and for dates as most languages with blanks write them: day, month and year. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from vaultmem.search.ranges import (
    DateRange,
    Season,
    Unit,
    around,
    day_range,
    decade_range,
    latest,
    month_range,
    quarter_range,
    season_range,
    shifted,
    weekday_range,
    year_range,
)
from vaultmem.search.when import NUMBERS, Meaning, Read, ago, number, unit_named
from vaultmem.search.when_meanings import (
    MONTH,
    MONTHS,
    SEASON,
    SEASONS,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    any_of,
    any_year,
    fixed,
    lately,
    latest_day,
    latest_month,
    rolling,
    season_of_year,
    seasons_until,
    unit_away,
    weekend,
)

_DAY: Final = r"(?P<day>[0-3]?\d)"
_N: Final = rf"(?P<n>\d{{1,4}}|{any_of(' '.join(NUMBERS))})"
_UNIT: Final = "(?P<unit>day|week|fortnight|month|quarter|year|decade)"
_SOME: Final = {"few": (2, 5), "couple": (1, 3), "several": (3, 7)}


def _ago(match: re.Match[str], today: date) -> Meaning | None:
    count = number(match["n"])
    unit = unit_named(match["unit"])
    if count is None:
        return None
    if match["unit"].startswith("fortnight"):
        count *= 2
    found = ago(today, unit, count)
    return Meaning(found) if found is not None else None


def _some_ago(match: re.Match[str], today: date) -> Meaning:
    least, most = _SOME[match["some"]]
    unit = unit_named(match["unit"])
    return Meaning(DateRange(shifted(today, unit, -most), shifted(today, unit, -least)))


def _last_n(match: re.Match[str], today: date) -> Meaning | None:
    found = match.groupdict()
    count = _SOME[found["some"]][1] if found.get("some") else number(found["n"] or "")
    return rolling(today, unit_named(found["unit"]), count) if count is not None else None


_STEPS: Final = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}


def _stepped(match: re.Match[str], today: date) -> Meaning:
    unit = unit_named(match["unit"])
    if match["step"] == "past":
        return rolling(today, unit, 1)
    return unit_away(unit, _STEPS[match["step"]])(match, today) or rolling(today, unit, 1)


def _stepped_weekday(match: re.Match[str], today: date) -> Meaning:
    step = match["step"]
    weeks = None if step in ("last", "past", "previous") else _STEPS[step]
    return Meaning(weekday_range(today, WEEKDAYS[match["weekday"]], weeks=weeks))


def _stepped_season(match: re.Match[str], today: date) -> Meaning:
    season, step = SEASONS[match["season"]], _STEPS[match["step"]]
    known = seasons_until(today, season)
    if step < 0:
        return Meaning(latest(known, today, over=True))
    running = today.year - (season == Season.WINTER and today.month < 3)
    return Meaning(season_range(min(running + step, 9998), season))


def _of_stepped_year(match: re.Match[str], today: date) -> Meaning:
    year = today.year + _STEPS[match["step"]]
    if match["season"]:
        return Meaning(season_range(year, SEASONS[match["season"]]))
    return Meaning(month_range(year, MONTHS[match["month"]]), False)


def _month_of_year(match: re.Match[str], _today: date) -> Meaning:
    return Meaning(month_range(int(match["year"]), MONTHS[match["month"]]), False)


def _months_of_year(match: re.Match[str], _today: date) -> Meaning:
    end = month_range(int(match["year"]), MONTHS[match["month"]])
    first = month_range(end.first.year, MONTHS[match["from"]])
    if first.first > end.first:
        first = month_range(end.first.year - 1, MONTHS[match["from"]])
    return Meaning(DateRange(first.first, end.last), False)


def _month(match: re.Match[str], today: date) -> Meaning:
    return Meaning(latest_month(MONTHS[match["month"]], today), False)


def _last_month_named(match: re.Match[str], today: date) -> Meaning:
    month = MONTHS[match["month"]]
    if match["step"] == "last":
        return Meaning(latest_month(month, today, over=True), False)
    return Meaning(month_range(today.year + (match["step"] == "next"), month), False)


def _date(match: re.Match[str], today: date) -> Meaning:
    found = match.groupdict()
    month = MONTHS[found["month"]] if not found["month"].isdecimal() else int(found["month"])
    day = int(found["day"])
    if found.get("year"):
        return Meaning(day_range(date(int(found["year"]), month, day)), False)
    return Meaning(latest_day(month, day, today), False)


def _iso_month(match: re.Match[str], _today: date) -> Meaning:
    return Meaning(month_range(int(match["year"]), int(match["month"])), False)


def _iso_week(match: re.Match[str], _today: date) -> Meaning:
    first = date.fromisocalendar(int(match["year"]), int(match["week"]), 1)
    return Meaning(around(first, Unit.WEEK), False)


_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}


def _quarter(match: re.Match[str], today: date) -> Meaning:
    found = match.groupdict()
    quarter = int(found["q"]) if found.get("q") else _ORDINALS[found["nth"]]
    if found.get("year"):
        return Meaning(quarter_range(int(found["year"]), quarter), False)
    years = range(max(1, today.year - 1), today.year + 1)
    return Meaning(latest([quarter_range(y, quarter) for y in years], today, over=False), False)


def _half(match: re.Match[str], _today: date) -> Meaning:
    found = match.groupdict()
    second = found["h"] in ("2", "second", "下")
    year = int(found["year"])
    start = quarter_range(year, 3 if second else 1)
    return Meaning(DateRange(start.first, quarter_range(year, 4 if second else 2).last), False)


def _year(match: re.Match[str], today: date) -> Meaning | None:
    year = int(match["year"])
    return Meaning(year_range(year), False) if 1970 <= year <= today.year + 1 else None


def _years(match: re.Match[str], today: date) -> Meaning | None:
    first, last = int(match["year"]), int(match["to"])
    if not first < last <= today.year + 10:
        return None
    return Meaning(DateRange(year_range(first).first, year_range(last).last), False)


def _decade(match: re.Match[str], _today: date) -> Meaning:
    return Meaning(decade_range(int(match["decade"])), False)


def _weekday(match: re.Match[str], today: date) -> Meaning:
    return Meaning(weekday_range(today, WEEKDAYS[match["weekday"]], weeks=None), False)


def _season(match: re.Match[str], today: date) -> Meaning:
    return Meaning(latest(seasons_until(today, SEASONS[match["season"]]), today, over=False), False)


def _from_now(match: re.Match[str], today: date) -> Meaning | None:
    count = number(match["n"])
    if count is None:
        return None
    unit = unit_named(match["unit"])
    day = shifted(today, unit, count)
    return Meaning(day_range(day) if unit == Unit.DAY else around(day, unit))


def _christmas(match: re.Match[str], today: date) -> Meaning:
    years = range(max(1, today.year - 2), today.year + 1)
    known = [DateRange(date(y, 12, 24), date(y, 12, 26)) for y in years]
    return Meaning(latest(known, today, over=match.groupdict().get("step") == "last"), False)


def _so_far(match: re.Match[str], today: date) -> Meaning:
    return Meaning(DateRange(around(today, unit_named(match["unit"])).first, today))


ENGLISH: Final[tuple[tuple[str, Read], ...]] = (
    (r"(?:the )?day before yesterday", fixed(-2, only_when=True)),
    (r"(?:yesterday|last) (?:morning|afternoon|evening|night)", fixed(-1, only_when=True)),
    (r"yesterday", fixed(-1, only_when=False)),
    (r"(?:earlier today|this (?:morning|afternoon|evening))", fixed(0, only_when=True)),
    (r"today|tonight", fixed(0, only_when=False)),
    (r"tomorrow", fixed(1, only_when=False)),
    (rf"(?:about |around |roughly |some )?{_N} {_UNIT}s? (?:ago|back|earlier)", _ago),
    (rf"(?:a )?(?P<some>few|couple|several) (?:of )?{_UNIT}s? (?:ago|back)", _some_ago),
    (rf"(?:the )?(?:last|past|previous) (?:{_N}|(?:a )?(?P<some>few|couple|several)(?: of)?) {_UNIT}s", _last_n),
    (r"(?:the )?(?P<step>last|past|previous|this|current|next|coming) (?P<unit>week|fortnight|month|quarter|year|decade)(?:'s)?", _stepped),
    (r"(?:the )?week before last", unit_away(Unit.WEEK, -2)),
    (r"(?:the )?month before last", unit_away(Unit.MONTH, -2)),
    (r"(?:the )?year before last", unit_away(Unit.YEAR, -2)),
    (r"(?:last|past|previous) weekend", lambda _, today: weekend(today, -1)),
    (r"this weekend", lambda _, today: weekend(today, 0)),
    (r"next weekend", lambda _, today: weekend(today, 1)),
    (r"(?:earlier|so far) this (?P<unit>week|month|quarter|year)", _so_far),
    (rf"(?P<step>last|past|previous|this|next) {WEEKDAY}", _stepped_weekday),
    (rf"(?P<step>last|previous|this|next) {SEASON}", _stepped_season),
    (rf"{SEASON}(?: of|,)? {YEAR}", season_of_year),
    (rf"(?:{SEASON}|{MONTH}),?(?: of)? (?P<step>last|this|next) year", _of_stepped_year),
    (rf"(?P<step>last|this|next) {MONTH}", _last_month_named),
    (r"(?P<step>last) christmas", _christmas),
    (rf"(?P<from>{any_of(MONTHS)})(?: \d{{1,2}})? ?(?:to|and|until|till|through|-|–) ?{MONTH} {YEAR}", _months_of_year),
    (rf"{_DAY}(?:st|nd|rd|th|\.)?(?: of| de)? {MONTH}(?:,? (?:de |del )?{YEAR})?", _date),
    (rf"{MONTH} {_DAY}(?:st|nd|rd|th)?(?:,? {YEAR})?", _date),
    (rf"{MONTH}(?: of|,| de| del)? {YEAR}", _month_of_year),
    (rf"{YEAR}(?P<s>[-/.])(?P<month>\d\d?)(?P=s){_DAY}(?:t[\d:]+z?)?", _date),
    (rf"{_DAY}\.(?P<month>\d\d?)\.{YEAR}", _date),
    (rf"{YEAR}[-/](?P<month>0[1-9]|1[0-2])", _iso_month),
    (rf"{YEAR}-?w(?P<week>\d\d)", _iso_week),
    (rf"q(?P<q>[1-4])(?:[ /]?(?:of )?{YEAR})?", _quarter),
    (rf"{YEAR}[- ]?q(?P<q>[1-4])", _quarter),
    (rf"(?:the )?(?P<nth>first|second|third|fourth|last) quarter (?:of )?{YEAR}", _quarter),
    (rf"(?:the )?(?P<h>first|second) half of {YEAR}", _half),
    (rf"h(?P<h>[12]) {YEAR}", _half),
    (r"(?:the )?(?P<decade>(?:19|20)\d0)'?s", _decade),
    (rf"{YEAR} ?[-–] ?(?P<to>20\d\d)", _years),
    (rf"in {_N} {_UNIT}s?(?: from now)?|(?:{_N.replace('<n>', '<m>')}) (?:{_UNIT.replace('<unit>', '<u>')})s? from now", lambda m, t: _from_now(m, t) if m["n"] else None),
    (r"recently|lately", lately),
)  # fmt: skip

LOOSE: Final[tuple[tuple[str, Read, str], ...]] = (
    (MONTH, _month, "month"),
    (SEASON, _season, "season"),
    (WEEKDAY, _weekday, "weekday"),
    (YEAR, _year, "number"),
    (YEAR, any_year, "year"),
    (r"christmas", _christmas, "feast"),
)
