"""What other devices have to do with the review note: what they decided, and the copies that file sync left of it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from vaultmem.dream.review_marks import marked_ids
from vaultmem.dream.review_note import Choice
from vaultmem.files.events import EventKind
from vaultmem.files.journal import Journal
from vaultmem_daemon.dreaming.corpus import read_text

_CHOICES: Final = {EventKind.ACCEPTED: Choice.ACCEPT, EventKind.REJECTED: Choice.REJECT}


def decided(journal: Journal, ids: Collection[str]) -> dict[str, Choice]:
    """What was decided last about each of these proposals, on whatever device; those that nothing tells of are left out.
    Raises JournalUnreadableError."""
    found: dict[str, Choice] = {}
    marks = [f'"{name}"'.encode() for name in ids]
    if not marks:
        return found
    for event in journal.backward(lambda line: any(mark in line for mark in marks)):
        name = event.extra.get("proposal")
        if event.kind in _CHOICES and isinstance(name, str) and name in ids:
            found.setdefault(name, _CHOICES[event.kind])
        if len(found) == len(marks):
            break
    return found


def copies_of(root: Path, path: str) -> dict[str, str]:
    """The texts of the copies of the review note that lie beside it, by path: notes in which items of ours stand."""
    folder, _, name = path.rpartition("/")
    found: dict[str, str] = {}
    with suppress(OSError):
        for place in sorted((root / folder).glob("*.md")):
            if place.name == name:
                continue
            held = f"{folder}/{place.name}" if folder else place.name
            note = read_text(root, held)
            if note is not None and marked_ids(note.text):
                found[held] = note.text
    return found
