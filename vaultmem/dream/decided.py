"""What came of decisions about proposals, as a value. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What was decided and done."""

    applied: tuple[tuple[str, str], ...] = ()
    """(title, event) of each proposal that was carried out."""
    rejected: tuple[str, ...] = ()
    """Titles of those that were rejected."""
    settled: tuple[str, ...] = ()
    """Titles of those that only asked for a look, and were ticked off."""
    void: tuple[str, ...] = ()
    """Titles of those whose notes have changed since: they are not carried out."""
    failed: tuple[tuple[str, str], ...] = ()
    """(title, why) of those that could not be carried out."""
    warnings: tuple[str, ...] = ()
    """Marks in the review note that could not be understood, and what could not be written down."""
    waiting: int = 0
    """How many are still open."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was decided."""
        return not (self.applied or self.rejected or self.settled or self.void or self.failed)
