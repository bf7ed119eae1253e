"""The words of the word index, by stem and with their place in the space of meanings: ``notes_words``.

A word is only ever added; one that has left the notes finds nothing and goes with the next rebuild. Which words there
are is therefore no proof of anything, and ``verify`` does not compare them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import apsw

from vaultmem.errors import EmbedderError
from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.stems import stem
from vaultmem.index.terms import CJK_RUN
from vaultmem.notes.letters import LETTER

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from vaultmem.embed.static import StaticEmbedder
    from vaultmem.index.writer import FileContent

DIMENSIONS: Final = 128
"""Components that are kept of a word's vector: the model was trained so that its first ones serve alone."""

LONGEST_MEANT: Final = 24
"""Letters; a longer word has no vector."""

BATCH: Final = 8192

ALL_TERMS = "SELECT term FROM notes_fts_terms"
COUNT = "SELECT count(*) FROM notes_words"
HAS_WORD = "SELECT EXISTS (SELECT 1 FROM notes_words WHERE stem = ? AND term = ?)"
PUT_WORD = "INSERT OR IGNORE INTO notes_words (stem, term, vector) VALUES (?, ?, ?)"
PUT_EPOCH = """
INSERT INTO index_meta VALUES ('words_epoch', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""

_WORD = re.compile(f"{LETTER}+")


def has_meaning(term: str) -> bool:
    """Whether a word of the index gets a vector: three to 24 letters of a script with words."""
    return 3 <= len(term) <= LONGEST_MEANT and term.isalpha() and not CJK_RUN.match(term)


def fill_words(connection: apsw.Connection) -> None:
    """Writes the words of an index that has none yet. Call inside the transaction that builds it."""
    connection.execute(PUT_EPOCH, (int.from_bytes(os.urandom(6), "big"),))
    _put(connection, [term for (term,) in fetch(connection, ALL_TERMS)])


def add_words(connection: apsw.Connection, contents: Iterable[FileContent]) -> None:
    """Adds the words of those files that are new to the index. Call inside the transaction that adds the files."""
    seen: set[str] = set()
    for content in contents:
        for block in content.rows.blocks:
            for cell in block.words:
                seen.update(_WORD.findall(str(cell)))
    if seen and not fetch_int(connection, COUNT):
        connection.execute(PUT_EPOCH, (int.from_bytes(os.urandom(6), "big"),))
    new = sorted(w for w in seen if not fetch_int(connection, HAS_WORD, (stem(w), w)))
    _put(connection, new)


def _put(connection: apsw.Connection, terms: Sequence[str]) -> None:
    for start in range(0, len(terms), BATCH):
        part = terms[start : start + BATCH]
        vectors = _vectors([term for term in part if has_meaning(term)])
        connection.executemany(PUT_WORD, [(stem(t), t, vectors.get(t)) for t in part])


def _vectors(terms: Sequence[str]) -> dict[str, bytes]:
    """The vector of each word; none when the model's files are missing: words then have no neighbours."""
    if not terms:
        return {}
    try:
        rows = word_vectors(terms)
    except EmbedderError:
        return {}
    return {term: row.astype("<f2").tobytes() for term, row in zip(terms, rows, strict=True)}


@cache
def _embedder() -> StaticEmbedder:
    from vaultmem.embed.static import StaticEmbedder

    return StaticEmbedder.load()


def is_common_word(word: str) -> bool:
    """Whether people write that word, whatever the notes hold; False when the static model is missing."""
    try:
        return _embedder().is_word(word)
    except EmbedderError:
        return False


def word_vectors(terms: Sequence[str]) -> NDArray[float32]:
    """Unit rows of ``DIMENSIONS`` for words, by the static model whatever model embeds the notes. Raises
    EmbedderError."""
    import numpy as np

    rows = _embedder().embed_documents(terms)[:, :DIMENSIONS]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    unit: NDArray[float32] = rows / lengths
    return unit
