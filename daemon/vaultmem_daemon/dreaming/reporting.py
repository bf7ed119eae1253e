"""What a report tells of judging, of findings and of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vaultmem.cycle_spending import Spending
from vaultmem.cycles import use_of
from vaultmem.dream.context import Finding
from vaultmem.dream.naming import Links
from vaultmem.dream.report import CommunityChange, ModelUse
from vaultmem.judge import HEURISTIC
from vaultmem_daemon.dreaming.worker import Seen

if TYPE_CHECKING:
    from vaultmem.judge import Judge

UNTOLD: Final = ("community", "isolated")
"""Kinds of what the graph shows that are no insights to tell; isolated notes are findings of lint already."""
FINDINGS: Final = 50
"""Of each kind that a report tells; the others are counted."""


def model_use(judge: Judge, before: Spending | None = None) -> ModelUse:
    """What judging cost; with what a part that was killed took ``before``, which nothing else tells."""
    told = judge.report()
    model = "" if told.by == HEURISTIC else told.by
    usage = told.usage
    if before is not None:
        model, usage = model or before.model, before.usage + usage
    return use_of(usage, model, " ".join(told.lines()))


def most_telling(findings: Sequence[Finding]) -> list[Finding]:
    """The first of each kind, in their order."""
    kept: list[Finding] = []
    count: dict[str, int] = {}
    for finding in findings:
        count[finding.kind] = count.get(finding.kind, 0) + 1
        if count[finding.kind] <= FINDINGS:
            kept.append(finding)
    return kept


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """How many there are of each kind."""
    count: dict[str, int] = {}
    for finding in findings:
        count[finding.kind] = count.get(finding.kind, 0) + 1
    return count


def community_changes(
    graph: Sequence[Seen] | None, before: Mapping[str, int]
) -> tuple[CommunityChange, ...]:
    """The communities that are new, or have another size, the largest first; then those that went."""
    if graph is None:
        return ()
    now = {each.name: each for each in graph if each.kind == "community"}
    changed = [
        CommunityChange(name, each.size, before.get(name, 0), each.path)
        for name, each in now.items()
        if before.get(name, 0) != each.size
    ]
    gone = [CommunityChange(name, 0, size, "") for name, size in before.items() if name not in now]
    return (*changed, *gone)


def insights(graph: Sequence[Seen] | None, links: Links) -> tuple[Finding, ...]:
    """What the graph shows, in sentences with links."""
    found = [Finding(e.kind, e.path, _told(e, links)) for e in graph or () if e.kind not in UNTOLD]
    return tuple(most_telling(found))


def _told(seen: Seen, links: Links) -> str:
    """The insight with the notes that it is about: *[[A]]: no link leads to it*."""
    about = links.to(seen.path) if seen.path else ""
    if seen.other:
        about = f"The link from {about} to {links.to(seen.other)}"
    reason = seen.name[:1].lower() + seen.name[1:]
    return f"{about}: {reason}" if about else seen.name
