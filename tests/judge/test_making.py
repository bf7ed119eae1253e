"""The judge that settings ask for, and what is wrong with them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.machinery import ModuleSpec

import pytest

from vaultmem.errors import SettingsError
from vaultmem.judge import HeuristicJudge, Judge, ModelJudge, make_judge
from vaultmem.judge.making import PROVIDERS
from vaultmem.settings import JudgeSettings
from vaultmem.settings_values import JUDGE_PROVIDERS


def made(settings: JudgeSettings, environ: Mapping[str, str] | None = None) -> Judge:
    return make_judge(settings, environ or {}, clock=lambda: 0.0, sleep=lambda seconds: None)


def error(settings: JudgeSettings, environ: Mapping[str, str] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        made(settings, environ)
    return str(caught.value)


def test_without_a_model_the_heuristics_judge() -> None:
    assert isinstance(made(JudgeSettings()), HeuristicJudge)


@pytest.mark.parametrize(
    ("model", "environ"),
    [
        ("ollama:llama3.2", {}),
        ("openai:gpt-5-mini", {"OPENAI_API_KEY": "sk-1"}),
        ("anthropic:claude-haiku-4-5", {"ANTHROPIC_API_KEY": "sk-1"}),
    ],
)
def test_with_a_model_it_judges(model: str, environ: Mapping[str, str]) -> None:
    judge = made(JudgeSettings(model=model), environ)

    assert isinstance(judge, ModelJudge)
    assert judge.report().by == model


def test_a_server_of_ones_own_needs_no_key() -> None:
    settings = JudgeSettings(model="openai:mine", base_url="http://localhost:8000/v1")

    assert isinstance(made(settings), ModelJudge)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            JudgeSettings(model="openai:gpt-5-mini"),
            "judge.model is openai:gpt-5-mini, but the environment variable OPENAI_API_KEY with its key is not set. "
            'Set OPENAI_API_KEY, name another with judge.api_key_env, or set judge.model to "".',
        ),
        (
            JudgeSettings(model="ollama:x", api_key_env="MY_KEY"),
            "judge.model is ollama:x, but the environment variable MY_KEY with its key is not set. "
            'Set MY_KEY, name another with judge.api_key_env, or set judge.model to "".',
        ),
        (
            JudgeSettings(model="gpt-5"),
            "judge.model must name a provider and a model, not 'gpt-5'. "
            "Providers are: openai, ollama, anthropic. An example: ollama:llama3.2",
        ),
        (
            JudgeSettings(model="ollama:x", price="dear"),
            "judge.price must be dollars for a million tokens in/out, not 'dear'. An example: \"0.25/2\".",
        ),
    ],
)
def test_a_mistake_is_answered_with_its_remedy(settings: JudgeSettings, message: str) -> None:
    assert error(settings, {"MY_KEY": " "}) == message


def test_where_the_extra_is_not_installed_the_message_says_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec

    def found(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "pydantic_ai" else find(name, package)

    monkeypatch.setattr("vaultmem.judge.making.find_spec", found)

    assert error(JudgeSettings(model="ollama:llama3.2")) == (
        "judge.model is ollama:llama3.2, but pydantic_ai is not installed. "
        "pip install 'vaultmem[llm]', or set judge.model to \"\"."
    )


def test_settings_and_judge_know_the_same_providers() -> None:
    assert PROVIDERS == JUDGE_PROVIDERS


@pytest.mark.parametrize("model", ["", "ollama:llama3.2"])
def test_nothing_heavy_is_imported_before_a_model_is_asked(model: str) -> None:
    program = (
        "import sys, time; from vaultmem.settings import JudgeSettings; from vaultmem.judge import make_judge;"
        f"judge = make_judge(JudgeSettings(model={model!r}), {{}}, clock=time.monotonic, sleep=time.sleep);"
        "judge.duplicate('The port is 8080.', 'The port is 9090.'); judge.duplicate('A.', 'A.');"
        "print(sorted({'pydantic_ai', 'pydantic', 'openai', 'anthropic', 'httpx', 'httpx2'} & sys.modules.keys()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_each_cycle_begins_with_its_caps_untouched() -> None:
    settings = replace(JudgeSettings(model="ollama:x"), max_tokens=0)

    first, second = made(settings), made(settings)

    assert first.duplicate("Cats sleep here all day.", "Dogs rest there for hours.").degraded
    assert first.report().stopped == "the cap of 0 tokens is reached"
    assert second.report().stopped == ""
