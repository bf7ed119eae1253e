"""What the journal tells a cycle of its own past: what it spent before it was killed, and what a person took back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from vaultmem.cycles import ACTOR, cycles
from vaultmem.dream.proposal import Operation, StageName
from vaultmem.evolution import Edit, EditBudget
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.judge import Usage

MOST_MOVES: Final = 5_000
"""Events with moves that are looked at, the newest first."""
_OPERATIONS: Final = {
    EventKind.MERGED: Operation.MERGE,
    EventKind.SUPERSEDED: Operation.SUPERSEDE,
    EventKind.DECAYED: Operation.DEMOTE,
    EventKind.ARCHIVED: Operation.ARCHIVE,
}
_OF_STAGE: Final = {
    StageName.DECAY: Operation.FIX_PROPERTY,
    StageName.DISTILL: Operation.DISTILL,
}
"""What any other event of the stage is."""
_DESTRUCTIVE: Final = frozenset((EventKind.MERGED, EventKind.SUPERSEDED, EventKind.ARCHIVED))


def spent(
    root: Path, cycle: str, budget: EditBudget, community_of: Mapping[str, str]
) -> EditBudget:
    """The budget without what the events of the cycle cost. ``community_of`` is the name of its community by path."""
    needle = f'"cycle":{json.dumps(cycle)}'.encode()
    for event in Journal(root).backward(lambda line: needle in line):
        if event.cycle == cycle and event.kind in _DESTRUCTIVE:
            budget = _charged(budget, event, community_of)
    return budget


def done_earlier(root: Path, cycle: str) -> dict[tuple[StageName, Operation], int]:
    """How much of each kind the cycle did before it was killed or called off, by stage, as far as the kind of an event
    tells."""
    found: Counter[tuple[StageName, Operation]] = Counter()
    needle = f'"cycle":{json.dumps(cycle)}'.encode()
    for event in Journal(root).backward(lambda line: needle in line):
        stage = event.actor.removeprefix(f"{ACTOR}: ")
        if event.cycle != cycle or stage not in list(StageName):
            continue
        operation = _OPERATIONS.get(event.kind) or _OF_STAGE.get(StageName(stage))
        if operation is not None:
            found[StageName(stage), operation] += 1
    return found


def _charged(budget: EditBudget, event: MemoryEvent, community_of: Mapping[str, str]) -> EditBudget:
    notes = tuple(change.path for change in event.changes)
    # The communities are those of before the cycle, so that a note is looked up by the path that it had then.
    communities = tuple(sorted({community_of[path] for path in notes if path in community_of}))
    size = sum(
        max(span.end - span.start, span.length) for change in event.changes for span in change.spans
    )
    left = budget.spend(Edit(notes, size, destructive=True, communities=communities))
    if not left.refused:
        return left.budget
    return EditBudget(
        max(0, budget.edits - 1),
        max(0, budget.size - size),
        (*budget.notes, *notes),
        (*budget.communities, *communities),
    )


def asked_already(root: Path, cycle: str) -> Usage:
    """What the parts of the cycle that ended, cancelled, took from a model."""
    total = Usage()
    for report in cycles(root, wanted=cycle):
        used = report.model
        total += Usage(
            used.calls, used.tokens_in, used.tokens_out, used.cost, used.seconds, used.failures
        )
    return total


def taken_back(journal: Journal, since_ns: int) -> Iterator[str]:
    """The ids of the events that were undone since then."""
    for event in journal.backward(lambda line: b'"undoes":' in line):
        if event.time_ns < since_ns:
            return
        yield from event.undone


def rejected_by_hand(journal: Journal, since_ns: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The operation and inputs of each proposal that a person rejected since then, on whatever device."""
    for event in journal.backward(lambda line: b'"kind":"rejected"' in line):
        if event.time_ns < since_ns:
            return
        operation, inputs = event.extra.get("operation"), event.extra.get("inputs")
        if isinstance(operation, str) and isinstance(inputs, Mapping):
            yield operation, {path: str(held) for path, held in inputs.items()}


def moved_paths(journal: Journal) -> dict[str, str]:
    """Where notes that had another path once are now, by that path: of the moves that the journal tells last."""
    found: dict[str, str] = {}
    events = journal.backward(lambda line: b'"to":' in line)
    for event in islice(events, MOST_MOVES):
        for change in event.changes:
            if change.path_after is not None and not change.is_folder:
                found.setdefault(change.path, found.get(change.path_after, change.path_after))
    return found
