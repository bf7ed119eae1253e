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

from vaultmem.files.durable import sync_file, sync_folder, write_whole
from vaultmem.files.events import MemoryEvent, from_json, to_json
from vaultmem.files.refusals import WriteFailed

_FOLDER: Final = ".vaultmem/intents"
_BACK: Final = ".back"


class Intent(NamedTuple):
    """The event that will have happened, and the folders that have to be made for it."""

    event: MemoryEvent
    new_folders: tuple[str, ...]
    """Vault paths, the outer before the inner."""
    back: bool = False
    """Whether it failed and is to be taken back."""

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
        self._folder = root / _FOLDER

    def keep(self, intent: Intent) -> None:
        """The intent is on the disk when this returns. Raises WriteFailed."""
        path = self._path(intent.event.id)
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        text = f"{to_json(intent.event)}\n{json.dumps(intent.new_folders)}\n"
        try:
            self._folder.mkdir(0o700, parents=True, exist_ok=True)
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

    def drop(self, event_id: str) -> None:
        """Forgets the intent; one that comes back after a power cut is found to be done."""
        for name in (event_id, event_id + _BACK):
            with suppress(OSError):
                self._path(name).unlink()

    def pending(self) -> list[Intent]:
        """The intents of processes that did not get to an end, oldest first; half-written ones are removed."""
        try:
            names = sorted(os.listdir(self._folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        intents = []
        for name in names:
            if name.startswith("."):
                with suppress(OSError):
                    os.unlink(self._folder / name)
            elif name.endswith(".json"):
                first, second, *_ = (self._folder / name).read_text("utf-8").split("\n")
                back = name.endswith(f"{_BACK}.json")
                intents.append(Intent(from_json(first), tuple(json.loads(second)), back))
        return intents

    def under_way(self) -> list[MemoryEvent]:
        """The events of the intents that lie there now, oldest first, for a reader without the lock: nothing is
        removed, and what goes meanwhile is left out."""
        events = []
        with suppress(OSError):
            for name in sorted(os.listdir(self._folder)):
                if not name.startswith(".") and name.endswith(".json"):
                    with suppress(OSError, ValueError):
                        line = (self._folder / name).read_text("utf-8").split("\n")[0]
                        events.append(from_json(line))
        return events

    def _path(self, event_id: str) -> Path:
        return self._folder / f"{event_id}.json"
