"""What an agent asked for is kept, with the notes that answered: it says which notes are needed."""

from __future__ import annotations

from pathlib import Path

from tests.mcp.client import agent, make_vault, played
from vaultmem.files.recalls import RecallLog

FILES = {
    "Heron.md": "The fuel key hangs by the stove.\n",
    "Teal.md": "Her fuel tank leaks.\n",
    "Rules.md": "---\npermanent: true\n---\nNo fuel on deck.\n",
}


def test_searches_contexts_and_notes_that_are_read_are_kept(tmp_path: Path) -> None:
    root = make_vault(tmp_path / "vault", FILES)

    async def scene() -> None:
        async with agent(root) as one:
            await one.call("memory_search", query="fuel key")
            await one.call("memory_search", query="fuel key", cursor=1)
            await one.call("memory_search", query="walrus")
            await one.call("memory_context", query="fuel tank")
            await one.call("memory_context")
            await one.call("memory_get", note="Heron.md")
            await one.refused("memory_get", note="No such note")

    played(scene)
    kept = [(entry.by, entry.query, entry.paths[0]) for entry in RecallLog(root).read()]
    assert kept == [
        ("agent", "fuel key", "Heron.md"),
        ("agent", "fuel tank", "Teal.md"),
        ("agent", "Heron", "Heron.md"),
    ]
