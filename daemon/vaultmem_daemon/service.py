"""The daemon: keeps the index up, looks each minute whether to dream, and says how it is.

APScheduler calls :meth:`Daemon.check` each minute, and :meth:`Daemon.scan` every quarter of an hour; :meth:`Daemon.tick`, every
few seconds in the main thread, looks after everything that may fail: the watcher, the vault's folder, the clocks. The
scheduler goes by the wall clock; when somebody sets that, ``tick`` moves its jobs along, so that intervals follow elapsed time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from vaultmem.daemon_state import DAEMON_LOCK, DaemonState, LastCycle, read_state
from vaultmem.dream.report import CycleReport, CycleState, Outcome, Strategy
from vaultmem.dream.window import Night, Window
from vaultmem.errors import LockedError, SettingsError, VaultmemError, VaultVanishedError
from vaultmem.files.dream_lock import DREAM_LOCK
from vaultmem.files.lock import WriterLock, is_held, read_holder
from vaultmem.files.scan import root_identity
from vaultmem.settings import Settings
from vaultmem.vault import Vault
from vaultmem_daemon import minute_check
from vaultmem_daemon.clock import Clock, SystemClock
from vaultmem_daemon.diary import Diary
from vaultmem_daemon.faults import in_short
from vaultmem_daemon.minute_check import Decision, Facts, Nights
from vaultmem_daemon.notify import sd_notify, watchdog_s
from vaultmem_daemon.presence import JOURNAL_EVERY_S, Presence
from vaultmem_daemon.report import Did, WatchReport
from vaultmem_daemon.watcher import Watcher
from vaultmem_daemon.watching import KeptWatcher, MakeWatcher

if TYPE_CHECKING:
    from apscheduler.schedulers.base import BaseScheduler

PROGRAM: Final = "vaultmem daemon"

CHECK_S: Final = 60.0
SCAN_S: Final = 900.0
TICK_S: Final = 10.0
STEP_S: Final = 2.0
"""The clocks may differ by so much between two ticks before the wall clock counts as set."""
WOKE_S: Final = 60.0
"""Asleep for longer than this, the machine has woken up, and a person with it."""
STUCK_S: Final = 600.0
"""Without a check for so long, the scheduler is stuck, and the service manager gets no sign of life."""


class Dream(Protocol):
    """One cycle of the dream pipeline on a vault."""

    def __call__(
        self,
        vault: Vault,
        *,
        clock_ns: Callable[[], int],
        strategy: Strategy | None = None,
        dry_run: bool = False,
        now: bool = False,
        cancelled: Callable[[], bool] = ...,
        zone: tzinfo | None = None,
    ) -> CycleReport:
        """Runs it and says what came of it; asks ``cancelled`` between stages and edits. Raises LockedError when
        another cycle runs, and other VaultmemErrors."""
        ...


def dream_of(vault: Vault) -> Dream:  # noqa: ARG001 - a vault may one day choose its own
    """The pipeline that dreams for a vault; imported when it is needed, since a daemon that waits is to be small."""
    from vaultmem_daemon.dreaming.pipeline import run_cycle

    return run_cycle


class Daemon:
    """The daemon of one vault. :meth:`run` works in the caller's thread until :meth:`stop`."""

    def __init__(
        self,
        root: Path,
        open_vault: Callable[[], Vault],
        settings: Callable[[], Settings],
        say: Callable[[str], None],
        *,
        dream: Callable[[Vault], Dream] = dream_of,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
        scheduler: BaseScheduler | None = None,
        watch: bool = True,
        make_watcher: MakeWatcher = Watcher,
        scan_s: float = SCAN_S,
    ) -> None:
        """``settings`` reads them anew; ``say`` takes a line for the log. Without ``watch`` the vault is only compared as a
        whole, every ``scan_s`` seconds. Raises what opening the vault raises."""
        self._open = open_vault
        self._read_settings = settings
        self._say = say
        self._dream = dream
        self._clock = clock or SystemClock()
        self._environ = environ or {}
        self._scheduler = scheduler
        self._scan_s = scan_s
        self._root = root
        self._wake = threading.Event()
        with open_vault() as vault:
            self._folder = vault.index_dir
            self._settings = vault.settings
            self._below = root if vault.index_location == "vault" else None
        self._watcher = (
            KeptWatcher(
                open_vault, self._clock, self._heard, make=make_watcher, ended=self._wake_up
            )
            if watch
            else None
        )
        self._lock: WriterLock | None = None
        self._identity: tuple[int, int] | None = None
        self._stopping = False
        self._presence: Presence | None = None
        self._diary = Diary(self._folder, self._clock)
        self._nights = Nights()
        self._dreaming = False
        self._last_check_s: float | None = None
        self._job_ran: dict[str, float] = {}
        self._clocks = (0, 0.0, 0.0)
        self._guard = threading.RLock()

    # -- life ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Works until it is stopped. Raises LockedError when the vault has a daemon already, VaultVanishedError when it is
        not there to begin with, and IndexReadOnlyError when nothing can be written beside the index."""
        self.start()
        try:
            pause_s = TICK_S
            if wanted := watchdog_s(self._environ, os.getpid()):
                pause_s = min(pause_s, wanted / 2)
            while not self._stopping:
                self._wake.clear()
                self.tick()
                due_s = self._watcher.due_s() if self._watcher is not None else None
                self._wake.wait(pause_s if due_s is None else min(pause_s, due_s))
        finally:
            self.end()

    def stop(self) -> None:
        """Ends :meth:`run`; may be called from anywhere, a signal's handler included."""
        self._stopping = True
        self._wake.set()

    def _wake_up(self) -> None:
        self._wake.set()

    def start(self) -> None:
        """Takes the vault, and begins. Raises as :meth:`run`."""
        self._identity = root_identity(self._root)
        self._acquire()
        self._say(f"Started on {self._root} (process {os.getpid()}).")
        before = read_state(self._folder)
        self._diary.go_on_from(before)
        self._nights = minute_check.after_a_crash(
            Nights(before.nights, before.first_night, before.attended, before.attended_s)
        )
        self._presence = Presence(self._root, self._folder, self._clock)
        self._clocks = self._read_clocks()
        self.check()  # never runs a cycle: whoever starts a daemon was here a moment ago
        scheduler = self._scheduler = self._scheduler or _scheduler()
        options = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        for name, work, every_s in (
            ("check", self.check, CHECK_S),
            ("scan", self.scan, self._scan_s),
        ):
            scheduler.add_job(work, "interval", seconds=every_s, id=name, **options)
            self._job_ran[name] = self._clock.awake_s()
        scheduler.start()
        self._diary.note(pid=os.getpid(), started_ns=self._clock.wall_ns())
        sd_notify(self._environ, "READY=1", "STATUS=started")
        self.tick()

    def end(self) -> None:
        """Ends all that was begun: a cycle after the edit that it is at, then the watcher."""
        self._stopping = True
        sd_notify(self._environ, "STOPPING=1")
        if self._dreaming:
            self._say("Ending; the cycle ends after the edit that it is at.")
        if self._scheduler is not None and self._scheduler.running:
            self._scheduler.shutdown(wait=True)
        if self._watcher is not None:
            self._watcher.stop()
        if self._lock is not None:
            if self._is_there():
                self._diary.note(pid=0, dreaming_since_ns=0)
                self._write(force=True)
            self._release()
        self._say("Stopped.")

    def _acquire(self) -> None:
        place = self._folder / DAEMON_LOCK
        lock = WriterLock(place, timeout=0, program=PROGRAM, below=self._below)
        try:
            lock.acquire()
        except LockedError as error:
            raise LockedError(
                f"The vault {self._root} has a daemon already: {read_holder(place) or 'another process'}.",
                hint="One is enough; `vaultmem daemon status` tells how it is.",
            ) from error
        self._lock = lock

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    # -- every few seconds ---------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Looks after clocks, vault and watcher, writes down what changed, and gives a sign of life. Raises LockedError
        when another daemon took the vault while it was away."""
        self._compare_clocks()
        there = self._is_there()
        if there and self._lock is None:
            self._return()
        elif not there and self._lock is not None:
            self._say(f"The vault {self._root} is not there. Waiting until it is back.")
            self._release()
        if self._watcher is not None and (there or self._watcher.health.state != "paused"):
            self._watcher.look_after()
        if there:
            self._write()
        if not self._is_stuck():
            sd_notify(self._environ, "WATCHDOG=1", f"STATUS={self._diary.state.said or 'waiting'}")

    def _is_there(self) -> bool:
        """Whether the vault's own folder stands where it stood, with the index's folder in it."""
        try:
            found = root_identity(self._root)
        except VaultVanishedError:
            return False
        if self._lock is not None:
            return found == self._identity
        return self._folder.is_dir() or _holds_something(self._root)

    def _return(self) -> None:
        self._identity = root_identity(self._root)
        self._acquire()
        self._presence = Presence(self._root, self._folder, self._clock)
        self._say(f"The vault {self._root} is back.")

    def _read_clocks(self) -> tuple[int, float, float]:
        clock = self._clock
        return clock.wall_ns(), clock.awake_s(), clock.asleep_s() or 0.0

    def _compare_clocks(self) -> None:
        """Has the machine slept, or has somebody set its clock?"""
        with self._guard:
            (wall, awake, asleep), before = self._read_clocks(), self._clocks
            self._clocks = wall, awake, asleep
        slept_s = asleep - before[2]
        set_s = (wall - before[0]) / 1e9 - (awake - before[1]) - slept_s
        if slept_s > WOKE_S or (set_s > WOKE_S and self._clock.asleep_s() is None):
            self._say(f"Awake again after {max(slept_s, set_s) / 3600:.1f} hours.")
            if self._presence is not None:
                self._presence.woke()
        elif abs(set_s) > STEP_S:
            self._say(f"The clock was set by {set_s:+.0f} s.")
            with self._guard:
                self._nights = minute_check.after_clock_was_set(
                    self._nights,
                    Window.parse(self._settings.dream.window),
                    _moment(before[0]),
                    _moment(wall),
                    self._clock.zone(),
                )
        if abs(set_s) > STEP_S:
            self._move_jobs()

    def _move_jobs(self) -> None:
        """Puts each job where it would have been by elapsed time."""
        scheduler = self._scheduler
        if scheduler is None:
            return
        now_s, now = self._clock.awake_s(), _moment(self._clock.wall_ns())
        for name, every_s in (("check", CHECK_S), ("scan", self._scan_s)):
            left_s = min(max(every_s - (now_s - self._job_ran[name]), 0.0), every_s)
            scheduler.modify_job(name, next_run_time=now + timedelta(seconds=left_s))

    def _is_stuck(self) -> bool:
        since_s = self._clock.awake_s() - self._job_ran["check"]
        return since_s > STUCK_S and not self._dreaming

    def _write(self, *, force: bool = False) -> None:
        with self._guard:
            nights = self._nights
            self._diary.note(
                nights=nights.records,
                first_night=nights.first,
                attended=nights.attended,
                attended_s=round(nights.attended_s, 1),
            )
            if self._watcher is not None:
                self._diary.note(watcher=self._watcher.health)
            self._diary.write(force=force)

    def _heard(self, report: WatchReport) -> None:
        """What the watcher says, in its thread."""
        if report.did in (Did.WARNED, Did.REFUSED):
            self._warn(report.message)
        else:
            self._say(report.message)
        if report.did == Did.CHANGED and self._presence is not None:
            self._presence.look_for_edits()
        self._wake.set()  # how it is may have changed

    def _warn(self, message: str) -> None:
        if self._diary.warn(message):
            self._say(f"warning: {message}")

    # -- every minute --------------------------------------------------------------------------------------------

    def check(self) -> Decision | None:
        """Whether to dream now; does so if it is. None while the vault is away. Never raises."""
        self._job_ran["check"] = self._clock.awake_s()
        if self._stopping or self._lock is None or not self._is_there():
            self._diary.note(decision="vanished", said="The vault is not there.")
            return None
        try:
            self._compare_clocks()
            decision = self._decided()
            if decision.run:
                self._cycle(decision)
        except Exception as error:  # noqa: BLE001 - the next check must come whatever happened in this one
            self._warn(f"The check failed: {in_short(error)}.")
            return None
        finally:
            self._wake.set()
        return decision

    def _decided(self) -> Decision:
        presence = self._presence
        assert presence is not None
        settings = self._settings_now()
        presence.look_for_edits()
        now, zone = _moment(self._clock.wall_ns()), self._clock.zone()
        awake_s = self._clock.awake_s()
        window = Window.parse(settings.dream.window)
        since_last_s = awake_s - self._last_check_s if self._last_check_s is not None else 0.0
        self._last_check_s = awake_s
        night = window.latest(now, zone)
        with self._guard:
            self._nights = minute_check.attend(self._nights, night, now, since_last_s)
            facts = Facts(
                now=now,
                zone=zone,
                enabled=settings.dream.enabled,
                window=window,
                idle_s=presence.idle_s(),
                idle_needed_s=settings.dream.idle_minutes * 60.0,
                running=self._dreaming or is_held(self._root / DREAM_LOCK),
                nights=self._nights,
            )
        decision = minute_check.decide(facts)
        self._note(decision, window, zone, now)
        return decision

    def _note(self, decision: Decision, window: Window, zone: tzinfo, now: datetime) -> None:
        night = decision.night
        opens = night if night.holds(now) else window.after(night, zone)
        if decision.why != self._diary.state.decision:
            self._say(decision.said)
        self._diary.note(
            checked_ns=self._clock.wall_ns(),
            decision=str(decision.why),
            said=decision.said,
            next_window_ns=int(opens.begins.timestamp() * 1e9),
        )

    def _settings_now(self) -> Settings:
        """Those of now; the last that could be read, where they cannot."""
        try:
            self._settings = self._read_settings()
        except SettingsError as error:
            self._warn(f"{error.message} The settings of before stay in force.")
        return self._settings

    # -- a cycle -------------------------------------------------------------------------------------------------

    def _cycle(self, decision: Decision) -> None:
        night, began_ns = decision.night, self._clock.wall_ns()
        before = self._nights
        self._dreaming = True
        self._mark(minute_check.begun(before, night, began_ns), began_ns)
        try:
            last = self._dreamt(night, began_ns)
        except LockedError as error:
            self._say(f"Not now: {error.message}")
            self._mark(before, 0)
            return
        finally:
            self._dreaming = False
        last = replace(last, late=decision.late)
        self._diary.note(last_cycle=last)
        self._mark(minute_check.ended(self._nights, night, last.state, last.ended_ns), 0)
        late = " (late)" if last.late else ""
        why = f": {last.why}" if last.why else ""
        line = f"The dream of {night.day}{late} is over: {last.state}, {last.applied} {'edit' if last.applied == 1 else 'edits'}{why}."
        (self._warn if last.state == "failed" else self._say)(line.replace("..", "."))

    def _mark(self, nights: Nights, dreaming_since_ns: int) -> None:
        with self._guard:
            self._nights = nights
        self._diary.note(dreaming_since_ns=dreaming_since_ns)
        if self._is_there():
            self._write(force=True)

    def _dreamt(self, night: Night, began_ns: int) -> LastCycle:
        """Runs the pipeline. Raises LockedError when a cycle of somebody else's runs."""
        presence, began_s = self._presence, self._clock.awake_s()
        assert presence is not None
        why = ""

        def cancelled() -> bool:
            nonlocal why
            presence.look_for_edits(at_most_every_s=JOURNAL_EVERY_S)
            if self._stopping:
                why = "the daemon was told to end"
            elif presence.since() > began_s:
                why = "somebody uses the vault"
            return bool(why)

        def came_to(state: str, reason: str = "") -> LastCycle:
            now_ns = self._clock.wall_ns()
            return LastCycle("", str(night.day), state, "", began_ns, now_ns, why=reason)

        self._say(f"The dream of {night.day} begins.")
        try:
            with self._open() as vault:
                report = self._dream(vault)(
                    vault,
                    clock_ns=self._clock.wall_ns,
                    cancelled=cancelled,
                    zone=self._clock.zone(),
                )
        except LockedError:
            raise
        except VaultVanishedError as error:
            return came_to("cancelled", error.message)
        except Exception as error:  # noqa: BLE001 - a cycle that fails is tried again later; the daemon goes on
            return came_to("failed", in_short(error))
        reason = why if report.state is CycleState.CANCELLED else ""
        if report.state is CycleState.FAILED:
            reason = " ".join(report.said)
        return replace(
            came_to(str(report.state), reason),
            cycle=report.cycle,
            strategy=str(report.strategy),
            applied=len(report.of(Outcome.APPLIED)),
            waiting=report.waiting,
        )

    # -- every quarter of an hour --------------------------------------------------------------------------------

    def scan(self) -> bool:
        """Compares all files, when no watcher does; whether it did. Never raises."""
        self._job_ran["scan"] = self._clock.awake_s()
        seen = self._watcher is not None and self._watcher.sees_edits
        if seen or self._stopping or self._lock is None or not self._is_there():
            return False
        try:
            with self._open() as vault:
                vault.sync()
        except VaultmemError as error:
            self._warn(error.message)
        except Exception as error:  # noqa: BLE001 - the next scan must come whatever happened in this one
            self._warn(f"Comparing the files failed: {in_short(error)}.")
        self._diary.note(scanned_ns=self._clock.wall_ns())
        return True

    @property
    def state(self) -> DaemonState:
        """What it has to say of itself."""
        return self._diary.state


def _holds_something(root: Path) -> bool:
    """Whether it is more than an empty mount point."""
    try:
        return any(not name.startswith(".") for name in os.listdir(root))
    except OSError:
        return False


def _moment(wall_ns: int) -> datetime:
    return datetime.fromtimestamp(wall_ns / 1e9, UTC)


def _scheduler() -> BaseScheduler:
    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.schedulers.background import BackgroundScheduler

    # A scan must not wait for a cycle. UTC knows no hour that comes twice.
    return BackgroundScheduler(executors={"default": ThreadPoolExecutor(2)}, timezone=UTC)
