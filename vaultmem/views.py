"""Answers made from index rows: one note, its links both ways, its unlinked mentions, tags, figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from vaultmem.answers import (
    BacklinkSource,
    FileListing,
    GraphView,
    HeadingView,
    LinkView,
    MentionSource,
    NoteView,
    Place,
    Status,
    TagCount,
    TaskView,
    VectorStatus,
    WarningView,
)
from vaultmem.errors import NoteNotFoundError, UsageError, listed
from vaultmem.files.read import UnreadableFile, decode, read_note_bytes
from vaultmem.files.scan import ScanWarning
from vaultmem.index import queries
from vaultmem.index.connection import fetch, fetch_int, fetch_one
from vaultmem.index.names import IndexedNames
from vaultmem.index.queries import FileRef
from vaultmem.index.terms import storable
from vaultmem.index.tombstones import tombstone_at
from vaultmem.index.vectors import vector_sets
from vaultmem.notes.closeness import close_names
from vaultmem.notes.linktext import split_destination, split_wikilink
from vaultmem.notes.mentions import find_mentions
from vaultmem.notes.model import SubpathTarget
from vaultmem.notes.parse import parse_note
from vaultmem.notes.paths import FileKind, clashes, path_key, stem
from vaultmem.notes.resolve import UNRESOLVED, resolve, resolve_exact, unresolved_name
from vaultmem.notes.textedit import split_lines
from vaultmem.search.lanes import heading_candidates, mention_candidates
from vaultmem.search.model import Freshness

UNKNOWN = Freshness(checked=False, synced_ns=0, applied=0, pending=0)

CANDIDATES = 5
"""Files that are named when a name means several."""

CONTEXT = 160
"""Characters of a line that are shown around a link."""

LONGEST_NAME = 255
"""Bytes that file systems allow a name."""

FIRST_LINE = "SELECT line FROM notes_blocks WHERE note_id = ? AND ordinal = 0"
ALIASES_OF = "SELECT aliases FROM notes_index WHERE id = ?"

ATTACHMENTS = ("image", "audio", "video", "pdf", "other")


# -- finding what a person means ---------------------------------------------------------------------------------


def find_file(connection: apsw.Connection, name: str) -> FileRef:
    """The file that a person means by ``name``: a vault path, else what a link ``[[name]]`` at the vault's root
    would lead to, else the one note with that title or alias, else the one with that first heading (H1).

    Raises NoteNotFoundError with close names as a hint; UsageError when several files have the name or title.
    """
    wanted = storable(name).strip().removeprefix("[[").removesuffix("]]").strip()
    for path in dict.fromkeys((storable(name), wanted) if wanted else ()):
        exact = queries.file_by_path(connection, path)
        if exact is not None:
            return exact
    found = resolve(wanted, "", IndexedNames(connection).lookup) if wanted else UNRESOLVED
    if found.ambiguous:
        raise _which(wanted, found.candidates)
    if found.path is not None:
        file = queries.file_by_path(connection, found.path)
        if file is not None:
            return file
    titled = queries.notes_titled(connection, wanted) if wanted else []
    if len(titled) == 1:
        return titled[0]
    if titled:
        raise _which(wanted, [file.path for file in titled])
    headed = queries.notes_headed(connection, wanted, heading_candidates(connection, wanted))
    if len(headed) == 1:
        return headed[0]
    if headed:
        raise _which(wanted, [file.path for file in headed])
    raise NoteNotFoundError(f"There is no note {wanted!r}.", hint=_did_you_mean(connection, wanted))


def _which(wanted: str, paths: Sequence[str]) -> UsageError:
    hint = f"Say which: {listed(paths, CANDIDATES)}"
    return UsageError(f"{len(paths)} files are called {wanted!r}.", hint=hint)


def find_note(connection: apsw.Connection, name: str) -> FileRef:
    """Like :func:`find_file`, for notes alone."""
    file = find_file(connection, name)
    if file.kind != FileKind.NOTE:
        raise UsageError(f"{file.path} is not a note but a file of kind {file.kind}.")
    return file


def _did_you_mean(connection: apsw.Connection, wanted: str) -> str:
    if len(wanted) > LONGEST_NAME:
        return "No file has a name that long."
    names = {path_key(name): path for name, path in queries.note_names(connection)}
    paths = list(dict.fromkeys(names[name] for name in close_names(path_key(wanted), names, 3)))
    if not paths:
        return "Try `vaultmem search` with a word of it."
    return f"Did you mean {' or '.join(paths)}?"


# -- one note ----------------------------------------------------------------------------------------------------


def note(connection: apsw.Connection, root: Path, name: str) -> NoteView:
    """All that is known of the note that a person means by ``name``, with its text as it is on disk now; its
    freshness is the caller's to add."""
    file = find_note(connection, name)
    (
        path,
        title,
        category,
        note_type,
        aliases,
        properties,
        frontmatter,
        words,
        permanent,
        stale,
        excluded,
        conflict_of,
        mtime_ns,
        content_hash,
        _,
    ) = fetch_one(connection, queries.NOTE, (file.id,))
    tags = [tag for (tag,) in fetch(connection, queries.TAGS_OF, (file.id,))]
    headings, _ = queries.anchors(connection, file.id)
    return NoteView(
        path=path,
        title=title,
        category=category,
        note_type=note_type,
        aliases=tuple(json.loads(aliases)),
        tags=tuple({path_key(tag): tag for tag in reversed(tags)}.values())[::-1],
        properties=queries.properties(properties),
        frontmatter=frontmatter,
        headings=tuple(HeadingView(h.level, h.text, h.line) for h in headings),
        tasks=tuple(TaskView(*row) for row in fetch(connection, queries.TASKS_OF, (file.id,))),
        links=fetch_int(connection, queries.COUNT_LINKS_OF, (file.id,)),
        backlinks=fetch_int(connection, queries.COUNT_BACKLINKS_OF, {"id": file.id}),
        words=words,
        permanent=bool(permanent),
        stale=bool(stale),
        excluded=bool(excluded),
        conflict_of=conflict_of,
        modified_ns=mtime_ns,
        content_hash=content_hash.hex() if content_hash else "",
        warnings=tuple(
            WarningView(path, *row) for row in fetch(connection, queries.WARNINGS_OF, (file.id,))
        ),
        text=read_text(root, path),
        freshness=UNKNOWN,
    )


def read_text(root: Path, path: str) -> str | None:
    """The file's text as it is on disk; None when it is not there, cannot be read, or is not UTF-8."""
    try:
        return decode(read_note_bytes(root, path).data)
    except UnreadableFile:
        return None


# -- links -------------------------------------------------------------------------------------------------------


def links(connection: apsw.Connection, name: str) -> tuple[str, tuple[LinkView, ...]]:
    """The path of the file that is meant, and its links."""
    file = find_file(connection, name)
    return file.path, link_views(connection, file)


def resolve_link(
    connection: apsw.Connection, link: str, source: str, *, markdown: bool
) -> tuple[str | None, SubpathTarget | None]:
    """Where a link as typed leads from a note: the file, and the place in it."""
    target, subpath = split_destination(link) if markdown else split_wikilink(link)[:2]
    path = resolve(target, source, IndexedNames(connection).lookup).path
    file = queries.file_by_path(connection, path) if path is not None else None
    return path, queries.SubpathEnds(connection).find(subpath, file)


def link_views(connection: apsw.Connection, file: FileRef) -> tuple[LinkView, ...]:
    """The written links of a file, property links first, then in the order of the text."""
    ends = queries.SubpathEnds(connection)
    views = []
    for row in fetch(connection, queries.LINKS_OF, (file.id,)):
        source, kind, embed, target, subpath, label, size, key, relation, line = row[:10]
        to, to_kind, to_id, status, by, confidence, gone_path = row[10:]
        tombstone = tombstone_at(connection, gone_path) if gone_path is not None else None
        leads_to = FileRef(to_id, to, to_kind) if to is not None else None
        views.append(
            LinkView(
                source=source,
                kind=kind,
                embed=bool(embed),
                target=target,
                subpath=subpath,
                display=label,
                size=size,
                key=key,
                relation=relation,
                line=line,
                to=to,
                status=status,
                resolved_by=by,
                confidence=confidence,
                end=ends.find(subpath, leads_to),
                gone_path=gone_path,
                gone_ns=tombstone.gone_ns if tombstone is not None else None,
            )
        )
    return tuple(views)


def backlinks(
    connection: apsw.Connection, root: Path, name: str
) -> tuple[str, tuple[BacklinkSource, ...], str]:
    """The path of the file that is meant, who links to it, and whether it is present, deleted or missing.

    Raises NoteNotFoundError for a name that no link asks for and no file has or had.
    """
    try:
        file = find_file(connection, name)
    except NoteNotFoundError:
        found = _backlinks_of_none(connection, root, name)
        if found is None:
            raise
        return found
    return file.path, backlink_sources(connection, root, file), "present"


def _backlinks_of_none(
    connection: apsw.Connection, root: Path, name: str
) -> tuple[str, tuple[BacklinkSource, ...], str] | None:
    """What :func:`backlinks` says of a name that no file has; None when there is nothing to say."""
    wanted = storable(name).strip().removeprefix("[[").removesuffix("]]").strip()
    gone = IndexedNames(connection).gone
    path = (resolve_exact(wanted, gone).path or resolve(wanted, "", gone).path) if wanted else None
    if path is not None:
        rows = fetch(connection, queries.BACKLINKS_OF_GONE, (path,))
        return path, _sources(root, rows), "deleted"
    rows = queries.missing_backlinks(connection, wanted) if wanted else []
    return (unresolved_name(wanted), _sources(root, rows), "missing") if rows else None


def backlink_sources(
    connection: apsw.Connection, root: Path, file: FileRef
) -> tuple[BacklinkSource, ...]:
    """Who links to the file, with the line of each link; notes by path, then canvases (B-01 to B-03, F-05)."""
    return _sources(root, fetch(connection, queries.BACKLINKS_OF, {"id": file.id}))


def _sources(root: Path, rows: Iterable[tuple[Any, ...]]) -> tuple[BacklinkSource, ...]:
    places: dict[tuple[str, bool], list[int]] = {}
    for path, kind, line, *_ in rows:
        places.setdefault((path, kind == FileKind.CANVAS), []).append(line)
    sources = []
    for (path, is_canvas), found in places.items():
        lines = [] if is_canvas else split_lines(read_text(root, path) or "")
        shown = tuple(Place(line, "" if is_canvas else line_context(lines, line)) for line in found)
        sources.append(BacklinkSource(path, len(found), shown, is_canvas))
    return tuple(sources)


def line_context(lines: Sequence[str], line: int) -> str:
    """The line, trimmed and cut to a readable length; "" past the end."""
    text = lines[line].strip() if line < len(lines) else ""
    return text if len(text) <= CONTEXT else text[: CONTEXT - 1].rstrip() + "…"


def unlinked(
    connection: apsw.Connection, name: str
) -> tuple[str, tuple[str, ...], tuple[MentionSource, ...]]:
    """The path of the note that is meant, what it is called, and where that stands unlinked."""
    file = find_note(connection, name)
    names = mention_names(connection, file)
    return file.path, names, mention_sources(connection, file, names)


def mention_counts(connection: apsw.Connection, path: str) -> list[tuple[str, int]]:
    """The notes that name the one at that path in plain text, and how often each does."""
    file = find_note(connection, path)
    sources = mention_sources(connection, file, mention_names(connection, file))
    return [(source.path, source.count) for source in sources]


def mention_names(connection: apsw.Connection, file: FileRef) -> tuple[str, ...]:
    """What a note is called in running text: its file name and its aliases."""
    (aliases,) = fetch_one(connection, ALIASES_OF, (file.id,))
    return tuple(dict.fromkeys((stem(file.path), *json.loads(aliases))))


def mention_sources(
    connection: apsw.Connection, file: FileRef, names: Sequence[str]
) -> tuple[MentionSource, ...]:
    """Notes in which one of the names stands as plain text outside any link; by path (B-04 to B-06).

    The full-text index says which notes may; only those are parsed, from the index, not from disk.
    """
    blocks = mention_candidates(connection, names)
    sources = []
    rows = fetch(connection, queries.NOTES_OF_BLOCKS, (json.dumps(blocks), file.id))
    for note_id, path in rows:
        # A blank line before it, lest a body that begins with a rule be read as frontmatter.
        text = "\n" + queries.note_body(connection, note_id)
        mentions = find_mentions(text, parse_note(text), names)
        if mentions:
            lines = split_lines(text)
            above = fetch_int(connection, FIRST_LINE, (note_id,)) - 1
            places = tuple(Place(above + m.line, line_context(lines, m.line)) for m in mentions)
            sources.append(MentionSource(path, len(mentions), places))
    return tuple(sources)


# -- the vault as a whole ----------------------------------------------------------------------------------------


def tag_counts(connection: apsw.Connection) -> tuple[TagCount, ...]:
    """The tags of the vault, most used first."""
    return tuple(TagCount(*figure) for figure in queries.tag_figures(connection))


def tags(
    connection: apsw.Connection, tag: str | None
) -> tuple[tuple[TagCount, ...], tuple[str, ...]]:
    """All tags; or those that are ``tag`` or nested below it, and the notes that hold one of them."""
    counts = tag_counts(connection)
    if tag is None:
        return counts, ()
    key = queries.tag_key(tag)
    below = tuple(
        count
        for count in counts
        if path_key(count.tag) == key or path_key(count.tag).startswith(f"{key}/")
    )
    return below, tuple(queries.notes_tagged(connection, tag))


def graph_view(connection: apsw.Connection, *, existing_only: bool, attachments: bool) -> GraphView:
    """Nodes and edges as Obsidian's graph shows them (B-07, B-08): one edge per linked pair and direction."""
    nodes = {
        path
        for path, kind, _, excluded, _ in fetch(connection, queries.ALL_FILES)
        if not excluded and (kind == FileKind.NOTE or (attachments and kind in ATTACHMENTS))
    }
    pairs = queries.link_pairs(connection)
    spelling = queries.missing_spellings(pairs)
    edges: set[tuple[str, str]] = set()
    for pair in pairs:
        if pair.source not in nodes or pair.excluded:
            continue
        if pair.target is None:
            if not existing_only:
                missing = f"unresolved:{spelling[path_key(pair.missing)]}"
                nodes.add(missing)
                edges.add((pair.source, missing))
        elif pair.target in nodes and pair.target != pair.source:
            edges.add((pair.source, pair.target))
    return GraphView(tuple(sorted(nodes)), tuple(sorted(edges)))


def link_counts(
    connection: apsw.Connection,
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Obsidian's two link tables: per source how often it links to each file, and to each missing name (R-18)."""
    resolved: dict[str, dict[str, int]] = {}
    unresolved: dict[str, dict[str, int]] = {}
    for pair in queries.link_pairs(connection):
        table, name = (unresolved, pair.missing) if pair.target is None else (resolved, pair.target)
        counts = table.setdefault(pair.source, {})
        counts[name] = counts.get(name, 0) + pair.count
    return resolved, unresolved


def file_listing(connection: apsw.Connection) -> FileListing:
    """What the vault holds."""
    rows = fetch(connection, queries.ALL_FILES)

    def of(kinds: Iterable[str]) -> tuple[str, ...]:
        wanted = frozenset(kinds)
        return tuple(
            path for path, kind, state, *_ in rows if kind in wanted and state != "offloaded"
        )

    return FileListing(
        notes=of([FileKind.NOTE]),
        canvases=of([FileKind.CANVAS]),
        bases=of([FileKind.BASE]),
        attachments=of(ATTACHMENTS),
        offloaded=tuple(
            path for path, kind, state, *_ in rows if state == "offloaded" and kind == FileKind.NOTE
        ),
        excluded=tuple(path for path, kind, _, out, _ in rows if out and kind == FileKind.NOTE),
        conflicts={path: original or None for path, *_, original in rows if original is not None},
        clashes=tuple(clashes(path for path, *_ in rows)),
    )


def status_view(
    connection: apsw.Connection,
    *,
    vault: str,
    index: Path,
    location: str,
    active_model: str,
    generation: int,
) -> Status:
    """The vault and its index in figures; its freshness is the caller's to add."""
    figures = queries.figures(connection)
    counts: dict[str, int] = {}
    for kind, state, excluded, is_copy, count in fetch(connection, queries.FILE_FIGURES):
        name = "offloaded" if state == "offloaded" else _KIND_FIGURE.get(kind, "attachments")
        counts[name] = counts.get(name, 0) + count
        for flag, is_set in (
            ("excluded", excluded and kind == FileKind.NOTE),
            ("unreadable", state == "unreadable"),
            ("conflict_copies", is_copy),
        ):
            counts[flag] = counts.get(flag, 0) + (count if is_set else 0)
    return Status(
        vault=vault,
        index=str(index),
        index_location=location,
        index_bytes=index_bytes(index),
        vault_bytes=figures.vault_bytes,
        files=figures.files,
        notes=figures.notes,
        canvases=counts.get("canvases", 0),
        bases=counts.get("bases", 0),
        attachments=counts.get("attachments", 0),
        offloaded=counts.get("offloaded", 0),
        excluded=counts.get("excluded", 0),
        unreadable=counts.get("unreadable", 0),
        conflict_copies=counts.get("conflict_copies", 0),
        blocks=figures.blocks,
        links=figures.links,
        unresolved=figures.unresolved,
        ambiguous=figures.ambiguous,
        tags=figures.tags,
        tasks_open=figures.tasks_open,
        invalid_frontmatter=figures.invalid_frontmatter,
        warnings=figures.warnings,
        vectors=tuple(
            VectorStatus(s.model, s.dim, s.blocks, s.model == active_model)
            for s in vector_sets(connection)
        ),
        generation=generation,
        freshness=UNKNOWN,
    )


_TEXTLESS = {
    "not-utf8": "is not in UTF-8",
    "zero-filled": "holds nothing but zero bytes, as a crashed save leaves behind",
}


def left_out(
    connection: apsw.Connection, scanned: Sequence[ScanWarning], unreadable: Sequence[str]
) -> tuple[WarningView, ...]:
    """The files that are not in the index, or by their name alone, and why, by path; without the ``unreadable``,
    of which nobody knows what is in them."""
    told = frozenset(unreadable)
    found = [
        WarningView(warning.path, str(warning.code), warning.message, None)
        for warning in scanned
        if warning.path not in told
    ]
    found += [
        WarningView(path, state, f"{path} {_TEXTLESS[state]}; it is found by its name only.", None)
        for path, state in fetch(connection, queries.TEXTLESS)
    ]
    return tuple(sorted(found, key=lambda warning: warning.path))


_KIND_FIGURE = {FileKind.NOTE: "notes", FileKind.CANVAS: "canvases", FileKind.BASE: "bases"}


def index_bytes(index: Path) -> int:
    """The size of the index file with its write-ahead log."""
    total = 0
    for file in (index, index.with_name(index.name + "-wal")):
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total
