"""Notes that say the same become one: candidates without comparing all with all, a verdict for each pair, and merges.

Likeness only proposes. The judge's value check decides; whatever is doubtful stays as two notes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.archive import Archive
from vaultmem.dream.candidates import candidate_pairs
from vaultmem.dream.context import DreamContext, DreamNote, StageReport
from vaultmem.dream.distilled_note import is_derived
from vaultmem.dream.naming import Links, is_copy_of, is_named_as_copy
from vaultmem.dream.note_prose import code
from vaultmem.dream.proposal import NewPlace, NewText, Operation, Proposal, StageName
from vaultmem.dream.scope import agents_apart
from vaultmem.dream.told_properties import properties_differ, properties_only_in
from vaultmem.dream.union import Union, torn_out, unite
from vaultmem.evolution import gate_supersede_evidence, recall_support, score_merge_candidate
from vaultmem.judge import Duplicate, DuplicateJudgement, merge_veto
from vaultmem.notes.note_edit import NoteChange, plan_note_edit
from vaultmem.notes.paths import conflict_original, parent, stem
from vaultmem.notes.refusal import EditRefused

LARGEST: Final = 64 * 1024
"""Characters of a body; larger notes are collections, and no duplicate of another."""
MOST_PAIRS: Final = 4_000
"""Judged in a cycle; the rest is left to the next one."""
BATCH: Final = 20
"""Pairs of one category that a model may judge at once; of more, only those whose titles are alike."""
ASKED_FOR: Final = "It was asked for"
SURELY_ALIKE: Final = 0.8
"""Likeness of texts that are judged whatever the notes are called."""
CALLED_ALIKE: Final = 0.5
"""Share of their words that two titles have in common where the notes may be about one thing."""
SHORTEST: Final = 12
"""Words; two shorter texts under different titles may be about two things, whatever they say."""
LONG_ENOUGH: Final = 30
"""Words; so long a text that is the same in two notes is a copy, whatever they are called."""

REALLY_MORE: Final = 1.5
"""Times the words of the other note, from which a copy, or a note still to be filed, stays for what it says."""
_INBOXES: Final = frozenset(
    (
        *("inbox", "in", "incoming", "unsorted", "unfiled", "clip", "clips", "clippings", "captures", "downloads", "temp", "tmp", "scratch"),
        *("eingang", "posteingang", "unsortiert", "收件箱", "收集箱", "インボックス", "受信箱", "수신함"),
    )
)  # fmt: skip
"""Folders where notes wait to be filed."""

_WORDS: Final = re.compile(r"[^\W_]+")
NS_OF_DAY: Final = 86_400 * 1_000_000_000
_FIRST_HEADING: Final = re.compile(r"\s*# +([^\n]*?)[ \t]*#*[ \t]*(?:\n|\Z)")
_DATED: Final = re.compile(r"(?<!\d)\d{4}[-_.]?\d{2}(?:[-_.]?\d{2})?(?!\d)")


@dataclass(frozen=True, slots=True)
class _Pair:
    a: DreamNote
    b: DreamNote
    likeness: float

    @property
    def category(self) -> str:
        return self.a.category if self.a.category == self.b.category else ""


@dataclass(frozen=True, slots=True)
class _Ground:
    """What merges are planned on."""

    context: DreamContext
    links: Links
    archive: Archive
    linked: Counter[str]
    """How many links lead to each path."""

    @classmethod
    def of(cls, context: DreamContext) -> _Ground:
        return cls(
            context,
            Links(context.file_names),
            Archive(context.archive, context.memory_root, context.file_names),
            Counter(link.path for link in context.links),
        )


class ConsolidateStage:
    """Proposes merges. Looks at pairs of which a note has changed since the last whole cycle."""

    name = StageName.CONSOLIDATE

    def propose(self, context: DreamContext) -> StageReport:
        """Merges, the surest and least used first."""
        notes = [note for note in context.notes if _is_open(note)]
        pairs = _worth_judging(context, notes)
        judged, left = pairs[:MOST_PAIRS], pairs[MOST_PAIRS:]
        ground = _Ground.of(context)
        scored: list[tuple[float, Proposal]] = []
        for pair, judgement in _judgements(context, judged):
            if context.cancelled():
                return StageReport(undecided=frozenset(p.a.path for p in pairs))
            planned = _merge(ground, pair, judgement)
            if planned is not None:
                scored.append(planned)
        scored.sort(key=lambda found: (-found[0], found[1].id))
        undecided = frozenset(path for pair in left for path in (pair.a.path, pair.b.path))
        return StageReport(
            proposals=tuple(proposal for _, proposal in scored),
            looked_at=len(judged),
            undecided=undecided,
        )


def plan_merge(context: DreamContext, a: DreamNote, b: DreamNote) -> Proposal | None:
    """The merge of two notes that a person asked for: as the judge would have it, or where that would leave them two,
    with all that either says. None where neither may go, or they cannot be edited so."""
    judgement = context.judge.duplicates([(untitled(a), untitled(b))])[0]
    asked_for = judgement.verdict is Duplicate.COEXIST
    if asked_for:
        judgement = DuplicateJudgement(Duplicate.MERGE, ASKED_FOR, 1.0)
    planned = _merge(_Ground.of(context), _Pair(a, b, 0.0), judgement, asked_for=asked_for)
    return planned[1] if planned is not None else None


def _is_open(note: DreamNote) -> bool:
    return (
        not note.archived
        and not note.successor
        and bool(note.body.strip())
        and (len(note.body) <= LARGEST)
    )


def _worth_judging(context: DreamContext, notes: Sequence[DreamNote]) -> list[_Pair]:
    """The candidate pairs that may be one note by all that is known of them but their texts."""
    found = candidate_pairs([note.body for note in notes], context.neighbours(notes))
    pairs = []
    for pair in found:
        a, b = notes[pair.a], notes[pair.b]
        if (a.path in context.changed or b.path in context.changed) and _may_be_one(context, a, b):
            pairs.append(_Pair(a, b, pair.likeness))
    return pairs


def _may_be_one(context: DreamContext, a: DreamNote, b: DreamNote) -> bool:
    """Whether the two may be about one thing: not both permanent, not of two agents, not of two days, not two of a series,
    and without properties that say different things."""
    if (a.permanent and b.permanent) or agents_apart(context, a.path, b.path):
        return False
    if is_derived(a) != is_derived(b):
        return False  # a lesson says what its sources say, and these stay
    if dated(a.path) != dated(b.path) or properties_differ(a, b):
        return False
    one, other = _title_words(a), _title_words(b)
    if one == other or is_copy_of(a.title, b.title):
        return not _told_by_folder(a, b, one)
    if len(one) == len(other) and sum(x != y for x, y in zip(one, other, strict=True)) == 1:
        return False  # one word of the title differs: "Hydrophone 1", "Hydrophone 2"; Anna, Berta
    if _numbers(one) != _numbers(other):
        return False
    alike = len({*one} & {*other}) / len({*one, *other})
    least = min(a.words, b.words)
    if alike >= CALLED_ALIKE:
        return least >= SHORTEST
    # A long text under two names is most likely a copy; but a name may be all that says whose it is.
    return least >= LONG_ENOUGH and not (a.managed or b.managed)


_OF_ITS_FOLDER: Final = (["readme"], ["index"], ["license"], ["changelog"])
"""How a file is called that speaks of its folder."""


def _told_by_folder(a: DreamNote, b: DreamNote, title: Sequence[str]) -> bool:
    """Whether the folder may be what tells the two apart: *Client Meyer/Terms*, *Client Schulz/Terms* of ours, and a
    *README* of anybody's."""
    if parent(a.path) == parent(b.path):
        return False
    return title[:1] in _OF_ITS_FOLDER or ((a.managed or b.managed) and len(title) < 2)


def dated(path: str) -> str:
    """The date that the file's name tells, as written; "" for none.

    >>> dated("Daily/2025-03-12.md"), dated("Ideas/Tides.md")
    ('2025-03-12', '')
    """
    found = _DATED.search(stem(path.rpartition("/")[2]))
    return found[0] if found else ""


def _title_words(note: DreamNote) -> list[str]:
    return _WORDS.findall(note.title.casefold())


def _numbers(words: Iterable[str]) -> list[str]:
    return sorted(word for word in words if any(letter.isdigit() for letter in word))


def _judgements(
    context: DreamContext, pairs: Sequence[_Pair]
) -> Iterable[tuple[_Pair, DuplicateJudgement]]:
    """Each pair with its verdict. Pairs of one category come together; of a category with more than a batch, those
    whose titles have nothing in common stay apart without being asked about."""
    groups: dict[str, list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.category, []).append(pair)
    for category in sorted(groups):
        group = groups[category]
        if len(group) > BATCH:
            group = [p for p in group if p.likeness >= SURELY_ALIKE or _called_alike(p)]
        for start in range(0, len(group), BATCH):
            part = group[start : start + BATCH]
            texts = [(untitled(pair.a), untitled(pair.b)) for pair in part]
            yield from zip(part, context.judge.duplicates(texts), strict=True)


def untitled(note: DreamNote) -> str:
    """The note's text without a first heading that only repeats what it is called, or what the note is called of which
    it is a copy: names are compared apart."""
    found = _FIRST_HEADING.match(note.body)
    if found is None:
        return note.body
    named = {note.title.casefold(), stem(note.path.rpartition("/")[2]).casefold()}
    heading = found[1].strip().casefold()
    repeats = heading in named or any(is_copy_of(name, heading) for name in named)
    return note.body[found.end() :] if repeats else note.body


def _called_alike(pair: _Pair) -> bool:
    return bool({*_title_words(pair.a)} & {*_title_words(pair.b)})


def _merge(
    ground: _Ground,
    pair: _Pair,
    judgement: DuplicateJudgement,
    *,
    asked_for: bool = False,
) -> tuple[float, Proposal] | None:
    """The merge and how much it is worth; None where the notes stay two."""
    if not asked_for and merge_veto(untitled(pair.a), untitled(pair.b), judgement.verdict):
        return None  # whoever judges, but for a person who asks, a value that differs is never merged away
    chosen = _keeper(ground, pair, judgement.verdict)
    if chosen is not None and not asked_for and torn_out(*chosen):
        chosen = _keeper(ground, pair, judgement.verdict, copies_go=False)
        chosen = None if chosen is None or torn_out(*chosen) else chosen
    if chosen is None:
        return None
    keeper, absorbed = chosen
    ours = absorbed.managed and not keeper.managed
    if ours and not asked_for and properties_only_in(absorbed, keeper):
        return None  # a person's note is given no keys of ours, and what they say would be lost
    place = ground.archive.place(absorbed.path)
    link_keeper = ground.links.wikilink(keeper.path)
    link_absorbed = ground.links.wikilink(absorbed.path, moved_to=place)
    if not link_keeper or not link_absorbed:
        return None
    union = unite(
        keeper,
        absorbed,
        link_keeper=link_keeper,
        link_absorbed=link_absorbed,
        asked_for=asked_for,
    )
    edits = []
    for note, changes in ((keeper, union.keeper), (absorbed, union.absorbed)):
        if changes:
            edited = _edited(ground.context, note, changes)
            if edited is None:
                return None
            edits.append(edited)
    said = _said(pair, judgement, keeper, absorbed)
    support = {
        note.path: recall_support(ground.context.recalls.get(note.path, ())) for note in chosen
    }
    evidence = gate_supersede_evidence(judgement.confidence, support[absorbed.path])
    worth = score_merge_candidate(
        pair.likeness,
        judgement.confidence,
        support[keeper.path],
        support[absorbed.path],
        same_category=keeper.category == absorbed.category,
    )
    return worth, Proposal(
        stage=StageName.CONSOLIDATE,
        operation=Operation.MERGE,
        title=_title(keeper, absorbed),
        reason=_reason(said, keeper, absorbed, union, place),
        confidence=judgement.confidence,
        inputs={keeper.path: keeper.hash, absorbed.path: absorbed.hash},
        edits=tuple(edits),
        move=NewPlace(absorbed.path, place),
        keeper=keeper.path,
        decided_by=judgement.by,
        figures={
            "likeness": round(pair.likeness, 4),
            "worth": round(worth, 4),
            "support of the absorbed note": round(support[absorbed.path], 4),
            "confidence needed": round(evidence.needed, 4),
            "evidence": "enough" if evidence.enough else "not enough",
            **judgement.usage.as_figures(),
        },
        claims=((keeper.path, _opening(keeper)), (absorbed.path, _opening(absorbed))),
    )


def _keeper(
    ground: _Ground, pair: _Pair, verdict: Duplicate, *, copies_go: bool = True
) -> tuple[DreamNote, DreamNote] | None:
    """(the note that stays, the one that goes); None where neither may go. A permanent note never goes, and no
    person's note for one of ours. A copy goes even where it says a little more: that is added to the note."""
    match verdict:
        case Duplicate.ABSORB_A:
            order = [(pair.b, pair.a)]
        case Duplicate.ABSORB_B:
            order = [(pair.a, pair.b)]
        case Duplicate.MERGE:
            order = sorted(
                [(pair.a, pair.b), (pair.b, pair.a)],
                key=lambda both: _claim_to_stay(ground, *both),
            )
        case _:
            return None
    more, less = order[0]
    if copies_go and verdict is not Duplicate.MERGE and _is_second(more, less):
        order.insert(0, (less, more))
    for keeper, absorbed in order:
        if not absorbed.permanent and (absorbed.managed or not keeper.managed):
            return keeper, absorbed
    return None


def _is_second(more: DreamNote, less: DreamNote) -> bool:
    """Whether the note that says more is the copy of the other one, or waits to be filed, and does not say so much more
    that it should stay for that."""
    if more.managed != less.managed or more.words > REALLY_MORE * less.words:
        return False
    copies = _is_copy(more, less), _is_copy(less, more)
    if any(copies):
        return copies[0]
    return _waits(more) and not _waits(less)


def _is_copy(note: DreamNote, original: DreamNote) -> bool:
    """Whether the note is called a copy of the other one, by its title or its file."""
    if conflict_original(note.path) is not None:
        return conflict_original(original.path) is None
    return is_named_as_copy(note.title, original.title) or is_named_as_copy(
        stem(note.path), stem(original.path)
    )


def _waits(note: DreamNote) -> bool:
    """Whether the note lies in a folder for what is still to be filed: *Inbox*, *00 Inbox*, *_inbox*."""
    folders = parent(note.path).casefold().split("/")
    return any(folder.lstrip("0123456789 _.-+") in _INBOXES for folder in folders)


def _claim_to_stay(ground: _Ground, note: DreamNote, other: DreamNote) -> tuple[object, ...]:
    """Sorts first what should stay: a person's, permanent, no copy of the other, filed, asked for, linked to, clearly longer,
    older, filed deeper, with the shorter name."""
    asked = recall_support(ground.context.recalls.get(note.path, ()))
    age = note.day if note.day is not None else note.modified_ns // NS_OF_DAY
    return (
        note.managed,
        not note.permanent,
        _is_copy(note, other),
        _waits(note),
        -asked,
        -ground.linked[note.path],
        -(note.words // 10),
        age,
        -note.path.count("/"),
        len(note.path),
        note.path,
    )


def _edited(
    context: DreamContext, note: DreamNote, changes: Sequence[NoteChange]
) -> NewText | None:
    """The note's new text; None where it is not what the index says, or cannot be edited so."""
    read = context.read(note.path)
    if read is None or read.hash != note.hash:
        return None
    try:
        edited = plan_note_edit(read.text, changes, path=note.path, settings=context.settings)
    except EditRefused:
        return None
    return NewText(note.path, edited.text) if edited.text != read.text else None


def _said(
    pair: _Pair, judgement: DuplicateJudgement, keeper: DreamNote, absorbed: DreamNote
) -> str:
    """Why they are to be one note, and where it is not plain, why this one stays."""
    stays, goes = _called(keeper, absorbed)
    less = {Duplicate.ABSORB_A: pair.a, Duplicate.ABSORB_B: pair.b}.get(judgement.verdict)
    if judgement.reason == ASKED_FOR:
        return ASKED_FOR
    if less is None:
        return "Both say the same"
    if less is absorbed:
        return f"“{stays}” says all that “{goes}” says"
    why = "is called a copy" if _is_copy(absorbed, keeper) else "is still to be filed"
    return f"“{goes}” says all that “{stays}” says, and a little more, but {why}"


def _reason(said: str, keeper: DreamNote, absorbed: DreamNote, union: Union, place: str) -> str:
    """Why, what the note that stays is given, and where the other one and the links to it would lead."""
    stays, goes = _called(keeper, absorbed)
    given = list(union.given)
    if union.added:
        lines = "1 line" if len(union.added) == 1 else f"{len(union.added)} lines"
        given.insert(0, f"{lines} that it lacks")
    added = f"; “{stays}” is given {_and(given)}" if given else ""
    return (
        f"{said}{added}. “{goes}” goes to the archive, as {code(place)}; links to it lead there, where it names "
        f"“{stays}” as its successor."
    )


def _and(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _title(keeper: DreamNote, absorbed: DreamNote) -> str:
    """What the merge is called."""
    stays, goes = _called(keeper, absorbed)
    return f'Merge "{goes}" into "{stays}"'


def _called(keeper: DreamNote, absorbed: DreamNote) -> tuple[str, str]:
    """The notes by the names of their files, or by their paths where both have the same."""
    stays, goes = (stem(note.path.rpartition("/")[2]) for note in (keeper, absorbed))
    if stays.casefold() == goes.casefold():
        return keeper.path.removesuffix(".md"), absorbed.path.removesuffix(".md")
    return stays, goes


def _opening(note: DreamNote) -> str:
    """The beginning of a note's text, for the person who decides."""
    text = " ".join((untitled(note).strip() or note.body).split())
    return text if len(text) <= 280 else f"{text[:279]}…"
