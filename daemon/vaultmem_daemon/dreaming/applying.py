"""A proposal as a change of the vault: one event, all of it or nothing."""

from __future__ import annotations

from typing import Final

from vaultmem.cycle_edits import DECISION, decision_of
from vaultmem.cycles import ACTOR
from vaultmem.dream.proposal import Operation, Proposal
from vaultmem.edits.answers import WriteAnswer
from vaultmem.edits.composed import Composed
from vaultmem.files.events import EventKind
from vaultmem.index.rehearsal import Trial
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.corpus import read_text

KINDS: Final = {
    Operation.MERGE: EventKind.MERGED,
    Operation.SUPERSEDE: EventKind.SUPERSEDED,
    Operation.MARK_STALE: EventKind.UPDATED,
    Operation.DEMOTE: EventKind.DECAYED,
    Operation.ARCHIVE: EventKind.ARCHIVED,
    Operation.FIX_LINK: EventKind.UPDATED,
    Operation.FIX_PROPERTY: EventKind.UPDATED,
    Operation.DISTILL: EventKind.UPDATED,
}


def apply_proposal(
    vault: Vault,
    proposal: Proposal,
    *,
    cycle: str | None,
    by: str = "",
    dry_run: bool = False,
    others: frozenset[str] | None = None,
) -> WriteAnswer:
    """The receipt. ``others`` are the files whose links may follow a moved note; None: any. Raises ChangedSinceRead when a note that it was made from has changed since, and as every edit
    does; then nothing was done."""
    move = proposal.move
    wanted = Composed(
        read=proposal.inputs,
        texts={edit.path: edit.text for edit in proposal.edits},
        made={new.path: new.text for new in proposal.made},
        move=(move.path, move.path_after) if move is not None else None,
        others=others,
        told={} if cycle is None else {DECISION: decision_of(proposal)},
    )
    return vault.edits.apply(
        wanted,
        kind=EventKind.CREATED
        if proposal.made
        else KINDS.get(proposal.operation, EventKind.UPDATED),
        by=by or f"{ACTOR}: {proposal.stage}",
        why=f"{proposal.title}. {proposal.reason}",
        cycle=cycle,
        dry_run=dry_run,
    )


def trials_of(vault: Vault, proposal: Proposal) -> list[Trial]:
    """What would stand where, for a rehearsal; links in other notes that follow a move are left as they are. None when
    the moved note is gone."""
    move = proposal.move
    after = {move.path: move.path_after} if move is not None else {}
    texts = {edit.path: edit.text for edit in proposal.edits}
    if move is not None and move.path not in texts:
        read = read_text(vault.root, move.path)
        if read is not None:
            texts[move.path] = read.text
    return [Trial(path, after.get(path, path), text) for path, text in texts.items()]


def bytes_changed(vault: Vault, proposal: Proposal) -> int:
    """How many bytes the proposal puts in or takes out, for the budget."""
    from vaultmem.files.events import changed_spans

    size = 0
    for edit in proposal.edits:
        before = read_text(vault.root, edit.path)
        spans = changed_spans(before.text.encode() if before else b"", edit.text.encode())
        size += sum(max(span.end - span.start, span.length) for span in spans)
    return size
