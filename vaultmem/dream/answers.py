"""What the commands about the dream give back. The JSON Schemas are made from these classes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final

from vaultmem.dream.parts import whole_cycle
from vaultmem.dream.proposal import Operation, Proposal, StageName
from vaultmem.dream.report import (
    CommunityChange,
    CycleReport,
    CycleState,
    DecisionRecord,
    Health,
    ModelUse,
    Outcome,
    StageSummary,
    Strategy,
)

ORDER: Final = tuple(StageName)
PROPOSING: Final = ORDER[: ORDER.index(StageName.DIGEST)]
"""The stages that look at the notes, in their order."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something a stage saw and left alone."""

    kind: str
    """What it is, such as broken-link."""
    path: str
    """The note it is about."""
    text: str
    """In a sentence."""


@dataclass(frozen=True, slots=True)
class CycleAnswer:
    """What a cycle did and decided, or would."""

    cycle: str
    """Its name, as ``undo cycle:NAME`` takes it."""
    strategy: Strategy
    """What it was for."""
    why_strategy: str
    """Why that."""
    state: CycleState
    """How it ended."""
    dry_run: bool
    """Whether it was only to be shown: then nothing was written."""
    began_ns: int
    """When it began, in nanoseconds since 1970."""
    ended_ns: int
    """When it ended."""
    seconds: float
    """How long it worked, in all its parts."""
    parts: int
    """In how many parts: more than one when it was cut off and went on."""
    notes: int
    """Notes of the vault."""
    changed: int
    """Those that were new or different, and so looked at."""
    decisions: tuple[DecisionRecord, ...]
    """Each proposal and what became of it, in the order in which they were decided."""
    waiting: int
    """How many proposals waited for a person when it had ended, whichever cycle made them; in a preview, how many would
    that it met."""
    undone: tuple[str, ...]
    """The events of it that were undone since."""
    stages: tuple[StageSummary, ...]
    """What each stage came to."""
    left: tuple[StageName, ...]
    """The stages that a cycle which was cancelled did not come to."""
    undecided: int
    """Proposals that a cycle which was cancelled had made and did not come to."""
    findings: tuple[Noticed, ...]
    """The most telling things of each kind that it saw."""
    finding_counts: Mapping[str, int]
    """How many there are by kind."""
    suspects: tuple[str, ...]
    """Notes that build on a claim which was found wrong."""
    communities: tuple[CommunityChange, ...]
    """Communities that came, went, or have another size."""
    insights: tuple[Noticed, ...]
    """What is to be seen in the graph."""
    alarms: tuple[str, ...]
    """Loops from night to night that were seen."""
    health: Health
    """How well known questions were answered before and after."""
    model: ModelUse
    """What judging cost."""
    edits_left: int
    """What is left of the budget, in edits."""
    bytes_left: int
    """What is left of it, in bytes."""
    digest: str
    """The path of the digest note; empty where none was written."""
    review: str
    """The path of the review note; empty when nothing waits."""
    said: tuple[str, ...]
    """What else a person should know."""

    def of(self, *outcomes: Outcome) -> tuple[DecisionRecord, ...]:
        """The decisions that came out so."""
        return tuple(decision for decision in self.decisions if decision.outcome in outcomes)


def cycle_answer(reports: Sequence[CycleReport], undone: Collection[str] = ()) -> CycleAnswer:
    """The answer about one cycle from its reports, the newest first: one that was cut off and went on has several."""
    newest, whole = reports[0], whole_cycle(reports[::-1])
    decisions = whole.decisions
    cancelled = newest.state is CycleState.CANCELLED
    done = {stage.stage for stage in newest.stages}
    proposed = sum(stage.proposed for stage in newest.stages)
    shared = {
        each.name: getattr(whole, each.name)
        for each in fields(CycleAnswer)
        if each.name not in _MADE
    }
    return CycleAnswer(
        **shared,
        parts=len(reports),
        undone=tuple(d.event for d in decisions if d.event and d.event in undone),
        left=tuple(each for each in _stages(newest) if each not in done) if cancelled else (),
        undecided=max(0, proposed - len(newest.decisions)) if cancelled else 0,
        findings=tuple(Noticed(each.kind, each.path, each.text) for each in whole.findings),
        insights=tuple(Noticed(each.kind, each.path, each.text) for each in whole.insights),
    )


_MADE: Final = ("parts", "undone", "left", "undecided", "findings", "insights")


def _stages(report: CycleReport) -> tuple[StageName, ...]:
    """The stages that such a cycle has."""
    if report.strategy is not Strategy.CONSERVE:
        return PROPOSING
    return tuple(stage for stage in PROPOSING if stage is not StageName.DISTILL)


# -- the last cycles ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CycleLine:
    """A cycle in a line."""

    cycle: str
    """Its name."""
    began_ns: int
    """When it began, in nanoseconds since 1970."""
    seconds: float
    """How long it took."""
    strategy: Strategy
    """What it was for."""
    state: CycleState
    """How it ended."""
    changed: int
    """Notes that were new or different."""
    applied: int
    """Proposals that it carried out."""
    waiting: int
    """Proposals that waited for a person when it had ended, whichever cycle made them."""
    undone: int
    """Of those carried out, how many were undone since."""
    digest: str
    """The path of its digest; empty where there is none."""
    parts: int
    """In how many parts it ran: more than one when it was cut off and went on."""


@dataclass(frozen=True, slots=True)
class CyclesAnswer:
    """The last cycles, the newest first."""

    cycles: tuple[CycleLine, ...]
    """Each cycle; one that was cut off and went on is one."""
    more: bool
    """Whether there are older ones that were not asked for."""


def cycle_lines(
    cycles: Iterable[Sequence[CycleReport]], undone: Collection[str]
) -> Iterable[CycleLine]:
    """A line for each cycle, from the reports of its parts, the newest first."""
    for parts in cycles:
        report = whole_cycle(parts[::-1])
        applied = report.of(Outcome.APPLIED)
        yield CycleLine(
            cycle=report.cycle,
            began_ns=report.began_ns,
            seconds=report.seconds,
            strategy=report.strategy,
            state=report.state,
            changed=report.changed,
            applied=len(applied),
            waiting=report.waiting,
            undone=sum(decision.event in undone for decision in applied),
            digest=report.digest,
            parts=len(parts),
        )


# -- what it cost ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UsageLine:
    """What a model was asked, in a cycle or in all."""

    cycle: str = ""
    """The cycle's name; empty in totals."""
    began_ns: int = 0
    """When that began; 0 in totals."""
    model: str = ""
    """The model; empty in the total of all."""
    calls: int = 0
    """Requests to it."""
    tokens_in: int = 0
    """Tokens sent."""
    tokens_out: int = 0
    """Tokens received."""
    cost: float = 0.0
    """In US dollars, of those calls whose price is known."""
    unpriced: int = 0
    """Calls whose price is not known."""
    failures: int = 0
    """Decisions that the model failed at, which were made without it."""

    def plus(self, other: UsageLine) -> UsageLine:
        """Both together, under this one's names."""
        return replace(
            self,
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cost=round(self.cost + other.cost, 9),
            unpriced=self.unpriced + other.unpriced,
            failures=self.failures + other.failures,
        )


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """What models cost."""

    since_ns: int | None
    """From then on, in nanoseconds since 1970; None: since ever."""
    looked_at: int
    """Cycles in that time, those that asked no model among them."""
    cycles: tuple[UsageLine, ...]
    """Each cycle that asked a model, the newest first."""
    models: tuple[UsageLine, ...]
    """Each model, the dearest first."""
    total: UsageLine
    """All together."""


def usage_answer(reports: Iterable[CycleReport], since_ns: int | None) -> UsageAnswer:
    """What the cycles cost, from the reports of all their parts, the newest first."""
    lines: dict[tuple[str, str], UsageLine] = {}
    models: dict[str, UsageLine] = {}
    total, looked_at = UsageLine(), set[str]()
    for report in reports:
        looked_at.add(report.cycle)
        use = report.model
        if not use.calls and not use.failures:
            continue
        line = UsageLine(
            cycle=report.cycle,
            began_ns=report.began_ns,
            model=use.model,
            calls=use.calls,
            tokens_in=use.tokens_in,
            tokens_out=use.tokens_out,
            cost=use.cost or 0.0,
            unpriced=use.calls if use.cost is None else 0,
            failures=use.failures,
        )
        key = (line.cycle, line.model)
        lines[key] = line.plus(lines[key]) if key in lines else line
        models[use.model] = models.get(use.model, UsageLine(model=use.model)).plus(line)
        total = total.plus(line)
    dearest = sorted(models.values(), key=lambda each: (-each.cost, -each.calls, each.model))
    return UsageAnswer(since_ns, len(looked_at), tuple(lines.values()), tuple(dearest), total)


# -- what waits --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proposal that waits for a person."""

    id: str
    """As ``review accept`` and ``review reject`` take it."""
    stage: StageName
    """Which step of a cycle made it."""
    operation: Operation
    """What it would do."""
    title: str
    """What it would do, as a heading."""
    reason: str
    """Why, in a sentence or two."""
    confidence: float
    """How sure, 0 to 1."""
    decided_by: str
    """The judge, or the rule."""
    notes: tuple[str, ...]
    """The notes concerned, the one that stays first."""
    changed_since: tuple[str, ...]
    """Those of them that have changed since it was made: then it can no longer be accepted."""
    claims: tuple[tuple[str, str], ...] = ()
    """(path, text) of what is held against each other."""
    figures: Mapping[str, float | str] = field(default_factory=dict)
    """The numbers that speak for it, by name."""
    does_something: bool = True
    """Whether there is anything to carry out; else a person is only to look."""
    aside: bool = False
    """Whether you deleted it from the review note, so that it waits here only."""
    diff: str = ""
    """What it would change; empty in a list."""


def suggestion(
    proposal: Proposal, hashes: Mapping[str, str], diff: str = "", *, aside: bool = False
) -> Suggestion:
    """The proposal as it is told; ``hashes`` are those of the notes as they are now."""
    others = sorted(path for path in proposal.inputs if path != proposal.keeper)
    return Suggestion(
        id=proposal.id,
        stage=proposal.stage,
        operation=proposal.operation,
        title=proposal.title,
        reason=proposal.reason,
        confidence=round(proposal.confidence, 4),
        decided_by=proposal.decided_by,
        notes=tuple(path for path in (proposal.keeper, *others) if path),
        changed_since=tuple(
            path for path, held in sorted(proposal.inputs.items()) if hashes.get(path) != held
        ),
        claims=proposal.claims,
        figures=dict(proposal.figures),
        does_something=proposal.does_something,
        aside=aside,
        diff=diff,
    )


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """What waits for a person to decide."""

    suggestions: tuple[Suggestion, ...]
    """Each proposal, in the order in which they were made."""
    note: str = ""
    """The path of the note in which they can be ticked; empty when there is none."""
    unknown: tuple[str, ...] = ()
    """Ids of items in that note that came from another device, and whose proposals have not arrived here."""
    in_note: int = 0
    """How many of the proposals stand in that note."""
