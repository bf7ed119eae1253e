"""What a watcher has to say, in words and in figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vaultmem.answers import SyncAnswer


class Did(StrEnum):
    """What a watcher's line is about."""

    STARTED = "started"
    CHANGED = "changed"
    """Edits were taken into the index."""
    WARNED = "warned"
    """Something is not as it should be; watching goes on."""
    REFUSED = "refused"
    """Most notes are gone from disk: nothing is taken in until they return or the removal is accepted (P11)."""
    DECIDED = "decided"
    """A proposal was carried out or dropped, as a person said in the review note."""
    PAUSED = "paused"
    """The vault's folder is gone."""
    RESUMED = "resumed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class WatchReport:
    """One line of a watcher; with ``--json`` each is one object in one line."""

    did: str
    """started, changed, warned, refused, decided, paused, resumed, stopped"""
    message: str
    """A sentence for a person."""
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    """(from, to)"""
    removed: tuple[str, ...] = ()
    seconds: float = 0.0
    """From the start of the sync to its end; 0 for a line that is about none."""


def changes(answer: SyncAnswer) -> WatchReport | None:
    """The line about a sync: ``3 notes changed, indexed in 41 ms``; None for one that found nothing new."""
    figures = {
        "added": answer.added,
        "changed": answer.changed,
        "moved": tuple(to for _, to in answer.moved),
        "removed": answer.removed,
    }
    found = {word: paths for word, paths in figures.items() if paths}
    if not found:
        return None
    everything = [path for paths in found.values() for path in paths]
    noun = "note" if all(path.lower().endswith(".md") for path in everything) else "file"
    first, *others = (
        f"{len(paths):,} {noun + 's' * (len(paths) != 1) + ' ' if not i else ''}{word}"
        for i, (word, paths) in enumerate(found.items())
    )
    said = f"{', '.join([first, *others])}, indexed in {_duration(answer.seconds)}"
    return WatchReport(
        Did.CHANGED,
        said,
        answer.added,
        answer.changed,
        answer.moved,
        answer.removed,
        answer.seconds,
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
