"""Measures the door for agents: answers over standard input and output, the handshake, the list of tools.

    python -m tests.benchmarks.agents [--notes 10000] [--work DIR] [--calls 200]

The handshake is measured beside importing the protocol's library in the same run, taking turns; the better of the runs
counts for both. Answers are measured warm, as a client sees them.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.__main__ import Figure, against, make_vault, within
from tests.benchmarks.measure import percentile
from tests.mcp.client import COMMAND, Agent, agent, paths_in
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

ANSWER_LIMIT_S = 0.030
HANDSHAKE_LIMIT = 1.3
TOOLS_LIMIT = 10_000

QUERIES = (
    "compost and soil",
    "telescope orbit",
    "what about the harbor tide",
    "note index",
    "yeast dough",
    "arbitration clause",
    "budget deficit",
    "marathon pace",
)

HELLO = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n'
)


def importing() -> float:
    """Seconds from the start of a process to the library imported."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp"], check=True)
    return time.perf_counter() - began


def handshake(root: str) -> float:
    """Seconds from the start of the server to its answer to ``initialize``."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "mcp", "--vault", root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(HELLO)
    process.stdin.flush()
    assert "serverInfo" in process.stdout.readline()
    seconds = time.perf_counter() - began
    process.kill()
    process.communicate()
    return seconds


async def answers(root: Path, calls: int) -> tuple[dict[str, list[float]], int]:
    """Seconds of each call, by tool, and the size of the list of tools in bytes."""
    took: dict[str, list[float]] = {}
    async with agent(root, VAULTMEM_EMBEDDER="static") as one:
        listed = await one.client.list_tools()
        size = len(listed.model_dump_json(by_alias=True, exclude_none=True).encode())
        paths = await warmed(one)
        for number in range(calls):
            path = paths[number % len(paths)]
            asked: list[tuple[str, dict[str, object]]] = [
                ("memory_search", {"query": QUERIES[number % len(QUERIES)]}),
                ("memory_get", {"note": path}),
                ("note_graph_query", {"note": path}),
            ]
            if number % 4 == 0:
                asked.append(("memory_context", {"query": QUERIES[number % len(QUERIES)]}))
            for tool, arguments in asked:
                began = time.perf_counter()
                await one.call(tool, **arguments)
                took.setdefault(tool, []).append(time.perf_counter() - began)
    return took, size


async def warmed(one: Agent) -> list[str]:
    """Paths that answer; by then the server has loaded what it needs, and watches."""
    paths: list[str] = []
    for query in QUERIES:
        paths += paths_in(await one.call("memory_search", query=query))
    await one.call("note_graph_query", note=paths[0])
    await asyncio.sleep(3)  # until the watcher has compared the vault once
    return paths


def main() -> int:
    """Prints the table; 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    root = Path(make_vault(given.work.resolve(), given.notes))
    with Vault(root, Settings(embed=EmbedSettings(model="static")), cache_root=given.work) as vault:
        vault.sync()
    floors, starts = [], []
    for _ in range(given.repeats):
        floors.append(importing())
        starts.append(handshake(str(root)))
    took, size = asyncio.run(answers(root, given.calls))
    figures: list[Figure] = [
        against(
            "initialize, from the start of the process",
            given.notes,
            min(starts),
            min(floors),
            HANDSHAKE_LIMIT,
            floor_name="import mcp",
        ),
        *(
            within(f"{tool}, p95", given.notes, percentile(sorted(seconds), 0.95), ANSWER_LIMIT_S)
            for tool, seconds in took.items()
        ),
    ]
    for figure in figures:
        print(figure.row())
    print(f"tools/list: {size:,} bytes, at most {TOOLS_LIMIT:,}")
    missed = size > TOOLS_LIMIT or any(figure.reached is False for figure in figures)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
