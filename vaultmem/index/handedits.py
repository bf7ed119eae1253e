"""What a sync finds changed that no event explains: a person, or a program that is not ours, edited it.

The journal explains a change when the last that it says of the path is what the disk says now. So a change of ours is
no hand edit, and neither is one that was recorded a moment ago by a sync that then came to no end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unicodedata import normalize

import apsw

from vaultmem.files.events import EventKind, FileChange, MemoryEvent, new_event_id
from vaultmem.files.intents import IntentStore
from vaultmem.files.journal import Journal, JournalUnreadableError, check_readable
from vaultmem.files.objects import ObjectStore
from vaultmem.files.places import is_writable
from vaultmem.files.read import UnreadableFile, read_note_bytes
from vaultmem.files.refusals import WriteFailed
from vaultmem.index.departures import Departures
from vaultmem.index.plan import CONTENT_KINDS, KnownFile, SyncPlan
from vaultmem.index.present import (
    FORGET_KEPT,
    are_kept,
    claims_kept,
    keep_all,
    keep_of,
    set_kept,
)
from vaultmem.index.whereabouts import Said, State, Whereabouts
from vaultmem.notes.paths import path_key

ACTOR: Final = "by hand"
CAUSE: Final = "seen by sync"
MOST_CHANGES: Final = 1000
"""Files of one event: its line stays readable."""

_STATE_FOLDER: Final = ".vaultmem"


@dataclass(frozen=True, slots=True)
class HandEdits:
    """Who records hand edits in the journal of one vault."""

    root: Path
    clock_ns: Callable[[], int]
    capture: bool = False
    """Whether the edited files' bytes are kept as well (``history.capture_hand_edits``)."""

    def under_way(self) -> list[MemoryEvent]:
        """What vaultmem itself is changing on this machine at this moment. Ask before the journal is read: a change
        leaves this list only when the journal has it.

        What file sync brought of another machine's changes under way explains nothing: nobody can tell whether that
        machine still is at it, and what a hand edits meanwhile would be told by no event.
        """
        events = IntentStore(self.root).under_way()
        if not events:
            return []
        try:
            device = Journal(self.root).device
        except WriteFailed:  # who cannot write has nothing under way
            return []
        return [event for event in events if event.device == device]

    def record(self, changes: Sequence[FileChange]) -> str:
        """Appends events of these changes, at most 1,000 each; why that could not be, for a person to read, or "".

        In a vault that cannot be written nothing is appended, and nothing said. Nothing is appended either while the
        journal cannot be read: nobody knows then what it explains.
        """
        if not changes or not is_writable(self.root / _STATE_FOLDER):
            return ""
        journal = Journal(self.root)
        try:
            check_readable(self.root)
            for start in range(0, len(changes), MOST_CHANGES):
                some = tuple(changes[start : start + MOST_CHANGES])
                if self.capture:
                    ObjectStore(self.root).put_all(self._versions(some))
                now_ns = self.clock_ns()
                journal.append(
                    MemoryEvent(
                        id=new_event_id(now_ns),
                        time_ns=now_ns,
                        device=journal.device,
                        kind=EventKind.EDITED_BY_HAND,
                        actor=ACTOR,
                        cause=CAUSE,
                        changes=some,
                    )
                )
        except (WriteFailed, JournalUnreadableError) as error:
            return f"What was edited by hand is not in the history: {error.message}"
        return ""

    def owes(self, connection: apsw.Connection, generation: int) -> bool:
        """Whether ``keep_present`` has something to do."""
        if not self.capture:
            return claims_kept(connection)
        is_kept = are_kept(connection, self.root, generation)
        return not is_kept and is_writable(self.root / _STATE_FOLDER)

    def keep_present(
        self, connection: apsw.Connection, before: int, after: int, paths: Iterable[str]
    ) -> str:
        """Where hand edits are captured, keeps the version that each file holds now: else the first one after it would
        have no version before it. ``before`` and ``after`` are the generations of the index, ``paths`` what a sync
        has touched between them. Returns why that could not be, for a person to read, or ""."""
        if not self.capture:
            connection.execute(FORGET_KEPT)
            return ""
        if not is_writable(self.root / _STATE_FOLDER):
            return ""
        try:
            if are_kept(connection, self.root, before):
                keep_of(connection, self.root, paths)
            else:
                keep_all(connection, self.root)
            set_kept(connection, self.root, after)
        except WriteFailed as error:
            return f"Not every version is kept that the next hand edit may need: {error.message}"
        return ""

    def _versions(self, changes: Sequence[FileChange]) -> Iterator[bytes]:
        """The bytes after, of files that still have them."""
        for change in changes:
            if change.hash_after is None:
                continue
            try:
                read = read_note_bytes(self.root, change.final_path)
            except UnreadableFile:
                continue
            if read.hash == change.hash_after:
                yield read.data


def unexplained(
    plan: SyncPlan,
    hashes: Mapping[str, bytes | None],
    said: Whereabouts,
    under_way: Sequence[MemoryEvent] = (),
    departures: Departures | None = None,
) -> list[FileChange]:
    """The changes of notes and canvases that nobody told of: what went, then what moved, changed and came.

    ``hashes`` are those of the files as they are now, by path, as far as they were read; ``departures`` know where
    folders have taken files that no event names. A file of which neither the index nor the journal knows any content is
    passed over.
    """
    judge = _Judge(said, under_way, departures)
    found = (
        *(judge.removed(row) for row in plan.removed if row.kind in CONTENT_KINDS),
        *(
            judge.moved(pair.known, pair.seen.path, _hex(hashes.get(pair.seen.path)))
            for pair in plan.moved
            if pair.seen.kind in CONTENT_KINDS
        ),
        *(judge.changed(pair.known, _hex(hashes.get(pair.seen.path))) for pair in plan.changed),
        *(
            judge.added(file.path, _hex(hashes.get(file.path)))
            for file in plan.added
            if file.kind in CONTENT_KINDS
        ),
    )
    return [change for change in found if change is not None]


class _Judge:
    """Compares what is found with what was told."""

    def __init__(
        self, said: Whereabouts, under_way: Sequence[MemoryEvent], departures: Departures | None
    ) -> None:
        self._said = said
        self._departures = departures
        self._halfway: set[tuple[str, str | None]] = set()
        """(path, hash) of every state that a change under way may leave behind for a moment; hash None: no file."""
        self._folders: tuple[str, ...] = ()
        for change in (change for event in under_way for change in event.changes):
            paths = {change.path, change.final_path}
            if change.is_folder:
                self._folders += tuple(f"{path}/" for path in paths)
            for digest in (change.hash_before, change.hash_after, None):
                self._halfway.update((path, digest) for path in paths)

    def removed(self, row: KnownFile) -> FileChange | None:
        """What became of a file that is gone; None when it is explained."""
        if self._is_told_gone(row.path):
            return None
        before = self._last_hash(row.path) or _hex(row.content_hash)
        return None if before is None else FileChange(row.path, None, before, None)

    def added(self, path: str, digest: str | None) -> FileChange | None:
        """The same of a file that is new."""
        if digest is None or self._is_told_here(path, digest):
            return None
        return FileChange(path, None, self._last_hash(path), digest)

    def changed(self, row: KnownFile, digest: str | None) -> FileChange | None:
        """The same of a file with other content."""
        if digest is None or self._is_told_here(row.path, digest):
            return None
        before = self._last_hash(row.path) or _hex(row.content_hash)
        if before is None or before == digest:
            return None
        return FileChange(row.path, None, before, digest)

    def moved(self, row: KnownFile, path: str, digest: str | None) -> FileChange | None:
        """The same of a file at another path; half of it may be explained."""
        digest = digest or _hex(row.content_hash)
        if digest is None or _spelling(path) == _spelling(row.path):
            return None
        if self._is_told_here(path, digest):
            return self.removed(row)
        if self._went_with_its_folder(row.path, path) or self._is_respelled(row.path, path):
            return _edit(path, row, digest)
        if self._is_told_gone(row.path):
            return self._arrived(row, path, digest)
        return FileChange(row.path, path, self._last_hash(row.path) or digest, digest)

    def _arrived(self, row: KnownFile, path: str, digest: str) -> FileChange | None:
        """What became of a file that an event took away, and that is where none tells of it."""
        place = self._departures.place_of(row.path) if self._departures is not None else None
        if place is None or row.content_hash is None or self._said_of(place) is not None:
            return self.added(path, digest)
        if _spelling(place) == _spelling(path):
            return _edit(path, row, digest)
        return FileChange(place, path, row.content_hash.hex(), digest)

    def _is_respelled(self, old: str, new: str) -> bool:
        """Whether an event gave a folder of the file another case, and nothing else became of its path."""
        if path_key(old) != path_key(new):
            return False
        before, after = old.split("/"), new.split("/")
        for folder in self._folders_above(new):
            depth = folder.path.count("/") + 1
            is_its = _spelling("/".join(after[:depth])) == _spelling(folder.path)
            rest_stays = _spelling("/".join(before[depth:])) == _spelling("/".join(after[depth:]))
            if folder.state == State.HERE and is_its and rest_stays:
                return True
        return False

    def _is_told_here(self, path: str, digest: str) -> bool:
        if (path, digest) in self._halfway or path.startswith(self._folders):
            return True
        said = self._said_of(path)
        return (
            said is not None
            and said.state == State.HERE
            and (_spelling(said.path), said.content_hash) == (_spelling(path), digest)
        )

    def _is_told_gone(self, path: str) -> bool:
        if (path, None) in self._halfway or path.startswith(self._folders):
            return True
        said = self._said_of(path)
        if said is not None:
            return said.state != State.HERE or _spelling(said.path) != _spelling(path)
        return any(folder.state != State.HERE for folder in self._folders_above(path))

    def _said_of(self, path: str) -> Said | None:
        return self._said.of(path_key(path))

    def _last_hash(self, path: str) -> str | None:
        """What the journal believes the file at the path to be."""
        said = self._said_of(path)
        if said is None or said.state != State.HERE or _spelling(said.path) != _spelling(path):
            return None
        return said.content_hash

    def _went_with_its_folder(self, old: str, new: str) -> bool:
        """Whether an event moved a folder so that a file in it went from the one path to the other."""
        left = {
            (folder.event_id, path_key(old)[len(folder.key) :])
            for folder in self._folders_above(old)
            if folder.state != State.HERE
        }
        return any(
            (folder.event_id, path_key(new)[len(folder.key) :]) in left
            for folder in self._folders_above(new)
            if folder.state == State.HERE
        )

    def _folders_above(self, path: str) -> Iterator[Said]:
        key = path_key(path)
        while key := key.rpartition("/")[0]:
            said = self._said.of(key)
            if said is not None and said.is_folder:
                yield said


def _edit(path: str, row: KnownFile, digest: str) -> FileChange | None:
    """What became of a file that is where it was taken."""
    before = _hex(row.content_hash)
    return None if before in (None, digest) else FileChange(path, None, before, digest)


def _spelling(path: str) -> str:
    """The path in one Unicode form: some disks change it, and that is no edit. Its case counts."""
    return path if path.isascii() else normalize("NFC", path)


def _hex(digest: bytes | None) -> str | None:
    return digest.hex() if digest else None
