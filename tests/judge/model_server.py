"""A server on this machine that speaks as models do: OpenAI's chat completions and Anthropic's messages.

It follows a script: one behaviour for each request, the last one for all that come after. What came in is kept.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Rule = Callable[[str, str], Mapping[str, object]]
"""What the model says of two texts: some of verdict, reason and confidence."""


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    """Names in small letters."""
    body: Mapping[str, Any]

    @property
    def pairs(self) -> list[dict[str, str]]:
        """The pairs that it asks about."""
        content = self.body["messages"][-1]["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        pairs: list[dict[str, str]] = json.loads(text)["pairs"]
        return pairs


Behaviour = Callable[["_Handler", Received], None]


def verdicts(request: Received, rule: Rule) -> dict[str, object]:
    """The answer in the form that was asked for."""
    rows = [{"pair": each["id"], **rule(each["a"], each["b"])} for each in request.pairs]
    return {"verdicts": rows}


def answers(verdict: str, reason: str = "same_claims", confidence: float = 0.9) -> Behaviour:
    """Says the same of every pair."""
    return judges(lambda a, b: {"verdict": verdict, "reason": reason, "confidence": confidence})


def judges(rule: Rule) -> Behaviour:
    """Says of every pair what the rule says."""
    return lambda handler, request: handler.say(request, verdicts(request, rule))


def gives(make: Callable[[Received], object]) -> Behaviour:
    """Answers with this value as JSON, whatever was asked for."""
    return lambda handler, request: handler.say(request, make(request))


def says(text: str) -> Behaviour:
    """Answers in prose."""

    def behave(handler: _Handler, request: Received) -> None:
        if request.path.endswith("/messages"):
            handler.reply(200, message([{"type": "text", "text": text}], "end_turn"))
        else:
            handler.reply(200, completion(content=text))

    return behave


def fails(status: int, headers: Mapping[str, str] | None = None, code: str = "wrong") -> Behaviour:
    """Answers with an error."""
    error = {"error": {"message": "secret words of the server", "type": "error", "code": code}}
    return lambda handler, request: handler.reply(status, error, headers)


def sends(content: bytes, kind: str = "application/json") -> Behaviour:
    """Answers with these bytes, and all is well by its status."""
    return lambda handler, request: handler.raw(200, content, {"Content-Type": kind})


def breaks_off(handler: _Handler, request: Received) -> None:
    """Announces a body, sends half of it, closes the connection."""
    body = json.dumps(
        completion(content=json.dumps(verdicts(request, lambda a, b: {"verdict": "MERGE"})))
    )
    handler.raw(200, body[: len(body) // 2].encode(), {"Content-Length": str(len(body))})
    handler.close_connection = True


def hangs_up(handler: _Handler, request: Received) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True


def keeps_silent(handler: _Handler, request: Received) -> None:
    """Takes the question and says nothing until the server stops."""
    handler.stopping.wait(30)
    handler.close_connection = True


def drips(handler: _Handler, request: Received) -> None:
    """Sends a blank now and then, and never an end: no pause is long, and all of it is too long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    try:
        while not handler.stopping.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        pass
    handler.close_connection = True


def completion(
    content: str | None = None, tool: Mapping[str, str] | None = None, finish: str = "stop"
) -> dict[str, object]:
    """A chat completion as OpenAI's protocol has it."""
    message: dict[str, object] = {"role": "assistant", "content": content}
    if tool is not None:
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": dict(tool)}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_800_000_000,
        "model": "test-model",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460},
    }


def message(content: Sequence[object], stop_reason: str) -> dict[str, object]:
    """A message as Anthropic's protocol has it."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "test-model",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 400, "output_tokens": 60},
    }


class ModelServer:
    """The server, while a ``with`` block runs."""

    def __init__(self, *script: Behaviour) -> None:
        self.received: list[Received] = []
        self._script: Sequence[Behaviour] = script
        self._stopping = threading.Event()
        server = self
        stopping = self._stopping

        class Handler(_Handler):
            owner = server

        Handler.stopping = stopping
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._thread.join(10)
        self._http.server_close()

    def behaviour(self) -> Behaviour:
        """What to do with the request that came last."""
        return self._script[min(len(self.received), len(self._script)) - 1]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ModelServer
    stopping: threading.Event

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.path, headers, json.loads(self.rfile.read(length)))
        self.owner.received.append(request)
        self.owner.behaviour()(self, request)

    def say(self, request: Received, value: object) -> None:
        """The value, in the way that the request asks for."""
        tools = request.body.get("tools")
        if request.path.endswith("/messages"):
            name = request.body["tools"][0]["name"]
            call = {"type": "tool_use", "id": "toolu_1", "name": name, "input": value}
            self.reply(200, message([call], "tool_use"))
        elif tools:
            tool = {"name": tools[0]["function"]["name"], "arguments": json.dumps(value)}
            self.reply(200, completion(tool=tool, finish="tool_calls"))
        else:
            self.reply(200, completion(content=json.dumps(value)))

    def reply(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        """JSON."""
        kind = {"Content-Type": "application/json"}
        self.raw(status, json.dumps(body).encode(), {**kind, **(headers or {})})

    def raw(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        """Bytes, with these headers."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 as the base class has it
        """Nothing on the terminal."""
