"""Reading the index: notes by name, their links, backlinks, tags, and the vault in figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw

from vaultmem.index.connection import fetch
from vaultmem.index.rows import last_heading, name_hash
from vaultmem.index.terms import storable
from vaultmem.notes.model import BlockId, Heading, PropertyValue, SubpathTarget
from vaultmem.notes.paths import path_key
from vaultmem.notes.resolve import link_name_key, unresolved_name
from vaultmem.notes.subpath import resolve_subpath
from vaultmem.notes.textedit import line_breaks

FILE_BY_PATH = "SELECT id, path, kind FROM vault_files WHERE path = ?"
ALL_FILES = "SELECT path, kind, state, excluded, conflict_of FROM vault_files ORDER BY path"
# Notes that may have that title or alias: SQLite's lower() knows ASCII alone.
NOTES_TITLED = """
SELECT f.id, f.path, f.kind, n.title, n.aliases FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id
WHERE lower(n.title) = ? OR n.title GLOB '*[^ -~]*' OR n.aliases != '[]' ORDER BY f.path
"""
# First headings of level 1 among blocks; each with the title that it may repeat.
FIRST_HEADINGS = """
SELECT f.id, f.path, f.kind, b.heading_path, n.title FROM json_each(?) AS j
JOIN notes_blocks AS b ON b.id = j.value JOIN notes_index AS n ON n.id = b.note_id JOIN vault_files AS f ON f.id = n.id
WHERE b.level = 1 AND NOT EXISTS (
  SELECT 1 FROM notes_blocks AS o WHERE o.note_id = b.note_id AND o.level = 1 AND o.ordinal < b.ordinal
) ORDER BY f.path
"""
# Notes whose bytes say nothing, which are found by their name alone.
TEXTLESS = """
SELECT f.path, n.text_state FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id
WHERE n.text_state IN ('not-utf8', 'zero-filled') ORDER BY f.path
"""
NOTE_NAMES = (
    "SELECT f.path, n.title, n.aliases FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id"
)

NOTE = """
SELECT f.path, n.title, n.category, n.note_type, n.aliases, n.properties, n.frontmatter_state, n.words,
       n.permanent, n.stale, f.excluded, f.conflict_of, f.mtime_ns, f.content_hash, n.text_state
FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id WHERE n.id = ?
"""
TAGS_OF = "SELECT tag FROM notes_tags WHERE note_id = ? ORDER BY ordinal"
HEADINGS_OF = """
SELECT b.level, b.heading_path, b.line, b.text, n.title
FROM notes_blocks AS b JOIN notes_index AS n ON n.id = b.note_id
WHERE b.note_id = ? AND b.level > 0 ORDER BY b.ordinal
"""
BLOCK_IDS_OF = "SELECT block_id, line FROM notes_block_ids WHERE note_id = ? ORDER BY ordinal"
TASKS_OF = "SELECT status, text, line FROM notes_tasks WHERE note_id = ? ORDER BY ordinal"
WARNINGS_OF = "SELECT code, message, line FROM file_warnings WHERE file_id = ? ORDER BY ordinal"
ALL_WARNINGS = """
SELECT f.path, w.code, w.message, w.line FROM file_warnings AS w JOIN vault_files AS f ON f.id = w.file_id
ORDER BY f.path, w.ordinal
"""
# Files with links that lead nowhere, most of them first.
BROKEN_LINKS = """
SELECT f.path, l.line, l.target FROM notes_links AS l JOIN vault_files AS f ON f.id = l.source_id
WHERE l.status IN ('unresolved', 'deleted') AND f.excluded = 0 ORDER BY f.path, l.ordinal
"""
BLOCKS_OF = "SELECT text FROM notes_blocks WHERE note_id = ? ORDER BY ordinal"

# Written links of one file, in order, with the file each leads to.
LINKS_OF = """
SELECT s.path, l.kind, l.embed, l.target, l.subpath, l.label, l.size, l.key, coalesce(l.relation, 'mentions'), l.line,
       t.path, t.kind, t.id, l.status, l.resolved_by, l.confidence, l.gone_path
FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id LEFT JOIN vault_files AS t ON t.id = l.target_id
WHERE l.source_id = ? ORDER BY l.ordinal
"""
# Written links that lead to one file, those of the file itself left out.
BACKLINKS_OF = """
SELECT s.path, s.kind, l.line, l.start, l.key, l.kind
FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id
WHERE l.target_id = :id AND l.source_id != :id ORDER BY s.kind != 'note', s.path, l.ordinal
"""
# Written links to a file that is gone, and to files of a name that none has; columns as above.
BACKLINKS_OF_GONE = """
SELECT s.path, s.kind, l.line, l.start, l.key, l.kind
FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id
WHERE l.gone_path = ? ORDER BY s.kind != 'note', s.path, l.ordinal
"""
BACKLINKS_OF_MISSING = """
SELECT s.path, s.kind, l.line, l.start, l.key, l.kind, l.target
FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id
WHERE l.name_hash IN (?, ?) AND l.target_id IS NULL ORDER BY s.kind != 'note', s.path, l.ordinal
"""
COUNT_LINKS_OF = "SELECT count(*) FROM notes_links WHERE source_id = ?"
COUNT_BACKLINKS_OF = """
SELECT count(*) FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id
WHERE l.target_id = :id AND l.source_id != :id AND s.kind = 'note'
"""
LINK_PAIRS = """
SELECT s.path, t.path, l.target, count(*), s.excluded, t.excluded, s.kind, t.kind, min(l.ordinal)
FROM notes_links AS l JOIN vault_files AS s ON s.id = l.source_id LEFT JOIN vault_files AS t ON t.id = l.target_id
GROUP BY l.source_id, l.target_id, iif(l.target_id IS NULL, l.target, '') ORDER BY s.path, min(l.ordinal)
"""
# Each spelling with how often it is written and where first, by path and order in the note.
TAG_SPELLINGS = """
SELECT t.tag, t.tag_key, count(*), min(f.path || char(0) || printf('%010d', t.ordinal))
FROM notes_tags AS t JOIN vault_files AS f ON f.id = t.note_id GROUP BY t.tag_key, t.tag ORDER BY t.tag_key
"""
TAG_NOTES = "SELECT tag_key, count(DISTINCT note_id) FROM notes_tags GROUP BY tag_key"
# Notes with the tag or one nested below it: everything from 'tag/' up to, not including, 'tag0'.
NOTES_TAGGED = """
SELECT DISTINCT f.path FROM notes_tags AS t JOIN vault_files AS f ON f.id = t.note_id
WHERE t.tag_key = :tag OR (t.tag_key > :tag || '/' AND t.tag_key < :tag || '0') ORDER BY f.path
"""
FIGURES = """
SELECT
  (SELECT count(*) FROM vault_files),
  (SELECT count(*) FROM notes_index),
  (SELECT count(*) FROM notes_blocks),
  (SELECT count(*) FROM notes_links),
  (SELECT count(*) FROM notes_links WHERE status IN ('unresolved', 'deleted')),
  (SELECT count(*) FROM notes_links WHERE status = 'ambiguous'),
  (SELECT count(DISTINCT tag_key) FROM notes_tags),
  (SELECT count(*) FROM notes_tasks WHERE status = ' '),
  (SELECT count(*) FROM file_warnings WHERE code = 'invalid-frontmatter'),
  (SELECT count(*) FROM file_warnings),
  (SELECT coalesce(sum(size), 0) FROM vault_files WHERE kind = 'note')
"""
FILE_FIGURES = """
SELECT kind, state, excluded, conflict_of IS NOT NULL, count(*) FROM vault_files GROUP BY 1, 2, 3, 4
"""
BLOCK_PLACES = """
SELECT b.id, f.path, b.line FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id
"""
# Notes that shall stay as they are, and be known to who remembers with this vault.
PERMANENT_NOTES = """
SELECT f.path FROM notes_index AS n JOIN vault_files AS f ON f.id = n.id
WHERE n.permanent = 1 AND f.excluded = 0 ORDER BY f.path
"""

# Candidates for unlinked mentions: notes that are not excluded, other than the note itself.
NOTES_OF_BLOCKS = """
SELECT DISTINCT b.note_id, f.path FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id
WHERE b.id IN (SELECT value FROM json_each(?)) AND f.excluded = 0 AND b.note_id != ? ORDER BY f.path
"""


class FileRef(NamedTuple):
    """A file of the index."""

    id: int
    path: str
    kind: str


class Figures(NamedTuple):
    """The vault counted; ``vault_bytes`` are those of the notes."""

    files: int
    notes: int
    blocks: int
    links: int
    unresolved: int
    ambiguous: int
    tags: int
    tasks_open: int
    invalid_frontmatter: int
    warnings: int
    vault_bytes: int


@dataclass(frozen=True, slots=True)
class LinkPair:
    """The links of one file to another, or to one missing name."""

    source: str
    target: str | None
    missing: str
    """The name asked for, as typed, when there is no such file."""
    count: int
    excluded: bool
    """Obsidian's settings exclude one of the two."""
    source_kind: str
    target_kind: str | None


def figures(connection: apsw.Connection) -> Figures:
    """The vault in numbers."""
    return Figures._make(fetch(connection, FIGURES)[0])


def block_places(connection: apsw.Connection) -> dict[int, tuple[str, int]]:
    """The path and the first line of each block, by its id."""
    return {block: (path, line) for block, path, line in connection.execute(BLOCK_PLACES)}


def file_by_path(connection: apsw.Connection, path: str) -> FileRef | None:
    """The file at exactly that path."""
    for row in connection.execute(FILE_BY_PATH, (path,)):
        return FileRef._make(row)
    return None


def notes_titled(connection: apsw.Connection, title: str) -> list[FileRef]:
    """Notes whose title or one of whose aliases is that text, without regard to case; by path."""
    key = path_key(title)
    return [
        FileRef._make(file)
        for *file, titled, aliases in connection.execute(NOTES_TITLED, (key,))
        if any(path_key(name) == key for name in (titled, *json.loads(aliases)))
    ]


def notes_headed(connection: apsw.Connection, heading: str, blocks: Iterable[int]) -> list[FileRef]:
    """Notes whose first heading of level 1 is that text, without regard to case, and begins one of the blocks; by
    path."""
    key = path_key(heading)
    return [
        FileRef._make(file)
        for *file, cell, title in connection.execute(FIRST_HEADINGS, (json.dumps(list(blocks)),))
        if path_key(last_heading(cell, title).strip()) == key
    ]


def note_names(connection: apsw.Connection) -> Iterator[tuple[str, str]]:
    """(name, path) of every note: file names, titles, aliases; for "did you mean"."""
    for path, title, aliases in connection.execute(NOTE_NAMES):
        yield path.rpartition("/")[2].removesuffix(".md"), path
        yield title, path
        for alias in json.loads(aliases):
            yield alias, path


def anchors(connection: apsw.Connection, note_id: int) -> tuple[list[Heading], list[BlockId]]:
    """The headings and block ids of a note, in order; their offsets are not kept and read 0."""
    headings = [
        Heading(level, last_heading(path, title), line + _blank_lines_before(text), 0, 0)
        for level, path, line, text, title in fetch(connection, HEADINGS_OF, (note_id,))
    ]
    block_ids = [
        BlockId(block_id, line, 0, 0)
        for block_id, line in fetch(connection, BLOCK_IDS_OF, (note_id,))
    ]
    return headings, block_ids


def _blank_lines_before(text: str) -> int:
    """Lines above the heading that a block begins with: a note's first block takes in those at its top."""
    return sum(1 for _ in line_breaks(text[: len(text) - len(text.lstrip())]))


class SubpathEnds:
    """Where subpaths lead, each note's anchors read once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._anchors: dict[int, tuple[list[Heading], list[BlockId]]] = {}

    def find(self, subpath: str, file: FileRef | None) -> SubpathTarget | None:
        """The end of a link inside its file; None without a subpath or a file."""
        if file is None or not subpath:
            return None
        if file.kind != "note":
            return resolve_subpath(subpath, (), (), is_note=False)
        if file.id not in self._anchors:
            self._anchors[file.id] = anchors(self._connection, file.id)
        return resolve_subpath(subpath, *self._anchors[file.id])


def link_pairs(connection: apsw.Connection) -> list[LinkPair]:
    """Who links to whom, by source path, then by the order of the text."""
    return [
        LinkPair(
            source=source,
            target=target,
            missing="" if target is not None else unresolved_name(typed),
            count=count,
            excluded=bool(source_excluded or target_excluded),
            source_kind=source_kind,
            target_kind=target_kind,
        )
        for (
            source,
            target,
            typed,
            count,
            source_excluded,
            target_excluded,
            source_kind,
            target_kind,
            _,
        ) in connection.execute(LINK_PAIRS)
    ]


def missing_spellings(pairs: Iterable[LinkPair]) -> dict[str, str]:
    """For each missing name's key the spelling to show: the first in the order of ``pairs`` (B-08)."""
    spelling: dict[str, str] = {}
    for pair in pairs:
        if pair.target is None:
            spelling.setdefault(path_key(pair.missing), pair.missing)
    return spelling


class TagFigure(NamedTuple):
    """A tag in its most used spelling, of equal ones that which comes first in the order of paths (T-06)."""

    tag: str
    uses: int
    notes: int


def tag_figures(connection: apsw.Connection) -> list[TagFigure]:
    """The tags of the vault, most written first, then by name."""
    spellings: dict[str, Counter[str]] = {}
    first: dict[tuple[str, str], str] = {}
    for tag, key, count, place in connection.execute(TAG_SPELLINGS):
        spellings.setdefault(key, Counter())[tag] = count
        first[key, tag] = place
    notes = dict(fetch(connection, TAG_NOTES))
    out = []
    for key, counted in spellings.items():
        shown = min(counted, key=lambda tag: (-counted[tag], first[key, tag]))
        out.append(TagFigure(shown, counted.total(), notes[key]))
    return sorted(out, key=lambda figure: (-figure.uses, path_key(figure.tag)))


def tag_key(tag: str) -> str:
    """The form in which a tag that a person typed is compared: like a name, without regard to case or Unicode form."""
    return path_key(storable(tag).strip().removeprefix("#").rstrip("/"))


def notes_tagged(connection: apsw.Connection, tag: str) -> list[str]:
    """Paths of the notes with that tag or one nested below it, in order (T-05, T-06)."""
    key = tag_key(tag)
    return [path for (path,) in connection.execute(NOTES_TAGGED, {"tag": key})] if key else []


def missing_backlinks(connection: apsw.Connection, name: str) -> list[tuple[Any, ...]]:
    """Rows as ``BACKLINKS_OF`` has them, of the links that ask for a note of that name, which there is not: those that
    Obsidian would show at one missing note (B-08)."""
    wanted = unresolved_name(name)
    key = path_key(wanted)
    hashes = tuple(name_hash(link_name_key(typed)) for typed in (wanted, f"{wanted}.md"))
    return [
        tuple(row)
        for *row, target in connection.execute(BACKLINKS_OF_MISSING, hashes)
        if path_key(unresolved_name(target)) == key
    ]


def note_body(connection: apsw.Connection, note_id: int) -> str:
    """The note's text below its frontmatter, as the index has it."""
    return "".join(text for (text,) in connection.execute(BLOCKS_OF, (note_id,)))


def properties(json_text: str) -> dict[str, PropertyValue]:
    """A note's properties from the cell that holds them."""
    loaded: dict[str, PropertyValue] = json.loads(json_text)
    return loaded
