"""How strongly each block speaks of a word: where it stands, how often, in how long a block, and what its neighbours in
the note say. Remembered word by word until the index changes.

The measure is BM25's share of one word without its rarity: 0 for a block that does not speak of it, less than
``K1 + 1`` for one that speaks of nothing else. A word in the block before counts, too, since a question stands before
its answer; one in the block behind counts half of that.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem.index.connection import fetch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.index.meta import Stamp
    from vaultmem.search.blocks import Blocks

K1: Final = 0.9
"""How soon more of the same word stops to count."""

B: Final = 0.5
"""How much a long block has to say more often what a short one says once."""

COLUMN_WEIGHTS: Final = {
    "title": 3.0,
    "aliases": 3.0,
    "headings": 2.0,
    "tags": 2.0,
    "body": 1.0,
    "cjk": 1.0,
}
"""How often a word in the body would have to stand to count as much."""

LENT: Final = {"body": 1.0, "cjk": 1.0}
"""Of which columns a neighbour's words count."""

NEIGHBOURS: Final = ((1, 0.4), (-1, 0.2), (2, 0.2), (-2, 0.1))
"""What a word in the body of one block counts for the block so many places on, in the same note."""

MOST_REMEMBERED: Final = 4_000_000
"""Entries (a word in a block) that are remembered; past it the memory is begun anew. 8 bytes each."""

PLACES = "SELECT doc, col FROM notes_fts_places WHERE term = ? LIMIT ?"
WITH_PHRASE = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? LIMIT ?"


class Posting(NamedTuple):
    """One word, or words in a row, in the blocks of one index."""

    blocks: NDArray[np.int32]
    """Blocks that speak of it, themselves or by a neighbour, ascending."""
    strengths: NDArray[np.float32]
    own: NDArray[np.int32]
    """Blocks in which it stands."""
    read: int
    """Places that were read, at most."""
    whole: bool
    """Whether these are all."""


class Postings:
    """The words of one index; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stamp: Stamp | None = None
        self._known: dict[str, Posting] = {}
        self._size = 0

    def of_word(
        self, connection: apsw.Connection, stamp: Stamp, blocks: Blocks, word: str, most: int
    ) -> Posting:
        """The blocks with that word of the index, from its first ``most`` places."""
        known = self._remembered(stamp, word)
        if known is not None and (known.whole or known.read >= most):
            return known
        rows = fetch(connection, PLACES, (word, most))
        return self._keep(stamp, word, _posting(blocks, rows, most))

    def of_phrase(
        self, connection: apsw.Connection, stamp: Stamp, blocks: Blocks, match: str, most: int
    ) -> Posting:
        """The first ``most`` blocks that satisfy an expression of words in a row."""
        known = self._remembered(stamp, match)
        if known is not None and (known.whole or known.read >= most):
            return known
        rows = [(row, "body") for (row,) in fetch(connection, WITH_PHRASE, (match, most))]
        return self._keep(stamp, match, _posting(blocks, rows, most))

    def _remembered(self, stamp: Stamp, key: str) -> Posting | None:
        with self._lock:
            if stamp != self._stamp or self._size > MOST_REMEMBERED:
                self._stamp, self._known, self._size = stamp, {}, 0
            return self._known.get(key)

    def _keep(self, stamp: Stamp, key: str, posting: Posting) -> Posting:
        with self._lock:
            if stamp == self._stamp:  # another thread may have gone on to another state meanwhile
                self._known[key] = posting
                self._size += len(posting.blocks) + len(posting.own)
        return posting


def _posting(blocks: Blocks, rows: list[tuple[int, str]], most: int) -> Posting:
    import numpy as np

    whole = len(rows) < most

    count = len(rows)
    docs = np.fromiter((row[0] for row in rows), np.int32, count)
    weights = np.fromiter((COLUMN_WEIGHTS[row[1]] for row in rows), np.float32, count)
    in_text = np.fromiter((LENT.get(row[1], 0.0) for row in rows), np.float32, count)
    if count and (docs.max() >= len(blocks.notes) or not blocks.notes[docs].all()):
        raise IndexDamagedError(
            "The word index names a block that there is not.",
            hint="Run `vaultmem rebuild`; no note is touched.",
        )
    if not count:
        return Posting(docs, weights, docs, most, whole)
    own, weights = _summed(docs, weights)
    _, in_text = _summed(docs, in_text)
    parts, amounts = [own], [weights]
    notes = blocks.notes
    several = (notes[own - 1] == notes[own]) | (notes[own + 1] == notes[own])
    if several.any():
        near, text = own[several], in_text[several]
        for step, share in NEIGHBOURS:
            other = np.maximum(near + step, 0)
            same = notes[other] == notes[near]
            parts.append(other[same])
            amounts.append(share * text[same])
    found, often = _summed(np.concatenate(parts), np.concatenate(amounts))
    stands = often > 0
    found, often = found[stands], often[stands]
    strengths = often * (K1 + 1) / (often + _length_norm(blocks, found))
    return Posting(found, strengths.astype(np.float32), own, most, whole)


def _summed(
    keys: NDArray[np.int32], values: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Each key once, ascending, with the sum of its values."""
    import numpy as np

    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[firsts], np.add.reduceat(values, firsts).astype(np.float32)


def _length_norm(blocks: Blocks, found: NDArray[np.int32]) -> NDArray[np.float32]:
    """BM25's measure of each block's length, in which those of the neighbours count: they lend words, too."""
    notes, lengths = blocks.notes, blocks.lengths
    length = lengths[found].copy()
    for step in (-1, 1):
        length += lengths[found + step] * (notes[found + step] == notes[found])
    norm: NDArray[np.float32] = K1 * (1 - B + B * length / blocks.mean_length)
    return norm
