"""``vaultmem daemon run`` as a process: its end by a signal in the middle of a cycle, its second, a vault that vanishes, and a
watcher that dies."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.command import Ran, environment
from tests.daemon.process import Process
from tests.daemon.watched import PATIENCE_S
from tests.field_reports.child import command
from tests.field_reports.daemon_child import RAISE_FOR
from tests.vaults import write
from vaultmem.daemon_state import DaemonHealth, daemon_health

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")

COMMAND = "from vaultmem_cli.main import main; sys.exit(main(sys.argv[1:]))"
PLAIN = "from tests.field_reports.daemon_child import main; main()"

DREAMING = """\
import sys, time
from dataclasses import replace
from vaultmem_daemon import minute_check, service
def dream(vault, *, cancelled, clock_ns, **_):
    print("an edit begins", file=sys.stderr, flush=True)
    while not cancelled():
        time.sleep(0.01)
    time.sleep(0.3)
    print("the edit is done", file=sys.stderr, flush=True)
    from vaultmem.dream.report import CycleReport, CycleState, Strategy
    return CycleReport("c", Strategy.CONSERVE, "", CycleState.CANCELLED, 0, clock_ns(), 1, 0)
vars(service)["CHECK_S"] = 0.2
checks = []
def decide(facts, decide=minute_check.decide):
    checks.append(facts)
    return decide(replace(facts, idle_s=3600.0 if len(checks) > 1 else 0.0))
vars(minute_check)["decide"] = decide
service.Daemon.__init__.__kwdefaults__["dream"] = lambda vault: dream
from vaultmem_cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The command, with a dream that lasts until it is told to end, and a person who has been away for an hour after the first check."""


class Daemon(Process):
    """``vaultmem daemon run`` at work, by that code. What ``raising`` names is what its handling of a note fails at."""

    def __init__(self, root: Path, home: Path, code: str, **environ: str) -> None:
        self.raising = home / "raising.txt"
        self.raising.touch()
        super().__init__(
            [*command(code), "daemon", "run", "--vault", str(root)],
            environment(
                home, VAULTMEM_EMBEDDER="none", **{RAISE_FOR: str(self.raising)}, **environ
            ),
        )


def spawn(*words: str, environ: Mapping[str, str]) -> Ran:
    """The command as a process of its own, with the very code that is tested."""
    done = subprocess.run(
        [*command(COMMAND), *words], env=environ, capture_output=True, timeout=60, check=False
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def daemon(root: Path, home: Path, code: str = PLAIN, **environ: str) -> Iterator[Daemon]:
    """The command until the block ends."""
    process = Daemon(root, home, code, **environ)
    try:
        process.line("Watching")
        yield process
    finally:
        if process.process.returncode is None:
            process.end()


def health(root: Path) -> DaemonHealth:
    return daemon_health(root / ".vaultmem", enabled=True, window="any", now_ns=time.time_ns())


def until(holds: Callable[[], bool]) -> None:
    """Waits until that holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_within_two_seconds(root: Path, tmp_path: Path, number: int) -> None:
    with daemon(root, tmp_path) as process:
        until(lambda: health(root).health == "healthy")
        began = time.monotonic()
        assert process.end(number) == 0
        assert time.monotonic() - began < 2
        assert process.said[-1] == "Stopped."
    assert health(root).health == "not running"
    assert health(root).why == ""
    assert "Stopped." in (root / ".vaultmem" / "daemon.log").read_text()


def test_a_signal_in_a_cycle_ends_it_after_the_edit(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path, DREAMING, VAULTMEM_DREAM_WINDOW="any") as process:
        process.line("an edit begins")
        until(lambda: health(root).dreaming_since_ns > 0)
        began = time.monotonic()
        assert process.end() == 0
        assert time.monotonic() - began < 2
    assert process.said.index("the edit is done") < process.said.index("Stopped.")
    last = health(root).last_cycle
    assert last is not None
    assert (last.state, last.why) == ("cancelled", "the daemon was told to end")


def test_a_person_who_returns_ends_the_cycle(root: Path, tmp_path: Path) -> None:
    environ = environment(tmp_path, VAULTMEM_EMBEDDER="none")
    with daemon(root, tmp_path, DREAMING, VAULTMEM_DREAM_WINDOW="any") as process:
        process.line("an edit begins")
        assert spawn("daemon", "status", "--vault", str(root), environ=environ).code == 0
        assert "the edit is done" not in process.said
        assert spawn("search", "anchor", "--vault", str(root), environ=environ).code == 0
        assert "somebody uses the vault" in process.line("is over")


def test_an_edit_by_hand_ends_the_cycle(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path, DREAMING, VAULTMEM_DREAM_WINDOW="any") as process:
        process.line("an edit begins")
        write(root, {"Pump.md": "The word is capstan.\n"})
        assert "somebody uses the vault" in process.line("is over")


def test_a_second_one_is_told(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path):
        environ = environment(tmp_path, VAULTMEM_EMBEDDER="none")
        second = spawn("daemon", "run", "--vault", str(root), environ=environ)
        assert second.code == 4
        assert "has a daemon already: vaultmem daemon (process " in second.err


def test_where_another_program_watches_it_goes_without_and_takes_over(
    root: Path, tmp_path: Path
) -> None:
    from tests.daemon.watched import Watched

    watched = Watched(root)
    with watched:
        process = Daemon(root, tmp_path, PLAIN)
        process.line("Started")
        until(lambda: (health(root).watcher or DaemonHealth).state == "elsewhere")  # type: ignore[union-attr]
        assert health(root).health == "healthy"
        assert "is watched already" in health(root).why
    assert process.end() == 0


def test_a_vault_that_vanishes_is_waited_for_and_not_made_anew(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path) as process:
        away = tmp_path / "away"
        root.rename(away)
        process.line("pauses until it is back")
        assert not root.exists()
        away.rename(root)
        process.line("is back.")
        write(root, {"New.md": "The word is capstan.\n"})
        process.line("1 note added")
        assert process.end() == 0


def test_a_watcher_that_dies_is_told_and_started_again(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path) as process:
        until(lambda: health(root).health == "healthy")
        process.process.send_signal(signal.SIGUSR1)
        assert "starts again in 1 s" in process.line("The watcher ended")
        until(lambda: (watcher := health(root).watcher) is not None and watcher.restarts == 1)
        until(lambda: health(root).health == "healthy")
        now = health(root)
        assert now.watcher is not None
        assert now.watcher.state == "watching"
        assert now.why.startswith("The watcher was restarted once: ")
        write(root, {"New.md": "The word is capstan.\n"})
        process.line("1 note added")


def test_a_note_at_which_our_code_fails_keeps_no_other_out(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path) as process:
        process.raising.write_text("Bad.md")
        write(root, {"Bad.md": "boom\n"})
        assert "RuntimeError" in process.line("Bad.md could not be taken in")
        write(root, {"Good.md": "The word is capstan.\n"})
        environ = environment(tmp_path, VAULTMEM_EMBEDDER="none")

        def found() -> bool:
            return spawn("search", "capstan", "--vault", str(root), environ=environ).code == 0

        until(found)
        until(lambda: any("Bad.md" in warning.message for warning in health(root).warnings))
        process.raising.write_text("")
    ran = spawn("search", "boom", "--vault", str(root), environ=environ)
    assert ran.code == 0  # a healthy program takes it in


def test_a_service_manager_is_told(root: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        place = tmp_path / "notify"
        line.bind(str(place))
        line.settimeout(PATIENCE_S)
        told: list[str] = []

        def hear(word: str) -> None:
            while not any(word in each for each in told):
                told.append(line.recv(4096).decode())

        environ = {"NOTIFY_SOCKET": str(place), "WATCHDOG_USEC": "400000"}
        with daemon(root, tmp_path, **environ) as process:
            hear("READY=1")
            hear("WATCHDOG=1")
            assert process.end() == 0
            hear("STOPPING=1")


def test_what_it_leaves_is_named_in_its_state(root: Path, tmp_path: Path) -> None:
    with daemon(root, tmp_path) as process:
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
    assert health(root).health == "not running"
    assert health(root).why == "It ended without saying so."
    held = json.loads((root / ".vaultmem" / "daemon.json").read_text())
    assert held["pid"] == process.process.pid
    with daemon(root, tmp_path):
        until(lambda: health(root).health == "healthy")
    assert not [name for name in os.listdir(root / ".vaultmem") if name.startswith("daemon.json.")]
