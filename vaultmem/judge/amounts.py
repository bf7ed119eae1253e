"""Numbers that differ and yet both hold: those of other rooms, of other times, of a limit and what keeps it. Pure."""

from __future__ import annotations

import re
from typing import Final

from vaultmem.judge.differences import Differences
from vaultmem.judge.lexicon import STATE_VERBS
from vaultmem.judge.reading import Reading
from vaultmem.judge.tokens import Kind, Token


def other_amounts(a: Reading, b: Reading, found: Differences) -> bool:
    """Whether numbers differ that need not be the same: of other rooms, of other times, of which one is a limit (*at least
    twenty*), or several at once (*ten minutes in this oven, twenty in that*)."""
    left, right = ([t for t in side if t.kind is Kind.NUMBER] for side in found.values)
    if not left or not right:
        return False
    several = len(left) > 1 and len(right) > 1
    other = _labels(a, left[0]) and _labels(b, right[0])
    return several or other or _done(a) or _done(b) or _fits(a, left[0], b, right[0])


_BOUNDS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"\b(?:at least|over|above|more than|min|minimum|from|mindestens|über|ab|wenigstens)\b|至少|以上|不少于|少なくとも|최소|이상", "least"),
        (r"\b(?:at most|under|below|less than|fewer than|up to|max|maximum|within|höchstens|unter|bis zu|maximal)\b|最多|至多|以下|以内|不超过|최대|이하", "most"),
        (r"\b(?:about|around|roughly|approximately|approx|nearly|almost|some|ca|circa|etwa|rund|ungefähr|fast)\b|[~≈]|大约|约|大概|左右|約|およそ|ほぼ|약 |정도", "about"),
    )
)  # fmt: skip
_NEAR: Final = 1.25
"""Times that a number may be another that is meant *about*."""


def _fits(a: Reading, x: Token, b: Reading, y: Token) -> bool:
    """Whether one number lies within what the other says it to be: *at least twenty*, *about twenty*."""
    kinds = _bounds(a), _bounds(b)
    if kinds[0] == kinds[1] or x.amount is None or y.amount is None:
        return False
    one, other = x.amount.value, y.amount.value
    if "about" in kinds[0] | kinds[1] and max(one, other) <= _NEAR * min(one, other):
        return True
    return any(
        ("least" in bounds and value >= bound) or ("most" in bounds and value <= bound)
        for bounds, bound, value in ((kinds[0], one, other), (kinds[1], other, one))
    )


def _bounds(reading: Reading) -> frozenset[str]:
    return frozenset(kind for pattern, kind in _BOUNDS if pattern.search(reading.text))


def _labels(reading: Reading, number: Token) -> bool:
    at = next(i for i, token in enumerate(reading.tokens) if token is number)
    if not 0 < at < len(reading.tokens) - 1 or (number.amount and number.amount.unit):
        return False
    before, after = reading.tokens[at - 1], reading.tokens[at + 1]
    verb = after.key in _BE_OR_HAVE or (after.kind is Kind.WORD and after.key.endswith("s"))
    begins = all(t.key in _ARTICLES or t is before for t in reading.tokens[:at])
    return verb and begins and before.kind in (Kind.WORD, Kind.NAME)


_ARTICLES: Final = frozenset(("the", "our", "my", "der", "die", "das"))
_BE_OR_HAVE: Final = frozenset(("is", "are", "was", "were", "has", "had", "can", "must", "may", "will"))  # fmt: skip
_AGAIN: Final = frozenset(
    ("paid", "bought", "sold", "spent", "ate", "drank", "baked", "cooked", "sent", "received", "earned", "gave", "lent", "borrowed", "planted",
     "picked", "harvested", "caught", "drove", "cycled", "swam", "slept", "counted", "saw", "met", "weighed", "measured", "ordered", "donated",
     "walked", "brewed", "delivered", "collected", "watered", "repaired", "lost", "won", "found", "worked")
)  # fmt: skip
"""What was done once and may have been done again: another number is another time."""


def _done(reading: Reading) -> bool:
    return any(t.key in _AGAIN for t in reading.tokens) and not any(
        t.key in STATE_VERBS or t.key in ("was", "were", "be", "been") for t in reading.tokens
    )
