"""What goes out to a model, and to where."""

from __future__ import annotations

import pytest

from tests.judge.asking import FERN, MODELS, SHADY, Time, judge, pairs
from tests.judge.model_server import ModelServer, answers, fails
from vaultmem.judge import Duplicate, ModelJudge, make_judge
from vaultmem.settings import JudgeSettings


@pytest.mark.parametrize("model", MODELS)
def test_a_key_goes_where_settings_say_and_into_no_message(model: str) -> None:
    with ModelServer(fails(401)) as server:
        path = "" if model.startswith("anthropic") else "/v1"
        asked = make_judge(
            JudgeSettings(model=model, base_url=server.url + path, api_key_env="MY_KEY"),
            {"MY_KEY": "sk-123", "OPENAI_API_KEY": "sk-other", "ANTHROPIC_API_KEY": "sk-other"},
            clock=Time().clock,
            sleep=lambda seconds: None,
        )
        judged = asked.duplicate(FERN, SHADY)

    (request,) = server.received
    assert request.headers["authorization"] == "Bearer sk-123"
    assert isinstance(asked, ModelJudge)
    assert "sk-" not in repr((judged, asked.report(), vars(asked)))


@pytest.mark.parametrize("model", MODELS)
def test_the_usual_key_does_not_go_to_another_address(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OLLAMA_API_KEY"):
        monkeypatch.setenv(name, "sk-123")

    with ModelServer(answers("MERGE")) as server:
        judge(server, JudgeSettings(model=model)).duplicate(FERN, SHADY)

    (request,) = server.received
    assert not any("sk-123" in value for value in request.headers.values())


@pytest.mark.parametrize("model", MODELS)
def test_what_goes_to_this_machine_goes_through_no_proxy(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(fails(500)) as proxy, ModelServer(answers("MERGE")) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        judged = judge(server, JudgeSettings(model=model)).duplicate(FERN, SHADY)

    assert judged.verdict is Duplicate.MERGE
    assert proxy.received == []


def test_a_redirection_is_not_followed() -> None:
    with ModelServer(answers("MERGE")) as other:
        away = fails(307, {"Location": f"{other.url}/v1/chat/completions"})
        with ModelServer(away) as server:
            judged = judge(server).duplicate(FERN, SHADY)

    assert judged.verdict is Duplicate.COEXIST
    assert other.received == []


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (MODELS[0], "max_completion_tokens"),
        (MODELS[1], "max_tokens"),
        (MODELS[2], "max_tokens"),
    ],
)
def test_the_length_of_an_answer_is_capped_in_the_request(model: str, field: str) -> None:
    with ModelServer(answers("MERGE")) as server:
        judge(server, JudgeSettings(model=model)).duplicates(pairs(2))

    assert server.received[0].body[field] == 3_200
