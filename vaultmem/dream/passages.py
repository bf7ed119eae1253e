"""The claims of a note with the place where they stand. Pure, and linear in the length of the note.

Only what the note itself says now is a claim: no quotes, code, tables, tasks, questions, templates, and nothing below a heading
*Superseded*. A sentence that runs over a line's end is left out, as half a sentence says something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from vaultmem.dream.carried import Origin, without_origin
from vaultmem.judge.claims import Form, claims
from vaultmem.judge.lexicon import FUNCTION
from vaultmem.notes.dated import as_day, days_in
from vaultmem.notes.textedit import split_lines
from vaultmem.search.relations import SUPERSEDED_HEADING

SUPERSEDED: Final = SUPERSEDED_HEADING
"""The heading below which a note keeps what no longer holds."""
LONGEST: Final = 600
"""Characters of a claim that is compared."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A claim and its place."""

    text: str
    """As said: without marks of lists and block id."""
    line: str
    """The line that it stands on, as written."""
    whole: bool
    """Whether that line says nothing else."""
    logged: int | None
    """The day of the dated heading that it stands under, in days since 1970."""
    field: tuple[str, str] | None = None
    """Key and value of an inline field."""
    origin: Origin | None = None
    """Where it was taken over from, if it is another note's claim."""
    under: tuple[str, ...] = ()
    """The headings, but for the title and days, and the lines that lead to it, from the outside in."""


class Told:
    """What a note claims, prepared for comparison."""

    def __init__(self, body: str) -> None:
        self.passages: Sequence[Passage] = tuple(passages(body))
        self.texts = frozenset(passage.text for passage in self.passages)

    @cached_property
    def keys(self) -> Sequence[frozenset[str]]:
        """Of each passage what it may be found by."""
        return tuple(keys(passage.text) for passage in self.passages)

    def with_any(self, wanted: frozenset[str]) -> Sequence[int]:
        """The passages that have the rarest of the keys, in order; all of them where no key is wanted."""
        if not wanted:
            return range(len(self.passages))
        return min((self.places.get(key, []) for key in sorted(wanted)), key=len)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """By key the passages that have it."""
        found: dict[str, list[int]] = {}
        for place, held in enumerate(self.keys):
            for key in held:
                found.setdefault(key, []).append(place)
        return found

    def like(self, wanted: frozenset[str], *, least: float, most: int) -> list[tuple[float, int]]:
        """The passages that share most keys with those wanted: (share of the shorter one's, place), best first.

        A key that very many passages have finds none of them, though it counts.
        """
        near: Counter[int] = Counter()
        for key in wanted:
            held = self.places.get(key, ())
            if len(held) <= MOST_PLACES:
                near.update(held)
        scored = []
        for place, count in near.items():
            shorter = min(len(wanted), len(self.keys[place]))
            if count == len(wanted) or count * 4 >= shorter:  # frequent keys are not in the count
                scored.append((len(wanted & self.keys[place]) / shorter, place))
        good = [(share, place) for share, place in scored if share >= least]
        return sorted(good, key=lambda one: (-one[0], one[1]))[:most]


MOST_PLACES: Final = 60

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE: Final = re.compile(r"\s*(?:[-*+][ \t]+)?(`{3,}|~{3,})")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_FIELD: Final = re.compile(
    r"\s*(?:[-*+][ \t]+)?(?P<key>[^\W\d_][\w \-]{0,60}?)[ \t]*::[ \t]+(?P<value>\S.*?)(?:[ \t]+\^[A-Za-z0-9-]+)?[ \t]*$"
)
_SKIP: Final = re.compile(r"\s*(?:>|\||<|\[\^|!\[|#)")
"""Quotes, table rows, HTML, footnotes, embeds, tag lines."""
_ENDS: Final = re.compile(r"[.!?;:。！？；：…][\"')\]»”*_]*(?:[ \t]+\^[A-Za-z0-9-]+)?\s*$")
_PLACEHOLDER: Final = re.compile(r"\{\{|<%")
_BLOCK: Final = re.compile(r"^\s*(?:\$\$|%%|<!--)")


def passages(body: str) -> Iterator[Passage]:
    """The claims of a note's text, in order."""
    lines = split_lines(body)
    fence = block = ""
    superseded = 0
    logged: list[tuple[int, int]] = []
    above = _Above()
    for place, line in enumerate(lines):
        if fence or block:
            fence, block = _still(line, fence, block)
        elif opening := _FENCE.match(line):
            fence = opening[1]
        elif (mark := _BLOCK.match(line)) and not _closed(line, mark[0].strip()):
            block = mark[0].strip()
        elif heading := _HEADING.match(line):
            level = len(heading[1])
            if not superseded or level <= superseded:
                superseded = level if heading[2].strip().lower() == SUPERSEDED.lower() else 0
            logged = [(depth, day) for depth, day in logged if depth < level]
            day = next(days_in(heading[2]), None)
            logged += [(level, as_day(day))] if day else []
            above.heading(level, "" if day else heading[2])
        elif not superseded and line.strip() and not _BLOCK.match(line):
            day_of_heading = logged[-1][1] if logged else None
            under = above.of(line)
            for passage in _of_line(lines, place, day_of_heading):
                yield replace(passage, under=under) if under else passage


class _Above:
    """What the lines of a note stand under, as they come."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._items: list[tuple[int, str]] = []
        self._lead = ""

    def heading(self, level: int, text: str) -> None:
        self._headings = [held for held in self._headings if held[0] < level]
        self._headings += [(level, text)] if level > 1 and text else []
        self._items, self._lead = [], ""

    def of(self, line: str) -> tuple[str, ...]:
        item = _ITEM.match(line)
        wide = line.expandtabs(4)
        indent = len(wide) - len(wide.lstrip())
        if item:
            self._items = [held for held in self._items if held[0] < indent]
        elif not indent:
            self._items = []
        told = [text for _, text in (*self._headings, (0, self._lead), *self._items) if text]
        if item:
            self._items.append((indent, line[item.end() :].strip()))
        elif not indent:
            self._lead = line.strip() if line.rstrip().endswith((":", "：")) else ""
        return tuple(told)


def _still(line: str, fence: str, block: str) -> tuple[str, str]:
    if fence:
        bare = line.strip()
        closed = len(bare) >= len(fence) and not bare.strip(fence[0])
        return ("" if closed else fence), ""
    return "", "" if ("-->" if block == "<!--" else block) in line else block


def _closed(line: str, mark: str) -> bool:
    rest = line.strip()[len(mark) :]
    return ("-->" if mark == "<!--" else mark) in rest


def _of_line(lines: Sequence[str], place: int, logged: int | None) -> Iterator[Passage]:
    line = lines[place]
    if _SKIP.match(line) or " | " in line or _PLACEHOLDER.search(line):
        return
    item = _ITEM.match(line)
    if not item and (line.startswith(("    ", "\t"))):
        return
    if found := _FIELD.match(line):
        yield Passage(line.strip(), line, True, logged, (found["key"].strip(), found["value"]))
        return
    bare, origin = without_origin(line)
    told = claims(bare)
    if any(claim.form is not Form.PROSE for claim in told):
        return
    before = lines[place - 1] if place and not item else ""
    begun = bool(before.strip()) and not _HEADING.match(before) and not _ENDS.search(before)
    after = lines[place + 1] if place + 1 < len(lines) else ""
    goes_on = bool(after.strip()) and not _breaks(after) and not _ENDS.search(line)
    for number, claim in enumerate(told):
        cut = (begun and number == 0) or (goes_on and number == len(told) - 1)
        if not cut and _is_claim(claim.text):
            yield Passage(claim.text, line, len(told) == 1, logged, origin=origin)


def _is_claim(text: str) -> bool:
    """Whether it says something: no question, no lead to a list, and more than one word or value, not links alone."""
    if len(text) > LONGEST or text.endswith(("?", "？", ":", "：")):
        return False
    beside = _URL_LINK.sub(" ", _LINK.sub(" ", text))
    parts = words_in_order(beside)
    said = [part for part in parts if not part.isdigit()]
    wide = len(_WIDE.findall(beside))
    return wide > 1 or (len(words_in_order(text)) > 1 and bool(said))


def _breaks(line: str) -> bool:
    """Whether a line begins something new, so that the one before has ended."""
    return bool(
        _ITEM.match(line) or _HEADING.match(line) or _SKIP.match(line) or _FENCE.match(line)
    )


_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+|[^\W\d_]+")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_STEM: Final = 5
_PART: Final = re.compile(r"\w+")


def keys(text: str) -> frozenset[str]:
    """What a claim is found by: beginnings of its words, characters in twos; no numbers, as these may differ."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if _WIDE.match(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif len(word) > 1 and word not in FUNCTION:
            found.add(word[:_STEM])
    return frozenset(found)


_URL_LINK: Final = re.compile(r"!?\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|https?://\S+")
_LINK: Final = re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")


def spoken(claim: str) -> str:
    """The claim as it is read aloud: of a wikilink its display text, else the last part of its target."""
    if "[[" not in claim:
        return claim
    return _LINK.sub(lambda link: link[2] or link[1].partition("#")[0].rpartition("/")[2], claim)


def words_in_order(text: str) -> list[str]:
    """The words and numbers of a text in small letters, as they follow each other."""
    return _PART.findall(text.lower())


def words(text: str) -> frozenset[str]:
    """The words of a text in small letters; a run of Chinese, Japanese or Korean characters is one."""
    return frozenset(_WORD.findall(text.lower()))
