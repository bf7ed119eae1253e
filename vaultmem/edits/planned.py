"""A change that was planned: the set to be carried out, and what its receipt says of each file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vaultmem.edits.answers import ChangedFile, WriteAnswer
from vaultmem.edits.reading import NoteText
from vaultmem.files.changes import ChangeSet, Edit, Move
from vaultmem.files.events import ByteSpan, FileChange, MemoryEvent
from vaultmem.files.read import content_hash
from vaultmem.notes.link_edits import FileEdits
from vaultmem.notes.textdiff import text_diff
from vaultmem.notes.textedit import ByteEdit, apply_byte_edits, apply_edits, byte_edits


@dataclass(frozen=True, slots=True)
class Planned:
    """What would be done, whom it concerns, and what to tell of it."""

    changes: ChangeSet
    texts: Mapping[str, tuple[str, str]]
    """Text before and after by vault path before, of the files that are edited; "" before of one that is made."""
    links: Mapping[str, int]
    """Links that are rewritten, by vault path before."""
    warnings: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Vault paths of files whose links should perhaps change, and that could not be read."""
    on_names: bool = False
    """It was planned on what the whole vault holds, names and links, and not on the bytes of its files alone."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        set_ = self.changes
        return not (set_.moves or set_.creations) and all(
            edit.expected == content_hash(edit.data) for edit in set_.edits
        )

    def touched(self) -> list[str]:
        """The vault paths, before and after, that the index has to look at."""
        moved = [path for move in self.changes.moves for path in (move.path, move.path_after)]
        made = [creation.path for creation in self.changes.creations]
        return [*moved, *made, *(edit.path for edit in self.changes.edits)]


def spans_of(edits: Sequence[ByteEdit]) -> tuple[ByteSpan, ...]:
    """The receipt's spans of these edits."""
    return tuple(ByteSpan(edit.start, edit.end, len(edit.new)) for edit in edits)


def relinked(files: Iterable[FileEdits], held: Mapping[str, NoteText]) -> tuple[Edit, ...]:
    """The edits of the files with links that change; ``held`` has the text that each was planned on."""
    return tuple(_relinked(file, held[file.path]) for file in files)


def _relinked(file: FileEdits, note: NoteText) -> Edit:
    edits = byte_edits(note.text, file.edits)
    data = apply_byte_edits(note.text.encode(), edits)
    return Edit(file.path, note.read.hash, data, spans_of(edits))


def texts_after(
    files: Iterable[FileEdits], held: Mapping[str, NoteText]
) -> dict[str, tuple[str, str]]:
    """Text before and after by path."""
    texts = {}
    for file in files:
        before = held[file.path].text
        texts[file.path] = (before, apply_edits(before, file.edits))
    return texts


def preview(planned: Planned) -> tuple[ChangedFile, ...]:
    """What the receipt would say of each file."""
    set_ = planned.changes
    edits = {edit.path: edit for edit in set_.edits}
    moves = {move.path: move for move in set_.moves}
    shown = [_previewed(planned, move.path, edits.get(move.path), move) for move in set_.moves]
    shown += [
        ChangedFile(c.path, None, None, content_hash(c.data), 0, _diff(planned, c.path, made=True))
        for c in set_.creations
    ]
    shown += [
        _previewed(planned, path, edit, None)
        for path, edit in edits.items()
        if path not in moves and edit.expected != content_hash(edit.data)
    ]
    return tuple(shown)


def _previewed(planned: Planned, path: str, edit: Edit | None, move: Move | None) -> ChangedFile:
    after = move.path_after if move else None
    before = edit.expected if edit else move.expected if move else None
    return ChangedFile(
        path,
        after,
        before,
        content_hash(edit.data) if edit else before,
        planned.links.get(path, 0),
        _diff(planned, path, path_after=after),
    )


def receipt(planned: Planned, event: MemoryEvent, *, diffs: bool) -> tuple[ChangedFile, ...]:
    """What the receipt says of each file of the event."""
    moved_first = sorted(event.changes, key=lambda change: (change.path_after is None, change.path))
    return tuple(_receipted(planned, change, diffs=diffs) for change in moved_first)


def _receipted(planned: Planned, change: FileChange, *, diffs: bool) -> ChangedFile:
    made = change.hash_before is None and not change.is_folder
    return ChangedFile(
        change.path,
        change.path_after,
        change.hash_before,
        change.hash_after,
        planned.links.get(change.path, 0),
        _diff(planned, change.path, path_after=change.path_after, made=made) if diffs else "",
    )


def _diff(planned: Planned, path: str, *, path_after: str | None = None, made: bool = False) -> str:
    if path not in planned.texts:
        return ""
    before, after = planned.texts[path]
    return text_diff(None if made else before, after, path=path, path_after=path_after)


def answer(
    planned: Planned,
    files: tuple[ChangedFile, ...],
    *,
    event: MemoryEvent | None,
    dry_run: bool,
    seconds: float,
    note: str = "",
) -> WriteAnswer:
    """The whole receipt."""
    return WriteAnswer(
        event=event.id if event else None,
        kind=str(planned.changes.kind),
        dry_run=dry_run,
        files=files,
        links=sum(planned.links.values()),
        warnings=(*planned.warnings, event.note) if event and event.note else planned.warnings,
        unread=planned.unread,
        note=note,
        seconds=seconds,
    )
