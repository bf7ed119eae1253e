"""What is about to be done, written down before it is begun, so that a killed process leaves nothing half.

One file per change in ``.vaultmem/intents/``; it goes when the change is done or taken back.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.files.below import make_below
from vaultmem.files.durable import sync_file, sync_folder, write_whole
from vaultmem.files.events import MemoryEvent, from_json, to_json
from vaultmem.files.refusals import WriteFailed

_FOLDER: Final = ".vaultmem/intents"
_ENDING: Final = ".json"
_BACK: Final = ".back"
_LEFT: Final = ".left"
DAMAGED: Final = ".damaged"
"""Ends the name of an intent that was set aside since nothing can be read from it."""


class Intent(NamedTuple):
    """The event that will have happened, and the folders that have to be made for it."""

    event: MemoryEvent
    new_folders: tuple[str, ...]
    """Vault paths, the outer before the inner."""
    back: bool = False
    """Whether it failed and is to be taken back."""
    left: bool = False
    """Whether it is settled but for files beside the notes that could not be looked at."""

    def folders(self) -> set[str]:
        """Vault paths of all folders in which something is written."""
        changes = self.event.changes
        return {
            path.rpartition("/")[0]
            for change in changes
            for path in (change.path, change.final_path)
        }


class IntentStore:
    """The intents of one vault, under the lock of ``changes``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / _FOLDER

    def keep(self, intent: Intent) -> None:
        """The intent is on the disk when this returns. Raises WriteFailed."""
        path = self._path(intent.event.id)
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        text = f"{to_json(intent.event)}\n{json.dumps(intent.new_folders)}\n"
        try:
            make_below(self._root, self._folder)
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                write_whole(descriptor, text.encode())
                sync_file(descriptor)
            finally:
                os.close(descriptor)
            os.replace(beside, path)
            sync_folder(self._folder)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            raise WriteFailed(_FOLDER, error) from error

    def turn(self, event_id: str) -> None:
        """Remembers that the change failed: from now on it is only taken back."""
        with suppress(OSError):  # without the mark it is finished or taken back as the files allow
            os.replace(self._path(event_id), self._path(event_id + _BACK))
            sync_folder(self._folder)

    def leave(self, event_id: str) -> None:
        """Remembers that the change is settled, and only its folders are to be looked through again."""
        for name in (event_id, event_id + _BACK):
            with suppress(OSError):
                os.replace(self._path(name), self._path(event_id + _LEFT))

    def drop(self, event_id: str) -> None:
        """Forgets the intent; one that comes back after a power cut is found to be done."""
        for name in (event_id, event_id + _BACK, event_id + _LEFT):
            with suppress(OSError):
                self._path(name).unlink()

    def pending(self) -> list[Intent]:
        """The intents of processes that did not get to an end, oldest first, for a caller that holds the lock.

        Half-written ones are removed. One that is damaged is set aside under a name that ends in ``.damaged``, and
        one that cannot be read is passed over: ``faulty`` names both.
        """
        intents = []
        for name in self._names():
            if name.startswith("."):
                with suppress(OSError):
                    os.unlink(self._folder / name)
                continue
            try:
                intents += self._read(name)
            except ValueError:
                with suppress(OSError):
                    os.replace(self._folder / name, self._folder / (name + DAMAGED))
        return intents

    def seen(self) -> list[Intent]:
        """The intents that lie there now, oldest first, for a reader without the lock: nothing is removed, and what
        goes meanwhile or cannot be read is left out."""
        intents = []
        for name in self._names():
            with suppress(ValueError):
                intents += self._read(name)
        return intents

    def under_way(self) -> list[MemoryEvent]:
        """The events of those that may be in the middle of their change, as ``seen``."""
        return [intent.event for intent in self.seen() if not intent.left]

    def faulty(self) -> list[str]:
        """The vault paths of the intents that are damaged or cannot be read."""
        found = []
        for name in self._names():
            if name.startswith(".") or not name.endswith((_ENDING, DAMAGED)):
                continue
            try:
                fault = not self._read(name) and os.path.lexists(self._folder / name)
            except ValueError:
                fault = True
            found += [f"{_FOLDER}/{name}"] if fault else []
        return found

    def _names(self) -> list[str]:
        try:
            return sorted(os.listdir(self._folder))
        except OSError:  # none, or not ours to read
            return []

    def _read(self, name: str) -> list[Intent]:
        """The intent of the file; none when it is gone or cannot be read. Raises ValueError when it is damaged."""
        if name.startswith(".") or not name.endswith(_ENDING):
            return []
        try:
            text = (self._folder / name).read_text("utf-8")
        except OSError:
            return []
        stem = name.removesuffix(_ENDING)
        intent = _parsed(text)._replace(back=stem.endswith(_BACK), left=stem.endswith(_LEFT))
        if intent.event.id != stem.removesuffix(_BACK).removesuffix(_LEFT):
            raise ValueError("the file is named after another event")
        return [intent]

    def _path(self, event_id: str) -> Path:
        return self._folder / f"{event_id}{_ENDING}"


def _parsed(text: str) -> Intent:
    """Raises ValueError for a text that no whole intent wrote."""
    line, folders, end = (*text.split("\n"), "", "")[:3]
    event, new_folders = from_json(line), json.loads(folders)
    if end or text.count("\n") != 2 or not isinstance(new_folders, list):
        raise ValueError("no intent")
    paths = [path for change in event.changes for path in (change.path, change.final_path)]
    if not all(isinstance(path, str) and _is_inside(path) for path in (*paths, *new_folders)):
        raise ValueError("no paths within the vault")
    return Intent(event, tuple(new_folders))


def _is_inside(path: str) -> bool:
    return {"", ".", ".."}.isdisjoint(path.split("/"))
