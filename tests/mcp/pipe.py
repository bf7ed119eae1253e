"""A server and the bare ends of its pipes, for tests that look at every line."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.mcp.client import PATIENCE_S, server_command

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "wire", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Pipe:
    """A server and the bare ends of its pipes."""

    def __init__(self, root: Path, **environ: str) -> None:
        given = server_command(root, **environ)
        self.process = subprocess.Popen(
            [given.command, *given.args],
            env=given.env,
            cwd=given.cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, *lines: str | Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        for line in lines:
            text = line if isinstance(line, str) else json.dumps(line)
            self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """The next line, which is a message. A server that does not answer is ended, so that none waits for ever."""
        assert self.process.stdout is not None
        late = threading.Timer(PATIENCE_S, self.process.kill)
        late.start()
        try:
            return json.loads(self.process.stdout.readline())
        finally:
            late.cancel()

    def greet(self) -> None:
        self.send(HELLO)
        assert self.answer()["result"]["serverInfo"]["name"] == "vaultmem"
        self.send(READY)

    def call(self, number: int, tool: str, **arguments: object) -> None:
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def kill(self) -> None:
        """Ends it however it is."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self) -> tuple[bytes, bytes]:
        """Closes the server's input; what is left of its output, and what it said on the side."""
        out, err = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return out, err
