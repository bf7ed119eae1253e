"""How the gate fares against edits that are good and harmful half and half, and against planted loops.

    python -m tests.dream.gate [--edits 20000] [--probes 200] [--histories 3000] [--seed 1] [--effect 0.05] [--jitter 0.002]

Each edit meets the gate alone, and then several of them at once. ``--effect`` is the share of all answers that an edit changes, ``--jitter`` the share that
flips by chance in each direction. Ends with 1 when a target was missed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from random import Random

from tests.dream.edits import Crowd, History, histories, probed_edits
from tests.dream.figures import Figure, tell
from vaultmem.evolution import Loop, MutationGate, decide, evaluate_gate

SOON = 1
"""Cycles after the first recurrence of a loop within which it must be found."""


def measure_edits(
    edits: int, probes: int, seed: int, *, effect: float = 0.05, jitter: float = 0.002
) -> list[Figure]:
    """Shares of harmful edits accepted and useful ones rejected, and how often by kind of edit."""
    every: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    kinds: dict[str, bool] = {}
    for edit in probed_edits(edits, probes, seed, effect=effect, jitter=jitter):
        result = evaluate_gate(edit.after, edit.before, edit.before)
        kinds[edit.kind] = edit.harmful
        every[edit.kind] += 1
        accepted[edit.kind] += result.accepted
    harmful = sum(n for kind, n in every.items() if kinds[kind])
    useful = edits - harmful
    let_in = sum(n for kind, n in accepted.items() if kinds[kind])
    kept_out = useful - sum(n for kind, n in accepted.items() if not kinds[kind])
    return [
        Figure(f"harmful edits accepted, {probes} probes", let_in / harmful, most=0.01, of=harmful),
        Figure(f"useful edits rejected, {probes} probes", kept_out / useful, most=0.15, of=useful),
        *(Figure(f"  accepted: {kind}", accepted[kind] / n, of=n) for kind, n in every.items()),
    ]


def measure_crowds(
    edits: int,
    probes: int,
    seed: int,
    *,
    together: int,
    effect: float = 0.05,
    jitter: float = 0.002,
) -> list[Figure]:
    """The same for edits that come ``together``, as in a night, and how many questions each of them took."""
    rng = Random(f"crowds {seed}")
    accepted, refused, asked = Counter[bool](), Counter[bool](), 0
    for _ in range(max(1, edits // together)):
        crowd = Crowd(rng, probes, effect=effect, jitter=jitter)
        decide(crowd.edits(together), crowd)
        accepted.update(edit.harmful for edit in crowd.accepted)
        refused.update(edit.harmful for edit in crowd.refused)
        asked += crowd.asked
    harmful, useful = (accepted[kind] + refused[kind] for kind in (True, False))
    told = f", {together} at once"
    return [
        Figure(f"harmful edits accepted{told}", accepted[True] / harmful, most=0.01, of=harmful),
        Figure(f"useful edits rejected{told}", refused[False] / useful, most=0.15, of=useful),
        Figure(f"questions for each edit{told}", asked / (harmful + useful), of=harmful + useful),
    ]


def found_at(history: History) -> dict[Loop, int]:
    """In which cycle each kind of loop was first found."""
    gate, found = MutationGate(), dict[Loop, int]()
    for n, (cycle, recalls) in enumerate(zip(history.cycles, history.recalls, strict=True)):
        gate, alarms = gate.with_recalls(recalls).after(cycle)
        for alarm in alarms:
            found.setdefault(alarm.loop, n)
    return found


def measure_loops(count: int, seed: int) -> list[Figure]:
    """Shares of planted loops that were found in time, and of histories with an alarm that nothing was planted for."""
    planted: Counter[Loop] = Counter()
    caught: Counter[Loop] = Counter()
    false = 0
    for history in histories(count, seed):
        found = found_at(history)
        if history.planted is not None and history.recurs is not None:
            planted[history.planted] += 1
            at = found.pop(history.planted, None)
            caught[history.planted] += at is not None and at <= history.recurs + SOON
        false += bool(found)
    return [
        *(
            Figure(f"caught in time: {loop}", caught[loop] / n, least=1.0, of=n)
            for loop, n in planted.items()
        ),
        Figure("histories with a false alarm", false / count, most=0.01, of=count),
    ]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.dream.gate")
    parser.add_argument("--edits", type=int, default=20000)
    parser.add_argument("--probes", type=int, default=200)
    parser.add_argument("--histories", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--effect", type=float, default=0.05)
    parser.add_argument("--jitter", type=float, default=0.002)
    o = parser.parse_args()
    figures = measure_edits(o.edits, o.probes, o.seed, effect=o.effect, jitter=o.jitter)
    for together in (4, 12, 32):
        figures += measure_crowds(
            o.edits, o.probes, o.seed, together=together, effect=o.effect, jitter=o.jitter
        )
    return tell(figures + measure_loops(o.histories, o.seed))


if __name__ == "__main__":
    raise SystemExit(main())
