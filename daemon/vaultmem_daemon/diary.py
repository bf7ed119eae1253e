"""The daemon's state as it grows, and when it is worth writing down: on a change, and every five minutes."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vaultmem import __version__
from vaultmem.daemon_state import DaemonState, DaemonWarning, write_state
from vaultmem_daemon.clock import Clock

EVERY_S: Final = 300.0
MOST_WARNINGS: Final = 20


class Diary:
    """Collects what the daemon has to say of itself; several threads may add to it."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """``folder`` is that of the index."""
        self._folder = folder
        self._clock = clock
        self._guard = threading.Lock()
        self._state = DaemonState(program=__version__)
        self._written: DaemonState | None = None
        self._written_s = 0.0

    @property
    def state(self) -> DaemonState:
        """As it is now."""
        return self._state

    def go_on_from(self, before: DaemonState) -> None:
        """Takes over what an earlier daemon did; how it was is no longer true."""
        with self._guard:
            self._state = replace(
                self._state,
                last_cycle=before.last_cycle,
                nights=before.nights,
                first_night=before.first_night,
                extra=before.extra,
            )

    def note(self, **changes: Any) -> None:
        """Sets fields of the state."""
        with self._guard:
            self._state = replace(self._state, **changes)

    def warn(self, message: str) -> bool:
        """Adds a warning, the oldest giving way; False for one that is there already, which is only counted."""
        with self._guard:
            there = {each.message: each for each in self._state.warnings}
            said = there.pop(message, None)
            kept = [*there.values()][-(MOST_WARNINGS - 1) :]
            first_ns = said.time_ns if said else self._clock.wall_ns()
            times = said.times + 1 if said else 1
            newest = DaemonWarning(first_ns, message, times)
            self._state = replace(self._state, warnings=(*kept, newest))
            return said is None

    def write(self, *, force: bool = False) -> None:
        """Writes it, if something changed that is worth it, or it has been a while."""
        with self._guard:
            now_s = self._clock.awake_s()
            due = now_s - self._written_s >= EVERY_S
            changed = self._written is None or _worth(self._state) != _worth(self._written)
            if not (force or due or changed):
                return
            state = replace(self._state, written_ns=self._clock.wall_ns())
            write_state(self._folder, state)
            self._written, self._written_s = state, now_s


def _worth(state: DaemonState) -> DaemonState:
    """Without what changes each minute though nothing happens. What was said differs with the minutes that it tells."""
    warnings = tuple(replace(each, times=0) for each in state.warnings)
    return replace(
        state, checked_ns=0, written_ns=0, attended_s=0.0, scanned_ns=0, said="", warnings=warnings
    )
