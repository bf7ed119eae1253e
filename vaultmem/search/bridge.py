"""The vocabulary bridge: words of the vault that are near in meaning to a word of the query.

Pooled over a passage the static model is a weak judge; word by word it is a good one. The vectors of the vault's
words lie in the index; they are loaded once and then only added to.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import apsw

from vaultmem.errors import EmbedderError
from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.stems import stem
from vaultmem.index.words import DIMENSIONS, has_meaning, word_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

NEAREST: Final = 8
"""Words that a word of the query may stand for."""

LIKENESS: Final = 0.5
"""Cosine from which on a word counts as near."""

LOOKED_AT: Final = 40
"""Words, nearest first, among which other forms of the word itself are passed over."""

MOST_WORDS: Final = 150_000
"""Words of the vault that are loaded, 512 bytes each; a vault has more only when it holds much that is no prose."""

REMEMBERED: Final = 20_000
"""Words whose neighbours are remembered."""

EPOCH = "SELECT value FROM index_meta WHERE key = 'words_epoch'"
LAST = "SELECT coalesce(max(id), 0) FROM notes_words"
WORDS = "SELECT term, vector FROM notes_words WHERE id > ? AND vector IS NOT NULL LIMIT ?"


class Neighbour(NamedTuple):
    """A word of the vault."""

    word: str
    cosine: float


class _Loaded(NamedTuple):
    epoch: int
    last: int
    words: list[str]
    rows: NDArray[np.float32]


class Vocabulary:
    """The words of one index with their vectors; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: _Loaded | None = None
        self._known: dict[str, tuple[Neighbour, ...]] = {}

    def neighbours(
        self, connection: apsw.Connection, words: Sequence[str]
    ) -> dict[str, tuple[Neighbour, ...]]:
        """For each of the words those of the vault that are near in meaning and no form of it, nearest first; none
        for what has no meaning by itself, and when the model is missing."""
        asked = [word for word in dict.fromkeys(words) if has_meaning(word)]
        if not asked:
            return {}
        with self._lock:
            loaded = self._current(connection)
            new = [word for word in asked if word not in self._known]
            if new:
                self._known.update(_nearest(loaded, new))
            return {word: self._known.get(word, ()) for word in asked}

    def _current(self, connection: apsw.Connection) -> _Loaded:
        import numpy as np

        epoch, last = fetch_int(connection, EPOCH), fetch_int(connection, LAST)
        loaded = self._loaded
        if loaded is not None and (loaded.epoch, loaded.last) == (epoch, last):
            if len(self._known) > REMEMBERED:
                self._known = {}
            return loaded
        if loaded is None or loaded.epoch != epoch or last < loaded.last:
            loaded = _Loaded(epoch, 0, [], np.zeros((0, DIMENSIONS), dtype=np.float32))
        found = fetch(connection, WORDS, (loaded.last, MOST_WORDS - len(loaded.words)))
        rows = np.frombuffer(b"".join(blob for _, blob in found), dtype="<f2")
        self._loaded = _Loaded(
            epoch,
            last,
            loaded.words + [word for word, _ in found],
            np.concatenate((loaded.rows, rows.reshape(-1, DIMENSIONS).astype(np.float32))),
        )
        self._known = {}
        return self._loaded


def _nearest(loaded: _Loaded, words: Sequence[str]) -> dict[str, tuple[Neighbour, ...]]:
    import numpy as np

    if not loaded.words:
        return {}
    try:
        wanted = word_vectors(words)
    except EmbedderError:
        return {}
    cosines = wanted @ loaded.rows.T
    count = min(LOOKED_AT, len(loaded.words))
    out = {}
    for word, row in zip(words, cosines, strict=True):
        top = np.argpartition(-row, count - 1)[:count]
        near = sorted((float(row[i]), loaded.words[i]) for i in top if row[i] >= LIKENESS)
        own = stem(word)
        others = [
            Neighbour(other, cosine) for cosine, other in reversed(near) if stem(other) != own
        ]
        out[word] = tuple(others[:NEAREST])
    return out
