"""The six stages, each by itself."""

from __future__ import annotations

import numpy as np
import pytest

from vaultmem.search.profile import CLASSIC, DEFAULT, Trust
from vaultmem.search.stages import (
    STAGES,
    Ranked,
    cosine_rerank,
    hard_min_score,
    length_normalization,
    mmr_diversity,
    recency_boost,
    run_stages,
    time_decay,
)


def ranked(*scores: float) -> list[Ranked]:
    return [Ranked(block, block, score) for block, score in enumerate(scores, 1)]


def order(found: list[Ranked]) -> list[int]:
    return [r.block_id for r in found]


def test_cosine_rerank_mixes_in_cosines_stretched_among_the_candidates() -> None:
    given = [
        Ranked(1, 1, 0.8, cosine=0.2),
        Ranked(2, 2, 0.6, cosine=0.6),
        Ranked(3, 3, 0.5, cosine=0.4),
        Ranked(4, 4, 0.5, cosine=None),
    ]

    found = cosine_rerank(given, share=0.5, stretch=True)

    assert [(r.block_id, round(r.score, 6)) for r in found] == [
        (2, 0.8),
        (3, 0.5),
        (1, 0.4),
        (4, 0.25),
    ]


def test_cosine_rerank_mixes_in_likeness_where_it_is_known() -> None:
    given = [
        Ranked(1, 1, 0.8, cosine=0.9, likeness=0.1),
        Ranked(2, 2, 0.6, cosine=0.2, likeness=0.9),
        Ranked(3, 3, 0.4, cosine=0.4, likeness=None),
    ]

    found = cosine_rerank(given, share=0.25)

    assert [(r.block_id, round(r.score, 6)) for r in found] == [(2, 0.675), (1, 0.625), (3, 0.3)]


def test_cosine_rerank_changes_nothing_while_no_likeness_is_known() -> None:
    given = ranked(0.8, 0.6)

    assert cosine_rerank(given, share=0.25) == given
    assert cosine_rerank(given, share=0.25, stretch=True) == given


def test_recency_boost_lets_the_newer_of_two_equals_stand_first() -> None:
    given = [Ranked(1, 1, 0.5, age_days=90), Ranked(2, 2, 0.5, age_days=0)]

    found = recency_boost(given, share=0.1, half_life_days=90)

    assert [(r.block_id, round(r.score, 6)) for r in found] == [(2, 0.55), (1, 0.5)]


def test_recency_boost_prefers_the_time_that_the_query_speaks_of() -> None:
    given = [Ranked(1, 1, 0.6, age_days=0), Ranked(2, 2, 0.5, age_days=400, timely=1.0)]

    found = recency_boost(given, share=0.1, half_life_days=90, timely=0.25)

    assert [(r.block_id, round(r.score, 6)) for r in found] == [(2, 0.625), (1, 0.45)]


def test_length_normalization_lowers_what_is_longer_than_the_anchor() -> None:
    given = [Ranked(1, 1, 0.9, length=1000), Ranked(2, 2, 0.7, length=500), Ranked(3, 3, 0.5)]

    found = length_normalization(given, anchor=500)

    assert [(r.block_id, round(r.score, 6)) for r in found] == [(2, 0.7), (1, 0.6), (3, 0.5)]


def test_time_decay_halves_its_share_with_each_half_life_but_of_permanent_notes() -> None:
    given = [
        Ranked(1, 1, 0.8, age_days=90),
        Ranked(2, 2, 0.8, age_days=90, permanent=True),
        Ranked(3, 3, 0.8),
    ]

    found = time_decay(given, share=0.5, half_life_days=90)

    assert [(r.block_id, round(r.score, 6)) for r in found] == [(2, 0.8), (3, 0.8), (1, 0.6)]


def test_hard_min_score_keeps_what_reaches_the_floor() -> None:
    assert order(hard_min_score(ranked(0.9, 0.35, 0.349), floor=0.35)) == [1, 2]


def test_mmr_diversity_puts_what_is_new_before_what_says_the_same_again() -> None:
    vectors = {
        1: np.array([1, 0], dtype=np.float32),
        2: np.array([1, 0], dtype=np.float32),
        3: np.array([0, 1], dtype=np.float32),
    }

    found = mmr_diversity(ranked(0.9, 0.8, 0.7), balance=0.7, vectors=lambda _: vectors)

    assert order(found) == [1, 3, 2]
    assert [r.score for r in found] == [0.9, 0.7, 0.8]


@pytest.mark.parametrize(
    "stage",
    [
        lambda r: cosine_rerank(r, share=0.0),
        lambda r: recency_boost(r, share=0.0, half_life_days=90),
        lambda r: length_normalization(r, anchor=0),
        lambda r: time_decay(r, share=0.0, half_life_days=90),
        lambda r: hard_min_score(r, floor=0.0),
        lambda r: mmr_diversity(r, balance=1.0, vectors=lambda _: {}),
    ],
)
def test_a_stage_at_its_neutral_constant_changes_nothing(stage: object) -> None:
    given = [
        Ranked(1, 1, 0.9, cosine=0.1, length=900, age_days=10.0),
        Ranked(2, 2, 0.5, cosine=0.9, length=90, age_days=1.0),
    ]

    assert callable(stage)
    assert stage(given) == given


@pytest.mark.parametrize("profile", [DEFAULT, CLASSIC])
def test_stages_run_in_the_order_of_their_names(profile: object) -> None:
    assert profile in (DEFAULT, CLASSIC)
    chosen = CLASSIC if profile is CLASSIC else DEFAULT

    done = run_stages(ranked(0.9, 0.5), chosen, Trust(1, 0.1), lambda _: {})

    assert [name for name, _ in done] == list(STAGES)
    assert order(done[-1][1]) == [1, 2]


def test_the_classic_profile_has_the_constants_of_the_specification() -> None:
    assert (CLASSIC.fusion, CLASSIC.rrf_k) == ("rrf", 60)
    assert (CLASSIC.half_life_days, CLASSIC.floor, CLASSIC.mmr_lambda) == (90.0, 0.35, 0.7)
