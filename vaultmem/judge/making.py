"""The judge that settings ask for. Without a model nothing of pydantic-ai is imported, and with one only when it is
asked for the first time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Final, Protocol, get_args

from vaultmem.errors import SettingsError
from vaultmem.judge.caps import JudgeCaps
from vaultmem.judge.client import NO_KEY, Endpoint, ModelClient, Provider
from vaultmem.judge.heuristics import HeuristicJudge
from vaultmem.judge.model import Judge
from vaultmem.judge.modeljudge import Keep, ModelJudge
from vaultmem.judge.prices import Price, price_of, read_price
from vaultmem.judge.usage import NOTHING, Usage

PROVIDERS: Final[tuple[Provider, ...]] = get_args(Provider)

INSTALL: Final = "pip install 'vaultmem[llm]'"

_URLS: Final[Mapping[Provider, str]] = {
    "openai": "https://api.openai.com/v1",
    "ollama": "http://localhost:11434/v1",
    "anthropic": "https://api.anthropic.com",
}
_KEYS: Final[Mapping[Provider, str]] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
"""The variables that hold keys by custom. They go to the provider's own address alone."""
_NEEDED: Final[Mapping[Provider, tuple[str, ...]]] = {
    "openai": ("pydantic_ai", "openai"),
    "ollama": ("pydantic_ai", "openai"),
    "anthropic": ("pydantic_ai", "anthropic"),
}


class JudgeChoice(Protocol):
    """What settings say about the judge; ``vaultmem.settings.JudgeSettings`` fulfils it."""

    @property
    def model(self) -> str:
        """PROVIDER:NAME, or "" for the heuristics."""

    @property
    def base_url(self) -> str:
        """Where the model answers; "": at the provider's own address."""

    @property
    def api_key_env(self) -> str:
        """The variable that holds the key; "": the provider's usual one, at the provider's own address."""

    @property
    def max_tokens(self) -> int:
        """A cycle."""

    @property
    def max_cost(self) -> float:
        """US dollars a cycle."""

    @property
    def max_minutes(self) -> int:
        """A cycle."""

    @property
    def timeout_seconds(self) -> int:
        """For one try."""

    @property
    def price(self) -> str:
        """US dollars for a million tokens in/out; "": from the table."""


def make_judge(
    choice: JudgeChoice,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
    stop: Callable[[], bool] = lambda: False,
    before: Usage = NOTHING,
    keep: Keep = lambda _: "",
) -> Judge:
    """A judge for one cycle: its caps begin anew with it, but for what the same cycle took ``before``.

    ``clock``: seconds that never go back. ``sleep`` waits between two tries. ``stop`` is asked five times a second while a
    model is being waited for, and calls the question off. ``keep`` is told what all calls took, and before each one what
    it may take at most; where it says why it cannot keep that, no model is asked.

    Raises SettingsError when a model is asked for that is named wrongly, whose extra is not installed, or whose key is
    not there.
    """
    if not choice.model:
        return HeuristicJudge()
    provider, name = _named(choice.model)
    missing = [each for each in _NEEDED[provider] if find_spec(each) is None]
    if missing:
        raise SettingsError(
            f"judge.model is {choice.model}, but {missing[0]} is not installed.",
            hint=f'{INSTALL}, or set judge.model to "".',
        )
    endpoint = Endpoint(
        provider, name, choice.base_url or _URLS[provider], _key(choice, provider, environ)
    )
    return ModelJudge(
        ModelClient(endpoint),
        name=choice.model,
        caps=JudgeCaps(choice.max_tokens, choice.max_cost, choice.max_minutes),
        price=_price(choice),
        timeout=choice.timeout_seconds,
        clock=clock,
        sleep=sleep,
        stop=stop,
        before=before,
        keep=keep,
    )


def _named(model: str) -> tuple[Provider, str]:
    """The provider and the model's own name. Raises SettingsError."""
    provider, _, name = model.partition(":")
    if provider not in PROVIDERS or not name:
        raise SettingsError(
            f"judge.model must name a provider and a model, not {model!r}.",
            hint=f"Providers are: {', '.join(PROVIDERS)}. An example: ollama:llama3.2",
        )
    return provider, name


def _key(choice: JudgeChoice, provider: Provider, environ: Mapping[str, str]) -> str:
    """The key. Raises SettingsError when the variable that should hold it is not set."""
    usual = "" if choice.base_url else _KEYS.get(provider, "")
    variable = choice.api_key_env or usual
    if not variable:
        return NO_KEY
    key = environ.get(variable, "").strip()
    if not key:
        raise SettingsError(
            f"judge.model is {choice.model}, but the environment variable {variable} with its key is not set.",
            hint=f'Set {variable}, name another with judge.api_key_env, or set judge.model to "".',
        )
    return key


def _price(choice: JudgeChoice) -> Price | None:
    """Raises SettingsError for a price that is none."""
    if not choice.price:
        return price_of(choice.model)
    price = read_price(choice.price)
    if price is None:
        raise SettingsError(
            f"judge.price must be dollars for a million tokens in/out, not {choice.price!r}.",
            hint='An example: "0.25/2".',
        )
    return price
