"""What vaultmem itself does to the files of a test, with its event; and events that another machine's journal holds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from vaultmem.files.changes import ChangeSet, Creation, Edit, Move, apply_changes
from vaultmem.files.events import EventKind, FileChange, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal
from vaultmem.files.read import content_hash
from vaultmem.files.targets import WriteRules

RULES = WriteRules(quiet=0, settle=0)


def hash_at(root: Path, path: str) -> str:
    return content_hash((root / path).read_bytes())


def edit(root: Path, path: str, text: str) -> Edit:
    return Edit(path, hash_at(root, path), text.encode())


def move(root: Path, path: str, path_after: str) -> Move:
    return Move(path, path_after, None if (root / path).is_dir() else hash_at(root, path))


def do(
    root: Path,
    *parts: Edit | Creation | Move,
    kind: EventKind = EventKind.UPDATED,
) -> MemoryEvent | None:
    """Carries the parts out as one change."""
    plan = ChangeSet(
        kind,
        actor="a test",
        cause="asked to",
        edits=tuple(part for part in parts if isinstance(part, Edit)),
        creations=tuple(part for part in parts if isinstance(part, Creation)),
        moves=tuple(part for part in parts if isinstance(part, Move)),
    )
    return apply_changes(root, plan, rules=RULES)


def trash(root: Path, path: str) -> MemoryEvent | None:
    """Deletes as the vault's trash would have it."""
    return do(root, move(root, path, f".trash/{path}"), kind=EventKind.DELETED)


def event(
    *changes: FileChange,
    time_ns: int,
    device: str = "bbbb0000",
    kind: EventKind = EventKind.UPDATED,
) -> MemoryEvent:
    return MemoryEvent(new_event_id(time_ns), time_ns, device, kind, "a test", "asked to", changes)


def append(root: Path, events: Iterable[MemoryEvent]) -> None:
    """As the machines that did it would, and file sync after them."""
    for one in events:
        Journal(root, one.device).append(one)


def hand_edits(root: Path) -> list[tuple[str, str | None, bool, bool]]:
    """Of each change that was seen by sync: path, path after, whether there was a file before, and one after."""
    return [
        (
            change.path,
            change.path_after,
            change.hash_before is not None,
            change.hash_after is not None,
        )
        for one in Journal(root).read()
        if one.kind is EventKind.EDITED_BY_HAND
        for change in one.changes
    ]
