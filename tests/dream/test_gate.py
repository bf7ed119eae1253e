"""A small run of ``python -m tests.dream.gate``."""

from __future__ import annotations

import pytest

from tests.dream.gate import measure_crowds, measure_edits, measure_loops


def test_harmful_edits_are_kept_out_and_useful_ones_let_in() -> None:
    figures = measure_edits(6000, 200, seed=1)

    assert [figure.line() for figure in figures if not figure.reached] == []


@pytest.mark.parametrize("together", [4, 12, 32])
def test_the_same_holds_for_edits_that_come_together(together: int) -> None:
    figures = measure_crowds(12_000, 200, seed=1, together=together)

    assert [figure.line() for figure in figures if not figure.reached] == []


def test_planted_loops_are_caught_in_time_without_false_alarms() -> None:
    figures = measure_loops(240, seed=3)

    assert [figure.line() for figure in figures if not figure.reached] == []
