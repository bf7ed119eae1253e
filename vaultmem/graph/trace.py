"""Where what a note says comes from: its sources, and theirs, back to the notes and records that have none."""

from __future__ import annotations

from collections import deque
from typing import Final

import apsw

from vaultmem.errors import NotFoundError, UsageError
from vaultmem.graph.answers import TraceStep
from vaultmem.graph.uris import MemoUri, is_memo_uri, note_uri, parse_uri
from vaultmem.index.connection import fetch
from vaultmem.index.queries import FileRef, file_by_path
from vaultmem.notes.textedit import split_lines

__all__ = ["steps_from"]

SOURCES: Final = """
SELECT target, subpath, target_id, line FROM notes_sources WHERE note_id = ? ORDER BY ordinal
"""
PROVENANCE: Final = (
    "SELECT fact_id, source FROM notes_provenance WHERE note_id = ? ORDER BY fact_id"
)
NOTE: Final = """
SELECT f.id, f.path, f.kind, n.title, n.note_type FROM vault_files AS f JOIN notes_index AS n ON n.id = f.id
WHERE f.id = ? AND f.excluded = 0
"""
BLOCKS: Final = "SELECT line, text FROM notes_blocks WHERE note_id = ? ORDER BY ordinal"
LAST_BLOCK: Final = (
    "SELECT line, text FROM notes_blocks WHERE note_id = ? ORDER BY ordinal DESC LIMIT 1"
)
FACT_LINE: Final = (
    "SELECT line FROM notes_block_ids WHERE note_id = ? AND lower(block_id) = lower(?)"
)
MOST: Final = 500
"""Steps of an answer at most."""
DEEPEST: Final = 12
CONTEXT: Final = 200


def steps_from(
    connection: apsw.Connection, start: FileRef, place: MemoUri | None
) -> tuple[TraceStep, ...]:
    """The note and all that it was made from, level by level; each note once, so that rings end. ``place`` is the line
    or block that was asked for, if one was: then only the provenance of that fact is followed, where it is known. Raises
    NotFoundError when the note has no such line or block."""
    if place is not None and (problem := _no_place(connection, start.id, place)):
        hint = "Trace the note without it, or read the note for what it has."
        raise NotFoundError(f"{start.path} {problem}.", hint=hint)
    first = _note_step(connection, start.id, level=0, of="", via="", place=place)
    if first is None:
        return ()
    steps = [first]
    seen = {start.id}
    only = place.block_id if place is not None else ""
    waiting: deque[tuple[int, str, int, str]] = deque([(start.id, start.path, 0, only)])
    while waiting and len(steps) < MOST:
        note, path, level, fact = waiting.popleft()
        if level >= DEEPEST:
            continue
        for via, target, source in _made_from(connection, note, fact):
            found = _step(connection, level + 1, path, via, target, source)
            steps.append(found)
            ref = file_by_path(connection, found.path) if found.path else None
            if ref is not None and ref.id not in seen:
                seen.add(ref.id)
                waiting.append((ref.id, ref.path, level + 1, ""))
    return tuple(steps[:MOST])


def _made_from(
    connection: apsw.Connection, note: int, fact: str
) -> list[tuple[str, str, MemoUri | int | None]]:
    """(how, as written, what) of each source: the provenance of its facts first, then the sources of the whole."""
    facts: list[tuple[str, str, MemoUri | int | None]] = []
    for fact_id, source in fetch(connection, PROVENANCE, (note,)):
        if not fact or fact_id.lower() == fact.lower():
            facts.append((f"fact {fact_id}", source, _uri(source)))
    if fact and facts:
        return facts
    sources = [
        ("source", f"{target}{subpath}", target_id)
        for target, subpath, target_id, _ in fetch(connection, SOURCES, (note,))
    ]
    return facts + sources


def _uri(source: str) -> MemoUri | None:
    if not is_memo_uri(source):
        return None
    try:
        return parse_uri(source)
    except UsageError:
        return None


def _step(
    connection: apsw.Connection,
    level: int,
    of: str,
    via: str,
    written: str,
    source: MemoUri | int | None,
) -> TraceStep:
    """One source, found or not."""
    if isinstance(source, int):
        found = _note_step(connection, source, level=level, of=of, via=via, place=None)
    elif source is not None and source.kind == "note":
        ref = file_by_path(connection, source.name)
        found = ref and _note_step(connection, ref.id, level=level, of=of, via=via, place=source)
    elif source is not None:
        return TraceStep(level, of, via, written, "", source.name, "", None, "", "raw")
    else:
        found = None
    return found or TraceStep(level, of, via, written, "", "", "", None, "", "missing")


def _note_step(
    connection: apsw.Connection,
    note: int,
    *,
    level: int,
    of: str,
    via: str,
    place: MemoUri | None,
) -> TraceStep | None:
    for _, path, _, title, kind in fetch(connection, NOTE, (note,)):
        line = _line(connection, note, place) if place is not None else None
        block_id = place.block_id if place is not None else ""
        uri = note_uri(path, line=line, block_id=block_id)
        text = _text_at(connection, note, line) if line is not None else ""
        is_there = place is None or not _no_place(connection, note, place)
        state = "note" if is_there else "missing"
        return TraceStep(level, of, via, uri, path, title, kind, line, text, state)
    return None


def _no_place(connection: apsw.Connection, note: int, place: MemoUri) -> str:
    """What the note lacks of the place, in words that go on after its name; "" when it has it."""
    if place.block_id:
        known = fetch(connection, FACT_LINE, (note, place.block_id))
        return "" if known else f"has no block ^{place.block_id}"
    if place.line is None:
        return ""
    for first, text in fetch(connection, LAST_BLOCK, (note,)):
        lines = split_lines(text)
        count = int(first) + len(lines) - (1 if lines[-1] == "" else 0)
        end = f"it ends at line {count:,}" if count else "it is empty"
        ends = f"has no line {place.line + 1:,}; {end}"
        return ends if place.line >= count else ""
    return ""


def _line(connection: apsw.Connection, note: int, place: MemoUri) -> int | None:
    if place.block_id:
        for (line,) in fetch(connection, FACT_LINE, (note, place.block_id)):
            return int(line)
    return place.line


def _text_at(connection: apsw.Connection, note: int, line: int) -> str:
    """The line of the note as the index has it, trimmed and cut; "" for one that it has not."""
    for first, text in fetch(connection, BLOCKS, (note,)):
        lines = split_lines(text)
        if first <= line < first + len(lines):
            return str(lines[line - first]).strip()[:CONTEXT]
    return ""
