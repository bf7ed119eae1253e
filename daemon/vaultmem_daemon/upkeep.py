"""Bringing batches into the index, and what follows when that does not work: wait, try again, stop and ask."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, time_ns

from vaultmem.answers import SyncAnswer
from vaultmem.dream.review_note import review_path
from vaultmem.errors import (
    IndexDamagedError,
    LockedError,
    RefusedError,
    VaultmemError,
    VaultVanishedError,
)
from vaultmem.index.look import FRESH_NS
from vaultmem.vault import Vault
from vaultmem_daemon.debounce import Batch
from vaultmem_daemon.report import Did, WatchReport, changes

Say = Callable[[WatchReport], None]


@dataclass(frozen=True, slots=True)
class Timing:
    """How often a watcher looks at what no event tells; seconds."""

    check_s: float = 1.0
    """Is the vault's folder there, and do events still come?"""
    net_s: float = 60.0
    """Between two comparisons of all files while events come; more for a vault so large that this would be felt."""
    poll_s: float = 2.0
    """Between two comparisons where no events come."""
    settle_s: float = FRESH_NS / 1e9 + 0.2
    """After an edit: from now on its stat data prove that the file has not changed since it was read."""
    again_s: float = 5.0
    """Before something that failed is tried again."""
    asked_s: float = 10.0
    """Between two looks whether notes that had disappeared are back, or their removal accepted."""
    one_loss_s: float = 60.0
    """Notes that go within this time count as going at once (P11)."""
    restart_s: float = 1.0
    """Before the first restart of a dead observer; doubled for each further one, up to a minute."""
    heard_s: float = 2.0
    """An event that is later than this after its change was lost."""
    net_share: float = 1 / 200
    """The part of its time that a watcher spends comparing all files, at most, while events come."""
    poll_share: float = 1 / 25
    """The same where no events come."""


class Removals:
    """Notes that went lately: a disk that goes away in small steps goes away all the same (P11)."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._gone: deque[tuple[float, int]] = deque()

    def add(self, paths: Sequence[str], now: float) -> None:
        """Notes among ``paths`` were taken out of the index."""
        notes = sum(path.lower().endswith(".md") for path in paths)
        if notes:
            self._gone.append((now, notes))

    def lately(self, now: float) -> int:
        """How many notes went within the span before ``now``."""
        while self._gone and self._gone[0][0] < now - self._span_s:
            self._gone.popleft()
        return sum(notes for _, notes in self._gone)

    def forget(self) -> None:
        """They were meant."""
        self._gone.clear()


class Upkeep:
    """Keeps one index up. Times are seconds of a clock that only goes forward."""

    def __init__(self, vault: Vault, say: Say, timing: Timing) -> None:
        self._vault = vault
        self._say = say
        self._timing = timing
        self._removals = Removals(timing.one_loss_s)
        self._share = timing.net_share
        self._net_s = timing.net_s
        self._full_took = 0.0
        self._net_at = 0.0
        self._retry_at: float | None = None
        self._unsettled: dict[str, None] = {}
        self._settle_at: float | None = None
        self._faulty: dict[str, None] = {}
        self._said = ""
        self._noted = ""
        self.refused = False
        """Most notes are gone from disk; nothing is taken in until that is cleared up."""

    def poll(self, polling: bool) -> None:
        """Says whether no events come, so that all files have to be compared every few seconds."""
        self._share = self._timing.poll_share if polling else self._timing.net_share
        self._net_s = self._timing.poll_s if polling else self._timing.net_s

    @property
    def is_up(self) -> bool:
        """Whether nothing is known to be missing from the index."""
        return not (self.refused or self._retry_at is not None or self._faulty)

    def due(self) -> float:
        """When there is something to do though no event came."""
        own = self._retry_at if self._retry_at is not None else self._net_at
        return min(own, self._settle_at) if self._settle_at is not None else own

    def catch_up(self, now: float) -> tuple[str, ...]:
        """Does what is due by itself; returns the paths in which a comparison of all files found something new
        that no event had told."""
        if self._retry_at is not None and self._retry_at <= now:
            self.compare(now)
        elif self._retry_at is None and self._net_at <= now:
            answer = None if self._is_up(now) else self.compare(now)
            if answer is not None:
                moved = (path for pair in answer.moved for path in pair)
                return (*answer.added, *answer.changed, *answer.removed, *moved)
        elif self._settle_at is not None and self._settle_at <= now:
            self._settle(now)
        return ()

    def _is_up(self, now: float) -> bool:
        """Whether a comparison of all files finds nothing to do: then it writes nothing, either. Raises
        VaultVanishedError."""
        began = perf_counter()
        try:
            up = self._vault.is_up()
        except VaultVanishedError:
            raise
        except (VaultmemError, OSError):
            return False  # a sync will say what is wrong, and mend what can be mended
        if up:
            self._plan_net(now, perf_counter() - began)
        return up

    def _plan_net(self, now: float, took: float) -> None:
        self._net_at = now + max(self._net_s, took / self._share)

    def bring_in(self, batch: Batch, now: float) -> None:
        """Takes a batch into the index. Raises VaultVanishedError."""
        if batch.everything or self.refused or self._retry_at is not None:
            self.compare(now)
        else:
            self._some(batch.paths, now)

    def compare(self, now: float) -> SyncAnswer | None:
        """Compares all files and takes in what is new; None when that did not work. Raises VaultVanishedError."""
        self._net_at = now + self._net_s
        try:
            answer = self._vault.sync(already_removed=self._removals.lately(now))
        except VaultVanishedError:
            raise
        except LockedError:
            self._again(now, self._timing.check_s)
        except RefusedError as error:
            self._refuse(error, now)
        except (VaultmemError, OSError) as error:
            self._fail(str(error), now)
        except Exception as error:  # noqa: BLE001 - a fault in one note's reading must not end the watch
            self._fail(f"Comparing the files failed: {error!r}.", now)
        else:
            self._full_took = answer.seconds
            self._plan_net(now, answer.seconds)
            self._faulty.clear()
            self._whole()
            self._taken(answer, now)
            return answer
        return None

    def _whole(self) -> None:
        self._retry_at = None
        self._said = ""
        if self.refused:
            self.refused = False
            self._removals.forget()
            self._say(WatchReport(Did.RESUMED, "The notes are accounted for; watching goes on."))

    def _some(self, paths: Sequence[str], now: float) -> None:
        try:
            answer = self._vault.sync_paths(paths, already_removed=self._removals.lately(now))
        except VaultVanishedError:
            raise
        except LockedError:
            self._again(now, self._timing.check_s)
        except RefusedError as error:
            self._refuse(error, now)
        except IndexDamagedError:
            self.compare(now)
        except (VaultmemError, OSError) as error:
            self._fail(str(error), now)
        except Exception as error:  # noqa: BLE001 - the other files of the batch can still be taken in
            self._one_by_one(paths, error, now)
        else:
            if answer is None:
                self.compare(now)
            else:
                for path in paths:
                    self._faulty.pop(path, None)
                self._taken(answer, now)

    def _one_by_one(self, paths: Sequence[str], error: Exception, now: float) -> None:
        if len(paths) > 1:
            for path in paths:
                self._some((path,), now)
            return
        self._faulty[paths[0]] = None
        self._warn(f"{paths[0]} could not be taken in: {error!r}.")

    def _settle(self, now: float) -> None:
        """Looks once more at files that changed a moment ago: now their stat data can be trusted, and the next
        comparison need not read them again."""
        paths, self._settle_at = tuple(self._unsettled), None
        self._unsettled.clear()
        if not self.is_up:
            return
        if paths:
            self._some(paths, now)
        try:
            self._vault.tidy()
        except VaultmemError as error:
            self._fail(str(error), now)
        if review_path(self._vault.settings.memory.root) in paths:
            self._decide()

    def _decide(self) -> None:
        """Carries out what a person has just ticked in the review note; it was saved long enough ago to be written."""
        from vaultmem_daemon.dreaming.reviews import Reviews

        try:
            done = Reviews(self._vault, time_ns).take_decisions()
        except VaultmemError as error:
            self._warn(f"The review note: {error}")
            return
        for title, event in done.applied:
            self._say(WatchReport(Did.DECIDED, f"As you ticked: {title} (vaultmem undo {event})."))
        for title in done.rejected:
            self._say(WatchReport(Did.DECIDED, f"Not to be proposed again: {title}."))
        for title in done.settled:
            self._say(WatchReport(Did.DECIDED, f"Ticked off: {title}."))
        for title in done.void:
            self._warn(f"{title}: a note changed after this was proposed, so it was not done.")
        for title, why in done.failed:
            self._warn(f"{title}: {why}")
        for warning in done.warnings:
            self._warn(warning)

    def _taken(self, answer: SyncAnswer, now: float) -> None:
        """Says what was taken in and notes what follows from it."""
        if answer.note and answer.note != self._noted:
            self._warn(answer.note)
        self._noted = answer.note
        report = changes(answer)
        if report is None:
            return
        self._removals.add(answer.removed, now)
        here = (*answer.added, *answer.changed, *(to for _, to in answer.moved))
        self._unsettled.update(dict.fromkeys(here))
        self._settle_at = now + self._timing.settle_s
        self._say(report)

    def _refuse(self, error: RefusedError, now: float) -> None:
        self._again(now, self._timing.asked_s)
        if not self.refused:
            self.refused = True
            hint = "Bring the files back, or run `vaultmem sync --accept-removals`; until then nothing is taken in."
            self._say(WatchReport(Did.REFUSED, f"{error.message} {hint}"))

    def _fail(self, message: str, now: float) -> None:
        self._again(now, self._timing.again_s)
        if message != self._said:
            self._said = message
            self._warn(message)

    def _again(self, now: float, pause_s: float) -> None:
        self._retry_at = now + max(pause_s, self._full_took / self._timing.poll_share)

    def _warn(self, message: str) -> None:
        self._say(WatchReport(Did.WARNED, message))
