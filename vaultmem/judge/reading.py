"""A claim, read once: what it is about, its values, what it negates. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from vaultmem.judge.lexicon import (
    CJK_NEGATIONS,
    ENDED,
    FUNCTION,
    NEGATIONS,
    NOT_NEGATIONS,
    POLAR,
    STATE_VERBS,
    TIME_WORDS,
    root,
)
from vaultmem.judge.tokens import LONGEST, VALUES, Kind, Token, tokens

_SOFT_SIGNS: Final = frozenset("のはがをにでともてたしいるすまでへや的了着之也就")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_BEFORE_YEARS: Final = frozenset(
    ("in", "since", "until", "till", "from", "of", "by", "before", "after", "during", "around", "year")
)  # fmt: skip
_PHRASES: Final = tuple(
    (re.compile(rf"\b{phrase}\b", re.IGNORECASE), word)
    for phrase, word in (
        ("no one", "nobody"),
        ("next to", "beside"),
        ("(?:no|not) (?:more|higher|larger|greater|longer) than", "at most"),
        ("(?:no|not) (?:less|fewer|lower|smaller|shorter) than", "at least"),
        ("(?:no|not) later than", "by"),
        ("(?:no|not) (?:earlier|sooner) than", "from"),
        ("not only", "also"),
        ("(?:every|each) day", "daily"),
        ("(?:every|each) week", "weekly"),
        ("(?:every|each) month", "monthly"),
        ("(?:every|each) year", "yearly"),
        ("each(?! other)", "every"),
    )
)
"""Phrases for which there is a word."""
_ENDED: Final = re.compile(
    r"(?P<use>\b(?:be|is|are|was|were|been|being|gets?|got)\s+(?:\w+\s+)?used to\b)|"
    + "|".join(rf"\b{re.escape(mark)}\b" if mark.isascii() else re.escape(mark) for mark in ENDED)
)
"""Whole words: *many more* is not *any more*. And what is used to do something has not ceased."""
_QUOTED: Final = re.compile(r"['\"‘“`](no|not|none|never|nothing|without)['\"’”`]", re.IGNORECASE)
"""Such a word in quotes is spoken about, and negates nothing."""
_LETTER: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim by its parts."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[Token, ...]
    """That carry the claim: no function words, negations, polar or time words."""
    values: tuple[Token, ...]
    """Numbers, versions, paths, names and dates; years are among ``times``."""
    times: frozenset[str]
    """Years and the names of months, days and seasons."""
    polar: Counter[str]
    """Words such as *only*, *all* and *before*."""
    negations: int
    signs: str
    """Its Chinese and Japanese characters, without particles."""
    ended: bool
    """Whether it says that something has ceased."""
    present: bool
    """Whether it has a verb of state in the present."""
    keys: Counter[str]
    """What it is compared by with other claims: stems of its words, keys of its values, its characters in twos."""

    @property
    def weight(self) -> float:
        """How much it says, in words."""
        return len(self.words) + len(self.values) + len(self.times) + len(self.signs) / 2


def read(claim: str) -> Reading:
    """The parts of a claim; those of the claims read last are kept, unless they are long."""
    return _read_again(claim) if len(claim) <= LONGEST else _read(claim)


def _read(claim: str) -> Reading:
    plain = claim
    for phrase, word in _PHRASES:
        plain = phrase.sub(word, plain)
    plain = _QUOTED.sub(r"quoted\1", plain)
    found = tokens(plain)
    times, values, words = set(), [], []
    polar: Counter[str] = Counter()
    for i, token in enumerate(found):
        if token.kind is Kind.NUMBER and _YEAR.fullmatch(token.text) and _dates(found[:i]):
            times.add(token.key)
        elif token.kind in VALUES:
            values.append(token)
        elif token.kind is Kind.WORD:
            if token.key in TIME_WORDS and not (token.key == "may" and token.text == "may"):
                times.add(token.key.removesuffix("s"))
            elif token.key in POLAR:
                polar[token.key] += 1
            elif token.key not in FUNCTION and token.key not in NEGATIONS:
                words.append(token)
    lower = plain.lower()
    signs = "".join(t.key for t in found if t.kind is Kind.SIGN and t.key not in _SOFT_SIGNS)
    keys = Counter([*(root(t.key) for t in words), *(t.key for t in values), *times, *_twos(signs)])
    return Reading(
        claim,
        found,
        tuple(words),
        tuple(values),
        frozenset(times),
        polar,
        _negations(found, lower),
        signs,
        _has_ended(lower)
        or ("until" in polar and bool(re.search(r"\b(?:was|were|led|had|[a-z]+ed)\b", lower))),
        any(t.key in STATE_VERBS for t in found),
        keys,
    )


_read_again = lru_cache(maxsize=4096)(_read)


def _has_ended(lower: str) -> bool:
    return any(not found["use"] for found in _ENDED.finditer(lower))


def _twos(signs: str) -> list[str]:
    return [signs[i : i + 2] for i in range(len(signs) - 1)]


def _dates(before: tuple[Token, ...]) -> bool:
    """Whether a number of four digits after these tokens is a year: *in 2024*, *since March 2024*, *2024* alone."""
    return not before or before[-1].key in _BEFORE_YEARS or before[-1].key in TIME_WORDS


def _negations(found: tuple[Token, ...], lower: str) -> int:
    count = sum(t.key in NEGATIONS for t in found)
    if not _LETTER.search(lower):
        return count
    for word in NOT_NEGATIONS:
        lower = lower.replace(word, "")
    for sign in CJK_NEGATIONS:
        count += lower.count(sign)
        lower = lower.replace(sign, " ")
    return count


def likeness(a: Reading, b: Reading) -> float:
    """Dice's coefficient of what the claims are compared by: 1 for equal ones, 0 for nothing in common."""
    x, y = a.keys, b.keys
    total = x.total() + y.total()
    return 2 * (x & y).total() / total if total else float(a.text == b.text)
