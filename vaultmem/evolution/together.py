"""Several edits before the gate at once: which of them may stay, in as few questions as can be. Pure but for what it asks.

The questions are asked once with all edits in place. Where no answer is the worse for it, all stay. Otherwise each is first tried by
itself on the lost answers alone: those that lose none go on together, and only those that lose one are asked everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from vaultmem.evolution.gate import GateResult

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the gate says of some edits at once."""

    result: GateResult
    lost: frozenset[str]
    """The probes that were answered worse."""

    def passes(self, edits: int) -> bool:
        """Whether so many edits may stay: a single one may lose an answer that it makes up for, several may not, as nothing
        tells which of them lost it."""
        return self.result.accepted and (edits == 1 or not self.lost)


class Panel(Protocol[E_contra]):
    """What edits are tried out with."""

    def try_all(self, edits: Sequence[E_contra]) -> Judged:
        """Asks all questions with these edits in place; what passes is carried out, in order, and stays."""

    def loses(self, edit: E_contra, probes: frozenset[str]) -> bool:
        """Whether one of these probes is answered worse with the edit alone in place."""

    def refuse(self, edit: E_contra, result: GateResult) -> None:
        """The edit is not made."""

    def leave(self, edits: Sequence[E_contra]) -> None:
        """Nothing was decided about these, as there is no time left."""

    def has_time(self) -> bool:
        """Whether there is time for more questions."""


def decide(edits: Sequence[E], panel: Panel[E]) -> None:
    """Decides about edits that have nothing to do with each other: each is carried out, refused or left by the panel, once."""
    if not edits:
        return
    if not panel.has_time():
        panel.leave(edits)
        return
    judged = panel.try_all(edits)
    if judged.passes(len(edits)):
        return
    if len(edits) == 1 or not judged.lost:
        for edit in edits:
            panel.refuse(edit, judged.result)
    else:
        _apart(edits, judged.lost, panel)


def _apart(edits: Sequence[E], lost: frozenset[str], panel: Panel[E]) -> None:
    harmless, doubtful = list[E](), list[E]()
    for place, edit in enumerate(edits):
        if not panel.has_time():
            panel.leave([*harmless, *doubtful, *edits[place:]])
            return
        (doubtful if panel.loses(edit, lost) else harmless).append(edit)
    if len(harmless) == len(edits):  # what was lost is lost only by several together
        decide(harmless[::2], panel)
        decide(harmless[1::2], panel)
        return
    # These before the others: those may win the same answers, and need none to make up for what they lose.
    for edit in doubtful:
        decide([edit], panel)
    decide(harmless, panel)
