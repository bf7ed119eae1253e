"""Words of time and the days that they mean."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.search.query import parse_query
from vaultmem.search.when import find_times, read_time

MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("today", "2026-11-30"),
        ("yesterday", "2026-11-29"),
        ("the day before yesterday", "2026-11-28"),
        ("last night", "2026-11-29"),
        ("tomorrow", "2026-12-01"),
        ("3 days ago", "2026-11-27"),
        ("two weeks ago", "2026-11-13 to 2026-11-19"),
        ("a month ago", "2026-10-15 to 2026-11-14"),
        ("two years ago", "2024-01-01 to 2024-12-31"),
        ("a few days ago", "2026-11-25 to 2026-11-28"),
        ("the last two weeks", "2026-11-16 to 2026-11-30"),
        ("past 3 months", "2026-08-30 to 2026-11-30"),
        ("last week", "2026-11-23 to 2026-11-29"),
        ("last weekend", "2026-11-28 to 2026-11-29"),
        ("last Tuesday", "2026-11-24"),
        ("on Sunday", "2026-11-29"),
        ("next Monday", "2026-12-07"),
        ("last month", "2026-10-01 to 2026-10-31"),
        ("last quarter", "2026-07-01 to 2026-09-30"),
        ("last year", "2025-01-01 to 2025-12-31"),
        ("last spring", "2026-03-01 to 2026-05-31"),
        ("last autumn", "2025-09-01 to 2025-11-30"),
        ("last winter", "2025-12-01 to 2026-02-28"),
        ("the summer of 2023", "2023-06-01 to 2023-08-31"),
        ("in the spring of last year", "2025-03-01 to 2025-05-31"),
        ("in March 2024", "2024-03-01 to 2024-03-31"),
        ("in March", "2026-03-01 to 2026-03-31"),
        ("in December", "2025-12-01 to 2025-12-31"),
        ("since June", "2026-06-01 to 2026-11-30"),
        ("before 2020", "until 2019-12-31"),
        ("after March 2024", "since 2024-04-01"),
        ("between May and July 2025", "2025-05-01 to 2025-07-31"),
        ("from 2023 to 2025", "2023-01-01 to 2025-12-31"),
        ("early 2025", "2025-01-01 to 2025-05-02"),
        ("the end of last year", "2025-09-01 to 2025-12-31"),
        ("Q3 2025", "2025-07-01 to 2025-09-30"),
        ("the 1990s", "1990-01-01 to 1999-12-31"),
        ("March 12th, 2024", "2024-03-12"),
        ("on 12 May", "2026-05-12"),
        ("2024-03-12", "2024-03-12"),
        ("2024", "2024-01-01 to 2024-12-31"),
        ("去年", "2025-01-01 to 2025-12-31"),
        ("昨天", "2026-11-29"),
        ("上个月", "2026-10-01 to 2026-10-31"),
        ("三天前", "2026-11-27"),
        ("最近一周", "2026-11-23 to 2026-11-30"),
        ("去年夏天", "2025-06-01 to 2025-08-31"),
        ("去年三月", "2025-03-01 to 2025-03-31"),
        ("2024年3月12日", "2024-03-12"),
        ("上周五", "2026-11-27"),
        ("2023年以来", "2023-01-01 to 2026-11-30"),
        ("先週", "2026-11-23 to 2026-11-29"),
        ("昨日", "2026-11-29"),
        ("一昨日", "2026-11-28"),
        ("去年の夏", "2025-06-01 to 2025-08-31"),
        ("先週の火曜日", "2026-11-24"),
        ("3日前", "2026-11-27"),
        ("지난주", "2026-11-23 to 2026-11-29"),
        ("vor drei Tagen", "2026-11-27"),
        ("letzten Sommer", "2026-06-01 to 2026-08-31"),
        ("la semaine dernière", "2026-11-23 to 2026-11-29"),
        ("hace dos semanas", "2026-11-13 to 2026-11-19"),
    ],
)  # fmt: skip
def test_what_words_of_time_mean(text: str, days: str) -> None:
    in_a_question = parse_query(f"boiler {text}", today=MONDAY)

    assert [str(time.range) for time in find_times(text, MONDAY)] == [days]
    assert [str(span) for span in in_a_question.times] == [days]


@pytest.mark.parametrize(
    "text",
    [
        "spring water", "march of the penguins", "may I come in", "Sunday roast", "the second gear", "fall arrester",
        "port 8080", "version 3.2024", "game 2048", "last.fm", "spring boot in java", "model 2024 plate", "三日月", "一月",
        "2026-02-31", "30 february", "99999 days ago", "day bed",
    ],
)  # fmt: skip
def test_what_only_looks_like_time_is_none(text: str) -> None:
    assert find_times(text, MONDAY) == ()


def test_so_many_days_or_weeks_ago_are_one_day_for_a_filter() -> None:
    assert str(read_time("two weeks ago", MONDAY)) == "2026-11-16"


@pytest.mark.parametrize("text", ["yesterdayy", "boiler last spring", "", "soon", "2026-13-01"])
def test_a_filter_takes_nothing_but_a_time(text: str) -> None:
    assert read_time(text, MONDAY) is None


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("boiler last spring", ["boiler"]),
        ("去年夏天锅炉", ["锅炉"]),
        ("boiler in March 2024", ["boiler", "in", "march", "2024"]),
        ("yesterday lyrics", ["yesterday", "lyrics"]),
        ("last spring", ["last", "spring"]),
    ],
)
def test_only_what_no_note_would_say_is_no_word_of_the_query(text: str, terms: list[str]) -> None:
    assert [term.text for term in parse_query(text, today=MONDAY).terms] == terms


WORDS = "last next this since until before between and to from in 2024 march 31 february 0 9999 years ago weeks spring 去年 年 月 日前 3 三 上 周 末 vor il y a hace".split()  # noqa: SIM905


@given(
    st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=12).map(" ".join),
    st.dates(),
)
def test_any_text_on_any_day_is_read(text: str, today: date) -> None:
    query = parse_query(text, today=today)

    assert all(span.first <= span.last for span in query.times)
