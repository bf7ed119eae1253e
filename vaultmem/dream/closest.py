"""The name that a misspelt one most likely means, found without going through all names. Pure.

Two names at most two letters apart share one of three pieces of theirs at nearly the same place: by such pieces they are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import normalize

SHORTEST: Final = 6
"""Letters of a name that one letter may be wrong in; with fewer, other words are too near."""
SHORTEST_FOR_TWO: Final = 12
_MOST: Final = 2
_PIECES: Final = 3

_MARKS: Final = re.compile(r"(?!(?<=\w)[+#]|(?<=[+#])[+#]|\A\.(?=\w))[\W_]")
"""Blanks and punctuation, but for signs that make a name: *C++*, *C#*, *.NET*."""


def plain(name: str) -> str:
    """The name without case, blanks and punctuation; as it is, where nothing else is left.

    >>> plain("Low-tide  Notes") == plain("low tide notes")
    True
    >>> plain("C++"), plain("C#"), plain(".NET")
    ('c++', 'c#', '.net')
    """
    folded = normalize("NFKC", name).casefold()
    return _MARKS.sub("", folded) or folded


class KnownNames:
    """Names and what they stand for."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        """``named`` are pairs of a name and what it stands for."""
        self._meant: dict[str, set[str]] = {}
        for name, what in named:
            self._meant.setdefault(plain(name), set()).add(what)
        self._pieces: dict[tuple[int, int, str], list[str]] = {}
        for name in sorted(self._meant):
            if len(name) >= SHORTEST - _MOST:
                for place, start, end in _cut(len(name)):
                    self._pieces.setdefault((len(name), place, name[start:end]), []).append(name)

    def same(self, name: str) -> frozenset[str]:
        """What is named so but for case, blanks and punctuation."""
        return frozenset(self._meant.get(plain(name), ()))

    def closest(self, name: str) -> tuple[str, int] | None:
        """The one thing whose name is clearly nearest, and how many letters are wrong; None when there is none, or several.

        Names that differ in a digit, in a sign (*C++*, *C#*), or in a Chinese or Japanese character that says something, are not near.
        """
        wanted = plain(name)
        most = 2 if len(wanted) >= SHORTEST_FOR_TWO else 1 if len(wanted) >= SHORTEST else 0
        if not most:
            return None
        found: dict[int, set[str]] = {}
        for other in self._near(wanted):
            apart = _distance(wanted, other, _MOST)
            if apart <= _MOST and _fixed(wanted) == _fixed(other):
                found.setdefault(apart, set()).update(self._meant[other])
        nearest = min(found, default=_MOST + 1)
        if nearest > most or len(found[nearest]) != 1:
            return None
        (what,) = found[nearest]
        # Another thing that is hardly further away could be meant as well.
        if any(others - {what} for apart, others in found.items() if apart == nearest + 1):
            return None
        return what, nearest

    def _near(self, wanted: str) -> set[str]:
        found: set[str] = set()
        for length in range(max(1, len(wanted) - _MOST), len(wanted) + _MOST + 1):
            for place, start, end in _cut(length):
                for at in range(max(0, start - _MOST), min(len(wanted), start + _MOST) + 1):
                    piece = wanted[at : at + end - start]
                    found.update(self._pieces.get((length, place, piece), ()))
        return found


def _cut(length: int) -> Iterator[tuple[int, int, int]]:
    """The pieces of a name of this length: number, start, end."""
    for place in range(_PIECES):
        yield place, place * length // _PIECES, (place + 1) * length // _PIECES


_WIDE: Final = re.compile(r"[+#.\d\u3040-\u30ff\u3400-\u9fff]")
_SOFT: Final = frozenset("和与及的之のと")


def _fixed(name: str) -> str:
    """What may not be a slip: digits, signs that make a name, and characters that are words of their own (*back* and *shoulder* are one each)."""
    return "".join(letter for letter in _WIDE.findall(name) if letter not in _SOFT)


def _distance(a: str, b: str, most: int) -> int:
    """How many letters must be put in, taken out, changed, or swapped with the next; ``most + 1`` when more than that."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        earlier, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
