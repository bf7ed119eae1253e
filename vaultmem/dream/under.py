"""What a claim stands under: its heading, the line that leads to it, the items above it. Pure.

*The port is 9090* below *At the test site:* says nothing of any other site, and the light in the kitchen may have more watts than the one
in the hall.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vaultmem.dream.subjects import GENERIC
from vaultmem.judge.lexicon import FUNCTION, TIME_WORDS, root

_WORD: Final = re.compile(r"\w+")
_CONDITION: Final = re.compile(
    r"(?:in|on|at|with|without|for|if|when|while|during|after|before|under|within|outside|inside|until|unless|once|bei|beim|im|am|auf|wenn|falls|für"
    r"|während|nach|vor|mit|ohne)\b|.*(?:的时候|时|如果|場合|とき|時|때|경우)(?:[:：]|$)",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(
    r"\b(?:ideas?|options?|alternatives?|propos(?:al|als|ed)|suggest(?:ed|ions?)|drafts?|examples?|reject(?:ed|s)|discarded|considered|history"
    r"|formerly|former|previous|previously|earlier|old|once|what if|hypothes[ei]s|plans?|planned|future|later|wishes|wishlist|maybe|myths?|mistakes"
    r"|wrong|misconceptions?|questions?|quotes?|tests?|staging|ideen|idee|optionen|alternativen|vorschl[aä]ge?|entwurf|beispiele?|verworfen|verlauf"
    r"|früher|alt|geplant|später|irrtümer|fragen|zitate)\b|想法|选项|提议|例|历史|歴史|以前|旧|草案|计划|計画|案|아이디어|선택지|예시|역사|이전|계획",
    re.IGNORECASE,
)


def tells_of_another(one: Sequence[str], other: Sequence[str], known: frozenset[str]) -> bool:
    """Whether claims that stand under these lines may both hold: one stands under a condition or among what is not so, or
    each under something else. ``known`` are words that the claims say themselves, or that name the thing."""
    left, right = _only(one, other), _only(other, one)
    if any(_CONDITION.match(line) or _NOT_SO.search(line) for line in (*left, *right)):
        return True
    same = _roots(known)
    return all(any(_said(line) - same for line in lines) for lines in (left, right))


def loses(one: Sequence[str], other: Sequence[str], known: frozenset[str]) -> bool:
    """Whether a claim that stands under the first lines would say less, or more, under the others."""
    same = _roots(known)
    return any(_said(line) - same for line in (*_only(one, other), *_only(other, one)))


def _only(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    known = [_said(line) for line in others]
    return [line for line in lines if _said(line) not in known]


def _said(line: str) -> frozenset[str]:
    """The roots of the words of a line that tell something; days and seasons do."""
    found = frozenset(_WORD.findall(line.lower()))
    return _roots(found - (FUNCTION | GENERIC) | (found & TIME_WORDS))


def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(root, words))
