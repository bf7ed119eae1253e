"""The rules by which words of time become days: patterns over folded text, each with what it means. Pure.

Most hold wherever they match. Those of a kind are for words that are more than words of time (may, spring, Sunday):
they hold only behind a word such as *in* or *since*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from typing import Final, TypeAlias

from vaultmem.index.terms import CJK_CLASS
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
from vaultmem.search.when import NUMBERS, Meaning, Read, Rule, ago, number, unit_named

MONTHS: Final = {
    name: month
    for month, names in enumerate(
        (
            "january jan januar janner janvier enero",
            "february feb februar fevrier febrero",
            "march mar marz mars marzo",
            "april apr avril abril",
            "may mai mayo",
            "june jun juni juin junio",
            "july jul juli juillet julio",
            "august aug aout agosto",
            "september sept sep septembre septiembre",
            "october oct oktober octobre octubre",
            "november nov novembre noviembre",
            "december dec dezember decembre diciembre",
        ),
        1,
    )
    for name in names.split()
}
"""English, German, French and Spanish names, folded."""

WEEKDAYS: Final = {
    name: day
    for day, names in enumerate(
        (
            "monday mon montag lundi lunes",
            "tuesday tue tues dienstag mardi martes",
            "wednesday wed mittwoch mercredi miercoles",
            "thursday thu thur thurs donnerstag jeudi jueves",
            "friday fri freitag vendredi viernes",
            "saturday sat samstag samedi sabado",
            "sunday sun sonntag dimanche domingo",
        )
    )
    for name in names.split()
}

SEASONS: Final = {
    name: season
    for season, names in (
        (Season.SPRING, "spring springtime fruhling fruhjahr printemps primavera 春"),
        (Season.SUMMER, "summer summertime sommer ete verano 夏"),
        (Season.AUTUMN, "autumn fall herbst automne otono 秋"),
        (Season.WINTER, "winter wintertime hiver invierno 冬"),
    )
    for name in names.split()
}


def _any(words: dict[str, int] | dict[str, Season] | str) -> str:
    names = words.split() if isinstance(words, str) else words
    return "|".join(sorted(names, key=len, reverse=True))


_MONTH: Final = rf"(?P<month>{_any(MONTHS)})\.?"
_YEAR: Final = r"(?P<year>19\d\d|20\d\d)"
_DAY: Final = r"(?P<day>[0-3]?\d)"
_SEASON: Final = (
    "(?P<season>spring|springtime|summer|summertime|autumn|fall|winter|wintertime|fruhling|fruhjahr|sommer|herbst|"
    "printemps|ete|automne|hiver|primavera|verano|otono|invierno)"
)
_WEEKDAY: Final = rf"(?P<weekday>{_any(WEEKDAYS)})"
_N: Final = rf"(?P<n>\d{{1,4}}|{_any(' '.join(NUMBERS))})"
_UNIT: Final = "(?P<unit>day|week|fortnight|month|quarter|year|decade)"
_SOME: Final = {"few": (2, 5), "couple": (1, 3), "several": (3, 7)}
_ROLLING_LATELY: Final = 30


# -- meanings -------------------------------------------------------------------------------------------------


def _fixed(days: int, *, only_when: bool) -> Read:
    def read(_match: re.Match[str], today: date) -> Meaning:
        return Meaning(day_range(shifted(today, Unit.DAY, days)), only_when)

    return read


def _unit(unit: Unit, count: int) -> Read:
    def read(_match: re.Match[str], today: date) -> Meaning:
        return Meaning(around(shifted(around(today, unit).first, unit, count), unit))

    return read


def _rolling(today: date, unit: Unit, count: int) -> Meaning:
    return Meaning(DateRange(shifted(today, unit, -count), today))


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
    return _rolling(today, unit_named(found["unit"]), count) if count is not None else None


_STEPS: Final = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}


def _stepped(match: re.Match[str], today: date) -> Meaning:
    unit = unit_named(match["unit"])
    if match["step"] == "past":
        return _rolling(today, unit, 1)
    return _unit(unit, _STEPS[match["step"]])(match, today) or _rolling(today, unit, 1)


def _weekend(today: date, weeks: int) -> Meaning:
    week = around(shifted(today, Unit.WEEK, weeks), Unit.WEEK)
    return Meaning(DateRange(shifted(week.first, Unit.DAY, 5), week.last))


def _stepped_weekday(match: re.Match[str], today: date) -> Meaning:
    step = match["step"]
    weeks = None if step in ("last", "past", "previous") else _STEPS[step]
    return Meaning(weekday_range(today, WEEKDAYS[match["weekday"]], weeks=weeks))


def _seasons(today: date, season: Season) -> list[DateRange]:
    return [season_range(year, season) for year in range(max(1, today.year - 2), today.year + 1)]


def _stepped_season(match: re.Match[str], today: date) -> Meaning:
    season, step = SEASONS[match["season"]], _STEPS[match["step"]]
    known = _seasons(today, season)
    if step < 0:
        return Meaning(latest(known, today, over=True))
    running = today.year - (season == Season.WINTER and today.month < 3)
    return Meaning(season_range(min(running + step, 9998), season))


def _season_of_year(match: re.Match[str], _today: date) -> Meaning:
    return Meaning(season_range(int(match["year"]), SEASONS[match["season"]]), False)


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


def _latest_month(month: int, today: date, *, over: bool = False) -> DateRange:
    years = range(max(1, today.year - 1), today.year + 1)
    return latest([month_range(year, month) for year in years], today, over=over)


def _latest_day(month: int, day: int, today: date) -> DateRange:
    if (month, day) == (2, 29):
        years = [y for y in range(max(1, today.year - 8), today.year + 1) if _is_leap(y)]
    else:
        years = list(range(max(1, today.year - 1), today.year + 1))
    return latest([day_range(date(year, month, day)) for year in years], today, over=False)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month(match: re.Match[str], today: date) -> Meaning:
    return Meaning(_latest_month(MONTHS[match["month"]], today), False)


def _last_month_named(match: re.Match[str], today: date) -> Meaning:
    month = MONTHS[match["month"]]
    if match["step"] == "last":
        return Meaning(_latest_month(month, today, over=True), False)
    return Meaning(month_range(today.year + (match["step"] == "next"), month), False)


def _date(match: re.Match[str], today: date) -> Meaning:
    found = match.groupdict()
    month = MONTHS[found["month"]] if not found["month"].isdecimal() else int(found["month"])
    day = int(found["day"])
    if found.get("year"):
        return Meaning(day_range(date(int(found["year"]), month, day)), False)
    return Meaning(_latest_day(month, day, today), False)


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


def _any_year(match: re.Match[str], _today: date) -> Meaning:
    return Meaning(year_range(int(match["year"])), False)


def _decade(match: re.Match[str], _today: date) -> Meaning:
    return Meaning(decade_range(int(match["decade"])), False)


def _weekday(match: re.Match[str], today: date) -> Meaning:
    return Meaning(weekday_range(today, WEEKDAYS[match["weekday"]], weeks=None), False)


def _season(match: re.Match[str], today: date) -> Meaning:
    return Meaning(latest(_seasons(today, SEASONS[match["season"]]), today, over=False), False)


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


def _lately(_match: re.Match[str], today: date) -> Meaning:
    return Meaning(DateRange(shifted(today, Unit.DAY, -_ROLLING_LATELY), today), False)


def _so_far(match: re.Match[str], today: date) -> Meaning:
    return Meaning(DateRange(around(today, unit_named(match["unit"])).first, today))


# -- English ---------------------------------------------------------------------------------------------------

_ENGLISH: Final[tuple[tuple[str, Read], ...]] = (
    (r"(?:the )?day before yesterday", _fixed(-2, only_when=True)),
    (r"(?:yesterday|last) (?:morning|afternoon|evening|night)", _fixed(-1, only_when=True)),
    (r"yesterday", _fixed(-1, only_when=False)),
    (r"(?:earlier today|this (?:morning|afternoon|evening))", _fixed(0, only_when=True)),
    (r"today|tonight", _fixed(0, only_when=False)),
    (r"tomorrow", _fixed(1, only_when=False)),
    (rf"(?:about |around |roughly |some )?{_N} {_UNIT}s? (?:ago|back|earlier)", _ago),
    (rf"(?:a )?(?P<some>few|couple|several) (?:of )?{_UNIT}s? (?:ago|back)", _some_ago),
    (rf"(?:the )?(?:last|past|previous) (?:{_N}|(?:a )?(?P<some>few|couple|several)(?: of)?) {_UNIT}s", _last_n),
    (r"(?:the )?(?P<step>last|past|previous|this|current|next|coming) (?P<unit>week|fortnight|month|quarter|year|decade)(?:'s)?", _stepped),
    (r"(?:the )?week before last", _unit(Unit.WEEK, -2)),
    (r"(?:the )?month before last", _unit(Unit.MONTH, -2)),
    (r"(?:the )?year before last", _unit(Unit.YEAR, -2)),
    (r"(?:last|past|previous) weekend", lambda _, today: _weekend(today, -1)),
    (r"this weekend", lambda _, today: _weekend(today, 0)),
    (r"next weekend", lambda _, today: _weekend(today, 1)),
    (r"(?:earlier|so far) this (?P<unit>week|month|quarter|year)", _so_far),
    (rf"(?P<step>last|past|previous|this|next) {_WEEKDAY}", _stepped_weekday),
    (rf"(?P<step>last|previous|this|next) {_SEASON}", _stepped_season),
    (rf"{_SEASON}(?: of|,)? {_YEAR}", _season_of_year),
    (rf"(?:{_SEASON}|{_MONTH}),?(?: of)? (?P<step>last|this|next) year", _of_stepped_year),
    (rf"(?P<step>last|this|next) {_MONTH}", _last_month_named),
    (r"(?P<step>last) christmas", _christmas),
    (rf"(?P<from>{_any(MONTHS)})(?: \d{{1,2}})? ?(?:to|and|until|till|through|-|–) ?{_MONTH} {_YEAR}", _months_of_year),
    (rf"{_DAY}(?:st|nd|rd|th|\.)?(?: of| de)? {_MONTH}(?:,? (?:de |del )?{_YEAR})?", _date),
    (rf"{_MONTH} {_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?", _date),
    (rf"{_MONTH}(?: of|,| de| del)? {_YEAR}", _month_of_year),
    (rf"{_YEAR}(?P<s>[-/.])(?P<month>\d\d?)(?P=s){_DAY}(?:t[\d:]+z?)?", _date),
    (rf"{_DAY}\.(?P<month>\d\d?)\.{_YEAR}", _date),
    (rf"{_YEAR}[-/](?P<month>0[1-9]|1[0-2])", _iso_month),
    (rf"{_YEAR}-?w(?P<week>\d\d)", _iso_week),
    (rf"q(?P<q>[1-4])(?:[ /]?(?:of )?{_YEAR})?", _quarter),
    (rf"{_YEAR}[- ]?q(?P<q>[1-4])", _quarter),
    (rf"(?:the )?(?P<nth>first|second|third|fourth|last) quarter (?:of )?{_YEAR}", _quarter),
    (rf"(?:the )?(?P<h>first|second) half of {_YEAR}", _half),
    (rf"h(?P<h>[12]) {_YEAR}", _half),
    (r"(?:the )?(?P<decade>(?:19|20)\d0)'?s", _decade),
    (rf"{_YEAR} ?[-–] ?(?P<to>20\d\d)", _years),
    (rf"in {_N} {_UNIT}s?(?: from now)?|(?:{_N.replace('<n>', '<m>')}) (?:{_UNIT.replace('<unit>', '<u>')})s? from now", lambda m, t: _from_now(m, t) if m["n"] else None),
    (r"recently|lately", _lately),
)  # fmt: skip

_LOOSE: Final[tuple[tuple[str, Read, str], ...]] = (
    (_MONTH, _month, "month"),
    (_SEASON, _season, "season"),
    (_WEEKDAY, _weekday, "weekday"),
    (_YEAR, _year, "number"),
    (_YEAR, _any_year, "year"),
    (r"christmas", _christmas, "feast"),
)


# -- German, French, Spanish -----------------------------------------------------------------------------------

_UNIT_WORDS: Final = {
    word: unit
    for unit, words in (
        (Unit.DAY, "tag tage tagen jour jours dia dias"),
        (Unit.WEEK, "woche wochen semaine semaines semana semanas"),
        (Unit.MONTH, "monat monate monaten mois mes meses"),
        (Unit.QUARTER, "quartal trimestre"),
        (Unit.YEAR, "jahr jahre jahren an ans annee annees ano anos"),
    )
    for word in words.split()
}
_NUMBER_WORDS: Final = {
    word: value
    for value, words in enumerate(
        (
            "ein eine einem einer einen un une una",
            "zwei deux dos",
            "drei trois tres",
            "vier quatre cuatro",
            "funf cinq cinco",
            "sechs six seis",
            "sieben sept siete",
            "acht huit ocho",
            "neun neuf nueve",
            "zehn dix diez",
        ),
        1,
    )
    for word in words.split()
}
_WORD_N: Final = rf"(?P<n>\d{{1,4}}|{_any(' '.join(_NUMBER_WORDS))})"
_WORD_UNIT: Final = rf"(?P<unit>{_any(' '.join(_UNIT_WORDS))})"
_PAST: Final = "letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?"
_GONE: Final = "derniere?|passee?|pasad[oa]"


def _word_ago(match: re.Match[str], today: date) -> Meaning | None:
    text = match["n"]
    found = ago(
        today, _UNIT_WORDS[match["unit"]], int(text) if text.isdecimal() else _NUMBER_WORDS[text]
    )
    return Meaning(found) if found is not None else None


def _word_last_n(match: re.Match[str], today: date) -> Meaning:
    text = match["n"]
    count = int(text) if text.isdecimal() else _NUMBER_WORDS[text]
    return _rolling(today, _UNIT_WORDS[match["unit"]], count)


def _word_unit(count: int) -> Read:
    return lambda match, today: _unit(_UNIT_WORDS[match["unit"]], count)(match, today)


_EUROPEAN: Final[tuple[tuple[str, Read], ...]] = (
    (r"heute|aujourd'hui|hoy", _fixed(0, only_when=False)),
    (r"gestern|ayer|(?<=d')hier|hier (?=matin|soir)", _fixed(-1, only_when=False)),
    (r"vorgestern|avant-hier|anteayer", _fixed(-2, only_when=False)),
    (rf"vor {_WORD_N} {_WORD_UNIT}|il y a {_WORD_N.replace('<n>', '<n2>')} {_WORD_UNIT.replace('<unit>', '<u2>')}", lambda m, t: _word_ago(m, t) if m["n"] else None),
    (rf"(?:il y a|hace) {_WORD_N} {_WORD_UNIT}", _word_ago),
    (rf"(?:die |den |der )?(?:{_PAST}) {_WORD_N} {_WORD_UNIT}", _word_last_n),
    (rf"(?:{_PAST}) {_WORD_UNIT}", _word_unit(-1)),
    (rf"(?:la |le |l'|el )?{_WORD_UNIT} (?:{_GONE})", _word_unit(-1)),
    (rf"(?:diese[nrsm]?|cette|ce|esta|este) {_WORD_UNIT}", _word_unit(0)),
    (rf"(?:nachste[nrsm]?) {_WORD_UNIT}|{_WORD_UNIT.replace('<unit>', '<u>')} (?:prochaine?|que viene)", lambda m, t: _word_unit(1)(m, t) if m["unit"] else None),
    (rf"(?:{_PAST}) {_SEASON}|(?:l'|le |el |la )?{_SEASON.replace('<season>', '<s2>')} (?:{_GONE})", lambda m, t: Meaning(latest(_seasons(t, SEASONS[m["season"] or m["s2"]]), t, over=True))),
    (rf"(?:{_PAST}) {_WEEKDAY}|{_WEEKDAY.replace('<weekday>', '<w2>')} (?:{_GONE})", lambda m, t: Meaning(weekday_range(t, WEEKDAYS[m["weekday"] or m["w2"]], weeks=None))),
    (rf"{_SEASON} (?:de |del )?{_YEAR}", _season_of_year),
)  # fmt: skip


# -- Chinese, Japanese, Korean ---------------------------------------------------------------------------------

_CJK_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2}
_CJK_N: Final = r"(?P<n>\d{1,4}|[一二两兩三四五六七八九十]{1,3}|半|几|幾|数|數)"
_CJK_MONTH: Final = r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])"
_CJK_YEAR: Final = r"(?:(?P<year>19\d\d|20\d\d) ?[年년] ?|(?P<named>今年|去年|前年|明年|昨年|一昨年|来年|來年|올해|작년|내년)の? ?)"
_NAMED_YEARS: Final = {
    "今年": 0, "올해": 0, "去年": -1, "昨年": -1, "작년": -1, "前年": -2, "一昨年": -2, "おととし": -2, "재작년": -2,
    "明年": 1, "来年": 1, "來年": 1, "내년": 1,
}  # fmt: skip
_CJK_UNITS: Final = (
    (Unit.DAY, "天|日間?|일"),
    (Unit.WEEK, "(?:个|個)?(?:周|星期|礼拜|禮拜)|週間?|주"),
    (Unit.MONTH, "(?:个|個|か|ヶ|ヵ|カ|ケ|箇)月間?|개월|달"),
    (Unit.QUARTER, "(?:个|個)?季度|四半期"),
    (Unit.YEAR, "年間?|년"),
)


def _cjk_number(text: str) -> int | None:
    """A number in figures or Chinese up to 99; None for a half and for some."""
    if text.isdecimal():
        return int(text)
    if text in ("半", "几", "幾", "数", "數"):
        return None
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _CJK_DIGITS.get(text)
    return (_CJK_DIGITS.get(tens, 1) if tens else 1) * 10 + (
        _CJK_DIGITS.get(ones, 0) if ones else 0
    )


def _cjk_count(unit: Unit) -> Callable[[re.Match[str]], tuple[Unit, int] | None]:
    def count(match: re.Match[str]) -> tuple[Unit, int] | None:
        text = match["n"]
        if text == "半":
            half = {Unit.YEAR: (Unit.MONTH, 6), Unit.MONTH: (Unit.DAY, 15)}
            return half.get(unit)
        found = _cjk_number(text)
        return (unit, 3 if found is None else found)

    return count


def _cjk_ago(unit: Unit) -> Read:
    counted = _cjk_count(unit)

    def read(match: re.Match[str], today: date) -> Meaning | None:
        count = counted(match)
        if count is None:
            return None
        if _cjk_number(match["n"]) is None and match["n"] != "半":
            first = shifted(today, unit, -7)
            return Meaning(DateRange(first, shifted(today, unit, -2)))
        found = ago(today, *count)
        return Meaning(found) if found is not None else None

    return read


def _cjk_rolling(unit: Unit) -> Read:
    counted = _cjk_count(unit)

    def read(match: re.Match[str], today: date) -> Meaning | None:
        count = counted(match)
        return _rolling(today, *count) if count is not None else None

    return read


def _cjk_year(match: re.Match[str], today: date) -> int:
    if match["year"]:
        return int(match["year"])
    return today.year + _NAMED_YEARS[match["named"]]


def _cjk_date(match: re.Match[str], today: date) -> Meaning | None:
    found = match.groupdict()
    month = _cjk_number(found["month"])
    if month is None or not 1 <= month <= 12:
        return None
    has_year = found.get("year") or found.get("named")
    only_when = bool(found.get("named"))
    if found.get("day"):
        day = _cjk_number(found["day"])
        if day is None:
            return None
        if has_year:
            return Meaning(day_range(date(_cjk_year(match, today), month, day)), only_when)
        return Meaning(_latest_day(month, day, today), False)
    if has_year:
        return Meaning(month_range(_cjk_year(match, today), month), only_when)
    return Meaning(_latest_month(month, today), False)


def _cjk_season(match: re.Match[str], today: date) -> Meaning:
    year = _cjk_year(match, today)
    return Meaning(season_range(year, SEASONS[match["season"]]), bool(match["named"]))


def _cjk_part_of_year(match: re.Match[str], today: date) -> Meaning:
    year, part = _cjk_year(match, today), match["part"]
    quarters = {"上半年": (1, 2), "下半年": (3, 4), "初": (1, 1), "年初": (1, 1)}.get(part)
    if quarters is None:
        return Meaning(DateRange(date(year, 11, 1), date(year, 12, 31)), bool(match["named"]))
    found = DateRange(quarter_range(year, quarters[0]).first, quarter_range(year, quarters[1]).last)
    return Meaning(found, bool(match["named"]))


_STEPS_CJK: Final = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1} | {
    "先々": -2, "先": -1, "今": 0, "来": 1,
}  # fmt: skip


def _cjk_weekday(match: re.Match[str], today: date) -> Meaning:
    names = "月火水木金土日" if match["weekday"] in "月火水木金土" else "一二三四五六日"
    weekday = 6 if match["weekday"] in "日天" else names.index(match["weekday"])
    return Meaning(weekday_range(today, weekday, weeks=_STEPS_CJK[match["step"]]))


def _fixed_words(days: int, words: str, *, only_when: bool = True) -> tuple[str, Read]:
    return _any(words), _fixed(days, only_when=only_when)


def _unit_words(unit: Unit, count: int, words: str) -> tuple[str, Read]:
    return _any(words).replace("_", " "), _unit(unit, count)


_CJK: Final[tuple[tuple[str, Read], ...]] = (
    _fixed_words(0, "今天 今日 本日 きょう 오늘 今早 今晚 今晨"),
    _fixed_words(-1, "昨天 昨日 昨晚 昨夜 昨晩 きのう 어제 어젯밤"),
    _fixed_words(-2, "前天 一昨日 おととい 그제 그저께"),
    _fixed_words(-3, "大前天"),
    _fixed_words(1, "明天 明日 내일"),
    _fixed_words(2, "后天 後天 明後日 모레"),
    _unit_words(Unit.WEEK, 0, "本周 本週 这周 這周 這週 这个星期 這個星期 这星期 今週 이번_주 이번주"),
    _unit_words(Unit.WEEK, -1, "上周 上週 上个星期 上個星期 上星期 上个礼拜 上礼拜 上禮拜 先週 前週 지난주 지난_주"),
    _unit_words(Unit.WEEK, -2, "上上周 上上週 上上个星期 上上個星期 先々週 先先週 지지난주"),
    _unit_words(Unit.WEEK, 1, "下周 下週 下个星期 下個星期 下星期 来週 來週 다음_주 다음주"),
    _unit_words(Unit.MONTH, 0, "这个月 這個月 本月 今月 이번_달 이번달"),
    _unit_words(Unit.MONTH, -1, "上个月 上個月 上月 先月 前月 지난달 지난_달"),
    _unit_words(Unit.MONTH, -2, "上上个月 上上個月 先々月 先先月"),
    _unit_words(Unit.MONTH, 1, "下个月 下個月 下月 来月 來月 다음_달 다음달"),
    _unit_words(Unit.QUARTER, 0, "本季度 这个季度 這個季度 今四半期"),
    _unit_words(Unit.QUARTER, -1, "上个季度 上個季度 上季度 前四半期"),
    *(_unit_words(Unit.YEAR, count, name) for name, count in _NAMED_YEARS.items()),
    (r"(?:上个?|上個)周末|上週末|先週末|지난 ?주말", lambda _, today: _weekend(today, -1)),
    (r"(?:本|这个?|這個?)(?:周末|週末)|今週末|이번 ?주말", lambda _, today: _weekend(today, 0)),
    (r"(?P<step>上上|上|这|這|本|下)(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])(?!个|個)", _cjk_weekday),
    (r"(?P<step>先々|先|今|来)週の?(?P<weekday>[月火水木金土日])曜日?", _cjk_weekday),
    *((rf"{_CJK_N}(?:{words}) ?(?:之|以|ほど)?(?:前|전)", _cjk_ago(unit)) for unit, words in _CJK_UNITS),
    *((rf"(?:最近|过去|過去|近|ここ|この|지난|최근) ?(?:的|の)?{_CJK_N}(?:{words})(?:来|來)?", _cjk_rolling(unit)) for unit, words in _CJK_UNITS),
    (rf"{_CJK_YEAR}{_CJK_MONTH} ?[月월](?:份)? ?(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}}) ?[日号號일])?", _cjk_date),
    (r"(?P<month>\d{1,2}|十[一二]?|[二三四五六七八九]) ?[月월] ?(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일]", _cjk_date),
    (r"(?<![\d一二三四五六七八九十])(?P<month>\d{1,2}|十[一二]?|[二三四五六七八九])(?:月份|月(?![球光亮饼間间])|월)", _cjk_date),
    (rf"{_CJK_YEAR}(?P<season>[春夏秋冬])(?:天|季)?", _cjk_season),
    (rf"{_CJK_YEAR}(?:的)?(?P<part>上半年|下半年|年?初|年?底|年?末)", _cjk_part_of_year),
    (r"(?P<year>19\d\d|20\d\d) ?(?:年度?|년)", _any_year),
    (r"最近|近来|近來|このごろ|최근", _lately),
)  # fmt: skip


# -- all of them -----------------------------------------------------------------------------------------------

_HAS_CJK: Final = re.compile(f"[{CJK_CLASS}]")
_HAS_EUROPEAN: Final = re.compile(
    r"heute|gestern|aujourd|hoy|ayer|hier|vor |il y a|hace |letzt|vorig|vergang|nachst|derni|passe|pasad|dies|"
    r"cette|\bce |esta |este |prochain|viene|fruh|sommer|herbst|printemps|ete|automne|hiver|primavera|verano|otono|invierno"
)


def rules_for(folded: str) -> Iterator[Rule]:
    """The rules that may match in a text; patterns are made when first needed."""
    yield from _worded_rules(_ENGLISH)
    yield from _loose_rules()
    if _HAS_EUROPEAN.search(folded):
        yield from _worded_rules(_EUROPEAN)
    if _HAS_CJK.search(folded):
        yield from _cjk_rules()


_Rules: TypeAlias = tuple[tuple[str, Read], ...]


@lru_cache(maxsize=2)
def _worded_rules(rules: _Rules) -> tuple[Rule, ...]:
    return tuple((_whole_word(pattern), read, "") for pattern, read in rules)


@lru_cache(maxsize=1)
def _loose_rules() -> tuple[Rule, ...]:
    return tuple((_whole_word(pattern), read, kind) for pattern, read, kind in _LOOSE)


@lru_cache(maxsize=1)
def _cjk_rules() -> tuple[Rule, ...]:
    return tuple((re.compile(pattern), read, "") for pattern, read in _CJK)


def _whole_word(pattern: str) -> re.Pattern[str]:
    """For scripts with blanks."""
    return re.compile(rf"(?<![\w.,:/-])(?:{pattern})(?![\w/-]|[.,:]\d)")
