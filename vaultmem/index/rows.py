"""From a parsed note to the rows of the index. Pure; the parser is imported with the first note, since most commands
find nothing to parse. The rows are plain tuples so that a worker process can
hand them over cheaply (``marshal`` writes a string that stands in several places once)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias
from zlib import crc32

from vaultmem.index.terms import CJK_RUN, cjk_grams, fold, storable, without_cjk, words_and_grams
from vaultmem.notes.dated import note_day
from vaultmem.notes.model import (
    MENTIONS,
    Link,
    NoteWarning,
    ParsedNote,
    PropertyValue,
    Section,
    Tag,
)
from vaultmem.notes.paths import path_key, stem
from vaultmem.notes.resolve import link_name_key

Cell: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Cell, ...]

_PERMANENT_TAGS = frozenset({"permanent", "pinned"})


class BlockRows(NamedTuple):
    """One search block: its row and what both full-text indexes get."""

    row: Row
    """ordinal, level, heading_path, start, line, text"""
    words: Row
    """title, aliases, headings, tags, body, cjk: all folded"""
    substrings: str
    """Folded, without CJK runs: for those the pairs in the word index serve, at a quarter of the room."""


class FileRows(NamedTuple):
    """All rows that one file's content yields; ids of the file and of the blocks are the writer's to add."""

    note: Row | None
    """title, category, note_type, text_state, frontmatter_state, properties, aliases, permanent, stale,
    severity, words, body_start, day; None for a canvas"""
    blocks: list[BlockRows]
    block_ids: list[Row]
    tags: list[Row]
    links: list[Row]
    tasks: list[Row]
    fields: list[Row]
    facts: list[Row]
    warnings: list[Row]
    vectors: list[Row] = []  # noqa: RUF012 - a tuple's default, never appended to
    """hash of the embedded text, vector: one for each block; none where the blocks are embedded later"""


def note_rows(path: str, text: str, *, template: bool = False) -> FileRows:
    """The rows of the note at ``path`` with that text; ``template`` for a file of the templates folder."""
    from vaultmem.notes.parse import parse_note

    parsed = parse_note(text, template=template)
    values = parsed.frontmatter.values
    title = _text_property(values, "title") or stem(path)
    return FileRows(
        note=(
            title,
            _category(path, values),
            _text_property(values, "type"),
            "ok",
            str(parsed.frontmatter.state),
            _json(values),
            _json(parsed.aliases),
            int(_is_permanent(values, parsed.tags)),
            int(values.get("stale") is True),
            _text_property(values, "severity"),
            count_words(text[parsed.frontmatter.body_start :]),
            parsed.frontmatter.body_start,
            note_day(path, values),
        ),
        blocks=_blocks(path, title, text, parsed),
        block_ids=[(i, b.id, b.line) for i, b in enumerate(parsed.block_ids)],
        tags=_tags(parsed.tags),
        links=link_rows(parsed.links),
        tasks=[(i, t.status, t.text, t.line) for i, t in enumerate(parsed.tasks)],
        fields=[(i, f.key, f.value, f.line) for i, f in enumerate(parsed.fields)],
        facts=[(i, f.id, f.text, f.line) for i, f in enumerate(parsed.facts)],
        warnings=warning_rows(parsed.warnings),
    )


def textless_note_rows(path: str, text_state: str) -> FileRows:
    """The rows of a note whose text cannot be had (``not-utf8``, ``zero-filled``, ``absent``): found by its name alone."""
    title = stem(path)
    return FileRows(
        note=(
            title,
            _category(path, {}),
            "",
            text_state,
            "none",
            "{}",
            "[]",
            0,
            0,
            "",
            0,
            0,
            note_day(path, {}),
        ),
        blocks=[_block(Section(0, (), 0, 0, 0), 0, "", _Names.of(path, title, (), ()))],
        block_ids=[],
        tags=[],
        links=[],
        tasks=[],
        fields=[],
        facts=[],
        warnings=[],
    )


def canvas_rows(text: str) -> FileRows:
    """The rows of a canvas: links of its file cards and text cards, and its warnings."""
    from vaultmem.notes.canvas import read_canvas

    content = read_canvas(text)
    return FileRows(
        note=None,
        blocks=[],
        block_ids=[],
        tags=[],
        links=[_storable_row(row) for row in link_rows(content.links)],
        tasks=[],
        fields=[],
        facts=[],
        warnings=[_storable_row(row) for row in warning_rows(content.warnings)],
    )


def _storable_row(row: Row) -> Row:
    return tuple(storable(cell) if isinstance(cell, str) else cell for cell in row)


def link_rows(links: tuple[Link, ...]) -> list[Row]:
    """ordinal, kind, embed, target, subpath, label, size, key, relation, line, start, name_hash"""
    return [
        (
            ordinal,
            str(link.kind),
            int(link.embed),
            link.target,
            link.subpath,
            link.display,
            link.size,
            link.key,
            None if link.relation == MENTIONS else link.relation,
            link.line,
            link.start,
            name_hash(link_name_key(link.target)),
        )
        for ordinal, link in enumerate(links)
    ]


def name_hash(key: str) -> int:
    """A number of 31 bits for a name key: a fifth of the room; who looks up by it compares the names themselves."""
    return crc32(key.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF


def warning_rows(warnings: tuple[NoteWarning, ...]) -> list[Row]:
    """ordinal, code, message, line"""
    return [(i, str(w.code), w.message, w.line) for i, w in enumerate(warnings)]


def count_words(text: str) -> int:
    """Pieces between blanks; in scripts without blanks, characters."""
    if text.isascii():
        return len(text.split())
    characters = sum(map(len, CJK_RUN.findall(text)))
    return characters + len(CJK_RUN.sub(" ", text).split())


class _Names(NamedTuple):
    """What a note is found by besides its text. Every block has the title; the rest stands with the first block
    alone, since repeated in each it would be a tenth of the index."""

    shown: str
    """The title as a heading of the note may repeat it."""
    raw: str
    title: str
    aliases: str
    tags: str

    @classmethod
    def of(cls, path: str, title: str, aliases: tuple[str, ...], tags: tuple[Tag, ...]) -> _Names:
        name = stem(path)
        titles = title if title == name else f"{title}\n{name}"
        raw = "\n".join((titles, *aliases))
        distinct_tags = dict.fromkeys(tag.name for tag in tags)
        return cls(
            title,
            fold(raw),
            words_and_grams(fold(titles)),
            words_and_grams(fold("\n".join(aliases))),
            words_and_grams(fold(" ".join(distinct_tags))),
        )


def _blocks(path: str, title: str, text: str, parsed: ParsedNote) -> list[BlockRows]:
    names = _Names.of(path, title, parsed.aliases, parsed.tags)
    levels = iter(parsed.headings)
    heading = next(levels, None)
    rows = []
    for section in parsed.sections:
        level = 0
        if heading is not None and section.start <= heading.start < section.end:
            level, heading = heading.level, next(levels, None)
        rows.append(_block(section, level, text[section.start : section.end], names))
    return rows


def _block(section: Section, level: int, text: str, names: _Names) -> BlockRows:
    folded = fold(text)
    path = section.heading_path
    row = (
        section.ordinal,
        level,
        join_headings(path, names.shown),
        section.start,
        section.line,
        text,
    )
    own = [heading for heading in path if heading != names.shown]
    headings = words_and_grams(fold("\n".join(own))) if own else ""
    body, cjk = without_cjk(folded), cjk_grams(folded)
    if section.ordinal:
        return BlockRows(row, (names.title, "", headings, "", body, cjk), body)
    return BlockRows(
        row,
        (names.title, names.aliases, headings, names.tags, body, cjk),
        f"{without_cjk(names.raw)}\n{body}",
    )


_TITLE = "\x1f"
"""Stands for the note's title in a heading path: most paths begin with it, and written out it would be a tenth of
a large index."""


def join_headings(path: tuple[str, ...], title: str) -> str:
    """A heading path, outermost first, as its cell holds it."""
    return "\n".join(_TITLE if heading == title else heading.replace("\n", " ") for heading in path)


def split_headings(cell: str, title: str) -> tuple[str, ...]:
    """The inverse of :func:`join_headings`."""
    return tuple(title if part == _TITLE else part for part in cell.split("\n")) if cell else ()


def last_heading(cell: str, title: str) -> str:
    """The innermost heading of a path's cell; "" also for a heading without text."""
    last = cell.rpartition("\n")[2]
    return title if last == _TITLE else last


def _tags(tags: tuple[Tag, ...]) -> list[Row]:
    return [(i, t.name, path_key(t.name), int(t.in_property), t.line) for i, t in enumerate(tags)]


def _category(path: str, values: Mapping[str, PropertyValue]) -> str:
    named = _text_property(values, "category")
    return named or (path.partition("/")[0] if "/" in path else "")


def _is_permanent(values: Mapping[str, PropertyValue], tags: tuple[Tag, ...]) -> bool:
    if values.get("permanent") is True:
        return True
    return any(tag.name.lower() in _PERMANENT_TAGS for tag in tags)


def _text_property(values: Mapping[str, PropertyValue], key: str) -> str:
    value = values.get(key)
    return value.strip() if isinstance(value, str) else ""


def _json(value: Mapping[str, PropertyValue] | tuple[str, ...]) -> str:
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    return json.dumps(
        dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False, allow_nan=False
    )
