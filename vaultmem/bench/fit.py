"""Fits what an embedding model is trusted with to the development sets.

    python -m vaultmem.bench.fit DIR… [--embedder NAME] [--out FILE.md]

Each question is asked once; then its candidates are fused and ranked anew with each trust that is tried. The trust is
chosen on the questions with even numbers and told on the odd ones, so that what it gains is no accident of the choice.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

from vaultmem.bench.as_vault import Written, folder_of
from vaultmem.bench.measures import MEASURES, judge, mean
from vaultmem.bench.run import set_as_vault
from vaultmem.bench.sets import RetrievalSet, read_set
from vaultmem.search.engine import FULL, Asked
from vaultmem.search.fusion import Candidate, convex
from vaultmem.search.likeness import Likeness, Noise, judged
from vaultmem.search.model import Lane
from vaultmem.search.profile import DEFAULT, Trust
from vaultmem.search.stages import Ranked, cosine_rerank
from vaultmem.vault import Vault

VECTOR = (0.0, 0.3, 0.6, 0.9, 1.2)
RERANK = (0.0, 0.15, 0.27, 0.4)
HALF_BELIEVED = (10.0, 20.0, 30.0, 50.0, 100.0)
LIMIT = 40


class Posed(NamedTuple):
    """What the lanes said to one question."""

    lanes: Mapping[Lane, Sequence[Candidate]]
    likes: Mapping[int, Likeness]
    noise: Noise | None
    said: float
    """What a block with all words of the question scores."""
    items: Mapping[int, str]
    """Block → item, for all candidates."""
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SetPosed:
    """A set with what the lanes said to all its questions."""

    name: str
    posed: tuple[Posed, ...]


def pose(retrieval_set: RetrievalSet, embedder: str) -> SetPosed:
    """Asks all questions of a set."""
    with set_as_vault(retrieval_set, embedder) as (vault, written):
        places = vault.block_places()
        posed = [
            _posed(vault, written, places, retrieval_set, number)
            for number in range(len(retrieval_set.questions))
        ]
    return SetPosed(retrieval_set.name, tuple(posed))


def _posed(
    vault: Vault,
    written: Written,
    places: Mapping[int, tuple[str, int]],
    retrieval_set: RetrievalSet,
    number: int,
) -> Posed:
    question = retrieval_set.questions[number]
    asked = Asked(
        question.text, LIMIT, profile=DEFAULT, within=folder_of(question.scope), by_block=True
    )
    answers = vault.found(asked).course.answers
    lanes = {answer.report.lane: answer.candidates for answer in answers}
    found = {block for candidates in lanes.values() for block, _ in candidates}
    items = {}
    for block in found:
        item = written.item_at(*places[block])
        if item is not None:
            items[block] = item
    return Posed(
        lanes,
        {block: like for answer in answers for block, like in answer.likes.items()},
        next((answer.noise for answer in answers if answer.noise is not None), None),
        sum(word.scored for answer in answers for word in answer.heard),
        items,
        retrieval_set.grades[question.id],
    )


def ranking(posed: Posed, trust: Trust) -> list[str]:
    """The items in the order that the trust gives."""
    alone: dict[int, float] = {}
    around: dict[int, float] = {}
    if posed.noise is not None:
        for block, told in judged(posed.likes, posed.noise, trust.half_believed).items():
            alone[block], around[block] = told
    fused = convex(
        posed.lanes,
        {**DEFAULT.lane_weights, Lane.VECTOR: trust.vector},
        alone,
        full=FULL * posed.said,
    )
    ranked = [Ranked(f.block_id, 0, f.score, likeness=around.get(f.block_id)) for f in fused[:100]]
    ordered = cosine_rerank(ranked, share=trust.rerank)
    return list(
        dict.fromkeys(posed.items[r.block_id] for r in ordered if r.block_id in posed.items)
    )


def figures(posed: Sequence[Posed], trust: Trust) -> dict[str, float]:
    """Each measure over the questions."""
    return mean([judge(ranking(one, trust), one.grades) for one in posed])


def goal(found: Mapping[str, float]) -> float:
    """What is to be as high as can be: the mean of the measures that targets are set in."""
    return sum(found[name] for name in ("hit@5", "hit@10", "mrr@10", "ndcg@10")) / 4


def fit(sets: Sequence[SetPosed]) -> list[tuple[Trust, float]]:
    """Every trust that is tried with the mean of the goal over the sets, by the even questions; best first."""
    out = []
    for vector, rerank, half in product(VECTOR, RERANK, HALF_BELIEVED):
        trust = Trust(vector, rerank, half)
        goals = [goal(figures(one.posed[::2], trust)) for one in sets]
        out.append((trust, sum(goals) / len(goals)))
    return sorted(out, key=lambda pair: -pair[1])


def report(sets: Sequence[SetPosed], embedder: str) -> str:
    """The choice and what it gives, in Markdown."""
    tried = fit(sets)
    used = DEFAULT.trust_in("wordllama" if embedder == "static" else embedder)
    lines = [
        f"Embedder `{embedder}`, on the even questions, the best of {len(tried)}:",
        "",
        "| vector | rerank | half believed | goal |",
        "|---:|---:|---:|---:|",
        *(f"| {t.vector:g} | {t.rerank:g} | {t.half_believed:g} | {g:.4f} |" for t, g in tried[:5]),
        "",
        "On the odd ones:",
        "",
        "| set | trust | " + " | ".join(MEASURES) + " |",
        "|---|---|" + "---:|" * len(MEASURES),
    ]
    shown = {"best": tried[0][0], "in use": used, "none": Trust(0.0, 0.0)}
    for one in sets:
        for name, trust in shown.items():
            found = figures(one.posed[1::2], trust)
            cells = " | ".join(f"{found[measure]:.3f}" for measure in MEASURES)
            lines.append(f"| {one.name} | {name} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Fits and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    text = report([pose(read_set(f), options.embedder) for f in options.folders], options.embedder)
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
