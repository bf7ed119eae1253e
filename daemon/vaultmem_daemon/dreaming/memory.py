"""What the dream remembers on one machine, from cycle to cycle: what it has looked at, what was rejected, best health.

One file per device, replaced as a whole at the end of a cycle. Losing it costs time, and never a note: everything is
looked at again. Decisions of a person about proposals stand in the journal, for all devices.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from vaultmem.evolution import EvolutionState
from vaultmem.evolution.state import from_text, to_text
from vaultmem.files.device import device_id
from vaultmem.files.state_file import StateFile

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class DreamMemory:
    """What is kept."""

    evolution: EvolutionState = field(default_factory=EvolutionState)
    seen: Mapping[str, str] = field(default_factory=dict)
    """Hash by path of the notes that a whole cycle has looked at, and decided about as far as it wanted to."""
    mark: str = ""
    """The state of all notes when the last whole cycle had ended; "" when something was left over."""
    day: int = -1
    """The day of that cycle, days since 1970."""
    left_as: str = ""
    """The state of all notes when the last cycle had ended or was called off; "" when that is not known."""
    open_cycle: str = ""
    """A cycle that was begun and has not ended."""
    open_day: int = -1
    """The day on which that one began."""
    open_ns: int = 0
    """When it began."""
    communities: Mapping[str, int] = field(default_factory=dict)
    """Notes of each community by its name, when they were looked at last."""
    applied: Mapping[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    """By event what was done: as what, and by path on what, it counts as rejected when it is undone."""
    undone: tuple[str, ...] = ()
    """What was done and taken back again (``on_these_notes``), oldest first: not done again unasked, whatever the notes say now."""
    distilled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By cycle the paths of the notes that it made of others."""
    crowded_out: tuple[str, ...] = ()
    """Paths of the notes of proposals that there was no room for beside those that wait."""
    journal_ns: int = 0
    """Up to when the journal was searched for merges that a person took back."""


class MemoryStore:
    """The file of this device."""

    def __init__(self, root: Path) -> None:
        self._file = StateFile(root, f"dream/{device_id(root)}.json")

    def load(self) -> DreamMemory:
        """What was kept; nothing when there is none, or none that can be read."""
        return _from_text(self._file.load() or "")

    def save(self, memory: DreamMemory) -> None:
        """Keeps it. Raises WriteFailed, VaultVanishedError."""
        self._file.save(_to_text(memory))


def _to_text(memory: DreamMemory) -> str:
    told = {
        "version": VERSION,
        "evolution": to_text(memory.evolution),
        "seen": dict(memory.seen),
        "mark": memory.mark,
        "left_as": memory.left_as,
        "day": memory.day,
        "open_cycle": memory.open_cycle,
        "open_day": memory.open_day,
        "open_ns": memory.open_ns,
        "communities": dict(memory.communities),
        "applied": {event: [what, dict(notes)] for event, (what, notes) in memory.applied.items()},
        "distilled": {cycle: list(paths) for cycle, paths in memory.distilled.items()},
        "undone": list(memory.undone),
        "crowded_out": list(memory.crowded_out),
        "journal_ns": memory.journal_ns,
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


def _from_text(text: str) -> DreamMemory:
    try:
        told = json.loads(text)
        if told["version"] != VERSION:
            return DreamMemory()
        return DreamMemory(
            evolution=from_text(told["evolution"]) or EvolutionState(),
            seen={str(path): str(held) for path, held in told["seen"].items()},
            mark=str(told["mark"]),
            left_as=str(told.get("left_as", "")),
            day=int(told["day"]),
            open_cycle=str(told["open_cycle"]),
            open_day=int(told["open_day"]),
            open_ns=int(told.get("open_ns", 0)),
            communities={str(name): int(size) for name, size in told["communities"].items()},
            applied={
                str(event): (str(what), {str(path): str(held) for path, held in notes.items()})
                for event, (what, notes) in told["applied"].items()
            },
            distilled={
                str(cycle): tuple(map(str, paths))
                for cycle, paths in told.get("distilled", {}).items()
            },
            undone=tuple(map(str, told.get("undone", ()))),
            crowded_out=tuple(map(str, told.get("crowded_out", ()))),
            journal_ns=int(told["journal_ns"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return DreamMemory()
