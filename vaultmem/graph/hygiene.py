"""One name for what is one thing: categories that differ in case or number, relations with a note's name in them.

Only in the graph: no folder and no property of a person is renamed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from vaultmem.index.terms import fold

__all__ = ["canonical_categories", "canonical_relations"]

_GAPS: Final = re.compile(r"[\s_\-]+")
_UNCOUNTED: Final = frozenset({"news", "series", "species", "physics", "mathematics", "economics"})
"""Words that end like a plural and are none."""

PLAIN: Final = "mentions"
LONGEST: Final = 4
"""Words of a relation at most; what is longer is a sentence, not a relation."""


def canonical_categories(categories: Iterable[str]) -> dict[str, str]:
    """For each category what it is called: of spellings that differ in case, blanks or number alone, the most used
    one, of equals the first in order of letters."""
    counted = Counter(categories)
    kinds: dict[str, list[str]] = {}
    for name in counted:
        kinds.setdefault(_kind(name), []).append(name)
    chosen = {
        kind: min(names, key=lambda name: (-counted[name], name)) for kind, names in kinds.items()
    }
    return {name: chosen[_kind(name)] for name in counted}


def _kind(name: str) -> str:
    """What spellings of one category have in common."""
    words = _GAPS.sub(" ", fold(name)).strip()
    head, gap, last = words.rpartition(" ")
    return f"{head}{gap}{_singular(last)}"


def _singular(word: str) -> str:
    """A plural's singular, as English makes most of them; anything else as it is.

    >>> [_singular(word) for word in ("projects", "stories", "boxes", "class", "news")]
    ['project', 'story', 'box', 'class', 'news']
    """
    if (
        len(word) < 4
        or word in _UNCOUNTED
        or not word.endswith("s")
        or word.endswith(("ss", "us", "is"))
    ):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def canonical_relations(relations: Iterable[str], entities: Sequence[str] = ()) -> dict[str, str]:
    """For each relation what it is called: small letters, ``_`` between words, and without the names of notes
    (``works_at_Acme`` is ``works_at``). One that is nothing but such a name, or a sentence, is ``mentions``."""
    kinds = list(relations)
    # Most names end with a word that ends no relation; they need not be looked at closely.
    last = {_last(relation) for relation in kinds} - {PLAIN}
    names = {_words(name) for name in entities if _last(name) in last} if last else set()
    return {relation: _cleaned(relation, names) for relation in kinds}


def _last(name: str) -> str:
    """The last word of a name, in small letters."""
    return _GAPS.split(name.rstrip("_- ").lower())[-1]


def _words(name: str) -> tuple[str, ...]:
    return tuple(_GAPS.sub(" ", fold(name)).split())


def _cleaned(relation: str, names: set[tuple[str, ...]]) -> str:
    words = _words(relation)
    if relation in ("supersedes", "superseded_by"):
        return relation  # whatever notes are called
    if words in names and len(words) > 1:
        return PLAIN
    for length in range(len(words) - 1, 0, -1):
        # The name of a thing follows what is said of it; one word alone may be a relation, too, if it begins small.
        if words[-length:] in names and (length > 1 or _is_name(relation, words[-1])):
            words = words[:-length]
            break
    return "_".join(words) if 0 < len(words) <= LONGEST else PLAIN


def _is_name(relation: str, last: str) -> bool:
    """Whether the last word stands in the relation with a capital letter."""
    return _GAPS.split(relation.strip())[-1][:1].isupper() and bool(last)
