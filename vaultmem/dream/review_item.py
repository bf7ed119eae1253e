"""One item of the review note: a proposal as a person sees it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.note_prose import (
    LinkOf,
    counted,
    link,
    linked_title,
    prose,
    prose_with_code,
    shown,
)
from vaultmem.dream.proposal import NoteText, Operation, Proposal
from vaultmem.dream.proposal_texts import proposal_diff
from vaultmem.dream.review_marks import BLOCK_PREFIX, codes

MAX_DIFF_LINES: Final = 30
MAX_DIFF_WIDTH: Final = 300
MAX_TITLE: Final = 160
MAX_REASON: Final = 600
MAX_CLAIM: Final = 240
MAX_CLAIMS: Final = 6
_INDENT: Final = "    "
"""Deep enough for an item that a person gives a number, not so deep as to be code."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A proposal as it is shown to a person."""

    id: str
    operation: Operation
    title: str
    reason: str
    confidence: float
    notes: tuple[str, ...]
    """The paths of the notes concerned, the one that stays first."""
    claims: tuple[tuple[str, str], ...] = ()
    """(path, text) of what is held against each other."""
    diff: str = ""
    decided_by: str = "heuristic"

    @property
    def only_a_look(self) -> bool:
        """Whether there is nothing to apply."""
        return self.operation is Operation.NOTE_ONLY


def review_item(proposal: Proposal, read: Callable[[str], NoteText | None]) -> ReviewItem:
    """The proposal as it is shown; ``read`` gives the notes that its diff is made against."""
    paths = dict.fromkeys((proposal.keeper, *sorted(proposal.inputs)))
    return ReviewItem(
        proposal.id,
        proposal.operation,
        proposal.title,
        proposal.reason,
        proposal.confidence,
        tuple(path for path in paths if path),
        proposal.claims,
        proposal_diff(proposal, read) if proposal.does_something else "",
        proposal.decided_by,
    )


def item_text(item: ReviewItem, link_of: LinkOf) -> str:
    """The item as Markdown, without a break at its end: a check box with the block id, and what is to be known."""
    title = linked_title(item.title, item.notes, link_of, MAX_TITLE)
    links = [link(path, link_of) for path in item.notes[:3]]
    missing = [each for each in links if each not in title]
    named = f" ({', '.join(missing)})" if missing else ""
    head = f"- [ ] {title}{named} ^{BLOCK_PREFIX}{item.id}"
    reason = prose_with_code(item.reason, MAX_REASON)
    sure = f"{item.confidence * 100:.0f} % sure"
    by = "" if item.decided_by == "heuristic" else f", says {prose(item.decided_by, 60)}"
    why = f"*Why:* {reason} ({sure}{by})" if reason else f"*Why:* {sure}{by}"
    claims = [
        f"> {link(path, link_of)} says “{prose(text, MAX_CLAIM)}”"
        for path, text in item.claims[:MAX_CLAIMS]
    ]
    fence = _fenced(item) if item.diff else ""
    groups = [head, why, *claims, *([fence] if fence else [])]
    blocks = [f"{why} {codes(groups)}", "\n".join(claims), fence]
    below = "\n\n".join(block for block in blocks if block)
    indented = [f"{_INDENT}{line}" if line else "" for line in below.split("\n")]
    return "\n".join((head, "", *indented))


def _fenced(item: ReviewItem) -> str:
    lines = item.diff.removesuffix("\n").split("\n")
    kept = [_diff_line(line) for line in lines[:MAX_DIFF_LINES]]
    if len(lines) > MAX_DIFF_LINES + 1:
        more = counted(len(lines) - MAX_DIFF_LINES, "more line")
        kept.append(f"… {more}: vaultmem review show {item.id}")
    elif len(lines) > MAX_DIFF_LINES:
        kept.append(_diff_line(lines[-1]))
    longest = max((len(run) for line in kept for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}diff", *kept, fence))


def _diff_line(line: str) -> str:
    """A line of a diff that is one line, and that holds no block id of ours even if its fence is taken away."""
    line = shown(line.removesuffix("\r").replace("\r", "␍"))
    line = re.sub(r"\^[rR]-(?=[0-9a-fA-F]{10})", "^r\u2011", line)
    return line if len(line) <= MAX_DIFF_WIDTH else line[:MAX_DIFF_WIDTH] + "…"
