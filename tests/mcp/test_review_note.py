"""A tick in the review note is a person's word: no agent can set it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.client import agent, make_vault, played

REVIEW = "Memory/_review/Review.md"
TEXT = "## To decide\n\n- [ ] Merge a into b ^r-0123456789\n"


@pytest.mark.parametrize("action", ["append", "replace_text", "create", "rename"])
def test_an_agent_cannot_write_there(tmp_path: Path, action: str) -> None:
    root = make_vault(tmp_path / "vault", {REVIEW: TEXT, "a.md": "x\n"})

    async def scene() -> None:
        async with agent(root) as one:
            note = "a.md" if action == "rename" else REVIEW
            digest = await one.hash_of(note)
            calls: dict[str, dict[str, object]] = {
                "append": {"note": note, "hash": digest, "text": "- [x] more"},
                "replace_text": {"note": note, "hash": digest, "old": "[ ]", "text": "[x]"},
                "create": {"note": "memory/_review/Other.md", "text": TEXT},
                "rename": {"note": note, "hash": digest, "to": "Memory/_Review/a.md"},
            }
            answer = await one.refused("note_manage", action=action, **calls[action])
            assert "for a person to decide" in answer

    played(scene)
    assert (root / REVIEW).read_text() == TEXT
    assert (root / "a.md").read_text() == "x\n"
