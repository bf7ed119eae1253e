"""A command at work as a process, line by line, for tests that wait for what it says."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from queue import SimpleQueue

from tests.daemon.watched import PATIENCE_S


class Process:
    """The command from its start on; standard output and error are one."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self._lines: SimpleQueue[str] = SimpleQueue()
        self.said: list[str] = []
        """The lines that were looked at so far; after the end, all."""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def line(self, word: str) -> str:
        """The first line that holds the word, once it has come."""
        while not (found := [line for line in self.said if word in line]):
            self.said.append(self._lines.get(timeout=PATIENCE_S).rstrip("\n"))
        return found[0]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends the signal and returns the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self._reader.join()
        while not self._lines.empty():
            self.said.append(self._lines.get().rstrip("\n"))
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code
