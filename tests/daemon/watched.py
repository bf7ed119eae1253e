"""A watcher at work on real files, and what it says, for tests that wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from tests.vaults import WORDS, vault_at
from vaultmem.settings import Settings
from vaultmem_daemon.debounce import Pace
from vaultmem_daemon.events import Notice
from vaultmem_daemon.observing import Observation
from vaultmem_daemon.report import WatchReport
from vaultmem_daemon.upkeep import Timing
from vaultmem_daemon.watcher import Watcher

PATIENCE_S = 20.0
"""How long a test waits for what must come; reached only when it does not."""

QUICK = Timing(
    check_s=0.05, net_s=30, poll_s=0.1, again_s=0.2, asked_s=0.2, restart_s=0.05, settle_s=0.3
)


class Watched:
    """A watcher in a thread of its own. Use it in a ``with`` block, which ends it."""

    def __init__(
        self,
        root: Path,
        *,
        poll: bool = False,
        timing: Timing = QUICK,
        pace: Pace | None = None,
        settings: Settings = WORDS,
        observation: type[Observation] = Observation,
    ) -> None:
        self.vault = vault_at(root, settings=settings)
        self.reports: list[WatchReport] = []
        self.observations: list[Observation] = []
        self._kind = observation
        self._news = threading.Condition()
        self._error: BaseException | None = None
        self.watcher = Watcher(
            self.vault, self._say, poll=poll, timing=timing, pace=pace, observe=self._observe
        )
        self._thread = threading.Thread(target=self._run, name="watched")

    def __enter__(self) -> Watched:
        self._thread.start()
        self.said("started")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.watcher.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        if self._error is not None and kind is None:
            raise self._error

    def _observe(
        self, root: Path, linked: tuple[str, ...], put: Callable[[Notice], None]
    ) -> Observation:
        with self._news:
            self.observations.append(self._kind(root, linked, put))
            self._news.notify_all()
        return self.observations[-1]

    def _run(self) -> None:
        try:
            self.watcher.run()
        except Exception as error:  # noqa: BLE001 - handed to the test's own thread
            self._error = error
        finally:
            self.vault.close()
            with self._news:
                self._news.notify_all()

    def _say(self, report: WatchReport) -> None:
        with self._news:
            self.reports.append(report)
            self._news.notify_all()

    def until(self, holds: Callable[[list[WatchReport]], bool]) -> list[WatchReport]:
        """Waits until that holds of all that was said so far, and returns it."""
        deadline = monotonic() + PATIENCE_S
        with self._news:
            while not holds(self.reports):
                left = deadline - monotonic()
                if self._error is not None:
                    raise self._error
                if left <= 0:
                    raise AssertionError(f"it did not come; said were {self.reports}")
                self._news.wait(left)
            return list(self.reports)

    def said(self, *did: str) -> WatchReport:
        """Waits until one of those has been said, and returns the last."""
        return [
            r for r in self.until(lambda said: any(r.did in did for r in said)) if r.did in did
        ][-1]

    def taken_in(self, *paths: str) -> list[WatchReport]:
        """Waits until each of the paths has been reported as added, changed, moved to or removed; the reports
        of changes."""
        wanted = set(paths)
        self.until(lambda said: wanted <= {path for report in said for path in touched(report)})
        return self.changes()

    def changes(self) -> list[WatchReport]:
        """The reports of changes so far."""
        return [report for report in list(self.reports) if report.did == "changed"]


def touched(report: WatchReport) -> set[str]:
    """The paths that a report is about."""
    return {*report.added, *report.changed, *report.removed, *(to for _, to in report.moved)}
