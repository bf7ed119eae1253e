"""The floor that search is measured against: plain BM25, one row an item, any word, nothing else."""

from __future__ import annotations

import re

import apsw

from vaultmem.bench.sets import Question, RetrievalSet
from vaultmem.index.terms import cjk_grams, fold, split_runs, without_cjk

CREATE = "CREATE VIRTUAL TABLE items USING fts5 (title, text, scope UNINDEXED)"
ASK = """
SELECT rowid FROM items WHERE items MATCH :match AND (:scope = '' OR scope = :scope)
ORDER BY bm25(items), rowid LIMIT 10
"""

_WORD = re.compile(r"[^\W_]+")


class PlainBm25:
    """SQLite's own, at its default weights; Chinese, Japanese and Korean in pairs of characters, or it finds nothing."""

    def __init__(self, retrieval_set: RetrievalSet) -> None:
        self._ids = [item.id for item in retrieval_set.items]
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(CREATE)
        with self._connection:
            self._connection.executemany(
                "INSERT INTO items (rowid, title, text, scope) VALUES (?, ?, ?, ?)",
                [
                    (number, _cut(item.title), _cut(item.text), item.scope)
                    for number, item in enumerate(retrieval_set.items)
                ],
            )

    def ask(self, question: Question) -> list[str]:
        """The ten best items."""
        words: list[str] = []
        for piece in fold(question.text).split():
            for part, is_cjk in split_runs(piece):
                pairs = [part[i : i + 2] for i in range(len(part) - 1)] or [part]
                words += pairs if is_cjk else _WORD.findall(part)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        found = self._connection.execute(ASK, {"match": match, "scope": question.scope})
        return [self._ids[int(row[0])] for row in found]


def _cut(text: str) -> str:
    folded = fold(text)
    return f"{without_cjk(folded)} {cjk_grams(folded)}"
