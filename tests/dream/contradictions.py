"""How well contradictions are told from what only looks like one, without a model.

    python -m tests.dream.contradictions [--pairs 5400] [--seed 1] [--half held-out] [--data FOLDER] [--show 0]

Precision and recall are those of "these cannot both hold now" (contradictory or stale) on typed pairs. ``--data`` names
a folder with pairs of public data sets (``sick-train.jsonl``, …): of each the AUC with which contradictions are ranked
above all other pairs, and how many of each label get a verdict. Ends with 1 when a target was missed.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from tests.dream.claims import claim_pairs
from tests.dream.figures import NLI_SETS, Figure, auc, labelled_pairs, tell
from tests.dream.words import Half
from vaultmem.judge import Drift, HeuristicJudge, Judge


def measure(judge: Judge, pairs: int, half: Half, seed: int, *, show: int = 0) -> list[Figure]:
    """The figures on the typed generator."""
    told: dict[str, list[bool]] = defaultdict(list)
    true = false = missed = exact = 0
    for pair in claim_pairs(pairs, half, seed):
        judgement = judge.drift(pair.a, pair.b)
        flagged = judgement.verdict is not Drift.CONSISTENT
        drifts = pair.label != "consistent"
        told[pair.type].append(flagged == drifts)
        true += flagged and drifts
        false += flagged and not drifts
        missed += drifts and not flagged
        exact += flagged and drifts and judgement.verdict.value.lower() == pair.label
        if flagged != drifts and show:
            show -= 1
            print(f"{pair}\n    {judgement}")
    return [
        Figure("precision", true / max(1, true + false), least=0.95, of=true + false),
        Figure("recall", true / max(1, true + missed), least=0.80, of=true + missed),
        Figure("of those, the right kind of drift", exact / max(1, true), of=true),
        *(Figure(f"  right: {name}", sum(t) / len(t), of=len(t)) for name, t in told.items()),
    ]


def measure_data(judge: Judge, folder: Path) -> list[Figure]:
    """AUC on the public sets: contradictions against all else, and against entailments."""
    figures = []
    for name in NLI_SETS:
        scores: dict[str, list[float]] = defaultdict(list)
        flagged: dict[str, int] = defaultdict(int)
        for pair in labelled_pairs(folder, name):
            judgement = judge.drift(pair.a, pair.b)
            scores[pair.label].append(judgement.suspicion)
            flagged[pair.label] += judgement.verdict is not Drift.CONSISTENT
        if scores:
            against, rest = scores.pop("contradiction"), scores
            others = [score for group in rest.values() for score in group]
            figures.append(
                Figure(f"AUC {name}", auc(against, others), of=len(against) + len(others))
            )
            figures.append(Figure("  against entailment", auc(against, rest["entailment"])))
            for label, of in (("contradiction", against), *rest.items()):
                figures.append(Figure(f"  {label} flagged", flagged[label] / len(of), of=len(of)))
    return figures


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.dream.contradictions")
    parser.add_argument("--pairs", type=int, default=5400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", type=Half, choices=list(Half), default=Half.HELD_OUT)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    judge = HeuristicJudge()
    figures = measure(judge, options.pairs, options.half, options.seed, show=options.show)
    if options.data:
        figures += measure_data(judge, options.data)
    return tell(figures)


if __name__ == "__main__":
    raise SystemExit(main())
