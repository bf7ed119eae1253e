"""``memory_context``: what an agent should know before it begins, within a number of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from vaultmem.server.mcp.budget import LEAST, MOST, counted, cut, tokens
from vaultmem.server.mcp.fence import WARNING, Mark, fenced, note_uri
from vaultmem.server.mcp.given import Given
from vaultmem.server.mcp.reach import Reach
from vaultmem.server.mcp.reading import freshness_lines, superseded_lines

if TYPE_CHECKING:
    from vaultmem.search.model import Freshness
    from vaultmem.vault import Vault

CONTEXT: Final = ("query", "max_tokens")
CONTEXT_TOKENS: Final = 2_000

RELEVANT: Final = 8
PER_NOTE: Final = 600
"""Tokens of one note."""
SHORTEST: Final = 20
"""Tokens of a text below which it is not worth beginning one."""
HEAD: Final = 60
"""Tokens that the marks around a note take."""


def memory_context(vault: Vault, given: Given, mark: Mark) -> str:
    """The pinned notes, in half the room at most when there is a query, then those that are relevant to it, each with
    its text as far as there is room."""
    query = given.text("query", "")
    room = given.whole("max_tokens", CONTEXT_TOKENS, LEAST, MOST)
    reach = Reach(vault.root)
    pinned = [path for path in vault.pinned() if reach.sees(path)]
    relevant, fresh = _relevant(vault, query, reach, pinned)
    first = _filled(
        vault, [(path, "pinned") for path in pinned], room // (2 if relevant else 1), mark
    )
    then = _filled(vault, relevant, room - first.used, mark)
    parts = (*first.parts, *then.parts)
    summary = _summary(len(parts), first.left_out + then.left_out, query)
    return "\n".join([*summary, *freshness_lines(fresh, mark), *parts])


class Filled(NamedTuple):
    """Notes with their texts, in a certain room."""

    parts: tuple[str, ...]
    used: int
    """Tokens."""
    left_out: int
    """Notes without a text, or for which there was no room."""


def _filled(vault: Vault, notes: list[tuple[str, str]], room: int, mark: Mark) -> Filled:
    from vaultmem.views import read_text

    parts: list[str] = []
    used = 0
    for path, why in notes:
        spare = min(room - used - HEAD, PER_NOTE)
        body = (read_text(vault.root, path) or "").strip() if spare >= SHORTEST else ""
        if not body:
            continue
        end = cut(body, 0, spare)
        more = "" if end == len(body) else "; it goes on, memory_get has it all"
        said = [f"{why}{more}:", *superseded_lines(vault, path, mark)]
        used += tokens(body[:end]) + HEAD + sum(map(tokens, said[1:]))
        parts.append("\n".join([*said, fenced(body[:end], note_uri(path), mark)]))
    return Filled(tuple(parts), used, len(notes) - len(parts))


def _relevant(
    vault: Vault, query: str, reach: Reach, but: list[str]
) -> tuple[list[tuple[str, str]], Freshness]:
    from vaultmem.views import UNKNOWN

    if not query.strip():
        return [], UNKNOWN
    answer = vault.search(query, limit=RELEVANT)
    seen = [hit for hit in answer.hits if reach.sees(hit.path)]
    vault.remember(query, [hit.path for hit in seen], by="agent")
    hits = [hit for hit in seen if hit.path not in but]
    return [(hit.path, f"relevant, {hit.score:.2f}") for hit in hits], answer.freshness


def _summary(shown: int, left_out: int, query: str) -> Iterator[str]:
    if not shown:
        yield "No note is pinned, and none is about that." if query else "No note is pinned."
        yield "Give a query to get the notes about it."
        return
    yield f"{counted(shown, 'note')}, each with its address. {WARNING}"
    if left_out:
        yield f"{left_out} more had no room or no text; raise max_tokens, or search for them."
