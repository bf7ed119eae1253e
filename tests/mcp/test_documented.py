"""The pages about agents name every tool and argument, and show what the server says now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vaultmem.server.mcp.tools import TOOLS, ToolSpec

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_every_tool_and_argument_is_documented(tool: ToolSpec) -> None:
    page = (ROOT / "docs/reference/mcp.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {tool.name}\n")[1].split("\n## ")[0]
    assert [name for name in tool.known if f"`{name}`" not in section] == []
    assert set(tool.arguments) == set(tool.known)


def test_the_session_is_current() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.make_agent_session", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("current\n", 0)
