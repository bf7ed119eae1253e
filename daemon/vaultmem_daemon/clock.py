"""Three clocks: the one on the wall, which anybody may set; one that only goes forward; and the time spent asleep."""

from __future__ import annotations

import time
from datetime import UTC, datetime, tzinfo
from typing import Protocol


class Clock(Protocol):
    """Where the daemon has the time from."""

    def wall_ns(self) -> int:
        """Nanoseconds since 1970 as the machine believes."""
        ...

    def awake_s(self) -> float:
        """Seconds that the machine was awake, from an arbitrary beginning; never goes back, whatever is set."""
        ...

    def asleep_s(self) -> float | None:
        """Seconds that it slept, from an arbitrary beginning; None where the system does not tell."""
        ...

    def zone(self) -> tzinfo:
        """The person's time zone as it is now."""
        ...


class SystemClock:
    """Those of this machine."""

    def wall_ns(self) -> int:
        """Nanoseconds since 1970 as the machine believes."""
        return time.time_ns()

    def awake_s(self) -> float:
        """Seconds that the machine was awake (on Windows also those that it slept)."""
        return time.monotonic()

    def asleep_s(self) -> float | None:
        """Seconds that it slept; None where the system does not tell."""
        boottime = getattr(time, "CLOCK_BOOTTIME", None)
        if boottime is None:
            return None
        return time.clock_gettime(boottime) - time.clock_gettime(time.CLOCK_MONOTONIC)

    def zone(self) -> tzinfo:
        """The person's time zone, looked up each time: people travel."""
        from tzlocal import reload_localzone

        try:
            return reload_localzone()
        except (
            OSError,
            ValueError,
            LookupError,
        ):  # no such zone, or two files that contradict each other
            return datetime.now().astimezone().tzinfo or UTC
