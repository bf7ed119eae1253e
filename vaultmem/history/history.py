"""What the journal tells of a vault. Composes: what is planned and what is read is done next door."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import ClassVar, Final

from vaultmem.errors import FailedError, RefusedError, UsageError, VaultmemError
from vaultmem.files.changes import apply_changes
from vaultmem.files.events import FileChange, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.files.patience import Patience
from vaultmem.files.refusals import WriteRefused
from vaultmem.files.targets import WriteRules
from vaultmem.history.answers import (
    Collected,
    DiffAnswer,
    HistoryAnswer,
    Proof,
    UndoConflict,
    UndoReport,
    VersionView,
)
from vaultmem.history.choose import Chosen, choose
from vaultmem.history.collect import DAY_NS, collect
from vaultmem.history.entries import Undone, answer, entry_of_note, entry_of_vault
from vaultmem.history.moments import version_at
from vaultmem.history.names import gone_path
from vaultmem.history.netdiff import about, net_changes, shown, with_disk
from vaultmem.history.proof import Prover
from vaultmem.history.stored import Stored
from vaultmem.history.times import parse_time, shown_time
from vaultmem.history.trail import latest_path, trail
from vaultmem.history.undoplan import UndoPlan, plan_undo

_CLOCKS_NS: Final = DAY_NS
"""By how much a clock may have been set back: so much more of the journal is looked at."""

_ALL_MINE: Final = "All that it changed is on lines that were edited since, or next to them."


class UndoRefused(RefusedError):  # noqa: N818 - a decision, not a fault
    """Something came after the events, so nothing was undone; ``report`` says what, with diffs."""

    exit_code: ClassVar[int] = 4

    def __init__(self, report: UndoReport) -> None:
        first = report.conflicts[0]
        more = len(report.conflicts) - 1
        rest = f" And {more} more of that kind." if more else ""
        hint = ""
        if any(conflict.keep_mine for conflict in report.conflicts):
            hint = "With --keep-mine, what was changed since stays and all else is undone."
        reason = f"{first.path}: {first.reason}" if first.path not in first.reason else first.reason
        super().__init__(f"Nothing was undone. {reason}{rest}", hint=hint)
        self.report = report


class History:
    """The past of a vault: looking into it, going back in it, proving it.

    ``find`` gives the vault path of a note by name as it is now, or None; ``bring_in`` tells the index which
    paths were written; ``see`` sees to it that the journal tells of hand edits made so far; ``in_use`` gives the hashes
    of versions that are to stay stored whatever events need them; ``fold`` takes case and accents away as search does.
    """

    def __init__(
        self,
        root: Path,
        *,
        keep_days: int,
        clock_ns: Callable[[], int],
        rules: WriteRules,
        find: Callable[[str], str | None],
        bring_in: Callable[[Sequence[str]], None],
        see: Callable[[], object] = lambda: None,
        in_use: Callable[[], Collection[bytes]] = frozenset,
        fold: Callable[[str], str] = str.casefold,
        zone: tzinfo | None = None,
    ) -> None:
        self._root = root
        self._keep_days = keep_days
        self._clock_ns = clock_ns
        self._rules = rules
        self._find = find
        self._bring_in = bring_in
        self._see = see
        self._in_use = in_use
        self._fold = fold
        self._zone = zone
        self._journal = Journal(root)

    # -- looking back ------------------------------------------------------------------------------------------

    def history(self, name: str | None = None, *, limit: int | None = 50) -> HistoryAnswer:
        """The events of a note, newest first, under every name it had; without a name the vault's latest.

        A note that is gone is found by the path or name that the journal knows. Raises NoteNotFoundError and,
        when several are meant, UsageError.
        """
        if limit is not None and limit < 1:
            raise UsageError(f"A limit of {limit} leaves nothing to show.", hint="Use 1 or more.")
        stored = Stored(self._root)
        undone = Undone()
        if name is None:
            entries = (entry_of_vault(event, stored, undone) for event in self._all(undone))
            return answer(None, True, entries, limit)
        path, exists = self._path_of(name)
        undone.read(self._journal)
        steps = trail(self._journal, path)
        return answer(path, exists, (entry_of_note(step, stored, undone) for step in steps), limit)

    def _all(self, undone: Undone) -> Iterator[MemoryEvent]:
        for event in self._journal.backward():
            undone.see(event)
            yield event

    def at(self, name: str, when: str) -> VersionView:
        """The note as it was at the time, in the words of ``parse_time``: at the end of a day, or of a second.

        Raises NotFoundError when it was not there then, RefusedError when that version was not kept.
        """
        moment = min(parse_time(when, self._now, self._zone).last, self._now)
        path, _ = self._path_of(name)
        steps = list(trail(self._journal, path))
        return version_at(path, steps, moment, Stored(self._root), self._shown)

    def diff(
        self,
        since: str | None = None,
        *,
        until: str | None = None,
        subject: str = "",
        by: str = "",
    ) -> DiffAnswer:
        """The net change of each file since then (default: the last 24 hours), in order of path.

        ``subject`` keeps the files and hunks that mention it, ``by`` the changes of that actor. Raises UsageError
        for a time that is none.
        """
        now = self._now
        first = now - DAY_NS if since is None else parse_time(since, now, self._zone).first
        last = now if until is None else parse_time(until, now, self._zone).last
        if last < first:
            raise UsageError(f"{until!r} is before {since or 'the last 24 hours'!r}.")
        actor = self._fold(by)
        events = self._between(first, last)
        nets = net_changes(events, lambda event: actor in self._fold(event.actor))
        stored = Stored(self._root)
        if until is None and not by:
            nets = [with_disk(net, stored) for net in nets]
        diffs = [(net, diff) for net in nets if (diff := shown(net, stored)) is not None]
        kept = about(diffs, subject, self._fold) if subject else (diff for _, diff in diffs)
        files = tuple(sorted(kept, key=lambda diff: (diff.path, diff.events)))
        return DiffAnswer(first, last, subject, by, files)

    def _between(self, first: int, last: int) -> list[MemoryEvent]:
        """The events of that time, oldest first; only the end of the journal is read."""
        found = []
        for event in self._journal.backward():
            if event.time_ns < first - _CLOCKS_NS:
                break
            if first <= event.time_ns <= last:
                found.append(event)
        return found[::-1]

    # -- going back --------------------------------------------------------------------------------------------

    def undo(
        self,
        events: Sequence[str],
        *,
        keep_mine: bool = False,
        dry_run: bool = False,
        by: str = "vaultmem",
    ) -> UndoReport:
        """What was taken back, all of it or nothing, as one event that can itself be taken back.

        ``events`` are ids, beginnings of ids, ``last``, or names of cycles. With ``keep_mine``, what a hand edited,
        moved or removed since stays and the rest is undone. Raises NotFoundError and UsageError for words that mean no event,
        RefusedError for one that is undone already, UndoRefused when something came after, and as
        ``apply_changes``.
        """
        if not events:
            raise UsageError("Say which event is to be undone.", hint="Or: vaultmem undo last")
        with suppress(
            RefusedError, FailedError
        ):  # what a hand edited shows in its bytes all the same
            self._see()
        chosen = choose(self._journal, events)
        wanted = _standing(chosen)
        patience = Patience(self._root, self._rules)
        while True:
            plan = plan_undo(
                self._root, Stored(self._root), chosen, wanted, keep_mine=keep_mine, actor=by
            )
            report = _report(plan, wanted, dry_run)
            if report.conflicts:
                raise UndoRefused(report)
            if dry_run or plan.is_empty:
                return report
            try:
                done = apply_changes(self._root, plan.changes, rules=self._rules)
            except WriteRefused as refusal:
                patience.wait(refusal)
                continue
            if done is None:
                return report
            note = self._indexed(_touched(done.changes))
            return replace(report, done=True, event=done.id, note=note)

    def _indexed(self, paths: Sequence[str]) -> str:
        """Brings the index up. The bytes are on the disk whatever comes of it, so an error is a note."""
        try:
            self._bring_in(paths)
        except VaultmemError as error:
            return f"It is undone; the index does not have it yet: {error}"
        return ""

    # -- proving and letting go --------------------------------------------------------------------------------

    def prove(self) -> Proof:
        """Replays every receipt against the stored versions and the files."""
        used: Collection[bytes] = ()
        with suppress(RefusedError, FailedError):  # the journal can be replayed without an index
            used = self._in_use()
        return Prover(self._root, self._journal, Stored(self._root), used).run()

    def gc(
        self, keep_days: int | None = None, *, dry_run: bool = False, by: str = "vaultmem"
    ) -> Collected:
        """Removes versions that only events older than ``keep_days`` need (default: the setting
        ``history.keep_days``; 0: none), and those that no event names. Raises LockedError, UsageError."""
        days = self._keep_days if keep_days is None else keep_days
        if days < 0:
            raise UsageError(f"{days} days cannot be kept.", hint="Use 0 (for ever) or more.")
        with suppress(RefusedError, FailedError):
            self._see()
        return collect(
            self._root,
            self._journal,
            keep_days=days,
            now_ns=self._now,
            dry_run=dry_run,
            actor=by,
            in_use=self._in_use,
        )

    # -- small things ------------------------------------------------------------------------------------------

    @property
    def _now(self) -> int:
        return self._clock_ns()

    def _shown(self, time_ns: int) -> str:
        return shown_time(time_ns, self._zone)

    def _path_of(self, name: str) -> tuple[str, bool]:
        """The vault path of the note that is meant, and whether it is there now."""
        found = self._find(name)
        if found is not None:
            return found, True
        path = latest_path(self._journal, gone_path(self._journal, name))
        return path, Stored(self._root).on_disk(path) is not None


def _standing(chosen: Chosen) -> list[MemoryEvent]:
    """The chosen events, without those of a cycle that were undone one by one. Raises RefusedError for one that is
    undone already."""
    ids = {event.id for event in chosen.events}
    standing = []
    for event in chosen.events:
        by = chosen.undone_by.get(event.id)
        if not event.changes:
            if event.id not in chosen.optional:
                raise UsageError(f"The event {event.id} changed no file: there is nothing to undo.")
        elif by is None or by in ids:
            standing.append(event)
        elif event.id not in chosen.optional:
            raise _already(event.id, by)
    if not standing:
        first = chosen.events[0].id
        raise _already(first, chosen.undone_by.get(first, ""))
    return standing


def _already(event: str, by: str) -> RefusedError:
    return RefusedError(
        f"The event {event} is already undone by {by}.",
        hint=f"To have it again: vaultmem undo {by}",
    )


def _report(plan: UndoPlan, events: Sequence[MemoryEvent], dry_run: bool) -> UndoReport:
    conflicts = list(plan.conflicts)
    held = [file for file in plan.files if file.kept or file.action == "left"]
    if plan.is_empty and held and not conflicts:
        conflicts = [
            UndoConflict(file.path, events[0].id, file.note or _ALL_MINE, False, ())
            for file in held
        ]
    undone = tuple(event.id for event in events)
    files = () if conflicts else plan.files
    return UndoReport(False, dry_run, None, undone, files, tuple(conflicts))


def _touched(changes: Sequence[FileChange]) -> list[str]:
    return sorted({path for change in changes for path in (change.path, change.final_path)})
