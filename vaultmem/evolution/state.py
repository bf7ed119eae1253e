"""What the dream remembers from cycle to cycle, as one text that a store keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeGuard

from vaultmem.evolution.health import BestHealth
from vaultmem.evolution.mutation import CycleRecord, MutationGate, NoteChange
from vaultmem.evolution.rejected import Rejected, RejectedEdits

VERSION: Final = 1


class StateStore(Protocol):
    """Keeps one text."""

    def load(self) -> str | None:
        """The text that was saved last; None when there is none."""

    def save(self, text: str) -> None:
        """Keeps the text in place of the one before."""


@dataclass(frozen=True, slots=True)
class EvolutionState:
    """Best health, rejected edits and the history of loops."""

    best: BestHealth | None = None
    rejected: RejectedEdits = field(default_factory=RejectedEdits)
    mutation: MutationGate = field(default_factory=MutationGate)


def save_state(store: StateStore, state: EvolutionState) -> None:
    """Keeps the state."""
    store.save(to_text(state))


def load_state(store: StateStore) -> EvolutionState:
    """The state that was kept; an empty one when there is none, or none that can be read."""
    text = store.load()
    return (from_text(text) if text is not None else None) or EvolutionState()


def to_text(state: EvolutionState) -> str:
    """The state as JSON; equal states give equal texts."""
    best, gate = state.best, state.mutation
    told = {
        "version": VERSION,
        "best": {"cycle": best.cycle, "scores": dict(best.scores)} if best else None,
        "rejected": [
            {
                "operation": r.operation,
                "inputs": dict(r.inputs),
                "reason": r.reason,
                "cycle": r.cycle,
            }
            for r in state.rejected.entries.values()
        ],
        "rest": gate.rest,
        "history": [
            {
                "cycle": r.cycle,
                "merges": sorted(map(list, r.merges)),
                "changes": [[c.note, c.before, c.after] for c in r.changes],
                "distilled": r.distilled,
                "recalled": r.recalled,
            }
            for r in gate.history
        ],
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def from_text(text: str) -> EvolutionState | None:
    """The state; None when the text is damaged or of another version."""
    try:
        told = json.loads(text)
        if not _is_object(told) or told["version"] != VERSION:
            return None
        best = told["best"]
        return EvolutionState(
            _best(best) if _is_object(best) else None,
            _rejected(_list(told["rejected"])),
            MutationGate(tuple(map(_record, _list(told["history"]))), int(str(told["rest"]))),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _best(told: dict[str, object]) -> BestHealth:
    scores = _object(told["scores"])
    return BestHealth(str(told["cycle"]), {probe: float(str(x)) for probe, x in scores.items()})


def _rejected(told: Iterable[object]) -> RejectedEdits:
    edits = RejectedEdits()
    for entry in map(_object, told):
        inputs = {note: str(content) for note, content in _object(entry["inputs"]).items()}
        edit = Rejected(str(entry["operation"]), inputs, str(entry["reason"]), str(entry["cycle"]))
        edits = edits.with_rejected(edit)
    return edits


def _record(told: object) -> CycleRecord:
    entry = _object(told)
    return CycleRecord(
        str(entry["cycle"]),
        frozenset((str(a), str(b)) for a, b in map(_list, _list(entry["merges"]))),
        tuple(NoteChange(*map(str, change)) for change in map(_list, _list(entry["changes"]))),
        int(str(entry["distilled"])),
        int(str(entry["recalled"])),
    )


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _object(value: object) -> dict[str, object]:
    if not _is_object(value):
        raise TypeError
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value
