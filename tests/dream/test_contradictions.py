"""A small run of ``python -m tests.dream.contradictions``, on the half that no rule was made with."""

from __future__ import annotations

from tests.dream.contradictions import measure
from tests.dream.figures import auc
from tests.dream.words import Half
from vaultmem.judge import HeuristicJudge


def test_contradictions_are_told_from_what_only_looks_like_one() -> None:
    figures = measure(HeuristicJudge(), 540, Half.HELD_OUT, seed=5)

    assert [figure.line() for figure in figures if not figure.reached] == []


def test_the_area_under_the_curve_counts_pairs_in_order_and_ties_half() -> None:
    assert auc([3, 2], [1, 2]) == 0.875
    assert auc([1, 1], [1]) == 0.5
    assert auc([0], [1]) == 0
