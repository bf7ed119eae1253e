"""The rules for German, French and Spanish: their commonest expressions. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from vaultmem.search.ranges import Unit, latest, weekday_range
from vaultmem.search.when import Meaning, Read, ago
from vaultmem.search.when_meanings import (
    SEASON,
    SEASONS,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    any_of,
    fixed,
    rolling,
    season_of_year,
    seasons_until,
    unit_away,
)

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
_WORD_N: Final = rf"(?P<n>\d{{1,4}}|{any_of(' '.join(_NUMBER_WORDS))})"
_WORD_UNIT: Final = rf"(?P<unit>{any_of(' '.join(_UNIT_WORDS))})"
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
    return rolling(today, _UNIT_WORDS[match["unit"]], count)


def _word_unit(count: int) -> Read:
    return lambda match, today: unit_away(_UNIT_WORDS[match["unit"]], count)(match, today)


EUROPEAN: Final[tuple[tuple[str, Read], ...]] = (
    (r"heute|aujourd'hui|hoy", fixed(0, only_when=False)),
    (r"gestern|ayer|(?<=d')hier|hier (?=matin|soir)", fixed(-1, only_when=False)),
    (r"vorgestern|avant-hier|anteayer", fixed(-2, only_when=False)),
    (rf"vor {_WORD_N} {_WORD_UNIT}|il y a {_WORD_N.replace('<n>', '<n2>')} {_WORD_UNIT.replace('<unit>', '<u2>')}", lambda m, t: _word_ago(m, t) if m["n"] else None),
    (rf"(?:il y a|hace) {_WORD_N} {_WORD_UNIT}", _word_ago),
    (rf"(?:die |den |der )?(?:{_PAST}) {_WORD_N} {_WORD_UNIT}", _word_last_n),
    (rf"(?:{_PAST}) {_WORD_UNIT}", _word_unit(-1)),
    (rf"(?:la |le |l'|el )?{_WORD_UNIT} (?:{_GONE})", _word_unit(-1)),
    (rf"(?:diese[nrsm]?|cette|ce|esta|este) {_WORD_UNIT}", _word_unit(0)),
    (rf"(?:nachste[nrsm]?) {_WORD_UNIT}|{_WORD_UNIT.replace('<unit>', '<u>')} (?:prochaine?|que viene)", lambda m, t: _word_unit(1)(m, t) if m["unit"] else None),
    (rf"(?:{_PAST}) {SEASON}|(?:l'|le |el |la )?{SEASON.replace('<season>', '<s2>')} (?:{_GONE})", lambda m, t: Meaning(latest(seasons_until(t, SEASONS[m["season"] or m["s2"]]), t, over=True))),
    (rf"(?:{_PAST}) {WEEKDAY}|{WEEKDAY.replace('<weekday>', '<w2>')} (?:{_GONE})", lambda m, t: Meaning(weekday_range(t, WEEKDAYS[m["weekday"] or m["w2"]], weeks=None))),
    (rf"{SEASON} (?:de |del )?{YEAR}", season_of_year),
)  # fmt: skip
