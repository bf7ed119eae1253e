"""From ranked lanes to one ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.search.fusion import FLOOR, WEIGHTS, Candidate, Fused, best_per_note, fuse
from vaultmem.search.model import Lane, LaneRank


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse({}) == []
    assert fuse({Lane.KEYWORD: [], Lane.VECTOR: []}) == []


def test_one_lane_keeps_its_order_and_its_best_scores_one() -> None:
    fused = fuse({Lane.KEYWORD: [Candidate(5, 9.0), Candidate(3, 4.0), Candidate(8, 1.0)]})

    assert [f.block_id for f in fused] == [5, 3, 8]
    assert fused[0].score == pytest.approx(1.0)
    assert fused[2].score == pytest.approx(FLOOR)
    assert fused[1].lanes == (LaneRank(Lane.KEYWORD, 2, 4.0),)


def test_a_lane_without_candidates_takes_no_share() -> None:
    alone = fuse({Lane.KEYWORD: [Candidate(1, 2.0)]})

    assert fuse({Lane.KEYWORD: [Candidate(1, 2.0)], Lane.SUBSTRING: []}) == alone


def test_what_two_lanes_find_stands_above_what_one_finds() -> None:
    fused = fuse(
        {
            Lane.KEYWORD: [Candidate(1, 5.0), Candidate(2, 5.0)],
            Lane.VECTOR: [Candidate(2, 0.8)],
        }
    )

    assert [f.block_id for f in fused] == [2, 1]
    assert fused[0].lanes == (LaneRank(Lane.KEYWORD, 2, 5.0), LaneRank(Lane.VECTOR, 1, 0.8))


def test_equal_scores_stand_by_block() -> None:
    fused = fuse({Lane.KEYWORD: [Candidate(9, 1.0), Candidate(2, 1.0)]})

    assert [f.block_id for f in fused] == [2, 9]


CANDIDATES = st.dictionaries(
    st.integers(1, 30), st.decimals(-50, 50, places=3).map(float), max_size=10
).map(lambda scores: [Candidate(b, s) for b, s in sorted(scores.items(), key=lambda i: -i[1])])


@given(st.dictionaries(st.sampled_from(list(Lane)), CANDIDATES))
def test_scores_lie_between_the_floor_and_one_best_first(
    lanes: dict[Lane, list[Candidate]],
) -> None:
    fused = fuse(lanes)

    assert {f.block_id for f in fused} == {c.block_id for found in lanes.values() for c in found}
    assert fused == sorted(fused, key=lambda f: (-f.score, f.block_id))
    least = FLOOR * min(WEIGHTS.values()) / sum(WEIGHTS.values())
    assert all(least <= f.score <= 1 + 1e-9 for f in fused)


def test_each_note_answers_with_its_best_block() -> None:
    fused = [Fused(1, 0.9, ()), Fused(2, 0.8, ()), Fused(3, 0.7, ()), Fused(4, 0.6, ())]

    best = best_per_note(fused, {1: 10, 2: 10, 3: 11})

    assert [f.block_id for f in best] == [1, 3]
