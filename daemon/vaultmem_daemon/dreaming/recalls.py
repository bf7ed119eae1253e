"""Who asked for what: the log of questions, as the dream weighs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vaultmem.dream.probes import Probe, recall_probes
from vaultmem.evolution import Recall, Recaller
from vaultmem.files.recalls import RecallLog


@dataclass(frozen=True, slots=True)
class Recalls:
    """By path of a note, as it is called now."""

    queries: Mapping[str, tuple[Recall, ...]]
    last_ns: Mapping[str, int]


def read_recalls(root: Path, successors: Mapping[str, str]) -> Recalls:
    """What people and agents asked; a note that supersedes another one has that one's recalls, too."""
    queries: dict[str, list[Recall]] = {}
    last: dict[str, int] = {}
    for entry in RecallLog(root).read():
        by = _recaller(entry.by)
        if by is Recaller.DREAM:
            continue
        for path in dict.fromkeys(path for path in entry.paths):
            for held in {path, successors.get(path, path)}:
                queries.setdefault(held, []).append(Recall(entry.query, by))
                last[held] = max(last.get(held, 0), entry.time_ns)
    return Recalls({path: tuple(found) for path, found in queries.items()}, last)


def asked_probes(root: Path) -> list[Probe]:
    """The questions that people and agents really asked, as probes, the latest first."""
    entries = RecallLog(root).read()
    return recall_probes((e.query, _recaller(e.by), e.paths) for e in entries)


def _recaller(word: str) -> Recaller:
    try:
        return Recaller(word)
    except ValueError:
        return Recaller.DREAM  # unknown ones must not speak for a note
