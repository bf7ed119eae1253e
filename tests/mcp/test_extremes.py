"""An agent asks vaults at the ends of what there is: nothing, one note, and a hub with 50,000 edges."""

from __future__ import annotations

from pathlib import Path

from tests.graph.extremes import EMPTY, ONE, hub
from tests.mcp.client import agent, data_in, make_vault, played


def test_an_empty_vault(tmp_path: Path) -> None:
    root = make_vault(tmp_path / "vault", EMPTY)

    async def scene() -> None:
        async with agent(root) as one:
            for ask in ("neighbors", "related"):
                said = await one.refused("note_graph_query", ask=ask, note="Only")
                assert said.startswith("not found: There is no note of that name.")
            assert "No note answers" in await one.refused(
                "note_graph_query", ask="subgraph", query="x"
            )
            assert "not found" in await one.refused("note_graph_query", note="Only", to="Other")
            assert "not found" in await one.refused("memory_trace", note="Only")
            insights = await one.call("note_manage", action="insights")
            assert insights.startswith("0 notes, 0 links")

    played(scene)


def test_a_vault_of_one_note(tmp_path: Path) -> None:
    root = make_vault(tmp_path / "vault", ONE)

    async def scene() -> None:
        async with agent(root) as one:
            near = await one.call("note_graph_query", note="Only", depth=3)
            assert data_in(near) == "No note is near Only.md."
            related = await one.call("note_graph_query", ask="related", note="Only")
            assert data_in(related).startswith("Nothing is related")
            path = data_in(await one.call("note_graph_query", note="Only", to="Only"))
            assert path.splitlines()[0] == "0 links from Only.md to Only.md:"
            found = data_in(await one.call("note_graph_query", ask="subgraph", query="alone"))
            assert "* Only.md" in found
            assert data_in(await one.call("memory_trace", note="Only")).startswith("Only.md")
            insights = await one.call("note_manage", action="insights")
            assert "In the graph: 1 isolated, 0 sparse, 0 bridge, 0 surprising" in insights

    played(scene)


def test_a_hub_with_fifty_thousand_edges(tmp_path: Path) -> None:
    root = make_vault(tmp_path / "vault", hub())

    async def scene() -> None:
        async with agent(root) as one:
            near = await one.call("note_graph_query", note="Hub", limit=100, max_tokens=9000)
            assert data_in(near).splitlines()[0] == "100 of 250 notes near Hub.md:"
            assert " more lines had no room; raise max_tokens.\n" in near
            assert "max_tokens" not in data_in(near)
            assert len(near) < 40_000
            path = data_in(await one.call("note_graph_query", note="n000", to="n249"))
            assert path.splitlines()[0] == "2 links from n000.md to n249.md:"
            typed = data_in(
                await one.call("note_graph_query", note="n000", depth=2, relations=["r007"])
            )
            assert typed.splitlines()[0] == "20 of 250 notes near n000.md:"
            related = data_in(await one.call("note_graph_query", ask="related", note="n000"))
            assert related.splitlines()[0].startswith("Nothing is related to n000.md")
            found = await one.call("note_graph_query", ask="subgraph", query="leaf")
            assert "* n000.md" in data_in(found)
            assert data_in(await one.call("memory_trace", note="Hub")).startswith("Hub.md")
            insights = await one.call("note_manage", action="insights")
            assert insights.startswith("251 notes, 50,000 links,")

    played(scene)
