"""What is wrong with notes themselves: properties, names, relations, what they were made from. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.context import DreamContext, DreamNote, Finding
from vaultmem.dream.lint_links import relations
from vaultmem.dream.naming import Links
from vaultmem.dream.proposal import NewText, Operation, Proposal, StageName
from vaultmem.dream.shown import SOURCE_RELATIONS, name
from vaultmem.errors import VaultmemError
from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem.notes.model import PropertyValue, WarningCode
from vaultmem.notes.near_values import Commented, commented
from vaultmem.notes.note_edit import plan_note_edit
from vaultmem.notes.paths import path_key, stem
from vaultmem.notes.property_edit import SetProperty
from vaultmem.notes.tagtext import is_tag_name
from vaultmem.notes.textedit import TextEdit, apply_edits

MUCH_MORE: Final = 5
"""Times that a relation must be more frequent for a rare one to be a slip of it."""
_BOOKKEEPING: Final = frozenset(
    (
        "created", "created_at", "updated", "updated_at", "modified", "date", "tags", "tag", "aliases", "alias", "cssclass",
        "cssclasses", "id", "uid", "title", "type", "category", "publish", "kanban-plugin", "excalidraw-plugin",
    )
)  # fmt: skip
"""Properties that say nothing by themselves."""
_FAULTS: Final = frozenset(
    (
        WarningCode.NEAR_MISS_FRONTMATTER,
        WarningCode.INVALID_FRONTMATTER,
        WarningCode.TAGS_NOT_LIST,
        WarningCode.ALIASES_NOT_LIST,
        WarningCode.COMMENTED_VALUE,
        WarningCode.IMPOSSIBLE_DAY,
        WarningCode.OLD_PROPERTY,
    )
)
GUESSED: Final = 0.5
"""Confidence that a comment is meant as a value."""


# --- properties ---


def property_findings(context: DreamContext) -> Iterator[Finding]:
    """Property blocks and properties that are not read as meant."""
    for fault in context.faults:
        if fault.code in _FAULTS and fault.path in context.by_path:
            yield Finding(kinds.PROPERTY_FAULT, fault.path, fault.message, fault.line)


def property_proposals(context: DreamContext) -> Iterator[Proposal]:
    """Single values of ``tags`` and ``aliases`` made lists, where it is plain which items are meant; and comments made values."""
    for path in dict.fromkeys(
        f.path for f in context.faults if f.code == WarningCode.COMMENTED_VALUE
    ):
        if path in context.by_path:
            yield from _uncommented(context, context.by_path[path])
    for fault in context.faults:
        note = context.by_path.get(fault.path)
        if note is None or fault.code not in (
            WarningCode.TAGS_NOT_LIST,
            WarningCode.ALIASES_NOT_LIST,
        ):
            continue
        key = "tags" if fault.code == WarningCode.TAGS_NOT_LIST else "aliases"
        items = _items(key, _value(note, key))
        proposal = _as_list(context, note, key, items) if items else None
        if proposal is not None:
            yield proposal


def _value(note: DreamNote, key: str) -> PropertyValue:
    return next((value for held, value in note.properties.items() if held.lower() == key), None)


def _items(key: str, value: PropertyValue) -> list[str]:
    """The items that a text means; none where that is not plain."""
    if not isinstance(value, str) or any(mark in value for mark in "\n\"'{}<>"):
        return []
    parts = [part.strip().removeprefix("#") for part in value.split(",")]
    if key == "tags":
        return parts if all(is_tag_name(part) for part in parts) else []
    return [value.strip()] if len(parts) == 1 and value.strip() else []


def _as_list(context: DreamContext, note: DreamNote, key: str, items: list[str]) -> Proposal | None:
    found = context.read(note.path)
    if found is None or found.hash != note.hash:
        return None
    wanted: PropertyValue = list(items)
    try:
        edit = plan_note_edit(
            found.text, [SetProperty(key, wanted)], path=note.path, settings=context.settings
        )
    except VaultmemError:
        return None
    if edit.text == found.text:
        return None
    return Proposal(
        stage=StageName.LINT,
        operation=Operation.FIX_PROPERTY,
        title=f"Write {key} of {name(note.path)} as a list",
        reason=f"{key} is a text; Obsidian reads a list. It means: {', '.join(items)}.",
        confidence=0.9,
        inputs={note.path: note.hash},
        edits=(NewText(note.path, edit.text),),
        detail=key,
    )


def _uncommented(context: DreamContext, note: DreamNote) -> Iterator[Proposal]:
    """For tags and for aliases a proposal that makes values of what is a comment there."""
    found = context.read(note.path)
    if found is None or found.hash != note.hash or context.settings.in_templates(note.path):
        return
    block = read_frontmatter(found.text)
    inner = found.text[block.inner_start : block.inner_end]
    by_key: dict[str, list[Commented]] = {}
    for one in commented(inner, block.values):
        by_key.setdefault(one.key, []).append(one)
    for key, comments in by_key.items():
        items = [item for one in comments for item in one.items]
        edits = [
            TextEdit(block.inner_start + one.start, block.inner_start + one.end, _written(one))
            for one in comments
        ]
        text = apply_edits(found.text, edits)
        if not all(one.items for one in comments) or not _has_gained(found.text, text, key, items):
            continue
        yield Proposal(
            stage=StageName.LINT,
            operation=Operation.FIX_PROPERTY,
            title=f"Read {', '.join(items)} as {key} of {name(note.path)}",
            reason=f"Behind #, YAML takes it for a comment, so it counts for nothing. It would stand there as {key}.",
            confidence=GUESSED,
            inputs={note.path: note.hash},
            edits=(NewText(note.path, text),),
            detail=f"{key} behind #",
        )


def _written(comment: Commented) -> str:
    """The comment as the value that it is meant as; aliases begin with ``#``, and so need quotes."""
    items = [
        item if comment.key.lower() == "tags" else json.dumps(item, ensure_ascii=False)
        for item in comment.items
    ]
    return items[0] if comment.in_list and items else f"[{', '.join(items)}]"


def _has_gained(before: str, after: str, key: str, items: Sequence[str]) -> bool:
    """Whether the properties say these items besides, and all else as before."""
    old, new = read_frontmatter(before).values, read_frontmatter(after).values
    held = old.get(key)
    kept = [item for item in held if item is not None] if isinstance(held, list) else []
    gained = new.get(key)
    others = {**old, key: None} == {**new, key: None}
    return (
        others
        and isinstance(gained, list)
        and sorted(map(str, gained)) == sorted(map(str, [*kept, *items]))
    )


# --- names, empty notes ---


def alias_findings(context: DreamContext, links: Links) -> Iterator[Finding]:
    """Aliases that two notes claim, or that are another note's name."""
    named: dict[str, set[str]] = {}
    claimed: dict[str, set[str]] = {}
    for note in context.notes:
        if not note.archived and not note.successor:
            named.setdefault(path_key(stem(note.path)), set()).add(note.path)
            for alias in note.aliases:
                claimed.setdefault(path_key(alias), set()).add(note.path)
    for note in context.notes:
        for alias in dict.fromkeys(note.aliases):
            if note.path not in claimed.get(path_key(alias), ()):
                continue
            others = sorted(named.get(path_key(alias), set()) - {note.path})
            if others:
                text = f"the alias “{alias}” is the name of {_listed(links, others)}"
                yield Finding(kinds.DUPLICATE_ALIAS, note.path, text)
            others = sorted(claimed[path_key(alias)] - {note.path})
            if others and note.path < others[0]:
                text = f"the alias “{alias}” is also one of {_listed(links, others)}"
                yield Finding(kinds.DUPLICATE_ALIAS, note.path, text)


def empty_findings(context: DreamContext, links: Links) -> Iterator[Finding]:
    """Notes without a text. One whose properties say something (a book with its author) is not empty."""
    for note in context.notes:
        says = {
            key.lower() for key, value in note.properties.items() if value not in (None, "", [])
        }
        if not note.words and not note.body.strip() and not note.archived and says <= _BOOKKEEPING:
            yield Finding(kinds.EMPTY_NOTE, note.path, f"{links.to(note.path)} is empty")


def _listed(links: Links, paths: list[str]) -> str:
    shown = ", ".join(links.to(path) for path in paths[:3])
    return shown if len(paths) <= 3 else f"{shown} and {len(paths) - 3} more"


# --- relations ---


def relation_findings(context: DreamContext) -> Iterator[Finding]:
    """Relations that are written otherwise than nearly everywhere: case, plural, ``_`` or ``-``. Permanent notes keep theirs."""
    counted = relations(context.links)
    alike: dict[str, list[str]] = {}
    for relation in sorted(counted):
        alike.setdefault(_bare(relation), []).append(relation)
    usual: dict[str, str] = {}
    for written in alike.values():
        best = max(written, key=lambda relation: (counted[relation], relation))
        for relation in written:
            if relation != best and counted[best] >= MUCH_MORE * counted[relation]:
                usual[relation] = best
    seen: set[tuple[str, str]] = set()
    for link in context.links:
        note = context.by_path.get(link.source)
        if link.relation not in usual or note is None or note.permanent:
            continue
        if (link.source, link.relation) in seen:
            continue
        seen.add((link.source, link.relation))
        best = usual[link.relation]
        text = f"the relation {link.relation} is called {best} in {counted[best]} other places"
        yield Finding(kinds.RELATION_DRIFT, link.source, text, link.line)


def _bare(relation: str) -> str:
    plain = re.sub(r"[\s_-]+", "", relation.casefold())
    return (
        plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss") else plain
    )


# --- what was made from what ---


def derivation_findings(context: DreamContext, links: Links) -> Iterator[Finding]:
    """Managed notes that were made from notes which were themselves made from others."""
    sources: dict[str, set[str]] = {}
    for link in context.links:
        if link.relation in SOURCE_RELATIONS and link.path and link.path != link.source:
            sources.setdefault(link.source, set()).add(link.path)
    for note in context.notes:
        if not note.managed or note.archived:
            continue
        deep = sorted(
            path
            for path in sources.get(note.path, ())
            if path in sources and path in context.by_path and context.by_path[path].managed
        )
        if deep:
            text = f"was made from {_listed(links, deep)}, itself made from other notes"
            yield Finding(kinds.DEEP_DERIVATION, note.path, text)
