"""What judging took, what it costs, and what it may take."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.judge import (
    HeuristicJudge,
    JudgeCaps,
    JudgeReport,
    Price,
    Usage,
    price_of,
)
from vaultmem.judge.caps import Meter
from vaultmem.judge.prices import ASSUMED, PRICES, read_price

COUNTS = st.integers(0, 10**6)
USAGES = st.builds(
    Usage,
    COUNTS,
    COUNTS,
    COUNTS,
    st.none() | st.floats(0, 1e3),
    st.floats(0, 1e4),
    COUNTS,
)


@given(USAGES, st.integers(1, 25))
def test_shares_are_together_what_was_shared(usage: Usage, parts: int) -> None:
    shares = usage.shares(parts)
    total = sum(shares, Usage())

    assert len(shares) == parts
    assert (total.calls, total.tokens_in, total.tokens_out, total.failures) == (
        usage.calls,
        usage.tokens_in,
        usage.tokens_out,
        usage.failures,
    )
    assert total.seconds == pytest.approx(usage.seconds)
    assert total.cost == (None if usage.cost is None else pytest.approx(usage.cost))


def test_a_cost_that_is_not_known_is_not_known_in_the_sum_either() -> None:
    assert (Usage(cost=1.0) + Usage(cost=None)).cost is None
    assert (Usage(cost=1.0) + Usage(cost=0.5)).cost == 1.5


@given(USAGES)
def test_usage_survives_the_journal(usage: Usage) -> None:
    assert Usage.from_json(json.loads(json.dumps(usage.as_json()))) == usage


@pytest.mark.parametrize("raw", [None, [], "x", {"calls": "3", "cost": "dear", "seconds": True}])
def test_what_is_no_usage_reads_as_nothing(raw: object) -> None:
    assert Usage.from_json(raw) == Usage()


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("openai:gpt-5-mini", Price(0.25, 2.0)),
        ("openai:gpt-5-mini-2025-08-07", Price(0.25, 2.0)),
        ("openai:gpt-5", Price(1.25, 10.0)),
        ("openai:gpt-5-pro", None),
        ("openai:gpt-5-mini-of-mine", None),
        ("anthropic:claude-haiku-4-5-20251001", Price(1.0, 5.0)),
        ("anthropic:claude-opus-4-8", Price(5.0, 25.0)),
        ("ollama:llama3.2", Price(0.0, 0.0)),
        ("ollama:gpt-oss:120b-cloud", None),
        ("openai:my-own", None),
    ],
)
def test_a_price_goes_by_the_models_name(model: str, price: Price | None) -> None:
    assert price_of(model) == price


def test_an_unknown_price_counts_for_no_less_than_any_known_one() -> None:
    assert all(p.tokens_in <= ASSUMED.tokens_in for _, p in PRICES)
    assert all(p.tokens_out <= ASSUMED.tokens_out for _, p in PRICES)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("0.25/2", Price(0.25, 2.0)),
        (" 0 / 0 ", Price(0.0, 0.0)),
        ("1", None),
        ("-1/2", None),
        ("1e9/2", None),
        ("free", None),
        ("", None),
        ("٣/٤", None),
    ],
)
def test_a_price_is_read_from_settings(text: str, price: Price | None) -> None:
    assert read_price(text) == price


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000), st.floats(0, 40))),
    st.integers(0, 20_000),
    st.floats(0, 0.2),
    st.integers(0, 3),
)
def test_no_row_of_calls_goes_over_a_cap(
    calls: list[tuple[int, int, float]], tokens: int, cost: float, minutes: int
) -> None:
    meter = Meter(JudgeCaps(tokens, cost, minutes), Price(2.0, 10.0))

    for most_in, most_out, seconds in calls:
        if not meter.refusal(most_in, most_out):
            waited = min(seconds, meter.seconds_left())
            meter.call(most_in, most_out // 2, waited, failed=False)

    assert meter.total.tokens_in + meter.total.tokens_out <= tokens
    assert (meter.total.cost or 0) <= cost
    assert meter.total.seconds <= minutes * 60 + 1e-6


@pytest.mark.parametrize(
    ("before", "refused"),
    [
        (Usage(9, 800, 100, 0.1, 60.0), ""),
        (Usage(9, 801, 100, 0.1, 60.0), "the cap of 1,000 tokens is reached"),
        (Usage(9, 10, 10, 0.0, 120.0), "the cap of 2 minutes is reached"),
    ],
)
def test_what_a_cycle_took_before_it_was_called_off_counts_and_is_told_once(
    before: Usage, refused: str
) -> None:
    meter = Meter(JudgeCaps(1_000, 10.0, 2), Price(2.0, 10.0), before)
    assert meter.refusal(60, 40) == refused
    assert meter.total == Usage()


def test_the_heuristics_report_that_nothing_was_used() -> None:
    assert HeuristicJudge().report() == JudgeReport("heuristic")
    assert HeuristicJudge().report().lines() == ()
