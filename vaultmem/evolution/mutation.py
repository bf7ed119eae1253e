"""Loops in what the dream does, and the rest it takes when there is one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import comb
from typing import Final

MERGES_RUNNING: Final = 3
"""Cycles running in which the same pair is merged."""
LOOK_BACK: Final = 8
"""Cycles in which a note's earlier states are looked for."""
DISTILLATIONS: Final = 3
"""Settled cycles whose distilled notes are looked at together."""
ENOUGH: Final = 20
"""Distilled notes that are looked at, of earlier cycles where these made fewer: a cycle makes a handful."""
LEAST_RECALL: Final = 0.1
"""Of the distilled notes; under that distillation is wasted."""
USEFUL_RECALL: Final = 0.25
MOST_CHANCE: Final = 0.01
"""With which useful distillation would look as bad: few notes prove nothing."""
COOLDOWN: Final = 3
"""Cycles of rest after an alarm."""
KEPT: Final = 16
"""Cycles in the history."""


class Loop(StrEnum):
    """What runs in a circle."""

    MERGE_CYCLE = "merge cycle"
    OSCILLATION = "oscillation"
    WASTED_DISTILLATION = "wasted distillation"


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A change that the dream made to a note, by content hashes."""

    note: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CycleRecord:
    """What a cycle did. Cycles that changed nothing need no record."""

    cycle: str
    merges: frozenset[tuple[str, str]] = frozenset()
    """Pairs of notes, each in sorted order."""
    changes: tuple[NoteChange, ...] = ()
    distilled: int = 0
    """Notes that were made of others."""
    recalled: int = 0
    """Of these, how many have answered a person or an agent since; brought up to date as this becomes known."""

    def joined(self, later: CycleRecord) -> CycleRecord:
        """This one with what the cycle did once it went on."""
        return CycleRecord(
            self.cycle,
            self.merges | later.merges,
            (*self.changes, *later.changes),
            self.distilled + later.distilled,
            self.recalled + later.recalled,
        )


@dataclass(frozen=True, slots=True)
class Alarm:
    """A loop that was found."""

    loop: Loop
    what: str
    """Which notes, or which numbers."""


@dataclass(frozen=True, slots=True)
class MutationGate:
    """The history of the last cycles and the rest that is still to be taken."""

    history: tuple[CycleRecord, ...] = ()
    """Oldest first."""
    rest: int = 0
    """Cycles in which nothing is merged, superseded or distilled."""

    @property
    def conserve(self) -> bool:
        """Whether the next cycle must run in Conserve mode."""
        return self.rest > 0

    def after(self, record: CycleRecord) -> tuple[MutationGate, tuple[Alarm, ...]]:
        """The gate after a cycle and the loops that the cycle closed. An alarm begins the rest anew. Two records of one
        cycle, which was cut off and went on, count as one."""
        before = self.history
        if before and before[-1].cycle == record.cycle:
            before, record = before[:-1], before[-1].joined(record)
        history = (*before, record)[-KEPT:]
        alarms = find_loops(history)
        rest = COOLDOWN if alarms else self.rested().rest
        return MutationGate(history, rest), alarms

    def rested(self) -> MutationGate:
        """The gate after a cycle that changed nothing."""
        return replace(self, rest=max(0, self.rest - 1))

    def with_recalls(self, recalled: dict[str, int]) -> MutationGate:
        """The gate with what is known now of how many distilled notes of each cycle were recalled."""
        return replace(
            self,
            history=tuple(
                replace(r, recalled=recalled.get(r.cycle, r.recalled)) for r in self.history
            ),
        )


def find_loops(history: Sequence[CycleRecord]) -> tuple[Alarm, ...]:
    """The loops that the last cycle of the history closed."""
    return (*_merge_cycles(history), *_oscillations(history), *_wasted(history))


def _merge_cycles(history: Sequence[CycleRecord]) -> list[Alarm]:
    running = history[-MERGES_RUNNING:]
    if len(running) < MERGES_RUNNING:
        return []
    again = frozenset.intersection(*(record.merges for record in running))
    return [Alarm(Loop.MERGE_CYCLE, " + ".join(pair)) for pair in sorted(again)]


def _oscillations(history: Sequence[CycleRecord]) -> list[Alarm]:
    """Notes that a change of the last cycle brought back to a state which the dream itself had changed before."""
    if not history:
        return []
    left = {(c.note, c.before) for record in history[-LOOK_BACK:-1] for c in record.changes}
    back: set[str] = set()
    for change in history[-1].changes:  # in the order in which they were made
        left.add((change.note, change.before))
        if change.before != change.after and (change.note, change.after) in left:
            back.add(change.note)
    return [Alarm(Loop.OSCILLATION, note) for note in sorted(back)]


def _wasted(history: Sequence[CycleRecord]) -> list[Alarm]:
    """Whether distilled notes are hardly recalled; those of the last cycle had no time to be. Said once after each cycle
    that distilled, as what is known does not make it a loop anew."""
    if len(history) < 2 or not history[-2].distilled:
        return []
    made = used = cycles = 0
    for record in reversed(history[:-1]):
        if cycles >= DISTILLATIONS and made >= ENOUGH:
            break
        cycles += bool(record.distilled)
        made, used = made + record.distilled, used + record.recalled
    if not made or used >= LEAST_RECALL * made or _at_most(used, made) > MOST_CHANCE:
        return []
    return [Alarm(Loop.WASTED_DISTILLATION, f"{used} of {made} distilled notes were recalled")]


def _at_most(used: int, made: int) -> float:
    """The probability that so few are recalled when each is with the chance of a useful one."""
    p = USEFUL_RECALL
    return sum(comb(made, k) * p**k * (1 - p) ** (made - k) for k in range(used + 1))
