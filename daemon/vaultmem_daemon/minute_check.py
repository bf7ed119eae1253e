"""Whether to dream now: asked each minute, answered by a pure function in the order of the design.

Enabled? In the window, or is a night to be made up? Idle? Does no other cycle run? Is the night not done, tried too often,
or resting after a failure? A night is to be made up when the machine slept or the daemon was off for more than half of
its window; then it runs once, as soon as nobody uses the vault, however many nights were missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final

from vaultmem.daemon_state import NightRecord
from vaultmem.dream.window import Night, Window

MOST_TRIES: Final = 3
"""A night that failed so often is given up."""
BACK_OFF: Final = timedelta(minutes=15)
"""After the first failure; twice as long after each further one."""
AWAKE_SHARE: Final = 0.5
"""Awake for less of its window than this, the daemon has missed a night."""
MOST_NIGHTS: Final = 1_000
"""Nights that are remembered: each is run once, even when the clock goes back by years."""
BETWEEN_CHECKS_S: Final = 120.0
"""So long a daemon that is awake lets pass between two checks at most."""


class Why(StrEnum):
    """What came of a check."""

    RUN = "run"
    DISABLED = "disabled"
    OUTSIDE = "outside"
    BUSY = "busy"
    RUNNING = "running"
    DONE = "done"
    WAITING = "waiting"
    """It failed and is tried again later."""
    GIVEN_UP = "given-up"


@dataclass(frozen=True, slots=True)
class Nights:
    """What is known of the nights so far."""

    records: tuple[NightRecord, ...] = ()
    first: str = ""
    """Nights before this date were never the daemon's to run; "" before its first check."""
    attended: str = ""
    """The night in whose window the daemon was last awake."""
    attended_s: float = 0.0

    def of(self, night: Night) -> NightRecord | None:
        """What became of that night; None when nothing has yet."""
        day = night.day.isoformat()
        return next((record for record in self.records if record.night == day), None)

    def with_record(self, record: NightRecord) -> Nights:
        """The same with that night's record in place of the one before."""
        others = [each for each in self.records if each.night != record.night]
        return replace(self, records=(*others, record)[-MOST_NIGHTS:])


@dataclass(frozen=True, slots=True)
class Facts:
    """What a check is made from."""

    now: datetime
    zone: tzinfo
    enabled: bool
    window: Window
    idle_s: float
    """For how long nobody has used the vault."""
    idle_needed_s: float
    running: bool
    """A cycle runs, here or in another process."""
    nights: Nights


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to dream now, and why."""

    why: Why
    night: Night
    """The one that it is about: the last that has begun."""
    late: bool
    """Its window is over."""
    said: str
    """A sentence for a person."""

    @property
    def run(self) -> bool:
        """Whether to."""
        return self.why is Why.RUN


def decide(facts: Facts) -> Decision:
    """Whether to dream now."""
    night = facts.window.latest(facts.now, facts.zone)
    late = not night.holds(facts.now)
    why, said = _why(facts, night, late)
    return Decision(why, night, late, said)


def _why(facts: Facts, night: Night, late: bool) -> tuple[Why, str]:
    if not facts.enabled:
        return Why.DISABLED, "Dreaming is switched off (dream.enabled)."
    if late and not is_missed(facts.nights, night):
        upcoming = facts.window.after(night, facts.zone).begins.astimezone(facts.zone)
        return Why.OUTSIDE, f"The next window opens on {upcoming:%Y-%m-%d at %H:%M}."
    settled = should_skip_scheduled_run(facts.nights.of(night), facts.now)
    if facts.idle_s < facts.idle_needed_s:
        return Why.BUSY, (
            f"The vault was used {_minutes(facts.idle_s)} ago; "
            f"it has to rest for {_minutes(facts.idle_needed_s)}."
        )
    if facts.running:
        return Why.RUNNING, "A cycle is running."
    if settled is not None:
        return settled
    made_up = " It is made up, since its window was missed." if late else ""
    return Why.RUN, f"The night of {night.day} is due.{made_up}"


def should_skip_scheduled_run(record: NightRecord | None, now: datetime) -> tuple[Why, str] | None:
    """Why a night does not run (again); None when it may. One that was cancelled may at once, one that failed after a
    while, at most three times."""
    if record is None or record.state == "cancelled":
        return None
    if record.state in ("done", "skipped"):
        what = "is done" if record.state == "done" else "was left out, since the clock was set"
        return Why.DONE, f"The night of {record.night} {what}."
    if record.tries >= MOST_TRIES:
        return Why.GIVEN_UP, f"The night of {record.night} failed {record.tries} times."
    pause = BACK_OFF * 2 ** max(record.tries - 1, 0)
    since = now - datetime.fromtimestamp(record.tried_ns / 1e9, now.tzinfo)
    if timedelta() <= since < pause:
        left = (pause - since).total_seconds()
        return Why.WAITING, f"The last try failed; it is tried again in {_minutes(left)}."
    return None


def is_missed(nights: Nights, night: Night) -> bool:
    """Whether a night whose window is over is to be made up: not run, and slept through for the most part."""
    record = nights.of(night)
    if not nights.first or night.day.isoformat() < nights.first:
        return False
    if record is not None and record.state in ("done", "skipped"):
        return False
    awake_s = nights.attended_s if nights.attended == night.day.isoformat() else 0.0
    return awake_s < AWAKE_SHARE * (night.ends - night.begins).total_seconds()


def attend(nights: Nights, night: Night, now: datetime, since_last_s: float) -> Nights:
    """The same after a check at ``now``, the one before having been ``since_last_s`` seconds of waking time ago."""
    day = night.day.isoformat()
    if not nights.first:  # what was before it came is not the daemon's business
        begun = night if night.holds(now) else None
        first = day if begun else (night.day + timedelta(days=1)).isoformat()
        nights = replace(nights, first=first)
    if not night.holds(now):
        return nights
    awake_s = min(max(since_last_s, 0.0), BETWEEN_CHECKS_S)
    if nights.attended == day:
        return replace(nights, attended_s=nights.attended_s + awake_s)
    return replace(nights, attended=day, attended_s=0.0)


def after_clock_was_set(
    nights: Nights, window: Window, before: datetime, now: datetime, zone: tzinfo
) -> Nights:
    """The same after somebody set the clock forward while the daemon was awake: a night whose window ended in the time
    that was left out never took place, so it is not made up."""
    night = window.latest(now, zone)
    if not before < night.ends <= now or nights.of(night) is not None:
        return nights
    return nights.with_record(NightRecord(night.day.isoformat(), "skipped"))


def idle_since(marks: Iterable[float | None], began: float) -> float:
    """Since when nobody has used the vault: the latest of what is known, and no earlier than ``began``, for whoever
    starts a machine is about to use it. Seconds of a clock that only goes forward."""
    return max((began, *(mark for mark in marks if mark is not None)))


def begun(nights: Nights, night: Night, now_ns: int) -> Nights:
    """The same when a night is being run. Whoever dies in the middle leaves it so, which counts as a failure."""
    record = nights.of(night)
    tries = 0 if record is None else record.tries
    if record is not None and record.state == "running":
        tries += 1
    return nights.with_record(NightRecord(night.day.isoformat(), "running", tries, now_ns))


def ended(nights: Nights, night: Night, state: str, now_ns: int) -> Nights:
    """The same when it has ended so: done, nothing, cancelled, failed."""
    record = nights.of(night)
    tries = 0 if record is None else record.tries
    kept = "done" if state == "nothing" else state
    if kept == "failed":
        tries += 1
    return nights.with_record(NightRecord(night.day.isoformat(), kept, tries, now_ns))


def after_a_crash(nights: Nights) -> Nights:
    """The same at the start of a daemon: what its predecessor left running has failed."""
    for record in nights.records:
        if record.state == "running":
            nights = nights.with_record(replace(record, state="failed", tries=record.tries + 1))
    return nights


def _minutes(seconds: float) -> str:
    minutes = max(int(seconds // 60), 0)
    return "less than a minute" if minutes < 1 else f"{minutes} minute{'s' * (minutes != 1)}"
