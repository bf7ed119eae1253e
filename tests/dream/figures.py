"""Figures that the runners print: a line each, with the target and whether it was reached."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured share or time and what it was to be."""

    name: str
    value: float
    most: float | None = None
    least: float | None = None
    of: int | None = None
    """How many cases it was measured on."""

    @property
    def reached(self) -> bool:
        """Whether the target was met; True without a target."""
        return (self.most is None or self.value <= self.most) and (
            self.least is None or self.value >= self.least
        )

    def line(self) -> str:
        """For a person."""
        target = (
            f"≤ {self.most:g}"
            if self.most is not None
            else f"≥ {self.least:g}"
            if self.least
            else ""
        )
        mark = ("yes" if self.reached else "NO") if target else ""
        cases = f"{self.of:,}" if self.of is not None else ""
        return f"{self.name:<52}{self.value:>9.4f}  {target:<9}{mark:<5}{cases:>8}".rstrip()


def tell(figures: Iterable[Figure]) -> int:
    """Prints the figures; 0 when all targets were reached, else 1."""
    reached = True
    for figure in figures:
        print(figure.line())
        reached &= figure.reached
    return 0 if reached else 1


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The share of pairs of one of each in which the positive one scores higher, ties counted half."""
    ranked = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    wins, below, i = 0.0, 0, 0
    while i < len(ranked):
        j = i
        while j < len(ranked) and ranked[j][0] == ranked[i][0]:
            j += 1
        tied = ranked[i:j]
        positives = sum(is_positive for _, is_positive in tied)
        negatives = len(tied) - positives
        wins += positives * (below + negatives / 2)
        below += negatives
        i = j
    return wins / (len(positive) * len(negative))


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair of a public data set: JSON lines with ``id``, ``a``, ``b`` and ``label``."""

    id: str
    a: str
    b: str
    label: str


def labelled_pairs(folder: Path, name: str) -> list[LabelledPair]:
    """The pairs of ``name.jsonl`` in the folder; none when it is not there."""
    path = folder / f"{name}.jsonl"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [LabelledPair(row["id"], row["a"], row["b"], row["label"]) for row in rows]


NLI_SETS = ("sick-train", "scifact-nli-train", "jnli-valid", "ocnli-train.3k", "klue-nli-dev-a")
