"""A generated vault whose notes are told apart by when they were written, with questions that know only that.

Every subject was seen to several times, in much the same words. The days come from the ranges below, which are written
out for one fixed clock and owe nothing to the code under test.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

CLOCK = datetime(2026, 11, 30, 12)
"""A Monday, at noon."""

EVENTS = 5
"""Times that a subject was seen to."""


class Slot(NamedTuple):
    """A stretch of days and how people call it, seen from ``CLOCK``."""

    first: date
    last: date
    english: tuple[str, ...]
    chinese: tuple[str, ...] = ()
    japanese: tuple[str, ...] = ()


SLOTS = (
    Slot(date(2026, 11, 29), date(2026, 11, 29), ("yesterday", "last Sunday"), ("昨天",), ("昨日",)),
    Slot(date(2026, 11, 24), date(2026, 11, 28), ("last week", "a few days ago"), ("上周",), ("先週",)),
    Slot(date(2026, 11, 8), date(2026, 11, 10), ("three weeks ago", "about 3 weeks ago"), ("三周前",), ("3週間前",)),
    Slot(date(2026, 10, 2), date(2026, 10, 30), ("last month", "in October"), ("上个月",), ("先月",)),
    Slot(date(2026, 8, 20), date(2026, 9, 8), ("three months ago", "3 months ago"), ("三个月前",), ("3か月前",)),
    Slot(date(2026, 6, 2), date(2026, 6, 29), ("in June", "in June this year", "in early summer"), ("今年六月",), ("今年の6月",)),
    Slot(date(2026, 5, 12), date(2026, 5, 12), ("on 12 May", "on May 12th"), ("5月12日",), ("5月12日",)),
    Slot(date(2026, 3, 3), date(2026, 4, 28), ("last spring", "in the spring", "this spring"), ("今年春天",), ("今年の春",)),
    Slot(date(2025, 12, 5), date(2026, 2, 20), ("last winter", "in the winter"), ("去年冬天",), ("去年の冬",)),
    Slot(date(2025, 9, 4), date(2025, 11, 20), ("in autumn 2025", "in the autumn of last year", "in the fall of 2025"), ("去年秋天",), ("昨年の秋",)),
    Slot(date(2025, 3, 2), date(2025, 3, 30), ("in March 2025", "in March last year"), ("去年三月",), ("去年の3月",)),
    Slot(date(2024, 2, 1), date(2024, 11, 30), ("two years ago", "in 2024"), ("前年", "2024年"), ("一昨年", "2024年")),
    Slot(date(2023, 2, 1), date(2023, 11, 30), ("three years ago", "in 2023"), ("三年前",), ("3年前",)),
)  # fmt: skip

MISTAKABLE = ({0, 1}, {6, 7})
"""Slots, by number, that lie in each other's words: yesterday was in last week, 12 May in spring."""

SUBJECTS = [
    "boiler",
    "garden pump",
    "north window",
    "piano",
    "roof gutter",
    "well cover",
    "bread oven",
    "cellar door",
    "tractor",
    "beehive",
    "loom",
    "weather mast",
    "rain barrel",
    "stone wall",
    "chicken coop",
    "kiln",
    "greenhouse",
    "water meter",
    "fish pond",
    "workbench",
    "lathe",
    "canoe",
    "hay barn",
    "solar panel",
    "grape press",
    "sewing machine",
    "street gate",
    "cider vat",
    "bicycle shed",
    "stove pipe",
    "apple rack",
    "slide projector",
    "archive shelf",
    "letterpress",
    "kitchen drain",
    "hedge trimmer",
    "observatory dome",
    "swing seat",
    "goat pen",
    "ice house",
]

CHINESE = ["锅炉", "水泵", "钢琴", "窗户", "屋顶", "蜂箱", "温室", "鱼塘", "水表", "书架"]
JAPANESE = [
    "ボイラー",
    "井戸",
    "ピアノ",
    "雨どい",
    "納屋",
    "温室",
    "水車",
    "本棚",
    "かまど",
    "自転車",
]

DEEDS = [
    "cleaned",
    "checked",
    "mended",
    "painted",
    "oiled",
    "taken apart",
    "measured",
    "moved",
    "looked at",
    "put back",
]
PEOPLE = [
    "Ines",
    "Tobias",
    "Okafor",
    "Marit",
    "Benoit",
    "Yuki",
    "Farah",
    "Anselm",
    "Priya",
    "Joren",
]
DETAILS = [
    "brass valve",
    "rubber seal",
    "copper wire",
    "linen strap",
    "oak wedge",
    "iron hinge",
    "glass lid",
    "felt pad",
    "steel hook",
    "cork ring",
    "spring clip",
    "march drum",
    "may blossom wreath",
    "fall arrester",
    "second gear",
    "day bed cloth",
    "year ring gauge",
    "winter wheat sack",
    "model 2024 plate",
    "sunday roast tin",
    "last shoe",
    "week planner board",
    "autumn red paint",
    "summer house key",
    "month hand",
]
COLOURS = ["blue", "grey", "ochre", "white", "black", "green", "violet", "amber", "crimson", "teal"]

ASKED = (
    "what was done about the {subject} {when}?", "{subject} {when}", "who looked after the {subject} {when}", "the {subject} work {when}",
    "{when}, what happened to the {subject}?", "did anyone see to the {subject} {when}",
)  # fmt: skip
PLAIN = (
    "which {subject} got a {colour} {detail}", "{colour} {detail} {subject}", "who bought the {colour} {detail} for the {subject}",
    "the {subject} with the {colour} {detail}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question with where its answer stands."""

    text: str
    path: str
    heading: str
    """The heading above the answer, where the note has several; else ""."""


@dataclass(frozen=True, slots=True)
class DatedVault:
    """Notes by path, and the questions."""

    notes: Mapping[str, str]
    relative: tuple[Question, ...]
    plain: tuple[Question, ...]


class _Event(NamedTuple):
    subject: str
    language: str
    day: date
    slot: Slot
    text: str
    colour: str
    detail: str


def make(questions: int = 1000, seed: int = 7) -> DatedVault:
    """The vault of that seed, with so many questions of each kind."""
    dice = random.Random(seed)
    notes: dict[str, str] = {}
    relative: list[Question] = []
    plain: list[Question] = []
    for number, (subject, language) in enumerate(_subjects(dice)):
        events = list(_events(subject, language, dice))
        places = _written(notes, number, subject, events, dice)
        for event, (path, heading) in zip(events, places, strict=True):
            relative += [Question(text, path, heading) for text in _asked(event)]
            if event.colour:
                text = dice.choice(PLAIN).format(
                    subject=subject, colour=event.colour, detail=event.detail
                )
                plain.append(Question(text, path, heading))
    dice.shuffle(relative)
    dice.shuffle(plain)
    return DatedVault(notes, tuple(relative[:questions]), tuple(plain[:questions]))


def write(vault: DatedVault, folder: Path) -> None:
    """Writes the notes below the folder."""
    for path, text in vault.notes.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _subjects(dice: random.Random) -> Iterator[tuple[str, str]]:
    for place in ("upper", "lower", "old", "new", "east", "west"):
        for subject in SUBJECTS:
            yield f"{place} {subject}", "en"
    for place in "东西南北":
        for subject in CHINESE:
            yield f"{place}院{subject}", "zh"
    for place in "東西南北":
        for subject in JAPANESE:
            yield f"{place}の{subject}", "ja"


def _slots(dice: random.Random) -> list[Slot]:
    """Slots of which no one's words mean another's days too."""
    while True:
        chosen = sorted(dice.sample(range(len(SLOTS)), EVENTS))
        if not any(pair <= set(chosen) for pair in MISTAKABLE):
            return [SLOTS[number] for number in chosen]


def _events(subject: str, language: str, dice: random.Random) -> Iterator[_Event]:
    for slot in _slots(dice):
        day = slot.first + timedelta(days=dice.randrange((slot.last - slot.first).days + 1))
        who = dice.choice(PEOPLE)
        if language == "zh":
            yield _Event(
                subject, language, day, slot, f"{who}检查了{subject}，清洗以后又装了回去。", "", ""
            )
        elif language == "ja":
            yield _Event(
                subject,
                language,
                day,
                slot,
                f"{who}が{subject}を点検して、掃除してから元に戻した。",
                "",
                "",
            )
        else:
            colour, detail = dice.choice(COLOURS), dice.choice(DETAILS)
            text = (
                f"The {subject} was {dice.choice(DEEDS)} by {who}. It needed a {colour} {detail}, bought in town. "
                f"Afterwards the {subject} was {dice.choice(DEEDS)} once more."
            )
            yield _Event(subject, language, day, slot, text, colour, detail)


def _written(
    notes: dict[str, str], number: int, subject: str, events: list[_Event], dice: random.Random
) -> list[tuple[str, str]]:
    """Adds the events as notes: dated by a property, by the file name, or under the headings of one log."""
    form = number % 3
    if form == 2:
        path = f"Logs/{subject}.md"
        days = [f"{event.day.isoformat()}" for event in events]
        parts = [f"## {day}\n{event.text}\n" for day, event in zip(days, events, strict=True)]
        notes[path] = f"# Log of the {subject}\n\n" + "\n".join(parts)
        return [(path, day) for day in days]
    places = []
    for event in events:
        serial = dice.randrange(1_000_000)
        if form == 0:
            path = f"Work/{subject} {serial}.md"
            notes[path] = f"---\ndate: {event.day.isoformat()}\n---\n{event.text}\n"
        else:
            path = f"Journal/{event.day.isoformat()} {subject}.md"
            notes[path] = f"{event.text}\n"
        places.append((path, ""))
    return places


def _asked(event: _Event) -> Iterator[str]:
    if event.language == "zh":
        yield from (f"{when}{event.subject}怎么了" for when in event.slot.chinese)
    elif event.language == "ja":
        yield from (f"{when}、{event.subject}はどうなった" for when in event.slot.japanese)
    else:
        for number, when in enumerate(event.slot.english):
            form = ASKED[(hash_of(event.subject) + number) % len(ASKED)]
            yield form.format(subject=event.subject, when=when)


def hash_of(text: str) -> int:
    """A number for a text, the same in every run."""
    return sum(map(ord, text))
