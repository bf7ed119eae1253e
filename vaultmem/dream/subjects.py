"""What notes are about, and which of them are worth holding against each other. Pure; never all with all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from vaultmem.dream.context import DreamContext, DreamNote
from vaultmem.dream.passages import words
from vaultmem.judge.lexicon import FUNCTION, TIME_WORDS
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.paths import parent, stem

PER_NOTE: Final = 40
"""Pairs of a changed note that are looked at, links first."""
RARE: Final = 30
"""Notes that may share a word of their title for it to pair them."""
ENTITY_KEYS: Final = ("entity", "subject", "about")
"""Properties that name what a note is about."""

GENERIC: Final = frozenset(
    [
        "note",
        "notes",
        "fact",
        "facts",
        "overview",
        "summary",
        "index",
        "readme",
        "todo",
        "todos",
        "list",
        "log",
        "logs",
        "journal",
        "meeting",
        "minutes",
        "draft",
        "copy",
        "new",
        "untitled",
        "page",
        "home",
        "start",
        "introduction",
        "intro",
        "about",
        "misc",
        "ideas",
        "idea",
        "inbox",
        "daily",
        "weekly",
        "monthly",
        "review",
        "plan",
        "plans",
        "guide",
        "reference",
        "info",
        "details",
        "description",
        "v",
        "version",
        "part",
        "chapter",
        "section",
        "step",
        "day",
        "week",
        "month",
        "year",
        "report",
        "reports",
        "update",
        "updates",
        "brief",
        "briefing",
        "recap",
        "survey",
        "inspection",
        "audit",
        "check",
        "checkup",
        "visit",
        "handover",
        "interview",
        "call",
        "conversation",
        "debrief",
        "assessment",
        "evaluation",
        "memo",
        "findings",
        "results",
        "outcome",
        "followup",
        "progress",
        "status",
        "news",
        "record",
        "records",
    ]
)
"""Words of a title that say what kind of note it is, or of nothing in particular what it is about."""
TELLING: Final = TIME_WORDS - GENERIC | frozenset(
    ["my", "your", "his", "her", "its", "our", "their", "to", "from"]
)
"""Words that tell nothing of what a note is about, but may tell two notes apart: *Heating summer*, *Heating winter*; *Trains to
Bern*, *Trains from Bern*."""
_LETTER: Final = re.compile(r"(?<=\s)(?:[ai](?=\s*$)|[^\W\d_ai](?=\s|$))")
"""A word of one letter, but for those that begin or join what follows."""
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Name:
    """A name by its parts; numbers tell apart what is alike otherwise: *Sprint 3* and *Sprint 4*."""

    words: frozenset[str]
    numbers: tuple[str, ...]
    marks: frozenset[str] = field(default=frozenset(), compare=False)
    """What tells it from another one of the same words, if that has other marks."""

    def is_sibling_of(self, other: Name) -> bool:
        """Whether both have words in common and each something of its own, which for one of them is marks alone."""
        own = self.words | self.marks, other.words | other.marks
        left, right = own[0] - own[1], own[1] - own[0]
        if not (left and right and self.words & other.words):
            return False
        return left <= self.marks or right <= other.marks


def name_of(text: str) -> Name:
    """The parts of a name that tell what it names."""
    said = words(text)
    found = said - FUNCTION - GENERIC - TIME_WORDS
    marks = said & TELLING
    letters = frozenset(_LETTER.findall(text.lower()))  # Vitamin A, Vitamin D
    return Name(found, tuple(re.findall(r"\d+", text)), marks | (letters - found))


class Subject:
    """What a note is about."""

    def __init__(self, note: DreamNote) -> None:
        self.note = note
        self.title = note.title or stem(note.path)
        own = [name_of(self.title), *map(name_of, note.aliases), *_entities(note)]
        self.names = tuple({(name, name.marks): name for name in own if name.words}.values())

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The words of its names."""
        return frozenset(word for name in self.names for word in name.words)

    def named_in(self, claim: str) -> bool:
        """Whether a claim names it."""
        return any(_within(name, claim) for name in self.names)

    def is_that_of(self, other: Subject) -> bool:
        """Whether both notes are about one thing: they share a name. Notes of a person in two folders that only have an
        everyday name in common (*Budget*) are not, unless one of them is managed."""
        if not any(
            one == name and not one.is_sibling_of(name)
            for one in self.names
            for name in other.names
        ):
            return False
        if self.note.managed or other.note.managed:
            return True
        return parent(self.note.path) == parent(other.note.path) or bool(
            set(_entities(self.note)) & set(_entities(other.note))
        )

    def is_series_with(self, other: Subject) -> bool:
        """Whether the titles differ in their numbers alone, or both have numbers and these differ; or each has a mark of its own."""
        a, b = name_of(self.title), name_of(other.title)
        if a.is_sibling_of(b):
            return not set(_entities(self.note)) & set(_entities(other.note))
        if a.numbers == b.numbers:
            return False
        return a.words == b.words or bool(a.numbers and b.numbers)


def _within(name: Name, claim: str) -> bool:
    held = words(claim)
    lower = claim.lower()
    if not all(
        word in held or (word in lower if _WIDE.match(word) else f"{word}s" in held)
        for word in name.words
    ):
        return False
    return set(name.numbers) <= set(re.findall(r"\d+", claim))


def _entities(note: DreamNote) -> Iterator[Name]:
    for key in ENTITY_KEYS:
        value = note.properties.get(key)
        if text := _text(value):
            yield name_of(text)


def _text(value: PropertyValue) -> str:
    return value.strip().removeprefix("[[").removesuffix("]]") if isinstance(value, str) else ""


def pairs(
    context: DreamContext, subjects: Mapping[str, Subject]
) -> Iterator[tuple[str, DreamNote, DreamNote]]:
    """For each changed note, in order of path, the notes to hold it against, itself among the two in order of path: those of
    its name first, then those it is linked with, those that share a rare word of its title, near ones. Each pair once.

    ``subjects`` are the notes that can be held against others.
    """
    proposed = _Proposed(context, subjects)
    seen: set[tuple[str, str]] = set()
    for path in sorted(context.changed & subjects.keys()):
        count = 0
        for other in proposed.for_note(path):
            pair = (min(path, other), max(path, other))
            if other == path or other not in subjects or pair in seen:
                continue
            if count == PER_NOTE:
                break
            first, second = subjects[pair[0]], subjects[pair[1]]
            if first.is_series_with(second):
                continue
            seen.add(pair)
            count += 1
            yield path, first.note, second.note


class _Proposed:
    """By note the others that it may be worth holding against."""

    def __init__(self, context: DreamContext, subjects: Mapping[str, Subject]) -> None:
        self._subjects = subjects
        self._by_name: dict[Name, list[str]] = {}
        self._by_word: dict[str, list[str]] = {}
        self._linked: dict[str, set[str]] = {}
        self._near: dict[str, set[str]] = {}
        for path in sorted(subjects):
            for name in subjects[path].names:
                self._by_name.setdefault(name, []).append(path)
            for word in subjects[path].title_words:
                self._by_word.setdefault(word, []).append(path)
        for link in context.links:
            if link.path:
                self._linked.setdefault(link.source, set()).add(link.path)
                self._linked.setdefault(link.path, set()).add(link.source)
        if context.changed & subjects.keys():
            self._take_near(context, [subjects[path] for path in sorted(subjects)])

    def _take_near(self, context: DreamContext, subjects: Sequence[Subject]) -> None:
        """Near notes that share a word of their titles or a tag."""
        for near in context.neighbours([subject.note for subject in subjects]):
            a, b = subjects[near.a], subjects[near.b]
            if a.title_words & b.title_words or set(a.note.tags) & set(b.note.tags):
                self._near.setdefault(a.note.path, set()).add(b.note.path)
                self._near.setdefault(b.note.path, set()).add(a.note.path)

    def for_note(self, path: str) -> Iterator[str]:
        """The others, the most promising first; some come more than once."""
        subject = self._subjects[path]
        for name in subject.names:
            yield from self._by_name[name]
        yield from sorted(self._linked.get(path, ()))
        for word in sorted(subject.title_words):
            if len(self._by_word[word]) <= RARE:
                yield from self._by_word[word]
        yield from sorted(self._near.get(path, ()))
