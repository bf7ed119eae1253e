"""Serving a vault to agents over standard input and output."""

from __future__ import annotations

import secrets
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vaultmem.server.mcp.wire import Ends, Lines, Out, Receiver, claim

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from vaultmem.server.mcp.calls import Calls
    from vaultmem.server.mcp.desk import Desk, Watching
    from vaultmem.vault import Vault


@dataclass(frozen=True, slots=True)
class Service:
    """What is served, and how."""

    root: Path
    open_vault: Callable[[], Vault]
    home: Path
    read_only: bool = False
    watch: Callable[[], Watching] | None = None
    """Makes what keeps the index up; None for nothing: then every answer compares the files."""

    def desk(self) -> Desk:
        """Who does the work."""
        from vaultmem.server.mcp.desk import Desk

        return Desk(self.open_vault, watch=self.watch)

    def calls(self, desk: Desk) -> Calls:
        """The tools."""
        from vaultmem.server.mcp.calls import Calls, private_places

        return Calls(
            desk,
            mark=lambda: secrets.token_hex(8),
            read_only=self.read_only,
            private=private_places(self.root, self.home),
        )


def serve_stdio(service: Service) -> None:
    """Serves one client until it closes its end. Standard output carries the protocol alone."""
    ends = claim()
    _end_at_once_on_signals()

    import asyncio

    from vaultmem.server.mcp.app import make_server

    desk = service.desk()
    try:
        asyncio.run(_serve(make_server(service.calls(desk), desk), ends))
    finally:
        desk.close()


async def _serve(server: Server[object], ends: Ends) -> None:
    from typing import Any, cast

    from mcp.server.stdio import stdio_server

    receiver = cast(Any, Lines(Receiver(ends.read, ends.write, _is_read)))
    async with stdio_server(receiver, cast(Any, Out(ends.write))) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _is_read(line: str) -> bool:
    """Whether the protocol's library takes the line for a message; one that it does not it drops in silence."""
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except (ValidationError, UnicodeError):
        return False
    return True


def _end_at_once_on_signals() -> None:
    """A thread that waits for the client's next line cannot be woken; what was being written is finished or taken back
    by whoever opens the vault next."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with suppress(AttributeError, ValueError):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
