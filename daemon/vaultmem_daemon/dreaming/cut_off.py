"""The edits of a cycle that was killed before it could report: each event holds what was decided, so that they are told
and remembered all the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.proposal import Operation, Proposal, StageName
from vaultmem.dream.report import DecisionRecord, Outcome
from vaultmem.files.events import JsonValue, MemoryEvent
from vaultmem.files.journal import Journal

DECISION: Final = "decision"
"""In the ``extra`` of an event of a cycle: the proposal that was carried out, without its texts."""


@dataclass(frozen=True, slots=True)
class Untold:
    """An edit that no report tells of."""

    event: MemoryEvent
    decision: DecisionRecord
    rejected_as: str
    inputs: Mapping[str, str]


def decision_of(proposal: Proposal) -> dict[str, JsonValue]:
    """What an event keeps of the proposal."""
    return {
        "proposal": proposal.id,
        "stage": str(proposal.stage),
        "operation": str(proposal.operation),
        "rejected_as": proposal.rejected_as,
        "title": proposal.title,
        "reason": proposal.reason,
        "confidence": proposal.confidence,
        "decided_by": proposal.decided_by,
        "keeper": proposal.keeper,
        "inputs": dict(proposal.inputs),
        "figures": dict(proposal.figures),
    }


def untold_edits(journal: Journal, cycle: str, told: Collection[str]) -> list[Untold]:
    """The edits of the cycle but for the events ``told``, in the order in which they were made."""
    needle = f'"{DECISION}":'.encode()
    found = (
        untold
        for event in journal.backward(lambda line: needle in line)
        if event.cycle == cycle and event.id not in told
        for untold in _untold(event)
    )
    return list(found)[::-1]


def _untold(event: MemoryEvent) -> Iterator[Untold]:
    """One, or none where the event holds no decision that this version understands."""
    held = event.extra.get(DECISION)
    try:
        if not isinstance(held, Mapping) or not isinstance(inputs := held["inputs"], Mapping):
            return
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
        yield Untold(
            event,
            decision,
            str(held["rejected_as"]),
            {path: str(digest) for path, digest in inputs.items()},
        )
    except (KeyError, ValueError):
        return
