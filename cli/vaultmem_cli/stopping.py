"""Ctrl-C and TERM for work that is ended between two steps, and not in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

from vaultmem_cli.console import Console

ASKED = (
    "Stopping after this step. Ctrl-C once more stops at once; nothing is harmed by that either."
)


@dataclass(slots=True)
class Stop:
    """Whether somebody has asked for an end."""

    console: Console
    asked: bool = False

    def is_asked(self) -> bool:
        """Whether somebody has."""
        return self.asked

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """Remembers it; raises KeyboardInterrupt when it is asked by hand a second time."""
        if self.asked:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            return
        self.asked = True
        if number == signal.SIGINT and self.console.err_style.width is not None:
            with suppress(OSError, RuntimeError):  # a terminal that is in the midst of a write
                self.console.say("", ASKED)


@contextmanager
def stopping(console: Console) -> Iterator[Stop]:
    """Within it Ctrl-C, TERM and a closed terminal only ask for an end."""
    stop = Stop(console)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is None or signal.getsignal(number) == signal.SIG_IGN:  # nohup
            continue
        before[number] = signal.signal(number, stop.on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
