"""What becomes of proposals: one after the other they meet the buffer of rejected edits, the person's rights, the
evidence, the budget and the gate, and what passes is written as one event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from vaultmem.cycle_edits import CycleEdit
from vaultmem.dream.context import DreamNote
from vaultmem.dream.probes import Probe
from vaultmem.dream.proposal import Operation, Proposal
from vaultmem.dream.proposal_texts import proposal_diff
from vaultmem.dream.report import DecisionRecord, GateFigures, Health, Outcome, Strategy
from vaultmem.dream.shown import rejection_of
from vaultmem.edits.answers import ChangedFile, WriteAnswer
from vaultmem.errors import FailedError, NotFoundError, RefusedError
from vaultmem.evolution import (
    FEWEST_PROBES,
    NO_EDIT_LEFT,
    BestHealth,
    Decision,
    Edit,
    EditBudget,
    GateResult,
    Judged,
    NoteChange,
    Rejected,
    RejectedEdits,
    decide,
    on_these_notes,
)
from vaultmem.files.events import FileChange
from vaultmem.files.execution import PartlyDoneError
from vaultmem.files.refusals import ChangedSinceRead, WriteConflict
from vaultmem.index.rehearsal import Trial
from vaultmem.judge import HEURISTIC
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.applying import apply_proposal, bytes_changed, trials_of
from vaultmem_daemon.dreaming.corpus import managed_paths, read_text
from vaultmem_daemon.dreaming.gatekeeper import Gatekeeper, probes_for
from vaultmem_daemon.dreaming.places import DreamPlaces

MOST_SCORES: Final = 2_000
"""Probes of which the best health keeps the score; each stage asks some of its own."""
SETTLED_BY_RULES: Final = frozenset((Operation.SUPERSEDE, Operation.MARK_STALE))
"""What a model may only propose: of a merge the value check can tell that a model is wrong, of a contradiction nothing
can, and a note may hold orders for the model."""


NO_QUESTION_LEFT: Final = "so many came before it that no question is left to try it out with"


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
    undone: frozenset[str] = frozenset()
    """What a person took back once (``on_these_notes``)."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A destructive proposal before which there is nothing but the gate."""

    proposal: Proposal
    answer: WriteAnswer
    """What it would change, links in other notes as well."""
    edit: Edit
    concerns: frozenset[str]
    """Paths of all notes that it is made from or changes."""
    trials: Sequence[Trial]


def _concerned(ready: Sequence[_Ready]) -> frozenset[str]:
    return frozenset(path for one in ready for path in one.concerns)


@dataclass(slots=True)
class _Gate:
    """The gate before the proposals of one stage, opened for the first that has to be weighed."""

    keeper: Gatekeeper | None
    """None where nothing can be tried out."""
    asked_about: frozenset[str]
    """Ids of the proposals whose notes its questions are made from."""
    closed: str = ""
    """Why nothing can be tried out."""
    health: float = 0.0
    """The mean score when it was opened."""
    ready: list[_Ready] = field(default_factory=list)
    """They have nothing to do with each other, and the budget has room for all."""

    def taken(self) -> list[_Ready]:
        """Those that are ready, for a decision; none is from then on."""
        taken, self.ready = self.ready, []
        return taken


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
        changed_outside: bool = False,
    ) -> None:
        """``changed_outside`` says that the vault is another one than that of which ``best`` tells."""
        self._vault = vault
        self._places = DreamPlaces.of(vault)
        self._rules = rules
        self.budget = budget
        self.rejected = rejected
        self.best = best
        self._changed_outside = changed_outside
        self.decisions: list[DecisionRecord] = []
        self.waiting: list[Proposal] = []
        """For a person to decide."""
        self.applied: dict[str, Proposal] = {}
        """By the id of its event."""
        self.changes: list[NoteChange] = []
        self.merges: set[tuple[str, str]] = set()
        self.distilled: list[str] = []
        """Paths of the notes that were made of others."""
        self.health = Health()
        self.undecided: set[str] = set()
        """Paths of notes that the next cycle has to look at again."""

    @property
    def cycle(self) -> str:
        """The name of the cycle."""
        return self._rules.cycle

    @property
    def is_cancelled(self) -> bool:
        """Whether the cycle has to end."""
        return self._rules.cancelled()

    def take_over(self, edits: Sequence[CycleEdit]) -> None:
        """Counts edits as its own that the cycle had made when it was killed."""
        for one in edits:
            self.decisions.append(one.decision)
            made = [change.path for change in one.event.changes if change.hash_before is None]
            self._remember(one.decision.operation, one.rejected_on, made, one.event.changes)

    def settle(self, proposals: Sequence[Proposal], notes: Sequence[DreamNote]) -> int:
        """Decides about each, in their order, and applies what may be; returns how many were. ``notes`` are those that
        the proposals were made from. Ends early when it is cancelled: what is left waits for the next cycle."""
        before = len(self.applied)
        by_path = {note.path: note for note in notes}
        with ExitStack() as open_:
            gate: _Gate | None = None
            for place, proposal in enumerate(proposals):
                if self._rules.cancelled():
                    self.leave(proposals[place:])
                    break
                if self._is_settled(proposal, by_path):
                    continue
                if not proposal.destructive:
                    self._do_at_once(proposal)
                    continue
                if gate is None:
                    gated = self._to_be_weighed(proposals[place:], by_path)
                    gate = self._opened(open_, probes_for(self._vault.root, notes, gated), gated)
                self._weigh(proposal, gate)
            if gate is not None and gate.keeper is not None:
                self._decide(gate.taken(), gate.keeper)
                self._end_health(gate.keeper, gate.health)
        return len(self.applied) - before

    def _is_settled(self, proposal: Proposal, by_path: Mapping[str, DreamNote]) -> bool:
        """Whether it was decided without weighing it."""
        settled = self._settled_as(proposal, by_path)
        if settled is None:
            return False
        outcome, why = settled
        if outcome is Outcome.WAITING:
            self.waiting.append(proposal)
        elif outcome is Outcome.RESTING:
            self.undecided.update(proposal.inputs)
        self._record(proposal, outcome, why=why)
        return True

    def _settled_as(
        self, proposal: Proposal, by_path: Mapping[str, DreamNote]
    ) -> tuple[Outcome, str] | None:
        """What becomes of it without weighing it, and why; None when it has to be weighed."""
        found = rejection_of(proposal, self.rejected)
        if found is not None:
            return Outcome.REJECTED, found.reason
        if not proposal.does_something:
            return Outcome.WAITING, "nothing that could be done by machine"
        hand = [p for p in proposal.touched if p not in by_path or not by_path[p].managed]
        hand += [new.path for new in proposal.made if not self._places.is_memory(new.path)]
        if hand and not self._rules.hand_notes:
            return Outcome.WAITING, "it changes a note of yours"
        if on_these_notes(proposal.rejected_as, proposal.inputs) in self._rules.undone:
            return Outcome.WAITING, "you took something of the kind back before, in these notes"
        if proposal.is_guess:
            return Outcome.WAITING, "it may be meant otherwise"
        if proposal.operation in SETTLED_BY_RULES and proposal.decided_by != HEURISTIC:
            return Outcome.WAITING, f"{proposal.decided_by} says so, and no rule can check it"
        if proposal.destructive and self._rules.strategy is Strategy.CONSERVE:
            return Outcome.RESTING, ""
        if proposal.figures.get("evidence") == "not enough":
            return Outcome.EVIDENCE, "it is asked for too often to be sure"
        return None

    def _to_be_weighed(
        self, proposals: Sequence[Proposal], by_path: Mapping[str, DreamNote]
    ) -> list[Proposal]:
        """Those that the gate will be asked about, as far as there are questions for them: about twice what the budget
        allows, since some are refused."""
        gated = (p for p in proposals if p.destructive and self._settled_as(p, by_path) is None)
        return list(islice(gated, 2 * self.budget.edits + 2))

    # -- what costs no budget ----------------------------------------------------------------------------------------

    def _do_at_once(self, proposal: Proposal) -> None:
        if proposal.move is None and not self._rules.dry_run:
            self._write(proposal, None, None)
        elif (one := self._planned(proposal)) is not None:
            self._write(proposal, one.answer, None)

    # -- what the gate decides about -----------------------------------------------------------------------------------

    def _opened(
        self, open_: ExitStack, probes: Sequence[Probe], gated: Iterable[Proposal]
    ) -> _Gate:
        """The gate with these questions, until ``open_`` ends; closed where nothing can be tried out."""
        asked_about = frozenset(proposal.id for proposal in gated)
        try:
            keeper = open_.enter_context(Gatekeeper(self._vault, probes))
        except (RefusedError, FailedError, NotFoundError, PartlyDoneError) as error:
            return _Gate(None, asked_about, closed=str(error))
        return _Gate(keeper, asked_about, health=self._begin_health(keeper))

    def _weigh(self, proposal: Proposal, gate: _Gate) -> None:
        """Gets it ready for the gate, unless something stands before that."""
        if gate.keeper is None:
            self._put_off(proposal, Outcome.FAILED, gate.closed)
        elif proposal.id not in gate.asked_about:
            self._put_off(proposal, Outcome.BUDGET, NO_QUESTION_LEFT)
        elif not self._make_room(gate, gate.keeper):
            # Nothing is planned for it then: there may be hundreds.
            self._put_off(proposal, Outcome.BUDGET, NO_EDIT_LEFT)
        elif (one := self._planned(proposal)) is not None:
            self._line_up(one, gate, gate.keeper)

    def _make_room(self, gate: _Gate, keeper: Gatekeeper) -> bool:
        """Whether there is an edit left; where those that are ready need all, they are decided about first."""
        if len(gate.ready) >= self.budget.edits:
            self._decide(gate.taken(), keeper)
        return self.budget.edits >= 1

    def _line_up(self, one: _Ready, gate: _Gate, keeper: Gatekeeper) -> None:
        """Puts it beside those that are ready; they are decided about first where it has to do with them, or the budget
        has room only for what they may leave."""
        if one.concerns & _concerned(gate.ready) or self._refused(one, gate.ready):
            self._decide(gate.taken(), keeper)
        if refused := self._refused(one, gate.ready):
            self._put_off(one.proposal, Outcome.BUDGET, refused)
        else:
            gate.ready.append(one)

    def _planned(self, proposal: Proposal) -> _Ready | None:
        """The proposal with all that it would change; None when it cannot be done, or a person has to decide."""
        try:
            answer = apply_proposal(self._vault, proposal, cycle=self._rules.cycle, dry_run=True)
        except (ChangedSinceRead, WriteConflict) as error:
            self._put_off(proposal, Outcome.CONFLICT, str(error))
            return None
        except (RefusedError, FailedError, NotFoundError, PartlyDoneError) as error:
            self._put_off(proposal, Outcome.FAILED, str(error))
            return None
        own = {*proposal.touched, *(new.path for new in proposal.made)}
        others = [f.path for f in answer.files if f.path not in own]
        if others and not self._rules.hand_notes and not self._all_ours(others):
            self._wait(proposal, f"links in {others[0]} would change")
            return None
        concerns = frozenset((*proposal.inputs, *proposal.touched, *others))
        trials = trials_of(self._vault, proposal)
        return _Ready(proposal, answer, self._edit(proposal), concerns, trials)

    def _refused(self, one: _Ready, ready: Sequence[_Ready]) -> str:
        """Why the budget has no room for it beside those that are ready; "" when it has."""
        budget = self.budget
        for each in ready:
            budget = budget.spend(each.edit).budget
        return budget.spend(one.edit).refused

    def _decide(self, ready: Sequence[_Ready], keeper: Gatekeeper) -> None:
        """Lets the gate decide about edits that have nothing to do with each other."""
        decide(ready, _Panel(self, keeper))

    def try_all(self, ready: Sequence[_Ready], keeper: Gatekeeper) -> Judged:
        """Asks all questions with these edits in place, and writes them if they pass."""
        done: list[_Ready] = []
        with keeper.judging([t for one in ready for t in one.trials], self.best) as (result, keep):
            judged = Judged(result, keeper.lost())
            passed = judged.passes(len(ready))
            if passed:
                done = self._carry_out(ready, result)
                if len(done) == len(ready):
                    keep.keep()
        if passed and 0 < len(done) < len(ready):
            keeper.adopt([t for one in done for t in one.trials])
        if done and result.decision is Decision.ACCEPT_NEW_BEST and not self._rules.dry_run:
            known = dict(self.best.scores) if self.best is not None else {}
            scores = list((known | dict(keeper.current)).items())[-MOST_SCORES:]
            self.best = BestHealth(self._rules.cycle, dict(scores))
        return judged

    def _carry_out(self, ready: Sequence[_Ready], result: GateResult) -> list[_Ready]:
        """Writes them; those that were written."""
        if len(ready) > 1:
            others = "1 other edit" if len(ready) == 2 else f"{len(ready) - 1} other edits"
            result = replace(result, reason=f"{result.reason}, together with {others}")
        done = []
        for place, one in enumerate(ready):
            if self._rules.cancelled():
                self.leave([each.proposal for each in ready[place:]])
                break
            if self._write(one.proposal, one.answer, result):
                self.budget = self.budget.spend(one.edit).budget
                done.append(one)
        return done

    def refuse(self, one: _Ready, result: GateResult, keeper: Gatekeeper) -> None:
        """The gate is shut for it."""
        self._record(one.proposal, Outcome.GATE, why=result.reason, gate=result)
        if len(keeper.current) >= FEWEST_PROBES:
            self._remember_rejected(one.proposal, result.reason)
        else:
            self.undecided.update(one.proposal.inputs)

    # -- writing -------------------------------------------------------------------------------------------------------

    def _write(
        self, proposal: Proposal, planned: WriteAnswer | None, gate: GateResult | None
    ) -> bool:
        """Whether it was done, or would be. ``planned`` is needed for a preview, and for what moves a note."""
        if planned is not None and self._rules.dry_run:
            diff = "".join(map(_shown, planned.files))
            self._record(proposal, Outcome.PREVIEWED, gate=gate, diff=diff)
            return True
        try:
            done = apply_proposal(
                self._vault, proposal, cycle=self._rules.cycle, others=self._others(planned)
            )
        except (ChangedSinceRead, WriteConflict) as error:
            self._put_off(proposal, Outcome.CONFLICT, str(error))
            return False
        except (RefusedError, FailedError, NotFoundError, PartlyDoneError) as error:
            self._put_off(proposal, Outcome.FAILED, str(error))
            return False
        if done.event is None:
            self._put_off(proposal, Outcome.CONFLICT, "nothing was left to be done")
            return False
        self.applied[done.event] = proposal
        made = [new.path for new in proposal.made]
        self._remember(proposal.operation, proposal.inputs, made, done.files)
        if not proposal.destructive:
            self._follow(done.files)
        self._record(proposal, Outcome.APPLIED, gate=gate, event=done.event)
        return True

    def _others(self, planned: WriteAnswer | None) -> frozenset[str] | None:
        """The files whose links may follow a move: those of the plan that was looked at, since a person may have linked
        to the note while the gate was asked. None where the settings let it write a person's notes."""
        if self._rules.hand_notes:
            return None
        return frozenset(file.path for file in planned.files) if planned else frozenset()

    def _remember(
        self,
        operation: Operation,
        inputs: Mapping[str, str],
        made: Sequence[str],
        files: Iterable[ChangedFile | FileChange],
    ) -> None:
        self.changes += [
            NoteChange(file.path, file.hash_before or "", file.hash_after or "")
            for file in files
            if file.hash_before != file.hash_after
        ]
        if operation is Operation.DISTILL:
            self.distilled += made
        if operation is Operation.MERGE:
            first, second = sorted(inputs)
            self.merges.add((first, second))

    def _follow(self, files: Iterable[ChangedFile]) -> None:
        """A mended link or property makes nothing new of what a person rejected or took back on the same note."""
        for file in files:
            if file.hash_before and file.hash_after:
                self.rejected = self.rejected.followed(file.path, file.hash_before, file.hash_after)

    # -- small things ------------------------------------------------------------------------------------------

    def _all_ours(self, paths: Sequence[str]) -> bool:
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

    def leave(self, proposals: Sequence[Proposal]) -> None:
        """They wait for the next cycle."""
        for proposal in proposals:
            self.undecided.update(proposal.inputs)

    def _wait(self, proposal: Proposal, why: str) -> None:
        self.waiting.append(proposal)
        self._record(proposal, Outcome.WAITING, why=why)

    def _put_off(self, proposal: Proposal, outcome: Outcome, why: str) -> None:
        self.undecided.update(proposal.inputs)
        self._record(proposal, outcome, why=why)

    def _remember_rejected(self, proposal: Proposal, why: str) -> None:
        if not self._rules.dry_run:
            entry = Rejected(proposal.named, proposal.inputs, why, self._rules.cycle)
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
        if self._rules.dry_run and not diff:
            diff = proposal_diff(proposal, lambda path: read_text(self._vault.root, path))
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
        """The mean score as it is. After changes from outside that is the best state, too: what they did is not for the gate
        to hold against an edit."""
        if self.best is not None and self._changed_outside:
            self.best = self.best.rescored(keeper.current)
            self._changed_outside = False
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


@dataclass(frozen=True, slots=True)
class _Panel:
    """The gate and what a decision of it does."""

    conductor: Conductor
    keeper: Gatekeeper

    def try_all(self, edits: Sequence[_Ready]) -> Judged:
        return self.conductor.try_all(edits, self.keeper)

    def loses(self, edit: _Ready, probes: frozenset[str]) -> bool:
        return self.keeper.loses(edit.trials, probes)

    def refuse(self, edit: _Ready, result: GateResult) -> None:
        self.conductor.refuse(edit, result, self.keeper)

    def leave(self, edits: Sequence[_Ready]) -> None:
        self.conductor.leave([one.proposal for one in edits])

    def has_time(self) -> bool:
        return not self.conductor.is_cancelled


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


def _shown(file: ChangedFile) -> str:
    moved = f"{file.path} moved to {file.path_after}\n" if file.path_after else ""
    return file.diff + moved


def _mean(scores: Mapping[str, float]) -> float:
    return round(sum(scores.values()) / len(scores), 6) if scores else 0.0
