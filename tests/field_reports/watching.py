"""The daemon that watches a vault, as a real process of its own."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.cli.command import arguments, environment
from tests.field_reports.daemon_child import RAISE_FOR
from tests.field_reports.index_file import says_what_the_disk_says

NOT_YET: Final = "watcher not there yet"
COMMAND: Final = "watch"
"""``vaultmem watch`` runs the watcher in the foreground."""

GREETING: Final = "Watching "
"""What it says when it has begun."""

RAISING: Final = "raise-for.txt"
"""In the folder of the case: at which notes the daemon's own code fails."""

PATIENCE_S: Final = 60.0
QUIET_S: Final = 0.5
"""The index must have been up with the disk for so long before the watcher counts as idle."""
PAUSE_S: Final = 0.05


def exists() -> bool:
    """Whether the command is there."""
    from vaultmem_cli.app import COMMANDS

    return COMMAND in COMMANDS


class WatcherFaultError(Exception):
    """The watcher ended by itself, or never came to rest."""


@dataclass(slots=True)
class Watcher:
    """One running watcher."""

    process: subprocess.Popen[bytes]
    log: Path

    @classmethod
    def start(cls, root: Path, folder: Path, **environ: str) -> Watcher:
        """Starts a watcher of the vault; what it says goes to a file in ``folder``."""
        return cls._started(arguments(COMMAND, "--vault", str(root)), folder, environ)

    @classmethod
    def start_daemon(cls, root: Path, folder: Path, **environ: str) -> Watcher:
        """Starts the daemon of the vault, which can be made to fail: see ``daemon_child``."""
        from tests.field_reports.child import command

        raising = folder / RAISING
        raising.touch()
        code = "from tests.field_reports.daemon_child import main; main()"
        words = [*command(code), "daemon", "run", "--vault", str(root)]
        return cls._started(words, folder, {**environ, RAISE_FOR: str(raising)})

    @classmethod
    def _started(cls, words: list[str], folder: Path, environ: Mapping[str, str]) -> Watcher:
        number, name = tempfile.mkstemp(".log", "watch-", folder)
        log = Path(name)
        with open(number, "wb") as out:
            process = subprocess.Popen(
                words,
                env=environment(folder / "home", **environ),
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        return cls(process, log)

    def came_up(self) -> bool:
        """Whether it serves the vault: it has said so, and did not end by itself. Raises WatcherFaultError when it
        does neither."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if not self.is_healthy:
                return False
            if GREETING in self.said():
                return True
            time.sleep(PAUSE_S)
        raise WatcherFaultError(f"the watcher said neither yes nor no: {self.said()}")

    @property
    def is_healthy(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def said(self) -> str:
        """All that it printed."""
        return self.log.read_text("utf-8", "replace")

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Ends it, as a service manager would."""
        if self.is_healthy:
            self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait_idle(self, root: Path, index: Path, but_for: Collection[str] = ()) -> None:
        """Returns when the watcher has brought the index up with the disk and nothing happens any more, whatever becomes
        of the files ``but_for``.

        Only looks at the index and never brings it up itself. Raises WatcherFaultError.
        """
        deadline = time.monotonic() + PATIENCE_S
        up_since: float | None = None
        while True:
            now = time.monotonic()
            if not self.is_healthy:
                raise WatcherFaultError(f"the watcher ended: {self.said()[-500:]}")
            if not says_what_the_disk_says(root, index, but_for):
                up_since = None
            elif up_since is None:
                up_since = now
            elif now - up_since >= QUIET_S:
                return
            if now > deadline:
                raise WatcherFaultError(f"the index was not up with the disk after {PATIENCE_S} s")
            time.sleep(PAUSE_S)
