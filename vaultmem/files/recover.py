"""At the start: what killed processes left undone is finished, or taken back; never is it left half."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.files.displaced import AGE, sweep
from vaultmem.files.events import EventKind, FileChange, MemoryEvent, new_event_id
from vaultmem.files.execution import Execution, Stage
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.leftovers import Leftover, clean_leftovers
from vaultmem.files.lock import WriterLock
from vaultmem.files.objects import ObjectDamagedError, ObjectMissingError, ObjectStore
from vaultmem.files.refusals import WriteRefused
from vaultmem.files.swap import replace
from vaultmem.files.targets import WriteRules

LOCK: Final = ".vaultmem/changes.lock"
"""Held by whoever changes several files; an intent seen under it is that of a dead process."""


class Outcome(StrEnum):
    """What became of an unfinished change."""

    FINISHED = "finished"
    TAKEN_BACK = "taken-back"


class Recovered(NamedTuple):
    """One unfinished change."""

    event: MemoryEvent
    outcome: Outcome
    leftovers: tuple[Leftover, ...]
    doubtful: tuple[str, ...]
    """Vault paths of files that somebody else has changed meanwhile: they were left as they are."""


def recover(
    root: Path,
    *,
    rules: WriteRules | None = None,
    journal: Journal | None = None,
    timeout: float = 10.0,
) -> tuple[Recovered, ...]:
    """Settles what killed processes left, oldest first, and late saves of other programs (see ``displaced``).

    A change of which nothing is to be seen yet is dropped: whoever asked was never told that it was made. One
    that was begun is finished when every file of it holds the bytes of before or after, else what can be is
    taken back. May itself be killed and called again. Raises LockedError when another process is at work, and
    WriteFailed when the disk refuses.
    """
    if not (root / LOCK).parent.is_dir():
        return ()
    rules = rules or WriteRules()
    journal = journal or Journal(root)
    with WriterLock(root / LOCK, timeout=timeout):
        found = recover_alone(root, rules=rules, journal=journal)
        ObjectStore(root).clean()
        settle_late_saves(root, rules=rules, journal=journal)
    return found


def recover_alone(root: Path, *, rules: WriteRules, journal: Journal) -> tuple[Recovered, ...]:
    """``recover`` for a caller that holds the lock, without the late saves."""
    intents = IntentStore(root)
    found = []
    for intent in intents.pending():
        if intent.event.device != journal.device:
            continue  # file sync brought it: the other machine may be in the middle of it
        found.append(_settle(root, intent, rules, journal))
        intents.drop(intent.event.id)
    return tuple(found)


def unfinished_elsewhere(root: Path, journal: Journal | None = None) -> tuple[MemoryEvent, ...]:
    """The changes that other devices began and, as far as file sync has told, did not finish."""
    pending = IntentStore(root).pending()
    if not pending:
        return ()
    device = (journal or Journal(root)).device
    return tuple(intent.event for intent in pending if intent.event.device != device)


def settle_late_saves(
    root: Path, *, rules: WriteRules, journal: Journal, age: float = AGE
) -> tuple[MemoryEvent, ...]:
    """Events for the saves of other programs that went into a file we had just replaced.

    Such a save is put in place when the note still holds what we wrote. Where it was edited since, and where
    the save emptied the file, its bytes stay in the object store and the event says under which hash.
    """
    events = []
    for save in sweep(root, now_ns=rules.clock(), age=age):
        data = ObjectStore(root).get(save.hash)
        change: tuple[FileChange, ...] = ()
        note = f"Saved while the note was being written; kept as {save.hash}."
        if data:
            try:
                replace(root, save.path, expected=save.by, data=data, rules=rules)
                change = (FileChange(save.path, None, save.by, save.hash),)
                note = "Saved while the note was being written, and put in place."
            except WriteRefused:
                pass
        event = MemoryEvent(
            id=new_event_id(rules.clock()),
            time_ns=rules.clock(),
            device=journal.device,
            kind=EventKind.EDITED_BY_HAND,
            actor="another program",
            cause=save.path,
            changes=change,
            note=note,
        )
        journal.append(event)
        events.append(event)
    return tuple(events)


def _settle(root: Path, intent: Intent, rules: WriteRules, journal: Journal) -> Recovered:
    leftovers = clean_leftovers(root, intent.folders(), rules=rules)
    if journal.holds(intent.event):
        return Recovered(intent.event, Outcome.FINISHED, leftovers, ())
    execution = Execution(root, intent, ObjectStore(root), rules)
    stages = execution.stages()
    doubtful = tuple(path for path, stage in stages.items() if stage is Stage.OTHER)
    untouched = all(stage is Stage.BEFORE for stage in stages.values())
    if not (doubtful or untouched or intent.back):
        try:
            execution.forward()
        except WriteRefused as refusal:
            doubtful = (refusal.path,)
        except (ObjectMissingError, ObjectDamagedError):
            pass
        else:
            journal.append(intent.event)
            return Recovered(intent.event, Outcome.FINISHED, leftovers, ())
    stuck = execution.backward()
    doubtful = tuple(dict.fromkeys((*doubtful, *(change.path for change in stuck))))
    return Recovered(intent.event, Outcome.TAKEN_BACK, leftovers, doubtful)
