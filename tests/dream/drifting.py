"""Notes about one thing that differ, and what the stage of drift proposes."""

from __future__ import annotations

from tests.dream.contexts import context
from vaultmem.dream.context import StageReport
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.proposal import Operation

OLD, NEW = "Memory/a/facts/Relay.md", "Memory/a/later/Relay.md"
LOG = "Memory/a/notes/Rack.md"
DAYS = {OLD: 100, NEW: 200, LOG: 200, "Relay.md": 100}


def report(files: dict[str, str], **more: object) -> StageReport:
    """Of these notes by their paths, all read for the first time unless it is said otherwise."""
    return DriftStage().propose(context(files, **{"days": DAYS, **more}))  # type: ignore[arg-type]


def proposed(files: dict[str, str], **more: object) -> list[tuple[Operation, str]]:
    """Operation and the note that changes or, where none does, "" """
    return [
        (p.operation, "".join(edit.path for edit in p.edits))
        for p in report(files, **more).proposals
    ]
