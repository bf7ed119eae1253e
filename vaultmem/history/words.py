"""Events in plain words."""

from __future__ import annotations

from typing import Final

from vaultmem.files.events import EventKind, FileChange, MemoryEvent
from vaultmem.history.trail import Step, in_trash, is_deletion

_KINDS: Final = {
    EventKind.CREATED: "created",
    EventKind.UPDATED: "edited",
    EventKind.REINFORCED: "reinforced",
    EventKind.MERGED: "merged",
    EventKind.SUPERSEDED: "superseded",
    EventKind.DECAYED: "marked as faded",
    EventKind.ARCHIVED: "archived",
    EventKind.DELETED: "deleted",
    EventKind.FORGOTTEN: "forgotten",
    EventKind.QUARANTINED: "quarantined",
    EventKind.ACCEPTED: "proposal accepted",
    EventKind.REJECTED: "proposal rejected",
    EventKind.PINNED: "pinned",
    EventKind.RENAMED: "renamed",
    EventKind.RECALLED: "recalled",
    EventKind.CYCLE: "cycle",
    EventKind.UNDONE: "undone",
    EventKind.LET_GO: "old versions let go",
    EventKind.EDITED_BY_HAND: "edited by hand",
}

_OWN: Final = frozenset(
    (EventKind.UPDATED, EventKind.RENAMED, EventKind.CREATED, EventKind.DELETED)
)
"""Kinds that say nothing which the change of the file does not say better."""


def kind_word(event: MemoryEvent) -> str:
    """The event's kind; that of a newer version by its own name."""
    return _KINDS.get(event.kind) or str(event.extra.get("kind", event.kind))


def of_note(step: Step) -> str:
    """What the event did to the note."""
    event, change = step
    done = _of_change(change, carried=step.carried)
    if event.kind is EventKind.EDITED_BY_HAND:
        return f"{done} by hand"
    if event.kind is EventKind.UNDONE:
        return f"undo: {done}"
    return done if event.kind in _OWN else f"{kind_word(event)}: {done}"


def of_folder(event: MemoryEvent, change: FileChange) -> str:
    """What the event did to a folder."""
    done = f"folder {'deleted' if is_deletion(change) else _moved(change)}"
    return f"undo: {done}" if event.kind is EventKind.UNDONE else done


def _of_change(change: FileChange, *, carried: bool) -> str:
    if carried:
        return (
            "deleted with its folder"
            if is_deletion(change)
            else f"{_moved(change)} with its folder"
        )
    if change.hash_before is None:
        return "created"
    if is_deletion(change):
        return "deleted"
    edited = change.hash_before != change.hash_after
    if change.path_after is None:
        return "edited"
    return f"{_moved(change)}, edited" if edited else _moved(change)


def _moved(change: FileChange) -> str:
    if in_trash(change.path) and not in_trash(change.final_path):
        return "back from the trash"
    folder, _, name = change.path.rpartition("/")
    new_folder, _, new_name = change.final_path.rpartition("/")
    if folder == new_folder:
        return f"renamed from {name}"
    if name == new_name:
        return f"moved from {folder or 'the vault’s folder'}"
    return f"moved from {change.path}"
