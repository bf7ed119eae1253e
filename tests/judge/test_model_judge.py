"""A judge with a model that answers: what becomes of its verdicts, and of words that are none."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.judge.asking import FERN, HEURISTIC, MODELS, SHADY, judge, pairs
from tests.judge.model_server import (
    ModelServer,
    Received,
    answers,
    completion,
    gives,
    judges,
    verdicts,
)
from vaultmem.judge import Drift, Duplicate, Usage
from vaultmem.settings import JudgeSettings


@pytest.mark.parametrize("model", MODELS)
def test_a_model_decides_what_the_heuristics_cannot(model: str) -> None:
    with ModelServer(answers("MERGE")) as server:
        asked = judge(server, JudgeSettings(model=model))
        judged = asked.duplicate(FERN, SHADY)

    assert HEURISTIC.duplicate(FERN, SHADY).verdict is Duplicate.COEXIST
    assert (judged.verdict, judged.by, judged.degraded) == (Duplicate.MERGE, model, "")
    assert (judged.reason, judged.confidence) == ("the same claims in other words", 0.9)
    assert (judged.usage.calls, judged.usage.tokens_in, judged.usage.tokens_out) == (1, 400, 60)
    assert asked.report().usage == judged.usage
    assert asked.report().lines() == ()
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("verdict", "reason", "told"),
    [
        (Drift.CONTRADICTORY, "values_conflict", "values contradict each other"),
        (Drift.STALE, "replaced", "one replaces the other"),
        (Drift.CONSISTENT, "no_conflict", "nothing contradicts"),
    ],
)
def test_a_model_decides_whether_two_texts_can_both_hold(
    verdict: Drift, reason: str, told: str
) -> None:
    with ModelServer(answers(verdict, reason, 0.8)) as server:
        judged = judge(server).drift(FERN, SHADY)

    suspicion = HEURISTIC.drift(FERN, SHADY).suspicion if verdict is Drift.CONSISTENT else 0.9
    assert (judged.verdict, judged.reason, judged.confidence) == (verdict, told, 0.8)
    assert (judged.suspicion, judged.by) == (suspicion, MODELS[0])


def test_twenty_pairs_are_one_question_and_one_more_is_another() -> None:
    def rule(a: str, b: str) -> dict[str, object]:
        return {"verdict": "ABSORB_A" if "moss" in a else "MERGE", "confidence": 0.9}

    with ModelServer(judges(rule)) as server:
        asked = judge(server)
        judged = asked.duplicates(pairs(21))

    assert [len(each.pairs) for each in server.received] == [20, 1]
    assert [each.verdict for each in judged] == [
        Duplicate.MERGE,
        Duplicate.ABSORB_A,
        *[Duplicate.MERGE] * 19,
    ]
    total = sum((each.usage for each in judged), Usage())
    assert total.cost == pytest.approx(asked.report().usage.cost)
    assert dataclasses.replace(total, cost=0.0) == dataclasses.replace(
        asked.report().usage, cost=0.0
    )
    assert (total.calls, total.tokens_in, total.tokens_out) == (2, 800, 120)


def test_what_was_asked_is_not_asked_again_and_equal_texts_get_equal_answers() -> None:
    with ModelServer(answers("MERGE"), answers("COEXIST")) as server:
        asked = judge(server)
        first = asked.duplicates([(FERN, SHADY), (FERN, SHADY)])
        later = asked.duplicate(FERN, SHADY)
        asked.drift(FERN, SHADY)
        asked.drift(FERN, SHADY)

    assert [each.verdict for each in (*first, later)] == [Duplicate.MERGE] * 3
    assert [each.usage.calls for each in (*first, later)] == [1, 0, 0]
    assert len(server.received) == 2


def test_no_question_for_what_needs_none() -> None:
    with ModelServer(answers("MERGE")) as server:
        asked = judge(server)
        same = asked.duplicate(FERN, f"  {FERN}\n")
        value = asked.duplicate("The port is 8080.", "The port is 9090.")
        long = asked.duplicate(FERN * 200, SHADY * 200)
        asked.drift(FERN, FERN)
        none = asked.duplicates([])

    assert (same.verdict, same.by) == (Duplicate.MERGE, "heuristic")
    assert (value.verdict, value.reason) == (Duplicate.COEXIST, "values differ: 8080 / 9090")
    assert (value.by, value.degraded) == ("heuristic", "")
    assert (long.by, long.degraded) == ("heuristic", "the texts are too long for the model")
    assert none == []
    assert server.received == []


def test_an_answer_in_a_fence_is_read() -> None:
    def behave(handler: object, request: Received) -> None:
        text = json.dumps(verdicts(request, lambda a, b: {"verdict": "MERGE", "confidence": 1}))
        handler.reply(200, completion(content=f"```json\n{text}\n```"))  # type: ignore[attr-defined]

    with ModelServer(behave) as server:
        assert judge(server).duplicate(FERN, SHADY).verdict is Duplicate.MERGE


@pytest.mark.parametrize("word", ["MERGE BOTH", "合并", "", 7, None, ["MERGE"], {"MERGE": 1}])
def test_a_word_that_is_no_verdict_keeps_both_and_contradicts_nothing(word: object) -> None:
    with ModelServer(judges(lambda a, b: {"verdict": word, "confidence": 1.0})) as server:
        asked = judge(server)
        judged, drift = asked.duplicate(FERN, SHADY), asked.drift(FERN, SHADY)

    why = "the model said something that is no verdict"
    assert (judged.verdict, judged.by, judged.degraded) == (Duplicate.COEXIST, MODELS[0], why)
    assert (drift.verdict, drift.by, drift.degraded) == (Drift.CONSISTENT, MODELS[0], why)


def test_a_verdict_that_the_model_is_not_sure_of_changes_nothing() -> None:
    with ModelServer(answers("MERGE", confidence=0.6)) as server:
        judged = judge(server).duplicate(FERN, SHADY)

    assert (judged.verdict, judged.degraded) == (Duplicate.COEXIST, "the model was not sure")


@pytest.mark.parametrize("confidence", [float("nan"), "high", None, True, 1e400])
def test_a_confidence_that_is_none_counts_as_unsure(confidence: object) -> None:
    with ModelServer(judges(lambda a, b: {"verdict": "MERGE", "confidence": confidence})) as server:
        judged = judge(server).duplicate(FERN, SHADY)

    assert (judged.verdict, judged.confidence) == (Duplicate.COEXIST, 0.5)


def test_a_pair_that_is_left_out_is_the_heuristics_and_two_verdicts_are_none() -> None:
    def behave(request: Received) -> object:
        first, _, third = (each["id"] for each in request.pairs)
        return {
            "verdicts": [
                {"pair": first, "verdict": "MERGE", "confidence": 0.9},
                {"pair": third, "verdict": "MERGE", "confidence": 0.9},
                {"pair": third, "verdict": "COEXIST", "confidence": 0.9},
            ]
        }

    with ModelServer(gives(behave)) as server:
        judged = judge(server).duplicates(pairs(3))

    assert [(each.verdict.value, each.by, each.degraded) for each in judged] == [
        ("MERGE", MODELS[0], ""),
        ("COEXIST", "heuristic", "the model left the pair out"),
        ("COEXIST", MODELS[0], "the model gave two verdicts"),
    ]
