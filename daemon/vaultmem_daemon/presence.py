"""Whether somebody uses the vault: commands and agents' calls by their mark, edits by hand by the journal.

All is kept in seconds of a clock that only goes forward, so that neither a clock that is set nor a time stamp from the
future makes a person look present for days.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from vaultmem.activity import last_activity_ns
from vaultmem.errors import VaultmemError
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.journal import Journal, journal_files
from vaultmem_daemon.clock import Clock
from vaultmem_daemon.minute_check import idle_since

MOST_EVENTS: Final = 200
"""Events of the journal that are looked at; more at once are no person's."""

JOURNAL_EVERY_S: Final = 5.0
"""Between two looks into the journal during a cycle."""


class Presence:
    """Who was seen when. Safe to ask from several threads."""

    def __init__(self, root: Path, folder: Path, clock: Clock) -> None:
        """``folder`` is that of the index."""
        self._root = root
        self._folder = folder
        self._clock = clock
        self._guard = threading.Lock()
        self._began = clock.awake_s()
        self._mark_ns = last_activity_ns(folder)
        self._marked: float | None = self._placed(self._mark_ns) if self._mark_ns else None
        self._by_hand: float | None = None
        self._woke: float | None = None
        self._newest = self._newest_event()
        self._journal_at = self._began

    def since(self) -> float:
        """Since when nobody has used the vault, in seconds of the clock that only goes forward."""
        with self._guard:
            self._look()
            return idle_since((self._marked, self._by_hand, self._woke), self._began)

    def idle_s(self) -> float:
        """For how long nobody has."""
        return max(self._clock.awake_s() - self.since(), 0.0)

    def woke(self) -> None:
        """The machine woke up, most likely since a person opened it."""
        self._woke = self._clock.awake_s()

    def look_for_edits(self, *, at_most_every_s: float = 0.0) -> None:
        """Looks whether the journal tells of edits by hand since the last look."""
        with self._guard:
            now = self._clock.awake_s()
            if now - self._journal_at < at_most_every_s:
                return
            self._journal_at = now
            if self._edited_since():
                self._by_hand = now

    def _look(self) -> None:
        mark = last_activity_ns(self._folder)
        if mark and mark != self._mark_ns:
            self._mark_ns = mark
            self._marked = self._placed(mark)

    def _placed(self, mark_ns: int) -> float:
        """A time stamp on the clock that only goes forward; one from the future is of now."""
        now = self._clock.awake_s()
        return now - max((self._clock.wall_ns() - mark_ns) / 1e9, 0.0)

    def _newest_event(self) -> str:
        return next((event.id for event in self._events()), "")

    def _events(self) -> Iterator[MemoryEvent]:
        """This device's, newest first; none where there is no journal yet, which looking must not begin."""
        with suppress(VaultmemError, OSError):
            if journal_files(self._root):
                yield from islice(Journal(self._root).newest(), MOST_EVENTS)

    def _edited_since(self) -> bool:
        last, edited = self._newest, False
        for number, event in enumerate(self._events()):
            if event.id == last:
                break
            if number == 0:
                self._newest = event.id
            edited = edited or event.kind is EventKind.EDITED_BY_HAND
        return edited
