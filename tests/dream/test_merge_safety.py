"""A small run of ``python -m tests.dream.merge_safety``, on the half that no rule was made with."""

from __future__ import annotations

from tests.dream.merge_safety import measure
from tests.dream.words import Half
from vaultmem.judge import HeuristicJudge


def test_look_alikes_stay_apart_and_duplicates_are_found() -> None:
    figures = measure(HeuristicJudge(), 400, Half.HELD_OUT, seed=5)

    assert [figure.line() for figure in figures if not figure.reached] == []
