"""Which events of the journal count where they stand: those of a machine's own files, and of copies what these lack.

File sync puts a copy beside a file that two sides wrote to (``2026-11.sync-conflict-….jsonl``), and people copy files.
An event is known by its id and counts once: where its machine wrote it, else in the copy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from vaultmem.files.events import MemoryEvent

_DEVICE: Final = re.compile(r"[0-9a-z]{8}")
_MONTH: Final = re.compile(r"[0-9]{4}-[0-9]{2}\.jsonl")


def is_device(folder: str) -> bool:
    """Whether a folder of that name may be a machine's own."""
    return _DEVICE.fullmatch(folder) is not None


def is_original(folder: str, name: str) -> bool:
    """Whether a machine itself writes to a file of that name in that folder; every other one is a copy.

    >>> is_original("aaaa0000", "2026-11.jsonl")
    True
    >>> is_original("aaaa0000", "2026-11 (conflicted copy).jsonl")
    False
    """
    return is_device(folder) and _MONTH.fullmatch(name) is not None


class Once:
    """Passes each event once; ``ids_of`` gives the ids in the own files of a device, and is asked for copies only."""

    def __init__(self, ids_of: Callable[[str], frozenset[str]]) -> None:
        self._ids_of = ids_of
        self._originals: dict[str, frozenset[str]] = {}
        self._passed: set[str] = set()

    def passes(self, event: MemoryEvent, *, original: bool) -> bool:
        """Whether the event counts here; ``original`` says that it stands in a file of its own device."""
        if event.id in self._passed or (not original and self._has_original(event)):
            return False
        self._passed.add(event.id)
        return True

    def _has_original(self, event: MemoryEvent) -> bool:
        if event.device not in self._originals:
            self._originals[event.device] = self._ids_of(event.device)
        return event.id in self._originals[event.device]
