"""The edits of a cycle as their events tell them: each holds what was decided, so that a cycle which was cut off before
it could report is told and remembered all the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.proposal import Operation, Proposal, StageName
from vaultmem.dream.report import DecisionRecord, Outcome
from vaultmem.files.events import JsonValue, MemoryEvent
from vaultmem.files.journal import Journal

DECISION: Final = "decision"
"""In the ``extra`` of an event of a cycle: the proposal that was carried out, without its texts."""
MARK: Final = f'"{DECISION}":'.encode()
"""Stands in the line of such an event."""


@dataclass(frozen=True, slots=True)
class CycleEdit:
    """An edit that a cycle made."""

    event: MemoryEvent
    decision: DecisionRecord
    counted: str
    """What it is one more of, where there may be so many in a cycle."""
    rejected_as: str
    rejected_on: Mapping[str, str]
    """As what, and on what, it counts as rejected when it is undone."""


def decision_of(proposal: Proposal) -> dict[str, JsonValue]:
    """What an event keeps of the proposal."""
    return {
        "proposal": proposal.id,
        "stage": str(proposal.stage),
        "operation": str(proposal.operation),
        "counted": proposal.counted,
        "rejected_as": proposal.rejected_as,
        "rejected_on": dict(proposal.rejected_on),
        "title": proposal.title,
        "reason": proposal.reason,
        "confidence": proposal.confidence,
        "decided_by": proposal.decided_by,
        "keeper": proposal.keeper,
        "inputs": dict(proposal.inputs),
        "figures": dict(proposal.figures),
    }


def edits_of(journal: Journal, cycle: str) -> list[CycleEdit]:
    """The edits of the cycle, in the order in which they were made."""
    found = (
        edit_of(event)
        for event in journal.backward(lambda line: MARK in line)
        if event.cycle == cycle
    )
    return [edit for edit in found if edit is not None][::-1]


def edits_among(journal: Journal, events: Collection[str]) -> list[CycleEdit]:
    """Those of the events that a cycle made, on whatever device, the newest first."""
    if not events:
        return []
    found = (edit_of(e) for e in journal.backward(lambda line: MARK in line) if e.id in events)
    return [edit for edit in found if edit is not None]


def edit_of(event: MemoryEvent) -> CycleEdit | None:
    """The edit that the event tells; None where it holds no decision that this version understands."""
    held = event.extra.get(DECISION)
    try:
        if not isinstance(held, Mapping) or not isinstance(inputs := held["inputs"], Mapping):
            return None
        if not isinstance(rejected_on := held.get("rejected_on", inputs), Mapping):
            return None
        figures = held["figures"]
        keeper = str(held["keeper"])
        decision = DecisionRecord(
            proposal=str(held["proposal"]),
            stage=StageName(str(held["stage"])),
            operation=Operation(str(held["operation"])),
            title=str(held["title"]),
            reason=str(held["reason"]),
            outcome=Outcome.APPLIED,
            why="the cycle was cut off after it",
            notes=tuple(dict.fromkeys(filter(None, (keeper, *sorted(inputs))))),
            event=event.id,
            confidence=round(float(str(held["confidence"])), 4),
            decided_by=str(held["decided_by"]),
            figures={
                name: value if isinstance(value, str) else float(str(value))
                for name, value in (figures.items() if isinstance(figures, Mapping) else ())
            },
        )
        return CycleEdit(
            event,
            decision,
            str(held.get("counted", decision.operation)),
            str(held["rejected_as"]),
            {path: str(what) for path, what in rejected_on.items()},
        )
    except (KeyError, ValueError):
        return None
