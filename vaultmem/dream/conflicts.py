"""Which claims of two notes cannot both hold. Pure but for the judge that is asked.

Two claims are compared only when they speak of one thing: both notes are about it, or one claim names what the other's note
is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from vaultmem.dream.context import DreamNote
from vaultmem.dream.passages import Passage, Told, keys, spoken, words, words_in_order
from vaultmem.dream.subjects import Subject
from vaultmem.dream.under import tells_of_another
from vaultmem.judge import HEURISTIC, Drift, Judge
from vaultmem.judge.lexicon import root
from vaultmem.judge.predicates import SINGLE_STEMS
from vaultmem.judge.usage import NOTHING, Usage

LEAST_SHARE: Final = 0.5
"""Of a claim's words that the other must have to be shown to the judge."""
PER_CLAIM: Final = 4
"""Claims of the other note that a claim is held against."""
PER_PAIR: Final = 24
"""Pairs of claims of two notes that are judged, the most alike first."""
MOST_SIBLINGS: Final = 6
"""Claims of the same note that show whether a claim belongs to a series."""
FIELD_CONFIDENCE: Final = 0.8
"""That two values of a field which can have one only contradict each other."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims that cannot both hold."""

    a: DreamNote
    said_a: Passage
    b: DreamNote
    said_b: Passage
    verdict: Drift
    reason: str
    confidence: float
    by: str
    """The judge."""
    usage: Usage = NOTHING
    """What the judgement took."""

    @property
    def turned(self) -> Conflict:
        """The same, seen from the other note."""
        return replace(self, a=self.b, said_a=self.said_b, b=self.a, said_b=self.said_a)


class Conflicts:
    """Finds them, by what is known of the notes' subjects by path."""

    def __init__(self, judge: Judge, subjects: Mapping[str, Subject]) -> None:
        self._judge = judge
        self._subjects = subjects
        self._told: dict[str, Told] = {}
        self._series: dict[tuple[str, str], bool] = {}
        self.judged = 0
        """Pairs of claims that the judge was shown."""

    def told_by(self, note: DreamNote) -> Told:
        """The claims of a note, read once."""
        if note.path not in self._told:
            self._told[note.path] = Told(note.body)
        return self._told[note.path]

    def between(self, a: DreamNote, b: DreamNote) -> Iterator[Conflict]:
        """The contradictions of two notes, the most alike claims first; fields before all."""
        told_a, told_b = self.told_by(a), self.told_by(b)
        about_a, about_b = self._subjects[a.path], self._subjects[b.path]
        if about_a.is_that_of(about_b):
            for found in _fields(a, told_a, b, told_b):
                known = self.known(a, found.said_a, b, found.said_b)
                if not tells_of_another(found.said_a.under, found.said_b.under, known):
                    yield found
        for one, other in _alike(told_a, about_a, told_b, about_b):
            sentences = _of_one_thing(about_a, spoken(one.text), about_b, spoken(other.text))
            if sentences is None or one.field or other.field:
                continue
            if _explains(one, other):
                continue
            if tells_of_another(one.under, other.under, self.known(a, one, b, other)):
                continue
            self.judged += 1
            judged = self._judge.drift(*sentences)
            if judged.verdict is Drift.CONSISTENT:
                continue
            if self._is_series(a, told_a, one) or self._is_series(b, told_b, other):
                continue
            reason = judged.reason.split(":")[0]
            yield Conflict(
                a,
                one,
                b,
                other,
                judged.verdict,
                reason,
                judged.confidence,
                judged.by,
                judged.usage,
            )

    def known(self, a: DreamNote, one: Passage, b: DreamNote, other: Passage) -> frozenset[str]:
        """The words that two claims say, and those that name what their notes are about."""
        about = self._subjects[a.path].title_words | self._subjects[b.path].title_words
        return words(one.text) | words(other.text) | about

    def _is_series(self, note: DreamNote, told: Told, claim: Passage) -> bool:
        """Whether the note itself says otherwise as well: then each of these claims has a meaning of its own."""
        key = (note.path, claim.text)
        if key not in self._series:
            place = told.passages.index(claim)
            near = told.like(told.keys[place], least=LEAST_SHARE, most=MOST_SIBLINGS + 1)
            others = [told.passages[i].text for _, i in near if told.passages[i].text != claim.text]
            about = self._subjects[note.path]
            said = _named(about, spoken(claim.text))
            self._series[key] = any(
                self._contradict(said, _named(about, spoken(other)))
                for other in others[:MOST_SIBLINGS]
            )
        return self._series[key]

    def _contradict(self, one: str, other: str) -> bool:
        self.judged += 1
        return self._judge.drift(one, other).verdict is not Drift.CONSISTENT


def _alike(a: Told, about_a: Subject, b: Told, about_b: Subject) -> list[tuple[Passage, Passage]]:
    """The pairs of claims that are most alike, by what they are found by. What both notes say contradicts neither; in notes
    about two things one claim must name what the other note is about."""
    found: set[tuple[float, int, int]] = set()
    one_thing = about_a.is_that_of(about_b)
    for i in range(len(a.passages)) if one_thing else _naming(a, about_b):
        if a.passages[i].text not in b.texts:
            near = b.like(a.keys[i], least=LEAST_SHARE, most=PER_CLAIM)
            found.update((-share, i, j) for share, j in near)
    for j in () if one_thing else _naming(b, about_a):
        if b.passages[j].text not in a.texts:
            near = a.like(b.keys[j], least=LEAST_SHARE, most=PER_CLAIM)
            found.update((-share, i, j) for share, i in near)
    pairs = ((a.passages[i], b.passages[j]) for _, i, j in sorted(found))
    kept = (
        (one, other)
        for one, other in pairs
        if one.text not in b.texts and other.text not in a.texts
    )
    return list(islice(kept, PER_PAIR))


def _naming(told: Told, subject: Subject) -> list[int]:
    """The claims that name what a note is about."""
    places = {
        place for name in subject.names for place in told.with_any(keys(" ".join(name.words)))
    }
    return sorted(p for p in places if subject.named_in(spoken(told.passages[p].text)))


def _of_one_thing(a: Subject, said_a: str, b: Subject, said_b: str) -> tuple[str, str] | None:
    """Both claims as sentences that name what they are about; None when they need not be about one thing."""
    named_a, named_b = a.named_in(said_a), b.named_in(said_b)
    if a.is_that_of(b):
        either = a.named_in(said_a) or b.named_in(said_a), a.named_in(said_b) or b.named_in(said_b)
        return (
            said_a if either[0] else _about(a, said_a),
            said_b if either[1] else _about(a, said_b),
        )
    if a.named_in(said_b) and not _other_subject(b, said_b, a):
        return (said_a if named_a else _about(a, said_a), said_b)
    if b.named_in(said_a) and not _other_subject(a, said_a, b):
        return (said_a, said_b if named_b else _about(b, said_b))
    return None


def _explains(one: Passage, other: Passage) -> bool:
    """Whether one claim is the other with something added: it explains it."""
    a, b = (" ".join(words_in_order(said.text)) for said in (one, other))
    return f" {a} " in f" {b} " or f" {b} " in f" {a} "


def _named(subject: Subject, claim: str) -> str:
    """The claim with what its note is about, where it does not name that itself."""
    return claim if subject.named_in(claim) else _about(subject, claim)


def _about(subject: Subject, claim: str) -> str:
    """The claim with what it is about. At its end: with what it begins is its condition (*in summer*), which counts."""
    bare = claim.rstrip(" .!。！")
    return f"{bare} ({subject.title})"


def _other_subject(own: Subject, claim: str, other: Subject) -> bool:
    """Whether the claim names its own note's subject as well, so that it may be about that."""
    return bool(own.names) and own.named_in(claim) and not own.title_words <= other.title_words


def _fields(a: DreamNote, told_a: Told, b: DreamNote, told_b: Told) -> Iterator[Conflict]:
    """Inline fields that can have one value only, and have another in each note."""
    held_a, held_b = _single_fields(told_a), _single_fields(told_b)
    for key in sorted(held_a.keys() & held_b.keys()):
        one, other = held_a[key], held_b[key]
        if one.field and other.field and _plain(one.field[1]) != _plain(other.field[1]):
            reason = f"“{one.field[0]}” can have one value only"
            yield Conflict(
                a, one, b, other, Drift.CONTRADICTORY, reason, FIELD_CONFIDENCE, HEURISTIC
            )


def _single_fields(told: Told) -> dict[str, Passage]:
    """By key the fields whose key holds of one thing at a time; one that stands twice holds of several."""
    found: dict[str, list[Passage]] = {}
    for passage in told.passages:
        if passage.field and _is_single(passage.field[0]):
            found.setdefault(_plain(passage.field[0]), []).append(passage)
    return {key: held[0] for key, held in found.items() if len(held) == 1}


def _is_single(key: str) -> bool:
    parts = key.lower().replace("_", " ").replace("-", " ").split()
    return any(root(part) in SINGLE_STEMS for part in parts)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").split()).rstrip(".")
