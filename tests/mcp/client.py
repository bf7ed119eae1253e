"""Agents for tests: the protocol's own client, talking to the command as a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from time import time
from typing import TypeVar

from mcp import Client, StdioServerParameters, stdio_client, types

from tests.cli.command import environment
from tests.vaults import write

_T = TypeVar("_T")

COMMAND = "import sys; from vaultmem_cli.main import main; sys.exit(main())"

LONG_AGO_S = 3600
PATIENCE_S = 60.0


def make_vault(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder with those files, which nobody has saved in the last hour."""
    root.mkdir(parents=True, exist_ok=True)
    write(root, files)
    for path in files:
        os.utime(root / path, (time() - LONG_AGO_S,) * 2)
    return root


def server_command(root: Path, *options: str, **environ: str) -> StdioServerParameters:
    """How the server of a vault is started, for a user who has set nothing."""
    home = root.with_name(f"{root.name}-home")
    home.mkdir(exist_ok=True)
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", COMMAND, "mcp", "--vault", str(root), *options],
        env=environment(home, **{"VAULTMEM_EMBEDDER": "none", **environ}),
        cwd=home,
    )


class Agent:
    """A connected client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: object) -> str:
        """The text of the answer; an error is none."""
        is_error, text = await self.tried(tool, **arguments)
        assert not is_error, text
        return text

    async def refused(self, tool: str, **arguments: object) -> str:
        """The one line that says why there is no answer."""
        is_error, text = await self.tried(tool, **arguments)
        assert is_error, text
        assert "\n" not in text
        return text

    async def tried(self, tool: str, **arguments: object) -> tuple[bool, str]:
        """Whether it went wrong, and what was said."""
        result = await self.client.call_tool(tool, dict(arguments))
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        return bool(result.is_error), content.text

    async def hash_of(self, note: str) -> str:
        """The hash of a note, read as an agent does."""
        return said(await self.call("memory_get", note=note), "hash")


def said(answer: str, key: str) -> str:
    """What a line ``key: …`` of the answer says."""
    found = re.search(rf"^{key}: (.*)$", answer, re.MULTILINE)
    assert found, answer
    return found[1]


def paths_in(answer: str) -> list[str]:
    """The paths that a search found, in its order."""
    return re.findall(r"^\d+\. (.+?\.md):\d+", answer, re.MULTILINE)


def data_in(answer: str) -> str:
    """What stands between the marks of an answer that has one pair."""
    (found,) = re.findall(
        r'<vault-data id="(\w+)" from="[^"]*">\n(.*?)\n</vault-data id="\1">', answer, re.DOTALL
    )
    return str(found[1])


@asynccontextmanager
async def agent(
    root: Path, *options: str, name: str = "tests", **environ: str
) -> AsyncIterator[Agent]:
    """An agent called so, on that vault."""
    with tempfile.TemporaryFile("w+") as errors:
        transport = stdio_client(server_command(root, *options, **environ), errlog=errors)
        async with Client(
            transport, client_info=types.Implementation(name=name, version="1")
        ) as client:
            yield Agent(client)


def played(scene: Callable[[], Awaitable[_T]]) -> _T:
    """What the scene returns, within the time that it may take."""

    async def timed() -> _T:
        async with asyncio.timeout(PATIENCE_S):
            return await scene()

    return asyncio.run(timed())
