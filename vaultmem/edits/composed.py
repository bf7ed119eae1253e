"""Several changes as one: new texts for notes, new notes, and one note moved with the links to it, planned together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vaultmem.edits.planned import Planned
from vaultmem.edits.reading import NoteText, SourceTexts, read_bytes, read_for_change
from vaultmem.edits.renames import By, Ground, file_rename
from vaultmem.files.changes import ChangeSet, Creation, Edit
from vaultmem.files.events import EventKind, JsonValue
from vaultmem.files.refusals import ChangedSinceRead
from vaultmem.notes.rename import LinkUpdates


@dataclass(frozen=True, slots=True)
class Composed:
    """What is to become of some notes, all of it or none."""

    read: Mapping[str, str]
    """Hash in hex by path of each note that this was planned on, changed by it or not."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The whole new text by path, of notes that are among those read."""
    made: Mapping[str, str] = field(default_factory=dict)
    """The text of each new note by path."""
    move: tuple[str, str] | None = None
    """The path of one note, before and after; links to it follow, whatever Obsidian's setting."""
    others: frozenset[str] | None = None
    """Paths of the other files whose links may follow it; None: of any."""
    told: Mapping[str, JsonValue] = field(default_factory=dict)
    """What else the event is to hold."""


def plan_composed(
    root: Path,
    wanted: Composed,
    *,
    ground: Ground | None,
    kind: EventKind,
    by: By,
    cycle: str | None,
) -> Planned:
    """The plan. The ``ground`` is needed for a move alone, whose links are looked up; texts stand for themselves. Raises
    ChangedSinceRead when a note that it was made from holds other bytes by now, or is gone, or when a link would follow in a
    file that is not among ``others``; EditRefused, UnreadableFile."""
    texts = SourceTexts(root)
    before: dict[str, NoteText] = {}
    for path, held in wanted.read.items():
        if path in wanted.texts:
            note = before[path] = _read(root, path, held)
            texts.held[path] = NoteText(wanted.texts[path], note.read)
        else:
            _check(root, path, held)
    if wanted.move is None or ground is None:
        if wanted.move is not None:
            raise ValueError("a move needs the index")
        moved = Planned(ChangeSet(kind, by.actor, by.cause), {}, {})
    else:
        moved = file_rename(ground, *wanted.move, LinkUpdates.YES, by, texts=texts)
    linked = {edit.path for edit in moved.changes.edits}
    if wanted.others is not None:
        _check_others(moved.changes, wanted, wanted.others)
    changes = replace(
        moved.changes,
        kind=kind,
        cycle=cycle,
        told=wanted.told,
        edits=(
            *moved.changes.edits,
            *(
                Edit(path, before[path].read.hash, text.encode())
                for path, text in wanted.texts.items()
                if path not in linked
            ),
        ),
        creations=tuple(Creation(path, text.encode()) for path, text in wanted.made.items()),
    )
    # A relinked file's own spans are those of its links alone.
    changes = replace(
        changes,
        edits=tuple(
            replace(edit, spans=()) if edit.path in before else edit for edit in changes.edits
        ),
    )
    shown = dict(moved.texts)
    for path, text in wanted.texts.items():
        shown[path] = (before[path].text, shown[path][1] if path in linked else text)
    shown.update({path: ("", text) for path, text in wanted.made.items()})
    return replace(moved, changes=changes, texts=shown)


def _check_others(changes: ChangeSet, wanted: Composed, others: frozenset[str]) -> None:
    """Whoever looked at the plan before may not have meant a note in which a link to the moved one is new."""
    own = {move.path for move in changes.moves}
    for edit in changes.edits:
        if edit.path not in own and edit.path not in wanted.texts and edit.path not in others:
            raise ChangedSinceRead(edit.path, expected="", found=edit.expected)


def _read(root: Path, path: str, held: str) -> NoteText:
    note = read_for_change(root, path)
    if note.read.hash != held:
        raise ChangedSinceRead(path, expected=held, found=note.read.hash)
    return note


def _check(root: Path, path: str, held: str) -> None:
    found = read_bytes(root, path).hash
    if found != held:
        raise ChangedSinceRead(path, expected=held, found=found)
