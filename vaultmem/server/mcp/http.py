"""Serving a vault to agents over HTTP, on this machine alone and to those who know the token."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vaultmem.errors import FailedError, UsageError
from vaultmem.server.mcp.wire import LONGEST_LINE

if TYPE_CHECKING:
    import socket

    from mcp.server.lowlevel import Server

    from vaultmem.server.mcp.serving import Service

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_HOSTS: Final = tuple(f"[{host}]" if ":" in host else host for host in LOOPBACK)
HTTP_PORT: Final = 80
PATH: Final = "/mcp"
SHORTEST_TOKEN: Final = 16

IDLE_S: Final = 30 * 60.0
"""How long a session lasts in which nothing is asked and no answer is waited for."""
MOST_SESSIONS: Final = 100
"""Sessions at once; who comes later is asked to wait."""

Message = MutableMapping[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


@dataclass(frozen=True, slots=True)
class Door:
    """Where it is listened, and the word that opens."""

    host: str
    port: int
    """0 for any that is free."""
    token: str


def door(host: str, port: int, token: str) -> Door:
    """The door. Raises UsageError for a place that others can reach, and a token that can be guessed; without one it
    is made."""
    if host not in LOOPBACK:
        raise UsageError(
            f"{host} can be reached from other machines.", hint=f"Use {', '.join(LOOPBACK)}."
        )
    if token and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"The token is too short to be one; use {SHORTEST_TOKEN} letters or more.")
    return Door(host, port, token or secrets.token_urlsafe(24))


def serve_http(service: Service, at: Door, say: Callable[[str], None]) -> None:
    """Serves until it is interrupted. Raises FailedError when the port is taken. ``say`` is told the address and the
    token."""
    import asyncio

    listening = listen(at)
    port = listening.getsockname()[1]
    shown = f"[{at.host}]" if ":" in at.host else at.host
    with listening, suppress(KeyboardInterrupt):
        say(f"Listening on http://{shown}:{port}{PATH}")
        say(f"Token: {at.token}")
        asyncio.run(_serve(service, at.token, listening, port))


def listen(at: Door) -> socket.socket:
    """The socket of the door. Raises FailedError when the port is taken."""
    import socket

    family = socket.AF_INET6 if ":" in at.host else socket.AF_INET
    # asyncio sends without delay only on sockets that say they are TCP; others wait 40 ms for each answer's second part.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((at.host, at.port))
        listening.listen(64)
    except OSError as error:
        listening.close()
        raise FailedError(
            f"Port {at.port} on {at.host} cannot be used: {error.strerror}.",
            hint="Choose another with --port, or 0 for any that is free.",
        ) from error
    return listening


async def _serve(service: Service, token: str, listening: socket.socket, port: int) -> None:
    import uvicorn

    from vaultmem.server.mcp.app import make_server

    desk = service.desk()
    server = make_server(service.calls(desk), desk)
    config = uvicorn.Config(
        guarded(make_app(server, port), token),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
    )
    try:
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        desk.close()


def make_app(
    server: Server[Any], port: int, *, idle_s: float = IDLE_S, most_sessions: int = MOST_SESSIONS
) -> App:
    """The server as an application that is listened for on that port of this machine. Requests for another host or
    port, or by pages of another origin, are refused. Sessions end after ``idle_s`` seconds without a request."""
    from mcp.server.transport_security import TransportSecuritySettings

    places = [f"{host}:{port}" for host in _HOSTS]
    if port == HTTP_PORT:  # which clients leave out
        places += _HOSTS
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_LINE,
        session_idle_timeout=idle_s,
        max_sessions=most_sessions,
        transport_security=TransportSecuritySettings(
            allowed_hosts=places, allowed_origins=[f"http://{place}" for place in places]
        ),
    )


def guarded(inner: App, token: str) -> App:
    """The application, for those who bring the token: others get 401 and learn nothing. Host and Origin are looked at
    further in."""
    wanted = f"bearer {token}".encode()

    async def app(
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if scope["type"] == "http" and not _brings(scope, wanted):
            headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"A bearer token is needed."})
            return
        await inner(scope, receive, send)

    return app


def _brings(scope: Message, wanted: bytes) -> bool:
    given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    kind, _, word = given.partition(b" ")
    return secrets.compare_digest(kind.lower() + b" " + word.strip(), wanted)
