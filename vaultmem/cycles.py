"""The cycles of the dream as the journal tells them: one event for each that ended, with its whole report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaultmem.files.events import EventKind, JsonValue, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal

if TYPE_CHECKING:
    from vaultmem.dream.report import CycleReport

REPORT: Final = "report"
"""In the ``extra`` of an event CYCLE: the report."""
ACTOR: Final = "vaultmem dream"


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


def cycle_names(root: Path, day: str) -> set[str]:
    """The names of the cycles of that day that changed something or ended, on every device."""
    needle = b'"cycle":"' + day.encode()
    events = Journal(root).backward(lambda line: needle in line)
    return {event.cycle for event in events if event.cycle}
