"""What fades: the stage that lets managed notes which nobody asks for count less, then archives them. Pure; never deletes.

A note's strength halves with each half-life since it was last used. Its kind, its severity and what it was asked for make
the half-life longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.archive import Archive
from vaultmem.dream.context import DreamContext, DreamNote, Finding, StageReport
from vaultmem.dream.naming import Links
from vaultmem.dream.proposal import NewPlace, NewText, Operation, Proposal, StageName
from vaultmem.dream.shown import fresh, name
from vaultmem.dream.when import KNOWN_SINCE_NS, NS_OF_DAY
from vaultmem.evolution import Recaller, recall_support
from vaultmem.notes.note_edit import NoteChange, plan_note_edit
from vaultmem.notes.property_edit import RemoveProperty, SetProperty
from vaultmem.notes.refusal import EditRefused

HALF_LIFE: Final[Mapping[str, int]] = {
    "episode": 30, "log": 30, "session": 30, "transcript": 30, "event": 30,
    "observation": 90, "task": 90,
    "fact": 365, "facts": 365, "synthesis": 365, "summary": 365, "insight": 365, "person": 365, "decision": 365, "lesson": 365,
    "preference": 365,
}  # fmt: skip
"""In days, by the kind of note."""
USUAL_HALF_LIFE: Final = 180
"""Of any other kind."""
SEVERE: Final = frozenset(("high", "critical"))
"""Severities that never fade."""
BY_SEVERITY: Final[Mapping[str, float]] = {"medium": 2.0, "moderate": 2.0}
"""Times that the half-life is as long."""
DEMOTE_BELOW: Final = 0.25
"""Strength under which a note counts less: two half-lives without use."""
ARCHIVE_BELOW: Final = 0.0625
"""Strength under which a note that counts less already is archived: two more."""
LOW: Final = "low"
STRENGTH: Final = "strength"
"""The property of a note that counts less."""
MOST: Final = 12
"""Proposals of one operation in a cycle, the weakest notes first."""
_KEEPS: Final = frozenset(("supersedes", "merged_from", "absorbs", "replaces"))
"""Relations of a note that stands for others."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How alive a note is, with the numbers behind it."""

    value: float
    """1 on the day of its last use, towards 0."""
    age: float
    """Days since then."""
    half_life: float
    """In days."""


class DecayStage:
    """Lets managed notes fade that nobody asks for."""

    name = StageName.DECAY

    def propose(self, context: DreamContext) -> StageReport:
        """Proposals to demote, to archive what was demoted or superseded, and to take a demotion back."""
        return _Cycle(context).report()


def strength(context: DreamContext, note: DreamNote) -> Strength:
    """A note's strength now: since its last recall, its last change, or the day it is about, whichever is latest. One that was demoted goes on from the threshold: its last change was the demotion."""
    day_ns = note.day * NS_OF_DAY if note.day is not None else 0
    used = max(context.last_recalled_ns.get(note.path, 0), note.modified_ns, day_ns)
    known = used >= KNOWN_SINCE_NS  # else nothing tells its age, and it does not fade
    age = max(0.0, (context.now_ns - used) / NS_OF_DAY) if known else 0.0
    half_life = float(HALF_LIFE.get(note.note_type.lower(), USUAL_HALF_LIFE))
    half_life *= 1 + recall_support(context.recalls.get(note.path, ()))
    half_life *= BY_SEVERITY.get(note.severity.lower(), 1.0)
    start = DEMOTE_BELOW if _is_low(note) else 1.0
    return Strength(start * 0.5 ** (age / half_life), age, half_life)


class _Cycle:
    def __init__(self, context: DreamContext) -> None:
        self._context = context
        self._undecided: set[str] = set()

    def report(self) -> StageReport:
        proposals: dict[Operation, list[tuple[float, Proposal]]] = {}
        findings: list[Finding] = []
        looked_at = 0
        for note in sorted(self._context.notes, key=lambda one: one.path):
            if self._context.cancelled():
                break
            if not note.managed or note.archived or note.permanent:
                continue
            looked_at += 1
            made = self._of_superseded(note, findings) if note.successor else self._of_faded(note)
            if made is not None:
                rank = strength(self._context, note).value
                proposals.setdefault(made.operation, []).append((rank, made))
        kept: list[Proposal] = []
        for operation in (Operation.ARCHIVE, Operation.DEMOTE, Operation.FIX_PROPERTY):
            ranked = sorted(proposals.get(operation, ()), key=lambda one: (one[0], one[1].touched))
            most = self._context.room(MOST, StageName.DECAY, operation)
            kept += fresh(self._context, [one for _, one in ranked])[:most]
        return StageReport(
            proposals=tuple(kept),
            findings=tuple(findings),
            looked_at=looked_at,
            undecided=frozenset(self._undecided),
        )

    # --- superseded ---

    def _of_superseded(self, note: DreamNote, findings: list[Finding]) -> Proposal | None:
        end = self._last_successor(note)
        if end is None:
            text = (
                f"{self._links.to(note.path)} and the notes that supersede it supersede each other"
            )
            findings.append(Finding(kinds.SUPERSEDE_CYCLE, note.path, text))
            return None
        if not end or self._is_linked_by_path(note):
            return None
        by = self._context.by_path[end]
        return self._archived(
            note,
            f"It is superseded by {name(end, note.path)}.",
            1.0,
            keeper=end,
            also={end: by.hash},
        )

    def _last_successor(self, note: DreamNote) -> str | None:
        """The note at the end of the chain of successors; "" when one is missing, None when the chain is a circle."""
        seen = {note.path}
        at = note
        while at.successor:
            if at.successor in seen:
                return None
            seen.add(at.successor)
            following = self._context.by_path.get(at.successor)
            if following is None:
                return ""
            at = following
        return at.path

    def _is_linked_by_path(self, note: DreamNote) -> bool:
        """Whether a person's note links to it in a form that a move would have to change."""
        return any("/" in target for target in self._by_hand.get(note.path, ()))

    # --- faded ---

    def _of_faded(self, note: DreamNote) -> Proposal | None:
        recalled = self._is_recalled(note)
        if _is_low(note):
            since = self._context.last_recalled_ns.get(note.path, 0)
            if (recalled and since > note.modified_ns) or note.severity.lower() in SEVERE:
                return self._restored(note)
            told = strength(self._context, note)
            if told.value < ARCHIVE_BELOW and not recalled and not self._is_kept(note):
                return self._archived(note, _why(told, "It was never asked for."), 0.8, told=told)
            return None
        told = strength(self._context, note)
        if told.value >= DEMOTE_BELOW or self._is_kept(note):
            return None
        return self._demoted(note, told, recalled=recalled)

    def _is_kept(self, note: DreamNote) -> bool:
        return (
            note.severity.lower() in SEVERE
            or note.path in self._by_hand
            or note.path in self._keepers
        )

    def _is_recalled(self, note: DreamNote) -> bool:
        asked = self._context.recalls.get(note.path, ())
        return note.path in self._context.last_recalled_ns or any(
            recall.by is not Recaller.DREAM for recall in asked
        )

    @cached_property
    def _by_hand(self) -> dict[str, list[str]]:
        """By path the targets, as typed, of links to it in notes of a person."""
        found: dict[str, list[str]] = {}
        for link in self._context.links:
            source = self._context.by_path.get(link.source)
            if link.path and (source is None or not source.managed):
                found.setdefault(link.path, []).append(link.target)
        return found

    @cached_property
    def _keepers(self) -> frozenset[str]:
        """Notes that stand for others."""
        of_links = {link.source for link in self._context.links if link.relation in _KEEPS}
        return frozenset(of_links | {note.successor for note in self._context.notes})

    @cached_property
    def _links(self) -> Links:
        return Links(self._context.file_names)

    @cached_property
    def _archive(self) -> Archive:
        context = self._context
        return Archive(context.archive, context.memory_root, context.file_names)

    # --- proposals ---

    def _archived(
        self,
        note: DreamNote,
        reason: str,
        confidence: float,
        *,
        keeper: str = "",
        also: Mapping[str, str] | None = None,
        told: Strength | None = None,
    ) -> Proposal:
        told = told or strength(self._context, note)
        return Proposal(
            stage=StageName.DECAY,
            operation=Operation.ARCHIVE,
            title=f"Archive {name(note.path)}",
            reason=reason,
            confidence=confidence,
            inputs={note.path: note.hash, **(also or {})},
            move=NewPlace(note.path, self._archive.place(note.path)),
            keeper=keeper,
            decided_by="age and use" if not keeper else "superseded",
            figures=_figures(told),
        )

    def _demoted(self, note: DreamNote, told: Strength, *, recalled: bool) -> Proposal | None:
        rest = "" if recalled else "It was never asked for."
        return self._edited(
            note,
            Operation.DEMOTE,
            SetProperty(STRENGTH, LOW),
            f"Let {name(note.path)} count less",
            _why(told, rest),
            told,
        )

    def _restored(self, note: DreamNote) -> Proposal | None:
        told = strength(self._context, note)
        return self._edited(
            note,
            Operation.FIX_PROPERTY,
            RemoveProperty(STRENGTH),
            f"Let {name(note.path)} count in full again",
            "It was asked for since it was demoted, or has become severe.",
            told,
        )

    def _edited(
        self,
        note: DreamNote,
        operation: Operation,
        change: NoteChange,
        title: str,
        reason: str,
        told: Strength,
    ) -> Proposal | None:
        found = self._context.read(note.path)
        if found is None or found.hash != note.hash:
            self._undecided.add(note.path)
            return None
        try:
            edit = plan_note_edit(
                found.text, [change], path=note.path, settings=self._context.settings
            )
        except EditRefused:
            return None
        if edit.text == found.text:
            return None
        return Proposal(
            stage=StageName.DECAY,
            operation=operation,
            title=title,
            reason=reason,
            confidence=0.8,
            inputs={note.path: note.hash},
            edits=(NewText(note.path, edit.text),),
            decided_by="age and use",
            figures=_figures(told),
            detail=STRENGTH,
        )


def _is_low(note: DreamNote) -> bool:
    value = note.properties.get(STRENGTH)
    return isinstance(value, str) and value.strip().lower() == LOW


def _why(told: Strength, rest: str) -> str:
    said = f"Not used for {told.age:.0f} days, with a half-life of {told.half_life:.0f} days: strength {told.value:.3f}."
    return f"{said} {rest}".strip()


def _figures(told: Strength) -> dict[str, float | str]:
    return {
        "strength": round(told.value, 4),
        "age in days": round(told.age, 1),
        "half-life in days": round(told.half_life, 1),
    }
