"""An agent searches, reads and changes notes, over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.client import agent, data_in, make_vault, paths_in, played, said
from vaultmem.files.journal import Journal
from vaultmem.files.read import content_hash

FILES = {
    "Boats/Heron.md": "---\ntags: [boat]\nstatus: afloat\n---\n# Heron\n\nThe fuel key hangs by the stove.\n\n"
    "## Repairs\n\n- new bilge pump ^pump\n\n## Log\n\nQuiet.\n",
    "Boats/Teal.md": "Sister of [[Heron]]. Her fuel tank leaks.\n",
    "Rules.md": "---\npermanent: true\n---\nNever sail alone.\n",
    "Häfen/Zürich.md": "Ein Hafen am See.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", FILES)


def test_a_client_learns_what_there_is(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            tools = await one.client.list_tools()
            assert {tool.name for tool in tools.tools} >= {
                "memory_search",
                "memory_get",
                "note_manage",
                "memory_context",
            }
            assert len(tools.model_dump_json(by_alias=True, exclude_none=True)) <= 10_000

    played(scene)


def test_a_search_gives_paths_lines_and_snippets(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            answer = await one.call("memory_search", query="fuel key")
            assert answer.splitlines()[0] == "Notes 1 to 2 of 2."
            assert paths_in(answer) == ["Boats/Heron.md", "Boats/Teal.md"]
            assert "1. Boats/Heron.md:5 # Heron" in data_in(answer)
            assert "The fuel key hangs by the stove." in data_in(answer)
            assert await one.call("memory_search", query="walrus") == "\n".join(
                [
                    "No note answers that.",
                    'Not searched by bridge, vector: switched off (embed.model = "none").',
                ]
            )

    played(scene)


def test_pages_follow_each_other_without_repeats_or_gaps(tmp_path: Path) -> None:
    files = {f"n/{number:02}.md": f"harbour note {number}\n" for number in range(30)}
    root = make_vault(tmp_path / "vault", files)

    async def scene() -> None:
        async with agent(root) as one:
            paths: list[str] = []
            for cursor in (0, "12", 24):
                paths += paths_in(
                    await one.call("memory_search", query="harbour", limit="12", cursor=cursor)
                )
            assert sorted(paths) == sorted(files)
            last = await one.call("memory_search", query="harbour", cursor=30)
            assert last.splitlines()[0] == "There are no more notes for that."

    played(scene)


def test_a_search_sees_what_was_saved_a_moment_ago(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            await one.call("memory_search", query="fuel")
            for number in range(5):
                (root / f"new{number}.md").write_text(f"The cormorant{number} dives.\n")
                answer = await one.call("memory_search", query=f"cormorant{number}")
                assert paths_in(answer) == [f"new{number}.md"]

    played(scene)


def test_a_note_is_read_by_any_of_its_names(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            text = FILES["Boats/Heron.md"]
            for name in ("Boats/Heron.md", "Heron", "[[heron]]", "memo://note/Boats/Heron.md"):
                answer = await one.call("memory_get", note=name)
                assert said(answer, "hash") == content_hash(text.encode())
                assert data_in(answer) == text.rstrip("\n")
                assert f"All {len(text)} characters of the note." in answer
            answer = await one.call("memory_get", note="memo://note/H%C3%A4fen/Z%C3%BCrich.md")
            assert data_in(answer) == "Ein Hafen am See."
            assert 'from="memo://note/H%C3%A4fen/Z%C3%BCrich.md"' in answer

    played(scene)


def test_a_section_an_outline_and_the_links_of_a_note(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            section = await one.call("memory_get", note="Heron", section="Repairs")
            assert data_in(section) == "## Repairs\n\n- new bilge pump ^pump"
            outline = data_in(await one.call("memory_get", note="Heron", view="outline"))
            assert outline.splitlines() == [
                "path: Boats/Heron.md",
                "title: Heron",
                "tags: boat",
                "property tags: ['boat']",
                "property status: afloat",
                "19 words, 0 links, 1 links to it",
                "line 5: # Heron",
                "line 9: ## Repairs",
                "line 13: ## Log",
            ]
            links = data_in(await one.call("memory_get", note="Heron", view="links"))
            assert links == "<- Boats/Teal.md:1 Sister of [[Heron]]. Her fuel tank leaks."
            why = await one.refused("memory_get", note="Heron", section="Rep")
            assert "# Heron; ## Repairs; ## Log</vault-data" in why

    played(scene)


def test_a_long_note_is_read_in_parts_that_join_without_a_seam(tmp_path: Path) -> None:
    text = "".join(f"Zeile {number} über Häfen 港口 👩‍🚀 e\u0301.\n" for number in range(3000))
    root = make_vault(tmp_path / "vault", {"long.md": text, "line.md": "港口維護" * 20_000})

    async def scene() -> None:
        async with agent(root) as one:
            for note in ("long.md", "line.md"):
                whole, offset = (root / note).read_text(), 0
                parts: list[str] = []
                while offset < len(whole):
                    answer = await one.call(
                        "memory_get", note=note, offset=offset, max_tokens=10**9
                    )
                    assert len(answer) <= 40_000
                    part = data_in(answer)
                    assert whole[offset:].startswith(part)
                    parts.append(part)
                    offset += len(part)
                    offset += len(whole[offset:]) - len(whole[offset:].lstrip("\n"))
                assert (
                    "".join(parts) == whole.replace("\n", "") or "\n".join(parts) == whole.rstrip()
                )

    played(scene)


def test_every_change_gives_a_receipt_and_stands_in_the_journal(root: Path) -> None:
    async def scene() -> None:
        async with agent(root, name="scribe") as one:
            made = await one.call("note_manage", action="create", note="log/Today", text="Fog.\n")
            assert said(made, "path") == "log/Today.md"
            digest = said(made, "hash")
            assert digest == content_hash(b"Fog.\n")
            steps: list[dict[str, object]] = [
                {"action": "append", "text": "Wind later. ^w"},
                {"action": "set_property", "key": "mood", "value": "calm"},
                {"action": "set_property", "key": "crew", "value": '["Ada", "Bo"]'},
                {"action": "remove_property", "key": "mood"},
                {"action": "edit_block", "block": "^w", "text": "Wind now."},
                {"action": "replace_text", "old": "Fog.", "text": "Mist."},
                {"action": "append", "text": "## Plan\n\nStay."},
                {"action": "replace_section", "section": "Plan", "text": "Go."},
                {"action": "link", "to": "Heron"},
                {"action": "link", "to": "Teal", "relation": "sails_with"},
            ]
            for step in steps:
                receipt = await one.call("note_manage", note="Today", hash=digest, **step)
                assert receipt.startswith("Done: updated."), receipt
                digest = said(receipt, "hash")
                assert digest == content_hash((root / "log/Today.md").read_bytes())
            assert (root / "log/Today.md").read_text() == (
                '---\ncrew:\n  - Ada\n  - Bo\nsails_with:\n  - "[[Teal]]"\n---\n'
                "Mist.\n\nWind now. ^w\n\n## Plan\n\nGo.\n\n- [[Heron]]\n"
            )
            events = list(Journal(root).read())
            assert len(events) == 1 + len(steps)
            assert {event.actor for event in events} == {"scribe"}
            assert said(receipt, "event") == events[-1].id

    played(scene)


def test_links_follow_a_note_that_is_renamed_or_archived(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            digest = await one.hash_of("Heron")
            receipt = await one.call(
                "note_manage", action="rename", note="Heron", to="Grey heron", hash=digest
            )
            assert said(receipt, "path") == "Boats/Grey heron.md"
            assert (root / "Boats/Teal.md").read_text().startswith("Sister of [[Grey heron]].")
            digest = await one.hash_of("Grey heron")
            receipt = await one.call(
                "note_manage", action="archive", note="Grey heron", hash=digest
            )
            assert said(receipt, "path") == "Archive/Boats/Grey heron.md"
            links = await one.call("memory_get", note="Teal", view="links")
            assert "-> Archive/Boats/Grey heron.md" in links

    played(scene)


def test_a_dry_run_shows_the_change_and_makes_none(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            digest = await one.hash_of("Teal")
            answer = await one.call(
                "note_manage",
                action="append",
                note="Teal",
                text="Sold.",
                hash=digest,
                dry_run="true",
            )
            assert answer.startswith("Nothing was changed (dry run)")
            assert "+Sold." in answer
            assert (root / "Boats/Teal.md").read_text() == FILES["Boats/Teal.md"]

    played(scene)


def test_who_has_not_read_the_note_as_it_is_must_not_change_it(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            digest = await one.hash_of("Teal")
            (root / "Boats/Teal.md").write_text("Edited by hand.\n")
            for step in (
                {"action": "append", "text": "x"},
                {"action": "rename", "to": "Drake"},
                {"action": "archive"},
            ):
                why = await one.refused("note_manage", note="Teal", hash=digest, **step)
                assert "has changed since it was read" in why
                why = await one.refused("note_manage", note="Teal", **step)
                assert why.startswith("usage: A change needs the hash")
            assert (root / "Boats/Teal.md").read_text() == "Edited by hand.\n"

    played(scene)


def test_refusals_say_what_to_do(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            digest = await one.hash_of("Heron")
            heron = {"note": "Heron", "hash": digest}
            cases: list[tuple[dict[str, object], str]] = [
                (
                    {"action": "append", "note": "Gull", "text": "x"},
                    "There is no note of that name",
                ),
                ({"action": "create", "note": "Boats/heron", "text": "x"}, "use append"),
                (
                    {"action": "replace_section", **heron, "section": "Repiars", "text": "x"},
                    "Repairs",
                ),
                (
                    {"action": "set_property", **heron, "key": "a", "value": "b", "section": "c"},
                    "takes no",
                ),
                (
                    {"action": "append", **heron},
                    "'text' is missing. Arguments: action, note, hash, why, dry_run, text, section.",
                ),
                ({}, "'action' is missing. Use create, append,"),
                ({"action": "sing", **heron}, "Use create, append"),
                ({"action": "rename", **heron, "to": "Teal"}, "Teal"),
            ]
            for arguments, words in cases:
                assert words in await one.refused("note_manage", **arguments)

    played(scene)


def test_the_context_holds_pinned_notes_first_and_keeps_to_its_room(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            answer = await one.call("memory_context", query="fuel key")
            order = [answer.index(f"memo://note/{path}") for path in ("Rules.md", "Boats/Heron.md")]
            assert order == sorted(order)
            assert "Never sail alone." in answer
            small = await one.call("memory_context", query="fuel key", max_tokens="150")
            assert len(small) < 1500
            assert "had no room" in small

    played(scene)


def test_insights_of_a_note_and_of_the_vault(root: Path) -> None:
    async def scene() -> None:
        async with agent(root) as one:
            whole = await one.call("note_manage", action="insights")
            assert whole.startswith("4 notes, 1 link, 1 tag")
            one_note = data_in(await one.call("note_manage", action="insights", note="Rules"))
            assert one_note == "It is isolated: it has no links, and nothing links to it."

    played(scene)
