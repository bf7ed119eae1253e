"""The cycles of the dream as the journal tells them: one event for each part that ended, with its whole report, and the
edits of one that was cut off before it could report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaultmem.daemon_state import DaemonHealth, LastCycle
from vaultmem.errors import NotFoundError
from vaultmem.files.dream_lock import DREAM_LOCK
from vaultmem.files.events import EventKind, JsonValue, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal
from vaultmem.files.lock import is_held
from vaultmem.files.proposals import ProposalFiles

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from vaultmem.cycle_edits import CycleEdit
    from vaultmem.cycle_spending import Spending
    from vaultmem.dream.answers import CycleAnswer, CyclesAnswer, UsageAnswer
    from vaultmem.dream.report import CycleReport, ModelUse
    from vaultmem.judge import Usage

REPORT: Final = "report"
"""In the ``extra`` of an event CYCLE: the report."""
ACTOR: Final = "vaultmem dream"
LAST: Final = "last"
PREFIX: Final = "cycle:"
"""May stand before a cycle's name, as ``undo`` takes it."""
CUT_OFF: Final = "It was cut off before it could report; what it did until then stands."
_TOLD: Final = b'"kind":"cycle"'
_LONGEST_NS: Final = 2 * 86_400 * 1_000_000_000
"""From the begin of a cycle's first part to the end of its last one, at most."""
_SHOWN: Final = 5


def record_cycle(root: Path, report: CycleReport) -> MemoryEvent:
    """Appends the report to the journal, without the diffs. Raises WriteFailed."""
    journal = Journal(root)
    kept = dataclasses.replace(
        report, decisions=tuple(dataclasses.replace(d, diff="") for d in report.decisions)
    )
    told: JsonValue = json.loads(json.dumps(dataclasses.asdict(kept)))
    event = MemoryEvent(
        id=new_event_id(report.ended_ns),
        time_ns=report.ended_ns,
        device=journal.device,
        kind=EventKind.CYCLE,
        actor=ACTOR,
        cause=f"{report.strategy}: {report.state}",
        cycle=report.cycle,
        extra={REPORT: told},
    )
    journal.append(event)
    return event


def cycles(root: Path, *, wanted: str = "") -> Iterator[CycleReport]:
    """The reports of all devices, newest first, read as they are asked for; of the cycle ``wanted`` alone where it is
    named. What cannot be read is left out."""
    for event in Journal(root).backward(lambda line: _TOLD in line and _named(wanted) in line):
        if wanted and event.cycle != wanted:
            continue
        if (report := _report(event)) is not None:
            yield report


def cycle_parts(root: Path, *, wanted: str = "") -> Iterator[CycleReport]:
    """The same, with what is known of a part that was cut off before it could report; not of one that runs now."""
    from vaultmem.cycle_edits import MARK, edit_of

    def is_wanted(line: bytes) -> bool:
        return (_TOLD in line or MARK in line) and _named(wanted) in line

    running = is_held(root / DREAM_LOCK)
    spending = None if running else untold_spending(root)
    if spending is not None and wanted not in ("", spending.cycle):
        spending = None
    untold, told = _Untold(running, spending), set[str]()
    for event in Journal(root).backward(is_wanted):
        if wanted and event.cycle != wanted:
            continue
        report = _report(event)
        if report is not None:
            yield from untold.ended()
            told.update(decision.event for decision in report.decisions)
            yield report
        elif event.id not in told and (edit := edit_of(event)) is not None:
            if untold.edits and untold.edits[0].event.cycle != event.cycle:
                yield from untold.ended()
            untold.edits.append(edit)
    yield from untold.ended()


@dataclasses.dataclass(slots=True)
class _Untold:
    """What the journal, read backward, tells of a part of a cycle before it comes to a report."""

    running: bool
    spending: Spending | None
    edits: list[CycleEdit] = dataclasses.field(default_factory=list)
    """Newest first, of one cycle."""

    def ended(self) -> Iterator[CycleReport]:
        """The part, if there is anything of it; what is read from now on is of others."""
        spending = self.spending
        if self.edits and spending is not None and spending.cycle != self.edits[0].event.cycle:
            spending = None
        if (self.edits or spending is not None) and not self.running:
            yield cut_off_report(self.edits[::-1], spending)
        if spending is not None:
            self.spending = None
        self.edits, self.running = [], False


def cut_off_report(edits: Sequence[CycleEdit], spending: Spending | None) -> CycleReport:
    """What is known of a part of a cycle that has no report, of its edits and what it took from a model: one of both is
    there."""
    from vaultmem.dream.report import CycleReport, CycleState, ModelUse, Strategy

    cycle = edits[0].event.cycle if edits else spending.cycle if spending is not None else ""
    times = [edit.event.time_ns for edit in edits]
    times += [spending.began_ns] if spending is not None else []
    return CycleReport(
        cycle=cycle or "",
        strategy=Strategy.CONSOLIDATE,
        why_strategy="",
        state=CycleState.FAILED,
        began_ns=min(times),
        ended_ns=max(times),
        notes=0,
        changed=0,
        decisions=tuple(edit.decision for edit in edits),
        model=ModelUse() if spending is None else use_of(spending.usage, spending.model),
        said=(CUT_OFF,),
    )


def use_of(usage: Usage, model: str, note: str = "") -> ModelUse:
    """What a model was asked, as a report tells it."""
    from vaultmem.dream.report import ModelUse

    return ModelUse(
        model=model,
        calls=usage.calls,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=usage.cost,
        failures=usage.failures,
        seconds=round(usage.seconds, 3),
        note=note,
    )


def untold_spending(root: Path) -> Spending | None:
    """What a cycle of this device took from a model that no report tells, since it was killed."""
    from vaultmem.cycle_spending import SpendingFile

    kept = SpendingFile(root).load()
    if kept is None or any(
        part.began_ns == kept.began_ns for part in cycles(root, wanted=kept.cycle)
    ):
        return None
    return kept


def last_cycle(root: Path) -> LastCycle | None:
    """The cycle that ended last, whoever ran it, in short; None when there was none. Quick: for every status."""
    parts: list[tuple[MemoryEvent, Mapping[str, JsonValue]]] = []
    for event in Journal(root).backward(lambda line: _TOLD in line):
        told = event.extra.get(REPORT)
        if event.kind is not EventKind.CYCLE or not isinstance(told, Mapping):
            continue
        if parts and event.cycle != parts[0][0].cycle:
            break
        parts.append((event, told))
    if not parts:
        return None
    event, told = parts[0]
    decided = [
        (each.get("outcome"), each.get("proposal"))
        for _, part in parts
        for each in _mappings(part.get("decisions"))
    ]
    return LastCycle(
        cycle=event.cycle or "",
        night=(event.cycle or "").partition(".")[0],
        state=str(told.get("state", "")),
        strategy=str(told.get("strategy", "")),
        began_ns=_whole(parts[-1][1].get("began_ns")),
        ended_ns=event.time_ns,
        applied=sum(outcome == "applied" for outcome, _ in decided),
        waiting=len({proposal for outcome, proposal in decided if outcome == "waiting"}),
    )


def as_the_journal_tells(health: DaemonHealth, root: Path) -> DaemonHealth:
    """What the daemon says of itself, with the last cycle as the journal has it: others may run one, too."""
    last, told = last_cycle(root), health.last_cycle
    if last is None:
        return health
    if told is None or told.ended_ns < last.ended_ns:
        told = last
    elif told.cycle == last.cycle:
        # The daemon tells of the part that it ran; the cycle may have had others.
        told = dataclasses.replace(told, applied=last.applied, began_ns=last.began_ns)
    # What the cycle left to a person may be decided by now, and older proposals wait beside it.
    return dataclasses.replace(
        health, last_cycle=dataclasses.replace(told, waiting=ProposalFiles(root).count())
    )


def _named(cycle: str) -> bytes:
    """What a line that tells of the cycle holds."""
    return json.dumps(cycle, ensure_ascii=False).encode() if cycle else b""


def _report(event: MemoryEvent) -> CycleReport | None:
    """The report that the event holds; None for another event, and for what cannot be read."""
    from pydantic import ValidationError

    if event.kind is not EventKind.CYCLE:
        return None
    try:
        return _adapter().validate_python(event.extra.get(REPORT))
    except ValidationError:
        return None


@cache
def _adapter() -> TypeAdapter[CycleReport]:
    from pydantic import TypeAdapter

    from vaultmem.dream.report import CycleReport

    return TypeAdapter(CycleReport)


def _mappings(told: JsonValue) -> list[Mapping[str, JsonValue]]:
    return [each for each in told if isinstance(each, Mapping)] if isinstance(told, list) else []


def _whole(told: JsonValue) -> int:
    return told if isinstance(told, int) else 0


def cycle_names(root: Path, day: str) -> set[str]:
    """The names of the cycles of that day that changed something or ended, on every device."""
    needle = b'"cycle":"' + day.encode()
    events = Journal(root).backward(lambda line: needle in line)
    return {event.cycle for event in events if event.cycle}


def undone_events(root: Path) -> frozenset[str]:
    """The ids of the events that were taken back and still are."""
    undone: set[str] = set()
    for event in Journal(root).backward(lambda line: b'"undoes":' in line):  # newest first
        if event.id not in undone:
            undone.update(event.undone)
    return frozenset(undone)


def explain_cycle(root: Path, word: str, proposal: str = "") -> CycleAnswer:
    """All that a cycle decided, by its name or ``last``; with the beginning of a proposal's id that decision alone.
    Raises NotFoundError with close names."""
    from dataclasses import replace

    from vaultmem.dream.answers import cycle_answer

    name = word.strip().removeprefix(PREFIX)
    if name == LAST:
        newest = next(cycle_parts(root), None)
        if newest is None:
            raise NotFoundError(
                "No cycle has run on this vault yet.", hint="`vaultmem dream run` runs one."
            )
        name = newest.cycle
    reports = list(cycle_parts(root, wanted=name)) if name else []
    if not reports:
        known = dict.fromkeys(report.cycle for report in islice(cycle_parts(root), 4 * _SHOWN))
        shown = ", ".join(list(known)[:_SHOWN])
        raise NotFoundError(
            f"There is no cycle {name!r}.", hint=f"The last ones: {shown}" if shown else ""
        )
    answer = cycle_answer(reports, undone_events(root))
    if not proposal:
        return answer
    begin = proposal.strip().removeprefix("^").removeprefix("r-").casefold()
    found = tuple(each for each in answer.decisions if begin and each.proposal.startswith(begin))
    if not found:
        raise NotFoundError(
            f"The cycle {name} decided about no proposal {begin!r}.",
            hint=f"`vaultmem dream explain {name}` shows all.",
        )
    return replace(answer, decisions=found)


def last_cycles(root: Path, limit: int) -> CyclesAnswer:
    """The newest ``limit`` cycles of all devices, a line each."""
    from vaultmem.dream.answers import CyclesAnswer, cycle_lines

    found: dict[str, list[CycleReport]] = {}
    for part in cycle_parts(root):
        if part.cycle not in found and len(found) > limit:
            if part.ended_ns < min(parts[-1].ended_ns for parts in found.values()) - _LONGEST_NS:
                break
            continue
        found.setdefault(part.cycle, []).append(part)
    shown = list(found.values())[:limit]
    return CyclesAnswer(tuple(cycle_lines(shown, undone_events(root))), len(found) > limit)


def usage_of(root: Path, since_ns: int | None) -> UsageAnswer:
    """What models cost, in cycles that ended since then; since ever for None."""
    from vaultmem.dream.answers import usage_answer

    ended: dict[str, int] = {}
    parts = (
        part
        for part in cycle_parts(root)
        if since_ns is None or ended.setdefault(part.cycle, part.ended_ns) >= since_ns
    )
    return usage_answer(parts, since_ns)
