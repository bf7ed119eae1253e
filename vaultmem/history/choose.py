"""Which events a person means: by id, by the beginning of one, ``last``, or a cycle's name, with ``cycle:`` before it or
without."""

from __future__ import annotations

import heapq
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from vaultmem.errors import NotFoundError, UsageError
from vaultmem.files.events import FOLLOWS, EventKind, MemoryEvent
from vaultmem.files.journal import Journal

LAST: Final = "last"
CYCLE: Final = "cycle:"
"""Before a cycle's name, where no event's id is meant; ``cycle:last`` is the last one that stands."""

_NO_CHANGE: Final = frozenset((EventKind.LET_GO, EventKind.CYCLE, EventKind.RECALLED))
_NAMED: Final = "`vaultmem dream list` names the last cycles."
_SHOWN: Final = 5
_LIKE: Final = 6
"""Characters that an id must have in common with a word to be meant by it perhaps."""


@dataclass(slots=True)
class Chosen:
    """The events that are meant, and what came after the oldest of them."""

    events: list[MemoryEvent] = field(default_factory=list)
    """Newest first."""
    optional: set[str] = field(default_factory=set)
    """Ids that only a cycle's name stands for: what of it was undone already is left out, and what a hand changed since
    stays."""
    seen: list[MemoryEvent] = field(default_factory=list)
    """The chosen events and every newer one that moved something, newest first."""
    undone_by: dict[str, str] = field(default_factory=dict)
    """Id → the event that took it back and was not taken back itself."""

    def see(self, event: MemoryEvent) -> None:
        """Remembers what a newer event did to older ones; events come newest first."""
        if event.id not in self.undone_by:
            for taken_back in event.undone:
                self.undone_by.setdefault(taken_back, event.id)


def choose(journal: Journal, words: Sequence[str]) -> Chosen:
    """The events that the words mean, each once.

    Raises NotFoundError for a word that means none, with close ids; UsageError for a beginning that several
    ids have.
    """
    if list(words) == [LAST]:
        return _last(journal)
    ids, cycles = _ids_of(journal, words)
    chosen = _read(journal, ids)
    chosen.optional = cycles
    return chosen


def _last(journal: Journal) -> Chosen:
    """This device's last change that stands: no undo, no hand edit, and nothing that only follows another change."""
    chosen = Chosen()
    for event in journal.newest():
        chosen.see(event)
        skipped = (
            event.kind in _NO_CHANGE
            or event.kind is EventKind.EDITED_BY_HAND
            or FOLLOWS in event.extra
        )
        if event.changes and not event.undone and event.id not in chosen.undone_by and not skipped:
            chosen.events.append(event)
            chosen.seen.append(event)
            return chosen
        _remember_move(chosen, event)
    raise NotFoundError(
        "There is nothing to undo: vaultmem has changed nothing on this machine that still stands."
    )


def _ids_of(journal: Journal, words: Sequence[str]) -> tuple[set[str], set[str]]:
    """The ids of the events that the words mean, and of those the ones that only a cycle's name stands for."""
    search = _Search([_named(journal, word.strip()) for word in words])
    for event in journal.backward(search.in_line):
        search.take(event)
    ids: set[str] = set()
    cycles: set[str] = set()
    for word in search.words:
        if word == LAST:
            ids.add(_last(journal).events[0].id)
            continue
        found = search.found[word]
        exact = [event for event in found if event == word]
        begin = [event for event in found if event.startswith(word)]
        if exact:
            ids.update(exact)
        elif word.startswith(CYCLE):
            if not found:
                raise NotFoundError(
                    f"No cycle {word.removeprefix(CYCLE)!r} changed anything.", hint=_NAMED
                )
            cycles.update(found)
        elif len(begin) > 1:
            shown = ", ".join(begin[:_SHOWN]) + (", …" if len(begin) > _SHOWN else "")
            raise UsageError(f"{len(begin)} events begin with {word!r}.", hint=f"They are: {shown}")
        elif begin:
            ids.update(begin)
        elif found:
            cycles.update(found)
        else:
            raise NotFoundError(f"There is no event {word!r}.", hint=_close(journal, word))
    return ids | cycles, cycles - ids


def _named(journal: Journal, word: str) -> str:
    """The word, with a cycle's own name in it where it is ``cycle:last``: that of the last one that changed something
    and was not undone."""
    if word != CYCLE + LAST:
        return word
    seen = Chosen()
    for event in journal.backward(lambda line: b'"cycle":"' in line or b'"undoes":' in line):
        seen.see(event)
        if event.cycle and event.changes and event.id not in seen.undone_by:
            return CYCLE + event.cycle
    raise NotFoundError("There is no cycle that changed anything and still stands.", hint=_NAMED)


class _Search:
    """Ids by word: of events whose id begins with it, and of those of a cycle of that name."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(dict.fromkeys(words))
        if not all(self.words):
            raise UsageError("An empty word names no event.", hint="`vaultmem history` lists them.")
        self.found: dict[str, list[str]] = {word: [] for word in self.words}
        names = [word.removeprefix(CYCLE) for word in self.words]
        self._needles = [
            *(b'"id":' + _quoted(word)[:-1] for word in self.words),
            *(b'"cycle":' + _quoted(name) for name in names),
        ]

    def in_line(self, line: bytes) -> bool:
        return any(needle in line for needle in self._needles)

    def take(self, event: MemoryEvent) -> None:
        for word, ids in self.found.items():
            name = word.removeprefix(CYCLE)
            if event.id.startswith(word) or (event.cycle == name and event.changes):
                ids.append(event.id)


def _quoted(word: str) -> bytes:
    return json.dumps(word, ensure_ascii=False).encode()


def _read(journal: Journal, ids: set[str]) -> Chosen:
    chosen = Chosen()
    open_ids = set(ids)
    marks = (b'"to":', b'"undoes":', *(f'"id":"{event}"'.encode() for event in ids))
    for event in journal.backward(lambda line: any(mark in line for mark in marks)):
        chosen.see(event)
        if event.id in ids:
            chosen.events.append(event)
            chosen.seen.append(event)
            open_ids.discard(event.id)
            if not open_ids:
                break
        else:
            _remember_move(chosen, event)
    return chosen


def _remember_move(chosen: Chosen, event: MemoryEvent) -> None:
    if any(change.path_after is not None for change in event.changes):
        chosen.seen.append(event)


def _close(journal: Journal, word: str) -> str:
    """The ids that have most in common with the word, at either end."""

    def likeness(event: str) -> int:
        return max(_common(event, word), 2 * _common(event[::-1], word[::-1]))

    best = heapq.nlargest(
        3, ((likeness(event.id), event.id) for event in journal.backward() if event.changes)
    )
    close = [event for alike, event in best if alike >= _LIKE]
    if not close:
        return "`vaultmem history` lists the events with their ids."
    return f"Did you mean {' or '.join(close)}?"


def _common(one: str, other: str) -> int:
    """How many characters the two begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
