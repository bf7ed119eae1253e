"""The words of one query against all blocks: as they are and in their other forms (keyword), and by words of the vault
that are near in meaning (bridge)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from vaultmem.index.connection import fetch
from vaultmem.index.stems import stem
from vaultmem.search.query import Query, Term, match_whole
from vaultmem.search.stopwords import without_stop_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.search.bridge import Neighbour
    from vaultmem.search.lanes import Snapshot
    from vaultmem.search.postings import Posting

OTHER_FORM: Final = 0.8
"""What another form of a word counts: ``seals`` for ``seal``."""

MOST_FORMS: Final = 12
"""Other forms of a word that are looked for."""

NEAR_WORD: Final = 0.5
"""What a word near in meaning counts, times its cosine."""

COMMON_SHARE: Final = 0.1
"""A word with more places than this share of the number of blocks says little and costs much; it is left out while
rarer words remain."""

FEWEST_COMMON: Final = 4000
"""A word with no more places than this is never too common."""

MOST_PLACES: Final = 20_000
"""A word with more places than this always is."""

MOST_NEAR_PLACES: Final = 2000
"""A word near in meaning with more places than this is no evidence."""

COMMON_POOL: Final = 12_000
"""Places of a word that are ranked when a query has nothing but common words."""

LONGEST_PHRASE: Final = 12
"""Tokens of a CJK run that is looked for as a whole, besides its pairs."""

BEST_OF_NOTE: Final = 3
"""Blocks of a note by whose scores it lifts its others."""

NOTE_SHARE: Final = 0.1
"""What the best blocks of its note give to a block that matches itself."""

NOTE_WORDS: Final = 0.2
"""What each word gives to the blocks of a note, of what it gives to the one of them that speaks of it most: a note that
has all the words is better than one that has some."""

WEIGHED: Final = 1000
"""Blocks, best first, that their notes can lift."""

FORMS = "SELECT term FROM notes_words WHERE stem = ? AND term != ? LIMIT ?"


class Spoken(NamedTuple):
    """How strongly each block speaks of a query, by block id; 0 for blocks that search may not offer."""

    exact: NDArray[np.float32]
    """By the query's words and their other forms."""
    near: NDArray[np.float32]
    """What words near in meaning add to that."""
    common: tuple[str, ...]
    """Words that were left out as too common."""
    bounded: bool
    """The query has only common words, and not all of their places were read."""
    heard: tuple[Heard, ...]
    """The words that were ranked by, each once."""


class Heard(NamedTuple):
    """A word of the query."""

    text: str
    """The word; words in a row with blanks between."""
    weight: float
    """How much it says, by its rarity; above 0."""
    blocks: NDArray[np.int64]
    """The blocks that speak of it or another form of it, ascending."""
    scored: float = 0.0
    """What a block of usual length scores that has it once; of a word that stands nowhere the limit of that."""
    is_word: bool = True
    """Or words in a row, or a pair of characters."""


class _Word(NamedTuple):
    """One thing to look for."""

    text: str
    token: str
    """The word; "" for words in a row."""
    phrase: str
    """An expression for words in a row."""
    is_plain: bool
    """It is a word with forms and neighbours."""


def spoken(index: Snapshot, query: Query, *, bridge: bool) -> Spoken:
    """The blocks by the words of the query; words near in meaning are looked for only with ``bridge``."""
    import numpy as np

    blocks = index.table
    exact = np.zeros(len(blocks.notes), dtype=np.float32)
    near = np.zeros(len(blocks.notes), dtype=np.float32)
    words = _words(without_stop_words(query))
    most = int(min(max(COMMON_SHARE * blocks.total, FEWEST_COMMON), MOST_PLACES)) + 1
    rare, common = _apart(index, words, most)
    bounded = False
    if common and not any(len(posting.own) for _, posting in rare):
        rare = [(word, _posting(index, word, COMMON_POOL)) for word in common]
        common, bounded = [], any(not posting.whole for _, posting in rare)
    plain = [word.token for word, _ in rare if word.is_plain]
    neighbours = index.vocabulary.neighbours(index.connection, plain) if bridge else {}
    done: set[str] = set()
    heard: list[Heard] = []
    notes_exact = np.zeros(blocks.last_note + 1, dtype=np.float32)
    notes_near = np.zeros(blocks.last_note + 1, dtype=np.float32)
    for word, posting in rare:
        key = stem(word.token) if word.is_plain else word.text
        if key in done:
            continue
        done.add(key)
        best, held = _by_forms(index, word, posting, most)
        rare_weight = rarity(blocks.total, held)
        best *= rare_weight
        exact += best
        found = np.flatnonzero(best)
        if held or word.is_plain:  # a pair of characters that stands nowhere is no word
            weight = math.log(1 + blocks.total / (held + 0.5))
            scored = rare_weight if held else math.log(2 * blocks.total + 1)
            heard.append(Heard(word.text, weight, found, scored, is_word=word.is_plain))
        in_notes = _best_of_notes(best, found, blocks.notes)
        notes_exact[in_notes[0]] += in_notes[1]
        others = neighbours.get(word.token, ())
        if others:
            either = np.maximum(best, _by_neighbours(index, others, rare_weight))
            near += either - best
            in_either = _best_of_notes(either, np.flatnonzero(either), blocks.notes)
            notes_near[in_either[0]] += in_either[1]
            notes_near[in_notes[0]] -= in_notes[1]
    for scores, of_notes in ((exact, notes_exact), (near, notes_near)):
        found = np.flatnonzero(scores)
        scores[found] += NOTE_WORDS * of_notes[blocks.notes[found]]
        scores[index.barred()] = 0
    return Spoken(exact, near, tuple(word.text for word in common), bounded, tuple(heard))


def _best_of_notes(
    scores: NDArray[np.float32], found: NDArray[np.int64], notes: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The notes of the ``found`` blocks and the best score of each: the blocks of a note lie together."""
    import numpy as np

    owners = notes[found]
    if not len(found):
        return owners, scores[:0]
    firsts = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
    return owners[firsts], np.maximum.reduceat(scores[found], firsts)


def _words(terms: Sequence[Term]) -> list[_Word]:
    """What to look for, each once, in order. A CJK run is looked for by its pairs, and as a whole."""
    found: dict[str, _Word] = {}
    for term in terms:
        several = len(term.tokens) > 1
        if several and (not term.is_cjk or len(term.tokens) <= LONGEST_PHRASE):
            found.setdefault(term.text, _Word(term.text, "", match_whole(term), is_plain=False))
        if term.is_cjk or not several:
            for token in term.tokens:
                plain = not term.is_cjk
                found.setdefault(token, _Word(token, token, "", is_plain=plain))
    return list(found.values())


def _posting(index: Snapshot, word: _Word, most: int) -> Posting:
    arguments = (index.connection, index.stamp, index.table)
    if word.phrase:
        return index.postings.of_phrase(*arguments, word.phrase, most)
    return index.postings.of_word(*arguments, word.token, most)


def _apart(
    index: Snapshot, words: Sequence[_Word], most: int
) -> tuple[list[tuple[_Word, Posting]], list[_Word]]:
    """The words rare enough to rank by, with their places, and those in too many."""
    rare: list[tuple[_Word, Posting]] = []
    common: list[_Word] = []
    for word in words:
        posting = _posting(index, word, most)
        if posting.whole:
            rare.append((word, posting))
        else:
            common.append(word)
    return rare, common


def _by_forms(
    index: Snapshot, word: _Word, posting: Posting, most: int
) -> tuple[NDArray[np.float32], int]:
    """How strongly each block speaks of the word or another form of it, and in how many blocks one of these stands."""
    import numpy as np

    blocks = index.table
    best = np.zeros(len(blocks.notes), dtype=np.float32)
    best[posting.blocks] = posting.strengths
    own = posting.own
    for form in _forms(index, word):
        other = index.postings.of_word(index.connection, index.stamp, blocks, form, most)
        if other.whole and len(other.own):
            best[other.blocks] = np.maximum(best[other.blocks], OTHER_FORM * other.strengths)
            own = np.union1d(own, other.own)
    return best, len(own)


def _forms(index: Snapshot, word: _Word) -> list[str]:
    if not word.is_plain:
        return []
    asked = (stem(word.token), word.token, MOST_FORMS)
    return [form for (form,) in fetch(index.connection, FORMS, asked)]


def _by_neighbours(
    index: Snapshot, others: Sequence[Neighbour], most_rare: float
) -> NDArray[np.float32]:
    """How strongly each block speaks of words near in meaning, none of which counts for rarer than the word itself."""
    import numpy as np

    blocks = index.table
    best = np.zeros(len(blocks.notes), dtype=np.float32)
    for other in others:
        posting = index.postings.of_word(
            index.connection, index.stamp, blocks, other.word, MOST_NEAR_PLACES
        )
        if posting.whole and len(posting.own):
            weight = rarity(blocks.total, len(posting.own))
            if most_rare:
                weight = min(weight, most_rare)
            share = NEAR_WORD * other.cosine * weight
            best[posting.blocks] = np.maximum(best[posting.blocks], share * posting.strengths)
    return best


def rarity(blocks: int, held: int) -> float:
    """BM25's weight of a word that so many of the blocks hold; 0 for one that none holds."""
    return max(1e-6, math.log((blocks - held + 0.5) / (held + 0.5))) if held else 0.0


def lifted(index: Snapshot, scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """The scores with each block that matches lifted by the best of its note."""
    import numpy as np

    notes = index.table.notes
    found = np.flatnonzero(scores)
    if len(found) > WEIGHED:
        found = found[np.argpartition(-scores[found], WEIGHED - 1)[:WEIGHED]]
    order = found[np.lexsort((-scores[found], notes[found]))]
    owners = notes[order]
    firsts = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
    sizes = np.diff(np.append(firsts, len(order)))
    place = np.arange(len(order)) - np.repeat(firsts, sizes)
    counted = np.where(place < BEST_OF_NOTE, scores[order], 0)
    out = scores.copy()
    if len(order):
        out[order] += NOTE_SHARE * np.repeat(np.add.reduceat(counted, firsts), sizes)
    return out
