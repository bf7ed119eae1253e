"""What words of time mean in more than one language: the names of months, weekdays and seasons, and the days of the
commonest expressions. Pure."""

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
    latest,
    month_range,
    season_range,
    shifted,
    year_range,
)
from vaultmem.search.when import Meaning, Read

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


def any_of(words: dict[str, int] | dict[str, Season] | str) -> str:
    """A pattern for one of these words; of two that begin alike the longer one."""
    names = words.split() if isinstance(words, str) else words
    return "|".join(sorted(names, key=len, reverse=True))


MONTH: Final = rf"(?P<month>{any_of(MONTHS)})\.?"
YEAR: Final = r"(?P<year>19\d\d|20\d\d)"
SEASON: Final = (
    "(?P<season>spring|springtime|summer|summertime|autumn|fall|winter|wintertime|fruhling|fruhjahr|sommer|herbst|"
    "printemps|ete|automne|hiver|primavera|verano|otono|invierno)"
)
WEEKDAY: Final = rf"(?P<weekday>{any_of(WEEKDAYS)})"
_ROLLING_LATELY: Final = 30


def fixed(days: int, *, only_when: bool) -> Read:
    """The day so many days from today."""

    def read(_match: re.Match[str], today: date) -> Meaning:
        return Meaning(day_range(shifted(today, Unit.DAY, days)), only_when)

    return read


def unit_away(unit: Unit, count: int) -> Read:
    """The whole week, month or year so many of them from the running one."""

    def read(_match: re.Match[str], today: date) -> Meaning:
        return Meaning(around(shifted(around(today, unit).first, unit, count), unit))

    return read


def rolling(today: date, unit: Unit, count: int) -> Meaning:
    """So many days, weeks or months up to today."""
    return Meaning(DateRange(shifted(today, unit, -count), today))


def weekend(today: date, weeks: int) -> Meaning:
    """Saturday and Sunday of the week so many weeks from this one."""
    week = around(shifted(today, Unit.WEEK, weeks), Unit.WEEK)
    return Meaning(DateRange(shifted(week.first, Unit.DAY, 5), week.last))


def seasons_until(today: date, season: Season) -> list[DateRange]:
    """The season in this year and the two before."""
    return [season_range(year, season) for year in range(max(1, today.year - 2), today.year + 1)]


def season_of_year(match: re.Match[str], _today: date) -> Meaning:
    """A season of a year that is named."""
    return Meaning(season_range(int(match["year"]), SEASONS[match["season"]]), False)


def latest_month(month: int, today: date, *, over: bool = False) -> DateRange:
    """The month of that number that was last; with ``over`` one that has ended."""
    years = range(max(1, today.year - 1), today.year + 1)
    return latest([month_range(year, month) for year in years], today, over=over)


def latest_day(month: int, day: int, today: date) -> DateRange:
    """The day of that date that was last."""
    if (month, day) == (2, 29):
        years = [y for y in range(max(1, today.year - 8), today.year + 1) if _is_leap(y)]
    else:
        years = list(range(max(1, today.year - 1), today.year + 1))
    return latest([day_range(date(year, month, day)) for year in years], today, over=False)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def any_year(match: re.Match[str], _today: date) -> Meaning:
    """A year that is named, whichever."""
    return Meaning(year_range(int(match["year"])), False)


def lately(_match: re.Match[str], today: date) -> Meaning:
    """The days before today that are still called recent."""
    return Meaning(DateRange(shifted(today, Unit.DAY, -_ROLLING_LATELY), today), False)
