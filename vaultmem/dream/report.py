"""What a cycle did and decided, as a value: for the journal, the digest, ``dream explain`` and ``status``. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from vaultmem.dream.context import Finding
from vaultmem.dream.proposal import Operation, StageName


class Strategy(StrEnum):
    """What a cycle is for."""

    CONSOLIDATE = "Consolidate"
    """Duplicates, contradictions, links, decay, communities."""
    SYNTHESIZE = "Synthesize"
    """The same, with notes distilled from others."""
    CONSERVE = "Conserve"
    """Looks and tells; merges, supersedes and archives nothing."""


class CycleState(StrEnum):
    """How a cycle ended."""

    DONE = "done"
    NOTHING = "nothing"
    """Nothing had changed since the last one, so nothing was looked at."""
    CANCELLED = "cancelled"
    """A person came back, or it was told to end; the rest is done by the next one."""
    FAILED = "failed"
    """An error ended it, or it was killed; the next one goes on."""


class Outcome(StrEnum):
    """What became of a proposal."""

    APPLIED = "applied"
    WAITING = "waiting"
    """It concerns a person's notes: it stands in the review note."""
    PREVIEWED = "previewed"
    """Only a preview was asked for."""
    GATE = "refused by the gate"
    EVIDENCE = "not enough evidence"
    BUDGET = "over budget"
    """Left for a later cycle."""
    RESTING = "resting"
    """Conserve mode: left for a later cycle."""
    REJECTED = "rejected before"
    CONFLICT = "the note changed meanwhile"
    FAILED = "could not be written"


@dataclass(frozen=True, slots=True)
class GateFigures:
    """What the gate measured for an edit."""

    decision: str
    """AcceptNewBest, Accept or Reject."""
    reason: str
    probes: int
    before: float
    """Mean score of the probes without the edit, 0 to 1."""
    after: float
    gained: int
    """Probes that are answered better."""
    lost: int
    chance: float
    """Of so many losses if gain and loss were equally likely."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One proposal and what became of it."""

    proposal: str
    """Its id."""
    stage: StageName
    operation: Operation
    title: str
    reason: str
    outcome: Outcome
    why: str = ""
    """Why that became of it, where the outcome does not say it all."""
    notes: tuple[str, ...] = ()
    """The notes concerned, the one that stays first."""
    event: str = ""
    """The id of the event that can be undone."""
    confidence: float = 0.0
    decided_by: str = ""
    gate: GateFigures | None = None
    figures: Mapping[str, float | str] = field(default_factory=dict)
    diff: str = ""
    """What it changes; kept for previews only."""


@dataclass(frozen=True, slots=True)
class StageSummary:
    """What a stage came to."""

    stage: StageName
    looked_at: int
    proposed: int
    applied: int
    waiting: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What judging cost."""

    model: str = ""
    """"" where none was asked."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    """In US dollars; None where the price is not known."""
    failures: int = 0
    seconds: float = 0.0
    note: str = ""
    """A cap that was reached, a model that failed; "" when there is nothing to say."""


@dataclass(frozen=True, slots=True)
class CommunityChange:
    """A community that came, grew, shrank or went."""

    name: str
    notes: int
    before: int
    """0: new."""
    hub: str
    """The path of its best linked note; "" when it went."""


@dataclass(frozen=True, slots=True)
class Health:
    """How well the vault answered the probes, before the cycle and after it."""

    probes: int = 0
    before: float = 0.0
    """Mean score, 0 to 1."""
    after: float = 0.0
    best: float = 0.0
    """Of the best state so far, on the same probes."""


@dataclass(frozen=True, slots=True)
class CycleReport:
    """One run of the pipeline."""

    cycle: str
    """Its name: ``vaultmem undo cycle:NAME``."""
    strategy: Strategy
    why_strategy: str
    state: CycleState
    began_ns: int
    ended_ns: int
    notes: int
    """Of the vault."""
    changed: int
    """Notes that were new or different."""
    decisions: tuple[DecisionRecord, ...] = ()
    stages: tuple[StageSummary, ...] = ()
    findings: tuple[Finding, ...] = ()
    """The most telling of each kind."""
    finding_counts: Mapping[str, int] = field(default_factory=dict)
    suspects: tuple[str, ...] = ()
    communities: tuple[CommunityChange, ...] = ()
    insights: tuple[Finding, ...] = ()
    alarms: tuple[str, ...] = ()
    """Loops that the mutation gate saw."""
    health: Health = Health()
    model: ModelUse = ModelUse()
    edits_left: int = 0
    bytes_left: int = 0
    digest: str = ""
    """The path of the digest note; "" where none was written."""
    review: str = ""
    """The path of the review note with what waits; "" when nothing does."""
    dry_run: bool = False
    said: tuple[str, ...] = ()
    """What else a person should know."""
    pauses_ns: int = 0
    """Of the time between its begin and its end, how much it lay still: before it went on, once it was cut off."""
    waits: int | None = None
    """How many proposals waited for a person when it had ended, whichever cycle made them; None where that is not known."""

    @property
    def seconds(self) -> float:
        """How long it worked."""
        return max(0, self.ended_ns - self.began_ns - self.pauses_ns) / 1e9

    @property
    def waiting(self) -> int:
        """How many proposals wait for a person, as the review note counts them; of a preview, how many would that it met."""
        return len(self.of(Outcome.WAITING)) if self.waits is None else self.waits

    def of(self, outcome: Outcome) -> tuple[DecisionRecord, ...]:
        """The decisions that came out so."""
        return tuple(decision for decision in self.decisions if decision.outcome is outcome)


def outcomes_told(decisions: Collection[DecisionRecord]) -> str:
    """How many came out how, and why the gate refused where that is the same for all: ``2 refused by the gate (fewer than
    60 known questions), 1 over budget``."""
    counts = Counter(each.outcome for each in decisions)
    why = {each.gate.reason for each in decisions if each.outcome is Outcome.GATE and each.gate}
    reasons = {Outcome.GATE: f" ({why.pop()})"} if len(why) == 1 else {}
    return ", ".join(
        f"{counts[outcome]:,} {outcome}{reasons.get(outcome, '')}"
        for outcome in Outcome
        if counts[outcome]
    )
