"""Contexts for stages, built from the texts of a small vault.

``context({"Memory/a/b/Kim.md": "Kim lives in Ghent.\\n"})`` is a context in which every note has changed. Notes below ``Memory/`` are
managed. What a note is comes from its text and path as in the index; dates are days (``days``) and modification times in
days since 1970 (``modified``), both by path.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from vaultmem.dream.candidates import Neighbour
from vaultmem.dream.context import DreamContext, DreamNote, NoteFault, NoteLink
from vaultmem.dream.proposal import NoteText, Proposal
from vaultmem.evolution import Recall, Recaller, RejectedEdits
from vaultmem.judge import HeuristicJudge, Judge
from vaultmem.notes.dated import note_day
from vaultmem.notes.model import ParsedNote, PropertyValue
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.parse import parse_note
from vaultmem.notes.paths import FileKind, file_kind, stem
from vaultmem.notes.resolve import NameIndex, resolve

TODAY = 20_787
"""2026-11-30."""
NS_OF_DAY = 86_400 * 1_000_000_000
MEMORY = "Memory"
ARCHIVE = "Memory/_archive"


def digest(text: str) -> str:
    """The hash of a note's bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def context(
    files: Mapping[str, str],
    *,
    changed: Iterable[str] | None = None,
    days: Mapping[str, int] | None = None,
    modified: Mapping[str, float] | None = None,
    recalls: Mapping[str, int] | None = None,
    last_recalled: Mapping[str, float] | None = None,
    moved: Mapping[str, str] | None = None,
    leaving: Mapping[str, str] | None = None,
    near: Sequence[tuple[str, str]] = (),
    judge: Judge | None = None,
    rejected: RejectedEdits | None = None,
    settings: ObsidianSettings | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    order: Callable[[list[DreamNote]], list[DreamNote]] = lambda notes: notes,
    today: int = TODAY,
) -> DreamContext:
    """A context of these files. ``recalls`` is how many distinct queries each note answered; ``near`` are pairs whose
    vectors are near; ``order`` puts the notes in another order."""
    parsed = {path: parse_note(text) for path, text in files.items() if _is_note(path)}
    lookup = NameIndex(sorted(files))
    notes = order(
        [
            _note(path, files[path], one, lookup, days or {}, modified or {})
            for path, one in sorted(parsed.items())
        ]
    )
    return DreamContext(
        cycle="c1",
        now_ns=today * NS_OF_DAY,
        today=today,
        notes=notes,
        changed=frozenset(parsed if changed is None else changed),
        links=[link for path, one in sorted(parsed.items()) for link in _links(path, one, lookup)],
        faults=[
            NoteFault(path, fault.code, fault.message, fault.line)
            for path, one in sorted(parsed.items())
            for fault in one.warnings
        ],
        file_names=frozenset(files),
        judge=judge or HeuristicJudge(),
        read=lambda path: (
            NoteText(path, files[path], digest(files[path])) if path in files else None
        ),
        recalls={
            path: [Recall(f"question {n}", Recaller.PERSON) for n in range(count)]
            for path, count in (recalls or {}).items()
        },
        last_recalled_ns={
            path: int(day * NS_OF_DAY) for path, day in (last_recalled or {}).items()
        },
        rejected=rejected or RejectedEdits(),
        settings=settings or ObsidianSettings(),
        memory_root=MEMORY,
        archive=ARCHIVE,
        neighbours=lambda given: _neighbours(given, near),
        cancelled=cancelled,
        by_path={note.path: note for note in notes},
        moved=moved or {},
        leaving=leaving or {},
    )


def applied(files: Mapping[str, str], proposals: Iterable[Proposal]) -> dict[str, str]:
    """The files once the proposals are done, in order; one that was made from other bytes is left out."""
    after = dict(files)
    for proposal in proposals:
        if any(digest(after.get(path, "")) != held for path, held in proposal.inputs.items()):
            continue
        for edit in proposal.edits:
            after[edit.path] = edit.text
        if proposal.move is not None:
            after[proposal.move.path_after] = after.pop(proposal.move.path)
    return after


def _is_note(path: str) -> bool:
    return file_kind(path) is FileKind.NOTE


def _note(
    path: str,
    text: str,
    parsed: ParsedNote,
    lookup: NameIndex,
    days: Mapping[str, int],
    modified: Mapping[str, float],
) -> DreamNote:
    values = parsed.frontmatter.values
    body = text[parsed.frontmatter.body_start :]
    tags = tuple(dict.fromkeys(tag.name.lower() for tag in parsed.tags))
    return DreamNote(
        path=path,
        title=_text(values.get("title")) or stem(path),
        category=_text(values.get("category")) or (path.split("/")[0] if "/" in path else ""),
        tags=tags,
        aliases=parsed.aliases,
        note_type=_text(values.get("type")),
        permanent=values.get("permanent") is True or bool({"permanent", "pinned"} & set(tags)),
        stale=values.get("stale") is True,
        severity=_text(values.get("severity")),
        managed=path.startswith(f"{MEMORY}/"),
        archived=path.startswith(f"{ARCHIVE}/"),
        successor=_successor(path, parsed, lookup),
        hash=digest(text),
        modified_ns=int(modified.get(path, TODAY) * NS_OF_DAY),
        day=days.get(path, note_day(path, values)),
        words=len(body.split()),
        properties=values,
        body=body,
    )


def _successor(path: str, parsed: ParsedNote, lookup: NameIndex) -> str:
    for link in parsed.links:
        if link.relation == "superseded_by":
            return resolve(link.target, path, lookup).path or ""
    return ""


def _links(path: str, parsed: ParsedNote, lookup: NameIndex) -> Iterable[NoteLink]:
    for link in parsed.links:
        found = resolve(link.target, path, lookup)
        status = (
            "unresolved" if found.path is None else "ambiguous" if found.ambiguous else "resolved"
        )
        yield NoteLink(
            path,
            link.target,
            link.subpath,
            link.display,
            link.relation,
            link.line,
            status,
            found.path or "",
        )


def _neighbours(given: Sequence[DreamNote], near: Sequence[tuple[str, str]]) -> Iterable[Neighbour]:
    places = {note.path: place for place, note in enumerate(given)}
    for a, b in near:
        if a in places and b in places:
            first, second = sorted((places[a], places[b]))
            yield Neighbour(first, second, 0.9)


def _text(value: PropertyValue) -> str:
    return value if isinstance(value, str) else ""


def without(made: DreamContext, *paths: str) -> DreamContext:
    """The context in which these notes have not changed."""
    return replace(made, changed=made.changed - set(paths))
