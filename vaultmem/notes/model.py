"""The values that parsing a note yields.

Every offset is a code-point index into the *whole* decoded text of the file, a leading byte order
mark and the frontmatter included, so that ``text[start:end]`` is always the thing itself. Lines are
counted from 0 in the whole file. Nothing here does I/O or knows about a disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

PropertyValue: TypeAlias = (
    "bool | int | float | str | list[PropertyValue] | dict[str, PropertyValue] | None"
)
"""A property's value as YAML 1.2 core reads it; dates stay text."""

MENTIONS = "mentions"
"""The relation of a plain link, one that no property or inline field names."""


class LinkKind(StrEnum):
    """How a link is written."""

    WIKILINK = "wikilink"
    MARKDOWN = "markdown"
    PROPERTY = "property"
    CANVAS = "canvas"
    """A file card or a group background of a canvas."""


class FrontmatterState(StrEnum):
    """What stands at the top of a note."""

    NONE = "none"
    EMPTY = "empty"
    OK = "ok"
    INVALID = "invalid"


class WarningCode(StrEnum):
    """Faults that cost a note something and are reported, never mended unasked."""

    INVALID_FRONTMATTER = "invalid-frontmatter"
    NEAR_MISS_FRONTMATTER = "near-miss-frontmatter"
    TAGS_NOT_LIST = "tags-not-list"
    ALIASES_NOT_LIST = "aliases-not-list"
    COMMENTED_VALUE = "commented-value"
    """Tags or aliases behind ``#``, which YAML takes for a comment."""
    IMPOSSIBLE_DAY = "impossible-day"
    OLD_PROPERTY = "old-property"
    """A key that Obsidian has given up."""
    INVALID_CANVAS = "invalid-canvas"
    HUGE_NOTE = "huge-note"
    """Past the size at which block structure is read line by line instead of by the reference."""


@dataclass(frozen=True, slots=True)
class NoteWarning:
    """One fault: its code, a sentence for a person, and the line it stands on where known."""

    code: WarningCode
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """One written link, embeds included. It says what was typed; resolving it is another step."""

    kind: LinkKind
    embed: bool
    target: str
    """The file part: trimmed, table backslash removed, percent-decoded for Markdown; "" = this note."""
    subpath: str
    """From the first ``#``, with it, trimmed; or ""."""
    display: str | None
    """Text after the separator, trimmed; None when there is no separator. A size is no display text."""
    start: int
    """Of the whole construct: the ``!`` of an embed, the quote of a property value."""
    end: int
    dest_start: int
    """Of target and subpath as typed, without brackets, blanks or angle brackets around them."""
    dest_end: int
    line: int
    size: str | None = None
    """``"100"`` or ``"100x200"`` for a sized image embed."""
    key: str | None = None
    """Dotted property key (``up``, ``refs.0``) of a property link; node id of a canvas link."""
    relation: str = MENTIONS
    """Name of the property or inline field that holds the link, else ``mentions``."""
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at the top level of a note (not inside a quote or list)."""

    level: int
    text: str
    """Raw, markup and links included, trimmed, without closing ``#`` marks."""
    line: int
    start: int
    """Of the heading's first line."""
    end: int
    """Past the heading's last line, its line break included."""


@dataclass(frozen=True, slots=True)
class BlockId:
    """A ``^id`` that marks a block."""

    id: str
    line: int
    start: int
    """Of the ``^``."""
    end: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag without its ``#``, as written."""

    name: str
    line: int
    start: int
    """Of the ``#``; of the value for a property tag."""
    end: int
    in_property: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """A list item with a check box."""

    status: str
    """The character between the brackets: blank is open, ``x`` is done, others as themes use them."""
    text: str
    line: int
    start: int
    """Of the ``[``."""


@dataclass(frozen=True, slots=True)
class InlineField:
    """``key:: value`` on a line of its own (or list item), or ``[key:: value]`` / ``(key:: value)``."""

    key: str
    value: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FactLine:
    """A list line that a block id ``^f-…`` names: edit the line to correct it, delete it to forget it."""

    id: str
    text: str
    """Without list mark and block id, trimmed."""
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """One search block: a heading with the text below it, or a part of a long section.

    The sections of a note follow each other without a gap from ``body_start`` to the end of the text,
    so joining their slices gives the body back.
    """

    ordinal: int
    heading_path: tuple[str, ...]
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The property block: what it says, and where it stands."""

    state: FrontmatterState
    values: Mapping[str, PropertyValue]
    aliases: tuple[str, ...]
    tags: tuple[Tag, ...]
    links: tuple[Link, ...]
    warnings: tuple[NoteWarning, ...]
    inner_start: int
    """Of the text between the fences; 0 when there is no block."""
    inner_end: int
    body_start: int
    """Past the closing fence's line; past the byte order mark when there is no block."""
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """All that a note's text says. ``links`` and ``tags`` start with those of the properties."""

    frontmatter: Frontmatter
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]
    block_ids: tuple[BlockId, ...]
    tags: tuple[Tag, ...]
    tasks: tuple[Task, ...]
    fields: tuple[InlineField, ...]
    facts: tuple[FactLine, ...]
    sections: tuple[Section, ...]
    hidden: tuple[tuple[int, int], ...]
    """Spans that hold no links, tags or mentions: code, math, HTML; in order, not overlapping."""
    warnings: tuple[NoteWarning, ...]

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names the note answers to in suggestions and mentions (never in links)."""
        return self.frontmatter.aliases


class ResolvedBy(StrEnum):
    """The step of the rules that found a link's file."""

    SELF = "self"
    NAME = "name"
    """The only file of that name."""
    EXACT = "exact"
    """An exact path from the vault root."""
    RELATIVE = "relative"
    SUFFIX = "suffix"
    """A path that ends with the target; several of them make the link ambiguous."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a target leads."""

    path: str | None
    """The file, spelled as on disk; None when nothing matches."""
    by: ResolvedBy | None
    candidates: tuple[str, ...] = ()
    """Every file that matched at the last step, best first, when more than one did."""

    @property
    def ambiguous(self) -> bool:
        """Whether a tie rule had to choose; no automatic edit may depend on such a link."""
        return len(self.candidates) > 1


class SubpathKind(StrEnum):
    """What the ``#…`` of a link addresses."""

    HEADING = "heading"
    BLOCK = "block"
    FRAGMENT = "fragment"
    """Of a file that is no note: ``#page=3``."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class SubpathTarget:
    """The end of a link inside its file."""

    kind: SubpathKind
    text: str = ""
    """The raw heading, the block id as written, or the fragment."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a note's name or alias stands as plain text."""

    name: str
    """As written there."""
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class CanvasContent:
    """What a canvas says: its links, those of its text cards included."""

    links: tuple[Link, ...]
    warnings: tuple[NoteWarning, ...] = ()
