"""Many agents at once on one vault: no call goes wrong, and no write is lost.

    python -m tests.torture.agents --clients 8 --calls 2000 [--http] [--notes 200]

Each client is the protocol's own, with a server of its own (or all with one, over HTTP). They search, read, ask the
graph, append to notes of their own and to one that all share. An agent whose reading is out of date, or whose note another
program has just saved, reads again and goes on; anything else that goes wrong is an error. At the end every line that a
receipt promised stands in its note exactly once, and each receipt has its event in the journal.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.mcp.client import Agent, agent, make_vault, said
from tests.mcp.served import Served
from vaultmem.files.journal import Journal

WRITES_EVERY = 4
"""One call in so many is a write; a write reads first, so that it is two calls."""
SHARED_EVERY = 50
"""One call in so many writes to the note that all share."""

AGAIN = (
    "has changed since it was read",
    "was saved less than",
    "open for writing",
    "kept changing",
)
"""What an agent is told that only has to read again."""


@dataclass(slots=True)
class Report:
    """What came of it."""

    calls: int = 0
    writes: int = 0
    again: int = 0
    """Writes that had to be tried again."""
    errors: list[str] = field(default_factory=list)
    promised: list[tuple[str, str, str]] = field(default_factory=list)
    """Note, line and event of each receipt."""
    seconds: float = 0.0

    def lost(self, root: Path) -> list[str]:
        """Promised lines that do not stand in their note exactly once, and events that the journal lacks."""
        events = {event.id for event in Journal(root).read()}
        texts = {note: (root / note).read_text() for note, _, _ in self.promised}
        faults = [
            f"{line} in {note}: {count} times"
            for note, line, _ in self.promised
            if (count := len(re.findall(rf"^{re.escape(line)}$", texts[note], re.MULTILINE))) != 1
        ]
        return faults + [
            f"no event {event}" for _, _, event in self.promised if event not in events
        ]


def files(notes: int) -> dict[str, str | bytes]:
    """A small vault."""
    return {
        "Shared.md": "All write here.\n",
        **{
            f"n/note {number}.md": f"Harbour note {number}, see [[note {(number * 7) % notes}]].\n"
            for number in range(notes)
        },
    }


async def work(one: Agent, name: str, calls: int, notes: int, report: Report) -> None:
    """The calls of one agent."""
    own = f"own/{name}.md"
    await one.call("note_manage", action="create", note=own, text=f"Of {name}.\n")
    report.calls += 1
    for turn in range(1, calls):
        report.calls += 1
        number = (turn * 13) % notes
        try:
            if turn % SHARED_EVERY == 0:
                await append(one, "Shared.md", f"line {name}-{turn}", report)
            elif turn % WRITES_EVERY == 0:
                await append(one, own, f"line {name}-{turn}", report)
            elif turn % WRITES_EVERY == 1:
                await one.call("memory_search", query=f"harbour note {number}", limit=5)
            elif turn % WRITES_EVERY == 2:
                await one.call("memory_get", note=f"n/note {number}.md")
            else:
                await one.call("note_graph_query", note=f"n/note {number}.md", limit=10)
        except AssertionError as error:
            report.errors.append(str(error).splitlines()[0])


async def append(one: Agent, note: str, line: str, report: Report) -> None:
    """Appends as an agent does: reads, writes, and reads again when that was too late."""
    report.writes += 1
    for _ in range(200):
        digest = await one.hash_of(note)
        is_error, text = await one.tried(
            "note_manage", action="append", note=note, text=line, hash=digest
        )
        if not is_error:
            report.promised.append((note, line, said(text, "event")))
            return
        if not any(words in text for words in AGAIN):
            raise AssertionError(text)
        report.again += 1
    raise AssertionError(f"{note} could not be written for {line}")


@asynccontextmanager
async def agents(root: Path, clients: int, http: bool) -> AsyncIterator[list[tuple[str, Agent]]]:
    """So many connected agents, with their names."""
    names = [f"agent{number}" for number in range(clients)]
    async with AsyncExitStack() as stack:
        if http:
            server = stack.enter_context(Served(root))
            connected = [server.agent(name=name) for name in names]
        else:
            # One watcher is enough, as it is where clients start a server each.
            connected = [agent(root, name=name) for name in names]
        yield [
            (name, await stack.enter_async_context(each))
            for name, each in zip(names, connected, strict=True)
        ]


async def torture(root: Path, *, clients: int, calls: int, notes: int, http: bool) -> Report:
    """Has so many agents make so many calls between them."""
    report = Report()
    async with agents(root, clients, http) as connected:
        began = time.perf_counter()
        await asyncio.gather(
            *(work(one, name, calls // clients, notes, report) for name, one in connected)
        )
        report.seconds = time.perf_counter() - began
    return report


def main() -> int:
    """Says what came of it; 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--http", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vaultmem-agents-") as folder:
        root = make_vault(Path(folder) / "vault", files(given.notes))
        report = asyncio.run(
            torture(
                root,
                clients=given.clients,
                calls=given.calls,
                notes=given.notes,
                http=given.http,
            )
        )
        faults = report.errors + report.lost(root)
    print(
        f"{given.clients} clients, {report.calls} calls, {report.writes} of them writes, {report.again} tried again, "
        f"{report.seconds:.1f} s: {len(report.errors)} errors, {len(faults) - len(report.errors)} lost"
    )
    for fault in faults[:10]:
        print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
