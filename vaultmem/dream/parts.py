"""One cycle of its parts: a cycle that was killed, called off or stopped by an error goes on, and is told as one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from vaultmem.dream.proposal import StageName
from vaultmem.dream.report import (
    CycleReport,
    CycleState,
    DecisionRecord,
    Health,
    ModelUse,
    Outcome,
    StageSummary,
)

_FINAL = (Outcome.APPLIED, Outcome.GATE)
"""What is not decided again when the cycle goes on."""


def whole_cycle(parts: Sequence[CycleReport]) -> CycleReport:
    """The cycle from the reports of its parts, the oldest first. How it ended, and what was seen on the way, is that of
    the last part; done and spent is what all of them did and spent."""
    if len(parts) == 1:
        return parts[0]
    newest = parts[-1]
    known = next((part for part in reversed(parts) if part.notes), newest)
    said = [text for part in parts if part.state is not CycleState.FAILED for text in part.said]
    return replace(
        known,
        state=newest.state,
        began_ns=parts[0].began_ns,
        ended_ns=newest.ended_ns,
        pauses_ns=sum(max(0, after.began_ns - part.ended_ns) for part, after in pairwise(parts)),
        decisions=_decisions(parts),
        stages=_stages(parts),
        alarms=tuple(dict.fromkeys(text for part in parts for text in part.alarms)),
        health=_health(parts),
        model=sum_of(part.model for part in parts),
        digest=next((part.digest for part in reversed(parts) if part.digest), ""),
        review=newest.review,
        waits=newest.waits,
        said=tuple(dict.fromkeys((*said, *newest.said))),
    )


def sum_of(uses: Iterable[ModelUse]) -> ModelUse:
    """What all of it cost together."""
    total = ModelUse()
    for use in uses:
        known = total.cost is not None and use.cost is not None
        total = ModelUse(
            model=use.model or total.model,
            calls=total.calls + use.calls,
            tokens_in=total.tokens_in + use.tokens_in,
            tokens_out=total.tokens_out + use.tokens_out,
            cost=(total.cost or 0.0) + (use.cost or 0.0) if known else None,
            failures=total.failures + use.failures,
            seconds=round(total.seconds + use.seconds, 3),
            note=" ".join(dict.fromkeys(filter(None, (total.note, use.note)))),
        )
    return total


def _decisions(parts: Sequence[CycleReport]) -> tuple[DecisionRecord, ...]:
    """Each once: what a part left open, a later one that came to the end of the stage decided anew."""
    kept: dict[str, DecisionRecord] = {}
    for place, part in enumerate(parts):
        decided_anew = {stage for later in parts[place + 1 :] for stage in _went_through(later)}
        for decision in part.decisions:
            if decision.outcome not in _FINAL and decision.stage in decided_anew:
                continue
            earlier = kept.get(decision.proposal)
            if decision.outcome is Outcome.REJECTED and earlier is not None:
                continue  # it was this very cycle that refused it
            key = decision.event or decision.proposal
            kept.pop(key, None)
            kept[key] = decision
    return tuple(kept.values())


def _went_through(part: CycleReport) -> set[StageName]:
    """The stages that the part ended."""
    stages = [summary.stage for summary in part.stages]
    return set(stages if part.state is CycleState.DONE else stages[:-1])


def _stages(parts: Sequence[CycleReport]) -> tuple[StageSummary, ...]:
    found: dict[StageName, StageSummary] = {}
    for part in parts:
        for each in part.stages:
            before = found.get(each.stage)
            if before is not None:
                each = replace(
                    each,
                    proposed=before.applied + each.proposed,
                    applied=before.applied + each.applied,
                    seconds=round(before.seconds + each.seconds, 3),
                )
            found[each.stage] = each
    return tuple(found[stage] for stage in StageName if stage in found)


def _health(parts: Sequence[CycleReport]) -> Health:
    measured = [part.health for part in parts if part.health.probes]
    return replace(measured[-1], before=measured[0].before) if measured else Health()
