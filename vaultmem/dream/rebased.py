"""A proposal after another one was carried out on the same note. Pure.

A proposal holds whole texts, so each one that is carried out would make all others about its note void, though they change something
else. Where the changes are apart from each other, and what the proposal speaks of stands as it did, it goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vaultmem.dream.proposal import NewText, NoteText, Operation, Proposal
from vaultmem.notes.textedit import TextEdit
from vaultmem.notes.together import both, stretches, touches


def rebased(proposal: Proposal, before: NoteText, now: NoteText) -> Proposal | None:
    """The same proposal on the note as it is now, where it was made from the note as it was before; None where it would not be the
    same: it moves a note or puts two together, its change meets the other one, or what it was made from was changed."""
    path = before.path
    if proposal.inputs.get(path) != before.hash or now.path != path:
        return None
    if proposal.move is not None or proposal.operation is Operation.MERGE:
        return None
    texts = {edit.path: edit.text for edit in proposal.edits}
    claims = [claim for where, claim in proposal.claims if where == path]
    if path not in texts and not claims:
        return None  # what of the note it was made from is not known
    if _is_changed(before.text, claims, stretches(before.text, now.text)):
        return None
    if path in texts:
        text = both(before.text, texts[path], now.text)
        if text is None:
            return None
        texts[path] = text
    return replace(
        proposal,
        inputs={**proposal.inputs, path: now.hash},
        edits=tuple(NewText(edit.path, texts[edit.path]) for edit in proposal.edits),
        known_as=proposal.id,
    )


def _is_changed(text: str, claims: Sequence[str], changes: Sequence[TextEdit]) -> bool:
    """Whether one of the claims was changed, or cannot be found at all."""
    for claim in claims:
        at = text.find(claim)
        if at < 0:
            return True
        while at >= 0:
            if touches(TextEdit(at, at + len(claim), ""), changes):
                return True
            at = text.find(claim, at + 1)
    return False
