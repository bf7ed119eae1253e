"""What was seen in a case, in lines for a person who judges an outcome in prose."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from tests.field_reports.dreaming import Groups, Merged
from tests.field_reports.index_file import BLOCKS, VECTORS, note_paths, rows
from tests.field_reports.world import Record, World
from vaultmem.answers import BacklinksAnswer, LinksAnswer, RebuildReport, SyncAnswer, TagsAnswer
from vaultmem.errors import VaultmemError
from vaultmem.search.model import SearchAnswer

SHOWN_NOTES: Final = 10
LONGEST: Final = 600


def portrait(world: World) -> list[str]:
    """How each step went, and what index and disk hold at the end."""
    lines = []
    for record in world.records:
        lines.append(f"step {_name(record)}: {_went(record)}")
        if isinstance(record.answer, dict):
            lines += [f"  {query!r}: {_answered(part)}" for query, part in record.answer.items()]
    try:
        lines += _index(world)
    except (VaultmemError, OSError) as error:
        lines.append(f"index: {error}")
    lines += _disk(world)
    return [line if len(line) <= LONGEST else line[:LONGEST] + "…" for line in lines]


def _name(record: Record) -> str:
    step = record.step
    what = [
        step.do,
        *(str(step.details.held[k]) for k in ("op", "path", "query") if step.details.has(k)),
    ]
    return " ".join([*what, f"[{step.label}]" if step.label else ""]).strip()


def _went(record: Record) -> str:
    parts = [f"{record.seconds:.2f} s"]
    if record.crash:
        parts.append(f"CRASH {record.crash}")
    elif record.error is not None:
        parts.append(f"refused: {record.error}")
    else:
        parts.append(_answered(record.answer))
    if record.embedded:
        blank = sum(not text.strip() for text in record.embedded)
        parts.append(f"embedded {len(record.embedded)} texts, {blank} of them blank")
    if isinstance(record.answer, RebuildReport | SyncAnswer):
        parts.append(f"index {record.index_bytes:,} bytes")
    if record.told and record.error is None:
        parts.append(f"told {list(record.told)}")
    return ", ".join(filter(None, parts))


def _answered(answer: object) -> str:
    match answer:
        case SearchAnswer():
            return f"found {[hit.path for hit in answer.hits]}"
        case VaultmemError():
            return f"refused: {answer}"
        case SyncAnswer():
            moved = [f"{old} -> {new}" for old, new in answer.moved]
            return (
                f"added {len(answer.added)}, changed {len(answer.changed)}, moved {moved}, "
                f"removed {len(answer.removed)}"
            )
        case RebuildReport():
            return f"{answer.notes} notes, {answer.vectors} vectors"
        case LinksAnswer():
            shown = [(link.target + link.subpath, link.display, link.to) for link in answer.links]
            return f"links (target, display, to) {shown}"
        case BacklinksAnswer():
            return f"backlinks {[(source.path, source.count) for source in answer.sources]}"
        case TagsAnswer():
            return f"tags {[(tag.tag, tag.count, tag.notes) for tag in answer.tags]}"
        case Groups():
            return f"groups {[(name, sorted(paths)) for name, paths in answer.named]}"
        case Merged():
            return f"merged {answer.archived} into {answer.keeper}, plan {answer.attempts}"
        case tuple():
            return "; ".join(filter(None, map(_answered, answer)))
        case _:
            return ""


def _index(world: World) -> Iterator[str]:
    paths = note_paths(world.index)
    vectors = [f"{count} of {model} ({dim})" for model, dim, count in rows(world.index, VECTORS)]
    [(blocks,)] = rows(world.index, BLOCKS)
    size = world.index.stat().st_size
    yield f"index: {len(paths)} notes, {blocks} blocks, vectors {vectors}, {size:,} bytes"
    for path in paths[:SHOWN_NOTES]:
        note = world.vault.note(path)
        links = [
            (link.target + link.subpath, link.display, link.to)
            for link in world.vault.links(path).links
        ]
        yield (
            f"note {path!r}: title {note.title!r}, {note.frontmatter}, properties {dict(note.properties)}, "
            f"aliases {list(note.aliases)}, tags {list(note.tags)}, "
            f"warnings {[w.code for w in note.warnings]}"
        )
        if links:
            yield f"  links (target, display, to) {links}"
    for finding in world.vault.doctor().findings:
        if finding.level != "ok":
            yield f"doctor {finding.level} {finding.code}: {finding.message} {list(finding.paths)}"
    beside = sorted(place.name for place in world.index.parent.iterdir())
    yield f"beside the index: {beside}"


def _disk(world: World) -> Iterator[str]:
    there = world.snapshot()
    yield f"disk: {len(there)} entries {sorted(there)[:20]}"
    for path, data in world.planted.items():
        place = world.root / path
        try:
            now = place.read_bytes()
        except OSError as error:
            yield f"file {path!r}: {error.strerror}"
            continue
        if now != data:
            before, after = (text.decode("utf-8", "replace").splitlines() for text in (data, now))
            diff = difflib.unified_diff(before, after, n=0, lineterm="")
            yield f"file {path!r} changed: {' | '.join(list(diff)[2:])}"
