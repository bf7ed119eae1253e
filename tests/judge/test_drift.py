"""Whether two texts can both hold: the verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.judge import Drift, Duplicate, HeuristicJudge, as_drift

JUDGE = HeuristicJudge()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The port of the relay is 8080.", "The relay listens on port 9090."),
        ("The hall seats 120 guests.", "The hall seats 140 guests."),
        ("The lease ends on 3 May 2026.", "The lease ends on 2026-05-04."),
        ("The relay needs Python v3.9.", "The relay needs Python v3.11."),
        ("The pump takes 40 ms.", "The pump takes 40 s."),
        ("The gate stores passwords.", "The gate does not store passwords."),
        ("Guests may smoke in the yard.", "Nobody may smoke in the yard."),
        ("Sync for the archive is enabled.", "Sync for the archive is disabled."),
        ("The relay is owned by Ada.", "The owner of the relay is Tom."),
        ("Tom lives in Ghent.", "Tom lives in Graz."),
        ("The rent is 700 euros. We like it here.", "It rains a lot. The rent is 760 euros."),
        ("The rent is about 700 euros.", "The rent is 1700 euros."),
        ("The hall seats at most 120 guests.", "The hall seats 140 guests."),
        ("端口是8080。", "端口是9090。"),
        ("部屋の家賃は700ユーロです。", "部屋の家賃は760ユーロです。"),
        ("월세는 700유로이다.", "월세는 760유로이다."),
    ],
)
def test_what_cannot_both_hold_is_contradictory(a: str, b: str) -> None:
    assert JUDGE.drift(a, b).verdict is Drift.CONTRADICTORY
    assert JUDGE.drift(b, a).verdict is Drift.CONTRADICTORY


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Tom works for Velora.", "Tom no longer works for Velora."),
        ("As of 2023, the club has 40 members.", "As of 2025, the club has 52 members."),
        ("Tom leads the choir.", "Tom led the choir until 2022."),
    ],
)
def test_what_has_ceased_is_stale(a: str, b: str) -> None:
    assert JUDGE.drift(a, b).verdict is Drift.STALE
    assert JUDGE.drift(b, a).verdict is Drift.STALE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The relay listens on port 8080.", "The mailer listens on port 9090."),
        ("The hall seats 120 guests.", "The hall costs 700 euros."),
        ("Tom knows Ada.", "Tom knows Ida."),
        ("The cache may use 2 GB.", "The cache may use 2 GiB."),
        ("The relay can be used to send mail.", "The relay is used to send mail."),
        ("The lower ring is rusted.", "Never the lower ring, it is rusted."),
        ("Four people ashore at most.", "No more than four people ashore."),
        ("A gust of 31 m/s on 2024-12-09.", "A gust of 31 m/s at 16:20."),
        ("There are many more plums in the yard.", "There are some plums in the yard."),
        ("In 2019 the firm employed 40 people.", "In 2023 the firm employed 65 people."),
        ("In summer the fern needs water.", "In winter the fern doesn't need water."),
        ("With the patch the relay passed.", "Without the patch the relay failed."),
        ("The box holds 2 GB.", "The box holds 2048 MB."),
        ("The lease ends on 3 May 2026.", "The lease ends in May 2026."),
        ("Sync is not enabled.", "Sync is disabled."),
        ("The tool is fast.", "The tool is fast but not small."),
        ("The hall has 120 seats.", "The hall has 120 seats, 14 of them by the door."),
        ("Tom met Ada on 3 May 2026.", "Tom met Ada on 9 May 2026."),
        ("端口是8080。", "仓库里有很多箱子。"),
        ("", ""),
        ("- sub-item 1 of the list\n- sub-item 2 of the list", "- sub-item 3 of the list"),
        ("Day 1 of the trip.\nDay 2 of the trip.", "Day 1 of the trip.\nDay 3 of the trip."),
        ("- [ ] pay 40 euros of rent", "- [ ] pay 50 euros of rent"),
        ("It returns 0 if all are found.", "It returns 999 if none of the squares are found."),
        ("| rent | 700 euros |", "| rent | 760 euros |"),
        ("rating of use:: 4", "rating of use:: 5"),
        ("The rent is about 700 euros.", "The rent is 710 euros."),
        ("The rent is at least 700 euros.", "The rent is 760 euros."),
        ("The rent is under 800 euros.", "The rent is 760 euros."),
        ("Die Miete beträgt etwa 700 Euro.", "Die Miete beträgt 710 Euro."),
        ("Room 12 has 20 seats.", "Room 14 has 30 seats."),
        ("Version 1.2 fixes the crash.", "Version 1.3 fixes the crash."),
        ("Tom bought 3 plums.", "Tom bought 5 plums."),
        ("Tom weighed 60 kg in 2020.", "Tom weighs 62 kg."),
        ("We fill 12 crates today.", "We fill 15 crates today."),
        ("Bake it for 10 minutes at 230 degrees.", "Bake it for 20 minutes at 200 degrees."),
        ("The bus to Ghent leaves at 9:10.", "The bus to Ghent leaves at 9:40."),
        ("The old pump is no longer used.", "The new pump is used."),
        ("去根特的火车票价是5欧元。", "去布鲁日的火车票价是7欧元。"),
        ("早上吃5毫克。", "晚上吃10毫克。"),
        ("以前端口是8080。", "现在端口是9090。"),
        ("京都行きのバスは500円です。", "奈良行きのバスは700円です。"),
        ("田中さんはコーヒーを飲まない。", "鈴木さんはコーヒーを飲む。"),
    ],
)
def test_what_can_both_hold_is_consistent(a: str, b: str) -> None:
    assert JUDGE.drift(a, b).verdict is Drift.CONSISTENT
    assert JUDGE.drift(b, a).verdict is Drift.CONSISTENT


def test_the_reason_quotes_both_claims() -> None:
    judgement = JUDGE.drift("The rent is 700 euros.", "The rent is 760 euros.")

    assert judgement.reason == "numbers differ: The rent is 700 euros. / The rent is 760 euros."


@pytest.mark.parametrize("word", ["", "perhaps", None, 3])
def test_a_word_that_is_no_verdict_is_consistent(word: object) -> None:
    assert as_drift(word) is Drift.CONSISTENT


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_have_a_verdict_and_shares_between_0_and_1(a: str, b: str) -> None:
    judgement = JUDGE.drift(a, b)

    assert 0 <= judgement.confidence <= 1
    assert 0 <= judgement.suspicion <= 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Four people ashore at most.", "No more than four people ashore."),
        ("The lower ring is rusted through.", "Never the lower ring, it is rusted through."),
        (
            "Use no signifier to indicate no priority.",
            "Use no signifier to indicate no priority (searched for with 'none').",
        ),
        ("`TODO`", "One of `TODO`, `DONE` or `CANCELLED`"),
        ("Not only the north pier is open.", "The north pier is open."),
    ],
)
def test_what_only_looks_like_a_negation_contradicts_nothing(a: str, b: str) -> None:
    assert HeuristicJudge().drift(a, b).verdict is Drift.CONSISTENT


def test_each_and_every_are_one_word() -> None:
    a = "Feed the starter each evening with two spoons of rye flour, then cover the blue crock with a cloth."
    assert HeuristicJudge().duplicate(a, a.replace("each", "every")).verdict is Duplicate.MERGE
