"""Distillation: what several notes say becomes a lesson, what many say of one thing an overview. Pure.

Nothing is paraphrased, so no model is needed, and nothing can be said that no source says. What was distilled is never
distilled again. It only adds: the sources stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.context import DreamContext, DreamNote, Finding, StageReport
from vaultmem.dream.distilled_note import (
    LESSON,
    SYNTHESIS,
    FreeNames,
    block_id,
    folder_for,
    is_derived,
    lesson_text,
    sources_of,
)
from vaultmem.dream.naming import Links
from vaultmem.dream.overviews import FACTS, LEAST_NOTES, Overviews
from vaultmem.dream.proposal import NewText, Operation, Proposal, StageName
from vaultmem.dream.recurring import (
    Recurring,
    Said,
    Wordings,
    is_same_claim,
    recurring,
    said_in,
)
from vaultmem.dream.scope import LESSONS, Scope, scope_of
from vaultmem.dream.shown import SOURCE_RELATIONS, fresh, name, short
from vaultmem.dream.subjects import Subject
from vaultmem.judge import Drift
from vaultmem.judge.claims import Form, claims

FEEDBACK: Final = "feedback"
TAUGHT_BY: Final = frozenset((FEEDBACK, "observation", "episode"))
"""Types of notes that lessons are drawn from."""
MOST_LESSONS: Final = 5
"""That a cycle makes."""
MOST_CLAIMS: Final = 12
"""Of a lesson."""
MOST_AGAINST: Final = 12
"""Other claims that a recurring one is held against, the most alike first."""
COMMON_SOURCES: Final = 3
"""Of two claims that go into one lesson."""


class DistillStage:
    """Makes lessons and overviews of managed notes. Notes of a person are never its sources."""

    name = StageName.DISTILL

    def __init__(self, *, synthesize: bool = False) -> None:
        """With ``synthesize`` new overviews are made, too; those that are there are kept up to date anyway."""
        self._synthesize = synthesize

    def propose(self, context: DreamContext) -> StageReport:
        """Lessons that most notes teach first, then overviews. The order of the notes does not matter."""
        return _Cycle(context, self._synthesize).report()


def can_distil(notes: Iterable[DreamNote]) -> bool:
    """Whether there are notes of ours of which an overview could be made: a night for what is new has nothing to put
    together else."""
    facts = (n for n in notes if _is_open(n) and n.note_type.strip().lower() in FACTS)
    return sum(1 for _ in facts) >= LEAST_NOTES


def _is_open(note: DreamNote) -> bool:
    return (
        note.managed
        and bool(note.body)
        and not (note.archived or note.successor or note.stale or is_derived(note))
    )


@dataclass(slots=True)
class _Lesson:
    claims: list[Recurring]
    paths: set[str]
    """Of the notes that make all of them."""

    @property
    def notes(self) -> list[DreamNote]:
        """Every source, in order of path."""
        found = {note.path: note for claim in self.claims for note in claim.notes}
        return [found[path] for path in sorted(found)]


class _Cycle:
    def __init__(self, context: DreamContext, synthesize: bool) -> None:
        self._context = context
        self._synthesize = synthesize
        self._sources = sources_of(context)
        self._links = Links(context.file_names)
        self._names = FreeNames(context)
        # What names its sources was itself made of others: derivation depth is 1.
        self._open = [n for n in context.notes if _is_open(n) and n.path not in self._sources]
        self._open.sort(key=lambda note: note.path)
        self._lessons = sorted(
            (n for n in context.notes if n.managed and n.note_type.strip().lower() == LESSON),
            key=lambda note: note.path,
        )
        self._undecided: set[str] = set()

    def report(self) -> StageReport:
        proposals: list[Proposal] = []
        looked_at = 0
        for scope, notes in sorted(self._teaching().items()):
            if self._context.cancelled():
                self._undecided |= {n.path for n in notes} & self._context.changed
                continue
            looked_at += len(notes)
            proposals += self._taught(scope, notes)
        proposals.sort(key=lambda one: (-float(one.figures["notes"]), one.detail, one.id))
        most = self._context.room(MOST_LESSONS, StageName.DISTILL, LESSON)
        for left in proposals[most:]:
            self._undecided |= set(left.inputs) & self._context.changed
        suspects = self._suspects() if self._context.changed else []
        return StageReport(
            proposals=(*proposals[:most], *self._overviews()),
            findings=tuple(suspects),
            looked_at=looked_at,
            undecided=frozenset(self._undecided),
            suspects=frozenset(finding.path for finding in suspects),
        )

    def _overviews(self) -> list[Proposal]:
        """Overviews that are out of date, and new ones. A night on which nothing has changed costs nothing."""
        if not self._context.changed and not self._has_lost_a_source():
            return []
        overviews = Overviews(self._context, self._sources, self._open, self._names)
        return [*overviews.renewed(), *(overviews.made() if self._synthesize else ())]

    def _has_lost_a_source(self) -> bool:
        """Whether a note from which an overview was made is gone, or was put into the archive."""
        by_path = self._context.by_path
        return any(
            (link.path not in by_path or by_path[link.path].archived)
            for link in self._context.links
            if link.relation in SOURCE_RELATIONS
            and link.source in by_path
            and by_path[link.source].note_type.strip().lower() == SYNTHESIS
        )

    # --- lessons ---

    def _teaching(self) -> dict[Scope, list[DreamNote]]:
        found: dict[Scope, list[DreamNote]] = {}
        for note in self._open:
            if note.note_type.strip().lower() in TAUGHT_BY:
                found.setdefault(scope_of(self._context, note), []).append(note)
        changed = self._context.changed
        return {key: held for key, held in found.items() if any(n.path in changed for n in held)}

    def _taught(self, scope: Scope, notes: Sequence[DreamNote]) -> list[Proposal]:
        """The lessons of one scope's notes."""
        said = [one for note in notes for one in said_in(note)]
        found = recurring(said, lambda note: note.path in self._context.changed)
        taught = [note for note in self._lessons if scope_of(self._context, note) == scope]
        known = _Known(taught, self._sources)
        new = [claim for claim in found if not known.has(claim)]
        if not new:
            return []
        all_said = Wordings(
            one.text
            for note in self._open
            if scope_of(self._context, note) == scope
            for one in said_in(note)
        )
        undisputed = [claim for claim in new if not self._is_disputed(claim, all_said)]
        lessons = (self._lesson(scope, lesson) for lesson in _grouped(undisputed))
        return fresh(self._context, (lesson for lesson in lessons if lesson is not None))

    def _is_disputed(self, claim: Recurring, all_said: Wordings) -> bool:
        """Whether a note of ours says what cannot hold together with it."""
        others = (t for t in all_said.like(claim.text) if not is_same_claim(claim.text, t))
        return any(
            self._context.judge.drift(claim.text, other).verdict is not Drift.CONSISTENT
            for other in islice(others, MOST_AGAINST)
        )

    def _lesson(self, scope: Scope, lesson: _Lesson) -> Proposal | None:
        notes = lesson.notes
        links = [self._links.to(note.path) for note in notes]
        if not all(link.startswith("[[") for link in links):
            return None
        first = lesson.claims[0]
        newest = first.said[0].note
        wanted = _subject(notes, newest) if len(lesson.claims) > 1 else ""
        folder = folder_for(self._context, scope, LESSONS)
        path = self._names.take(folder, wanted or first.text, "Lesson")
        text = lesson_text(
            self._context,
            path,
            [claim.text for claim in lesson.claims],
            links=links,
            day=max(one.day for claim in lesson.claims for one in claim.said),
            tags=_shared_tags(notes),
            scope=scope,
        )
        if text is None:
            return None
        more = len(lesson.claims) - 1
        others = f"; {more} more {'claim' if more == 1 else 'claims'} recur with it" if more else ""
        return Proposal(
            stage=StageName.DISTILL,
            operation=Operation.DISTILL,
            title=f"Make the lesson {name(path)} of {len(notes)} notes",
            reason=f"“{short(first.text)}” stands in {len(first.notes)} notes of {first.days} days{others}.",
            confidence=round(len(notes) / (len(notes) + 1), 4),
            inputs={note.path: note.hash for note in notes},
            made=(NewText(path, text),),
            keeper=path,
            figures={
                "notes": float(len(first.notes)),
                "days": float(first.days),
                "claims": float(len(lesson.claims)),
            },
            detail=" ".join(sorted(block_id(claim.text) for claim in lesson.claims)),
            claims=tuple(_one_a_note(first.said)),
            kind=LESSON,
        )

    # --- lessons that feedback speaks against ---

    def _suspects(self) -> list[Finding]:
        """Lessons that feedback, noted since, contradicts. Only where one of both has changed."""
        open_lessons = [n for n in self._lessons if not (n.archived or n.successor or n.stale)]
        feedback = [n for n in self._open if n.note_type.strip().lower() == FEEDBACK]
        told = {note.path: list(said_in(note)) for note in (*open_lessons, *feedback)}
        found = []
        for lesson in open_lessons:
            scope = scope_of(self._context, lesson)
            against = next(
                (
                    one
                    for note in feedback
                    if {note.path, lesson.path} & self._context.changed
                    and note.path not in self._sources.get(lesson.path, ())
                    and scope_of(self._context, note) == scope
                    for one in self._against(told[lesson.path], told[note.path])
                ),
                None,
            )
            if against is not None:
                text = (
                    f"{self._links.to(against.note.path)} says otherwise: “{short(against.text)}”"
                )
                found.append(Finding(kinds.SUSPECT, lesson.path, text))
        return found

    def _against(self, taught: Sequence[Said], said: Sequence[Said]) -> Iterator[Said]:
        wordings = Wordings(one.text for one in said)
        by_text = {one.text: one for one in said}
        for lesson in taught:
            for text in wordings.like(lesson.text, most=MOST_AGAINST):
                one = by_text[text]
                if one.day < lesson.day or is_same_claim(lesson.text, text):
                    continue
                if self._context.judge.drift(lesson.text, text).verdict is not Drift.CONSISTENT:
                    yield one


class _Known:
    """What lessons say already."""

    def __init__(self, lessons: Sequence[DreamNote], sources: dict[str, set[str]]) -> None:
        texts = {
            claim.text
            for note in lessons
            for claim in claims(note.body)
            if claim.form is Form.PROSE  # what stands below Superseded counts: it was taught once
        }
        self._wordings = Wordings(texts)
        self._sources = [sources.get(note.path, set()) for note in lessons]

    def has(self, claim: Recurring) -> bool:
        """Whether a lesson says it, or was made of all these notes: what a person took out of it stays out."""
        paths = {note.path for note in claim.notes}
        if any(paths <= held for held in self._sources):
            return True
        texts = self._wordings
        return claim.text in texts.texts or any(
            is_same_claim(claim.text, text) for text in texts.like(claim.text)
        )


def _grouped(found: Sequence[Recurring]) -> list[_Lesson]:
    """The claims by lesson: those of one thing that recur in the same notes go together. Claims that most notes make
    come first."""
    lessons: list[_Lesson] = []
    order = sorted(found, key=lambda claim: (-len(claim.notes), claim.said[0].newest_first))
    for claim in order:
        paths = {note.path for note in claim.notes}
        for lesson in lessons:
            common = lesson.paths & paths
            if len(lesson.claims) == MOST_CLAIMS or len(common) < COMMON_SOURCES:
                continue
            if _are_of_one_thing([note for note in claim.notes if note.path in common]):
                lesson.claims.append(claim)
                lesson.paths = common
                break
        else:
            lessons.append(_Lesson([claim], paths))
    return lessons


def _are_of_one_thing(notes: Sequence[DreamNote]) -> bool:
    return bool(_shared_words(notes) or _shared_tags(notes))


def _shared_words(notes: Sequence[DreamNote]) -> frozenset[str]:
    return frozenset.intersection(*(Subject(note).title_words for note in notes))


def _shared_tags(notes: Sequence[DreamNote]) -> list[str]:
    common = frozenset.intersection(*(frozenset(note.tags) for note in notes))
    return [tag for tag in sorted(common) if tag not in ("permanent", "pinned")]


def _subject(notes: Sequence[DreamNote], newest: DreamNote) -> str:
    """The words that all titles share, as the newest one has them."""
    shared = _shared_words(notes)
    words = [word for word in newest.title.split() if word.lower().strip(".,:;()") in shared]
    text = " ".join(dict.fromkeys(words))
    return text[:1].upper() + text[1:]


def _one_a_note(said: Iterable[Said]) -> list[tuple[str, str]]:
    """(path, wording), one for each note, newest first."""
    found: dict[str, str] = {}
    for one in said:
        found.setdefault(one.note.path, one.text)
    return list(found.items())
