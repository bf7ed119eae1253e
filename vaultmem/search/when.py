"""Words of time in a question, and the days that they mean, counted from a given day. Pure.

Written here because no library that we tried gives ranges: of 37 expressions, each found a moment for half at most,
made "last spring" nothing and "2024年3月" the year 2; the one for many languages takes 1.4 s for its first text and sees
days of the week in "we" and "la". See ``docs/internals/dependencies.md``.

Languages: English, Chinese, Japanese; German, French, Spanish and Korean for the commonest expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple, TypeAlias

from vaultmem.index.terms import fold
from vaultmem.search.ranges import (
    MOST_AWAY,
    DateRange,
    Unit,
    around,
    day_range,
    part_of,
    shifted,
)

__all__ = [
    "NUMBERS",
    "DateRange",
    "FoundTime",
    "Meaning",
    "Read",
    "Rule",
    "ago",
    "find_times",
    "number",
    "read_time",
    "unit_named",
]


@dataclass(frozen=True, slots=True)
class FoundTime:
    """An expression of time in a text."""

    start: int
    end: int
    text: str
    range: DateRange
    says_only_when: bool
    """No note would say it so: "three weeks ago" is one to a question, "March 2024" may stand in a note."""


class Meaning(NamedTuple):
    """What a match means."""

    range: DateRange
    says_only_when: bool = True


Read: TypeAlias = Callable[[re.Match[str], date], Meaning | None]
Rule: TypeAlias = tuple[re.Pattern[str], Read, str]
"""A pattern, what it means, and the kind of word it is if it needs a lead-in, else ""."""


def find_times(text: str, today: date) -> tuple[FoundTime, ...]:
    """The expressions of time in a text, in order, not overlapping; of two that begin alike the longer one.

    >>> [str(time.range) for time in find_times("what broke last spring?", date(2026, 11, 30))]
    ['2026-03-01 to 2026-05-31']
    """
    folded = fold(text)
    if len(folded) != len(text):  # a character folds into several: the places would be wrong
        text = folded
    found = [
        time for time in _matches(folded, today) if not time.is_loose or _is_led_in(folded, time)
    ]
    out: list[FoundTime] = []
    for time in _joined(folded, _apart(found)):
        around = _modified(folded, time, today)
        out.append(
            FoundTime(
                around.start,
                around.end,
                text[around.start : around.end],
                around.range,
                around.says_only_when,
            )
        )
    return tuple(out)


def read_time(text: str, today: date) -> DateRange | None:
    """The days that the whole text means; None when it means none. So many days or weeks ago are one day here, not
    the days around it."""
    folded = " ".join(fold(text).split())
    exact = _AGO_EXACT.fullmatch(folded)
    if exact is not None and (count := number(exact["n"])) is not None and count <= MOST_AWAY:
        return day_range(shifted(today, unit_named(exact["unit"]), -count))
    for time in _joined(folded, _apart(_matches(folded, today))):
        time = _modified(folded, time, today)
        if (time.start, time.end) == (0, len(folded)):
            return time.range
    return None


class _Match(NamedTuple):
    start: int
    end: int
    range: DateRange
    says_only_when: bool
    kind: str = ""
    """What kind of word it is that is more than a word of time; "" for none."""

    @property
    def is_loose(self) -> bool:
        return bool(self.kind)


def _matches(folded: str, today: date) -> Iterator[_Match]:
    from vaultmem.search.when_rules import rules_for

    for pattern, read, kind in rules_for(folded):
        for match in pattern.finditer(folded):
            try:
                meaning = read(match, today)
            except (ValueError, OverflowError):  # a day that there is not: 31 February, the year 0
                continue
            if meaning is not None:
                yield _Match(match.start(), match.end(), *meaning, kind)


def _apart(found: Iterable[_Match]) -> list[_Match]:
    """The matches in order without those that overlap an earlier one or are a part of a longer one."""
    out: list[_Match] = []
    for time in sorted(found, key=lambda m: (m.start, -m.end, m.is_loose)):
        if not out or time.start >= out[-1].end:
            out.append(time)
    return out


_YEAR_LEAD_INS: Final = r"in|during|since|until|till|before|after|from|between|and|to|of|by|im jahr|seit|en|depuis|desde|bis"
_LEAD_INS: Final = {
    "month": r"in|during|since|until|till|before|after|from|between|throughout|early|mid|late|en|im|seit|depuis|desde|bis",
    "season": r"(?:in|over|of|from|for) the|during(?: the)?|since(?: the)?|until|before|after|early|mid|late|im|seit|en|depuis|desde",
    "weekday": r"on|since|until|till|before|after|by|am|seit",
    "year": _YEAR_LEAD_INS,
    "number": _YEAR_LEAD_INS,
    "feast": r"at|over|on|during|since|until|before|after|around|by|for|this|last",
}
_LED_IN: Final = {
    kind: re.compile(rf"(?:^|[^\w])(?:{words})[ -]$") for kind, words in _LEAD_INS.items()
}


def _is_led_in(folded: str, time: _Match) -> bool:
    """Whether the word before says that it is a time."""
    begin = max(0, time.start - 24)
    if time.kind == "number" and _stands_at_an_end(folded, time):
        return True
    led = _LED_IN[time.kind].search(folded, begin, time.start)
    return (led or _PART.search(folded, begin, time.start)) is not None


def _stands_at_an_end(folded: str, time: _Match) -> bool:
    """A year among other words may be a number of something else; "budget 2024" and "2024 budget" are not."""
    return not folded[: time.start].strip() or not folded[time.end :].strip(" .?!")


_TO: Final = re.compile(r" ?(?:to|until|till|through|-|–|bis|hasta|から|到|至|〜|~) ?(?:the )?")
_AND: Final = re.compile(r" (?:and|und|et|y) (?:the )?")
_BETWEEN: Final = re.compile(r"(?:^|[^\w])(?:between|zwischen|entre)(?: the)? $")
_FROM: Final = re.compile(r"(?:from|von|de|desde|du)(?: the)? $")


def _joined(folded: str, found: list[_Match]) -> Iterator[_Match]:
    """The matches, two that are the ends of a range as one."""
    at = 0
    while at < len(found):
        time = found[at]
        at += 1
        if at < len(found):
            other = found[at]
            begin = max(0, time.start - 14)
            between = _BETWEEN.search(folded, begin, time.start)
            joint = _AND if between else _TO
            in_order = time.range.first <= other.range.last
            if in_order and joint.fullmatch(folded, time.end, other.start):
                lead = between or _FROM.search(folded, begin, time.start)
                start = time.start if lead is None else lead.start() + (not lead[0][0].isalpha())
                whole = DateRange(time.range.first, other.range.last)
                only_when = time.says_only_when and other.says_only_when
                yield _Match(start, other.end, whole, only_when)
                at += 1
                continue
        yield time


_PART: Final = re.compile(
    r"(?<![\w])(?:(?P<early>early|anfang|(?:the )?(?:beginning|start) of(?: the)?)|(?P<mid>mid|mitte|(?:the )?middle of(?: the)?)"
    r"|(?P<late>late|ende|(?:the )?end of(?: the)?))(?: in)?[ -]$"
)
_SHORTEST_PARTED: Final = 28
"""Days of a range that has an early and a late part."""

_BOUND: Final = re.compile(
    r"(?<![\w])(?:(?P<since>since|ever since|seit|depuis|desde)|(?P<until>until|till|up to|bis|hasta|jusqu'en|jusqu'a)"
    r"|(?P<before>before|prior to|avant|antes de)|(?P<after>after|nach|apres|despues de))(?: the| dem| der| el| la)? $"
)
_CJK_BOUND: Final = re.compile(
    r"(?P<since> ?(?:以来|以來|以后|以後|以降|之后|之後|から|이후|부터))|(?P<before>(?:之|以|より)前| ?이전)|(?P<until>まで|为止|為止|까지)"
)


def _modified(folded: str, time: _Match, today: date) -> _Match:
    """The match with the words around it that move its ends."""
    part = _PART.search(folded, max(0, time.start - 24), time.start)
    days = (time.range.last - time.range.first).days + 1
    if part is not None and part.lastgroup and days >= _SHORTEST_PARTED:
        time = time._replace(start=part.start(), range=part_of(time.range, part.lastgroup))
    before = _BOUND.search(folded, max(0, time.start - 20), time.start)
    if before is not None:
        bounded = _bounded(time.range, before.lastgroup, today)
        return time._replace(start=before.start(), range=bounded)
    behind = _CJK_BOUND.match(folded, time.end)
    if behind is not None:
        bounded = _bounded(time.range, behind.lastgroup, today)
        return time._replace(end=behind.end(), range=bounded)
    return time


def _bounded(whole: DateRange, word: str | None, today: date) -> DateRange:
    if word == "since":
        return DateRange(whole.first, max(today, whole.last))
    if word == "until":
        return DateRange(date.min, whole.last)
    if word == "before":
        return DateRange(date.min, shifted(whole.first, Unit.DAY, -1))
    return DateRange(shifted(whole.last, Unit.DAY, 1), date.max)


UNITS: Final = {
    "day": Unit.DAY,
    "week": Unit.WEEK,
    "fortnight": Unit.WEEK,
    "month": Unit.MONTH,
    "quarter": Unit.QUARTER,
    "year": Unit.YEAR,
    "decade": Unit.DECADE,
}

_AGO_EXACT: Final = re.compile(r"(?P<n>[a-z]+|\d{1,5}) (?P<unit>day|week)s? ago")

NUMBERS: Final = {
    word: value
    for value, words in enumerate(
        ("zero", "one a an", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split()
}


def number(text: str) -> int | None:
    """A number in figures or as an English word up to ten."""
    return int(text) if text.isdecimal() else NUMBERS.get(text)


def unit_named(text: str) -> Unit:
    """The unit of an English word, its plural too."""
    return UNITS[text.removesuffix("s")]


def ago(today: date, unit: Unit, count: int) -> DateRange | None:
    """What "so many units ago" means to one who remembers roughly: the day for up to six days, else the days around
    it, a week's worth for weeks, a month's for months, the calendar's quarter, year or decade for those."""
    if count > MOST_AWAY:
        return None
    day = shifted(today, unit, -count)
    if unit == Unit.MONTH:
        return DateRange(shifted(day, Unit.DAY, -15), shifted(day, Unit.DAY, 15))
    if unit == Unit.DAY:
        spread = 0 if count < 7 else 1 if count < 21 else 3
    elif unit == Unit.WEEK:
        spread = 3
    else:
        return around(day, unit)
    return DateRange(shifted(day, Unit.DAY, -spread), shifted(day, Unit.DAY, spread))
