"""What the methods of a vault give back. The JSON Schemas of the commands are made from these classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vaultmem.notes.model import PropertyValue, SubpathTarget
from vaultmem.search.model import Freshness


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild made."""

    vault: str
    index: str
    files: int
    notes: int
    blocks: int
    links: int
    unresolved: int
    """Link occurrences that lead to no file."""
    ambiguous: int
    invalid_frontmatter: int
    vectors: int
    unreadable: tuple[str, ...]
    seconds: float
    index_bytes: int
    vault_bytes: int
    """Of the notes alone."""


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """What a sync brought into the index; paths in order."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    """(from, to)"""
    removed: tuple[str, ...]
    unchanged: int
    unreadable: tuple[str, ...]
    unseen: int
    """Files that could not be looked at and were therefore kept."""
    rebuilt: bool
    """There was no usable index, so one was built."""
    seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class NoteView:
    """One note: what its text says, and the text itself."""

    path: str
    title: str
    category: str
    note_type: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    """Property tags first, then those of the body, repeats left out."""
    properties: Mapping[str, PropertyValue]
    frontmatter: str
    """none, empty, ok, invalid"""
    headings: tuple[HeadingView, ...]
    tasks: tuple[TaskView, ...]
    links: int
    backlinks: int
    words: int
    permanent: bool
    stale: bool
    excluded: bool
    conflict_of: str | None
    modified_ns: int
    content_hash: str
    """blake2b-128 of the bytes, hex."""
    warnings: tuple[WarningView, ...]
    text: str | None
    """The file's whole text as it is on disk; None when it is not UTF-8 or not here."""
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class HeadingView:
    """A heading of a note."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class TaskView:
    """A check box of a note."""

    status: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class WarningView:
    """A fault of a file."""

    path: str
    code: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class LinkView:
    """One written link and where it leads."""

    source: str
    kind: str
    embed: bool
    target: str
    subpath: str
    display: str | None
    size: str | None
    key: str | None
    relation: str
    line: int
    to: str | None
    status: str
    """resolved, ambiguous, unresolved"""
    resolved_by: str | None
    confidence: float
    end: SubpathTarget | None
    """What the subpath leads to; None without a subpath or a file."""


@dataclass(frozen=True, slots=True)
class LinksAnswer:
    """The links of a note, property links first, then in the order of the text."""

    path: str
    links: tuple[LinkView, ...]
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, with the line that stands there."""

    line: int
    context: str


@dataclass(frozen=True, slots=True)
class BacklinkSource:
    """A file that links to the note, with each place where it does."""

    path: str
    count: int
    places: tuple[Place, ...]
    is_canvas: bool


@dataclass(frozen=True, slots=True)
class BacklinksAnswer:
    """Who links to a note; sources in order of path, canvases after the notes."""

    path: str
    sources: tuple[BacklinkSource, ...]
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class MentionSource:
    """A note in which the name or an alias stands as plain text."""

    path: str
    count: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class UnlinkedAnswer:
    """Unlinked mentions of a note; sources in order of path."""

    path: str
    names: tuple[str, ...]
    """The name and aliases that were looked for."""
    sources: tuple[MentionSource, ...]
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag in its most used spelling, with how often it is written and in how many notes."""

    tag: str
    count: int
    notes: int


@dataclass(frozen=True, slots=True)
class TagsAnswer:
    """The tags of the vault, most used first; or, asked for one tag, the notes that hold it or one below it."""

    tag: str | None
    tags: tuple[TagCount, ...]
    paths: tuple[str, ...]
    """Only when asked for one tag; in order."""
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """The vectors of one embedding model."""

    model: str
    dim: int
    blocks: int
    active: bool
    """This is the model that settings name."""


@dataclass(frozen=True, slots=True)
class Status:
    """The vault and its index in figures."""

    vault: str
    index: str
    index_location: str
    """vault, cache"""
    index_bytes: int
    vault_bytes: int
    files: int
    notes: int
    canvases: int
    bases: int
    attachments: int
    offloaded: int
    excluded: int
    unreadable: int
    conflict_copies: int
    blocks: int
    links: int
    unresolved: int
    ambiguous: int
    tags: int
    """Different tags, without regard to case."""
    tasks_open: int
    invalid_frontmatter: int
    warnings: int
    vectors: tuple[VectorStatus, ...]
    generation: int
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a doctor has to say."""

    level: str
    """ok, advice, warning, error"""
    code: str
    message: str
    hint: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Findings, gravest first."""

    vault: str
    index: str
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing is broken; advice and warnings are no breakage."""
        return not any(finding.level == "error" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class TableComparison:
    """One table of the live index against the same table built from the files alone."""

    table: str
    rows_live: int
    rows_built: int
    identical: bool
    differences: tuple[str, ...]
    """The first differing rows, in words."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Whether the live index says what an index built from the files alone says."""

    vault: str
    identical: bool
    tables: tuple[TableComparison, ...]
    queries: int
    queries_differing: tuple[str, ...]
    skipped: tuple[str, ...]
    """Files that could not be read, whose rows were therefore not compared."""
    seconds: float


@dataclass(frozen=True, slots=True)
class GraphView:
    """The link graph as Obsidian draws it."""

    nodes: tuple[str, ...]
    """Paths, and ``unresolved:NAME`` for missing notes; in order."""
    edges: tuple[tuple[str, str], ...]
    """One per linked pair and direction; in order."""


@dataclass(frozen=True, slots=True)
class FileListing:
    """What the vault holds, each list in order."""

    notes: tuple[str, ...]
    canvases: tuple[str, ...]
    bases: tuple[str, ...]
    attachments: tuple[str, ...]
    offloaded: tuple[str, ...]
    excluded: tuple[str, ...]
    """Notes that Obsidian's settings exclude."""
    conflicts: Mapping[str, str | None]
    """Sync conflict copy → its original, None when that is gone."""
    clashes: tuple[tuple[str, ...], ...]
    """Paths equal without regard to case or Unicode form."""
