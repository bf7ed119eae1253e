"""Replaying all receipts: what the journal says against the stored versions and the files."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from vaultmem.files.events import LET_GO_UNTIL, ByteSpan, EventKind, FileChange, MemoryEvent
from vaultmem.files.journal import Journal, JournalFault
from vaultmem.files.objects import ObjectDamagedError, ObjectMissingError
from vaultmem.history.answers import Fault, Proof
from vaultmem.history.stored import Stored
from vaultmem.history.trail import in_trash, moved_along

Progress = Callable[[int], None]

_HASH = re.compile(r"\b[0-9a-f]{32}\b")

_HASH_ONLY = frozenset((EventKind.EDITED_BY_HAND, EventKind.UNKNOWN))
"""Kinds of which no version need be stored."""


def span_fault(before: bytes, after: bytes, spans: tuple[ByteSpan, ...]) -> str | None:
    """The code of what is wrong with a receipt; None when the bytes outside its spans are the same in both."""
    at = new_at = 0
    for start, end, length in (*spans, ByteSpan(len(before), len(before), 0)):
        if not at <= start <= end <= len(before) or length < 0:
            return "wrong-span"
        new_start = new_at + start - at
        if before[at:start] != after[new_at:new_start]:
            return "outside-span"
        at, new_at = end, new_start + length
        if new_at > len(after):
            return "wrong-span"
    return None if new_at == len(after) else "wrong-span"


@dataclass(slots=True)
class Prover:
    """One replay. Memory grows with the number of files and versions, not with their size."""

    root: Path
    journal: Journal
    stored: Stored
    in_use: Collection[bytes] = frozenset()
    """Hashes of versions that are stored though no event need name them."""
    faults: list[Fault] = field(default_factory=list)
    _last: dict[str, str | None] = field(default_factory=dict)
    """Vault path → the hash that was recorded last; None for a file that went."""
    _sound: set[bytes] = field(default_factory=set)
    _named: set[str] = field(default_factory=set)
    """The hash of each version that an event names."""
    _known: set[str] = field(default_factory=set)
    """The id of each event."""
    _referred: dict[str, MemoryEvent] = field(default_factory=dict)
    """The id of an event that was undone → the undo."""
    _cut_off: list[JournalFault] = field(default_factory=list)
    _let_go_until: int = 0
    _events: int = 0
    _receipts: int = 0
    _hash_only: int = 0
    _let_go: int = 0
    _gaps: int = 0

    def run(self) -> Proof:
        """What the replay shows."""
        began = time.perf_counter()
        self._let_go_until = let_go_until(self.journal)
        for event in self.journal.read(on_fault=self._no_event):
            self._events += 1
            self._known.add(event.id)
            self._referred.update((undone, event) for undone in event.undone)
            self._replay(event)
        self._check_references()
        known, matched, edited, gone = self._compare_files()
        return Proof(
            proven=not self.faults,
            events=self._events,
            receipts=self._receipts,
            versions=len(self._sound),
            files=known,
            matched=matched,
            hash_only=self._hash_only,
            let_go=self._let_go,
            gaps=self._gaps,
            cut_off=tuple(f"{fault.file}:{fault.line}" for fault in self._cut_off),
            unnamed=sum(
                digest not in self._named and bytes.fromhex(digest) not in self.in_use
                for digest in self.stored.objects.walk()
            ),
            edited_since=tuple(edited),
            gone_since=tuple(gone),
            faults=tuple(self.faults),
            seconds=time.perf_counter() - began,
        )

    def _no_event(self, fault: JournalFault) -> None:
        # A killed process or a full disk leaves such a line: what it was to tell of was never told to be done, or is
        # told of by a later line.
        if fault.torn:
            self._cut_off.append(fault)
            return
        where = f"{fault.file}:{fault.line}"
        self.faults.append(Fault("no-event", where, "", "A line of the journal is no event."))

    def _check_references(self) -> None:
        """An event that another one takes back must be there."""
        for event, undo in self._referred.items():
            if event not in self._known:
                line = next((f"{f.file}:{f.line}" for f in self._cut_off if f.event == event), "")
                cut_off = f"; its line was cut off ({line})" if line else ""
                message = (
                    f"The event {event}, which this one took back, is not in the journal{cut_off}."
                )
                self.faults.append(Fault("missing-event", undo.id, "", message))

    def _replay(self, event: MemoryEvent) -> None:
        """All that the event says of paths at once: a file that it edits may move along with its folder."""
        files = [change for change in event.changes if not change.is_folder]
        self._named.update(_HASH.findall(event.note))
        for change in files:
            if change.path in self._last and self._last[change.path] != change.hash_before:
                self._gaps += 1
            self._named.update(filter(None, (change.hash_before, change.hash_after)))
            self._check_versions(event, change)
        for change in files:
            self._last.pop(change.path, None)
        for change in event.changes:
            if change.is_folder:
                self._move_folder(change)
        for change in files:
            if change.hash_after is None or change.final_path != change.path:
                self._last[change.path] = None
        for change in files:
            self._last[change.final_path] = change.hash_after

    def _move_folder(self, folder: FileChange) -> None:
        along = {path: moved_along(path, folder) for path in self._last}
        held = {path: self._last.pop(path) for path, new in along.items() if new is not None}
        for path, digest in held.items():
            if digest is not None:  # what went from the folder before did not come along
                self._last[along[path] or path] = digest

    def _check_versions(self, event: MemoryEvent, change: FileChange) -> None:
        before, after = (
            self._version(event, change, digest)
            for digest in (change.hash_before, change.hash_after)
        )
        wanted = sum(digest is not None for digest in (change.hash_before, change.hash_after))
        if (before is not None) + (after is not None) < wanted:
            return
        if (
            before is not None
            and after is not None
            and not self._agree(event, change, before, after)
        ):
            return
        self._receipts += 1

    def _agree(self, event: MemoryEvent, change: FileChange, before: bytes, after: bytes) -> bool:
        if before == after or (event.kind is EventKind.EDITED_BY_HAND and not change.spans):
            return True
        code = span_fault(before, after, change.spans)
        if code is None:
            return True
        what = {
            "outside-span": "bytes changed outside of what the receipt names",
            "wrong-span": "the receipt's spans do not fit the bytes",
        }[code]
        self._fault(code, event, change, f"{change.final_path}: {what}.")
        return False

    def _version(self, event: MemoryEvent, change: FileChange, digest: str | None) -> bytes | None:
        if digest is None:
            return None
        try:
            data = self.stored.sound(digest)
        except ObjectMissingError:
            if event.time_ns < self._let_go_until:
                self._let_go += 1
            elif event.kind in _HASH_ONLY:
                self._hash_only += 1
            else:
                message = f"{change.final_path}: the version {digest} is missing."
                self._fault("missing-version", event, change, message)
            return None
        except ObjectDamagedError:
            message = f"{change.final_path}: the version {digest} is damaged."
            self._fault("damaged-version", event, change, message)
            return None
        self._sound.add(bytes.fromhex(digest))
        return data

    def _fault(self, code: str, event: MemoryEvent, change: FileChange, message: str) -> None:
        self.faults.append(Fault(code, event.id, change.final_path, message))

    def _compare_files(self) -> tuple[int, int, list[str], list[str]]:
        """How many files should be there, how many are as recorded, and which are not or are gone."""
        known = matched = 0
        edited: list[str] = []
        gone: list[str] = []
        for path, digest in sorted(self._last.items()):
            read = self.stored.on_disk(path)
            if digest is None or in_trash(path):
                if digest is None and read is not None and not in_trash(path):
                    edited.append(path)
                continue
            known += 1
            if read is None:
                gone.append(path)
            elif read.hash == digest:
                matched += 1
            else:
                edited.append(path)
        return known, matched, edited, gone


def let_go_until(journal: Journal) -> int:
    """Versions that only events before this time need may be gone; 0 when none were ever let go."""
    mark = f'"{LET_GO_UNTIL}":'.encode()
    times = (
        event.extra.get(LET_GO_UNTIL)
        for event in journal.backward(lambda line: mark in line)
        if event.kind is EventKind.LET_GO
    )
    return max((moment for moment in times if isinstance(moment, int)), default=0)
