"""The cycles of the dream as the journal tells them: one event for each that ended, with its whole report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaultmem.daemon_state import LastCycle
from vaultmem.errors import NotFoundError
from vaultmem.files.events import EventKind, JsonValue, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal

if TYPE_CHECKING:
    from vaultmem.dream.answers import CycleAnswer, CyclesAnswer, UsageAnswer
    from vaultmem.dream.report import CycleReport

REPORT: Final = "report"
"""In the ``extra`` of an event CYCLE: the report."""
ACTOR: Final = "vaultmem dream"
LAST: Final = "last"
PREFIX: Final = "cycle:"
"""May stand before a cycle's name, as ``undo`` takes it."""
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
    from pydantic import TypeAdapter, ValidationError

    from vaultmem.dream.report import CycleReport

    adapter = TypeAdapter(CycleReport)
    needle = json.dumps(wanted, ensure_ascii=False).encode() if wanted else b""
    for event in Journal(root).backward(lambda line: b'"kind":"cycle"' in line and needle in line):
        if event.kind is not EventKind.CYCLE or (wanted and event.cycle != wanted):
            continue
        try:
            yield adapter.validate_python(event.extra.get(REPORT))
        except ValidationError:
            continue


def last_cycle(root: Path) -> LastCycle | None:
    """The cycle that ended last, whoever ran it, in short; None when there was none. Quick: for every status."""
    for event in Journal(root).backward(lambda line: b'"kind":"cycle"' in line):
        told = event.extra.get(REPORT)
        if event.kind is not EventKind.CYCLE or not isinstance(told, Mapping):
            continue
        outcomes = [each.get("outcome") for each in _mappings(told.get("decisions"))]
        return LastCycle(
            cycle=event.cycle or "",
            night=(event.cycle or "").partition(".")[0],
            state=str(told.get("state", "")),
            strategy=str(told.get("strategy", "")),
            began_ns=_whole(told.get("began_ns")),
            ended_ns=event.time_ns,
            applied=outcomes.count("applied"),
            waiting=outcomes.count("waiting"),
        )
    return None


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
        newest = next(cycles(root), None)
        if newest is None:
            raise NotFoundError(
                "No cycle has run on this vault yet.", hint="`vaultmem dream run` runs one."
            )
        name = newest.cycle
    reports = list(cycles(root, wanted=name)) if name else []
    if not reports:
        known = dict.fromkeys(report.cycle for report in islice(cycles(root), 4 * _SHOWN))
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

    found = list(islice(cycles(root), limit + 1))
    lines = tuple(cycle_lines(found[:limit], undone_events(root)))
    return CyclesAnswer(lines, len(found) > limit)


def usage_of(root: Path, since_ns: int | None) -> UsageAnswer:
    """What models cost, in cycles that ended since then; since ever for None."""
    from vaultmem.dream.answers import usage_answer

    reports = (r for r in cycles(root) if since_ns is None or r.ended_ns >= since_ns)
    return usage_answer(reports, since_ns)
