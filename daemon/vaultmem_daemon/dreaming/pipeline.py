"""One cycle of the dream, from its stages to its report. The one place where stages are put together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self

from vaultmem.cycles import cycle_names, cycles, record_cycle
from vaultmem.dream.consolidate import ConsolidateStage
from vaultmem.dream.context import DreamContext, Stage, StageReport
from vaultmem.dream.decay import DecayStage
from vaultmem.dream.distill import DistillStage, can_distil
from vaultmem.dream.drift import DriftStage
from vaultmem.dream.lint import LintStage
from vaultmem.dream.naming import Links
from vaultmem.dream.proposal import Operation, StageName
from vaultmem.dream.report import (
    CycleReport,
    CycleState,
    DecisionRecord,
    Outcome,
    StageSummary,
    Strategy,
)
from vaultmem.dream.strategy import Selected, select_strategy
from vaultmem.errors import IndexReadOnlyError
from vaultmem.evolution import (
    CycleRecord,
    EditBudget,
    EvolutionState,
    Rejected,
)
from vaultmem.evolution.mutation import KEPT
from vaultmem.files.dream_lock import dream_lock
from vaultmem.files.journal import Journal
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.places import is_writable
from vaultmem.places import STATE_FOLDER
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.closing import Closing
from vaultmem_daemon.dreaming.conductor import Conductor, Rules
from vaultmem_daemon.dreaming.corpus import (
    Corpus,
    community_of,
    neighbours_of,
    read_corpus,
    read_text,
    state_mark,
)
from vaultmem_daemon.dreaming.cut_off import Untold, untold_edits
from vaultmem_daemon.dreaming.memory import DreamMemory, MemoryStore
from vaultmem_daemon.dreaming.places import DreamPlaces
from vaultmem_daemon.dreaming.recalls import read_recalls
from vaultmem_daemon.dreaming.reporting import (
    community_changes,
    counts,
    insights,
    model_use,
    most_telling,
)
from vaultmem_daemon.dreaming.resuming import (
    asked_already,
    done_earlier,
    moved_paths,
    rejected_by_hand,
    spent,
    taken_back,
)
from vaultmem_daemon.dreaming.reviews import Reviews
from vaultmem_daemon.dreaming.worker import Seen, look_at_graph

if TYPE_CHECKING:
    from vaultmem.judge import Judge, Usage

Progress = Callable[[str], None]
"""Called with what is being done, for a person who watches."""


@dataclass(frozen=True, slots=True)
class DreamPipeline:
    """The stages of a cycle, in their order; communities and the digest, which propose nothing, follow them."""

    strategy: Strategy
    stages: tuple[Stage, ...]

    @classmethod
    def from_strategy(cls, strategy: Strategy) -> Self:
        """The stages of that strategy. Conserve has the same ones but for distillation: what it finds is told, and
        only what costs no budget is done. New overviews are made by Synthesize alone."""
        upkeep: tuple[Stage, ...] = (ConsolidateStage(), DriftStage(), LintStage(), DecayStage())
        if strategy is Strategy.CONSERVE:
            return cls(strategy, upkeep)
        return cls(strategy, (*upkeep, DistillStage(synthesize=strategy is Strategy.SYNTHESIZE)))


def run_cycle(
    vault: Vault,
    *,
    clock_ns: Callable[[], int] = time.time_ns,
    strategy: Strategy | None = None,
    dry_run: bool = False,
    now: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    zone: tzinfo | None = None,
    progress: Progress = lambda _: None,
    judge: Judge | None = None,
) -> CycleReport:
    """Runs a cycle and says what it did. ``zone`` is the person's time zone, by default the machine's. With ``now``
    all notes are looked at, whether or not they changed since the last cycle; with ``dry_run`` nothing is written, and
    the decisions carry their diffs.

    Raises LockedError when another dream runs, VaultVanishedError, RefusedError where the index cannot be brought up.
    """
    if dry_run:
        with suppress(IndexReadOnlyError):  # then it is previewed on what the index says
            vault.sync()
        return _Cycle(vault, clock_ns, strategy, True, now, cancelled, zone, progress, judge).run()
    with dream_lock(vault.root):
        vault.sync()
        return _Cycle(vault, clock_ns, strategy, False, now, cancelled, zone, progress, judge).run()


class _Cycle:
    def __init__(
        self,
        vault: Vault,
        clock_ns: Callable[[], int],
        asked: Strategy | None,
        dry_run: bool,
        now: bool,
        cancelled: Callable[[], bool],
        zone: tzinfo | None,
        progress: Progress,
        judge: Judge | None,
    ) -> None:
        self._vault = vault
        self._clock_ns = clock_ns
        self._asked = asked
        self._dry_run = dry_run
        self._now = now
        self._cancelled = cancelled
        self._zone = zone
        self._progress = progress
        self._store = MemoryStore(vault.root) if not dry_run or _is_kept(vault) else None
        self._given_judge = judge
        self._judge: Judge  # made once it is known what the cycle took before
        self._places = DreamPlaces.of(vault)
        self._began_ns = clock_ns()
        moment = datetime.fromtimestamp(self._began_ns / 1e9, zone)
        self._date = moment.date().isoformat()
        self._today = moment.date().toordinal() - EPOCH_DAY
        self._reports: list[tuple[StageName, StageReport]] = []
        self._stages: list[StageSummary] = []
        self._said: list[str] = []
        self._earlier: Mapping[tuple[StageName, Operation], int] = {}
        self._crowded_out = frozenset[str]()
        self._told: Sequence[DecisionRecord] = ()
        """What earlier parts of the same cycle did, and have reported."""

    def run(self) -> CycleReport:
        """The cycle."""
        reviews = Reviews(self._vault, self._clock_ns)
        if not self._dry_run:
            self._said += reviews.take_decisions().warnings
        memory = self._store.load() if self._store else DreamMemory()
        told, untold = self._cut_off(memory)
        applied = {one.event.id: (one.rejected_as, one.inputs) for one in untold}
        memory = self._with_decisions(replace(memory, applied={**memory.applied, **applied}))
        mark = state_mark(self._vault)
        again = frozenset(memory.crowded_out) if reviews.has_room() else frozenset()
        if not (self._now or again) and memory.mark == mark and memory.day == self._today:
            return self._nothing(memory)
        self._crowded_out = frozenset(memory.crowded_out) - again
        cycle, budget = self._opened(memory)
        self._earlier = done_earlier(self._vault.root, cycle)
        goes_on = cycle == memory.open_cycle
        self._judge = self._given_judge or _judge_of(
            self._vault, self._cancelled, asked_already(self._vault.root, cycle)
        )
        if self._store and not self._dry_run:
            memory = replace(memory, open_cycle=cycle, open_day=self._today)
            self._store.save(memory)
        corpus = read_corpus(self._vault)
        changed = frozenset(
            note.path
            for note in corpus.notes
            if self._now or note.path in again or memory.seen.get(note.path) != note.hash
        )
        memory = self._with_recalls(memory, corpus)
        selected = self._select(memory, corpus, changed, budget)
        conductor = self._conductor(memory, cycle, selected.strategy, budget, corpus, changed)
        if goes_on:
            conductor.take_over(untold)
            self._told = told
        elif untold:
            self._said.append(
                f"The cycle {untold[0].event.cycle} was cut off after {len(untold)} of its edits: "
                f"`vaultmem undo cycle:{untold[0].event.cycle}` takes them back."
            )
        state, corpus = self._run_stages(conductor, selected, corpus, changed, cycle)
        graph = self._look_at_graph() if state is CycleState.DONE else None
        return self._end(memory, conductor, selected, corpus, changed, cycle, state, graph, reviews)

    # -- the way through -----------------------------------------------------------------------------------------

    def _cut_off(self, memory: DreamMemory) -> tuple[list[DecisionRecord], list[Untold]]:
        """What a cycle did that was begun and has not ended: what it reported when it was called off, and what it did not
        come to report, since it was killed."""
        if self._dry_run or not memory.open_cycle:
            return [], []
        parts = list(cycles(self._vault.root, wanted=memory.open_cycle))[::-1]
        told = [decision for part in parts for decision in part.of(Outcome.APPLIED)]
        journal = Journal(self._vault.root)
        return told, untold_edits(journal, memory.open_cycle, {each.event for each in told})

    def _opened(self, memory: DreamMemory) -> tuple[str, EditBudget]:
        """The cycle's name, and what it may still change: a cycle that was killed or cancelled today goes on."""
        settings = self._vault.settings.dream
        budget = EditBudget(settings.edits, settings.kilobytes * 1024)
        names = cycle_names(self._vault.root, self._date)
        if memory.open_cycle and memory.open_day == self._today:
            cycle, communities = memory.open_cycle, community_of(self._vault)
            return cycle, spent(self._vault.root, cycle, budget, communities)
        number, name = 1, self._date
        while name in names:
            number += 1
            name = f"{self._date}.{number}"
        return name, budget

    def _with_recalls(self, memory: DreamMemory, corpus: Corpus) -> DreamMemory:
        """With what is known by now of how many distilled notes of each cycle people and agents were answered with."""
        asked = read_recalls(self._vault.root, corpus.successors).queries
        recalled = {
            cycle: sum(path in asked for path in paths) for cycle, paths in memory.distilled.items()
        }
        evolution = memory.evolution
        mutation = evolution.mutation.with_recalls(recalled)
        return replace(memory, evolution=replace(evolution, mutation=mutation))

    def _select(
        self, memory: DreamMemory, corpus: Corpus, changed: frozenset[str], budget: EditBudget
    ) -> Selected:
        """In the first night everything is new, which says nothing of it."""
        ours = sum(note.managed and note.path in changed for note in corpus.notes)
        return select_strategy(
            memory.evolution.mutation,
            changed=ours if memory.seen else 0,
            writable=is_writable(self._vault.root / STATE_FOLDER) or self._dry_run,
            budget=budget.edits,
            can_distil=can_distil(corpus.notes),
            asked=self._asked,
        )

    def _conductor(
        self,
        memory: DreamMemory,
        cycle: str,
        strategy: Strategy,
        budget: EditBudget,
        corpus: Corpus,
        changed: frozenset[str],
    ) -> Conductor:
        evolution = memory.evolution
        best = evolution.best
        if best is not None and changed:
            best = None  # changed from outside: the state of now is the measure, see Gatekeeper.best_now
        rules = Rules(
            cycle=cycle,
            strategy=strategy,
            hand_notes=self._vault.settings.dream.hand_notes == "write",
            dry_run=self._dry_run,
            cancelled=self._cancelled,
            community_of=community_of(self._vault),
        )
        rejected = evolution.rejected.still_valid(corpus.hashes)
        return Conductor(self._vault, rules, budget=budget, rejected=rejected, best=best)

    def _run_stages(
        self,
        conductor: Conductor,
        selected: Selected,
        corpus: Corpus,
        changed: frozenset[str],
        cycle: str,
    ) -> tuple[CycleState, Corpus]:
        pipeline = DreamPipeline.from_strategy(selected.strategy)
        for stage in pipeline.stages:
            if self._cancelled():
                return CycleState.CANCELLED, corpus
            self._progress(str(stage.name))
            began = time.monotonic()
            report = self._proposed(stage, self._context(corpus, changed, conductor, cycle))
            conductor.undecided.update(report.undecided)
            before = len(conductor.decisions)
            applied = conductor.settle(report.proposals, corpus.notes)
            made = conductor.decisions[before:]
            self._reports.append((stage.name, report))
            self._stages.append(
                StageSummary(
                    stage=stage.name,
                    looked_at=report.looked_at,
                    proposed=len(report.proposals),
                    applied=applied,
                    waiting=sum(d.outcome is Outcome.WAITING for d in made),
                    seconds=round(time.monotonic() - began, 3),
                )
            )
            if applied and not self._dry_run:
                corpus = read_corpus(self._vault)
        return (CycleState.CANCELLED if self._cancelled() else CycleState.DONE), corpus

    def _proposed(self, stage: Stage, context: DreamContext) -> StageReport:
        """What the stage proposes; nothing, and all is looked at again, when it fails. A judge may be anybody's, so what
        it raises may be anything, and must not cost the other stages their night."""
        try:
            return stage.propose(context)
        except Exception as error:  # noqa: BLE001 - see above
            self._said.append(f"The stage {stage.name} failed: {type(error).__name__}")
            return StageReport(undecided=context.changed)

    @cached_property
    def _moved(self) -> Mapping[str, str]:
        """The journal is read once a cycle for it, and not for each stage."""
        return moved_paths(Journal(self._vault.root))

    def _context(
        self, corpus: Corpus, changed: frozenset[str], conductor: Conductor, cycle: str
    ) -> DreamContext:
        recalls = read_recalls(self._vault.root, corpus.successors)
        return DreamContext(
            cycle=cycle,
            now_ns=self._began_ns,
            today=self._today,
            notes=corpus.notes,
            changed=changed,
            links=corpus.links,
            faults=corpus.faults,
            file_names=corpus.paths,
            judge=self._judge,
            read=lambda path: read_text(self._vault.root, path),
            recalls=recalls.queries,
            last_recalled_ns=recalls.last_ns,
            rejected=conductor.rejected,
            settings=read_obsidian_config(self._vault.root),
            memory_root=self._places.memory,
            archive=self._places.archive,
            neighbours=lambda notes: neighbours_of(self._vault, corpus, notes),
            cancelled=self._cancelled,
            by_path=corpus.by_path,
            earlier=self._earlier,
            moved=self._moved,
        )

    def _look_at_graph(self) -> list[Seen] | None:
        self._progress(str(StageName.COMMUNITIES))
        began = time.monotonic()
        if self._dry_run and not is_writable(self._vault.index_dir):
            return None
        seen = look_at_graph(self._vault.root, self._cancelled)
        if seen is None and not self._cancelled():
            self._said.append(
                "Communities could not be worked out; the rest of the cycle was done."
            )
        seconds = round(time.monotonic() - began, 3)
        summary = StageSummary(StageName.COMMUNITIES, len(seen or ()), 0, 0, 0, seconds)
        self._stages.append(summary)
        return seen

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(
        self,
        memory: DreamMemory,
        conductor: Conductor,
        selected: Selected,
        corpus: Corpus,
        changed: frozenset[str],
        cycle: str,
        state: CycleState,
        graph: Sequence[Seen] | None,
        reviews: Reviews,
    ) -> CycleReport:
        record = CycleRecord(
            cycle,
            frozenset(conductor.merges),
            tuple(conductor.changes),
            distilled=len(conductor.distilled),
        )
        before = memory.evolution.mutation
        mutation, alarms = (
            before.after(record)
            if conductor.changes and not self._dry_run
            else (before.rested(), ())
            if selected.strategy is Strategy.CONSERVE
            else (before, ())
        )
        if state is CycleState.CANCELLED and not alarms:
            mutation = replace(mutation, rest=before.rest)  # it goes on, and has not rested yet
        findings = [finding for _, report in self._reports for finding in report.findings]
        report = CycleReport(
            cycle=cycle,
            strategy=selected.strategy,
            why_strategy=selected.why,
            state=state,
            began_ns=self._began_ns,
            ended_ns=self._clock_ns(),
            notes=len(corpus.notes),
            changed=len(changed),
            decisions=tuple(conductor.decisions),
            stages=tuple(self._stages),
            findings=tuple(most_telling(findings)),
            finding_counts=counts(findings),
            suspects=tuple(sorted({p for _, r in self._reports for p in r.suspects})),
            communities=community_changes(graph, memory.communities),
            insights=insights(graph, Links(corpus.paths)),
            alarms=tuple(f"{alarm.loop}: {alarm.what}" for alarm in alarms),
            health=conductor.health,
            model=model_use(self._judge),
            edits_left=conductor.budget.edits,
            bytes_left=conductor.budget.size,
            dry_run=self._dry_run,
            said=tuple(self._said),
        )
        if self._dry_run:
            return report
        closing = Closing(self._vault, reviews, zone=self._zone)
        not_kept, fault = closing.offer(conductor.waiting)
        self._crowded_out |= {path for proposal in not_kept for path in proposal.inputs}
        if fault:
            report = replace(report, said=(*report.said, fault))
        report = closing.write_notes(report, self._told)
        record_cycle(self._vault.root, report)
        if self._store:
            kept = self._remembered(memory, conductor, corpus, state, graph)
            evolution = EvolutionState(conductor.best, conductor.rejected, mutation)
            self._store.save(replace(kept, evolution=evolution))
        return report

    def _remembered(
        self,
        memory: DreamMemory,
        conductor: Conductor,
        corpus: Corpus,
        state: CycleState,
        graph: Sequence[Seen] | None,
    ) -> DreamMemory:
        """What the next cycle needs to know. Of a cycle that was cancelled nothing counts as looked at."""
        applied = dict(memory.applied)
        applied.update(
            {
                event: (proposal.rejected_as, dict(proposal.inputs))
                for event, proposal in conductor.applied.items()
            }
        )
        communities = (
            {each.name: each.size for each in graph if each.kind == "community"}
            if graph is not None
            else memory.communities
        )
        kept = replace(
            memory,
            communities=communities,
            applied=dict(list(applied.items())[-MOST_APPLIED:]),
            distilled=_distilled(memory, conductor),
            journal_ns=self._began_ns,
        )
        if state is not CycleState.DONE:
            return kept
        corpus = read_corpus(self._vault) if conductor.applied else corpus
        left = conductor.undecided
        return replace(
            kept,
            seen={note.path: note.hash for note in corpus.notes if note.path not in left},
            mark="" if left else state_mark(self._vault),
            day=self._today,
            open_cycle="",
            open_day=-1,
            crowded_out=tuple(sorted(self._crowded_out)),
        )

    def _with_decisions(self, memory: DreamMemory) -> DreamMemory:
        """What a person rejected, or took back, is not done again."""
        rejected = memory.evolution.rejected
        journal = Journal(self._vault.root)
        since_ns = memory.journal_ns - LATE_NS
        for operation, inputs in rejected_by_hand(journal, since_ns):
            entry = Rejected(operation, inputs, "you rejected it", "")
            rejected = rejected.with_rejected(entry)
        for event in taken_back(journal, since_ns):
            if event in memory.applied:
                operation, inputs = memory.applied[event]
                rejected = rejected.with_rejected(
                    Rejected(operation, inputs, "it was undone", self._date)
                )
        return replace(memory, evolution=replace(memory.evolution, rejected=rejected))

    def _nothing(self, memory: DreamMemory) -> CycleReport:
        return CycleReport(
            cycle=self._date,
            strategy=Strategy.CONSERVE
            if memory.evolution.mutation.conserve
            else Strategy.CONSOLIDATE,
            why_strategy="Nothing has changed since the last cycle.",
            state=CycleState.NOTHING,
            began_ns=self._began_ns,
            ended_ns=self._clock_ns(),
            notes=len(memory.seen),
            changed=0,
            dry_run=self._dry_run,
        )


LATE_NS: Final = 30 * 86_400 * 1_000_000_000
"""So late the journal of another device may come, or so far a clock be wrong, for what a person decided to be heard."""
EPOCH_DAY: Final = datetime(1970, 1, 1).toordinal()
MOST_APPLIED: Final = 2_000
"""Applied proposals that are remembered, for the case that they are undone."""


def _distilled(memory: DreamMemory, conductor: Conductor) -> dict[str, tuple[str, ...]]:
    """By cycle the notes made of others, of the cycles whose history counts."""
    held = dict(memory.distilled)
    if conductor.distilled:
        cycle = conductor.cycle
        held[cycle] = (*held.get(cycle, ()), *conductor.distilled)
    return dict(list(held.items())[-KEPT:])


def _judge_of(vault: Vault, cancelled: Callable[[], bool], before: Usage) -> Judge:
    """The judge that settings ask for, for a cycle that took so much before. Raises SettingsError when it cannot be
    had."""
    from vaultmem.judge import make_judge

    return make_judge(
        vault.settings.judge,
        os.environ,
        clock=time.monotonic,
        sleep=time.sleep,
        stop=cancelled,
        before=before,
    )


def _is_kept(vault: Vault) -> bool:
    """Whether there is something to remember by; not on media that cannot be written."""
    folder = vault.root / STATE_FOLDER
    return folder.is_dir() and is_writable(folder)
