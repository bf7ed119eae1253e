"""A step carried out in a process of its own, which a trigger kills or holds in the middle of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.conformance.case import Json
from tests.field_reports.case import Case, Step, step_of
from tests.field_reports.embedders import CaseEmbedder
from tests.field_reports.triggers import hold_self, kill_self, trigger_for
from tests.field_reports.world import World
from vaultmem.errors import VaultmemError

BOOT: Final = "from tests.field_reports.child import main; main()"
ROOT: Final = Path(__file__).resolve().parents[2]
"""Where ``tests`` lies, which is not on the path under pytest."""

PATIENCE_S: Final = 120


class ChildFaultError(Exception):
    """The process did not end as it should have."""


def command(code: str) -> list[str]:
    """The words that run the code in a process that can import what this one can."""
    path = [str(ROOT), *sys.path]
    return [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; {code}"]


def killed_in(world: World, step: Step, words: str) -> None:
    """Carries the step out in a process that is killed at the moment that the words name.

    Raises ChildFaultError when the process ended by itself.
    """
    world.close()
    process = _start(world, step, words, "kill")
    _, said = process.communicate(timeout=PATIENCE_S)
    if process.returncode != -signal.SIGKILL:
        raise ChildFaultError(
            f"never came to {words!r}; exit code {process.returncode} {said.decode()[-300:]}"
        )


def held_in(world: World, step: Step, words: str) -> subprocess.Popen[bytes]:
    """The process that carries the step out, stopped at the moment that the words name."""
    world.close()
    process = _start(world, step, words, "hold")
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        process.returncode = os.waitstatus_to_exitcode(status)
        _, said = process.communicate()
        raise ChildFaultError(f"never came to {words!r}; {said.decode()[-300:]}")
    return process


def resumed(process: subprocess.Popen[bytes]) -> str:
    """Lets a held process go on to its end; what it said."""
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate(timeout=PATIENCE_S)
    return said.decode("utf-8", "replace")


def _start(world: World, step: Step, words: str, act: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command(BOOT),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    held = {key: value for key, value in step.details.held.items() if key not in ("fault", "pause")}
    task: dict[str, Json] = {
        "folder": str(world.folder),
        "step": held,
        "words": words,
        "act": act,
        "embedder": None if world.embedder is None else [world.embedder.name, world.embedder.size],
    }
    assert process.stdin is not None
    process.stdin.write(json.dumps(task).encode())
    process.stdin.close()
    process.stdin = None
    return process


def main() -> None:
    """The process's whole life."""
    from tests.field_reports.steps import STEPS

    task = json.loads(sys.stdin.buffer.read())
    step = step_of(task["step"])
    embedder = None if task["embedder"] is None else CaseEmbedder(*task["embedder"])
    case = Case("", "", (), (), ())
    world = World(case, Path(task["folder"]), embedder)
    trigger = trigger_for(task["words"])
    assert trigger is not None
    act = kill_self if task["act"] == "kill" else hold_self
    paths = step.details.texts("paths") if step.details.has("paths") else [""]
    trigger(act, world.root, world.root / step.details.text("path", paths[0]))
    try:
        STEPS[step.do](world, step)
    except VaultmemError as error:
        sys.exit(str(error))
    world.end()
