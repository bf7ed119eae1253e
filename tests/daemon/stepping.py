"""A daemon whose clocks a test turns: the real one, with the real scheduler, and a dream that only notes that it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from unittest.mock import patch
from zoneinfo import ZoneInfo

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler

from tests.vaults import WORDS, vault_at
from vaultmem.dream.report import CycleReport, CycleState, Strategy
from vaultmem.settings import Settings
from vaultmem.vault import Vault
from vaultmem_daemon.service import Daemon, Dream

START = datetime(2031, 5, 1, 12, 0, tzinfo=UTC)

TICK_S = 30.0


class TurnedClock:
    """Clocks that stand still until they are turned."""

    def __init__(self, at: datetime = START, zone: tzinfo = UTC) -> None:
        self.wall = int(at.timestamp() * 1e9)
        self.awake = 1000.0
        self.asleep: float | None = 0.0
        self.local = zone

    def wall_ns(self) -> int:
        return self.wall

    def awake_s(self) -> float:
        return self.awake

    def asleep_s(self) -> float | None:
        return self.asleep

    def zone(self) -> tzinfo:
        return self.local

    @property
    def now(self) -> datetime:
        """What it says on the wall."""
        return datetime.fromtimestamp(self.wall / 1e9, self.local)

    def go_on(self, seconds: float) -> None:
        """Time passes."""
        self.wall += int(seconds * 1e9)
        self.awake += seconds

    def sleep(self, seconds: float) -> None:
        """Time passes while the machine sleeps."""
        self.wall += int(seconds * 1e9)
        if self.asleep is not None:
            self.asleep += seconds

    def set_by(self, seconds: float) -> None:
        """Somebody sets the clock on the wall."""
        self.wall += int(seconds * 1e9)


class SteppedScheduler(BaseScheduler):  # type: ignore[misc] # the library has no types
    """The scheduler without its thread: it looks at its jobs when it is told to, and runs them at once."""

    def start(self, *args: object, **kwargs: object) -> None:
        super().start(*args, **kwargs)

    def shutdown(self, wait: bool = True) -> None:
        super().shutdown(wait)

    def wakeup(self) -> None:
        pass

    def _create_default_executor(self) -> DebugExecutor:
        return DebugExecutor()

    def look(self) -> float:
        """Runs what is due; the seconds until something is."""
        wait = self._process_jobs()
        return TICK_S if wait is None else float(wait)


@contextmanager
def turned(clock: TurnedClock) -> Iterator[None]:
    """The scheduler takes the time from that clock."""

    class Now(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(clock.wall / 1e9, tz)

    modules = ("schedulers.base", "triggers.interval", "executors.base")
    with (
        patch(f"apscheduler.{modules[0]}.datetime", Now),
        patch(f"apscheduler.{modules[1]}.datetime", Now),
        patch(f"apscheduler.{modules[2]}.datetime", Now),
    ):
        yield


@dataclass
class Dreamt:
    """A run of the stand-in for a dream."""

    began: datetime
    """In the person's own time."""
    state: CycleState


@dataclass
class StandIn:
    """A dream that takes a minute, asks whether it is to stop, and notes that it was."""

    clock: TurnedClock
    runs: list[Dreamt] = field(default_factory=list)
    during: Callable[[], None] = lambda: None
    """What happens in its middle."""
    fails: int = 0
    """So many times it fails first."""

    def __call__(
        self,
        vault: Vault,
        *,
        clock_ns: Callable[[], int],
        strategy: Strategy | None = None,
        dry_run: bool = False,
        now: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
        zone: tzinfo | None = None,
    ) -> CycleReport:
        began_ns, began = clock_ns(), self.clock.now
        self.clock.go_on(60)
        self.during()
        state = CycleState.CANCELLED if cancelled() else CycleState.DONE
        if self.fails:
            self.fails -= 1
            state = CycleState.FAILED
        self.runs.append(Dreamt(began, state))
        if state is CycleState.FAILED:
            raise RuntimeError("the secret text of a note")
        name = f"{began:%Y%m%d-%H%M}"
        return CycleReport(
            name, Strategy.CONSOLIDATE, "", state, began_ns, clock_ns(), notes=1, changed=0
        )


class Stepped:
    """A daemon on the vault in ``root``, driven by :meth:`advance`."""

    def __init__(
        self,
        root: Path,
        clock: TurnedClock | None = None,
        *,
        settings: Settings = WORDS,
        scan_s: float = 900.0,
    ) -> None:
        self.clock = clock or TurnedClock()
        self.root = root
        self.settings = settings
        self.dream = StandIn(self.clock)
        self.said: list[str] = []
        self.scans = 0
        self._scan_s = scan_s
        self.begin()

    def begin(self) -> None:
        """Starts it."""
        self.scheduler = SteppedScheduler(timezone=UTC)
        stepped = self

        class Counting(Daemon):
            def scan(self) -> bool:
                did = super().scan()
                stepped.scans += did
                return did

        def dream_of(_: Vault) -> Dream:
            return self.dream

        self.daemon = Counting(
            self.root,
            lambda: vault_at(self.root, settings=self.settings),
            lambda: self.settings,
            self.said.append,
            dream=dream_of,
            clock=self.clock,
            scheduler=self.scheduler,
            watch=False,
            scan_s=self._scan_s,
        )
        with turned(self.clock):
            self.daemon.start()

    def end(self) -> None:
        """Ends it, as TERM does."""
        with turned(self.clock):
            self.daemon.end()

    def advance(self, minutes: float) -> None:
        """Lets it work for so long."""
        end = self.clock.awake + minutes * 60
        with turned(self.clock):
            while self.clock.awake < end:
                wait = self.scheduler.look()
                self.daemon.tick()
                self.clock.go_on(max(min(wait, TICK_S, end - self.clock.awake), 0.001))

    def advance_to(self, moment: datetime) -> None:
        """Lets it work until the clock says so."""
        while (left := (moment - self.clock.now).total_seconds()) > 0:
            self.advance(left / 60)

    @property
    def nights(self) -> list[str]:
        """When each dream began, in the person's own time."""
        return [f"{run.began:%m-%d %H:%M}" for run in self.dream.runs]


def berlin(text: str) -> datetime:
    """A moment as clocks in Berlin say it."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin"))
