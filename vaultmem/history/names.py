"""Notes that are no longer there, by the names that the journal knows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from vaultmem.errors import NoteNotFoundError, UsageError
from vaultmem.files.events import MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.history.trail import in_trash, latest_path
from vaultmem.notes.paths import path_key, stem

_SHOWN: Final = 5


def gone_path(journal: Journal, name: str) -> str:
    """The vault path under which the journal knows a note of that path or name, without ``.md`` or with it.

    The path of the newest event, when several notes had the very same path. Paths that one note had one after the
    other count as one. Raises NoteNotFoundError, and UsageError when several notes had the name.
    """
    wanted = name.strip().removeprefix("[[").removesuffix("]]").strip().strip("/")
    part = json.dumps(wanted, ensure_ascii=False)[1:-1].encode()
    found = _matching(journal.backward(lambda line: part in line), wanted) if wanted else []
    if wanted and not found:  # in another spelling: every event is looked at
        found = _matching(journal.backward(), wanted)
    if not found:
        raise NoteNotFoundError(
            f"There is no note {name!r}, and the journal knows none.",
            hint="`vaultmem history` lists the latest changes with their paths.",
        )
    if len(found) > 1:  # the newest path of each note comes first
        found = list({latest_path(journal, path): path for path in reversed(found)}.values())[::-1]
    if len(found) > 1:
        shown = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
        raise UsageError(f"{len(found)} notes were called {name!r}.", hint=f"Say which: {shown}")
    return found[0]


def _matching(events: Iterable[MemoryEvent], wanted: str) -> list[str]:
    """The paths that fit best: the very path, the path without case and ending, or the name."""
    keys = {path_key(wanted), path_key(f"{wanted}.md")}
    whole: dict[str, None] = {}
    named: dict[str, None] = {}
    for event in events:
        for change in event.changes:
            for path in (change.final_path, change.path):
                if change.is_folder or in_trash(path):
                    continue
                if path in (wanted, f"{wanted}.md"):
                    return [path]
                if path_key(path) in keys:
                    whole[path] = None
                elif path_key(stem(path.rpartition("/")[2])) in keys:
                    named[path] = None
    return list(whole or named)
