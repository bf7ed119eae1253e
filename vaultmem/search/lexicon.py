"""The words of an index in order, kept in memory from the first word on that stands in no note."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from vaultmem.index.connection import fetch, fetch_one

if TYPE_CHECKING:
    import apsw

# Changes when words are added; those that left the notes stay until the next rebuild.
STATE = """
SELECT (SELECT value FROM index_meta WHERE key = 'words_epoch'), (SELECT max(id) FROM notes_words)
"""
WORDS = "SELECT term FROM notes_words ORDER BY term"


class Lexicon:
    """The words of one index in order; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._state: tuple[object, ...] | None = None
        self._words: list[str] = []
        self._known: frozenset[str] = frozenset()

    def words(self, connection: apsw.Connection) -> tuple[list[str], frozenset[str]]:
        """All words, also those that have left the notes since the last rebuild; ascending, and as a set."""
        with self._lock:
            state = fetch_one(connection, STATE)
            if state != self._state:
                self._words = [word for (word,) in fetch(connection, WORDS)]
                self._known = frozenset(self._words)
                self._state = state
            return self._words, self._known
