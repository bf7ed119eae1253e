"""What is known of a cycle's own past: what it did and spent before it was cut off, and what a person took back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from vaultmem.cycle_edits import CycleEdit, edits_of
from vaultmem.cycle_spending import Spending, SpendingFile
from vaultmem.cycles import (
    cut_off_report,
    cycle_names,
    cycles,
    record_cycle,
    untold_spending,
)
from vaultmem.dream.proposal import StageName
from vaultmem.dream.report import CycleReport
from vaultmem.evolution import Edit, EditBudget
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.judge import Usage
from vaultmem_daemon.dreaming.memory import DreamMemory

NIGHT_NS: Final = 12 * 3_600 * 1_000_000_000
"""So long after it began a cycle that was cut off goes on, although another day has begun: the same night, and no night
gets the budget twice. A cycle that is cut off every night must not go on for ever, either, with nothing left of it."""
EDIT: Final = "edit"
"""In the ``extra`` of an event ACCEPTED: the id of the event by which the proposal was carried out."""
MOST_MOVES: Final = 5_000
"""Events with moves that are looked at, the newest first."""
_DESTRUCTIVE: Final = frozenset((EventKind.MERGED, EventKind.SUPERSEDED, EventKind.ARCHIVED))


@dataclass(frozen=True, slots=True)
class OpenCycle:
    """A cycle that was begun and has not ended."""

    name: str = ""
    """"" where there is none."""
    parts: tuple[CycleReport, ...] = ()
    """The reports of its parts that were called off, or ended by an error, the oldest first."""
    edits: tuple[CycleEdit, ...] = ()
    """All that it made, in their order."""
    spending: Spending | None = None
    """What a cycle, mostly this one, took from a model when it was killed: no report tells it."""

    @property
    def untold(self) -> tuple[CycleEdit, ...]:
        """The edits that no report tells, since it was killed."""
        told = {decision.event for part in self.parts for decision in part.decisions}
        return tuple(edit for edit in self.edits if edit.event.id not in told)

    @property
    def carried(self) -> Spending | None:
        """What it took when it was killed, to be told with what it takes once it goes on."""
        spending = self.spending
        return spending if spending is not None and spending.cycle == self.name else None

    @property
    def usage(self) -> Usage:
        """What it took from a model in all its parts."""
        told = (part.model for part in self.parts)
        return sum(
            (
                Usage(m.calls, m.tokens_in, m.tokens_out, m.cost, m.seconds, m.failures)
                for m in told
            ),
            self.carried.usage if self.carried is not None else Usage(),
        )


def goes_on(memory: DreamMemory, today: int, now_ns: int) -> bool:
    """Whether a cycle that was cut off goes on, with what is left of its budget: on the day on which it began, and past
    midnight in the same night. Else it is over, and another one begins."""
    return bool(memory.open_cycle) and (
        memory.open_day == today or abs(now_ns - memory.open_ns) < NIGHT_NS
    )


def new_name(root: Path, day: str) -> str:
    """A name that no cycle of the day has yet."""
    names = cycle_names(root, day)
    number, name = 1, day
    while name in names:
        number += 1
        name = f"{day}.{number}"
    return name


def read_open_cycle(root: Path, name: str) -> OpenCycle:
    """What the vault tells of the cycle that was begun and has not ended; ``name`` may be "", and what a killed cycle
    took from a model is there all the same."""
    spending = untold_spending(root)
    if not name:
        return OpenCycle(spending=spending)
    parts = tuple(cycles(root, wanted=name))[::-1]
    return OpenCycle(name, parts, tuple(edits_of(Journal(root), name)), spending)


def close(root: Path, before: OpenCycle, cycle: str) -> list[str]:
    """Tells the journal of a cycle other than this one that was killed and does not go on; what to tell a person of it.
    Raises WriteFailed."""
    edits = before.untold if before.name != cycle else ()
    spending = before.spending
    if spending is not None and spending.cycle == cycle:
        spending = None
    if edits or spending is not None:
        record_cycle(root, cut_off_report(edits, spending))
        SpendingFile(root).remove()
    if not edits:
        return []
    return [
        f"The cycle {before.name} was cut off after {len(edits)} of its edits: "
        f"`vaultmem undo cycle:{before.name}` takes them back."
    ]


def spent(
    root: Path, cycle: str, budget: EditBudget, community_of: Mapping[str, str]
) -> EditBudget:
    """The budget without what the events of the cycle cost. ``community_of`` is the name of its community by path."""
    needle = f'"cycle":{json.dumps(cycle)}'.encode()
    for event in Journal(root).backward(lambda line: needle in line):
        if event.cycle == cycle and event.kind in _DESTRUCTIVE:
            budget = _charged(budget, event, community_of)
    return budget


def done_earlier(edits: Iterable[CycleEdit]) -> dict[tuple[StageName, str], int]:
    """How much of each kind the cycle did before it was killed or called off, from its edits."""
    return Counter((edit.decision.stage, edit.counted) for edit in edits)


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
        if (proposal := _proposal_of(event)) is not None:
            yield proposal
            operation, also = proposal[0], event.extra.get("also")
            for inputs in also if isinstance(also, list) else ():
                if isinstance(inputs, Mapping):
                    yield operation, {path: str(held) for path, held in inputs.items()}


def accepted_as(
    journal: Journal, edits: Collection[str]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The operation and inputs of each proposal that a person accepted by one of these events, on whatever device."""
    for event in journal.backward(lambda line: b'"kind":"accepted"' in line) if edits else ():
        if event.extra.get(EDIT) in edits and (proposal := _proposal_of(event)) is not None:
            yield proposal


def _proposal_of(event: MemoryEvent) -> tuple[str, Mapping[str, str]] | None:
    """The operation and inputs of the proposal that was decided."""
    operation, inputs = event.extra.get("operation"), event.extra.get("inputs")
    if isinstance(operation, str) and isinstance(inputs, Mapping):
        return operation, {path: str(held) for path, held in inputs.items()}
    return None


def moved_paths(journal: Journal) -> dict[str, str]:
    """Where notes that had another path once are now, by that path: of the moves that the journal tells last."""
    found: dict[str, str] = {}
    events = journal.backward(lambda line: b'"to":' in line)
    for event in islice(events, MOST_MOVES):
        for change in event.changes:
            if change.path_after is not None and not change.is_folder:
                found.setdefault(change.path, found.get(change.path_after, change.path_after))
    return found
