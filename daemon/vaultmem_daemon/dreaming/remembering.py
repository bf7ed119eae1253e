"""What a cycle makes of what the dream remembers: what a person decided since, what it did itself, what it has looked at.
Pure but for the journal that is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from vaultmem.cycle_edits import edits_among
from vaultmem.evolution import Rejected, on_these_notes
from vaultmem.evolution.mutation import KEPT
from vaultmem.files.journal import Journal
from vaultmem_daemon.dreaming.conductor import Conductor
from vaultmem_daemon.dreaming.corpus import Corpus
from vaultmem_daemon.dreaming.memory import DreamMemory
from vaultmem_daemon.dreaming.resuming import accepted_as, moved_paths, rejected_by_hand, taken_back
from vaultmem_daemon.dreaming.worker import Seen

LATE_NS: Final = 30 * 86_400 * 1_000_000_000
"""So late the journal of another device may come, or so far a clock be wrong, for what a person decided to be heard."""
MOST_APPLIED: Final = 2_000
"""Applied proposals that are remembered, for the case that they are undone."""


def with_decisions(memory: DreamMemory, journal: Journal, today: str) -> DreamMemory:
    """With what a person rejected, or took back: it is not done again, and what was taken back never unasked."""
    rejected = memory.evolution.rejected
    undone = dict.fromkeys(memory.undone)
    since_ns = memory.journal_ns - LATE_NS
    for operation, inputs in rejected_by_hand(journal, since_ns):
        rejected = rejected.with_rejected(Rejected(operation, inputs, "you rejected it", ""))
    taken = frozenset(taken_back(journal, since_ns))
    done = [memory.applied[event] for event in sorted(taken & memory.applied.keys())]
    elsewhere = edits_among(journal, taken - memory.applied.keys())
    done += [(edit.rejected_as, edit.rejected_on) for edit in elsewhere]
    moved = moved_paths(journal) if taken else {}
    for operation, inputs in (*done, *accepted_as(journal, taken)):
        rejected = rejected.with_rejected(Rejected(operation, inputs, "it was undone", today))
        undone[on_these_notes(operation, inputs)] = None
        undone[on_these_notes(operation, [moved.get(path, path) for path in inputs])] = None
    return replace(
        memory,
        evolution=replace(memory.evolution, rejected=rejected),
        undone=tuple(undone)[-MOST_APPLIED:],
    )


def with_recalls(memory: DreamMemory, asked: Collection[str]) -> DreamMemory:
    """With what is known by now of how many distilled notes of each cycle people and agents were answered with: ``asked``
    are the paths of all notes that answered."""
    recalled = {
        cycle: sum(path in asked for path in paths) for cycle, paths in memory.distilled.items()
    }
    evolution = memory.evolution
    mutation = evolution.mutation.with_recalls(recalled)
    return replace(memory, evolution=replace(evolution, mutation=mutation))


def with_what_was_done(
    memory: DreamMemory, conductor: Conductor, graph: Sequence[Seen] | None
) -> DreamMemory:
    """With what the cycle did, which counts also where it was cut off; ``graph`` None: nobody looked at it."""
    applied = dict(memory.applied)
    applied.update(
        {
            event: (proposal.rejected_as, dict(proposal.rejected_on))
            for event, proposal in conductor.applied.items()
        }
    )
    communities = (
        {each.name: each.size for each in graph if each.kind == "community"}
        if graph is not None
        else memory.communities
    )
    return replace(
        memory,
        communities=communities,
        applied=dict(list(applied.items())[-MOST_APPLIED:]),
        distilled=_distilled(memory, conductor),
    )


def ended(
    memory: DreamMemory,
    corpus: Corpus,
    left: Collection[str],
    today: int,
    crowded_out: Collection[str],
) -> DreamMemory:
    """With all notes looked at but those that were ``left``, as a whole cycle does that has ended; of one that was cut off
    nothing counts as looked at."""
    return replace(
        memory,
        seen={note.path: note.hash for note in corpus.notes if note.path not in left},
        mark="" if left else memory.left_as,
        day=today,
        open_cycle="",
        open_day=-1,
        open_ns=0,
        crowded_out=tuple(sorted(crowded_out)),
    )


def _distilled(memory: DreamMemory, conductor: Conductor) -> dict[str, tuple[str, ...]]:
    """By cycle the notes made of others, of the cycles whose history counts."""
    held = dict(memory.distilled)
    if conductor.distilled:
        cycle = conductor.cycle
        held[cycle] = (*held.get(cycle, ()), *conductor.distilled)
    return dict(list(held.items())[-KEPT:])
