"""At the start: what killed processes left undone is finished, or taken back; never is it left half."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.errors import FailedError, RefusedError
from vaultmem.files.events import MemoryEvent
from vaultmem.files.execution import Execution, Stage
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.late import settle_late_saves
from vaultmem.files.leftovers import Leftover, Owned, Settled, clean_leftovers, folders_with
from vaultmem.files.lock import Guarded, WriterLock
from vaultmem.files.objects import ObjectDamagedError, ObjectMissingError, ObjectStore
from vaultmem.files.refusals import WriteRefused
from vaultmem.files.targets import WriteRules
from vaultmem.files.temporary import HASH_DIGITS, NO_HASH

LOCK: Final = ".vaultmem/changes.lock"
"""Held by whoever changes notes; an intent seen under it is that of a dead process."""

NOTES: Final = Guarded(
    "Notes of this vault are being changed",
    "Nothing was changed; to change notes, make the vault's folder .vaultmem writable.",
    "Nothing was changed: notes are changed only where two programs cannot do so at once. Keep the vault on a disk "
    "that has locks.",
    FailedError,
    RefusedError,
)
"""What the lock guards."""


class Outcome(StrEnum):
    """What became of an unfinished change."""

    FINISHED = "finished"
    TAKEN_BACK = "taken-back"
    TIDIED = "tidied"
    """It was settled before; a file beside a note, which another program held open then, could be looked at now."""


class Recovered(NamedTuple):
    """One unfinished change."""

    event: MemoryEvent
    outcome: Outcome
    leftovers: tuple[Leftover, ...]
    doubtful: tuple[str, ...]
    """Vault paths of files that somebody else has changed meanwhile: they were left as they are."""


def changes_lock(root: Path, *, timeout: float) -> WriterLock:
    """The lock of whoever changes notes; raises as ``WriterLock``, in words about notes."""
    return WriterLock(root / LOCK, timeout=timeout, guarded=NOTES, below=root)


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
    with changes_lock(root, timeout=timeout):
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
        recovered = _settle(root, intent, rules, journal)
        if any(leftover.settled is Settled.LEFT for leftover in recovered.leftovers):
            intents.leave(intent.event.id)
        else:
            intents.drop(intent.event.id)
        found.append(recovered)
    return tuple(found)


def unfinished_elsewhere(root: Path, journal: Journal | None = None) -> tuple[MemoryEvent, ...]:
    """The changes that other devices began and, as far as file sync has told, did not finish."""
    under_way = IntentStore(root).under_way()
    if not under_way:
        return ()
    device = (journal or Journal(root)).device
    return tuple(event for event in under_way if event.device != device)


def _settle(root: Path, intent: Intent, rules: WriteRules, journal: Journal) -> Recovered:
    leftovers = clean_leftovers(root, _places(root, intent), rules=rules, dead=_made_for(intent))
    if intent.left:
        return Recovered(intent.event, Outcome.TIDIED, leftovers, ())
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


def _places(root: Path, intent: Intent) -> set[str]:
    """The vault paths of the folders in which its files beside the notes are: where it writes, and where such a folder
    is no more, wherever in the vault somebody moved it."""
    folders = intent.folders()
    if all((root / folder).is_dir() for folder in folders):
        return folders
    names, digits = _names(intent), _digits(intent)
    return folders | set(
        folders_with(
            root,
            lambda _, parts: (
                {parts.old, parts.new} <= digits
                and any(name.encode().startswith(parts.name) for name in names)
            ),
        )
    )


def _made_for(intent: Intent) -> Owned:
    """Which files beside the notes are the intent's: its process is dead, since we hold the lock that it had. Their
    folder may have moved."""
    names, digits = _names(intent), _digits(intent)
    return lambda path, name: path.rpartition("/")[2] in names and {name.old, name.new} <= digits


def _names(intent: Intent) -> set[str]:
    changes = intent.event.changes
    paths = (path for change in changes for path in (change.path, change.final_path))
    return {path.rpartition("/")[2] for path in paths}


def _digits(intent: Intent) -> set[str]:
    changes = intent.event.changes
    versions = {version for c in changes for version in (c.hash_before, c.hash_after)}
    return {NO_HASH, *(version[:HASH_DIGITS] for version in versions if version is not None)}
