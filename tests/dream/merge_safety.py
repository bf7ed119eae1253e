"""How many look-alikes are merged, and how many real duplicates are found.

    python -m tests.dream.merge_safety [--pairs 5000] [--seed 1] [--half held-out] [--data FOLDER] [--show 0]

``--data`` names a folder with pairs of public data sets (``sick-train.jsonl``, …), whose contradictions must not be
merged either. Ends with 1 when a target was missed. ``--show N`` prints the first N mistakes; of the held-out half
nobody should look at them who writes rules.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.dream.duplicates import RealDuplicate, duplicates, reworded_look_alikes
from tests.dream.exchanges import exchanges
from tests.dream.figures import NLI_SETS, Figure, labelled_pairs, tell
from tests.dream.lookalikes import LookAlike, look_alikes
from tests.dream.words import Half
from vaultmem.judge import Duplicate, HeuristicJudge

MOST_MERGED = 0.001


def merged(judge: HeuristicJudge, a: str, b: str) -> bool:
    """Whether one text would be left of both."""
    return judge.duplicate(a, b).verdict is not Duplicate.COEXIST


def measure(
    judge: HeuristicJudge, pairs: int, half: Half, seed: int, *, show: int = 0
) -> list[Figure]:
    """The figures on generated pairs: as many look-alikes as duplicates."""
    alike = list(look_alikes(pairs, half, seed))
    wrong = [pair for pair in alike if merged(judge, pair.a, pair.b)]
    reworded = list(reworded_look_alikes(pairs, half, seed))
    slipped = [pair for pair in reworded if merged(judge, pair.a, pair.b)]
    other = list(exchanges(pairs, half, seed))
    exchanged = [pair for pair in other if merged(judge, pair.a, pair.b)]
    both = list(exchanges(pairs, half, seed, also_reworded=True))
    both_merged = [pair for pair in both if merged(judge, pair.a, pair.b)]
    same = list(duplicates(pairs, half, seed))
    missed = [pair for pair in same if not merged(judge, pair.a, pair.b)]
    mistakes: list[LookAlike | RealDuplicate] = [
        *(pair for found in (wrong, slipped, exchanged, both_merged) for pair in found[:show]),
        *missed[:show],
    ]
    for mistake in mistakes:
        print(f"{mistake}\n    {judge.duplicate(mistake.a, mistake.b)}")
    found = len(same) - len(missed)
    taken = found + len(wrong) + len(slipped) + len(exchanged) + len(both_merged)
    figures = [
        Figure("look-alikes merged", len(wrong) / len(alike), most=MOST_MERGED, of=len(alike)),
        *_by_kind(alike, wrong),
        Figure(
            "reworded as well, merged", len(slipped) / len(reworded), most=MOST_MERGED, of=pairs
        ),
        *_by_kind(reworded, slipped),
        Figure("words exchanged, merged", len(exchanged) / pairs, most=MOST_MERGED, of=pairs),
        Figure("reworded as well, merged", len(both_merged) / pairs, most=MOST_MERGED, of=pairs),
        Figure("duplicates found (recall)", found / len(same), least=0.97, of=len(same)),
        Figure("precision", found / max(1, taken), least=0.98, of=taken),
    ]
    for language in sorted({pair.language for pair in same}):
        of = sum(pair.language == language for pair in same)
        lost = sum(pair.language == language for pair in missed)
        figures.append(Figure(f"  recall, {language}", 1 - lost / of, of=of))
    return figures


def _by_kind(alike: Iterable[LookAlike], wrong: Iterable[LookAlike]) -> list[Figure]:
    every, merges = Counter(pair.kind for pair in alike), Counter(pair.kind for pair in wrong)
    return [Figure(f"  {kind}", merges[kind] / of, of=of) for kind, of in every.items()]


def measure_data(judge: HeuristicJudge, folder: Path, *, show: int = 0) -> list[Figure]:
    """The contradictions of the public sets that would be merged."""
    figures, every, wrong = [], 0, 0
    for name in NLI_SETS:
        pairs = [p for p in labelled_pairs(folder, name) if p.label == "contradiction"]
        merges = [p for p in pairs if merged(judge, p.a, p.b)]
        for pair in merges[:show]:
            print(f"{pair}\n    {judge.duplicate(pair.a, pair.b)}")
        every, wrong = every + len(pairs), wrong + len(merges)
        if pairs:
            figures.append(Figure(f"  {name}", len(merges) / len(pairs), of=len(pairs)))
    total = Figure("contradictions merged", wrong / max(1, every), most=MOST_MERGED, of=every)
    return [total, *figures]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.dream.merge_safety")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", type=Half, choices=list(Half), default=Half.HELD_OUT)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    judge = HeuristicJudge()
    figures = measure(judge, options.pairs, options.half, options.seed, show=options.show)
    if options.data:
        figures += measure_data(judge, options.data, show=options.show)
    return tell(figures)


if __name__ == "__main__":
    raise SystemExit(main())
