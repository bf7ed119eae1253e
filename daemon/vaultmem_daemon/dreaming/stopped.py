"""What is said of a cycle that an error ended: what of it stands, and how to take it back."""

from __future__ import annotations

from typing import ClassVar

from vaultmem.dream.report import CycleReport, Outcome
from vaultmem.errors import VaultmemError
from vaultmem.files.refusals import LOOK, WriteFailed


class CycleStoppedError(VaultmemError):
    """A cycle was ended by an error, and what it had done before stands."""

    exit_code: ClassVar[int] = 5


def stopped(report: CycleReport, error: VaultmemError) -> VaultmemError:
    """The error for a cycle that another one ended; that other one itself where the cycle had changed nothing."""
    edits = len(report.of(Outcome.APPLIED))
    if not edits and not report.digest:
        return error
    what = f"{edits:,} edit{'s' if edits != 1 else ''}" if edits else "digest"
    stands = f"Its {what} {'stand' if edits > 1 else 'stands'}."
    them = "them" if edits > 1 else "it"
    undo = f"`vaultmem undo cycle:{report.cycle}` takes {them} back"
    why = LOOK if isinstance(error, WriteFailed) else error.hint
    return CycleStoppedError(
        f"The cycle {report.cycle} was cut off. {error.message} {stands}",
        hint=f"{undo}; the next `vaultmem dream run` goes on. {why}".strip(),
    )
