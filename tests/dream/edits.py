"""An adversary for the gate: good and harmful edits half and half, and histories with planted loops.

An edit changes which probe queries are answered. How many a harmful edit breaks is drawn, and what the gate sees are
the probes alone; besides, some answers flip by chance, whatever the edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

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
