"""What becomes of proposals: one after the other they meet the buffer of rejected edits, the person's rights, the
evidence, the budget and the gate, and what passes is written as one event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from vaultmem.dream.context import DreamNote
from vaultmem.dream.proposal import Operation, Proposal
from vaultmem.dream.report import DecisionRecord, GateFigures, Health, Outcome, Strategy
from vaultmem.edits.answers import WriteAnswer
from vaultmem.errors import FailedError, RefusedError
from vaultmem.evolution import (
    BestHealth,
    Decision,
    Edit,
    EditBudget,
    GateResult,
    NoteChange,
    Rejected,
    RejectedEdits,
)
from vaultmem.files.refusals import ChangedSinceRead, WriteConflict
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.applying import apply_proposal, bytes_changed, trials_of
from vaultmem_daemon.dreaming.gatekeeper import Gatekeeper, probes_for


@dataclass(frozen=True, slots=True)
class Rules:
    """What this cycle may do."""

    cycle: str
    strategy: Strategy
    hand_notes: bool
    """Whether the settings let it write a person's notes."""
    dry_run: bool
    cancelled: Callable[[], bool]
    community_of: Mapping[str, str] = field(default_factory=dict)
    """Name of its community by path."""


class Conductor:
    """Carries a cycle's proposals through; ``decisions`` says what became of each."""

    def __init__(
        self,
        vault: Vault,
        rules: Rules,
        *,
        budget: EditBudget,
        rejected: RejectedEdits,
        best: BestHealth | None,
    ) -> None:
        self._vault = vault
        self._rules = rules
        self.budget = budget
        self.rejected = rejected
        self.best = best
        self.decisions: list[DecisionRecord] = []
        self.waiting: list[Proposal] = []
        """For a person to decide."""
        self.applied: dict[str, Proposal] = {}
        """By the id of its event."""
        self.changes: list[NoteChange] = []
        self.merges: set[tuple[str, str]] = set()
        self.health = Health()
        self.undecided: set[str] = set()
        """Paths of notes that the next cycle has to look at again."""

    def settle(self, proposals: Sequence[Proposal], notes: Sequence[DreamNote]) -> int:
        """Decides about each, in their order, and applies what may be; returns how many were. ``notes`` are those that
        the proposals were made from. Ends early when it is cancelled: what is left waits for the next cycle."""
        before = len(self.applied)
        by_path = {note.path: note for note in notes}
        with ExitStack() as open_:
            keeper: Gatekeeper | None = None
            health = 0.0
            for place, proposal in enumerate(proposals):
                if self._rules.cancelled():
                    for left in proposals[place:]:
                        self.undecided.update(left.inputs)
                    break
                if self._is_settled(proposal, by_path):
                    continue
                if proposal.destructive and keeper is None:
                    gated = [p for p in proposals[place:] if p.destructive]
                    probes = probes_for(self._vault.root, notes, gated[: 2 * self.budget.edits + 2])
                    keeper = open_.enter_context(Gatekeeper(self._vault, probes))
                    health = self._begin_health(keeper)
                self._weigh(proposal, keeper)
            if keeper is not None:
                self._end_health(keeper, health)
        return len(self.applied) - before

    def _is_settled(self, proposal: Proposal, by_path: Mapping[str, DreamNote]) -> bool:
        """Whether it was decided without weighing it."""
        found = self.rejected.find(proposal.rejected_as, proposal.inputs)
        if found is not None:
            self._record(proposal, Outcome.REJECTED, why=found.reason)
            return True
        if not proposal.does_something:
            self._wait(proposal, "nothing that could be done by machine")
            return True
        hand = [p for p in proposal.touched if p not in by_path or not by_path[p].managed]
        if hand and not self._rules.hand_notes:
            self._wait(proposal, "it changes a note of yours")
            return True
        if proposal.destructive and self._rules.strategy is Strategy.CONSERVE:
            self.undecided.update(proposal.inputs)
            self._record(proposal, Outcome.RESTING)
            return True
        if proposal.figures.get("evidence") == "not enough":
            self._record(proposal, Outcome.EVIDENCE, why="it is asked for too often to be sure")
            return True
        return False

    def _weigh(self, proposal: Proposal, keeper: Gatekeeper | None) -> None:
        try:
            planned = apply_proposal(self._vault, proposal, cycle=self._rules.cycle, dry_run=True)
        except (ChangedSinceRead, WriteConflict) as error:
            self._put_off(proposal, Outcome.CONFLICT, str(error))
            return
        except (RefusedError, FailedError) as error:
            self._put_off(proposal, Outcome.FAILED, str(error))
            return
        others = [f.path for f in planned.files if f.path not in proposal.touched]
        if others and not self._rules.hand_notes and not self._all_ours(others):
            self._wait(proposal, f"links in {others[0]} would change")
            return
        spending = self.budget.spend(self._edit(proposal))
        if spending.refused:
            self._put_off(proposal, Outcome.BUDGET, spending.refused)
            return
        if proposal.destructive and keeper is not None:
            self._through_gate(proposal, keeper, planned, spending.budget)
        elif self._write(proposal, planned, None):
            self.budget = spending.budget

    def _through_gate(
        self, proposal: Proposal, keeper: Gatekeeper, planned: WriteAnswer, budget: EditBudget
    ) -> None:
        with keeper.judging(trials_of(self._vault, proposal), self.best) as (result, keep):
            if not result.accepted:
                self._record(proposal, Outcome.GATE, why=result.reason, gate=result)
                if len(keeper.current) >= 60:
                    self._remember_rejected(proposal, result.reason)
                else:
                    self.undecided.update(proposal.inputs)
                return
            if self._write(proposal, planned, result):
                self.budget = budget
                keep.keep()
        if result.decision is Decision.ACCEPT_NEW_BEST and not self._rules.dry_run:
            self.best = BestHealth(self._rules.cycle, dict(keeper.current))

    def _write(self, proposal: Proposal, planned: WriteAnswer, gate: GateResult | None) -> bool:
        """Whether it was done, or would be."""
        if self._rules.dry_run:
            diff = "\n".join(file.diff for file in planned.files if file.diff)
            self._record(proposal, Outcome.PREVIEWED, gate=gate, diff=diff)
            return True
        try:
            done = apply_proposal(self._vault, proposal, cycle=self._rules.cycle)
        except (ChangedSinceRead, WriteConflict) as error:
            self._put_off(proposal, Outcome.CONFLICT, str(error))
            return False
        except (RefusedError, FailedError) as error:
            self._put_off(proposal, Outcome.FAILED, str(error))
            return False
        if done.event is None:
            self._put_off(proposal, Outcome.CONFLICT, "nothing was left to be done")
            return False
        self.applied[done.event] = proposal
        self._remember_changes(proposal, done)
        self._record(proposal, Outcome.APPLIED, gate=gate, event=done.event)
        return True

    def _remember_changes(self, proposal: Proposal, done: WriteAnswer) -> None:
        self.changes += [
            NoteChange(file.path, file.hash_before or "", file.hash_after or "")
            for file in done.files
            if file.hash_before != file.hash_after
        ]
        if proposal.operation is Operation.MERGE:
            first, second = sorted(proposal.inputs)
            self.merges.add((first, second))

    # -- small things ------------------------------------------------------------------------------------------

    def _all_ours(self, paths: Sequence[str]) -> bool:
        from vaultmem_daemon.dreaming.corpus import managed_paths

        return not set(paths) - managed_paths(self._vault)

    def _edit(self, proposal: Proposal) -> Edit:
        communities = {
            name for path in proposal.touched if (name := self._rules.community_of.get(path, ""))
        }
        return Edit(
            proposal.touched,
            bytes_changed(self._vault, proposal) if proposal.destructive else 0,
            proposal.destructive,
            tuple(sorted(communities)),
        )

    def _wait(self, proposal: Proposal, why: str) -> None:
        self.waiting.append(proposal)
        self._record(proposal, Outcome.WAITING, why=why)

    def _put_off(self, proposal: Proposal, outcome: Outcome, why: str) -> None:
        self.undecided.update(proposal.inputs)
        self._record(proposal, outcome, why=why)

    def _remember_rejected(self, proposal: Proposal, why: str) -> None:
        if not self._rules.dry_run:
            entry = Rejected(proposal.rejected_as, proposal.inputs, why, self._rules.cycle)
            self.rejected = self.rejected.with_rejected(entry)

    def _record(
        self,
        proposal: Proposal,
        outcome: Outcome,
        *,
        why: str = "",
        event: str = "",
        gate: GateResult | None = None,
        diff: str = "",
    ) -> None:
        others = sorted(path for path in proposal.inputs if path != proposal.keeper)
        notes = (proposal.keeper, *others) if proposal.keeper else tuple(others)
        self.decisions.append(
            DecisionRecord(
                proposal=proposal.id,
                stage=proposal.stage,
                operation=proposal.operation,
                title=proposal.title,
                reason=proposal.reason,
                outcome=outcome,
                why=why,
                notes=notes,
                event=event,
                confidence=round(proposal.confidence, 4),
                decided_by=proposal.decided_by,
                gate=_figures(gate),
                figures=dict(proposal.figures),
                diff=diff,
            )
        )

    def _begin_health(self, keeper: Gatekeeper) -> float:
        """The mean score as it is."""
        mean = _mean(keeper.current)
        if not self.health.probes:
            best = keeper.best_now(self.best)
            top = _mean(best) if best is not None else mean
            self.health = Health(len(keeper.current), mean, mean, top)
        return mean

    def _end_health(self, keeper: Gatekeeper, before: float) -> None:
        """Each stage asks questions of its own, so only what it changed counts."""
        after = round(self.health.after + _mean(keeper.current) - before, 6)
        self.health = replace(self.health, after=after, best=max(self.health.best, after))


def _figures(gate: GateResult | None) -> GateFigures | None:
    if gate is None:
        return None
    return GateFigures(
        decision=str(gate.decision),
        reason=gate.reason,
        probes=gate.probes,
        before=round(gate.before, 6),
        after=round(gate.after, 6),
        gained=gate.gained,
        lost=gate.lost,
        chance=round(gate.chance, 6),
    )


def _mean(scores: Mapping[str, float]) -> float:
    return round(sum(scores.values()) / len(scores), 6) if scores else 0.0
