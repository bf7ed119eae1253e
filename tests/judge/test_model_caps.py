"""What a judge may take from a model: tokens, money, time."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.judge.asking import FERN, MODELS, SHADY, Time, judge, pairs
from tests.judge.model_server import ModelServer, Received, answers, completion, fails, verdicts
from vaultmem.judge import Duplicate, Usage, make_judge
from vaultmem.settings import JudgeSettings


@pytest.mark.parametrize(
    ("settings", "asked_times", "why"),
    [
        (JudgeSettings(max_tokens=0), 0, "the cap of 0 tokens is reached"),
        (JudgeSettings(max_tokens=5_000), 2, "the cap of 5,000 tokens is reached"),
        (JudgeSettings(max_cost=0.0), 0, "the cap of 0.00 dollars is reached"),
        (JudgeSettings(max_cost=0.007, price="1/1"), 7, "the cap of 0.01 dollars is reached"),
        (JudgeSettings(max_minutes=0), 0, "the cap of 0 minutes is reached"),
    ],
)
def test_when_a_cap_is_reached_the_heuristics_take_over(
    settings: JudgeSettings, asked_times: int, why: str
) -> None:
    with ModelServer(answers("MERGE")) as server:
        asked = judge(server, dataclasses.replace(settings, model=MODELS[0]))
        judged = [asked.duplicate(a, b) for a, b in pairs(9)]

    assert len(server.received) == asked_times
    assert [each.degraded for each in judged] == [""] * asked_times + [why] * (9 - asked_times)
    assert [each.by for each in judged][asked_times:] == ["heuristic"] * (9 - asked_times)
    assert asked.report().lines() == (f"openai:gpt-5-mini was not asked any more: {why}.",)


def test_waiting_between_tries_counts_as_minutes() -> None:
    at = Time()
    wait = fails(429, {"Retry-After": "25"})

    with ModelServer(wait, wait, answers("MERGE"), wait, answers("MERGE")) as server:
        asked = judge(server, JudgeSettings(model=MODELS[0], max_minutes=1), at)
        judged = [asked.duplicate(a, b) for a, b in pairs(2)]

    assert [each.verdict.value for each in judged] == ["MERGE", "COEXIST"]
    assert at.waits == [25.0, 25.0]


def test_a_model_of_unknown_price_counts_as_the_dearest_and_that_is_said() -> None:
    settings = JudgeSettings(model="openai:my-own", max_cost=0.8)

    with ModelServer(answers("MERGE")) as server:
        asked = judge(server, settings)
        judged = [asked.duplicate(a, b) for a, b in pairs(22)]

    assert judged[0].usage.cost is None
    assert asked.report().usage.cost is None
    assert 1 <= len(server.received) < 22
    assert asked.report().lines() == (
        "openai:my-own was not asked any more: the cap of 0.80 dollars is reached (the model's price is not known, so the highest counts).",
        "What openai:my-own costs is not known; judge.price can say it.",
    )


def test_a_reply_without_numbers_is_counted_from_above() -> None:
    def behave(handler: object, request: Received) -> None:
        body = completion(content=json.dumps(verdicts(request, lambda a, b: {"verdict": "MERGE", "confidence": 1.0})))  # fmt: skip
        del body["usage"]
        handler.reply(200, body)  # type: ignore[attr-defined]

    with ModelServer(behave) as server:
        judged = judge(server).duplicate(FERN, SHADY)

    sent = len(json.dumps(server.received[0].body["messages"], ensure_ascii=False))
    assert judged.verdict is Duplicate.MERGE
    assert sent / 4 < judged.usage.tokens_in < sent
    assert judged.usage.cost


def test_before_each_call_the_most_that_it_may_take_is_kept_and_then_what_it_took() -> None:
    kept: list[Usage] = []

    def keep(usage: Usage) -> str:
        kept.append(usage)
        return ""

    at = Time()
    with ModelServer(fails(500), answers("MERGE")) as server:
        settings = JudgeSettings(model=MODELS[0], base_url=f"{server.url}/v1", timeout_seconds=9)
        asked = make_judge(settings, {}, clock=at.clock, sleep=at.sleep, keep=keep)
        asked.duplicate(FERN, SHADY)
        assert [(each.calls, each.failures) for each in kept] == [(1, 1), (1, 1), (2, 2), (2, 1)]
        assert kept[0].seconds == 9
        assert kept[0].tokens_in + kept[0].tokens_out > kept[1].tokens_in
        assert kept[3] == asked.report().usage


def test_a_cost_that_cannot_be_kept_is_none_that_is_run_up() -> None:
    with ModelServer(answers("MERGE")) as server:
        settings = JudgeSettings(model=MODELS[0], base_url=f"{server.url}/v1")
        asked = make_judge(
            settings, {}, clock=Time().clock, sleep=Time().sleep, keep=lambda _: "no room"
        )
        judged = asked.duplicate(FERN, SHADY)
        assert (judged.by, judged.degraded) == ("heuristic", "no room")
        assert server.received == []
        assert asked.report().usage == Usage()
