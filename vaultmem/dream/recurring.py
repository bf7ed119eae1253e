"""Claims that stand in several notes, in whatever wording. Pure, and never all with all.

What counts as the same claim is what the judge lets pass in a single sentence: no difference that may change what is
claimed, and no word that nothing in the other claim stands for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.context import DreamNote
from vaultmem.dream.passages import MOST_PLACES, Passage, keys, passages
from vaultmem.judge.differences import differences
from vaultmem.judge.reading import likeness, read

SAME_LIKENESS: Final = 0.6
"""Of two wordings of one claim. What differs decides; this only spares the comparison."""
LEAST_SAID: Final = 3.0
"""Words of a claim that says something by itself: *All good* recurs and teaches nothing."""
LEAST_NOTES: Final = 3
LEAST_DAYS: Final = 2
LEAST_SHARE: Final = 0.5
"""Of a claim's words that another must have to be compared with it."""
MOST_LIKE: Final = 60
"""Other wordings that a claim is compared with, the most alike first."""
NS_OF_DAY: Final = 86_400 * 1_000_000_000

_BOUND: Final = re.compile(r"!\[|\[\[\s*[#^.]|\]\((?!<?https?:)|::|%%|<!--|\[\^|\{\{|<%")
"""What works only in the note where it stands, or does something there: embeds, links to the note itself, relative
links, fields, comments, footnotes, templates."""
_POINTS_BACK: Final = frozenset(
    ("he", "she", "it", "they", "this", "that", "these", "those", "his", "her", "its", "their", "him", "them",
     "er", "sie", "es", "dies", "diese", "das", "il", "elle", "ils", "elles")
)  # fmt: skip
"""First words that speak of something which only the text before them names."""
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Said:
    """A claim where it stands."""

    note: DreamNote
    text: str
    """As written, without marks of lists and block id."""
    day: int
    """Days since 1970: of the heading that it stands under, of its note, else of the file."""

    @property
    def newest_first(self) -> tuple[int, int, str, str]:
        """Sorts newer ones before older ones; the same at each time, whatever the order of the notes."""
        return -self.day, -self.note.modified_ns, self.note.path, self.text


@dataclass(frozen=True, slots=True)
class Recurring:
    """One claim and all places where it stands."""

    text: str
    """Its newest wording."""
    said: tuple[Said, ...]
    """Newest first."""

    @property
    def notes(self) -> tuple[DreamNote, ...]:
        """The notes that make the claim, in order of path."""
        found = {one.note.path: one.note for one in self.said}
        return tuple(found[path] for path in sorted(found))

    @property
    def days(self) -> int:
        """From how many days they are."""
        return len({one.day for one in self.said})


def said_in(note: DreamNote) -> Iterator[Said]:
    """The claims of a note that can stand elsewhere, word for word."""
    for passage in passages(note.body):
        if _can_move(passage):
            day = passage.logged if passage.logged is not None else note.day
            yield Said(note, passage.text, note.modified_ns // NS_OF_DAY if day is None else day)


def says_enough(text: str) -> bool:
    """Whether the claim says something by itself, wherever it is read.

    >>> says_enough("Recipes use metric units."), says_enough("It uses metric units."), says_enough("All good.")
    (True, False, False)
    """
    first = _WORD.search(text)
    if first is None or first[0].lower() in _POINTS_BACK:
        return False
    return read(text).weight >= LEAST_SAID


def is_same_claim(a: str, b: str) -> bool:
    """Whether two claims say the same.

    >>> is_same_claim("Recipes need metric units.", "Recipes require metric units.")
    True
    >>> is_same_claim("The port is 8080.", "The port is 9090.")
    False
    """
    if plain(a) == plain(b):
        return True
    x, y = read(a), read(b)
    if likeness(x, y) < SAME_LIKENESS or x.ended != y.ended:
        return False
    found = differences(x, y)
    return not found.hard and not found.unknown


def plain(text: str) -> str:
    """The claim without what no difference of meaning hangs on: blanks, the stop at its end."""
    return " ".join(text.split()).rstrip(".。!！")


class Wordings:
    """Texts by what they are found by."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts: Sequence[str] = sorted(set(texts))
        self._keys = [keys(text) for text in self.texts]
        self._places: dict[str, list[int]] = {}
        for place, held in enumerate(self._keys):
            for key in held:
                self._places.setdefault(key, []).append(place)

    def like(self, text: str, *, most: int = MOST_LIKE) -> list[str]:
        """The texts that share most with this one, itself left out, best first; a word that very many have finds none
        of them, though it counts."""
        wanted = keys(text)
        near: Counter[int] = Counter()
        for key in wanted:
            held = self._places.get(key, ())
            if len(held) <= MOST_PLACES:
                near.update(held)
        scored = []
        for place in near:
            shorter = max(1, min(len(wanted), len(self._keys[place])))
            share = len(wanted & self._keys[place]) / shorter
            if share >= LEAST_SHARE and self.texts[place] != text:
                scored.append((-share, self.texts[place]))
        return [found for _, found in sorted(scored)[:most]]


def recurring(said: Iterable[Said], concerns: Callable[[DreamNote], bool]) -> list[Recurring]:
    """The claims that stand in at least three notes of at least two days, and in one that ``concerns``, newest first."""
    by_text: dict[str, list[Said]] = {}
    for one in said:
        if says_enough(one.text):
            by_text.setdefault(one.text, []).append(one)
    wordings = Wordings(by_text)
    newest = sorted((min(held, key=_newest) for held in by_text.values()), key=_newest)
    found, covered = [], set[str]()
    for one in newest:
        if one.text in covered:
            continue
        near = [text for text in wordings.like(one.text) if text not in covered]
        if not any(concerns(each.note) for text in (one.text, *near) for each in by_text[text]):
            continue
        same = [one.text, *(text for text in near if is_same_claim(one.text, text))]
        covered.update(same)
        everywhere = sorted((each for text in same for each in by_text[text]), key=_newest)
        claim = Recurring(one.text, tuple(everywhere))
        recurs = len(claim.notes) >= LEAST_NOTES and claim.days >= LEAST_DAYS
        if recurs and any(map(concerns, claim.notes)):
            found.append(claim)
    return found


def _newest(one: Said) -> tuple[int, int, str, str]:
    return one.newest_first


def _can_move(passage: Passage) -> bool:
    text = passage.text
    return (
        passage.field is None
        and text in passage.line  # whatever cut it out has changed nothing
        and _BOUND.search(text) is None
        and _is_balanced(text)
    )


def _is_balanced(text: str) -> bool:
    """Whether no mark of emphasis, code or a link is left open: half of a pair would take effect elsewhere."""
    pairs = (("[", "]"), ("(", ")"), ("<", ">"))
    marks = ("`", "**", "==", "~~", "$")
    return all(text.count(a) == text.count(b) for a, b in pairs) and all(
        text.count(mark) % 2 == 0 for mark in marks
    )
