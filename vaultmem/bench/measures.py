"""How good a ranking is. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

MEASURES = ("hit@1", "hit@5", "hit@10", "recall_all@10", "mrr@10", "ndcg@10")
"""In the order of the tables."""


def judge(found: Sequence[str], grades: Mapping[str, int]) -> dict[str, float]:
    """Each measure of a ranking, 0 to 1. ``recall_all`` is 1 when every item that answers is among the ten; a gain is
    2 to the grade less 1."""
    found = found[:10]
    places = [place for place, item in enumerate(found) if item in grades]
    gains = [
        (2 ** grades.get(item, 0) - 1) / math.log2(place + 2) for place, item in enumerate(found)
    ]
    ideal = sorted(grades.values(), reverse=True)[:10]
    best = sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(ideal))
    first = places[0] if places else math.inf
    return {
        "hit@1": float(first < 1),
        "hit@5": float(first < 5),
        "hit@10": float(first < 10),
        "recall_all@10": float(len(places) == len(grades)),
        "mrr@10": 1 / (first + 1),
        "ndcg@10": sum(gains) / best,
    }


def mean(judged: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure."""
    return {name: sum(one[name] for one in judged) / len(judged) for name in MEASURES}
