"""Runs: a retrieval set through the real index and the real search, and questions with known answers on a vault."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vaultmem.bench.as_vault import Written, folder_of, write_vault
from vaultmem.bench.measures import judge, mean
from vaultmem.bench.plain import PlainBm25
from vaultmem.bench.sets import Question, RetrievalSet
from vaultmem.errors import UsageError
from vaultmem.index.source import Progress, no_progress
from vaultmem.places import user_cache_path
from vaultmem.search.model import Lane
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

MOST_BLOCKS = 40
"""Blocks that are asked for, of which several may belong to one item."""


@dataclass(frozen=True, slots=True)
class WayOutcome:
    """How one way of searching fared."""

    way: str
    """``search``, ``plain BM25``, or a lane."""
    overall: Mapping[str, float]
    """Each measure, 0 to 1, over all questions."""
    by_category: Mapping[str, Mapping[str, float]]
    """The same for the questions of each category."""
    queries: int
    """Questions asked."""
    ms_per_query: float
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class BenchReport:
    """How well search found, and what else was asked the same."""

    name: str
    """Of the set."""
    items: int
    """What there was to find."""
    queries: int
    """Questions with a judgement."""
    embedder: str
    """The embedding model."""
    profile: str
    """The constants of the ranking."""
    lanes: tuple[str, ...]
    """The lanes that could run."""
    overall: Mapping[str, float]
    """Each measure, 0 to 1, over all questions."""
    by_category: Mapping[str, Mapping[str, float]]
    """The same for the questions of each category."""
    ms_per_query: float
    """Milliseconds, the embedding of the question included."""
    beside: tuple[WayOutcome, ...]
    """Plain BM25 and each single lane, on the same questions in the same run."""


def _report(
    name: str,
    items: int,
    embedder: str,
    profile: str,
    lanes: Sequence[Lane] | None,
    outcomes: Sequence[WayOutcome],
) -> BenchReport:
    own, *beside = outcomes
    return BenchReport(
        name,
        items,
        own.queries,
        embedder,
        profile,
        tuple(str(lane) for lane in (lanes if lanes is not None else Lane)),
        own.overall,
        own.by_category,
        own.ms_per_query,
        tuple(beside),
    )


@contextmanager
def set_as_vault(
    retrieval_set: RetrievalSet, embedder: str, progress: Progress = no_progress
) -> Iterator[tuple[Vault, Written]]:
    """The set, written as a vault into a temporary folder and indexed there; models are the user's."""
    with tempfile.TemporaryDirectory(prefix="vaultmem-bench-") as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        written = write_vault(root, retrieval_set)
        settings = Settings(embed=EmbedSettings(model=embedder))
        with Vault(root, settings, cache_root=user_cache_path()) as vault:
            vault.rebuild(progress=progress)
            yield vault, written


def bench_set(
    retrieval_set: RetrievalSet,
    *,
    embedder: str,
    profile: str = "default",
    lanes: Sequence[Lane] | None = None,
    progress: Progress = no_progress,
) -> BenchReport:
    """The set through search; without ``lanes`` also through each single lane and through plain BM25."""
    with set_as_vault(retrieval_set, embedder, progress) as (vault, written):
        ways: list[tuple[str, Callable[[Question], list[str]]]] = [
            ("search", asker(vault, written, profile, lanes))
        ]
        if lanes is None:
            ways.append(("plain BM25", PlainBm25(retrieval_set).ask))
            ways += [(str(lane), asker(vault, written, profile, [lane])) for lane in Lane]
        outcomes = []
        for number, (way, ask) in enumerate(ways):
            outcomes.append(outcome(way, retrieval_set, ask))
            progress("ask", number + 1, len(ways))
    return _report(retrieval_set.name, len(retrieval_set.items), embedder, profile, lanes, outcomes)


def asker(
    vault: Vault, written: Written, profile: str, lanes: Sequence[Lane] | None
) -> Callable[[Question], list[str]]:
    """A function that asks the vault and says which items were found."""

    def ask(question: Question) -> list[str]:
        within = folder_of(question.scope)
        if written.by_block:
            facts, _ = vault.retrieve_with_trace(
                question.text,
                limit=MOST_BLOCKS,
                lanes=lanes,
                profile=profile,
                within=within,
                sync=False,
            )
            found = [written.item_at(fact.path, fact.line) for fact in facts]
        else:
            answer = vault.search(
                question.text, limit=10, lanes=lanes, profile=profile, within=within, sync=False
            )
            found = [
                written.item_at(path, 0) for hit in answer.hits for path in (hit.path, *hit.also)
            ]
        return list(dict.fromkeys(item for item in found if item is not None))[:10]

    return ask


def outcome(
    way: str, retrieval_set: RetrievalSet, ask: Callable[[Question], list[str]]
) -> WayOutcome:
    """All questions of the set asked one way."""
    began = time.perf_counter()
    found = [ask(question) for question in retrieval_set.questions]
    seconds = time.perf_counter() - began
    judged = [
        (question.category, judge(items, retrieval_set.grades[question.id]))
        for question, items in zip(retrieval_set.questions, found, strict=True)
    ]
    return _outcome(way, judged, seconds)


def _outcome(
    way: str, judged: Sequence[tuple[str, Mapping[str, float]]], seconds: float
) -> WayOutcome:
    categories = sorted({category for category, _ in judged if category})
    return WayOutcome(
        way,
        mean([one for _, one in judged]),
        {name: mean([one for category, one in judged if category == name]) for name in categories},
        len(judged),
        1000 * seconds / len(judged),
    )


def bench_queries(
    vault: Vault, path: Path, *, profile: str = "default", lanes: Sequence[Lane] | None = None
) -> BenchReport:
    """Questions with known notes on a vault as it is: a JSON line each, with ``id``, ``query``, ``paths`` and perhaps
    ``kind``. Raises UsageError when the file holds none."""
    rows = list(_query_rows(path))
    vault.sync()
    known = {note for note, _ in vault.block_places().values()}
    for query, paths, _ in rows:
        if unknown := sorted(set(paths) - known):
            raise UsageError(
                f"{path} names a note that there is not: {unknown[0]} (query {query!r}).",
                hint="Paths are those in the vault, as `vaultmem search --json` tells them.",
            )
    chosen: list[tuple[str, Sequence[Lane] | None]] = [("search", lanes)]
    if lanes is None:
        chosen += [(str(lane), [lane]) for lane in Lane]
    outcomes = []
    for way, which in chosen:
        began = time.perf_counter()
        judged = []
        for query, paths, kind in rows:
            hits = vault.search(query, limit=10, lanes=which, profile=profile, sync=False).hits
            found = [path for hit in hits for path in (hit.path, *hit.also)]
            judged.append((kind, judge(found, dict.fromkeys(paths, 1))))
        outcomes.append(_outcome(way, judged, time.perf_counter() - began))
    notes = vault.status().notes
    return _report(path.stem, notes, vault.settings.embed.model, profile, lanes, outcomes)


def _query_rows(path: Path) -> Iterable[tuple[str, list[str], str]]:
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        found = [_query_row(row) for row in rows]
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from error
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path} is no list of questions: {error!r}.",
            hint='A line is {"id": …, "query": …, "paths": […], "kind": …}.',
        ) from error
    if not found:
        raise UsageError(f"{path} holds no question.")
    return found


def _query_row(row: Mapping[str, object]) -> tuple[str, list[str], str]:
    """Query, paths and kind. Raises KeyError, TypeError or ValueError for what is none."""
    query, paths = row["query"], row["paths"]
    if not isinstance(query, str) or not isinstance(paths, list) or not paths:
        raise ValueError(row)
    if not all(isinstance(each, str) for each in paths):
        raise ValueError(row)
    return query, paths, str(row.get("kind") or "")
