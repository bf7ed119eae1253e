"""English words brought to their stem, after M. F. Porter, "An algorithm for suffix stripping" (1980). Pure.

A stem is a key under which the forms of a word meet; it is not shown and need not be a word. Words that are not plain
English letters have themselves as their stem, so that other languages are left alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

SHORTEST: Final = 3
"""Letters; a shorter word is its own stem."""

LONGEST: Final = 30
"""Letters; a longer "word" is a name or a code."""

_PLAIN: Final = re.compile(r"[a-z]+")
_VOWELS: Final = frozenset("aeiou")

_STEP_2: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3: Final = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4: Final = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment"),
    *("ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a folded word; the word itself when it is no English one.

    >>> [stem(word) for word in ("painting", "ponies", "relational", "hopping", "東京")]
    ['paint', 'poni', 'relat', 'hop', '東京']
    """
    if not SHORTEST <= len(word) <= LONGEST or not _PLAIN.fullmatch(word):
        return word
    word = _plural(word)
    word = _past_or_participle(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    word = _without_suffix(word)
    return _without_last(word)


def _is_consonant(word: str, at: int) -> bool:
    letter = word[at]
    if letter in _VOWELS:
        return False
    return letter != "y" or at == 0 or not _is_consonant(word, at - 1)


def _measure(word: str) -> int:
    """How many times a run of vowels is followed by one of consonants."""
    count, before = 0, True
    for at in range(len(word)):
        consonant = _is_consonant(word, at)
        count += consonant and not before
        before = consonant
    return count


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, at) for at in range(len(word)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant, the last not w, x or y: such a stem wants its e back."""
    size = len(word)
    return (
        size >= 3
        and _is_consonant(word, size - 3)
        and not _is_consonant(word, size - 2)
        and _is_consonant(word, size - 1)
        and word[-1] not in "wxy"
    )


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_or_participle(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _mended(word[: -len(suffix)])
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    """The word with the longest fitting suffix replaced, if what stands before it is long enough."""
    fitting = [rule for rule in rules if word.endswith(rule[0])]
    if not fitting:
        return word
    suffix, other = max(fitting, key=lambda rule: len(rule[0]))
    rest = word[: -len(suffix)]
    return rest + other if _measure(rest) > 0 else word


def _without_suffix(word: str) -> str:
    fitting = [suffix for suffix in _STEP_4 if word.endswith(suffix)]
    if not fitting:
        return word
    suffix = max(fitting, key=len)
    rest = word[: -len(suffix)]
    if suffix == "ion" and rest[-1:] not in ("s", "t"):
        return word
    return rest if _measure(rest) > 1 else word


def _without_last(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    if _measure(word) > 1 and word.endswith("ll"):
        return word[:-1]
    return word
