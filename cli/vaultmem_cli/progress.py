"""Live progress on a terminal: how many are done, how fast, and how long it will still take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TextIO

from vaultmem_cli.console import Console
from vaultmem_cli.textwidth import shorten

REDRAW_SECONDS = 0.1
VERBS = {"read": "reading", "embed": "embedding"}
ERASE_LINE = "\r\x1b[2K"


def progress_line(step: str, done: int, total: int, seconds: float) -> str:
    """One line of progress, ``seconds`` after the step began.

    >>> progress_line("read", 4000, 10000, 2.0)
    'reading 4,000/10,000 · 2,000/s · 3 s left'
    """
    line = f"{VERBS.get(step, step)} {done:,}/{total:,}"
    if not done or seconds <= 0 or done >= total:
        return line
    rate = done / seconds
    return f"{line} · {rate:,.0f}/s · {_duration((total - done) / rate)} left"


def _duration(seconds: float) -> str:
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return (
        f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
    )


@dataclass(slots=True)
class LiveProgress:
    """Draws progress over itself on one line of a terminal."""

    stream: TextIO
    width: int
    clock: Callable[[], float] = monotonic
    _step: str = ""
    _began: float = 0.0
    _drawn: float = field(default=-1.0)

    def __call__(self, step: str, done: int, total: int) -> None:
        now = self.clock()
        if step != self._step:
            self._step, self._began = step, now
        elif done < total and now - self._drawn < REDRAW_SECONDS:
            return
        self._drawn = now
        line = progress_line(step, done, total, now - self._began)
        self.stream.write(ERASE_LINE + shorten(line, self.width - 1))
        self.stream.flush()

    def show(self, line: str) -> None:
        """Draws a line of its own in place of the progress."""
        self._step, self._drawn = "", self.clock()
        self.stream.write(ERASE_LINE + shorten(line, self.width - 1))
        self.stream.flush()

    def clear(self) -> None:
        """Takes the line away again."""
        if self._drawn >= 0:
            self.stream.write(ERASE_LINE)
            self.stream.flush()
            self._drawn = -1.0


@dataclass(slots=True)
class NoProgress:
    """For pipes, logs and ``--quiet``: the summary says it all."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Shows nothing."""

    def show(self, line: str) -> None:
        """Shows nothing either."""

    def clear(self) -> None:
        """Has nothing to take away."""


def progress_of(console: Console, *, quiet: bool = False) -> LiveProgress | NoProgress:
    """Live progress where stderr is a terminal that can redraw a line, else none."""
    style = console.err_style
    if quiet or style.width is None or console.dumb:
        return NoProgress()
    return LiveProgress(console.err, style.width)
