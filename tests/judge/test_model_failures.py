"""A judge whose model fails: the heuristics answer and say so, and in time it is asked no more."""

from __future__ import annotations

import dataclasses
import time

import pytest

from tests.judge.asking import FERN, HEURISTIC, MODELS, SHADY, Time, judge, pairs
from tests.judge.model_server import (
    Behaviour,
    ModelServer,
    answers,
    breaks_off,
    drips,
    fails,
    gives,
    hangs_up,
    judges,
    keeps_silent,
    says,
    sends,
)
from vaultmem.judge import Drift, Duplicate, make_judge
from vaultmem.settings import JudgeSettings

WRONG_FORM = "the answer had not the form that was asked for"
BROKEN: list[tuple[str, Behaviour, str, int]] = [
    ("prose", says("I would surely MERGE these two!"), WRONG_FORM, 3),
    ("prose in another language", says("这两条笔记说的是同一件事，应该合并。"), WRONG_FORM, 3),
    ("other fields", gives(lambda r: {"answer": "MERGE"}), WRONG_FORM, 3),
    ("no list", gives(lambda r: {"verdicts": "MERGE"}), WRONG_FORM, 3),
    ("rows that are none", gives(lambda r: {"verdicts": ["MERGE"]}), WRONG_FORM, 3),
    ("a row without a verdict", judges(lambda a, b: {"confidence": 1.0}), WRONG_FORM, 3),
    (
        "a pair that was not asked about",
        gives(lambda r: {"verdicts": [{"pair": "2-000000", "verdict": "MERGE"}]}),
        WRONG_FORM,
        3,
    ),
    ("half a reply", breaks_off, "the connection broke off", 3),
    ("no reply", hangs_up, "the connection broke off", 3),
    ("silence", keeps_silent, "no answer within 1 s", 3),
    ("a reply that never ends", drips, "no answer within 1 s", 3),
    ("a page", sends(b"<html>hello", "text/html"), WRONG_FORM, 3),
    ("half of JSON", sends(b'{"id": "x", "choi'), "what answers at its address is no model", 3),
    ("another protocol", sends(b'{"ok": true}'), WRONG_FORM, 3),
    ("an overload", fails(529), "HTTP 529", 3),
    ("a fault", fails(500), "HTTP 500", 3),
    ("too many questions", fails(429), "HTTP 429", 3),
    ("a refusal", fails(400), "HTTP 400", 1),
    ("a wrong key", fails(401), "the key is refused (HTTP 401)", 1),
    ("an unknown model", fails(404), "there is no such model or address (HTTP 404)", 1),
    ("no credit", fails(429, code="insufficient_quota"), "the account's quota is used up", 1),
]


@pytest.mark.parametrize(("behaviour", "why", "tries"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])  # fmt: skip
def test_where_the_model_fails_the_heuristics_answer_and_say_so(
    behaviour: Behaviour, why: str, tries: int
) -> None:
    expected = HEURISTIC.duplicate(FERN, SHADY)

    with ModelServer(behaviour) as server:
        asked = judge(server, JudgeSettings(model=MODELS[0], timeout_seconds=1))
        judged = asked.duplicate(FERN, SHADY)

    assert judged == dataclasses.replace(expected, degraded=why, usage=judged.usage)
    assert (judged.usage.calls, judged.usage.failures) == (tries, tries)
    # What is sent into a connection just as the server hangs up arrives nowhere, and is a try all the same.
    fewest = 1 if why == "the connection broke off" else tries
    assert fewest <= len(server.received) <= tries
    assert asked.report().degraded == ((why, 1),)
    assert "secret words of the server" not in repr((judged, asked.report()))


@pytest.mark.parametrize(("behaviour", "why"), [(b[1], b[2]) for b in BROKEN if b[3] == 1 or b[0] == "prose"], ids=[b[0] for b in BROKEN if b[3] == 1 or b[0] == "prose"])  # fmt: skip
def test_drift_falls_back_as_well(behaviour: Behaviour, why: str) -> None:
    a, b = "Sync is enabled on the laptop.", "Sync is disabled on the laptop."

    with ModelServer(behaviour) as server:
        judged = judge(server).drift(a, b)

    assert judged.verdict is Drift.CONTRADICTORY
    assert judged == dataclasses.replace(HEURISTIC.drift(a, b), degraded=why, usage=judged.usage)


@pytest.mark.parametrize("behaviour", [says("Sure!"), fails(500), fails(401), sends(b"[]")])
def test_anthropics_protocol_fails_as_well_as_the_other(behaviour: Behaviour) -> None:
    with ModelServer(behaviour) as server:
        judged = judge(server, JudgeSettings(model=MODELS[2])).duplicate(FERN, SHADY)

    assert (judged.verdict, judged.by, bool(judged.degraded)) == (
        Duplicate.COEXIST,
        "heuristic",
        True,
    )


def test_nothing_at_the_address_costs_nothing() -> None:
    with ModelServer(says("")) as server:
        url = server.url
    asked = make_judge(
        JudgeSettings(model=MODELS[0], base_url=f"{url}/v1"),
        {},
        clock=Time().clock,
        sleep=lambda seconds: None,
    )

    judged = asked.duplicate(FERN, SHADY)

    assert judged.degraded == "nothing answers at its address"
    assert (judged.usage.calls, judged.usage.tokens_in, judged.usage.cost) == (3, 0, 0.0)


def test_a_question_is_called_off_at_once_when_somebody_returns() -> None:
    with ModelServer(keeps_silent) as server:
        asked = make_judge(
            JudgeSettings(model=MODELS[0], base_url=f"{server.url}/v1", timeout_seconds=20),
            {},
            clock=time.monotonic,
            sleep=lambda seconds: None,
            stop=lambda: len(server.received) == 1,
        )
        judged = asked.duplicate(FERN, SHADY)

    assert judged.degraded == "it was called off"
    assert judged.usage.seconds < 15
    assert asked.report().stopped == "it was called off"


# -- tries and their end --------------------------------------------------------------------------------------------


def test_after_a_failure_that_may_pass_the_model_is_asked_again() -> None:
    at = Time()

    with ModelServer(fails(500), fails(429, {"Retry-After": "7"}), answers("MERGE")) as server:
        judged = judge(server, at=at).duplicate(FERN, SHADY)

    assert (judged.verdict, judged.degraded) == (Duplicate.MERGE, "")
    assert at.waits == [1.0, 7.0]
    assert (judged.usage.calls, judged.usage.failures, judged.usage.seconds) == (3, 2, 8.0)


def test_a_server_that_wants_a_long_rest_is_left_alone() -> None:
    at = Time()

    with ModelServer(fails(429, {"Retry-After": "3600"})) as server:
        judged = judge(server, at=at).duplicate(FERN, SHADY)

    assert judged.degraded == "HTTP 429, and it wants to be left alone for 3600 s"
    assert at.waits == []


def test_three_questions_without_an_answer_end_the_asking_for_this_cycle() -> None:
    with ModelServer(fails(400)) as server:
        asked = judge(server)
        judged = [asked.duplicate(a, b) for a, b in pairs(5)]

    ended = "3 questions in a row had no answer, the last since HTTP 400"
    assert [each.degraded for each in judged] == [*["HTTP 400"] * 3, ended, ended]
    assert len(server.received) == 3
    assert asked.report().stopped == ended
    assert asked.report().lines() == (
        f"openai:gpt-5-mini was not asked any more: {ended}.",
        "3 decisions were not as asked: HTTP 400.",
    )


def test_an_answer_between_failures_lets_the_asking_go_on() -> None:
    refused, good = fails(400), answers("MERGE")

    with ModelServer(refused, refused, good, refused, refused, good) as server:
        asked = judge(server)
        judged = [asked.duplicate(a, b).verdict.value for a, b in pairs(6)]

    assert judged == ["COEXIST", "COEXIST", "MERGE"] * 2
    assert asked.report().stopped == ""


def test_what_every_question_would_meet_ends_the_asking_at_once() -> None:
    with ModelServer(fails(401)) as server:
        asked = judge(server)
        asked.duplicates(pairs(3))
        asked.drift(FERN, SHADY)

    assert len(server.received) == 1
    assert asked.report().stopped == "the key is refused (HTTP 401)"
