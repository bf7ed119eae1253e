"""Carrying out an intent, and taking it back: what is done is read from the disk, so both can be begun again."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final

from vaultmem.errors import FailedError, VaultmemError
from vaultmem.files.arrive import carry, place_new, remove_folders, take_back
from vaultmem.files.displaced import sweep
from vaultmem.files.durable import sync_folders, sync_paths
from vaultmem.files.events import FileChange, MemoryEvent, new_event_id
from vaultmem.files.folder import Folder
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal, JournalUnreadableError
from vaultmem.files.objects import ObjectDamagedError, ObjectMissingError, ObjectStore
from vaultmem.files.refusals import WriteFailed, WriteRefused
from vaultmem.files.swap import Replacement
from vaultmem.files.targets import Target, WriteRules, existing_target, new_target, real_root
from vaultmem.files.versions import Version
from vaultmem.notes.paths import path_key

_TOGETHER: Final = 48
"""Files that are swapped between two syncs: each holds a few descriptors, and keeps its other writers waiting."""


class PartlyDoneError(VaultmemError):
    """A change failed midway, and some files could not be taken back since they were edited on top of it."""

    exit_code: ClassVar[int] = 5

    def __init__(self, event: MemoryEvent) -> None:
        paths = ", ".join(change.final_path for change in event.changes)
        super().__init__(
            f"{event.note} All else was taken back, but {paths} was edited meanwhile.",
            hint=f"vaultmem diff shows event {event.id}.",
        )
        self.event = event
        """What remains of it, as it is in the journal."""


class UnsettledError(FailedError):
    """A change failed, and the disk refused the way back as well: ``recover`` goes it when it can be gone."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"A change failed, and {path} could not be taken back: the disk does not take it.",
            hint="Make some room; the next command that writes takes the rest back.",
        )
        self.path = path


class Stage(Enum):
    """How far a file's change has come."""

    BEFORE = "before"
    EDITED = "edited"
    """It has its new bytes and not yet its new place."""
    AFTER = "after"
    OTHER = "other"
    """Somebody else has changed it meanwhile."""


class Execution:
    """One intent on one vault, whose lock the caller holds; the object store has every version it needs."""

    def __init__(self, root: Path, intent: Intent, store: ObjectStore, rules: WriteRules) -> None:
        self._root = real_root(root)
        self._intent = intent
        self._store = store
        # That the files are at rest was checked; a save since then shows in their bytes.
        self._rules = dataclasses.replace(rules, quiet=0)
        self._done: list[FileChange] = []
        self._trying: tuple[FileChange, ...] = ()
        """What is being done at this moment."""
        changes = intent.event.changes
        self._folders = [change for change in changes if change.is_folder]

    def run(self, journal: Journal, intents: IntentStore) -> None:
        """Does all of it and appends the event; or takes all back and raises what stood in the way.

        Raises PartlyDoneError when something could not be taken back since it was edited meanwhile, and
        UnsettledError, with the intent kept, when the disk refuses even the way back.
        """
        event = self._intent.event
        try:
            self.forward()
            journal.append(event)
        except BaseException as error:
            if not self._is_told(journal):
                intents.turn(event.id)
                try:
                    stuck = self.backward(self._begun(error))
                except WriteFailed as second:
                    raise UnsettledError(second.path) from second
                if stuck:
                    rest = self._remaining(stuck, error)
                    journal.append(rest)
                    intents.drop(event.id)
                    raise PartlyDoneError(rest) from error
            intents.drop(event.id)
            raise
        intents.drop(event.id)

    def _is_told(self, journal: Journal) -> bool:
        event = self._intent.event
        try:
            return journal.holds(event)
        except JournalUnreadableError as error:  # the intent stays until somebody knows
            raise UnsettledError(error.path) from error

    def _begun(self, error: BaseException) -> list[FileChange]:
        """What is done, and what the error may have stopped when it was done already: the disk can refuse to say that
        it has a file which is in its place. A refusal comes with the file as it was, or as a rival saved it."""
        if isinstance(error, WriteRefused):
            return self._done
        at_work = (Stage.EDITED, Stage.AFTER)
        return [*self._done, *(c for c in self._trying if self.stage(c) in at_work)]

    def _remaining(self, stuck: list[FileChange], error: BaseException) -> MemoryEvent:
        whole = self._intent.event
        message = error.message if isinstance(error, VaultmemError) else "It was interrupted."
        return dataclasses.replace(
            whole,
            id=new_event_id(whole.time_ns),
            changes=tuple(stuck),
            note=f"Only this remains of a change that failed. {message}",
        )

    def stages(self) -> dict[str, Stage]:
        """Path before → how far its change has come."""
        return {change.path: self.stage(change) for change in self._intent.event.changes}

    def forward(self) -> None:
        """Does what is not done. Raises WriteRefused and WriteFailed with some done and some not."""
        todo = {
            change.path: stage
            for change in self._intent.event.changes
            if (stage := self.stage(change)) is not Stage.AFTER
        }
        changes = [change for change in self._intent.event.changes if change.path in todo]
        # What needs the most new room comes while there is nothing yet to be taken back.
        for change in changes:
            if change.hash_before is None and change.hash_after is not None:
                self._trying = (change,)
                target = self._free(change.path)
                place_new(target, self._store.get(change.hash_after), self._rules)
                self._done.append(change)
        self._edit(c for c in changes if _is_edit(c) and todo[c.path] is not Stage.EDITED)
        for change in changes:
            if change.path_after is not None and not self._is_carried(change):
                self._trying = (change,)
                source = existing_target(self._root, change.path, self._rules, trash=True)
                carry(source, self._free(change.path_after), change.hash_after)
                self._done.append(change)
        self._trying = ()

    def backward(self, changes: Sequence[FileChange] | None = None) -> list[FileChange]:
        """Takes back what is done, of ``changes`` or of all; the changes that could not be taken back.

        Edits made on top of ours win and stay. Raises WriteFailed when the disk refuses; call it again then.
        """
        wanted = self._intent.event.changes if changes is None else tuple(dict.fromkeys(changes))
        stuck: dict[str, FileChange] = {}
        for change in sorted(wanted, key=lambda change: not change.is_folder):
            stage = self.stage(change)
            try:
                if stage is Stage.OTHER:
                    stuck[change.path] = change
                elif stage is not Stage.BEFORE:
                    self._take_back_somehow(change, stage)
            except (WriteRefused, ObjectMissingError, ObjectDamagedError):
                stuck[change.path] = change
        root = self._root
        remove_folders([os.path.join(root, path.encode()) for path in self._intent.new_folders])
        return list(stuck.values())

    def stage(self, change: FileChange) -> Stage:
        """How far the change has come, by what is on the disk."""
        here, there = self._look(change)
        before, after = change.hash_before, change.hash_after
        if change.is_folder:
            if here == there:
                return Stage.OTHER
            return Stage.BEFORE if here is not None else Stage.AFTER
        if change.path_after is not None:
            if here is None:
                return Stage.AFTER if there == after else Stage.OTHER
            if there == after:
                return Stage.OTHER  # moved, and made anew at the old path
        if here == before:
            return Stage.BEFORE
        if here == after:
            return Stage.EDITED if change.path_after is not None else Stage.AFTER
        return Stage.OTHER

    def _look(self, change: FileChange) -> tuple[str | None, str | None]:
        """The hashes at the old and at the new path; None where nothing is, ``""`` for a folder."""
        new = change.path_after
        # Where no case is known, only the listing tells under which of the two names it is.
        exact = new is not None and path_key(new) == path_key(change.path)
        here = self._hash_at(change.path, exact=exact)
        return here, None if new is None else self._hash_at(new, exact=exact)

    def _hash_at(self, path: str, *, exact: bool) -> str | None:
        place = self._root
        parts = path.encode().split(b"/")
        try:
            if exact:
                for part in parts:
                    if part not in os.listdir(place):
                        return None
                    place = os.path.join(place, part)
            with Folder(os.path.join(self._root, *parts[:-1])) as folder:
                version = Version(folder, parts[-1], leased=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise WriteFailed(path, error) from error
        version.close()
        return version.hash or ""

    def _edit(self, changes: Iterable[FileChange]) -> None:
        rest = iter(changes)
        while chunk := list(islice(rest, _TOGETHER)):
            self._trying = tuple(chunk)
            try:
                self._edit_together(chunk)
            except OSError as error:
                raise WriteFailed(chunk[0].path, error) from error

    def _edit_together(self, chunk: list[FileChange]) -> None:
        with ExitStack() as stack:
            open_ones = [
                (change, stack.enter_context(self._replacement(change))) for change in chunk
            ]
            for _, replacement in open_ones:
                replacement.prepare()
            sync_paths(replacement.place for _, replacement in open_ones)
            for change, replacement in open_ones:
                replacement.swap()
                self._done.append(change)
            sync_folders({replacement.target.folder for _, replacement in open_ones})
            time.sleep(max(replacement.wait for _, replacement in open_ones))
            for change, replacement in open_ones:
                try:
                    replacement.settle()
                except WriteRefused:
                    self._done.remove(change)
                    raise

    def _replacement(self, change: FileChange) -> Replacement:
        target = existing_target(self._root, change.path, self._rules)
        assert change.hash_before is not None
        assert change.hash_after is not None
        data = self._store.get(change.hash_after)
        return Replacement(target, change.hash_before, data, self._rules)

    def _take_back_somehow(self, change: FileChange, stage: Stage) -> None:
        try:
            self._take_back(change, stage)
        except WriteFailed:
            # On a full disk, the versions that we have just replaced are the room we need. One into which a save
            # came late stays.
            sweep(Path(os.fsdecode(self._root)), now_ns=self._rules.clock(), age=0)
            if (again := self.stage(change)) is not Stage.BEFORE:
                self._take_back(change, again)

    def _take_back(self, change: FileChange, stage: Stage) -> None:
        if stage is Stage.AFTER and change.path_after is not None and not self._is_carried(change):
            source = existing_target(self._root, change.path_after, self._rules, trash=True)
            carry(source, self._free(change.path), change.hash_after)
        if change.is_folder:
            return
        target = existing_target(self._root, change.path, self._rules, trash=True)
        assert change.hash_after is not None
        if change.hash_before is None:
            take_back(target, change.hash_after, self._rules)
        elif _is_edit(change):
            data = self._store.get(change.hash_before)
            with Replacement(target, change.hash_after, data, self._rules) as replacement:
                replacement.complete()

    def _free(self, path: str) -> Target:
        """The checked plan said that the name is good."""
        return new_target(self._root, path, self._rules, trash=True, keep=path)

    def _is_carried(self, change: FileChange) -> bool:
        """Whether the file moves with its folder."""
        return not change.is_folder and any(
            change.path.startswith(f"{folder.path}/") for folder in self._folders
        )


def _is_edit(change: FileChange) -> bool:
    return change.hash_before is not None and change.hash_before != change.hash_after
