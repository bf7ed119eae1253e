"""What a proposal would change, as a diff for a person. Pure."""

from __future__ import annotations

from collections.abc import Callable

from vaultmem.dream.proposal import NoteText, Proposal
from vaultmem.notes.textdiff import text_diff


def proposal_diff(proposal: Proposal, read: Callable[[str], NoteText | None]) -> str:
    r"""A unified diff of each edited or new note, in order of path, then ``path moved to path``; each line with its break.

    ``read`` gives a note as it is now; one that is gone counts as empty. "" for a proposal that changes nothing.
    """
    parts = []
    for edit in sorted(proposal.edits, key=lambda edit: edit.path):
        held = read(edit.path)
        before = None if held is None else held.text
        parts.append(text_diff(before, edit.text, path=_one_line(edit.path)))
    parts += [
        text_diff(None, new.text, path=_one_line(new.path))
        for new in sorted(proposal.made, key=lambda new: new.path)
    ]
    if proposal.move is not None:
        before_path, after_path = proposal.move.path, proposal.move.path_after
        parts.append(f"{_one_line(before_path)} moved to {_one_line(after_path)}\n")
    return "".join(parts)


def _one_line(path: str) -> str:
    return " ".join(path.split("\n"))
