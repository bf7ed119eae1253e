"""What a stage sees: the notes as they are, what changed since the last cycle, who judges. Values, and what a stage is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from vaultmem.dream.candidates import Neighbour
from vaultmem.dream.proposal import NoteText, Proposal, StageName
from vaultmem.evolution import Recall, RejectedEdits
from vaultmem.notes.model import PropertyValue
from vaultmem.notes.obsidian import ObsidianSettings

if TYPE_CHECKING:
    from vaultmem.judge import Judge


@dataclass(frozen=True, slots=True)
class DreamNote:
    """A note as the index knows it. Excluded notes, templates, and notes without a text of their own are not shown to
    any stage, and neither are the dream's own notes."""

    path: str
    title: str
    """The property ``title``, else the file's name."""
    category: str
    tags: tuple[str, ...]
    """In small letters, without ``#``."""
    aliases: tuple[str, ...]
    note_type: str
    permanent: bool
    stale: bool
    severity: str
    managed: bool
    """Made by vaultmem, under the memory root; all others are a person's."""
    archived: bool
    """In the archive already."""
    successor: str
    """The path of the note that supersedes it; "" when none does."""
    hash: str
    """Of its bytes, in hex."""
    modified_ns: int
    day: int | None
    """Days since 1970 of its date; None when neither a property nor its name tells."""
    words: int
    properties: Mapping[str, PropertyValue]
    body: str
    """Its text without properties. Empty for a note larger than a stage should look at."""


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A written link."""

    source: str
    target: str
    """The file part as written; "" for the note itself."""
    subpath: str
    label: str | None
    relation: str
    line: int
    status: str
    """resolved, ambiguous, unresolved or deleted."""
    path: str
    """Where it leads; "" when nowhere."""


@dataclass(frozen=True, slots=True)
class NoteFault:
    """Something that was wrong when the note was read (``file_warnings``)."""

    path: str
    code: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class DreamContext:
    """What stages are given. Nothing in it writes."""

    cycle: str
    now_ns: int
    today: int
    """Days since 1970, in the person's time zone."""
    notes: Sequence[DreamNote]
    """In order of path."""
    changed: frozenset[str]
    """Paths of notes that are new or differ since the last whole cycle, or were left over by it."""
    links: Sequence[NoteLink]
    """Of the notes, in order of source and place."""
    faults: Sequence[NoteFault]
    file_names: frozenset[str]
    """Vault paths of every file, attachments included."""
    judge: Judge
    read: Callable[[str], NoteText | None]
    """The note at a path as it is on the disk now; None when it is gone, unreadable, or no UTF-8."""
    recalls: Mapping[str, Sequence[Recall]]
    """By path the queries of people and agents that a note answered."""
    last_recalled_ns: Mapping[str, int]
    rejected: RejectedEdits
    """What is not to be proposed again."""
    settings: ObsidianSettings
    """Obsidian's, for edits and links."""
    memory_root: str
    """The folder of managed notes."""
    archive: str
    """The folder where managed notes are archived, with the rest of their path below it."""
    neighbours: Callable[[Sequence[DreamNote]], Iterable[Neighbour]] = lambda _: ()
    """Pairs of the notes given, by their places, whose vectors are near."""
    cancelled: Callable[[], bool] = lambda: False
    """Whether a person has come back: a stage ends early then, with what it has."""
    by_path: Mapping[str, DreamNote] = field(default_factory=dict)
    """The notes by path."""
    earlier: Mapping[tuple[StageName, str], int] = field(default_factory=dict)
    """How much the stages did in this very cycle before it was killed or called off, by what a proposal is
    ``counted`` as."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """By the path of a file that was moved or renamed, the path where it is now."""
    leaving: Mapping[str, str] = field(default_factory=dict)
    """By the path of a note that is to be archived, as proposed in this cycle or waiting since, the note that takes its
    place; "" where none does."""
    hand_notes: bool = False
    """Whether the settings let the dream write a person's notes."""

    def writes(self, path: str) -> bool:
        """Whether what is proposed for the note is carried out, and not put before a person: then a second change of it
        has to wait until the first is done."""
        return self.hand_notes or self.by_path[path].managed

    def room(self, most: int, stage: StageName, counted: str | None = None) -> int:
        """How many more the stage may propose of what it may do ``most`` of in a cycle: what it did before the cycle
        was cut off counts. ``counted`` names what there may be so many of; None: of all that the stage does."""
        done = sum(
            count
            for (of_stage, what), count in self.earlier.items()
            if of_stage is stage and counted in (None, what)
        )
        return max(0, most - done)


class Stage(Protocol):
    """One step of a cycle: looks, and proposes."""

    name: StageName

    def propose(self, context: DreamContext) -> StageReport:
        """The proposals, the most valuable first. The same context gives the same proposals."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """Something for the digest that needs no change, or for which there is none."""

    kind: str
    """orphan, broken-link, … : findings of one kind are shown together."""
    path: str
    text: str
    """In a sentence or less; links to notes are written as wikilinks."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class StageReport:
    """What a stage came to."""

    proposals: tuple[Proposal, ...] = ()
    findings: tuple[Finding, ...] = ()
    looked_at: int = 0
    """Notes or pairs that were examined."""
    undecided: frozenset[str] = frozenset()
    """Paths of notes that it did not come to, to be looked at again in the next cycle."""
    suspects: frozenset[str] = frozenset()
    """Paths of notes that depend on a claim which was found wrong."""
