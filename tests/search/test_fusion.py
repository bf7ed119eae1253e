"""From ranked lanes to one ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.search.fusion import Candidate, convex, lane_ranks, reciprocal_rank
from vaultmem.search.model import Lane, LaneRank

WEIGHTS = {Lane.KEYWORD: 1.0, Lane.SUBSTRING: 0.5, Lane.VECTOR: 0.25}


def test_nothing_found_is_nothing_fused() -> None:
    assert convex({}, WEIGHTS) == []
    assert convex({Lane.KEYWORD: [], Lane.VECTOR: []}, WEIGHTS) == []
    assert reciprocal_rank({Lane.KEYWORD: []}, 60) == []


def test_one_lane_keeps_its_order_and_its_best_scores_one() -> None:
    fused = convex(
        {Lane.KEYWORD: [Candidate(5, 9.0), Candidate(3, 4.5), Candidate(8, 0.9)]}, WEIGHTS
    )

    assert [(f.block_id, round(f.score, 6)) for f in fused] == [(5, 1.0), (3, 0.5), (8, 0.1)]


def test_cosines_are_stretched_so_that_the_worst_still_counts() -> None:
    fused = convex(
        {Lane.VECTOR: [Candidate(1, 0.9), Candidate(2, 0.8), Candidate(3, 0.7)]}, WEIGHTS
    )

    assert [round(f.score, 6) for f in fused] == [1.0, 0.55, 0.1]


def test_likenesses_speak_for_the_candidates_of_every_lane_in_place_of_cosines() -> None:
    lanes = {
        Lane.KEYWORD: [Candidate(1, 5.0), Candidate(2, 5.0)],
        Lane.VECTOR: [Candidate(3, 0.9)],
    }

    fused = convex(lanes, WEIGHTS, {1: 0.5, 3: 1.0, 77: 1.0})

    assert [(f.block_id, round(f.score, 6)) for f in fused] == [(1, 0.9), (2, 0.8), (3, 0.2)]


def test_few_of_the_querys_words_are_weak_even_where_nothing_has_more() -> None:
    lanes = {Lane.BRIDGE: [Candidate(1, 2.0)], Lane.VECTOR: [Candidate(2, 0.9)]}
    likes = {2: 1.0}

    assert [f.block_id for f in convex(lanes, WEIGHTS, likes)] == [1, 2]
    assert [f.block_id for f in convex(lanes, WEIGHTS, likes, full=10.0)] == [2, 1]


def test_a_lane_without_candidates_takes_no_share() -> None:
    alone = convex({Lane.KEYWORD: [Candidate(1, 2.0)]}, WEIGHTS)

    assert convex({Lane.KEYWORD: [Candidate(1, 2.0)], Lane.SUBSTRING: []}, WEIGHTS) == alone


def test_keyword_and_bridge_are_one_voice() -> None:
    """Given a block with half the words and near ones for the rest, then it stands beside one with all the words."""
    fused = convex(
        {
            Lane.KEYWORD: [Candidate(1, 4.0), Candidate(2, 2.0)],
            Lane.BRIDGE: [Candidate(2, 1.0)],
        },
        WEIGHTS,
    )

    assert [(f.block_id, f.score) for f in fused] == [(1, 1.0), (2, 0.75)]


def test_what_two_lanes_find_stands_above_what_one_finds() -> None:
    lanes = {
        Lane.KEYWORD: [Candidate(1, 5.0), Candidate(2, 5.0)],
        Lane.VECTOR: [Candidate(2, 0.8)],
    }

    assert [f.block_id for f in convex(lanes, WEIGHTS)] == [2, 1]
    assert [f.block_id for f in reciprocal_rank(lanes, 60)] == [2, 1]


def test_equal_scores_stand_by_block() -> None:
    lanes = {Lane.KEYWORD: [Candidate(9, 1.0), Candidate(2, 1.0)]}

    assert [f.block_id for f in convex(lanes, WEIGHTS)] == [2, 9]


def test_reciprocal_ranks_count_by_rank_alone() -> None:
    lanes = {
        Lane.KEYWORD: [Candidate(1, 90.0), Candidate(2, 1.0)],
        Lane.VECTOR: [Candidate(1, 0.3)],
    }

    fused = reciprocal_rank(lanes, 60)

    found: list[tuple[int, object]] = [(f.block_id, f.score) for f in fused]
    assert found == [
        (1, pytest.approx(1.0)),
        (2, pytest.approx(61 / 62 / 2)),
    ]


CANDIDATES = st.dictionaries(
    st.integers(1, 30), st.decimals("0.001", 50, places=3).map(float), max_size=10
).map(lambda scores: [Candidate(b, s) for b, s in sorted(scores.items(), key=lambda i: -i[1])])
LANES = st.dictionaries(st.sampled_from([Lane.KEYWORD, Lane.BRIDGE, Lane.VECTOR]), CANDIDATES)


@given(LANES)
def test_every_candidate_is_ranked_once_between_nought_and_one_best_first(
    lanes: dict[Lane, list[Candidate]],
) -> None:
    for fused in (convex(lanes, WEIGHTS), reciprocal_rank(lanes, 60)):
        offered = {c.block_id for found in lanes.values() for c in found}
        assert [f.block_id for f in fused if f.block_id in offered] == [f.block_id for f in fused]
        assert len(fused) == len(offered)
        assert fused == sorted(fused, key=lambda f: (-f.score, f.block_id))
        assert all(0 <= f.score <= 1 + 1e-9 for f in fused)


def test_ranks_are_told_for_the_blocks_that_are_asked_for() -> None:
    lanes = {
        Lane.KEYWORD: [Candidate(1, 4.0), Candidate(2, 2.0)],
        Lane.BRIDGE: [Candidate(2, 1.0)],
    }

    assert lane_ranks(lanes, [2, 7]) == {
        2: (LaneRank(Lane.KEYWORD, 2, 2.0), LaneRank(Lane.BRIDGE, 1, 1.0)),
        7: (),
    }
