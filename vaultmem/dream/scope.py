"""Whose a note is, by its folder below the memory root and by its properties: what one agent may read, another may not, so what a
note says goes into notes of its own scope only. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from vaultmem.dream.context import DreamContext, DreamNote

SCOPE_KEYS: Final = ("owner", "agent", "project")
"""Properties that say for whom a note is."""
LESSONS: Final = "lessons"
SYNTHESES: Final = "syntheses"
"""Folders of an agent's distilled notes, or below the memory root of those that are nobody's in particular."""


class Scope(NamedTuple):
    """For whom a note is; "" for whatever is not said."""

    folder: str
    """Of an agent, below the memory root."""
    owner: str
    agent: str
    project: str


def scope_of(context: DreamContext, note: DreamNote) -> Scope:
    """Whose the note is. Notes of two scopes are never distilled together."""
    told = (note.properties.get(key) for key in SCOPE_KEYS)
    said = (str(value) if isinstance(value, str | int) else "" for value in told)
    return Scope(agent_folder(context, note.path) or "", *said)


def agent_folder(context: DreamContext, path: str) -> str | None:
    """The folder of the agent whose memory holds the note, or held it before it was archived; "" where that is nobody's in particular,
    None for a note of the vault itself."""
    for root in (context.archive, context.memory_root):
        if path.startswith(f"{root}/"):
            first, below, _ = path.removeprefix(f"{root}/").partition("/")
            return first if below and first not in (LESSONS, SYNTHESES) else ""
    return None


def agents_apart(context: DreamContext, a: str, b: str) -> bool:
    """Whether the two, by their paths, are of the memories of two agents. What the vault itself says is for all of them."""
    one, other = agent_folder(context, a), agent_folder(context, b)
    return one is not None and other is not None and one != other


def same_scope(a: DreamNote, b: DreamNote) -> bool:
    """Whether both notes say that they are for the same owner, agent and project: only then may one take over words of the
    other."""
    return all(a.properties.get(key) == b.properties.get(key) for key in SCOPE_KEYS)


def scopes_apart(a: DreamNote, b: DreamNote) -> bool:
    """Whether they say that they are for different ones: what holds for the one need not for the other."""
    told = ((a.properties.get(key), b.properties.get(key)) for key in SCOPE_KEYS)
    return any(one and other and one != other for one, other in told)
