"""Which claims no longer hold: the stage that sees to contradictions and what has ceased. Pure.

Notes are held against each other claim by claim. The older claim moves to a section of its own note; where nothing tells which
is the older, a person is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.carried import Origin, carried
from vaultmem.dream.claim_cut import counts_elsewhere, leans, superseded
from vaultmem.dream.conflicts import Conflict, Conflicts
from vaultmem.dream.context import DreamContext, DreamNote, Finding, StageReport
from vaultmem.dream.distilled_note import SYNTHESIS
from vaultmem.dream.naming import Links
from vaultmem.dream.passages import Passage, spoken
from vaultmem.dream.proposal import (
    CLAIMS,
    NewText,
    NoteText,
    Operation,
    Proposal,
    StageName,
    claims_apart,
)
from vaultmem.dream.scope import agents_apart, same_scope, scopes_apart
from vaultmem.dream.shown import SOURCE_RELATIONS, fresh, name, short
from vaultmem.dream.subjects import Subject, pairs
from vaultmem.dream.under import loses
from vaultmem.dream.when import NS_OF_DAY, Standing, first_is_newer, standing
from vaultmem.evolution import gate_supersede_evidence, recall_support
from vaultmem.judge import HEURISTIC, Drift
from vaultmem.judge.reading import read
from vaultmem.judge.usage import NOTHING
from vaultmem.notes.dated import from_day
from vaultmem.notes.note_edit import plan_note_edit
from vaultmem.notes.paths import conflict_original
from vaultmem.notes.property_edit import SetProperty
from vaultmem.notes.refusal import EditRefused

MOST_JUDGED: Final = 6_000
"""Pairs of claims that are judged at a time: a cycle that goes on after it was cut off begins with them anew."""
MOST_PAIRS: Final = 30_000
"""Pairs of notes that are looked at, in the same way."""
SHORT_NOTE: Final = 6
"""Claims; a longer note is not marked as stale for one of them, but the claim is moved."""
MOST_PROPOSALS: Final = 100
"""In a cycle."""


class DriftStage:
    """Finds claims that contradict each other or have ceased to hold."""

    name = StageName.DRIFT

    def propose(self, context: DreamContext) -> StageReport:
        """Proposals to supersede or mark what is outdated; sure ones first. At most one changes a note: what it has besides
        is left to the next cycle."""
        return _Cycle(context).report()


class _Cycle:
    def __init__(self, context: DreamContext) -> None:
        self._context = context
        self._subjects = {note.path: Subject(note) for note in context.notes if _may_drift(note)}
        self._conflicts = Conflicts(context.judge, self._subjects)
        self._undecided: set[str] = set()

    def report(self) -> StageReport:
        if not self._context.changed:
            return StageReport()
        looked_at = 0
        found: list[Conflict] = []
        for of, a, b in pairs(self._context, self._subjects):
            if scopes_apart(a, b):
                continue
            if self._is_full(looked_at):
                self._undecided.add(of)
                continue
            looked_at += 1
            found += self._conflicts.between(a, b)
        proposals = self._proposals(found)
        suspects = self._suspects(proposals)
        return StageReport(
            proposals=tuple(proposals),
            findings=tuple(suspects),
            looked_at=looked_at,
            undecided=frozenset(self._undecided),
            suspects=frozenset(finding.path for finding in suspects),
        )

    def _is_full(self, looked_at: int) -> bool:
        full = self._conflicts.judged >= MOST_JUDGED or looked_at >= MOST_PAIRS
        return full or self._context.cancelled()

    # --- what to do about it ---

    def _proposals(self, found: Sequence[Conflict]) -> list[Proposal]:
        outdated: dict[tuple[str, str], list[Conflict]] = {}
        doubtful: dict[tuple[str, str], list[Conflict]] = {}
        ahead: dict[tuple[str, str], list[Conflict]] = {}
        apart: dict[tuple[str, str], list[Conflict]] = {}
        for conflict in found:
            if self._is_rejected(conflict):
                continue
            newer = self._first_is_newer(conflict)
            if newer is None:
                if not all(one.logged for one in _standings(conflict)):
                    _add(doubtful, conflict)
                continue
            older = conflict.turned if newer else conflict
            if standing(older.a, older.said_a).logged:
                continue  # it was true of its day
            if self._is_ahead(older):
                _add(ahead, older)
                continue
            if _came_back(older):
                _add(doubtful, older)
            else:
                of_two = agents_apart(self._context, older.a.path, older.b.path)
                _add(apart if of_two else outdated, older)
        proposals = [self._outdated(group) for _, group in sorted(outdated.items())]
        proposals += [self._asked(group, AHEAD) for _, group in sorted(ahead.items())]
        proposals += [self._asked(group, APART) for _, group in sorted(apart.items())]
        proposals += [self._asked(group, UNTOLD) for _, group in sorted(doubtful.items())]
        kept = sorted(fresh(self._context, (p for p in proposals if p is not None)), key=_by_value)
        return self._one_each(kept)

    def _is_rejected(self, conflict: Conflict) -> bool:
        both = {conflict.a.path: conflict.said_a.text, conflict.b.path: conflict.said_b.text}
        return self._context.rejected.find(CLAIMS, claims_apart(both)) is not None

    def _first_is_newer(self, conflict: Conflict) -> bool | None:
        """Whether its first claim is the newer one; of a claim and the one that it was taken over from, the latter is."""
        if self._is_from(conflict.said_a, conflict.b, conflict.a):
            return False
        if self._is_from(conflict.said_b, conflict.a, conflict.b):
            return True
        return first_is_newer(*_standings(conflict))

    def _is_ahead(self, older: Conflict) -> bool:
        """Whether the newer claim is of a day that has not come, so that the older one still holds."""
        newer = standing(older.b, older.said_b)
        return any(
            day is not None and day > self._context.today + 1 for day in (newer.day, newer.stated)
        )

    def _is_from(self, said: Passage, source: DreamNote, note: DreamNote) -> bool:
        return said.origin is not None and said.origin.link == self._link(source, note)

    def _one_each(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The proposals without those that would change a note which an earlier one changes, where the dream may write it. Those for which there is
        not enough evidence, and those that a person decides about, change nothing this night: they stand in nobody's way."""
        most = self._context.room(MOST_PROPOSALS, StageName.DRIFT)
        touched: set[str] = set()
        kept: list[Proposal] = []
        for proposal in proposals:
            sure = proposal.figures.get("evidence") == "enough"
            mine = {path for path in proposal.touched if sure and self._context.writes(path)}
            if len(kept) >= most:
                self._undecided |= mine or set(proposal.inputs)  # or a person would never be told
                continue
            if mine & touched:
                self._undecided |= mine
                continue
            touched |= mine
            kept.append(proposal)
        return kept

    def _outdated(self, group: Sequence[Conflict]) -> Proposal | None:
        """The proposal for claims of one note that another one has overtaken."""
        a, b = group[0].a, group[0].b
        read_a, read_b = self._as_indexed(a), self._as_indexed(b)
        if read_a is None or read_b is None:
            return None
        ceased = [one for one in group if one.verdict is Drift.STALE]
        if ceased and len(self._conflicts.told_by(a).passages) <= SHORT_NOTE:
            return self._marked(a, read_a, b, read_b, ceased)
        link = self._link(b, a)
        correction = f"— corrected by {link}, {from_day(self._context.today).isoformat()}"
        text, moved = read_a.text, []
        said = set[str]()
        holes: dict[str, list[str]] = {}
        for conflict in group:
            repeated = conflict.said_b.text in said
            instead = Instead(why_not=SAID_THERE) if repeated else self._instead(conflict)
            after = superseded(text, conflict.said_a.line, correction, instead.line)
            if after is not None and conflict.said_a.whole:
                text = after
                moved.append(conflict)
                if instead.line and instead.line in after:
                    said.add(conflict.said_b.text)
                else:
                    why = instead.why_not or UNFIT
                    holes.setdefault(why, []).append(f"“{short(conflict.said_a.text)}”")
        if not moved:
            return self._asked(group, UNCUT)
        many = len(moved) > 1
        return self._proposal(
            Operation.SUPERSEDE,
            f"Move {f'{len(moved)} outdated claims' if many else 'an outdated claim'} of {name(a.path)} "
            f"to its section Superseded",
            moved,
            {a.path: read_a.hash, b.path: read_b.hash},
            edits=(NewText(a.path, text),),
            why=_of_holes(holes, len(moved)),
        )

    def _instead(self, conflict: Conflict) -> Instead:
        """What the older note says from now on, in the words of the newer one; nothing where these say it only there, where
        what is so no longer is all that they tell, and where they may be for others to read."""
        a, b, said = conflict.a, conflict.b, conflict.said_b
        if conflict.verdict is Drift.STALE:
            return Instead(why_not="it has ceased to hold")
        if said.field or leans(said.text) or counts_elsewhere(said.text):
            return Instead(why_not=UNTOLD_ELSEWHERE)
        if not same_scope(a, b):
            return Instead(why_not="the newer one may be for others to read")
        if not self._names_its_thing(conflict):
            return Instead(why_not="the newer one does not say what it is about")
        if any(said.text == one.text for one in self._conflicts.told_by(a).passages):
            return Instead(why_not=SAID_THERE)
        known = self._conflicts.known(a, conflict.said_a, b, said)
        if loses(said.under, conflict.said_a.under, known):
            return Instead(why_not="one of them stands under a heading or a line that tells more")
        origin = said.origin or Origin(self._link(b, a), _day_of(b, said))
        line = carried(conflict.said_a.line, said.text, origin)
        return Instead(line, "" if line else UNTOLD_ELSEWHERE)

    def _names_its_thing(self, conflict: Conflict) -> bool:
        """Whether the newer claim says in the older note, too, what it is about: both notes are about that, or it names it."""
        said = spoken(conflict.said_b.text)
        about_a, about_b = self._subjects[conflict.a.path], self._subjects[conflict.b.path]
        return about_a.is_that_of(about_b) or about_b.named_in(said) or about_a.named_in(said)

    def _marked(
        self,
        a: DreamNote,
        read_a: NoteText,
        b: DreamNote,
        read_b: NoteText,
        group: Sequence[Conflict],
    ) -> Proposal | None:
        changes = [SetProperty("stale", True)]
        alone = len(self._conflicts.told_by(a).passages) == 1
        link = self._link(b, a)
        if (
            alone
            and link.startswith("[[")
            and self._subjects[a.path].is_that_of(self._subjects[b.path])
        ):
            changes.append(SetProperty("superseded_by", link))
        try:
            edit = plan_note_edit(
                read_a.text, changes, path=a.path, settings=self._context.settings
            )
        except EditRefused:
            return self._asked(group, UNCUT)
        return self._proposal(
            Operation.MARK_STALE,
            f"Mark {name(a.path)} as stale",
            group,
            {a.path: read_a.hash, b.path: read_b.hash},
            edits=(NewText(a.path, edit.text),),
        )

    def _asked(self, group: Sequence[Conflict], why: str) -> Proposal | None:
        """The proposal for a person, who must tell which claim holds."""
        a, b = group[0].a, group[0].b
        read_a, read_b = self._as_indexed(a), self._as_indexed(b)
        if read_a is None or read_b is None:
            return None
        return self._proposal(
            Operation.NOTE_ONLY,
            f"{name(a.path, b.path)} and {name(b.path, a.path)} contradict each other",
            group,
            {a.path: read_a.hash, b.path: read_b.hash},
            why=why,
            keeper="" if why == UNTOLD else b.path,
        )

    def _proposal(
        self,
        operation: Operation,
        title: str,
        group: Sequence[Conflict],
        inputs: dict[str, str],
        *,
        edits: tuple[NewText, ...] = (),
        why: str = "",
        keeper: str | None = None,
    ) -> Proposal:
        a, b = group[0].a, group[0].b
        confidence = min(conflict.confidence for conflict in group)
        support = recall_support(self._context.recalls.get(a.path, ()))
        evidence = gate_supersede_evidence(confidence, support)
        said = " ".join(
            f"“{short(one.said_a.text)}” against “{short(one.said_b.text)}” in {name(b.path, a.path)}: {one.reason}."
            for one in group[:3]
        )
        claims: dict[tuple[str, str], None] = {}
        for one in group:
            claims[a.path, one.said_a.text] = claims[b.path, one.said_b.text] = None
        others = [one.by for one in group if one.by != HEURISTIC]
        return Proposal(
            decided_by=others[0] if others else HEURISTIC,
            stage=StageName.DRIFT,
            operation=operation,
            title=title,
            reason=f"{said} {why}".strip(),
            confidence=confidence,
            inputs=inputs,
            edits=edits,
            keeper=b.path if keeper is None else keeper,
            figures={
                **sum((one.usage for one in group), NOTHING).as_figures(),
                "confidence": confidence,
                "support": support,
                "needed": evidence.needed,
                "evidence": "enough" if evidence.enough else "not enough",
            },
            detail="\n".join(sorted(one.said_a.text for one in group)),
            claims=tuple(claims),
        )

    def _as_indexed(self, note: DreamNote) -> NoteText | None:
        """The note as it is on the disk, if that is what was looked at; else it waits for the next cycle."""
        found = self._context.read(note.path)
        if found is None or found.hash != note.hash:
            self._undecided.add(note.path)
            return None
        return found

    def _link(self, to: DreamNote, source: DreamNote) -> str:
        return self._links.to(to.path, source=source.path)

    @cached_property
    def _links(self) -> Links:
        return Links(self._context.file_names)

    def _suspects(self, proposals: Sequence[Proposal]) -> list[Finding]:
        """The notes that were made from one with an outdated claim, or took that claim over."""
        outdated = {
            edit.path: proposal
            for proposal in proposals
            for edit in proposal.edits
            if proposal.operation in (Operation.SUPERSEDE, Operation.MARK_STALE)
        }
        found: dict[tuple[str, str], str] = {}
        for link in self._context.links:
            source = self._context.by_path.get(link.source)
            proposal = outdated.get(link.path)
            if source is None or proposal is None:
                continue
            if link.source in (link.path, proposal.keeper):
                continue
            if link.relation in SOURCE_RELATIONS:
                found[link.source, link.path] = MADE_FROM
            elif link.source not in outdated and self._took_over(source, link.path, proposal):
                found.setdefault((link.source, link.path), TAKEN_FROM)
        return [
            Finding(
                kinds.SUSPECT,
                source,
                how.format(self._links.to(origin), short(outdated[origin].claims[0][1])),
            )
            for (source, origin), how in sorted(found.items())
        ]

    def _took_over(self, note: DreamNote, origin: str, proposal: Proposal) -> bool:
        claims = {text for path, text in proposal.claims if path == origin}
        return any(
            said.origin and said.text in claims for said in self._conflicts.told_by(note).passages
        )


@dataclass(frozen=True, slots=True)
class Instead:
    """What comes in the place of an outdated claim."""

    line: str = ""
    why_not: str = ""
    """Why nothing does."""


SAID_THERE: Final = "the newer one stands in the note already"
UNFIT: Final = "a line there would change what stands around it"
UNTOLD_ELSEWHERE: Final = "the newer one would not mean the same in another note"
MADE_FROM: Final = "was made from {}, which has an outdated claim: “{}”"
TAKEN_FROM: Final = "took a claim over from {} that is outdated there: “{}”"
UNTOLD: Final = "Nothing tells which of them is the newer, so nothing is changed."
AHEAD: Final = "The newer one is of a day that has not come, so nothing is changed."
APART: Final = (
    "They are of two agents, and what one noted is not written into the memory of the other."
)
UNCUT: Final = "It cannot be moved without harm to the text around it, so nothing is changed."


def _of_holes(holes: Mapping[str, Sequence[str]], moved: int) -> str:
    """Which of the claims that were moved leave a gap, and why, in words."""
    if sum(map(len, holes.values())) == 1 == moved:
        return f"Nothing comes in its place, as {next(iter(holes))}."
    return " ".join(
        f"Nothing comes in the place of {', '.join(claims)}, as {why}."
        for why, claims in holes.items()
    )


def _may_drift(note: DreamNote) -> bool:
    """Whether its claims are held against those of others. A copy made by a sync tool is no other note, and the lines of
    an overview are others', old and new: it is brought up to date instead."""
    closed = note.permanent or note.archived or note.successor or note.stale
    overview = note.note_type.strip().lower() == SYNTHESIS
    return bool(note.body) and not (closed or overview) and conflict_original(note.path) is None


def _day_of(note: DreamNote, said: Passage) -> int:
    """The day of the claim: what it states, that of its note, or that on which the file was changed."""
    found = standing(note, said)
    days = (found.stated, found.day, found.modified_ns // NS_OF_DAY)
    return next(day for day in days if day is not None)


def _standings(conflict: Conflict) -> tuple[Standing, Standing]:
    return standing(conflict.a, conflict.said_a), standing(conflict.b, conflict.said_b)


def _add(groups: dict[tuple[str, str], list[Conflict]], conflict: Conflict) -> None:
    """Takes the conflict into the group of its notes, one conflict for each claim of the first."""
    group = groups.setdefault((conflict.a.path, conflict.b.path), [])
    if all(one.said_a.line != conflict.said_a.line for one in group):
        group.append(conflict)


def _came_back(older: Conflict) -> bool:
    """Whether the older claim is the one that says something has ceased: it may have begun again."""
    if older.verdict is not Drift.STALE:
        return False
    return read(older.said_a.text).ended and not read(older.said_b.text).ended


def _by_value(proposal: Proposal) -> tuple[bool, float, float, str]:
    support = proposal.figures.get("support", 0.0)
    needed = support if isinstance(support, float) else 0.0
    return not proposal.does_something, -proposal.confidence, -needed, proposal.id
