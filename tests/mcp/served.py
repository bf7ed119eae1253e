"""A server over HTTP in a process of its own, for tests."""

from __future__ import annotations

import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.client import Agent, server_command

TOKEN = "a-token-for-tests-only"


class Served:
    """A server of a vault, in a process of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        given = server_command(root, "--http", "--port", "0", VAULTMEM_MCP_TOKEN=TOKEN)
        self.process = subprocess.Popen(
            [given.command, *given.args],
            env=given.env,
            cwd=given.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert found, line
        self.url = found[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()

    def end(self) -> str:
        """Ends it as Ctrl-C does; what it had printed on standard output."""
        self.process.send_signal(2)
        out, _ = self.process.communicate(timeout=20)
        return out

    @asynccontextmanager
    async def agent(self, token: str = TOKEN, name: str = "tests") -> AsyncIterator[Agent]:
        """A client with that token."""
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(self.url, http_client=http)
            info = types.Implementation(name=name, version="1")
            async with Client(transport, client_info=info) as client:
                yield Agent(client)
