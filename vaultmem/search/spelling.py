"""What a query was probably meant to say, when one of its words stands in no note: a word of the vault's own that is
spelled almost alike.

Words are compared as the word index has them, folded, and only with those whose beginning is the typed one's, or one
slip away from it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.stems import stem
from vaultmem.index.terms import fold
from vaultmem.index.words import is_common_word
from vaultmem.notes.letters import LETTER
from vaultmem.search.lanes import LEFT_OUT
from vaultmem.search.words import FORMS, MOST_FORMS

if TYPE_CHECKING:
    from vaultmem.search.lanes import Snapshot
    from vaultmem.search.query import Query

SHORTEST = 4
"""Letters of a word for which another is looked for: almost any three letters are a slip away from some word."""

TWO_SLIPS = 8
"""Letters from which on a word may be two slips away, not one."""

MOST_WORDS = 8
"""Words of a query for which others are looked for; for the first that needs it also among other beginnings, which
takes most of the time."""

BEGINNING = 4
"""Letters of a word by which its likes are found; at most one slip may be among them."""

MOST_LIKES = 500
"""Words of like beginnings that are compared with one of the query."""

MOST_CHECKED = 5
"""Words, nearest first, of which one is looked for that stands in a note that search may offer."""

IS_OFFERED = f"""
SELECT EXISTS (SELECT 1 FROM notes_fts WHERE notes_fts MATCH :match AND rowid NOT IN ({LEFT_OUT}))
"""

_WORD = re.compile(f"{LETTER}+")
DIGIT = re.compile(r"\d")
"""What makes of a word a number, a date or a name of parts, of which another is no correction."""


class Like(NamedTuple):
    """A word of the vault; in their order the best is first."""

    slips: int
    begins_otherwise: bool
    rarity: int
    """The blocks that it stands in, below zero."""
    word: str


def did_you_mean(index: Snapshot, query: Query) -> str:
    """The query with each word that stands in no note replaced by the one that was probably meant; "" when there is
    none to replace."""
    unknown = [
        token
        for term in query.terms
        if not term.is_cjk
        for token in term.tokens
        if len(token) >= SHORTEST and not DIGIT.search(token) and _is_unknown(index, token)
    ]
    meant: dict[str, str] = {}
    may_look_far = True
    for word in unknown[:MOST_WORDS]:
        likes = list(_beginning_with(index, word, [word[:BEGINNING]]))
        if may_look_far and not any(like.slips == 1 for like in likes):
            may_look_far = False
            likes += _beginning_otherwise(index, word, may_be_two=not likes)
        if best := _best(index, likes):
            meant[word] = best
    if not meant:
        return ""
    return " ".join(_replaced(piece, meant) for piece in query.text.split())


def _is_unknown(index: Snapshot, token: str) -> bool:
    """Whether neither the word nor another form of it stands in a note, and people do not write it elsewhere either."""
    if index.blocks_with(token):
        return False
    forms = fetch(index.connection, FORMS, (stem(token), token, MOST_FORMS))
    return not any(index.blocks_with(form) for (form,) in forms) and not is_common_word(token)


def _replaced(piece: str, meant: dict[str, str]) -> str:
    """A piece of the query as typed, or folded and with its unknown words replaced."""
    folded = fold(piece)
    if meant.keys().isdisjoint(_WORD.findall(folded)):
        return piece
    return _WORD.sub(lambda found: meant.get(found[0], found[0]), folded)


def _best(index: Snapshot, likes: Iterable[Like]) -> str:
    """The likest word that stands in a note that search may offer; ""."""
    nearest = sorted(set(likes))[:MOST_CHECKED]
    return next((like.word for like in nearest if _is_offered(index, like.word)), "")


def _is_offered(index: Snapshot, word: str) -> bool:
    return bool(fetch_int(index.connection, IS_OFFERED, index.bound(f'"{word}"', 1)))


def _beginning_with(index: Snapshot, word: str, beginnings: Iterable[str]) -> Iterator[Like]:
    """Words of the vault that begin in one of the ways and are few slips away from the word."""
    most = 1 if len(word) < TWO_SLIPS else 2
    letters, room = set(word), MOST_LIKES
    words, _ = index.memory.lexicon.words(index.connection)
    for beginning in beginnings:
        for at in range(bisect_left(words, beginning), len(words)):
            like = words[at]
            if not like.startswith(beginning):
                break
            if abs(len(like) - len(word)) > most:
                continue
            room -= 1
            if room < 0:
                return
            if len(letters.symmetric_difference(like)) > 2 * most or DIGIT.search(like):
                continue  # each slip changes two letters at most
            slips = slips_between(word, like, most)
            if slips <= most and (blocks := index.blocks_with(like)):
                yield Like(slips, like[0] != word[0], -blocks, like)


def _beginning_otherwise(index: Snapshot, word: str, *, may_be_two: bool) -> list[Like]:
    """Words of the vault with one slip, which is in their beginning; failing that, for a long word that ``may_be_two``
    slips away, those with another one further on."""
    others = _slips_at_the_beginning(word)
    _, known = index.memory.lexicon.words(index.connection)
    likes = [
        Like(1, other[0] != word[0], -blocks, other)
        for other in others
        if other in known and (blocks := index.blocks_with(other))
    ]
    if likes or not may_be_two or len(word) < TWO_SLIPS:
        return likes
    beginnings = dict.fromkeys(other[: BEGINNING + 1] for other in others)
    return list(_beginning_with(index, word, beginnings))


def _slips_at_the_beginning(word: str) -> list[str]:
    """All words that are one slip away, the slip being in their beginning; the most likely first."""
    letters = _alphabet(word)
    pieces = [(word[:at], word[at], word[at + 1 :]) for at in range(BEGINNING)]
    others = [before + after[:1] + here + after[1:] for before, here, after in pieces]
    others += [before + after for before, _, after in pieces]
    others += [before + x + here + after for before, here, after in pieces for x in letters]
    others += [before + x + after for before, _, after in pieces for x in letters]
    return list(dict.fromkeys(others))


def _alphabet(word: str) -> Sequence[str]:
    """The letters of the scripts that the word is written in, folded."""
    blocks = {ord(letter) & ~0x3F for letter in word}
    letters = (chr(point) for block in sorted(blocks) for point in range(block, block + 0x40))
    return [letter for letter in letters if letter.isalpha() and fold(letter) == letter]


def slips_between(one: str, other: str, most: int) -> int:
    """How many slips lie between two words: a letter other, too many, too few, or two neighbours in the wrong order.
    ``most + 1`` for more than ``most``.

    >>> [slips_between(word, "fermentation", 2) for word in ("fermantation", "fermnetatoin", "fragmentation")]
    [1, 2, 3]
    """
    return next((slips for slips in range(most + 1) if _within(one, other, slips)), most + 1)


def _within(one: str, other: str, slips: int) -> bool:
    """Whether so few slips lie between the words. Tried one by one: for one or two that is far less work than a
    table of all distances, and most words are refused at their lengths."""
    if abs(len(one) - len(other)) > slips:
        return False
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return True  # one begins with the other, and the lengths have been compared
    one, other = one[at:], other[at:]
    if slips <= 1:
        swapped = one[1:2] + one[:1] + one[2:]
        return slips == 1 and (
            one[1:] == other[1:] or one[1:] == other or one == other[1:] or swapped == other
        )
    return (
        _within(one[1:], other[1:], slips - 1)
        or _within(one[1:], other, slips - 1)
        or _within(one, other[1:], slips - 1)
        or (one[:2] == other[1::-1] and _within(one[2:], other[2:], slips - 1))
    )
