"""How far above the usual a block's cosine is, and what its neighbours say to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.search.likeness import (
    MOST_SIGMAS,
    Likeness,
    Noise,
    Usual,
    around,
    believed,
    centres,
    judged,
    likenesses,
    noise_of,
    usual,
    with_neighbours,
)

NAN = float("nan")

# Blocks 1 to 4 are of note 1, 5 of note 2; 0 and 6 to 8 are none.
NOTES = np.array([0, 1, 1, 1, 1, 2, 0, 0, 0], dtype=np.int32)


def by_block(*cosines: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array([NAN, *cosines, NAN, NAN, NAN], dtype=np.float32)


def ids(*blocks: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(blocks, dtype=np.int64)


def test_a_block_alone_in_its_note_is_its_own_surroundings() -> None:
    assert around(NOTES, by_block(0.1, 0.1, 0.1, 0.1, 0.8), ids(5)).tolist() == [pytest.approx(0.8)]


def test_neighbours_of_the_same_note_count_those_before_more_than_those_behind() -> None:
    before = around(NOTES, by_block(0.9, 0.1, 0.1, 0.1, 0.9), ids(2))
    behind = around(NOTES, by_block(0.1, 0.1, 0.9, 0.1, 0.9), ids(2))
    other_note = around(NOTES, by_block(0.1, 0.1, 0.1, 0.1, 0.9), ids(4))

    assert before[0] > behind[0] > 0.1
    assert other_note.tolist() == [pytest.approx(0.1)]


def test_neighbours_without_a_vector_are_left_out() -> None:
    assert around(NOTES, by_block(NAN, 0.6, NAN, NAN, 0.9), ids(2)).tolist() == [pytest.approx(0.6)]
    assert np.isnan(around(NOTES, by_block(NAN, NAN, NAN, NAN, 0.9), ids(2))).all()


def test_the_first_and_the_last_place_have_no_neighbours_outside() -> None:
    notes = np.array([7, 7, 7], dtype=np.int32)
    cosines = np.array([NAN, 0.2, 0.4], dtype=np.float32)

    assert around(notes, cosines, ids(2)).tolist() == [pytest.approx((0.4 + 0.2) / 2)]
    assert with_neighbours(notes, ids(2)).tolist() == [1, 2]


def test_with_neighbours_names_those_of_the_same_notes() -> None:
    assert with_neighbours(NOTES, ids(1, 5)).tolist() == [1, 2, 3, 4, 5]
    assert with_neighbours(NOTES, ids()).tolist() == []


def test_without_any_vector_the_models_own_noise_is_the_usual() -> None:
    noise = noise_of(NOTES, by_block(NAN, NAN, NAN, NAN, NAN), ids(1, 5), 0.4)

    assert noise.alone == noise.around
    assert [round(x, 6) for x in noise.alone] == [0.167, 0.1]
    assert noise.floor == 0.4


@pytest.mark.parametrize("count", [1000, 10_000])
def test_of_many_values_the_own_mean_and_deviation_are_the_usual(count: int) -> None:
    values = np.linspace(0.0, 0.2, count, dtype=np.float32)

    found = usual(values, 0.4)

    assert found.mean == pytest.approx(0.1, abs=0.005)
    assert found.spread == pytest.approx(0.2 / math.sqrt(12), abs=0.005)


def test_the_floor_is_never_below_the_models_own_noise() -> None:
    low = np.full(9, 0.01, dtype=np.float32)

    assert noise_of(NOTES, low, ids(1, 2, 3, 4, 5), 0.4).floor >= 0.4


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.001, 1))
def test_how_far_above_the_usual_grows_from_nought_to_one(
    value: float, mean: float, spread: float
) -> None:
    found = Usual(mean, spread)

    assert found.above(mean) == 0
    assert found.above(mean + (MOST_SIGMAS + 0.01) * spread) == pytest.approx(1)
    assert 0 <= found.above(value) <= found.above(value + 0.1) <= 1


def test_a_likeness_is_believed_by_the_length_of_its_block() -> None:
    certain = Noise(Usual(0.0, 0.1), Usual(0.0, 0.1), 0.3, 0.3)

    found = judged({1: Likeness(0.6, 0.3, 30), 2: Likeness(0.6, 0.3, 270)}, certain, half=30)

    assert {block: [round(x, 6) for x in like] for block, like in found.items()} == {
        1: [0.5, 0.25],
        2: [0.9, 0.45],
    }
    assert believed(0, half=30) == 0


def test_likenesses_are_told_of_blocks_that_have_a_vector() -> None:
    words = np.arange(9, dtype=np.float32)
    found = likenesses(NOTES, words, by_block(NAN, NAN, 0.3, NAN, 0.8), [5, 3, 5, 1])

    assert {block: [round(x, 6) for x in like] for block, like in found.items()} == {
        3: [0.3, 0.3, 3],
        5: [0.8, 0.8, 5],
    }


@given(st.lists(st.booleans(), min_size=0, max_size=2000))
def test_centres_come_from_all_over_what_is_searched(closed: list[bool]) -> None:
    mask = np.array(closed, dtype=np.bool_)
    found = centres(mask)
    searched = np.flatnonzero(~mask)

    assert len(found) == min(len(searched), 256)
    assert not mask[found].any()
    if len(searched):
        assert found[0] == searched[0]
