"""Letting go of versions that are older than one wants to keep them. Notes and journal stay as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from vaultmem.files.events import LET_GO_UNTIL, EventKind, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal, JournalUnreadableError, journal_files
from vaultmem.files.objects import ObjectStore
from vaultmem.files.recover import LOCK, changes_lock
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
    in_use: Callable[[], Collection[bytes]] = frozenset,
    timeout: float = 10.0,
) -> Collected:
    """What was removed from the object store, or would be.

    Versions go that only events older than ``keep_days`` name, and those that no event names and that were put
    longer ago; none that was put within a day, and with 0 none at all. The event of one that no event names may
    be in the journal of another device, which file sync has yet to bring. What a pending change names stays, and what
    ``in_use`` says. An event remembers up to when versions were let go. Nothing changes the vault meanwhile.
    Raises LockedError; and JournalUnreadableError, with nothing removed, when not every event can be read.
    """
    if not (root / LOCK).parent.is_dir():
        return Collected(dry_run, keep_days, _until(keep_days, now_ns), 0, 0, 0, 0, None)
    used = in_use()
    if dry_run:
        return _collect(root, journal, keep_days, now_ns, actor, used, remove=False)
    with changes_lock(root, timeout=timeout):
        return _collect(root, journal, keep_days, now_ns, actor, used, remove=True)


def _until(keep_days: int, now_ns: int) -> int | None:
    """None when versions are kept for ever: nothing is older than the clock's beginning."""
    until = now_ns - keep_days * DAY_NS
    return until if keep_days and until > 0 else None


def _collect(
    root: Path,
    journal: Journal,
    keep_days: int,
    now_ns: int,
    actor: str,
    in_use: Collection[bytes],
    *,
    remove: bool,
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
        if key in young or key in in_use or not _is_old(status, key in old, until, now_ns):
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


def _is_old(status: os.stat_result, is_named: bool, until: int | None, now_ns: int) -> bool:
    """Whether the version was put so long ago that it may go."""
    # What was put a moment ago, again perhaps, may be named by an event that is just being written.
    if until is None or now_ns - status.st_mtime_ns < DAY_NS:
        return False
    return is_named or status.st_mtime_ns < until


def _named(root: Path, until: int | None) -> tuple[set[bytes], set[bytes]]:
    """The hashes that young events or pending changes name, and those that only old ones do.

    Read from the lines as they stand, so that what a line cannot be understood of keeps its versions, too.
    """
    young: set[bytes] = set()
    old: set[bytes] = set()
    for path in chain.from_iterable(journal_files(root).values()):
        for line in _lines(root, path):
            time = _TIME.search(line)
            is_old = until is not None and time is not None and int(time[1]) < until
            (old if is_old else young).update(map(_digest, _NAMED.findall(line)))
    for path in _intents(root):
        for line in _lines(root, path):
            young.update(map(_digest, _NAMED.findall(line)))
    return young, old - young


def _digest(name: bytes) -> bytes:
    return bytes.fromhex(name.decode("ascii"))


def _intents(root: Path) -> list[Path]:
    folder = root / ".vaultmem" / "intents"
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise JournalUnreadableError(root, folder, error) from error


def _lines(root: Path, path: Path) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            yield from file
    except FileNotFoundError:  # a change that was pending a moment ago, while only looking
        return
    except OSError as error:
        raise JournalUnreadableError(root, path, error) from error


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
