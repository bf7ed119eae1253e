"""The end of a cycle: the review note with what waits, and the day's digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo

from vaultmem.cycles import ACTOR
from vaultmem.dream.digest_note import digest_path, render_digest
from vaultmem.dream.naming import Links
from vaultmem.dream.parts import whole_cycle
from vaultmem.dream.proposal import Proposal
from vaultmem.dream.report import CycleReport, Outcome
from vaultmem.edits.composed import Composed
from vaultmem.errors import FailedError, RefusedError
from vaultmem.files.events import FOLLOWS, EventKind
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.corpus import read_text, vault_paths
from vaultmem_daemon.dreaming.reviews import Reviews


class Closing:
    """Writes the dream's own notes."""

    def __init__(self, vault: Vault, reviews: Reviews, *, zone: tzinfo | None) -> None:
        self._vault = vault
        self._reviews = reviews
        self._zone = zone

    def offer(self, waiting: Sequence[Proposal]) -> tuple[list[Proposal], str]:
        """Those that could not be kept, and why where that was no want of room: they are to be proposed again."""
        try:
            return self._reviews.offer(waiting), ""
        except (RefusedError, FailedError) as error:
            return list(waiting), f"What waits for you could not be kept: {error}"

    def write_notes(self, report: CycleReport, earlier: Sequence[CycleReport] = ()) -> CycleReport:
        """The report with the paths of the notes. ``earlier`` are those of earlier parts of the same cycle: it is told
        as one, in the digest of the day on which it began. That one could not be written is said in it: the night's work is
        done all the same."""
        try:
            review = self._reviews.refresh(cycle=report.cycle, follows=_made(report))
            waits = len(self._reviews.waiting())
            report = replace(report, review=review if waits else "", waits=waits)
        except (RefusedError, FailedError) as error:
            report = replace(report, said=(*report.said, f"The review note: {error}"))
        whole = whole_cycle([*earlier, report])
        if not has_something_to_tell(whole):
            return report
        try:
            return replace(report, digest=self._write_digest(whole))
        except (RefusedError, FailedError) as error:
            return replace(report, said=(*report.said, f"The digest was not written: {error}"))

    def _write_digest(self, report: CycleReport) -> str:
        day = self._day(report.began_ns)
        path = digest_path(self._vault.settings.memory.root, day)
        report = replace(report, digest=path)
        note = read_text(self._vault.root, path)
        zone = self._zone or datetime.now().astimezone().tzinfo
        assert zone is not None
        text = render_digest(
            report,
            note.text if note else None,
            zone=zone,
            link_of=Links(vault_paths(self._vault)).to,
            day=day,
        )
        if note is not None and note.text == text:
            return path
        told = {FOLLOWS: _made(report)}
        wanted = (
            Composed(read={}, made={path: text}, told=told)
            if note is None
            else Composed(read={path: note.hash}, texts={path: text}, told=told)
        )
        self._vault.edits.apply(
            wanted,
            kind=EventKind.UPDATED if note else EventKind.CREATED,
            by=f"{ACTOR}: digest",
            why=f"what happened in the cycle {report.cycle}",
            cycle=report.cycle,
        )
        return path

    def _day(self, time_ns: int) -> date:
        return datetime.fromtimestamp(time_ns / 1e9, self._zone).date()


def _made(report: CycleReport) -> list[str]:
    """The events of the cycle's edits: the notes that tell of them only follow."""
    return [decision.event for decision in report.of(Outcome.APPLIED) if decision.event]


def has_something_to_tell(report: CycleReport) -> bool:
    """Whether a person would miss the digest. One night after the other in which nothing happened leaves no notes."""
    return bool(
        report.decisions or report.changed or report.alarms or report.said or report.suspects
    )
