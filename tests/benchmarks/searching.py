"""How quick warm searches are, in one process, beside floors measured in the same run.

    python -m tests.benchmarks.searching [--notes 10000 …] [--queries N] [--work DIR]

A thousand mixed queries: questions, titles, rare words, two words, phrases, words of no note, common words, filters.
The floors are SQLite's own ranking of the same words (``bm25()``, first ten) and a bare product of all vectors with the
question's. A generated note has 2.6 passages. Exit code 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np
import psutil

from tests.benchmarks.__main__ import make_vault, seconds
from tests.benchmarks.measure import percentile
from tests.benchmarks.tasks import open_bench_vault
from vaultmem.embed.static import StaticEmbedder
from vaultmem.index.connection import fetch
from vaultmem.index.stored_vectors import stored_vectors
from vaultmem.search.model import Lane
from vaultmem.search.query import match_any, parse_query
from vaultmem.vault import Vault

WARM = 40
"""Queries before any is timed."""

SMALL = 10_000
"""Notes of the vault that most targets are set for."""

KEYWORD_LIMITS = {
    "rare word": 0.003,
    "two words": 0.003,
    "phrase": 0.003,
    "no hit": 0.003,
    "common word": 0.011,
}
"""Seconds of the median with ``SMALL`` notes."""

COMMON = ("the", "and", "a note", "is")


class Query(NamedTuple):
    """One thing to ask."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    half: float
    """Seconds, the median."""
    most: float
    """Seconds, the 95th percentile."""
    floor: str = ""
    target: str = ""
    reached: bool | None = None

    def told(self) -> str:
        """The line in Markdown."""
        mark = {True: "yes", False: "**no**", None: ""}[self.reached]
        cells = (self.what, seconds(self.half), seconds(self.most), self.floor, self.target, mark)
        return f"| {' | '.join(cells)} |"


def mixed_queries(root: str, connection: apsw.Connection, count: int) -> list[Query]:
    """Queries of every kind, as many of each, in an order that a seed gives."""
    truth = json.loads(Path(f"{root}.truth.json").read_text("utf-8"))
    chosen = random.Random(11)
    titles = [path.rpartition("/")[2][:-3] for path in truth["notes"]]
    rare = [w for (w,) in fetch(connection, "SELECT term FROM notes_fts_terms WHERE doc = 3")]
    usual = "SELECT term FROM notes_fts_terms WHERE doc BETWEEN 50 AND 2000 AND length(term) > 3"
    words = [w for (w,) in fetch(connection, usual) if w.isalpha()]
    makers: dict[str, Callable[[], str]] = {
        "question": lambda: str(chosen.choice(truth["needles"])["query"]),
        "title": lambda: chosen.choice(titles),
        "rare word": lambda: chosen.choice(rare),
        "two words": lambda: f"{chosen.choice(words)} {chosen.choice(words)}",
        "phrase": lambda: f'"{" ".join(chosen.choice(titles).split()[:2])}"',
        "no hit": lambda: "qz" + "".join(chosen.choice("xwvkjq") for _ in range(8)),
        "common word": lambda: chosen.choice(COMMON),
        "filter": lambda: f"{chosen.choice(words)} path:a",
    }
    each = -(-count // len(makers))
    queries = [Query(kind, make()) for kind, make in makers.items() for _ in range(each)]
    chosen.shuffle(queries)
    return queries[:count]


def times(ask: Callable[[str], object], queries: Sequence[Query]) -> list[float]:
    """Seconds for each, sorted."""
    for query in queries[:WARM]:
        ask(query.text)
    found = []
    for query in queries:
        began = time.perf_counter()
        ask(query.text)
        found.append(time.perf_counter() - began)
    return sorted(found)


def row(
    what: str,
    found: list[float],
    *,
    floor: str = "",
    half: float | None = None,
    most: float | None = None,
) -> Row:
    """The line of some times; ``half`` and ``most`` are the limits of the median and the 95th percentile, seconds."""
    p50, p95 = percentile(found, 0.5), percentile(found, 0.95)
    limits = [("p50", p50, half), ("p95", p95, most)]
    targets = [f"{name} ≤ {seconds(limit)}" for name, _, limit in limits if limit is not None]
    reached = all(found <= limit for _, found, limit in limits if limit is not None)
    return Row(what, p50, p95, floor, ", ".join(targets), reached if targets else None)


def floors(
    connection: apsw.Connection, queries: Sequence[Query]
) -> tuple[list[float], list[float], list[float]]:
    """Times of SQLite's own ranking, of a bare product of all vectors, and of the embedding of the question."""
    ranked = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? ORDER BY bm25(notes_fts) LIMIT 10"

    def by_words(text: str) -> None:
        terms = parse_query(text).terms
        if terms:
            fetch(connection, ranked, (match_any(terms),))

    embedder = StaticEmbedder.load()
    rows = np.concatenate([some.rows for some in stored_vectors(connection, embedder.dim)])
    questions = {q.text: embedder.embed_query(q.text) for q in queries}

    def by_vectors(text: str) -> None:
        cosines = rows @ questions[text]
        np.argpartition(-cosines, 10)

    return (
        times(by_words, queries),
        times(by_vectors, queries),
        times(embedder.embed_query, queries),
    )


def measure(root: str, notes: int, count: int) -> tuple[str, list[Row]]:
    """What was searched, in words, and all lines of one vault."""
    with open_bench_vault(root) as vault:
        if not vault.index_path.exists():
            vault.rebuild()
        vault.sync()
        index = str(vault.index_path)
    connection = apsw.Connection(index, flags=apsw.SQLITE_OPEN_READONLY)
    queries = mixed_queries(root, connection, count)
    (blocks,) = fetch(connection, "SELECT count(*) FROM notes_blocks")[0]
    by_words, by_vectors, embedding = floors(connection, queries)
    floor = (
        f"bm25 p95 {seconds(percentile(by_words, 0.95))}, "
        f"product p95 {seconds(percentile(by_vectors, 0.95))}"
    )
    connection.close()
    before = resident()
    with open_bench_vault(root) as vault:
        began = time.perf_counter()
        vault.search(queries[0].text, sync=False)
        first = time.perf_counter() - began
        rows = warm_rows(vault, queries, notes, blocks, floor)
    limit = 0.3 if notes == SMALL else None
    rows.append(row("first search after opening", [first], half=limit))
    rows.append(row("the embedding of a question alone", embedding))
    what = f"{notes:,} notes, {blocks:,} passages; the searches took {resident() - before:.0f} MB of memory"
    return what, rows


def warm_rows(
    vault: Vault, queries: Sequence[Query], notes: int, blocks: int, floor: str
) -> list[Row]:
    """Of the process that has searched before."""
    most = 0.015 if notes == SMALL else 0.05 if blocks < 150_000 else None
    hybrid = times(lambda text: vault.search(text, sync=False), queries)
    rows = [row("hybrid, all kinds", hybrid, floor=floor, most=most)]
    why = times(lambda text: vault.search(text, sync=False, why=True), queries)
    rows.append(row("hybrid with its trace (`--why`)", why, half=2 * percentile(hybrid, 0.5)))
    for kind in dict.fromkeys(query.kind for query in queries):
        own = [query for query in queries if query.kind == kind]
        found = times(lambda text: vault.search(text, lanes=[Lane.KEYWORD], sync=False), own)
        half = KEYWORD_LIMITS.get(kind) if notes == SMALL else None
        rows.append(row(f"keyword, {kind}", found, half=half))
    return rows


def resident() -> float:
    """Memory of this process, MB."""
    return psutil.Process().memory_info().rss / 1e6


def main() -> int:
    """Prints the tables; exit code 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=int, nargs="+", default=[10_000, 40_000])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    missed = False
    for notes in options.notes:
        what, rows = measure(make_vault(options.work.resolve(), notes), notes, options.queries)
        print(
            f"\n{what}\n\n| search | p50 | p95 | floor | target | reached |\n|---|---:|---:|---|---|---|"
        )
        for each in rows:
            print(each.told())
            missed |= each.reached is False
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
