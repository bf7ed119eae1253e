"""One request to a model, by pydantic-ai. The only module that knows that library, and the network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, Literal, cast
from urllib.parse import urlsplit

from vaultmem.files.events import JsonValue

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai import Agent
    from pydantic_ai.models import Model
    from pydantic_ai.usage import RunUsage

Provider = Literal["openai", "ollama", "anthropic"]

NO_KEY: Final = "none"
"""Sent where a server wants none: the libraries insist on one, and would look for one in the environment."""
POLL: Final = 0.2
"""Seconds between two looks at whether to stop."""
GRACE: Final = 2.0
"""Seconds that a request has to end once it was called off."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers."""

    provider: Provider
    model: str
    """The name alone, as the provider knows it."""
    base_url: str
    key: str = NO_KEY

    def __repr__(self) -> str:
        """Without the key, which belongs in no message."""
        return f"Endpoint({self.provider}:{self.model} at {self.base_url})"


@dataclass(frozen=True, slots=True)
class Request:
    """One question."""

    instructions: str
    data: str
    schema: Mapping[str, JsonValue]
    most_out: int
    """Tokens that the answer may have."""
    timeout: float
    """Seconds for all of it."""


class Fate(StrEnum):
    """What a failure means for the next try."""

    AGAIN = "again"
    """It may pass."""
    NOT_AGAIN = "not again"
    """This question will fail again."""
    NEVER = "never"
    """Every question will fail."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer."""

    reason: str
    """In words of ours: nothing that the server said."""
    fate: Fate = Fate.AGAIN
    wait: float | None = None
    """Seconds that the server wants to be left alone."""
    billed: bool = True
    """Whether the question may have cost something."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    answer: Mapping[str, object] | None
    tokens_in: int = 0
    """0 where the server did not say."""
    tokens_out: int = 0
    failure: Failure | None = None


Transport = Callable[[Request, Callable[[], bool]], Reply]
"""Asks once; the second argument says whether to give up."""


class ModelClient:
    """Asks one model. Not for use inside a running event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def __call__(self, request: Request, stop: Callable[[], bool]) -> Reply:
        """The model's answer, or why there is none. Takes at most ``request.timeout`` seconds, less when ``stop`` says
        so; raises nothing for what the server does."""
        try:
            from pydantic_ai.usage import RunUsage

            http = _http(self._endpoint.base_url)
            model = self._model(
                http
            )  # before the clock runs: what is imported for it takes a second
        except ImportError as error:
            return Reply(
                None,
                failure=Failure(
                    f"pydantic-ai does not load ({error.name})", Fate.NEVER, billed=False
                ),
            )
        usage = RunUsage()
        try:
            return asyncio.run(self._limited(http, model, request, usage, stop))
        except Exception as error:  # noqa: BLE001 whatever a server sends must not end the night
            return _reply(usage, failure_of(error))

    async def _limited(
        self,
        http: AsyncClient,
        model: Model[Any],
        request: Request,
        usage: RunUsage,
        stop: Callable[[], bool],
    ) -> Reply:
        loop = asyncio.get_running_loop()
        until = loop.time() + request.timeout
        task = asyncio.create_task(self._ask(http, model, request, usage))
        while not task.done() and (left := until - loop.time()) > 0 and not stop():
            await asyncio.wait({task}, timeout=min(left, POLL))
        if task.done():
            return _reply(usage, answer=await task)
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE)
        if task.done() and not task.cancelled():
            task.exception()  # looked at, so that nobody complains that it was not
        if stop():
            return _reply(usage, Failure("it was called off", Fate.NEVER))
        return _reply(usage, Failure(f"no answer within {request.timeout:g} s"))

    async def _ask(
        self, http: AsyncClient, model: Model[Any], request: Request, usage: RunUsage
    ) -> Mapping[str, object]:
        from pydantic_ai import ModelSettings

        settings = ModelSettings(
            max_tokens=request.most_out, timeout=request.timeout, max_retries=0
        )
        async with http:
            result = await self._agent(model, request).run(
                request.data, model_settings=settings, usage=usage, infer_name=False
            )
        return result.output

    def _agent(self, model: Model[Any], request: Request) -> Agent[None, dict[str, Any]]:
        from pydantic_ai import Agent, NativeOutput, StructuredDict, ToolOutput

        form = StructuredDict(dict(request.schema), name="verdicts")
        # A tool is what Anthropic's models of every age take; a schema is what keeps small local models to the form.
        output = (
            ToolOutput(form, name="verdicts")
            if self._endpoint.provider == "anthropic"
            else NativeOutput(form, name="verdicts", strict=True)
        )
        return cast(
            "Agent[None, dict[str, Any]]",
            Agent(model, output_type=output, instructions=request.instructions, retries=0),
        )

    def _model(self, http: AsyncClient) -> Model[Any]:
        at = self._endpoint
        if at.provider == "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(
                at.model,
                provider=AnthropicProvider(api_key=at.key, base_url=at.base_url, http_client=http),
            )
        if at.provider == "ollama":
            from pydantic_ai.models.ollama import OllamaModel
            from pydantic_ai.profiles import merge_profile
            from pydantic_ai.profiles.openai import OpenAIModelProfile
            from pydantic_ai.providers.ollama import OllamaProvider

            ollama = OllamaProvider(api_key=at.key, base_url=at.base_url, http_client=http)
            # Ollama knows the cap of an answer's tokens by its older name alone.
            older = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
            profile = merge_profile(ollama.model_profile(at.model), older)
            return OllamaModel(at.model, provider=ollama, profile=profile)
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(
            at.model,
            provider=OpenAIProvider(api_key=at.key, base_url=at.base_url, http_client=http),
        )


def _http(base_url: str) -> AsyncClient:
    """What speaks HTTP. It follows no redirection, and what goes to this machine goes through no proxy."""
    from httpx2 import AsyncClient

    return AsyncClient(trust_env=not _on_this_machine(base_url), follow_redirects=False)


def _on_this_machine(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _reply(
    usage: RunUsage, failure: Failure | None = None, answer: Mapping[str, object] | None = None
) -> Reply:
    return Reply(answer, usage.input_tokens, usage.output_tokens, failure)


_LASTING: Final = {
    401: "the key is refused",
    402: "the account has no credit",
    403: "access is refused",
    404: "there is no such model or address",
}


def failure_of(error: Exception) -> Failure:
    """What went wrong, from what pydantic-ai raised. The error's own words may quote notes and are left out."""
    from pydantic_ai.exceptions import (
        ModelAPIError,
        ModelConnectionError,
        ModelHTTPError,
        ModelQuotaExceededError,
        ModelTimeoutError,
        OutputTokenLimitExceeded,
        UnexpectedModelBehavior,
        UserError,
    )

    match error:
        case ModelHTTPError(status_code=status) if status in _LASTING:
            return Failure(f"{_LASTING[status]} (HTTP {status})", Fate.NEVER, billed=False)
        case ModelQuotaExceededError():
            return Failure("the account's quota is used up", Fate.NEVER, billed=False)
        case ModelHTTPError(status_code=status, retry_after=wait):
            passing = status in (408, 409, 425, 429) or status >= 500
            fate = Fate.AGAIN if passing else Fate.NOT_AGAIN
            return Failure(f"HTTP {status}", fate, wait, billed=False)
        case ModelConnectionError(phase="pool" | "connect"):
            return Failure("nothing answers at its address", billed=False)
        case ModelTimeoutError():
            return Failure("no answer in time")
        case ModelConnectionError():
            return Failure("the connection broke off")
        case ModelAPIError():
            return Failure("what answers at its address is no model")
        case OutputTokenLimitExceeded():
            return Failure("the answer was cut off", Fate.NOT_AGAIN)
        case UnexpectedModelBehavior():
            return Failure("the answer had not the form that was asked for")
        case UserError():
            return Failure("the model does not take such questions", Fate.NEVER, billed=False)
    return Failure(f"the answer cannot be read ({type(error).__name__})")
