"""Keeping the index of a vault up while it is edited: events in, batches out, and a net below it all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic

from vaultmem.errors import LockedError, VaultVanishedError
from vaultmem.files.lock import WriterLock, read_holder
from vaultmem.files.places import is_network_folder
from vaultmem.files.scan import root_identity, scan_vault
from vaultmem.files.vouch import WATCH_LOCK
from vaultmem.vault import Vault
from vaultmem_daemon.debounce import Debouncer, Pace
from vaultmem_daemon.events import Change, Cookie, Everything, Notice
from vaultmem_daemon.observing import NoEventsError, Observation
from vaultmem_daemon.report import Did, WatchReport
from vaultmem_daemon.upkeep import Say, Timing, Upkeep
from vaultmem_daemon.vouching import Vouching

PROGRAM = "vaultmem watch"

LONGEST_RESTART_S = 60.0

Observe = Callable[[Path, tuple[str, ...], Callable[[Notice], None]], Observation]


class Watcher:
    """Watches one vault. :meth:`run` works in the caller's thread until :meth:`stop`, or Ctrl-C."""

    def __init__(
        self,
        vault: Vault,
        say: Say,
        *,
        poll: bool = False,
        pace: Pace | None = None,
        timing: Timing | None = None,
        observe: Observe = Observation,
    ) -> None:
        """``say`` gets each line as it comes, in the thread of ``run``. With ``poll`` all files are compared every
        few seconds instead of waiting for events."""
        self._vault = vault
        self._say = say
        self._timing = timing or Timing()
        self._observe = observe
        self._inbox: SimpleQueue[Notice | None] = SimpleQueue()
        self._debouncer = Debouncer(pace)
        self._upkeep = Upkeep(vault, say, self._timing)
        # A cookie must lie where it is watched.
        self._vouching = Vouching(vault.index_dir) if vault.index_location == "vault" else None
        self._lock: WriterLock | None = None
        self._why_poll = "it was asked for" if poll else ""
        self._observation: Observation | None = None
        self._root: tuple[int, int] | None = None
        self._check_at = 0.0
        self._restart_at: float | None = None
        self._restart_s = self._timing.restart_s
        self._started_at = 0.0
        self._cookies: list[str] = []
        self._unheard: set[str] = set()
        self._unheard_until = 0.0
        self._stopped = False
        self._turned_at = monotonic()

    @property
    def why_poll(self) -> str:
        """Why all files are compared every few seconds; "" while events come."""
        return self._why_poll

    def still_s(self) -> float:
        """For how many seconds it has not come round; it does each second, unless there is much to take in."""
        return monotonic() - self._turned_at

    def stop(self) -> None:
        """Ends :meth:`run`; may be called from another thread."""
        self._inbox.put(None)

    def run(self) -> None:
        """Watches until it is stopped. Raises LockedError when the vault is watched already, VaultVanishedError when
        it is not there to begin with, and IndexReadOnlyError when its index cannot be written."""
        self._acquire()
        try:
            self._begin(monotonic())
            while not self._stopped:
                self._take(self._wake_at())
                self._turn(monotonic())
        except KeyboardInterrupt:
            pass
        finally:
            self._end_vouching()
            self._end_observation()
            self._release()
        self._say(WatchReport(Did.STOPPED, "Stopped watching."))

    def _acquire(self) -> None:
        place = self._vault.index_dir / WATCH_LOCK
        lock = WriterLock(place, timeout=0, program=PROGRAM)
        try:
            lock.acquire()
        except LockedError as error:
            holder = read_holder(place)
            raise LockedError(
                f"The vault {self._vault.root} is watched already by {holder or 'another process'}.",
                hint="One watcher is enough; every search profits from it.",
            ) from error
        self._lock = lock

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _begin_vouching(self) -> None:
        if self._vouching is not None:
            self._vouching.open()

    def _end_vouching(self) -> None:
        if self._vouching is not None:
            self._vouching.close()

    # -- the loop --------------------------------------------------------------------------------------------

    def _begin(self, now: float) -> None:
        self._root = root_identity(self._vault.root)
        self._start_observation(now)
        self._upkeep.compare(now)
        self._begin_vouching()
        self._vouch()
        how = f"comparing all files every few seconds: {self._why_poll}" if self._why_poll else ""
        said = f"Watching {self._vault.root}{f' ({how})' if how else ''}."
        self._say(WatchReport(Did.STARTED, said))
        self._vault.warm_up()  # edits that are made meanwhile wait in the inbox

    def _wake_at(self) -> float:
        if self._root is None:
            return self._check_at
        times = (self._debouncer.due(), self._restart_at, self._upkeep.due(), self._check_at)
        return min(time for time in times if time is not None)

    def _take(self, until: float) -> None:
        """Waits for the first notice, then takes all that are there."""
        try:
            self._heard(self._inbox.get(timeout=max(until - monotonic(), 0)))
            while True:
                self._heard(self._inbox.get_nowait())
        except Empty:
            return

    def _heard(self, notice: Notice | None) -> None:
        if notice is None:
            self._stopped = True
        elif isinstance(notice, Cookie):
            self._cookies.append(notice.name)
        else:
            self._debouncer.add(notice, monotonic())
            if isinstance(notice, Change):
                self._unheard = {path for path in self._unheard if not _is_at(path, notice.path)}
            else:
                self._unheard.clear()

    def _turn(self, now: float) -> None:
        self._turned_at = now
        try:
            if self._check_at <= now:
                self._check(now)
            if self._root is not None:
                self._work(now)
        except VaultVanishedError as error:
            self._pause(str(error))
        self._vouch()

    def _vouch(self) -> None:
        """Answers those who asked whether the index is up."""
        observation = self._observation
        ordered = observation is not None and observation.keeps_order
        up = self._root is not None and ordered and self._upkeep.is_up
        if self._vouching is not None:
            self._vouching.able = up
            for cookie in self._cookies:
                self._vouching.settle(cookie, up)
        self._cookies.clear()

    def _work(self, now: float) -> None:
        batch = self._debouncer.flush() if self._cookies else self._debouncer.take(now)
        if batch is None and self._upkeep.due() > now:
            return
        self._require_root()
        if batch is not None:
            self._upkeep.bring_in(batch, now)
        else:
            # What is still waiting will be found by this comparison and need not be reported as unheard of.
            waiting = self._debouncer.flush()
            if waiting is not None:
                self._upkeep.bring_in(waiting, now)
            self._wonder(self._upkeep.catch_up(now), now)

    # -- the vault's folder ------------------------------------------------------------------------------------

    def _check(self, now: float) -> None:
        """Is the vault there, and do events still come?"""
        self._check_at = now + self._timing.check_s
        if self._root is None:
            self._return(now)
        self._require_root()
        self._look_after_observation(now)

    def _require_root(self) -> None:
        if root_identity(self._vault.root) != self._root:
            raise VaultVanishedError(f"Another folder is in the place of {self._vault.root}.")

    def _pause(self, why: str) -> None:
        if self._root is None:
            return
        self._root = None
        self._check_at = monotonic() + self._timing.check_s
        self._end_vouching()
        self._end_observation()
        self._debouncer.flush()
        self._vault.close()
        said = f"{why} Watching pauses until it is back; the index stays as it is."
        self._say(WatchReport(Did.PAUSED, said))

    def _return(self, now: float) -> None:
        """Goes on if the vault is back: its folder can be listed, and is more than an empty mount point."""
        root = self._vault.root
        identity = root_identity(root)
        if not (self._vault.index_path.exists() or any(_visible(root))):
            raise VaultVanishedError(f"{root} is empty.")
        self._release()  # it may be that of a folder which is somewhere else now
        self._acquire()
        self._root = identity
        self._say(WatchReport(Did.RESUMED, f"{root} is back."))
        self._start_observation(now)
        self._upkeep.compare(now)
        self._begin_vouching()

    # -- events --------------------------------------------------------------------------------------------------

    def _start_observation(self, now: float) -> None:
        """Begins to receive events, or says why it has to do without."""
        self._restart_at = None
        self._started_at = now
        network = is_network_folder(self._vault.root)
        if network and not self._why_poll:
            self._why_poll = f"a {network} folder brings no events of other machines' edits"
        if not self._why_poll:
            linked = scan_vault(self._vault.root).linked
            observation = self._observe(self._vault.root, linked, self._inbox.put)
            try:
                observation.start()
                self._observation = observation
            except NoEventsError as error:
                self._why_poll = str(error)
                self._warn(f"No file events: {error}. All files are compared every few seconds.")
        self._upkeep.poll(self._observation is None)

    def _end_observation(self) -> None:
        observation, self._observation = self._observation, None
        if observation is not None:
            observation.stop()

    def _look_after_observation(self, now: float) -> None:
        if self._restart_at is not None and self._restart_at <= now:
            self._start_observation(now)
            self._debouncer.add(Everything("events may have been missed"), now)
        elif self._observation is not None:
            if trouble := self._observation.trouble():
                self._renew(trouble, now)
            elif self._unheard and self._unheard_until <= now:
                missed = len(self._unheard)
                self._unheard.clear()
                self._renew(f"{missed} change{'s' * (missed != 1)} came without an event", now)

    def _renew(self, why: str, now: float) -> None:
        """Ends an observation that cannot be relied upon; a new one begins after a pause, longer each time in a row."""
        self._end_observation()
        self._upkeep.poll(True)
        if now - self._started_at > 5 * LONGEST_RESTART_S:
            self._restart_s = self._timing.restart_s
        self._restart_at = now + self._restart_s
        self._warn(f"File events: {why}. All files are compared, and watching begins anew.")
        self._restart_s = min(2 * self._restart_s, LONGEST_RESTART_S)
        self._debouncer.add(Everything(why), now)

    def _wonder(self, paths: tuple[str, ...], now: float) -> None:
        """Files that differ though no event said so: if it does not come now, events are being lost."""
        if paths and self._observation is not None:
            self._unheard.update(paths)
            self._unheard_until = now + self._timing.heard_s

    def _warn(self, message: str) -> None:
        self._say(WatchReport(Did.WARNED, message))


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _visible(root: Path) -> Iterator[str]:
    try:
        names = os.listdir(root)
    except OSError:
        return iter(())
    return (name for name in names if not name.startswith("."))
