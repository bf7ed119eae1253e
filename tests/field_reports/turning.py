"""The daemon of a case that turns the clock: the real one with the real scheduler, and a dream that only notes that it
was asked for, since such cases are about when it is."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from tests.daemon.stepping import START, Stepped, TurnedClock
from tests.field_reports.case import Details, FaultError
from vaultmem.daemon_state import DaemonHealth, daemon_health
from vaultmem.settings import DreamSettings, EmbedSettings, Settings

UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
NIGHT_H: Final = 4
"""A nightly job may begin for so long after its time."""
IDLE_MINUTES: Final = 1
"""After which such cases count a vault as idle."""
SETTLE_MINUTES: Final = 3
"""What such a daemon needs until nothing more is due."""


def seconds_of(words: str) -> float:
    """Seconds of a span such as ``+40 d``, ``-1 h`` or ``15 min scan``. Raises FaultError."""
    found = re.match(r"\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*([a-z])", words, re.IGNORECASE)
    if not found or found[3].lower() not in UNITS:
        raise FaultError(f"{words!r} is no span of time")
    sign = -1 if found[1] == "-" else 1
    return sign * float(found[2]) * UNITS[found[3].lower()]


def span_of(details: Details) -> float:
    """Seconds of a step that names them by ``hours``, ``minutes`` and the like."""
    named = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400}
    return sum(details.number(key) * size for key, size in named.items() if details.has(key))


class TurnedDaemon:
    """A clock, and the daemon that lives by it while it runs."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.clock = TurnedClock(START)
        self.daemon: Stepped | None = None
        self._settings = Settings(
            embed=EmbedSettings(model="none"), dream=DreamSettings(idle_minutes=IDLE_MINUTES)
        )
        self.scan_s = 900.0
        self.earlier: list[datetime] = []
        """When the dreams of daemons before this one began."""
        self.earlier_scans = 0

    # -- the clock -----------------------------------------------------------------------------------------------

    def turn(self, details: Details) -> None:
        """Sets the clock, or lets time pass, as a step ``clock`` says."""
        if details.has("zone"):
            self.clock.local = ZoneInfo(details.text("zone"))
        if details.has("at"):
            self.clock.set_by((self._moment(details.text("at")) - self.clock.now).total_seconds())
        if details.has("step"):
            self.clock.set_by(seconds_of(details.text("step")))
        if details.has("run_to"):
            until = self._moment(details.text("run_to"))
            self.advance((until - self.clock.now).total_seconds())

    def _moment(self, text: str) -> datetime:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=self.clock.local)
        return moment.astimezone(UTC)

    def advance(self, seconds: float) -> None:
        """Time passes, while the daemon works if it runs."""
        if self.daemon is None:
            self.clock.go_on(max(seconds, 0))
        else:
            self.daemon.advance(max(seconds, 0) / 60)

    def sleep(self, seconds: float) -> None:
        """The machine sleeps for so long, and wakes up."""
        self.clock.sleep(seconds)

    # -- the daemon ----------------------------------------------------------------------------------------------

    def start(self, details: Details) -> None:
        """Starts it; what a step does not say is as it was before."""
        if details.has("nightly"):
            hour, minute = map(int, details.text("nightly").split(":"))
            window = f"{hour:02}:{minute:02}-{(hour + NIGHT_H) % 24:02}:{minute:02}"
            dream = replace(self._settings.dream, window=window)
            self._settings = replace(self._settings, dream=dream)
        if details.has("every"):
            self.scan_s = seconds_of(details.text("every"))
        self.daemon = Stepped(self._root, self.clock, settings=self._settings, scan_s=self.scan_s)

    def stop(self) -> None:
        """Ends it, if it runs."""
        if self.daemon is not None:
            self.daemon.end()
            self.earlier += [run.began for run in self.daemon.dream.runs]
            self.earlier_scans += self.daemon.scans
            self.daemon = None

    @property
    def dreams(self) -> list[datetime]:
        """When each dream so far began."""
        running = [] if self.daemon is None else [run.began for run in self.daemon.dream.runs]
        return [*self.earlier, *running]

    @property
    def scans(self) -> int:
        """How often all files were compared so far."""
        return self.earlier_scans + (0 if self.daemon is None else self.daemon.scans)

    def health(self) -> DaemonHealth:
        """How it is, as ``vaultmem status`` would say it at that moment."""
        dream = self._settings.dream
        return daemon_health(
            self._root / ".vaultmem",
            enabled=dream.enabled,
            window=dream.window,
            now_ns=self.clock.wall_ns(),
        )
