"""Texts that nobody wrote for a judge: each has a verdict, and soon."""

from __future__ import annotations

import pytest

from vaultmem.judge import Drift, Duplicate, HeuristicJudge

JUDGE = HeuristicJudge()


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "[[",
        "`",
        "1",
        "1,",
        "/a",
        "a-",
        "a.",
        " ",
        "# ",
        "> ",
        "|",
        "中",
        "가",
        "A. ",
        "a@",
        "a://",
        "1 may ",
    ],
)
def test_a_line_of_a_hundred_thousand_pieces_is_judged(piece: str) -> None:
    text = piece * 100_000

    assert JUDGE.duplicate(text, f"{text[:-1]}zz").verdict is Duplicate.COEXIST
    assert JUDGE.drift(text, f"{text[:-1]}zz").verdict is Drift.CONSISTENT


def test_two_languages_say_nothing_about_each_other() -> None:
    english, chinese = "The server listens on port 8080.", "服务器监听端口9090。"

    assert JUDGE.duplicate(english, chinese).verdict is Duplicate.COEXIST
    assert JUDGE.drift(english, chinese).verdict is Drift.CONSISTENT


def test_numbered_series_and_daily_notes_stay_apart() -> None:
    part = "Part {} of the travel journal, written on the train to the sea."
    day = "Log of 2026-03-{:02}: watered the plants and read for an hour before the evening meal."

    for template in (part, day):
        assert JUDGE.duplicate(template.format(1), template.format(2)).verdict is Duplicate.COEXIST
