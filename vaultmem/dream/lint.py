"""What is wrong with the form of a vault: the stage that finds it, and mends what is beyond doubt. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Final

from vaultmem.dream.context import DreamContext, Finding, StageReport
from vaultmem.dream.lint_links import LinkCheck
from vaultmem.dream.lint_notes import (
    alias_findings,
    derivation_findings,
    empty_findings,
    property_findings,
    property_proposals,
    relation_findings,
)
from vaultmem.dream.naming import Links
from vaultmem.dream.proposal import Proposal, StageName
from vaultmem.dream.shown import fresh

MOST_OF_A_KIND: Final = 50
"""Proposals of one operation in a cycle."""


class LintStage:
    """Finds broken links, faulty properties, orphans and the like; proposes to mend links and properties."""

    name = StageName.LINT

    def propose(self, context: DreamContext) -> StageReport:
        """All findings; at most ``MOST_OF_A_KIND`` proposals of each operation, and one for each note that the dream may write. What is in much linked
        notes and those changed last comes first."""
        if not context.changed:
            return StageReport()
        links = Links(context.file_names)
        check = LinkCheck(context, links)
        proposals, left = _best(context, chain(check.proposals(), property_proposals(context)))
        return StageReport(
            proposals=tuple(proposals),
            findings=_found(context, links, check),
            looked_at=len(context.notes),
            undecided=left,
        )


def lint_findings(context: DreamContext) -> tuple[Finding, ...]:
    """What is wrong as the vault is now."""
    links = Links(context.file_names)
    return _found(context, links, LinkCheck(context, links))


def _found(context: DreamContext, links: Links, check: LinkCheck) -> tuple[Finding, ...]:
    findings = chain(
        check.findings(),
        property_findings(context),
        alias_findings(context, links),
        empty_findings(context, links),
        relation_findings(context),
        derivation_findings(context, links),
    )
    return tuple(
        sorted(
            findings,
            key=lambda one: (one.kind, one.path, -1 if one.line is None else one.line, one.text),
        )
    )


def _best(
    context: DreamContext, proposals: Iterable[Proposal]
) -> tuple[list[Proposal], frozenset[str]]:
    """The most valuable proposals, and the notes that the dream may write of which some were left out. Those for notes of a person
    wait for that person, several for a note; what is left out of these is found again in the next cycle that looks at all."""
    linked = Counter(link.path for link in context.links if link.path)

    def value(proposal: Proposal) -> tuple[int, int, float, str]:
        note = context.by_path[proposal.edits[0].path]
        return -linked[note.path], -note.modified_ns, -proposal.confidence, proposal.id

    room: dict[str, int] = {}
    touched: set[str] = set()
    kept: list[Proposal] = []
    left: set[str] = set()
    for proposal in sorted(fresh(context, proposals), key=value):
        path = proposal.edits[0].path
        written = {path} if context.writes(path) and not proposal.is_guess else set()
        if proposal.counted not in room:
            room[proposal.counted] = context.room(MOST_OF_A_KIND, StageName.LINT, proposal.counted)
        if written & touched or not room[proposal.counted]:
            left |= written
            continue
        touched |= written
        room[proposal.counted] -= 1
        kept.append(proposal)
    return kept, frozenset(left)
