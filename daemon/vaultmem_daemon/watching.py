"""Keeping a watcher alive: a thread for it, what it says, and a new one after a pause when it ends by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final, Protocol

from vaultmem.daemon_state import WatcherHealth
from vaultmem.errors import LockedError, VaultmemError, VaultNotFoundError, VaultVanishedError
from vaultmem.vault import Vault
from vaultmem_daemon.clock import Clock
from vaultmem_daemon.faults import in_short
from vaultmem_daemon.report import Did, WatchReport
from vaultmem_daemon.watcher import Watcher

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
"""Before a watcher that ended is started again; doubled each time, and short again after an hour of health."""
WELL_AGAIN_S: Final = 3600.0
ELSEWHERE_PAUSE_S: Final = 30.0
"""Between two looks whether the other program that watches has ended."""
HANGS_S: Final = 900.0
"""A watcher that has not come round for so long hangs."""

STOP_S: Final = 5.0


class Teller(Protocol):
    """Whoever wants to hear what the watcher says."""

    def __call__(self, report: WatchReport) -> None:
        """Takes a line, in the watcher's thread."""
        ...


MakeWatcher = Callable[[Vault, Teller], Watcher]


class KeptWatcher:
    """A watcher that is started again when it ends. :meth:`look_after` is to be called every few seconds."""

    def __init__(
        self,
        open_vault: Callable[[], Vault],
        clock: Clock,
        tell: Teller,
        *,
        make: MakeWatcher = Watcher,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """``ended`` is called in the watcher's thread as the last that it does, however it ends."""
        self._open = open_vault
        self._clock = clock
        self._tell = tell
        self._make = make
        self._ended = ended
        self._thread: threading.Thread | None = None
        self._watcher: Watcher | None = None
        self._stopping = False
        self._state = "starting"
        self._why = ""
        self._restarts = 0
        self._restarted_ns = 0
        self._pause_s = FIRST_PAUSE_S
        self._again_at = clock.awake_s()
        self._began = clock.awake_s()

    @property
    def health(self) -> WatcherHealth:
        """How it is now."""
        state, why = self._state, self._why
        thread, watcher = self._thread, self._watcher
        if state in ("watching", "polling", "starting") and thread is not None:
            if not thread.is_alive() and not self._stopping:
                state, why = "dead", why or "its thread has ended"
            elif watcher is not None and watcher.still_s() > HANGS_S:
                state, why = "dead", "it hangs"
        return WatcherHealth(state, why, self._restarts, self._restarted_ns)

    @property
    def sees_edits(self) -> bool:
        """Whether this or another program watches."""
        return self.health.state in ("watching", "polling", "elsewhere")

    def look_after(self) -> None:
        """Starts it where it is due: the first time, and after it ended."""
        if self._stopping or (self._thread is not None and self._thread.is_alive()):
            return
        now = self._clock.awake_s()
        if self._thread is not None:
            self._has_ended(now)
        if self._again_at <= now:
            self._start(now)

    def _has_ended(self, now: float) -> None:
        self._thread = self._watcher = None
        if self._state in ("elsewhere", "paused"):
            self._again_at = now + ELSEWHERE_PAUSE_S / (1 if self._state == "elsewhere" else 6)
            return
        if now - self._began > WELL_AGAIN_S:
            self._pause_s = FIRST_PAUSE_S
        self._state = "dead"
        self._why = self._why or "its thread has ended"
        self._again_at = now + self._pause_s
        self._tell(
            WatchReport(
                Did.WARNED,
                f"The watcher ended ({self._why}); it starts again in {self._pause_s:.0f} s.",
            )
        )
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _start(self, now: float) -> None:
        if self._state == "dead":
            self._restarts += 1
            self._restarted_ns = self._clock.wall_ns()
        else:
            self._why = ""
        self._began = now
        self._state = "starting" if self._state != "elsewhere" else self._state
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with closing(self._open()) as vault:
                self._watcher = self._make(vault, self._hear)
                self._watcher.run()
        except LockedError as error:
            self._state, self._why = "elsewhere", error.message
        except (VaultVanishedError, VaultNotFoundError) as error:
            self._state, self._why = "paused", error.message
        except VaultmemError as error:
            self._state, self._why = "dead", error.message
        except Exception as error:  # noqa: BLE001 - whatever ends it, it is started again, and that is told
            self._state, self._why = "dead", in_short(error)
        else:
            self._state = "dead"
        finally:
            self._ended()

    def due_s(self) -> float | None:
        """In how many seconds :meth:`look_after` has something to do; None while it runs."""
        if self._thread is not None and self._thread.is_alive():
            return None
        return max(self._again_at - self._clock.awake_s(), 0.05)

    def _hear(self, report: WatchReport) -> None:
        did, watcher = report.did, self._watcher
        if did in (Did.STARTED, Did.RESUMED):
            self._state = "polling" if watcher is not None and watcher.why_poll else "watching"
            if not self._restarts:
                self._why = watcher.why_poll if watcher is not None else ""
        elif did == Did.PAUSED:
            self._state, self._why = "paused", report.message
        elif did == Did.REFUSED:
            self._state, self._why = "refusing", report.message
        self._tell(report)

    def stop(self) -> None:
        """Ends it, and waits a moment for that."""
        self._stopping = True
        watcher, thread = self._watcher, self._thread
        if watcher is not None:
            watcher.stop()
        if thread is not None:
            thread.join(STOP_S)
