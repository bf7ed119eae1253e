"""Steps of cases about the daemon: a clock that is turned, or a real process that is looked at and made to fail."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.field_reports.case import Case, Step
from tests.field_reports.observing import Observation, observe
from tests.field_reports.turning import SETTLE_MINUTES, TurnedDaemon, span_of
from tests.field_reports.watching import RAISING, Watcher
from tests.field_reports.world import SkipError, World
from vaultmem.activity import mark_activity
from vaultmem.answers import Status
from vaultmem.daemon_state import DaemonHealth
from vaultmem.errors import VaultmemError

KIND: Final = "daemon"
TURNS: Final = frozenset({"clock", "suspend_resume", "advance_real"})
HASTY_S: Final = 10.0
"""So long a hasty run observes at most."""
NOTICED_S: Final = 3.0
"""Within which a daemon must have noticed that its watcher ended."""


def turns_the_clock(case: Case) -> bool:
    """Whether the case needs a clock that can be turned."""
    return any(
        step.do in TURNS or step.details.has("nightly") or step.details.has("every")
        for step in case.steps
    )


def turned(world: World) -> TurnedDaemon:
    """The clock of the case."""
    if world.turned is None:
        world.turned = TurnedDaemon(world.root)
    return world.turned


def clock(world: World, step: Step) -> object:
    turned(world).turn(step.details)
    return None


def suspend_resume(world: World, step: Step) -> object:
    turned(world).sleep(span_of(step.details))
    return None


def advance_real(world: World, step: Step) -> object:
    turned(world).advance(span_of(step.details))
    return None


def start(world: World, step: Step) -> object:
    """Starts the daemon, which must come up unless the case expects a refusal."""
    if turns_the_clock(world.case):
        turned(world).start(step.details)
        return None
    model = "static" if world.embedder else "none"
    watcher = Watcher.start_daemon(world.root, world.folder, VAULTMEM_EMBEDDER=model)
    if not watcher.came_up():
        raise VaultmemError(watcher.said())
    world.watchers.append(watcher)
    wait_idle(world, step)
    return None


def stop(world: World, step: Step) -> object:
    if world.turned is not None:
        world.turned.stop()
    while world.watchers:
        world.watchers.pop().stop()
    return None


def wait_idle(world: World, step: Step) -> object:
    if world.turned is not None:
        world.turned.advance(SETTLE_MINUTES * 60)
    elif world.watcher is not None:
        world.watcher.wait_idle(world.root, world.index, world.raising)
    else:
        return world.vault.sync()
    return None


def observe_it(world: World, step: Step) -> object:
    seconds = span_of(step.details)
    if world.turned is not None:
        world.turned.advance(seconds)
        return None
    watcher = world.watcher
    if watcher is None:
        raise SkipError("nothing runs that could be observed")
    seconds = min(seconds, HASTY_S) if world.hasty else seconds
    return observe(world.root, watcher.process.pid, watcher.log, seconds)


def read_all_files(world: World, step: Step) -> object:
    for folder, _, names in os.walk(world.root):
        for name in names:
            place = Path(folder, name)
            if place.is_file():
                place.read_bytes()
    return None


def status(world: World, step: Step) -> Status:
    """The status, with the daemon as it is by the clock of the case."""
    answer = world.vault.status()
    return answer if world.turned is None else replace(answer, dream=world.turned.health())


def arm(world: World, words: str, path: str) -> None:
    """Makes the daemon's own code fail at a note. Raises SkipError for another fault."""
    if not is_known_fault(words):
        raise SkipError(f"no fault known for: {words}")
    world.raising.add(path)
    (world.folder / RAISING).write_text("\n".join(sorted(world.raising)), "utf-8")


def is_known_fault(words: str) -> bool:
    """Whether the words mean that our own code fails at a file."""
    return re.search(r"handling|reading|parsing|processing", words, re.IGNORECASE) is not None


# -- faults --------------------------------------------------------------------------------------------------------


def fault(world: World, step: Step) -> object:
    """Does harm; returns what the daemon said of its health meanwhile."""
    act = fault_for(step.details.text("what"))
    if act is None:
        raise SkipError(f"no fault known for: {step.details.text('what')}")
    return act(world)


def fault_for(words: str) -> Callable[[World], object] | None:
    """What the words mean; None when they mean nothing that is known."""
    for pattern, act in FAULTS.items():
        if re.search(pattern, words, re.IGNORECASE):
            return act
    return None


def _end_watcher(world: World) -> list[DaemonHealth]:
    """Ends the watcher's thread; how the daemon says that it is, from then until it has noticed."""
    watcher = world.watcher
    if watcher is None:
        raise SkipError("no daemon runs")
    before = world.vault.daemon_health().watcher
    watcher.process.send_signal(signal.SIGUSR1)
    seen: list[DaemonHealth] = []
    deadline = time.monotonic() + NOTICED_S
    while time.monotonic() < deadline:
        seen.append(world.vault.daemon_health())
        now = seen[-1].watcher
        if seen[-1].health != "healthy" or now is None or now.restarts > (before or now).restarts:
            break
        time.sleep(0.01)
    return seen


def _kill(world: World) -> None:
    if world.turned is not None and world.turned.daemon is not None:
        world.turned.stop()
    while world.watchers:
        world.watchers.pop().kill()


def _vanish(world: World) -> None:
    world.close()
    world.root.rename(world.folder / "away")


def _return(world: World) -> None:
    (world.folder / "away").rename(world.root)


def _fail_cycle(world: World) -> None:
    daemon = turned(world).daemon
    if daemon is None:
        raise SkipError("no daemon runs whose cycle could fail")
    daemon.dream.fails += 1


def _use(world: World) -> None:
    mark_activity(world.root / ".vaultmem")
    if world.turned is not None:
        place = world.root / ".vaultmem" / "activity"
        os.utime(place, ns=(world.turned.clock.wall,) * 2)


FAULTS: Final[Mapping[str, Callable[[World], object]]] = {
    r"watcher.*(?:end|die|stop|exit|crash)": _end_watcher,
    r"kill|daemon.*(?:die|crash)": _kill,
    r"vault.*(?:return|back|remount)": _return,
    r"vault.*(?:vanish|disappear|goes away|unmount)": _vanish,
    r"(?:cycle|job|dream).*(?:fail|raise)": _fail_cycle,
    r"person|someone|activity": _use,
}
"""Faults by the words that mean them."""


def observation_of(answer: object) -> Observation | None:
    """The observation, if the answer of a step is one."""
    return answer if isinstance(answer, Observation) else None
