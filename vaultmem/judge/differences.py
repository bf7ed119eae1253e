"""How two claims differ. Pure.

A difference is hard when it may change what is claimed (a value, a negation, an opposite, a word such as *only*), soft
when it does not (a word for another of the same meaning), and unknown when a word stands for another and nothing tells
which of both it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from vaultmem.judge.degrees import compared, same_degree
from vaultmem.judge.lexicon import (
    CJK_OPPOSITES,
    FUNCTION,
    near_meaning,
    opposite,
    root,
    same_meaning,
)
from vaultmem.judge.little_words import in_order, turned
from vaultmem.judge.reading import Reading
from vaultmem.judge.things import THINGS
from vaultmem.judge.tokens import Kind, Token
from vaultmem.judge.units import same_quantity

MOST_COMPARED: Final = 250_000
"""Pairs of characters; of longer runs we say that they differ, not where."""

MOST_IN_PLACE: Final = 2
"""Words that may stand for one thing: *olive oil*."""

_SLOT: Final = re.compile(
    r"(?:[:=]|\b(?:is|are|was|were|to|uses?|named|called|by|in|with|for|of))\s+(?:[^\s]+\s+)?[^\s]+$",
    re.IGNORECASE,
)
"""A word at the end, where claims have their value."""


@dataclass(frozen=True, slots=True)
class Differences:
    """What stands in only one of two claims, after equal things were paired off."""

    values: tuple[tuple[Token, ...], tuple[Token, ...]]
    times: tuple[frozenset[str], frozenset[str]]
    words: tuple[tuple[Token, ...], tuple[Token, ...]]
    """Neither equal in meaning nor opposites."""
    polar: tuple[tuple[str, ...], tuple[str, ...]]
    degrees: tuple[str, ...]
    """Of which one has more: *very*, *slightly*, or one word of both in a higher degree (*low*, *lower*)."""
    things: tuple[str, str] | None
    """What another thing stands for in the same place, where both are known to be things: *salt*, *sugar*."""
    opposites: tuple[tuple[str, str], ...]
    signs: tuple[tuple[str, str], ...]
    """Runs of Chinese and Japanese characters, and what stands in their place."""
    negated: bool
    """Whether one negates once more than the other, opposites not counted."""
    soft: int
    """Words that stand for others of the same meaning."""
    slot: bool
    """Whether a word differs where both claims have their value."""
    moved: bool
    """Whether words that both have stand in another order: who does what to whom may be the reverse."""
    little: int
    """Words without a claim of their own that only one of them has."""
    turned: str
    """What such words change about the claim, in words; empty when nothing."""

    @property
    def hard(self) -> str:
        """Why the claims must not be taken for the same, in words; empty when nothing speaks against it."""
        left, right = self.values
        if left or right:
            return f"values differ: {_listed(left)} / {_listed(right)}"
        if self.times[0] != self.times[1]:
            return f"times differ: {', '.join(sorted(self.times[0] ^ self.times[1]))}"
        if self.negated:
            return "one of them negates"
        if self.opposites:
            return f"opposites: {' / '.join(self.opposites[0])}"
        if any(self.polar):
            return f"limits differ: {', '.join((*self.polar[0], *self.polar[1]))}"
        if self.degrees:
            return f"degrees differ: {', '.join(self.degrees)}"
        if self.things:
            return f"things differ: {' / '.join(self.things)}"
        if self.moved:
            return "the same words in another order"
        if self.turned:
            return self.turned
        return "the value may differ" if self.slot else ""

    @property
    def unknown(self) -> float:
        """How many words stand in only one of them, or for an unrelated one; two characters count as a word."""
        letters = sum(max(len(x), len(y)) for x, y in self.signs)
        return max(len(self.words[0]), len(self.words[1])) + letters / 2

    @property
    def exchanged(self) -> tuple[str, str] | None:
        """A word and the unrelated one that stands for it, or such Chinese or Japanese characters; None when there is
        none. What only one of them has stands for nothing."""
        left, right = self._unrelated()
        if left and right:
            return left[0].key, right[0].key
        return next(((x, y) for x, y in self.signs if x and y), None)

    @property
    def first_says_more(self) -> bool:
        """Whether the first has words, or Chinese or Japanese ones, for which nothing stands in the second."""
        left, right = self._unrelated()
        return len(left) > len(right) or any(len(x) > 1 and not y for x, y in self.signs)

    def _unrelated(self) -> tuple[list[Token], list[Token]]:
        """The words of both without those of which one rewords the other."""
        left, right = (list(words) for words in self.words)
        for word in self.words[0]:
            other = next((y for y in right if near_meaning(word.key, y.key)), None)
            if other is not None:
                left.remove(word)
                right.remove(other)
        return left, right

    @property
    def changes(self) -> int:
        """How many places differ."""
        return (
            self.soft + self.little + max(len(self.words[0]), len(self.words[1])) + len(self.signs)
        )


def differences(a: Reading, b: Reading) -> Differences:
    """What differs between two claims."""
    left, right, soft = _pair_off(a.words, b.words)
    values = _values(a, b)
    named = {t.key for pair in values for t in pair}
    left = [t for t in left if t.key not in _keys(b)]
    right = [t for t in right if t.key not in _keys(a)]
    capital = left and right and left[0].first and right[0].first
    if capital and left[0].text[0].isupper() and right[0].text[0].isupper() and not named:
        values = ((left[0],), (right[0],))
    flips = [(x, y) for x in left for y in right if opposite(x.key, y.key)]
    for x, y in flips:
        left = [t for t in left if t is not x]
        right = [t for t in right if t is not y]
    polar_left, polar_right, same_polar = _polar(a, b)
    signs = _signs(a.signs, b.signs)
    flipped = [(x.key, y.key) for x, y in flips]
    flipped += [p for p in ((x, y) for x in polar_left for y in polar_right) if opposite(*p)]
    flipped += _flipped_signs(signs)
    if not flipped:
        flipped = _switched(a, b)
    return Differences(
        values,
        (a.times - b.times, b.times - a.times),
        (tuple(left), tuple(right)),
        (tuple(polar_left), tuple(polar_right)),
        _degrees(a, b, left, right),
        _things(a, b, left, right),
        tuple(flipped),
        signs,
        (a.negations - b.negations) % 2 == 1,
        soft + same_polar + max((a.wording - b.wording).total(), (b.wording - a.wording).total()),
        _in_slot(a, b, left, right),
        _moved(a, b),
        _little(a, b),
        turned(a, b),
    )


def _degrees(
    a: Reading, b: Reading, left: Sequence[Token], right: Sequence[Token]
) -> tuple[str, ...]:
    told = (a.degrees - b.degrees) + (b.degrees - a.degrees)
    higher = [f"{x.key} / {y.key}" for x in left for y in right if compared(x.key, y.key)]
    return (*sorted(told), *higher)


def _things(
    a: Reading, b: Reading, left: Sequence[Token], right: Sequence[Token]
) -> tuple[str, str] | None:
    """Two words in the same place of which one is known to be a thing; the other is, or may be, another one.

    In the same place: between words that both have. Where more than two stand for others it is not told which for which.
    """
    if not left or not right:
        return None
    one, other = ([root(t.key) for t in r.words] for r in (a, b))
    apart = [{root(t.key) for t in side} for side in (left, right)]
    for op, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if op != "replace" or max(j - i, m - k) > MOST_IN_PLACE:
            continue
        here = [word for word in one[i:j] if word in apart[0]]
        there = [word for word in other[k:m] if word in apart[1]]
        if here and there and THINGS.intersection((*here, *there)):
            return here[0], there[0]
    return None


def _switched(a: Reading, b: Reading) -> list[tuple[str, str]]:
    """Opposites of which one is a word without a claim elsewhere: *on* and *off*."""
    x, y = (Counter(t.key for t in r.tokens if t.kind is Kind.WORD) for r in (a, b))
    return [pair for pair in ((p, q) for p in x - y for q in y - x) if opposite(*pair)]


def _moved(a: Reading, b: Reading) -> bool:
    said_a, said_b = in_order(a), in_order(b)
    once = {k for k, n in Counter(said_a).items() if n == 1}
    once &= {k for k, n in Counter(said_b).items() if n == 1}
    return [k for k in said_a if k in once] != [k for k in said_b if k in once]


def _little(a: Reading, b: Reading) -> int:
    x, y = (Counter(t.key for t in r.tokens if t.key in FUNCTION) for r in (a, b))
    return max((x - y).total(), (y - x).total())


def _keys(reading: Reading) -> set[str]:
    return {t.key for t in reading.tokens}


def _pair_off(a: Sequence[Token], b: Sequence[Token]) -> tuple[list[Token], list[Token], int]:
    """What remains of both after equal words and those of the same meaning, and how many of the latter there were."""
    common = Counter(t.key for t in a) & Counter(t.key for t in b)
    left, right = _without(a, common), _without(b, common)
    soft = 0
    for x in list(left):
        match = next((y for y in right if _as_good(x.key, y.key)), None)
        if match is not None:
            left.remove(x)
            right.remove(match)
            soft += 1
    return left, right, soft


def _without(words: Sequence[Token], common: Counter[str]) -> list[Token]:
    rest = common.copy()
    kept = []
    for token in words:
        if rest[token.key] > 0:
            rest[token.key] -= 1
        else:
            kept.append(token)
    return kept


def _as_good(a: str, b: str) -> bool:
    return same_meaning(a, b) or same_degree(a, b) or _slip(a, b)


def _slip(a: str, b: str) -> bool:
    """Whether one letter was left out or doubled in a long word."""
    short, long = sorted((a, b), key=len)
    if len(short) < 7 or len(long) != len(short) + 1 or short[0] != long[0]:
        return False
    return any(long[:i] + long[i + 1 :] == short for i in range(1, len(long)))


def _values(a: Reading, b: Reading) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    right = list(b.values)
    left = []
    for x in a.values:
        match = next((y for y in right if _same_value(x, y)), None)
        if match is None:
            left.append(x)
        else:
            right.remove(match)
    others_a, others_b = _keys(a), _keys(b)
    return (
        tuple(t for t in left if t.kind is not Kind.NAME or t.key not in others_b),
        tuple(t for t in right if t.kind is not Kind.NAME or t.key not in others_a),
    )


def _same_value(a: Token, b: Token) -> bool:
    if a.amount and b.amount and a.kind is b.kind is Kind.NUMBER:
        return a.key == b.key or (a.amount.unit is not None and same_quantity(a.amount, b.amount))
    return a.key == b.key


def _polar(a: Reading, b: Reading) -> tuple[list[str], list[str], int]:
    """The polar words of each that the other has in no form, and how many stand for one of the same meaning."""
    only_a, only_b = a.polar - b.polar, b.polar - a.polar
    left = [x for x in only_a.elements() if not _meant(x, b, a)]
    right = [y for y in only_b.elements() if not _meant(y, a, b)]
    return left, right, max(only_a.total() - len(left), only_b.total() - len(right))


def _meant(word: str, there: Reading, here: Reading) -> bool:
    """Whether another word of ``there``, which ``here`` does not have, means the same."""
    known = _keys(here)
    return any(same_meaning(word, t.key) for t in there.tokens if t.key not in known)


def _signs(a: str, b: str) -> tuple[tuple[str, str], ...]:
    if a == b:
        return ()
    if len(a) * len(b) > MOST_COMPARED:
        return ((a, b),)
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return tuple((a[i:j], b[k:m]) for op, i, j, k, m in blocks if op != "equal")


def _flipped_signs(signs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        pair
        for left, right in signs
        for x, y in CJK_OPPOSITES
        for pair in ((x, y), (y, x))
        if pair[0] in left and pair[1] in right
    ]


def _in_slot(a: Reading, b: Reading, left: Sequence[Token], right: Sequence[Token]) -> bool:
    at_end = bool(left and right) and a.tokens[-1] == left[-1] and b.tokens[-1] == right[-1]
    return at_end and bool(
        _SLOT.search(a.text.rstrip(".!?")) and _SLOT.search(b.text.rstrip(".!?"))
    )


def _listed(found: Sequence[Token]) -> str:
    return ", ".join(t.text for t in found) or "nothing"
