"""A claim, read once: what it is about, its values, what it negates. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from vaultmem.judge.degrees import degrees_of
from vaultmem.judge.lexicon import (
    CJK_NEGATIONS,
    CJK_SAME,
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
        ("(?:has|have|had) to(?= [a-z])", "must"),
        ("(?:every|each) day", "daily"),
        ("(?:every|each) week", "weekly"),
        ("(?:every|each) month", "monthly"),
        ("(?:every|each) year", "yearly"),
        ("each(?! other)", "every"),
        ("very much", "a lot"),
        ("a (?:little |tiny )?bit(?! of)", "slightly"),
        (
            "(is|are|was|were|looks|feels|seems|gets) a little(?= [a-z]+(?:[.,;:!?]|$))",
            r"\1 slightly",
        ),
        ("by far", "vastly"),
        (r"(?:takes?|took)(?= (?:longer|(?:more |less )?time|fewer|more|less)\b)", "needs"),
        ("the same (?:amount )?of", "as much"),
        ("hold on", "wait"),
        ("(?:come|comes|came) back", "return"),
        ("(?:go|goes|went) back", "return"),
        ("(?:take|takes|took) out", "remove"),
        ("(?:show|shows|showed) up", "appear"),
        ("(?:find|finds|found) out", "discover"),
        ("(?:put|puts) off", "postpone"),
        ("(?:carry|carries|carried) out", "perform"),
        ("(?:throw|throws|threw) away", "discard"),
        ("(?:look|looks|looked) for", "seek"),
        ("(?:write|writes|wrote) down", "note"),
        ("in the end", "finally"),
        ("at the same time", "simultaneously"),
        ("close to", "near"),
        ("or else", "otherwise"),
        ("in part", "partly"),
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
_WORDING: Final = re.compile(
    "|".join(
        # Within another word this would be a negation: 休まずに.
        rf"(?<![\u3040-\u30ff\u3400-\u9fff]){word}" if word == "まず" else re.escape(word)
        for word in sorted(CJK_SAME, key=len, reverse=True)
    )
)
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
    degrees: Counter[str]
    """How much of it, as one word for all that mean the same: *very*, *slightly*."""
    wording: Counter[str]
    """Of expressions in Chinese, Japanese and Korean for which there are others of the same meaning, the ones it uses."""
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
    plain, wording = _one_wording(claim)
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
        degrees_of(found, plain.lower()),
        wording,
        _negations(found, lower),
        signs,
        _has_ended(lower)
        or ("until" in polar and bool(re.search(r"\b(?:was|were|led|had|[a-z]+ed)\b", lower))),
        any(t.key in STATE_VERBS for t in found),
        keys,
    )


_read_again = lru_cache(maxsize=4096)(_read)


def _one_wording(claim: str) -> tuple[str, Counter[str]]:
    """The claim with one expression for all of the same meaning, and those that it had."""
    used: Counter[str] = Counter()
    if not _LETTER.search(claim):
        return claim, used

    def first(match: re.Match[str]) -> str:
        used[match[0]] += 1
        return CJK_SAME[match[0]]

    return _WORDING.sub(first, claim), used


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
