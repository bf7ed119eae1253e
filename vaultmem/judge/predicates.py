"""Which predicates hold of one thing at a time, and of which one. Pure.

*Ada lives in Ghent* tells where she lives: another place is a contradiction, another person is none. *Ada owns the mill* tells whose
the mill is: another owner is a contradiction, another mill is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vaultmem.index.stems import stem
from vaultmem.judge.lexicon import FUNCTION, MANY_STEMS, root
from vaultmem.judge.reading import Reading
from vaultmem.judge.tokens import Kind, Token

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
_ARTICLES: Final = frozenset(("a", "an", "the", "its", "his", "her", "their", "our", "my"))
_COMPANY: Final = frozenset(
    ("with", "near", "beside", "alongside", "without", "about", "against", "before", "after", "until", "since", "during", "like", "as")
)  # fmt: skip
"""What has several objects whatever stands before it: one lives with many, and works on many things."""
_BELONGING: Final = frozenset(("of", "in", "at", "for", "from"))
_NOW: Final = frozenset(("is", "are", "be", "remains", "stays", "gets", "being"))
_ONCE: Final = frozenset(("born",))
"""What is true of the past for good."""
_NOUNS: Final = frozenset(
    map(stem, ["store", "office", "base", "port", "version", "deadline", "default", "capital", "address", "password", "limit", "language", "size"])
)  # fmt: skip
"""Things besides: *the store in Ghent opens at nine* tells nothing of where the store is."""


def holds_once(a: Reading, b: Reading, x: Token, y: Token) -> bool:
    """Whether both claims have a predicate that holds of one thing at a time, and ``x`` of the first and ``y`` of the second are
    such things."""
    shared = _stems(a) & _stems(b)
    if shared & MANY_STEMS:
        return False
    leads = _lead(a, x), _lead(b, y)
    if _COMPANY.intersection(leads):
        return False
    return any(
        _bound(a, x, predicate)
        and _bound(b, y, predicate)
        and (predicate in OF_OBJECT or leads[0] == leads[1])
        for predicate in shared & SINGLE_STEMS
    )


def _lead(reading: Reading, named: Token) -> str:
    """The little word that a name stands after: *from*, *by*; empty when none does."""
    at = next(i for i, token in enumerate(reading.tokens) if token is named)
    before = [token.key for token in reading.tokens[:at] if token.key not in _ARTICLES][-1:]
    return before[0] if before and (before[0] in FUNCTION or before[0] in _COMPANY) else ""


def _says_now(tokens: Sequence[Token], place: int) -> bool:
    """Whether the predicate tells of a state, and not of something done: *is assigned to*, not *assigned the task to*."""
    key = tokens[place].key
    if not key.endswith("ed") or key in _ONCE or place == 0:
        return True
    return any(token.key in _NOW for token in tokens[:place])


def _only_names_it(tokens: Sequence[Token], place: int, at: int) -> bool:
    """Whether the name only tells which one is meant, of which something else is said: *the office in Ghent is closed*."""
    if root(tokens[place].key) not in _NOUNS or tokens[place].key.endswith("ed"):
        return False
    between = [t.key for t in tokens[place + 1 : at] if t.key not in _ARTICLES]
    follows = any(t.key not in FUNCTION or t.kind is not Kind.WORD for t in tokens[at + 1 :])
    doing = place > 0 and tokens[place - 1].key in _DOERS
    return doing or (len(between) == 1 and between[0] in _BELONGING and follows)


_DOERS: Final = frozenset(("i", "we", "you", "they", "he", "she"))


def _stems(reading: Reading) -> set[str]:
    return {root(token.key) for token in reading.words}


def _bound(reading: Reading, named: Token, predicate: str) -> bool:
    """Whether the predicate can say only one such name, where this one stands."""
    tokens = reading.tokens
    at = next(i for i, token in enumerate(tokens) if token is named)
    place = next(i for i, token in enumerate(tokens) if root(token.key) == predicate)
    if predicate in OF_SUBJECT:
        return at > place and _says_now(tokens, place) and not _only_names_it(tokens, place, at)
    between = reading.text.partition(tokens[place].text)[2].partition(named.text)[0]
    return at < place or ":" in between or any(t.key in _LINKS for t in tokens[place + 1 : at])
