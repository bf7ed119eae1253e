"""What notes say about each other, as far as it changes an answer: which supersedes which, and which say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.terms import fold

LONGEST_CHAIN: Final = 20
"""Notes that supersede each other in a row, at most; a ring ends here, too."""
SUPERSEDED_HEADING: Final = "Superseded"
"""The heading below which a note keeps what no longer holds."""
OUTDATED_WEIGHT: Final = 0.5
"""What stands there is found, and comes behind what holds."""

# Of some blocks, those below that heading.
OUTDATED = f"""
SELECT id FROM notes_blocks WHERE id IN (SELECT value FROM json_each(?))
  AND ('\n' || heading_path || '\n') LIKE '%\n{SUPERSEDED_HEADING}\n%'
"""

SHORTEST_TWIN: Final = 30
"""Words; shorter texts are too alike by nature to be folded together."""

LIKENESS: Final = 0.9
"""Share of their words that two texts have in common when they say the same."""

HAS_SUCCESSORS = (
    "SELECT EXISTS (SELECT 1 FROM notes_links WHERE relation IN ('supersedes', 'superseded_by'))"
)
# The note that a note says it was superseded by, else one that says that it supersedes it.
SUCCESSOR = """
SELECT note FROM (
  SELECT l.target_id AS note, 0 AS place FROM notes_links AS l
  WHERE l.source_id = :id AND l.relation = 'superseded_by' AND l.target_id IS NOT NULL
  UNION ALL SELECT l.source_id, 1 FROM notes_links AS l WHERE l.target_id = :id AND l.relation = 'supersedes'
) AS s JOIN vault_files AS f ON f.id = s.note
WHERE f.kind = 'note' AND f.excluded = 0 AND s.note != :id ORDER BY place, f.path LIMIT 1
"""
PATH = "SELECT path FROM vault_files WHERE id = ?"
FIRST_BLOCK = "SELECT id FROM notes_blocks WHERE note_id = ? ORDER BY ordinal LIMIT 1"

_WORD = re.compile(r"[^\W_]+")


class Succession:
    """Which note stands for which, by the properties ``supersedes`` and ``superseded_by``."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._any: bool | None = None

    def successor(self, note: int) -> int | None:
        """The last note in the row of those that supersede it; None when none does, and in a ring."""
        if self._any is None:
            self._any = bool(fetch_int(self._connection, HAS_SUCCESSORS))
        if not self._any:
            return None
        seen = {note}
        last = note
        for _ in range(LONGEST_CHAIN):
            following = self._connection.execute(SUCCESSOR, {"id": last}).get
            if following is None:
                return last if last != note else None
            if following in seen:
                return None
            last = int(following)
            seen.add(last)
        return last

    def path(self, note: int) -> str:
        """The note's path."""
        return str(self._connection.execute(PATH, (note,)).get)

    def first_block(self, note: int) -> int:
        """The note's first block."""
        return fetch_int(self._connection, FIRST_BLOCK, (note,))


def say_the_same(text: str, others: Sequence[str]) -> int:
    """The place of the first of the other texts that says nearly the same; -1 when none does, or the text is short."""
    alike = [
        (place, other)
        for place, other in enumerate(others)
        if 0.8 * len(text) <= len(other) <= 1.25 * len(text)
    ]
    if not alike:
        return -1
    words = _words(text)
    if len(words) < SHORTEST_TWIN:
        return -1
    for place, other in alike:
        theirs = _words(other)
        if len(words & theirs) >= LIKENESS * len(words | theirs):
            return place
    return -1


def _words(text: str) -> set[str]:
    return set(_WORD.findall(fold(text)))


def outdated(connection: apsw.Connection, blocks: Iterable[int]) -> frozenset[int]:
    """Of the blocks, those that say what their note says no longer."""
    return frozenset(id_ for (id_,) in fetch(connection, OUTDATED, (json.dumps(list(blocks)),)))
