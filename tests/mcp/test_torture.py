"""The torture of many agents, small."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.mcp.client import make_vault
from tests.torture.agents import files, torture


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
def test_no_error_and_no_lost_write(tmp_path: Path, http: bool) -> None:
    root = make_vault(tmp_path / "vault", files(30))
    clients = 8 if http else 3
    report = asyncio.run(torture(root, clients=clients, calls=120, notes=30, http=http))
    assert (report.errors, report.lost(root)) == ([], [])
    assert report.calls == 120
