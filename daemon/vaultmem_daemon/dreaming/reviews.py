"""What waits for a person: kept until it is decided, shown in the review note, carried out when it is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from vaultmem.dream.answers import ReviewAnswer, suggestion
from vaultmem.dream.decided import ReviewOutcome
from vaultmem.dream.naming import Links
from vaultmem.dream.proposal import NoteText, Proposal, from_text, to_text
from vaultmem.dream.proposal_texts import proposal_diff
from vaultmem.dream.rebased import rebased
from vaultmem.dream.review_marks import marked_ids
from vaultmem.dream.review_note import (
    Choice,
    ReviewPlan,
    plan_review,
    read_decisions,
    review_path,
)
from vaultmem.dream.review_notices import notices
from vaultmem.edits.composed import Composed
from vaultmem.errors import FailedError, NotFoundError, RefusedError
from vaultmem.files.events import FOLLOWS, EventKind, JsonValue, MemoryEvent, new_event_id
from vaultmem.files.journal import Journal
from vaultmem.files.proposals import KnownHere, KnownProposals, ProposalFiles, ShownProposals
from vaultmem.files.refusals import ChangedSinceRead, WriteConflict
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.applying import apply_proposal
from vaultmem_daemon.dreaming.corpus import note_hashes, read_text, vault_paths
from vaultmem_daemon.dreaming.elsewhere import copies_of, decided
from vaultmem_daemon.dreaming.resuming import EDIT

BY: Final = "vaultmem review"
MOST_WAITING: Final = 500
"""Proposals that are kept; the least valuable are dropped first, and proposed again once there is room."""


@dataclass(slots=True)
class _Done:
    applied: list[tuple[str, str]] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    void: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    """Ids of those that failed."""
    warnings: list[str] = field(default_factory=list)
    open: dict[str, Proposal] = field(default_factory=dict)
    """By id what waits still, each as it is after what was done so far."""
    went_on: set[str] = field(default_factory=set)
    """Ids of those that are for other bytes of their notes now."""
    rehashed: dict[tuple[str, str], str] = field(default_factory=dict)
    """By the path and hash of a note before what was accepted its hash after all of it."""

    def now(self, proposal: Proposal) -> Proposal:
        """The proposal as it is after what was done so far."""
        return self.open.get(proposal.id, proposal)

    def hash_now(self, path: str, digest: str) -> str:
        """Of the note with that hash, after what was done so far."""
        return self.rehashed.get((path, digest), digest)

    def followed(self, path: str, before: str, after: str) -> None:
        """An edit that was accepted has made the note another one."""
        for key, held in self.rehashed.items():
            if key[0] == path and held == before:
                self.rehashed[key] = after
        self.rehashed[path, before] = after

    @property
    def events(self) -> list[str]:
        """The ids of the edits that were accepted."""
        return [event for _, event in self.applied if event]

    @property
    def decided(self) -> bool:
        """Whether a person's word was followed, or could not be."""
        return bool(self.applied or self.rejected or self.settled or self.failed)


class Reviews:
    """The proposals of one vault that wait."""

    def __init__(self, vault: Vault, clock_ns: Callable[[], int]) -> None:
        self._vault = vault
        self._clock_ns = clock_ns
        self._files = ProposalFiles(vault.root)
        self._shown = ShownProposals(vault.root)
        self._known = KnownProposals(vault.root)
        self.path = review_path(vault.settings.memory.root)
        """Of the review note."""

    def waiting(self) -> list[Proposal]:
        """What waits, in the order in which it was proposed: within a cycle the most valuable first."""
        found = (from_text(text) for text in self._files.load_all())
        return [proposal for proposal in found if proposal is not None]

    def has_room(self) -> bool:
        """Whether one more may wait."""
        return self._files.count() < MOST_WAITING

    def find(self, word: str) -> Proposal:
        """The proposal whose id begins so. Raises NotFoundError."""
        word = word.casefold().removeprefix("^").removeprefix("r-")
        found = [proposal for proposal in self.waiting() if word and proposal.id.startswith(word)]
        if len(found) != 1:
            many = (
                f"{len(found)} proposals begin with {word!r}"
                if found
                else f"No proposal {word!r} waits"
            )
            raise NotFoundError(
                f"{many}.", hint="`vaultmem review list` shows them with their ids."
            )
        return found[0]

    def _each(self, words: Sequence[str]) -> list[Proposal]:
        """The proposals that the words mean, each once."""
        return list({proposal.id: proposal for proposal in map(self.find, words)}.values())

    def told(self, word: str | None = None) -> ReviewAnswer:
        """What waits, for a person to read: the one whose id begins so with its diff, else all without. Raises
        NotFoundError."""
        hashes = note_hashes(self._vault)
        read = read_text(self._vault.root, self.path)
        note = self.path if read is not None else ""
        aside = self._files.aside()
        if word is None:
            waiting = self.waiting()
            found = tuple(suggestion(p, hashes, aside=p.id in aside) for p in waiting)
            if read is None:
                return ReviewAnswer(found)
            in_note = len(marked_ids(read.text).intersection(p.id for p in waiting))
            return ReviewAnswer(found, note, self._unknown(waiting, read.text), in_note)
        proposal = self.find(word)
        # On other bytes than it was made from it would seem to take out what a person wrote since.
        fits = _fits(proposal, hashes)
        diff = proposal_diff(proposal, partial(read_text, self._vault.root)) if fits else ""
        return ReviewAnswer((suggestion(proposal, hashes, diff, aside=proposal.id in aside),), note)

    # -- deciding ------------------------------------------------------------------------------------------------

    def take_decisions(self, *, before_cycle: bool = False) -> ReviewOutcome:
        """Carries out what is ticked in the review note, and remembers what is rejected there. What is marked and not known
        here is left alone, and told once. Cheap where nothing waits, or no box is marked. ``before_cycle``: where nothing was decided, what no longer applies leaves the note with
        the cycle that follows, so that undoing cycles takes back all that they wrote."""
        waiting = self.waiting()
        note = read_text(self._vault.root, self.path)
        if note is None and waiting and self._shown.load() and not self._is_put_back():
            return self._outcome(_Done())  # a person deleted it, to have all of them back
        if note is None or not (waiting or marked_ids(note.text)):
            return ReviewOutcome(waiting=len(waiting))
        copies = copies_of(self._vault.root, self.path)
        plan = self._plan(waiting, note.text, copies)
        warnings = [*plan.warnings, *self._told_now(plan, copies)]
        if not (plan.accepted or plan.rejected or plan.done or plan.stale):
            return ReviewOutcome(warnings=tuple(warnings), waiting=len(waiting))
        done = _Done(open={each.id: each for each in self.waiting()})
        for proposal in plan.accepted:
            self._apply(done.now(proposal), done)
        for proposal in plan.rejected:
            self._reject(done.now(proposal), done, done.rejected)
        for proposal in plan.done:
            self._reject(done.now(proposal), done, done.settled)
        for proposal in plan.stale:
            self._files.remove(proposal.id)
            done.void.append(proposal.title)
        done.warnings += warnings
        return self._outcome(done, refresh=done.decided or not before_cycle)

    def accept(self, words: Sequence[str]) -> ReviewOutcome:
        """Carries the proposals out. Raises NotFoundError before any is."""
        done = _Done(open={each.id: each for each in self.waiting()})
        for proposal in self._each(words):
            if proposal.does_something:
                self._apply(done.now(proposal), done)
            else:
                self._reject(done.now(proposal), done, done.settled)
        return self._outcome(done)

    def reject(self, words: Sequence[str]) -> ReviewOutcome:
        """Remembers that they are not wanted: they do not come back while what they are about stays so."""
        done = _Done(open={each.id: each for each in self.waiting()})
        for proposal in self._each(words):
            self._reject(proposal, done, done.rejected)
        return self._outcome(done)

    def _outcome(self, done: _Done, *, refresh: bool = True) -> ReviewOutcome:
        """What came of it, with the review note brought up. Where that fails, what was done stands and is told."""
        try:
            for name in sorted(done.went_on & done.open.keys()):
                self._files.save(name, to_text(done.open[name]))
            if refresh:
                self.refresh(follows=done.events, tried=frozenset(done.tried))
        except FailedError as error:
            done.warnings.append(f"The review note is not up to date: {error.message}")
        return ReviewOutcome(
            tuple(done.applied),
            tuple(done.rejected),
            tuple(done.settled),
            tuple(done.void),
            tuple(done.failed),
            tuple(done.warnings),
            len(self.waiting()),
        )

    def _apply(self, proposal: Proposal, done: _Done) -> None:
        read = (read_text(self._vault.root, path) for path in proposal.touched)
        before = [note for note in read if note is not None]
        try:
            receipt = apply_proposal(self._vault, proposal, cycle=None, by=BY)
        except (ChangedSinceRead, WriteConflict):
            self._settle(proposal, done)
            done.void.append(proposal.title)
            return
        except (RefusedError, FailedError) as error:
            done.failed.append((proposal.title, str(error)))
            done.tried.add(proposal.id)
            return
        self._settle(proposal, done)
        done.applied.append((proposal.title, receipt.event or ""))
        try:
            self._record(proposal, EventKind.ACCEPTED, {EDIT: receipt.event or ""})
        except FailedError as error:  # the edit stands, and its event tells of it
            done.warnings.append(f"That you accepted it could not be kept: {error.message}")
        self._go_on(proposal, before, done)

    def _settle(self, proposal: Proposal, done: _Done) -> None:
        self._files.remove(proposal.id)
        done.open.pop(proposal.id, None)

    def _go_on(self, applied: Proposal, before: Sequence[NoteText], done: _Done) -> None:
        """Lets the others about the same notes go on, where what was done leaves alone what they are about. A note that a hand
        has changed meanwhile is left to the next cycle."""
        written = {edit.path: edit.text for edit in applied.edits}
        for note in before:
            now = read_text(self._vault.root, note.path)
            if now is None or now.text != written.get(note.path):
                continue
            done.followed(note.path, note.hash, now.hash)
            for name, other in list(done.open.items()):
                after = rebased(other, note, now)
                if after is not None:
                    done.open[name] = after
                    done.went_on.add(name)

    def _reject(self, proposal: Proposal, done: _Done, told: list[str]) -> None:
        """Not to be proposed again; its title goes among what is ``told`` of."""
        first, *also = (
            {path: done.hash_now(path, held) for path, held in each.items()}
            for each in proposal.rejections
        )
        try:
            self._record(proposal, EventKind.REJECTED, {"inputs": first, "also": list(also)})
        except FailedError as error:
            done.failed.append((proposal.title, str(error)))
            done.tried.add(proposal.id)
            return
        self._settle(proposal, done)
        told.append(proposal.title)

    def _record(self, proposal: Proposal, kind: EventKind, more: Mapping[str, JsonValue]) -> None:
        journal = Journal(self._vault.root)
        now_ns = self._clock_ns()
        told: Mapping[str, JsonValue] = {
            "proposal": proposal.id,
            "operation": proposal.rejected_as,
            "inputs": dict(proposal.rejected_on),
            **more,
        }
        journal.append(
            MemoryEvent(
                id=new_event_id(now_ns),
                time_ns=now_ns,
                device=journal.device,
                kind=kind,
                actor=BY,
                cause=proposal.title,
                extra=told,
            )
        )

    # -- the note ------------------------------------------------------------------------------------------------

    def offer(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Lets them wait beside those that do, without those whose notes have changed; returns those that there is no
        room for. The note is as it was: see ``refresh``."""
        hashes = note_hashes(self._vault)
        known = frozenset(self._known.load().known)
        standing = set[str]()
        for proposal in self.waiting():
            if proposal.id in known and not _fits(proposal, hashes):
                self._files.remove(proposal.id)
            else:
                standing.add(proposal.own_id)
        new = [proposal for proposal in proposals if proposal.own_id not in standing]
        room = max(0, MOST_WAITING - len(standing))
        for proposal in new[:room]:
            self._files.save(proposal.id, to_text(proposal))
        self._know(new[:room])
        return new[room:]

    def refresh(
        self,
        *,
        cycle: str | None = None,
        follows: Sequence[str] | None = None,
        tried: frozenset[str] = frozenset(),
    ) -> str:
        """Brings the review note up with what waits, and keeps in mind what a person took out of it; returns its path, "" when
        there is none. ``follows`` are the events that it tells of, None where it tells of none. What a
        person has marked meanwhile stays, to be followed the next time, but for what was ``tried``."""
        waiting = self.waiting()
        note = read_text(self._vault.root, self.path)
        copies = copies_of(self._vault.root, self.path)
        plan = self._plan(waiting, note.text if note else None, copies, tried)
        after = plan.text_after
        if after is None:
            return ""
        if note is not None and after == note.text:
            self._keep(plan, after)
            return self.path
        if note is None:
            wanted = Composed(read={}, made={self.path: after})
        else:
            wanted = Composed(read={self.path: note.hash}, texts={self.path: after})
        if follows is not None or cycle:
            wanted = replace(wanted, told={FOLLOWS: list(follows or ())})
        try:
            self._vault.edits.apply(
                wanted,
                kind=EventKind.UPDATED if note else EventKind.CREATED,
                by=BY,
                why="what waits for review",
                cycle=cycle,
            )
        except RefusedError:
            # A person writes in it at this moment: what waits is kept, and shown the next time.
            return self.path
        self._keep(plan, after)
        return self.path

    def _keep(self, plan: ReviewPlan, text: str) -> None:
        """Keeps in mind what stands in the note now, and what is not to be put into it again."""
        standing = (*plan.waiting, *plan.accepted, *plan.rejected, *plan.done)
        open_ids = {proposal.id for proposal in standing}
        self._files.set_aside([proposal.id for proposal in plan.aside])
        self._shown.save(open_ids.intersection(read_decisions(text)))

    def _is_put_back(self) -> bool:
        """Whether the note is as an undo left it, but for what a person wrote since: then it was the undo that took items out
        of it."""
        needle = json.dumps(self.path, ensure_ascii=False).encode()
        for event in Journal(self._vault.root).backward(lambda line: needle in line):
            by_hand = event.kind is EventKind.EDITED_BY_HAND
            if not by_hand and any(change.path == self.path for change in event.changes):
                return bool(event.undone)
        return False

    def _plan(
        self,
        waiting: Sequence[Proposal],
        text: str | None,
        copies: Mapping[str, str],
        tried: frozenset[str] | None = None,
    ) -> ReviewPlan:
        shown = self._shown.load()
        lacking = shown.difference(read_decisions(text)) if text is not None else frozenset[str]()
        # What stands in a copy was not taken out by a person: another device's note came in the place of this one's.
        shown -= lacking & frozenset[str]().union(*map(marked_ids, copies.values()))
        if lacking and self._is_put_back():
            shown -= lacking
        hashes = note_hashes(self._vault)
        here = [proposal for proposal in waiting if _fits(proposal, hashes)]
        known = frozenset(self._know(here).known) | shown
        return plan_review(
            [each for each in waiting if each.id in known],
            text,
            hashes,
            read=lambda path: read_text(self._vault.root, path),
            link_of=Links(vault_paths(self._vault)).to,
            shown=shown,
            aside=self._files.aside(),
            settled=self._settled(known, text),
            tried=tried,
        )

    def _unknown(self, waiting: Sequence[Proposal], text: str) -> tuple[str, ...]:
        """The items in the note that neither wait nor are settled, as far as is known here."""
        known = self._shown.load().union(self._known.load().known)
        here = {proposal.id for proposal in waiting} | self._settled(known, text).keys()
        return tuple(sorted(marked_ids(text) - here))

    def _know(self, proposals: Sequence[Proposal]) -> KnownHere:
        """Keeps in mind that this device has them, and the notes that they were made from."""
        held = self._known.load()
        ids = [proposal.id for proposal in proposals]
        here = frozenset(ids)
        known = replace(held, known=(*(name for name in held.known if name not in here), *ids))
        self._known.save(known)
        return known

    def _settled(self, known: frozenset[str], text: str | None) -> dict[str, Choice]:
        """Which proposals wait no longer, and what was decided about them. One of which nothing is known here is none of
        them: what another device tells of it may be on its way."""
        held = self._files.names()
        in_note = (marked_ids(text) if text is not None else frozenset[str]()) - held
        settled = dict.fromkeys(known - held, Choice.UNDECIDED)
        return settled | decided(Journal(self._vault.root), in_note)

    def _told_now(self, plan: ReviewPlan, copies: Mapping[str, str]) -> list[str]:
        """What a person was not told yet of items and copies that came from other devices."""
        found = notices(plan.unknown, copies, self.path)
        here = self._known.load()
        told = frozenset(key for notice in found for key in notice.keys)
        self._known.save(replace(here, told=told))
        return [notice.text for notice in found if notice.keys - here.told]


def _fits(proposal: Proposal, hashes: Mapping[str, str]) -> bool:
    """Whether its notes are as it was made from."""
    return all(hashes.get(path) == held for path, held in proposal.inputs.items())
