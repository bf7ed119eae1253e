"""What a vault's daemon says of itself, in ``daemon.json`` beside the index: written by it, read by everybody.

Whether it lives is not taken from the file but from its lock, which the system frees when a process ends, however it ends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from vaultmem.files.lock import is_held

STATE_NAME: Final = "daemon.json"
DAEMON_LOCK: Final = "daemon.lock"
LOG_NAME: Final = "daemon.log"

VERSION: Final = 1

STALE_S: Final = 720.0
"""A living daemon writes every five minutes; one that has not for so long hangs."""

WATCHER_WELL: Final = frozenset({"watching", "polling", "elsewhere"})
"""States of the watcher in which edits are seen."""


@dataclass(frozen=True, slots=True)
class LastCycle:
    """The last cycle that the daemon ran."""

    cycle: str = ""
    """Its name, as in ``vaultmem undo cycle:NAME``; "" when it did not come so far."""
    night: str = ""
    """The night it was for, a date."""
    state: str = ""
    """done, nothing, cancelled, failed"""
    strategy: str = ""
    """Consolidate, Synthesize, Conserve; "" when it did not come so far."""
    began_ns: int = 0
    """When it began, in nanoseconds since 1970."""
    ended_ns: int = 0
    """When it ended, in nanoseconds since 1970."""
    applied: int = 0
    """How many edits it made."""
    waiting: int = 0
    """How many proposals wait for a person: in the state of a vault as it is now, whichever cycle made them."""
    late: bool = False
    """Whether it was made up after its window, in which the machine slept or the daemon was off."""
    why: str = ""
    """Why it failed or was cancelled; "" otherwise."""


@dataclass(frozen=True, slots=True)
class WatcherHealth:
    """How the daemon's watcher is."""

    state: str = "starting"
    """starting, watching, polling (no events come; all files are compared), elsewhere (another program watches),
    paused (the vault is away), refusing (most notes are gone; it waits for a person), dead"""
    why: str = ""
    """More about that, for a person; "" when there is nothing to say."""
    restarts: int = 0
    """How often it ended by itself and was started again."""
    restarted_ns: int = 0
    """When that was last, in nanoseconds since 1970; 0 for never."""


@dataclass(frozen=True, slots=True)
class DaemonWarning:
    """Something that a person should know."""

    time_ns: int
    """When it was said first, in nanoseconds since 1970."""
    message: str
    """A sentence."""
    times: int = 1
    """How often it was said."""


@dataclass(frozen=True, slots=True)
class NightRecord:
    """What became of one night."""

    night: str
    """The date on which it began."""
    state: str
    """running, done, cancelled, failed, skipped"""
    tries: int = 0
    """How often it failed."""
    tried_ns: int = 0
    """When it was tried last, in nanoseconds since 1970."""


@dataclass(frozen=True, slots=True)
class DaemonState:
    """All that the daemon writes down."""

    pid: int = 0
    started_ns: int = 0
    checked_ns: int = 0
    """The last look whether to dream."""
    written_ns: int = 0
    program: str = ""
    """The version of vaultmem."""
    decision: str = ""
    """The last answer to that, in one word."""
    said: str = ""
    """The same as a sentence."""
    next_window_ns: int = 0
    """When the next window begins, or the one that is open began."""
    dreaming_since_ns: int = 0
    """0 while no cycle runs."""
    last_cycle: LastCycle | None = None
    scanned_ns: int = 0
    """The last comparison of all files that the daemon made itself, for want of a watcher."""
    watcher: WatcherHealth = WatcherHealth()
    warnings: tuple[DaemonWarning, ...] = ()
    nights: tuple[NightRecord, ...] = ()
    first_night: str = ""
    """Nights before this date were never the daemon's to run."""
    attended: str = ""
    """The night whose window the daemon has last been awake in."""
    attended_s: float = 0.0
    """For how long."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What a newer version wrote and this one does not know."""


@dataclass(frozen=True, slots=True)
class DaemonHealth:
    """How the daemon of a vault is, and when the vault was last tended."""

    health: str
    """healthy, unhealthy, not running"""
    why: str
    """Why it is not healthy, or what there is to know; "" when there is nothing to say."""
    enabled: bool
    """Whether the settings let it dream."""
    window: str
    """When it may, as the settings say it."""
    pid: int = 0
    """Its process; 0 when it does not run."""
    started_ns: int = 0
    """Since when it runs, in nanoseconds since 1970."""
    checked_ns: int = 0
    """When it last looked whether to dream."""
    decision: str = ""
    """What came of that, in one word: run, disabled, outside, busy, running, done, waiting, given-up, vanished."""
    said: str = ""
    """The same as a sentence."""
    next_window_ns: int = 0
    """When the next window begins, or the one that is open began."""
    dreaming_since_ns: int = 0
    """Since when a cycle runs; 0 while none does."""
    last_cycle: LastCycle | None = None
    """The last cycle that it ran."""
    watcher: WatcherHealth | None = None
    """How its watcher is; null when the daemon does not run."""
    warnings: tuple[DaemonWarning, ...] = ()
    """What a person should know, newest last."""


def read_state(folder: Path) -> DaemonState:
    """What the daemon of the index in ``folder`` last wrote; an empty state when there is nothing, or nothing that
    makes sense."""
    try:
        held = json.loads((folder / STATE_NAME).read_bytes())
        return _state(held)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return DaemonState()


def _state(held: Mapping[str, Any]) -> DaemonState:
    known = {each.name for each in fields(DaemonState)} - {"extra"}
    plain = {name: value for name, value in held.items() if name in known}
    cycle = plain.get("last_cycle")
    state = DaemonState(
        **{
            **plain,
            "last_cycle": None if cycle is None else _made(LastCycle, cycle),
            "watcher": _made(WatcherHealth, plain.get("watcher", {})),
            "warnings": tuple(_made(DaemonWarning, each) for each in plain.get("warnings", ())),
            "nights": tuple(_made(NightRecord, each) for each in plain.get("nights", ())),
            "extra": {k: v for k, v in held.items() if k not in known and k != "version"},
        }
    )
    _check(state)
    return state


def _made(kind: Any, held: Mapping[str, Any]) -> Any:
    known = {each.name for each in fields(kind)}
    made = kind(**{name: value for name, value in held.items() if name in known})
    _check(made)
    return made


def _check(made: Any) -> None:
    """Raises TypeError where a figure is none: whoever edits the file by hand must not end the daemon."""
    for each in fields(made):
        value = getattr(made, each.name)
        wanted = {"int": (int,), "str": (str,), "float": (int, float), "bool": (bool,)}
        if each.type in wanted and not isinstance(value, wanted[str(each.type)]):
            raise TypeError(each.name)


def write_state(folder: Path, state: DaemonState) -> bool:
    """Writes it down, whole or not at all; False when that cannot be. Makes no folder."""
    held = {"version": VERSION, **dict(state.extra), **asdict(state)}
    del held["extra"]
    place = folder / STATE_NAME
    # A name that is left out of Git already, and always the same: what a killed daemon left is written over.
    beside = folder / f"{STATE_NAME}.lock"
    try:
        beside.write_text(json.dumps(held, indent=1), "utf-8")
        beside.replace(place)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        return False
    return True


def daemon_health(folder: Path, *, enabled: bool, window: str, now_ns: int) -> DaemonHealth:
    """How the daemon of the index in ``folder`` is. It is never called healthy when its watcher is dead."""
    state = read_state(folder)
    kept = {"last_cycle": state.last_cycle, "warnings": state.warnings}
    if not is_held(folder / DAEMON_LOCK):
        died = "It ended without saying so." if state.pid else ""
        return DaemonHealth("not running", died, enabled, window, **kept)  # type: ignore[arg-type]
    why = _fault(state, now_ns)
    return DaemonHealth(
        "unhealthy" if why else "healthy",
        why or _worth_knowing(state),
        enabled,
        window,
        pid=state.pid,
        started_ns=state.started_ns,
        checked_ns=state.checked_ns,
        decision=state.decision,
        said=state.said,
        next_window_ns=state.next_window_ns,
        dreaming_since_ns=state.dreaming_since_ns,
        last_cycle=state.last_cycle,
        watcher=state.watcher,
        warnings=state.warnings,
    )


def _fault(state: DaemonState, now_ns: int) -> str:
    silent_s = (now_ns - state.written_ns) / 1e9
    if silent_s > STALE_S:
        return f"It has not been heard of for {silent_s / 60:.0f} minutes."
    watcher = state.watcher
    if watcher.state == "starting" and watcher.restarts:
        return f"The watcher ended and is starting again: {watcher.why}"
    if watcher.state not in WATCHER_WELL and watcher.state != "starting":
        if watcher.state in ("paused", "refusing") and watcher.why:
            return watcher.why
        return f"The watcher has ended{f': {watcher.why}' if watcher.why else ''}.".replace(
            "..", "."
        )
    return ""


def _worth_knowing(state: DaemonState) -> str:
    watcher = state.watcher
    if watcher.restarts:
        times = "once" if watcher.restarts == 1 else f"{watcher.restarts} times"
        return f"The watcher was restarted {times}: {watcher.why}"
    return watcher.why


def last_log_lines(folder: Path, most: int) -> list[str]:
    """The last lines of the daemon's log in ``folder``, oldest first; none where there is no log."""
    lines: list[str] = []
    for name in (f"{LOG_NAME}.1", LOG_NAME):
        with suppress(OSError):
            lines += (folder / name).read_text("utf-8", "replace").splitlines()
    return lines[-most:]
