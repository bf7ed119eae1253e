"""Letting go of versions that are older than one wants to keep them. Notes and journal stay as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vaultmem.files.events import LET_GO_UNTIL, EventKind, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal
from vaultmem.files.lock import WriterLock
from vaultmem.files.objects import ObjectStore
from vaultmem.files.recover import LOCK
from vaultmem.history.answers import Collected

DAY_NS: Final = 86_400 * 10**9
_NAMED: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_TIME: Final = re.compile(rb'"time_ns":(\d+)')


def collect(
    root: Path,
    journal: Journal,
    *,
    keep_days: int,
    now_ns: int,
    dry_run: bool,
    actor: str,
    timeout: float = 10.0,
) -> Collected:
    """What was removed from the object store, or would be.

    Versions go that only events older than ``keep_days`` name (0: none go for their age), and those that no
    event names; none that was put within a day. What a pending change names stays. An event remembers up to
    when versions were let go. Nothing changes the vault meanwhile. Raises LockedError.
    """
    if not (root / LOCK).parent.is_dir():
        return Collected(dry_run, keep_days, _until(keep_days, now_ns), 0, 0, 0, 0, None)
    if dry_run:
        return _collect(root, journal, keep_days, now_ns, actor, remove=False)
    with WriterLock(root / LOCK, timeout=timeout):
        return _collect(root, journal, keep_days, now_ns, actor, remove=True)


def _until(keep_days: int, now_ns: int) -> int | None:
    return now_ns - keep_days * DAY_NS if keep_days else None


def _collect(
    root: Path, journal: Journal, keep_days: int, now_ns: int, actor: str, *, remove: bool
) -> Collected:
    store = ObjectStore(root)
    until = _until(keep_days, now_ns)
    young, old = _named(root, until)
    aged: list[str] = []
    orphans: list[str] = []
    looked: dict[str, os.stat_result] = {}
    kept = freed = 0
    for digest in store.walk():
        key = bytes.fromhex(digest)
        status = store.status(digest)
        if status is None:
            continue
        # What was put a moment ago, again perhaps, may be named by an event that is just being written.
        if key in young or now_ns - status.st_mtime_ns < DAY_NS:
            kept += 1
            continue
        (aged if key in old else orphans).append(digest)
        looked[digest] = status
        freed += status.st_size
    event = None
    if remove and aged:
        assert until is not None
        # Told before it is done: a version that is gone and of which nothing tells would be a fault.
        event = _event(journal.device, until, keep_days, len(aged), now_ns, actor)
        journal.append(event)
    if remove:
        for digest in (*aged, *orphans):
            if store.status(digest) == looked[digest]:
                store.delete(digest)
    return Collected(
        dry_run=not remove,
        keep_days=keep_days,
        until_ns=until,
        let_go=len(aged),
        orphans=len(orphans),
        bytes_freed=freed,
        kept=kept,
        event=event.id if event is not None else None,
    )


def _named(root: Path, until: int | None) -> tuple[set[bytes], set[bytes]]:
    """The hashes that young events or pending changes name, and those that only old ones do.

    Read from the lines as they stand, so that what a line cannot be understood of keeps its versions, too.
    """
    young: set[bytes] = set()
    old: set[bytes] = set()
    for line in _lines(root / ".vaultmem" / "journal", "*/*.jsonl"):
        time = _TIME.search(line)
        is_old = until is not None and time is not None and int(time[1]) < until
        (old if is_old else young).update(map(_digest, _NAMED.findall(line)))
    for line in _lines(root / ".vaultmem" / "intents", "*"):
        young.update(map(_digest, _NAMED.findall(line)))
    return young, old - young


def _digest(name: bytes) -> bytes:
    return bytes.fromhex(name.decode("ascii"))


def _lines(folder: Path, pattern: str) -> Iterator[bytes]:
    for path in sorted(folder.glob(pattern)):
        with open(path, "rb") as file:
            yield from file


def _event(
    device: str, until: int, keep_days: int, many: int, now_ns: int, actor: str
) -> MemoryEvent:
    return MemoryEvent(
        id=new_event_id(now_ns),
        time_ns=now_ns,
        device=device,
        kind=EventKind.LET_GO,
        actor=actor,
        cause=f"{many} versions older than {keep_days} days",
        extra={LET_GO_UNTIL: until},
    )
