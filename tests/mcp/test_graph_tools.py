"""An agent asks how notes are connected, what is current, and where something comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.client import agent, data_in, make_vault, played

FILES = {
    "Plan 2024.md": "See [[Harbour]].\n",
    "Plan 2025.md": '---\nsupersedes: "[[Plan 2024]]"\n---\nSee [[Harbour]].\n',
    "Harbour.md": "Run by [[Ada]].\n",
    "Ada.md": "Sails [[Heron]].\n",
    "Heron.md": "A boat.\n",
    "Lone.md": "Alone.\n",
    "Digest.md": '---\nsources:\n  - "[[Harbour]]"\n---\nThe harbour is run by Ada.\n',
    "Private/diary.md": "About [[Ada]].\n",
    ".obsidian/app.json": '{"userIgnoreFilters": ["Private/"]}',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", FILES)


def test_paths_neighbours_and_what_is_current(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            near = data_in(await one.call("note_graph_query", note="Ada"))
            assert near.splitlines()[0] == "2 notes near Ada.md:"
            assert "1 Harbour.md (Ada.md <-mentions-)" in near
            assert "1 Heron.md (Ada.md -mentions->)" in near
            path = data_in(await one.call("note_graph_query", note="Plan 2024", to="heron"))
            assert path.splitlines()[:5] == [
                "3 links from Plan 2024.md to Heron.md:",
                "Plan 2024.md [superseded by Plan 2025.md]",
                "  -mentions-> Harbour.md",
                "  -mentions-> Ada.md",
                "  -mentions-> Heron.md",
            ]
            assert "Plan 2024.md is out of date: Plan 2025.md stands for it now." in path
            none = await one.call("note_graph_query", ask="path", note="Lone", to="Ada")
            assert "No path leads from Lone.md to Ada.md." in none
            typed = await one.call(
                "note_graph_query", note="Plan 2025", relations='["supersedes"]', depth="2"
            )
            assert "Plan 2024.md" in typed
            assert "Harbour.md" not in typed

    played(scene)


def test_numbers_are_told_as_a_person_would(tmp_path: Path) -> None:
    root = make_vault(tmp_path / "vault", {**FILES, "Digest of plans.md": "[[Plan 2024]]\n"})

    async def scene() -> None:
        async with agent(root) as one:

            async def first(**asked: object) -> str:
                return data_in(await one.call("note_graph_query", **asked)).splitlines()[0]

            assert await first(note="Lone") == "No note is near Lone.md."
            assert await first(note="Heron") == "1 note near Heron.md:"
            assert await first(note="Ada", limit=1) == "1 of 2 notes near Ada.md:"
            assert await first(note="Ada", to="Heron") == "1 link from Ada.md to Heron.md:"
            assert (await first(ask="related", note="Lone")).startswith("Nothing is related")
            near = data_in(await one.call("note_graph_query", note="Digest of plans"))
            assert near.splitlines()[:3] == [
                "1 note near Digest of plans.md:",
                "1 Plan 2024.md [superseded by Plan 2025.md] (Digest of plans.md -mentions->)",
                "- Plan 2025.md (in place of Plan 2024.md)",
            ]

    played(scene)


def test_who_reads_a_superseded_note_learns_what_stands_for_it(tmp_path: Path) -> None:
    pinned = {"Rule.md": "---\npermanent: true\n---\nKnock.\n"}
    newer = {"Rule anew.md": '---\nsupersedes: "[[Rule]]"\n---\nRing.\n'}
    ring = {f"{a}.md": f'---\nsupersedes: "[[{b}]]"\n---\nx\n' for a, b in ("OP", "PO")}
    root = make_vault(tmp_path / "vault", {**FILES, **pinned, **newer, **ring})

    async def scene() -> None:
        async with agent(root) as one:
            for view in ("text", "outline", "links"):
                told = await one.call("memory_get", note="Plan 2024", view=view)
                assert "\nOut of date. The note that stands for it now: <vault-data" in told
                assert ">Plan 2025.md</vault-data" in told
                assert "Out of date" not in await one.call("memory_get", note="Ada", view=view)
            assert "\nIt and others supersede each other" in await one.call("memory_get", note="O")
            assert "\nOut of date. The note" in await one.call("memory_context")

    played(scene)


def test_a_subgraph_related_notes_and_insights(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            found = data_in(await one.call("note_graph_query", ask="subgraph", query="boat"))
            assert "* Heron.md" in found
            assert "Ada.md -mentions-> Heron.md" in found
            assert "diary" not in await one.call("note_graph_query", ask="related", note="Ada")
            told = await one.call("note_manage", action="insights")
            assert "\nIn the graph: 1 isolated, " in told
            assert "\nisolated: Lone.md" in told

    played(scene)


def test_a_note_is_traced_to_its_sources(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            traced = data_in(await one.call("memory_trace", note="memo://note/Digest.md"))
            assert [line.split()[0] for line in traced.splitlines()][:2] == [
                "Digest.md",
                "Harbour.md",
            ]
            alone = await one.call("memory_trace", note="Lone")
            assert alone.startswith("It names no source.\n")
            assert "no source" not in data_in(alone)
            line = data_in(await one.call("memory_trace", note="memo://note/Harbour.md#L1"))
            assert line.splitlines()[0] == "Harbour.md:1 [note]: Run by [[Ada]]."
            for place, words in (("L9", "no line 9"), ("^gone", "no block ^gone")):
                said = await one.refused("memory_trace", note=f"memo://note/Ada.md#{place}")
                assert said.startswith("not found: ")
                assert words in said
            record = await one.refused("memory_trace", note="memo://raw/mail-1")
            assert record.startswith("usage: That is an original record")

    played(scene)


def test_mistakes_are_told(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            for arguments, words in (
                ({"note": "Ad"}, "There is no note"),
                ({"note": "Private/diary.md"}, "There is no note"),
                ({"note": "Ada", "to": "Nobody"}, "There is no note"),
                ({"note": "Ada", "direction": "up"}, "Use out, in, both."),
                ({"note": "Ada", "relations": ["hates"]}, "No link has the relation"),
                (
                    {"ask": "path", "note": "Ada"},
                    "'to' is missing. Arguments: ask, max_tokens, note, to, direction, relations.",
                ),
                ({"ask": "related", "note": "Ada", "depth": 2}, "takes no argument"),
                ({}, "'note' is missing"),
            ):
                assert words in await one.refused("note_graph_query", **arguments)

    played(scene)


def test_a_receipt_neither_names_nor_shows_what_is_excluded(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            told = await one.call(
                "note_manage", action="rename", note="Ada", to="Ada L", dry_run=True,
                hash=await one.hash_of("Ada"),
            )  # fmt: skip
            assert "Private" not in told
            assert "About" not in told
            assert "Harbour.md" in told

    played(scene)
