"""What the methods of a vault give back. The JSON Schemas of the commands are made from these classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vaultmem.daemon_state import DaemonHealth
from vaultmem.dream.decided import ReviewOutcome
from vaultmem.notes.model import PropertyValue, SubpathTarget
from vaultmem.search.model import Freshness


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild made."""

    vault: str
    """The vault's folder."""
    index: str
    """Where ``memory.db`` lies."""
    files: int
    """All files of the vault, notes included."""
    notes: int
    """How many notes."""
    blocks: int
    """Search blocks: headings with their text, or parts of long sections."""
    links: int
    """Links, embeds included."""
    unresolved: int
    """Link occurrences that lead to no file."""
    ambiguous: int
    """Links that several files match, so that a tie rule chose."""
    invalid_frontmatter: int
    """Notes whose properties cannot be read."""
    vectors: int
    """How many blocks have a vector."""
    unreadable: tuple[str, ...]
    """Files that could not be read."""
    seconds: float
    """How long it took."""
    index_bytes: int
    """The index with its write-ahead log."""
    vault_bytes: int
    """Of the notes alone."""
    left_out: tuple[WarningView, ...] = ()
    """Files that are not in the index though they can be read, or by their name alone, and why."""


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """What a sync brought into the index; paths in order."""

    added: tuple[str, ...]
    """New files."""
    changed: tuple[str, ...]
    """Files with new content."""
    moved: tuple[tuple[str, str], ...]
    """(from, to)"""
    removed: tuple[str, ...]
    """Files that are gone."""
    unchanged: int
    """How many files were as the index had them."""
    unreadable: tuple[str, ...]
    """Files that could not be read."""
    unseen: int
    """Files that could not be looked at and were therefore kept."""
    rebuilt: bool
    """There was no usable index, so one was built."""
    seconds: float
    """How long it took."""
    note: str = ""
    """Anything else to know; empty when there is nothing."""
    left_out: tuple[WarningView, ...] = ()
    """Files that are not in the index though they can be read, or by their name alone, and why."""
    review: ReviewOutcome | None = None
    """What was ticked in the review note and done; None where nothing was. Only the command takes such decisions."""


@dataclass(frozen=True, slots=True)
class NoteView:
    """One note: what its text says, and the text itself."""

    path: str
    """Path in the vault."""
    title: str
    """The property ``title``, else the file's name."""
    category: str
    """The property ``category``, else the first folder, else empty."""
    note_type: str
    """The property ``type``, else empty."""
    aliases: tuple[str, ...]
    """As the properties give them."""
    tags: tuple[str, ...]
    """Property tags first, then those of the body, repeats left out."""
    properties: Mapping[str, PropertyValue]
    """As written, in their order."""
    frontmatter: str
    """none, empty, ok, invalid"""
    headings: tuple[HeadingView, ...]
    """In the order of the text."""
    tasks: tuple[TaskView, ...]
    """Check boxes, in order."""
    links: int
    """How many links it holds."""
    backlinks: int
    """How many links of other files lead to it."""
    words: int
    """Words of the body; in scripts without blanks, characters."""
    permanent: bool
    """The property ``permanent: true``, or a tag permanent or pinned."""
    stale: bool
    """The property ``stale: true``."""
    excluded: bool
    """Obsidian's settings exclude it from search."""
    conflict_of: str | None
    """For a sync conflict copy the path of its original, empty when that is gone; else None."""
    modified_ns: int
    """When the file was last changed."""
    content_hash: str
    """blake2b-128 of the bytes, hex."""
    warnings: tuple[WarningView, ...]
    """Faults found while reading."""
    text: str | None
    """The file's whole text as it is on disk; None when it is not UTF-8 or not here."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class HeadingView:
    """A heading of a note."""

    level: int
    """1 to 6."""
    text: str
    """As written."""
    line: int
    """From 0."""


@dataclass(frozen=True, slots=True)
class TaskView:
    """A check box of a note."""

    status: str
    """The character between the brackets; a blank is an open task."""
    text: str
    """As written."""
    line: int
    """From 0."""


@dataclass(frozen=True, slots=True)
class WarningView:
    """A fault of a file."""

    path: str
    """Path in the vault."""
    code: str
    """A short name for the kind of fault."""
    message: str
    """What it is, in a sentence."""
    line: int | None
    """From 0; None where none is known."""


@dataclass(frozen=True, slots=True)
class LinkView:
    """One written link and where it leads."""

    source: str
    """The file that holds the link."""
    kind: str
    """wikilink, markdown, property or canvas."""
    embed: bool
    """Whether it is an embed, ``![[…]]``."""
    target: str
    """The file part as understood; empty: the note itself."""
    subpath: str
    """From the ``#`` on; empty when there is none."""
    display: str | None
    """Text after the separator; None when none is written."""
    size: str | None
    """Size of an image embed, such as ``200`` or ``100x200``."""
    key: str | None
    """The property that holds the link, dotted, or the canvas node; else None."""
    relation: str
    """The property or inline field that holds the link, else ``mentions``."""
    line: int
    """From 0."""
    to: str | None
    """The file it leads to; None when there is none."""
    status: str
    """resolved, ambiguous, unresolved, or deleted: it led to a file that is gone"""
    resolved_by: str | None
    """self, name, exact, relative or suffix, of a deleted one as it would be; None when it leads nowhere."""
    confidence: float
    """1 resolved, 1 divided by the number of candidates when ambiguous, 0 unresolved or deleted."""
    end: SubpathTarget | None
    """What the subpath leads to; None without a subpath or a file."""
    gone_path: str | None = None
    """Where the file was that a deleted link leads to; else None."""
    gone_ns: int | None = None
    """When that file went, nanoseconds since 1970; else None."""


@dataclass(frozen=True, slots=True)
class LinksAnswer:
    """The links of a note, property links first, then in the order of the text."""

    path: str
    """Path in the vault."""
    links: tuple[LinkView, ...]
    """Each written link, embeds included."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, with the line that stands there."""

    line: int
    """From 0."""
    context: str
    """The line, trimmed; empty for a canvas."""


@dataclass(frozen=True, slots=True)
class BacklinkSource:
    """A file that links to the note, with each place where it does."""

    path: str
    """Path in the vault."""
    count: int
    """How many times."""
    places: tuple[Place, ...]
    """Each place, in order."""
    is_canvas: bool
    """Whether the file is a canvas; its places have no lines."""


@dataclass(frozen=True, slots=True)
class BacklinksAnswer:
    """Who links to a note; sources in order of path, canvases after the notes."""

    path: str
    """Path in the vault; of a note that never was, its name as asked for."""
    sources: tuple[BacklinkSource, ...]
    """The files, each with its places."""
    state: str
    """present; deleted: the note is gone; missing: no note ever had that name, as far as is known"""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class MentionSource:
    """A note in which the name or an alias stands as plain text."""

    path: str
    """Path in the vault."""
    count: int
    """How many times."""
    places: tuple[Place, ...]
    """Each place, in order."""


@dataclass(frozen=True, slots=True)
class UnlinkedAnswer:
    """Unlinked mentions of a note; sources in order of path."""

    path: str
    """Path in the vault."""
    names: tuple[str, ...]
    """The name and aliases that were looked for."""
    sources: tuple[MentionSource, ...]
    """The files, each with its places."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag in its most used spelling, with how often it is written and in how many notes."""

    tag: str
    """Without ``#``."""
    count: int
    """How often it is written."""
    notes: int
    """In how many notes."""


@dataclass(frozen=True, slots=True)
class TagsAnswer:
    """The tags of the vault, most used first; or, asked for one tag, the notes that hold it or one below it."""

    tag: str | None
    """The tag asked for; None for all."""
    tags: tuple[TagCount, ...]
    """Each tag with its counts."""
    paths: tuple[str, ...]
    """Only when asked for one tag; in order."""
    freshness: Freshness
    """Whether the answer knows the last edit."""


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """The vectors of one embedding model."""

    model: str
    """The model's name and version."""
    dim: int
    """Components of each vector."""
    blocks: int
    """Blocks that have a vector of it."""
    active: bool
    """This is the model that settings name."""


@dataclass(frozen=True, slots=True)
class Status:
    """The vault and its index in figures."""

    vault: str
    """The vault's folder."""
    index: str
    """Where ``memory.db`` lies."""
    index_location: str
    """vault, cache"""
    index_bytes: int
    """The index with its write-ahead log."""
    vault_bytes: int
    """Of the notes alone."""
    files: int
    """All files of the vault, notes included."""
    notes: int
    """How many notes."""
    canvases: int
    """Files that end in ``.canvas``."""
    bases: int
    """Files that end in ``.base``."""
    attachments: int
    """All other files."""
    offloaded: int
    """Files whose bytes are in the cloud only."""
    excluded: int
    """Notes that Obsidian's settings exclude from search."""
    unreadable: int
    """Files that cannot be read now; the index keeps what it knew."""
    conflict_copies: int
    """Copies that a sync service made of an edit conflict."""
    blocks: int
    """Search blocks: headings with their text, or parts of long sections."""
    links: int
    """Links, embeds included."""
    unresolved: int
    """Links that lead to no file."""
    ambiguous: int
    """Links that several files match, so that a tie rule chose."""
    tags: int
    """Different tags, without regard to case."""
    tasks_open: int
    """Check boxes that are not ticked."""
    invalid_frontmatter: int
    """Notes whose properties cannot be read."""
    warnings: int
    """Faults found while reading, all files together."""
    vectors: tuple[VectorStatus, ...]
    """For each model that has vectors."""
    generation: int
    """Rises by one with each change of the index."""
    freshness: Freshness
    """Whether the answer knows the last edit."""
    dream: DaemonHealth | None = None
    """How the daemon is, and when the notes were last tended."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a doctor has to say."""

    level: str
    """ok, advice, warning, error"""
    code: str
    """A short name for the kind of fault."""
    message: str
    """What it is, in a sentence."""
    hint: str
    """What to do next; may be empty."""
    paths: tuple[str, ...] = ()
    """Files it is about."""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Findings, gravest first."""

    vault: str
    """The vault's folder."""
    index: str
    """Where ``memory.db`` lies."""
    findings: tuple[Finding, ...]
    """What there is to say."""

    @property
    def healthy(self) -> bool:
        """Whether nothing is broken; advice and warnings are no breakage."""
        return not any(finding.level == "error" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class TableComparison:
    """One table of the live index against the same table built from the files alone."""

    table: str
    """The table's name."""
    rows_live: int
    """In the live index."""
    rows_built: int
    """In the index made from the files."""
    identical: bool
    """Whether both say the same."""
    differences: tuple[str, ...]
    """The first differing rows, in words."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Whether the live index says what an index built from the files alone says."""

    vault: str
    """The vault's folder."""
    identical: bool
    """Whether the live index says what the files say."""
    tables: tuple[TableComparison, ...]
    """Every table."""
    queries: int
    """How many questions both were asked."""
    queries_differing: tuple[str, ...]
    """Questions that they answered differently."""
    skipped: tuple[str, ...]
    """Files that could not be read, whose rows were therefore not compared."""
    seconds: float
    """How long it took."""
    note: str = ""
    """Why the index had to be built anew before it could be compared, which then proves little; or ""."""


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
    """How many notes."""
    canvases: tuple[str, ...]
    """Files that end in ``.canvas``."""
    bases: tuple[str, ...]
    """Files that end in ``.base``."""
    attachments: tuple[str, ...]
    """All other files."""
    offloaded: tuple[str, ...]
    """Files whose bytes are in the cloud only."""
    excluded: tuple[str, ...]
    """Notes that Obsidian's settings exclude."""
    conflicts: Mapping[str, str | None]
    """Sync conflict copy → its original, None when that is gone."""
    clashes: tuple[tuple[str, ...], ...]
    """Paths equal without regard to case or Unicode form."""
