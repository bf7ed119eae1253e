"""One cycle of the dream, from its stages to its report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from vaultmem.cycle_spending import Spending, SpendingFile
from vaultmem.cycles import record_cycle
from vaultmem.dream.context import DreamContext, Stage, StageReport
from vaultmem.dream.distill import can_distil
from vaultmem.dream.lint import lint_findings
from vaultmem.dream.naming import Links
from vaultmem.dream.parts import whole_cycle
from vaultmem.dream.proposal import StageName
from vaultmem.dream.report import (
    CycleReport,
    CycleState,
    Outcome,
    StageSummary,
    Strategy,
)
from vaultmem.dream.strategy import Selected, select_strategy
from vaultmem.errors import (
    FailedError,
    IndexReadOnlyError,
    LockedError,
    VaultmemError,
    VaultVanishedError,
)
from vaultmem.evolution import (
    Alarm,
    CycleRecord,
    EditBudget,
    EvolutionState,
    MutationGate,
)
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
from vaultmem_daemon.dreaming.memory import DreamMemory, MemoryStore
from vaultmem_daemon.dreaming.places import DreamPlaces
from vaultmem_daemon.dreaming.recalls import read_recalls
from vaultmem_daemon.dreaming.remembering import (
    ended,
    with_decisions,
    with_recalls,
    with_what_was_done,
)
from vaultmem_daemon.dreaming.reporting import (
    community_changes,
    counts,
    insights,
    model_use,
    most_telling,
)
from vaultmem_daemon.dreaming.resuming import (
    OpenCycle,
    close,
    done_earlier,
    goes_on,
    moved_paths,
    new_name,
    read_open_cycle,
    spent,
)
from vaultmem_daemon.dreaming.reviews import Reviews
from vaultmem_daemon.dreaming.stages import DreamPipeline
from vaultmem_daemon.dreaming.stopped import stopped
from vaultmem_daemon.dreaming.worker import Seen, look_at_graph

if TYPE_CHECKING:
    from vaultmem.judge import Judge, Usage
    from vaultmem.judge.modeljudge import Keep

Progress = Callable[[str], None]
"""Called with what is being done, for a person who watches."""


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

    Raises LockedError when another dream runs, VaultVanishedError, RefusedError where the index cannot be brought up,
    CycleStoppedError when it ends by an error after it has changed something.
    """
    if dry_run:
        with suppress(IndexReadOnlyError):  # then it is previewed on what the index says
            vault.sync()
        return _Cycle(vault, clock_ns, strategy, True, now, cancelled, zone, progress, judge).run()
    with dream_lock(vault.root):
        vault.sync()
        return _Cycle(vault, clock_ns, strategy, False, now, cancelled, zone, progress, judge).run()


_MAY_HAPPEN: Final = frozenset((Outcome.WAITING, Outcome.PREVIEWED))


@dataclass(frozen=True, slots=True)
class _Begun:
    """A cycle that is under way."""

    cycle: str
    memory: DreamMemory
    selected: Selected
    changed: frozenset[str]
    conductor: Conductor
    reviews: Reviews


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
        self._before = OpenCycle()
        """What earlier parts of this very cycle did."""
        self._earlier: Mapping[tuple[StageName, str], int] = {}
        self._crowded_out = frozenset[str]()
        self._is_recorded = False

    def run(self) -> CycleReport:
        """The cycle."""
        reviews = Reviews(self._vault, self._clock_ns)
        if not self._dry_run:
            self._said += reviews.take_decisions(before_cycle=True).warnings
        memory = self._store.load() if self._store else DreamMemory()
        before = read_open_cycle(self._vault.root, memory.open_cycle)
        applied = {one.event.id: (one.rejected_as, one.rejected_on) for one in before.edits}
        memory = replace(memory, applied={**memory.applied, **applied})
        memory = with_decisions(memory, Journal(self._vault.root), self._date)
        mark = state_mark(self._vault)
        again = frozenset(memory.crowded_out) if reviews.has_room() else frozenset()
        if not (self._now or again) and memory.mark == mark and memory.day == self._today:
            return self._nothing(memory)
        self._crowded_out = frozenset(memory.crowded_out) - again
        if goes_on(memory, self._today, self._began_ns):
            self._before = before
            cycle = memory.open_cycle
        else:
            cycle = new_name(self._vault.root, self._date)
            memory = replace(memory, open_cycle=cycle, open_day=self._today, open_ns=self._began_ns)
        if not self._dry_run:
            self._said += close(self._vault.root, before, cycle)
        self._earlier = done_earlier(self._before.edits)
        self._judge = self._given_judge or _judge_of(
            self._vault, self._cancelled, self._before.usage, partial(self._keep, cycle)
        )
        if self._store and not self._dry_run:
            self._store.save(memory)
        corpus = read_corpus(self._vault)
        changed = frozenset(
            note.path
            for note in corpus.notes
            if self._now or note.path in again or memory.seen.get(note.path) != note.hash
        )
        memory = with_recalls(memory, read_recalls(self._vault.root, corpus.successors).queries)
        budget = self._budget()
        selected = self._select(memory, corpus, changed, budget)
        outside = memory.left_as != mark
        conductor = self._conductor(memory, cycle, selected.strategy, budget, corpus, outside)
        if not self._dry_run:
            conductor.take_over(self._before.untold)
        begun = _Begun(cycle, memory, selected, changed, conductor, reviews)
        try:
            state, corpus = self._run_stages(begun, corpus)
            graph = self._look_at_graph() if state is CycleState.DONE else None
            return self._end(begun, corpus, state, graph)
        except (VaultVanishedError, LockedError):
            raise
        except VaultmemError as error:
            raise self._stopped(begun, corpus, error) from error

    # -- the way through -----------------------------------------------------------------------------------------

    def _budget(self) -> EditBudget:
        """What the cycle may still change."""
        settings = self._vault.settings.dream
        budget = EditBudget(settings.edits, settings.kilobytes * 1024)
        if not self._before.name:
            return budget
        return spent(self._vault.root, self._before.name, budget, community_of(self._vault))

    def _keep(self, cycle: str, usage: Usage) -> str:
        """Keeps what the cycle has taken from a model; why it could not."""
        if self._dry_run:
            return ""
        carried = self._before.carried
        if carried is not None:
            usage = carried.usage + usage
        model = self._vault.settings.judge.model
        try:
            SpendingFile(self._vault.root).save(Spending(cycle, self._began_ns, model, usage))
        except FailedError as error:
            return f"what it takes could not be kept ({error.message.rstrip('.')})"
        return ""

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
        changed_outside: bool,
    ) -> Conductor:
        evolution = memory.evolution
        rules = Rules(
            cycle=cycle,
            strategy=strategy,
            hand_notes=self._writes_hand_notes,
            dry_run=self._dry_run,
            cancelled=self._cancelled,
            community_of=community_of(self._vault),
            undone=frozenset(memory.undone),
        )
        rejected = evolution.rejected.still_valid(corpus.hashes)
        return Conductor(
            self._vault,
            rules,
            budget=budget,
            rejected=rejected,
            best=evolution.best,
            changed_outside=changed_outside,
        )

    def _run_stages(self, begun: _Begun, corpus: Corpus) -> tuple[CycleState, Corpus]:
        conductor = begun.conductor
        pipeline = DreamPipeline.from_strategy(begun.selected.strategy)
        linted: Corpus | None = None
        for stage in pipeline.stages:
            if self._cancelled():
                self._look_again(begun, linted, corpus)
                return CycleState.CANCELLED, corpus
            self._progress(str(stage.name))
            began = time.monotonic()
            report = self._proposed(stage, self._context(begun, corpus))
            linted = corpus if stage.name is StageName.LINT else linted
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
        self._look_again(begun, linted, corpus)
        return (CycleState.CANCELLED if self._cancelled() else CycleState.DONE), corpus

    def _look_again(self, begun: _Begun, linted: Corpus | None, corpus: Corpus) -> None:
        """Lets the report tell what is still wrong after the cycle, and not what it has mended since that was ``linted``."""
        if linted is None or linted is corpus:
            return
        self._reports = [
            (name, replace(report, findings=lint_findings(self._context(begun, corpus))))
            if name is StageName.LINT and report.looked_at
            else (name, report)
            for name, report in self._reports
        ]

    def _proposed(self, stage: Stage, context: DreamContext) -> StageReport:
        """What the stage proposes; nothing, and all is looked at again, when it fails. A judge may be anybody's, so what
        it raises may be anything, and must not cost the other stages their night."""
        try:
            return stage.propose(context)
        except Exception as error:  # noqa: BLE001 - see above
            self._said.append(f"The stage {stage.name} failed: {type(error).__name__}")
            return StageReport(undecided=context.changed)

    @property
    def _writes_hand_notes(self) -> bool:
        return self._vault.settings.dream.hand_notes == "write"

    @cached_property
    def _moved(self) -> Mapping[str, str]:
        """The journal is read once a cycle for it, and not for each stage."""
        return moved_paths(Journal(self._vault.root))

    def _leaving(self, begun: _Begun, corpus: Corpus) -> dict[str, str]:
        """By path of each note that is to be archived, as this cycle or an earlier one would have it, the one that takes its
        place; "" where none does."""
        open_ = {d.proposal for d in begun.conductor.decisions if d.outcome in _MAY_HAPPEN}
        own = [p for _, report in self._reports for p in report.proposals if p.id in open_]
        earlier = (
            proposal
            for proposal in begun.reviews.waiting()
            if all(corpus.hashes.get(path) == held for path, held in proposal.inputs.items())
        )
        return {p.move.path: p.keeper for p in (*earlier, *own) if p.move is not None}

    def _context(self, begun: _Begun, corpus: Corpus) -> DreamContext:
        recalls = read_recalls(self._vault.root, corpus.successors)
        return DreamContext(
            cycle=begun.cycle,
            now_ns=self._began_ns,
            today=self._today,
            notes=corpus.notes,
            changed=begun.changed,
            links=corpus.links,
            faults=corpus.faults,
            file_names=corpus.paths,
            judge=self._judge,
            read=lambda path: read_text(self._vault.root, path),
            recalls=recalls.queries,
            last_recalled_ns=recalls.last_ns,
            rejected=begun.conductor.rejected,
            settings=read_obsidian_config(self._vault.root),
            memory_root=self._places.memory,
            archive=self._places.archive,
            neighbours=lambda notes: neighbours_of(self._vault, corpus, notes),
            cancelled=self._cancelled,
            by_path=corpus.by_path,
            earlier=self._earlier,
            moved=self._moved,
            leaving=self._leaving(begun, corpus),
            hand_notes=self._writes_hand_notes,
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
        self, begun: _Begun, corpus: Corpus, state: CycleState, graph: Sequence[Seen] | None
    ) -> CycleReport:
        mutation, alarms = self._mutation(begun, state)
        report = self._report(begun, corpus, state, graph, alarms)
        if self._dry_run:
            return report
        closing = Closing(self._vault, begun.reviews, zone=self._zone)
        not_kept, fault = closing.offer(begun.conductor.waiting)
        self._crowded_out |= {path for proposal in not_kept for path in proposal.inputs}
        if fault:
            report = replace(report, said=(*report.said, fault))
        report = closing.write_notes(report, self._before.parts)
        self._record(report)
        self._remember(begun, corpus, state, graph, mutation)
        return report

    def _stopped(self, begun: _Begun, corpus: Corpus, error: VaultmemError) -> VaultmemError:
        """Tells in the journal, as far as the disk takes it, that the cycle was ended by the error; the error to raise."""
        if self._dry_run:
            return error
        mutation, alarms = self._mutation(begun, CycleState.FAILED)
        report = self._report(begun, corpus, CycleState.FAILED, None, alarms)
        report = replace(report, said=(*report.said, error.message))
        with suppress(VaultmemError):  # then its events tell of its edits
            if not self._is_recorded:
                closing = Closing(self._vault, begun.reviews, zone=self._zone)
                report = closing.write_notes(report, self._before.parts)
                self._record(report)
            self._remember(begun, corpus, CycleState.FAILED, None, mutation)
        return stopped(whole_cycle([*self._before.parts, report]), error)

    def _mutation(self, begun: _Begun, state: CycleState) -> tuple[MutationGate, tuple[Alarm, ...]]:
        """The gate against loops as it is after the cycle, and the loops that it closed."""
        conductor = begun.conductor
        before = begun.memory.evolution.mutation
        mutation, alarms = before, tuple[Alarm, ...]()
        if conductor.changes and not self._dry_run:
            record = CycleRecord(
                begun.cycle,
                frozenset(conductor.merges),
                tuple(conductor.changes),
                distilled=len(conductor.distilled),
            )
            mutation, alarms = before.after(record)
        elif begun.selected.strategy is Strategy.CONSERVE:
            mutation = before.rested()
        if state is not CycleState.DONE and not alarms:
            mutation = replace(mutation, rest=before.rest)  # it goes on, and has not rested yet
        return mutation, alarms

    def _report(
        self,
        begun: _Begun,
        corpus: Corpus,
        state: CycleState,
        graph: Sequence[Seen] | None,
        alarms: Sequence[Alarm],
    ) -> CycleReport:
        conductor = begun.conductor
        findings = [finding for _, report in self._reports for finding in report.findings]
        return CycleReport(
            cycle=begun.cycle,
            strategy=begun.selected.strategy,
            why_strategy=begun.selected.why,
            state=state,
            began_ns=self._began_ns,
            ended_ns=self._clock_ns(),
            notes=len(corpus.notes),
            changed=len(begun.changed),
            decisions=tuple(conductor.decisions),
            stages=tuple(self._stages),
            findings=tuple(most_telling(findings)),
            finding_counts=counts(findings),
            suspects=tuple(sorted({p for _, r in self._reports for p in r.suspects})),
            communities=community_changes(graph, begun.memory.communities),
            insights=insights(graph, Links(corpus.paths)),
            alarms=tuple(f"{alarm.loop}: {alarm.what}" for alarm in alarms),
            health=conductor.health,
            model=model_use(self._judge, self._before.carried),
            edits_left=conductor.budget.edits,
            bytes_left=conductor.budget.size,
            dry_run=self._dry_run,
            said=tuple(self._said),
        )

    def _record(self, report: CycleReport) -> None:
        record_cycle(self._vault.root, report)
        self._is_recorded = True
        SpendingFile(self._vault.root).remove()  # the report tells it

    def _remember(
        self,
        begun: _Begun,
        corpus: Corpus,
        state: CycleState,
        graph: Sequence[Seen] | None,
        mutation: MutationGate,
    ) -> None:
        if self._store is None:
            return
        conductor = begun.conductor
        left_as = "" if state is CycleState.FAILED else state_mark(self._vault)
        evolution = EvolutionState(conductor.best, conductor.rejected, mutation)
        kept = replace(
            with_what_was_done(begun.memory, conductor, graph),
            evolution=evolution,
            journal_ns=self._began_ns,
            left_as=left_as,
        )
        if state is CycleState.DONE:
            corpus = read_corpus(self._vault) if conductor.applied else corpus
            kept = ended(kept, corpus, conductor.undecided, self._today, self._crowded_out)
        self._store.save(kept)

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
            said=tuple(self._said),
        )


EPOCH_DAY: Final = datetime(1970, 1, 1).toordinal()


def _judge_of(vault: Vault, cancelled: Callable[[], bool], before: Usage, keep: Keep) -> Judge:
    """The judge that settings ask for, for a cycle that took so much before; ``keep`` keeps what it takes. Raises
    SettingsError when it cannot be had."""
    from vaultmem.judge import make_judge

    return make_judge(
        vault.settings.judge,
        os.environ,
        clock=time.monotonic,
        sleep=time.sleep,
        stop=cancelled,
        before=before,
        keep=keep,
    )


def _is_kept(vault: Vault) -> bool:
    """Whether there is something to remember by; not on media that cannot be written."""
    folder = vault.root / STATE_FOLDER
    return folder.is_dir() and is_writable(folder)
