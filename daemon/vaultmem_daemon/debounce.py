"""Many events, few batches: pure, with the clock as an argument.

Editors save in several steps (a temporary file, a rename, a flag), programs change thousands of files at once, and
some moves come as a deletion here and a new file there. A batch is closed when it has been quiet for a moment; the
moment is longer while a deletion or many paths are in it, so that both halves of a move end in one batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from vaultmem_daemon.events import Change, Everything, Kind


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait for more; seconds of a clock that only goes forward."""

    quiet_s: float = 0.03
    """After the last event, when a few files changed."""
    calm_s: float = 0.3
    """After the last event, when something is gone, many files changed, or everything may have."""
    longest_s: float = 2.0
    """After the first event, however lively it still is."""
    few: int = 32
    """Paths that still are a few."""
    most: int = 256
    """With more paths than this a comparison of all files is quicker."""


class Batch(NamedTuple):
    """Events that are one change to the index."""

    paths: tuple[str, ...]
    """Vault paths, in the order in which they were first heard of; () when everything is to be compared."""
    everything: str = ""
    """Why all files are to be compared; "" when ``paths`` are enough."""


class Debouncer:
    """Collects events until a batch of them is due. Times are seconds of one clock, each call's not before the
    last one's."""

    def __init__(self, pace: Pace | None = None) -> None:
        self._pace = pace or Pace()
        self._paths: dict[str, _Fate] = {}
        self._everything = ""
        self._first = 0.0
        self._last = 0.0

    def __bool__(self) -> bool:
        """Whether anything is waiting."""
        return bool(self._paths or self._everything)

    def add(self, event: Change | Everything, now: float) -> None:
        """Takes in an event."""
        if not self:
            self._first = now
        self._last = now
        if isinstance(event, Everything):
            self._all(event.reason)
        elif not self._everything:
            before = self._paths.get(event.path)
            born = before.born_here if before else event.kind == Kind.BORN
            self._paths[event.path] = _Fate(born, event.kind == Kind.GONE)
            if len(self._paths) > self._pace.most:
                self._all("many files changed")

    def _all(self, reason: str) -> None:
        self._everything = self._everything or reason
        self._paths.clear()

    def due(self) -> float | None:
        """When the batch is to be taken; None when nothing is waiting."""
        if not self:
            return None
        return min(self._last + self._quiet(), self._first + self._pace.longest_s)

    def _quiet(self) -> float:
        lively = self._everything or len(self._paths) > self._pace.few
        if lively or any(fate.is_loss for fate in self._paths.values()):
            return self._pace.calm_s
        return self._pace.quiet_s

    def take(self, now: float) -> Batch | None:
        """The batch, if it is due."""
        due = self.due()
        return self.flush() if due is not None and due <= now else None

    def flush(self) -> Batch | None:
        """The batch as far as it has come; None when nothing is waiting."""
        if not self:
            return None
        batch = Batch(tuple(self._paths), self._everything)
        self._paths.clear()
        self._everything = ""
        return batch


class _Fate(NamedTuple):
    born_here: bool
    """The first event of this batch made it, so nobody knows it yet."""
    gone: bool

    @property
    def is_loss(self) -> bool:
        """Whether the index may know a file that is gone. A temporary file that came and went is no loss."""
        return self.gone and not self.born_here
