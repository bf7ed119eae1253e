"""Names and titles as findings, reasons and corrections show them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vaultmem.dream.context import DreamContext
from vaultmem.dream.proposal import Proposal
from vaultmem.evolution import Rejected, RejectedEdits
from vaultmem.notes.paths import stem

LONGEST: Final = 160
"""Characters of a claim in a title or reason."""

SOURCE_RELATIONS: Final = frozenset(
    ("source_notes", "source_note", "sources", "source", "derived_from")
)
"""Relations that say what a note was made from."""


def name(path: str, other: str = "") -> str:
    """A note's name in quotes; its path, where the other note has the same name."""
    own = stem(path)
    return f'"{path if other and own == stem(other) else own}"'


def short(text: str) -> str:
    """The text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def fresh(context: DreamContext, proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals that were not rejected."""
    return [p for p in proposals if rejection_of(p, context.rejected) is None]


def rejection_of(proposal: Proposal, rejected: RejectedEdits) -> Rejected | None:
    """A person's rejection, which lasts while what it is about does, or the gate's, on these very notes; None where there is
    neither."""
    by_hand = rejected.find(proposal.rejected_as, proposal.rejected_on)
    return by_hand or rejected.find(proposal.named, proposal.inputs)
