"""How much a cycle may change."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

EDITS: Final = 32
"""Destructive edits of a cycle."""
SIZE: Final = 256 * 1024
"""Bytes that they may change together."""
PER_NOTE: Final = 1
PER_COMMUNITY: Final = 4
NO_EDIT_LEFT: Final = "no edit is left in this cycle"


@dataclass(frozen=True, slots=True)
class Edit:
    """What the budget looks at in an edit."""

    notes: tuple[str, ...]
    """Ids of the notes that it changes."""
    size: int
    """Bytes that it changes."""
    destructive: bool
    """Whether it merges, archives or supersedes; what only adds is free."""
    communities: tuple[str, ...] = ()
    """Those that the notes belong to."""


class Spending(NamedTuple):
    """The budget after an edit, and why the edit was refused; empty when it was not."""

    budget: EditBudget
    refused: str


@dataclass(frozen=True, slots=True)
class EditBudget:
    """What is left for a cycle, shared by all its stages."""

    edits: int = EDITS
    size: int = SIZE
    notes: tuple[str, ...] = ()
    """Already changed in this cycle, one entry for each change."""
    communities: tuple[str, ...] = ()

    def spend(self, edit: Edit) -> Spending:
        """The budget without what the edit costs; the same budget when there is not enough for it."""
        if not edit.destructive:
            return Spending(self, "")
        if refused := self._refusal(edit):
            return Spending(self, refused)
        return Spending(
            replace(
                self,
                edits=self.edits - 1,
                size=self.size - edit.size,
                notes=(*self.notes, *edit.notes),
                communities=(*self.communities, *sorted(set(edit.communities))),
            ),
            "",
        )

    def _refusal(self, edit: Edit) -> str:
        if self.edits < 1:
            return NO_EDIT_LEFT
        if edit.size > self.size:
            return f"{edit.size} bytes to change, {self.size} left in this cycle"
        notes, communities = Counter(self.notes), Counter(self.communities)
        for note in edit.notes:
            if notes[note] >= PER_NOTE:
                return f"{note} was changed in this cycle already"
        for community in edit.communities:
            if communities[community] >= PER_COMMUNITY:
                return f"{community} had {PER_COMMUNITY} edits in this cycle already"
        return ""
