"""Which blocks are proposed for comparison."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dream.candidates import measure
from vaultmem.dream.candidates import PER_BLOCK, CandidatePair, Neighbour, Source, candidate_pairs
from vaultmem.dream.minhash import BANDS, ROWS, signatures

PARAGRAPH = (
    "the spare key hangs in the grey box beside the door of the workshop since the last winter"
)
REWORDED = (
    "the spare key hangs in the grey box next to the door of the workshop since the last winter"
)


def test_equal_texts_are_paired_with_the_first_of_them() -> None:
    pairs = candidate_pairs(["Same text.", "other words here", "same  TEXT.", "Same text."])

    assert pairs == [
        CandidatePair(0, 2, Source.EXACT, 1.0),
        CandidatePair(0, 3, Source.EXACT, 1.0),
    ]


def test_reworded_texts_are_near_and_unlike_ones_are_not() -> None:
    pairs = candidate_pairs([PARAGRAPH, "bread needs flour, water, salt and time", REWORDED])

    assert [(p.a, p.b, p.source) for p in pairs] == [(0, 2, Source.MINHASH)]
    assert pairs[0].likeness == pytest.approx(14 / 20, abs=0.15)


def test_chinese_japanese_and_korean_are_compared_by_characters() -> None:
    texts = [
        "请把备用钥匙放在工作室门边的灰色盒子里。",
        "请将备用钥匙放在工作室门边的灰色盒子里。",
        "予備の鍵は作業場の扉の横にある灰色の箱に入れてください。",
        "予備の鍵は作業場の扉の隣にある灰色の箱に入れてください。",
        "예비 열쇠는 작업실 문 옆의 회색 상자에 넣어 주세요.",
        "예비 열쇠는 작업실 문 곁의 회색 상자에 넣어 주세요.",
    ]

    assert sorted((p.a, p.b) for p in candidate_pairs(texts)) == [(0, 1), (2, 3), (4, 5)]


def test_near_vectors_are_proposed_after_what_is_surer() -> None:
    texts = [PARAGRAPH, REWORDED, "where the key is", PARAGRAPH, ""]
    near = [Neighbour(2, 0, 0.9), Neighbour(1, 0, 0.99), Neighbour(4, 0, 1.0)]

    pairs = candidate_pairs(texts, near)

    assert [(p.a, p.b, p.source) for p in pairs] == [
        (0, 3, Source.EXACT),
        (0, 1, Source.MINHASH),
        (0, 2, Source.VECTOR),
    ]


def test_blocks_of_one_note_are_no_pair_and_blank_ones_in_none() -> None:
    assert candidate_pairs([PARAGRAPH, REWORDED, PARAGRAPH], notes=["n", "n", "n"]) == []
    assert candidate_pairs(["", "", "  \n"]) == []
    assert candidate_pairs([]) == []
    assert candidate_pairs([PARAGRAPH]) == []


def test_a_series_of_look_alikes_stays_small() -> None:
    daily = [f"water the plants, read for an hour, no sugar today, day {n}" for n in range(400)]

    assert len(candidate_pairs(daily)) <= PER_BLOCK * len(daily)


@given(st.lists(st.text(max_size=40), max_size=12))
def test_whatever_the_texts_pairs_are_ordered_and_come_once(texts: list[str]) -> None:
    pairs = candidate_pairs(texts)

    assert all(0 <= p.a < p.b < len(texts) for p in pairs)
    assert len({(p.a, p.b) for p in pairs}) == len(pairs)
    assert pairs == sorted(pairs, key=lambda p: (-p.source, -p.likeness, p.a, p.b))


def test_a_text_has_the_same_signature_in_any_company() -> None:
    alone = signatures([REWORDED])
    among = signatures(["x", PARAGRAPH, REWORDED, "", "words"])

    assert alone.shape == (1, BANDS * ROWS)
    assert (among[2] == alone[0]).all()


def test_planted_duplicates_are_proposed() -> None:
    recall, per_block, _ = measure(3000, 100, 300, seed=2)

    assert recall.reached, recall.line()
    assert per_block.reached, per_block.line()
