"""Which note a person means: by path or name as a link would, by title, alias or heading; and close ones otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import apsw

from vaultmem.errors import NoteNotFoundError, UsageError
from vaultmem.graph.snapshot import GraphSnapshot
from vaultmem.index.names import IndexedNames
from vaultmem.index.queries import FileRef, note_names, notes_headed, notes_titled
from vaultmem.index.terms import storable
from vaultmem.notes.closeness import close_names
from vaultmem.notes.paths import path_key
from vaultmem.notes.resolve import resolve
from vaultmem.search.lanes import heading_candidates

__all__ = ["Find", "Meant", "meant", "node_named"]

Find = Callable[[apsw.Connection, str], FileRef]
"""The note of that name. Raises NoteNotFoundError, and UsageError when there are several."""

CLOSE: Final = 5


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name may mean."""

    name: str
    """As it was typed."""
    path: str | None
    """The note; None when there is none or several."""
    candidates: tuple[str, ...]
    """When several are called so, these; when none is that may be meant, those with a close name, the closest first."""
    problem: str
    """Empty, ``ambiguous``, ``unknown``, or ``excluded``: Obsidian's settings leave the note out."""
    message: str
    """The problem in a sentence; empty when there is none."""


def node_named(connection: apsw.Connection, graph: GraphSnapshot, name: str, find: Find) -> int:
    """The node of the note that a person means. Raises NoteNotFoundError with close names, also for a note that is
    excluded, and UsageError when several are meant."""
    file = find(connection, name)
    node = graph.node_at.get(file.path)
    if node is None:
        raise NoteNotFoundError(
            f"{file.path} is not in the graph: Obsidian's settings exclude it.",
            hint="Excluded files are set in Obsidian under Files and links.",
        )
    return node


def meant(connection: apsw.Connection, graph: GraphSnapshot, name: str, find: Find) -> Meant:
    """The note that a person means, or what else it may be; raises nothing for a name."""
    wanted = storable(name).strip().removeprefix("[[").removesuffix("]]").strip()
    try:
        path = find(connection, name).path
    except NoteNotFoundError as error:
        return Meant(name, None, _close_paths(connection, graph, wanted), "unknown", error.message)
    except UsageError as error:
        several = tuple(path for path in _all_named(connection, wanted) if path in graph.node_at)
        return Meant(name, None, several, "ambiguous", error.message)
    if path not in graph.node_at:
        close = _close_paths(connection, graph, wanted)
        return Meant(name, None, close, "excluded", f"{path} is excluded by Obsidian's settings.")
    return Meant(name, path, (), "", "")


def _all_named(connection: apsw.Connection, wanted: str) -> Iterable[str]:
    """The files that share a name, by the first of the ways in which any has it."""
    found = resolve(wanted, "", IndexedNames(connection).lookup)
    if found.candidates:
        return found.candidates
    titled = notes_titled(connection, wanted)
    headed = titled or notes_headed(connection, wanted, heading_candidates(connection, wanted))
    return [file.path for file in headed]


def _close_paths(connection: apsw.Connection, graph: GraphSnapshot, wanted: str) -> tuple[str, ...]:
    """Notes with a name, title or alias like that, the likest first."""
    names: dict[str, str] = {}
    for name, path in note_names(connection):
        if path in graph.node_at:
            names.setdefault(path_key(name), path)
    found = [names[near] for near in close_names(path_key(wanted), names, CLOSE)]
    return tuple(dict.fromkeys(found))
