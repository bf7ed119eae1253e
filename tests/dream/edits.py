"""An adversary for the gate: good and harmful edits half and half, and histories with planted loops.

An edit changes which probe queries are answered. How many a harmful edit breaks is drawn, and what the gate sees are
the probes alone; besides, some answers flip by chance, whatever the edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from vaultmem.evolution import (
    CycleRecord,
    GateResult,
    Judged,
    Loop,
    NoteChange,
    evaluate_gate,
)

GOOD: Final = ("mends answers", "changes no answer")
HARMFUL: Final = ("loses a claim", "archives what was asked for", "breaks a little everywhere")


@dataclass(frozen=True, slots=True)
class ProbedEdit:
    """An edit as the gate meets it: which probes were answered before and after."""

    kind: str
    harmful: bool
    before: dict[str, float]
    after: dict[str, float]


def probed_edits(
    count: int, probes: int, seed: int, *, effect: float = 0.05, jitter: float = 0.002
) -> Iterator[ProbedEdit]:
    """That many edits, good and harmful by the toss of a coin.

    ``effect`` is the share of all queries whose answers an edit changes for better or worse (half to twice as much are drawn),
    ``jitter`` the share that flips by chance in each direction.
    """
    rng = Random(f"edits {seed}")
    for _ in range(count):
        harmful = rng.random() < 0.5
        kind = rng.choice(HARMFUL if harmful else GOOD)
        share = effect * rng.uniform(0.5, 2)
        broken, mended = _shares(kind, share)
        before = {f"q{i}": float(rng.random() < 0.7) for i in range(probes)}
        after = {q: _flipped(x, broken + jitter, mended + jitter, rng) for q, x in before.items()}
        yield ProbedEdit(kind, harmful, before, after)


def _shares(kind: str, share: float) -> tuple[float, float]:
    """Of all queries those that the edit breaks and mends."""
    return {
        "mends answers": (0.0, share),
        "changes no answer": (0.0, 0.0),
        "loses a claim": (share, 0.0),
        "archives what was asked for": (share * 1.2, share * 0.2),
        "breaks a little everywhere": (share * 1.5, share * 0.5),
    }[kind]


def _flipped(score: float, broken: float, mended: float, rng: Random) -> float:
    """Shares are of all queries; 70 % of them were answered before."""
    if score:
        return float(rng.random() >= broken / 0.7)
    return float(rng.random() < mended / 0.3)


class Crowd:
    """Edits that meet the gate together, as a panel that tries them out: each breaks and mends answers of its own, and
    besides flips some by chance. Asked again, the same edit does the same."""

    def __init__(self, rng: Random, probes: int, *, effect: float, jitter: float) -> None:
        self._rng = rng
        self._jitter = jitter
        self._now = {f"q{i}": float(rng.random() < 0.7) for i in range(probes)}
        self._effect = effect
        self.asked = 0
        """Questions put to the vault."""
        self.accepted: list[CrowdEdit] = []
        self.refused: list[CrowdEdit] = []

    def edits(self, count: int) -> list[CrowdEdit]:
        """That many, good and harmful by the toss of a coin."""
        return [self._edit() for _ in range(count)]

    def _edit(self) -> CrowdEdit:
        rng = self._rng
        harmful = rng.random() < 0.5
        kind = rng.choice(HARMFUL if harmful else GOOD)
        broken, mended = _shares(kind, self._effect * rng.uniform(0.5, 2))
        flips = {
            q: _flipped(x, broken + self._jitter, mended + self._jitter, rng)
            for q, x in self._now.items()
        }
        return CrowdEdit(kind, harmful, {q: y for q, y in flips.items() if y != self._now[q]})

    def _with(self, edits: Sequence[CrowdEdit]) -> dict[str, float]:
        after = dict(self._now)
        for edit in edits:
            after.update(edit.changes)
        return after

    def try_all(self, edits: Sequence[CrowdEdit]) -> Judged:
        """As the dream's own: what passes stays."""
        after = self._with(edits)
        self.asked += len(after)
        lost = frozenset(q for q, x in after.items() if x < self._now[q])
        judged = Judged(evaluate_gate(after, self._now, None), lost)
        if judged.passes(len(edits)):
            self.accepted += edits
            self._now = after
        return judged

    def loses(self, edit: CrowdEdit, probes: frozenset[str]) -> bool:
        """As the dream's own."""
        self.asked += len(probes)
        after = self._with([edit])
        return any(after[q] < self._now[q] for q in probes)

    def refuse(self, edit: CrowdEdit, result: GateResult) -> None:
        """Keeps it in mind."""
        self.refused.append(edit)

    def leave(self, edits: Sequence[CrowdEdit]) -> None:
        """Never: there is time."""
        raise AssertionError(edits)

    def has_time(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class CrowdEdit:
    """An edit by the answers that it changes."""

    kind: str
    harmful: bool
    changes: dict[str, float]


@dataclass(frozen=True, slots=True)
class History:
    """What some cycles did, and in which cycle a planted loop recurs for the first time."""

    planted: Loop | None
    recurs: int | None
    """Index into the cycles."""
    cycles: tuple[CycleRecord, ...]
    recalls: tuple[dict[str, int], ...]
    """After each cycle, how many of the distilled notes of each earlier one were recalled by then."""


def histories(count: int, seed: int) -> Iterator[History]:
    """That many histories of twelve cycles, half of them with a planted loop.

    What is not planted happens as in life: pairs that are merged again much later, notes that a person sets back, and
    distilled notes of which a third to two thirds are recalled.
    """
    rng = Random(f"histories {seed}")
    for i in range(count):
        planted = list(Loop)[i // 2 % 3] if i % 2 else None
        yield _history(planted, rng)


def _history(planted: Loop | None, rng: Random) -> History:
    start = rng.randint(2, 7)
    useful = rng.uniform(1 / 3, 2 / 3)
    cycles: list[CycleRecord] = []
    recalls: list[dict[str, int]] = []
    known: dict[str, int] = {}
    for n in range(12):
        merges = {_pair(rng) for _ in range(rng.randint(0, 4))} - {("m1", "m2")}
        merges -= cycles[-1].merges if cycles else frozenset()
        changes = [
            NoteChange(f"n{rng.randint(0, 200)}", f"{n} {k}", f"{n} {k} after") for k in range(5)
        ]
        if n % 4 == 2:  # a person set back what the dream did; the dream does something else now
            changes.append(NoteChange("set back", "s0", f"s{n}"))
        distilled = rng.randint(0, 14)
        recalled = sum(rng.random() < useful for _ in range(distilled))
        if planted is Loop.MERGE_CYCLE and n >= start:
            merges.add(("m1", "m2"))
        if planted is Loop.OSCILLATION and n >= start:
            states = ("A", "B") if (n - start) % 2 == 0 else ("B", "A")
            changes.append(NoteChange("o", *states))
        if planted is Loop.WASTED_DISTILLATION and n >= start - 1:
            distilled, recalled = rng.randint(12, 20), rng.choice((0, 0, 0, 1))
        cycles.append(CycleRecord(f"c{n}", frozenset(merges), tuple(changes), distilled=distilled))
        recalls.append(dict(known))
        known[f"c{n}"] = recalled
    return History(planted, None if planted is None else start + 1, tuple(cycles), tuple(recalls))


def _pair(rng: Random) -> tuple[str, str]:
    a, b = sorted(rng.sample(range(40), 2))
    return f"p{a:02}", f"p{b:02}"
