"""Which predicates hold of one thing at a time, and of which one. Pure.

*Ada lives in Ghent* tells where she lives: another place is a contradiction, another person is none. *Ada owns the mill* tells whose
the mill is: another owner is a contradiction, another mill is none.
"""

from __future__ import annotations

from typing import Final

from vaultmem.index.stems import stem
from vaultmem.judge.lexicon import MANY_STEMS, root
from vaultmem.judge.reading import Reading
from vaultmem.judge.tokens import Token

OF_SUBJECT: Final = frozenset(
    map(
        stem,
        [
            "belong",
            "live",
            "reside",
            "base",
            "headquarter",
            "locate",
            "office",
            "work",
            "employ",
            "born",
            "name",
            "call",
            "status",
            "port",
            "version",
            "deadline",
            "default",
            "primary",
            "capital",
            "spouse",
            "assign",
            "assignee",
            "address",
            "password",
            "store",
            "color",
            "size",
            "limit",
            "language",
            "currency",
            "timezone",
        ],
    )
)
"""What these say is true of their subject once: *lives in*, *the port of … is*."""
OF_OBJECT: Final = frozenset(
    map(
        stem,
        [
            "own",
            "lead",
            "head",
            "maintain",
            "manage",
            "manager",
            "director",
            "direct",
            "boss",
            "ceo",
            "author",
            "responsible",
            "chair",
            "keep",
            "run",
            "supervise",
            "oversee",
            "operate",
            "administer",
            "caretaker",
        ],
    )
)
"""What these say is true of their object once: who owns, leads or keeps it."""
SINGLE_STEMS: Final = OF_SUBJECT | OF_OBJECT

_LINKS: Final = frozenset(("by", "is", "are", "was", "were"))
"""What leads from a role to who has it: *is kept by*, *the owner of the mill is*."""


def holds_once(a: Reading, b: Reading, x: Token, y: Token) -> bool:
    """Whether both claims have a predicate that holds of one thing at a time, and ``x`` of the first and ``y`` of the second are
    such things."""
    shared = _stems(a) & _stems(b)
    if shared & MANY_STEMS:
        return False
    return any(
        _bound(a, x, predicate) and _bound(b, y, predicate) for predicate in shared & SINGLE_STEMS
    )


def _stems(reading: Reading) -> set[str]:
    return {root(token.key) for token in reading.words}


def _bound(reading: Reading, named: Token, predicate: str) -> bool:
    """Whether the predicate can say only one such name, where this one stands."""
    tokens = reading.tokens
    at = next(i for i, token in enumerate(tokens) if token is named)
    place = next(i for i, token in enumerate(tokens) if root(token.key) == predicate)
    if predicate in OF_SUBJECT:
        return at > place
    between = reading.text.partition(tokens[place].text)[2].partition(named.text)[0]
    return at < place or ":" in between or any(t.key in _LINKS for t in tokens[place + 1 : at])
