"""One adapter an ask: the question put to the library, its answer in the words of the case format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conformance.case import Case, Json
from vaultmem.answers import LinkView
from vaultmem.edits.answers import WriteAnswer
from vaultmem.files.refusals import WriteRefused
from vaultmem.index.connection import open_index
from vaultmem.notes.model import LinkKind, SubpathKind, SubpathTarget
from vaultmem.notes.names import name_problems
from vaultmem.notes.property_edit import (
    AddItem,
    PropertyChange,
    RemoveItem,
    RemoveProperty,
    SetProperty,
)
from vaultmem.notes.refusal import EditRefused
from vaultmem.vault import Vault


class ArgumentFault(Exception):
    """The arguments of a case are not what its ask takes."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What an adapter works with: the case, and its vault on disk with a finished index."""

    case: Case
    root: Path
    vault: Vault

    def text(self, name: str, default: str | None = None) -> str:
        """The argument of that name. Raises ArgumentFault when it is missing or no text."""
        value = self.case.args.get(name, default)
        if not isinstance(value, str):
            raise ArgumentFault(f"{self.case.ask} takes the text {name!r}")
        return value

    def flag(self, name: str) -> bool:
        """The argument of that name; False when it is missing. Raises ArgumentFault for another type."""
        value = self.case.args.get(name, False)
        if not isinstance(value, bool):
            raise ArgumentFault(f"{name!r} of {self.case.ask} is true or false")
        return value

    def optional(self, name: str) -> str | None:
        """The argument of that name, or None."""
        return None if self.case.args.get(name) is None else self.text(name)

    def read(self, path: str) -> str | None:
        """The text of a file; None when it is no UTF-8 or not there."""
        try:
            return (self.root / path).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None

    def column(self, sql: str, path: str) -> list[Json]:
        """What the index holds in one column for a file: ``sql`` takes its path."""
        with closing(open_index(self.vault.index_path, writable=False)) as index:
            return [value for (value,) in index.execute(sql, (path,))]


Adapter = Callable[[Desk], Json]


def links(desk: Desk) -> Json:
    answer = desk.vault.links(desk.text("path"))
    return {"links": [_link(link) for link in answer.links]}


def _link(link: LinkView) -> Json:
    entry: dict[str, Json] = {
        "kind": link.kind,
        "embed": link.embed and link.kind != LinkKind.PROPERTY,
        "target": link.target,
        "subpath": link.subpath,
        "display": link.display,
        "to": link.to,
    }
    if link.kind == LinkKind.PROPERTY:
        entry["key"] = link.key
    if link.size is not None:
        entry["size"] = link.size
    return entry


def resolve(desk: Desk) -> Json:
    markdown = desk.text("kind", "wikilink") == "markdown"
    path, end = desk.vault.resolve(desk.text("link"), desk.text("from"), markdown=markdown)
    return {"path": path, "subpath": _end(end)}


def _end(end: SubpathTarget | None) -> Json:
    if end is None:
        return None
    match end.kind:
        case SubpathKind.HEADING:
            return {"type": "heading", "heading": end.text, "line": end.line}
        case SubpathKind.BLOCK:
            return {"type": "block", "id": end.text}
        case SubpathKind.FRAGMENT:
            return {"type": "fragment", "value": end.text}
        case SubpathKind.MISSING:
            return {"type": "missing"}


TAGS_OF = """
SELECT tag FROM notes_tags JOIN vault_files ON vault_files.id = note_id
WHERE path = ? ORDER BY ordinal"""

PROPERTY_TAGS_OF = """
SELECT tag FROM notes_tags JOIN vault_files ON vault_files.id = note_id
WHERE path = ? AND in_property ORDER BY ordinal"""

BODY_START_OF = """
SELECT body_start FROM notes_index JOIN vault_files USING (id) WHERE path = ?"""


def tags(desk: Desk) -> Json:
    note = desk.vault.note(desk.text("path"))
    written = desk.column(TAGS_OF, note.path)
    return {"tags": written, "warnings": [warning.code for warning in note.warnings]}


def tag_query(desk: Desk) -> Json:
    return {"files": list(desk.vault.tags(desk.text("tag")).paths)}


def properties(desk: Desk) -> Json:
    note = desk.vault.note(desk.text("path"))
    [body_start] = desk.column(BODY_START_OF, note.path)
    assert isinstance(body_start, int)
    return {
        "state": note.frontmatter,
        "values": dict(note.properties),
        "aliases": list(note.aliases),
        "tags": desk.column(PROPERTY_TAGS_OF, note.path),
        "body": None if note.text is None else note.text[body_start:],
        "warnings": [warning.code for warning in note.warnings],
        "no_warnings": not note.warnings,
    }


def make_link(desk: Desk) -> Json:
    text = desk.vault.make_link(
        desk.text("from"),
        desk.text("to"),
        subpath=desk.text("subpath", ""),
        display=desk.optional("display"),
        embed=desk.flag("embed"),
        in_table=desk.flag("in_table"),
    )
    return {"text": text}


def link_counts(desk: Desk) -> Json:
    resolved, unresolved = desk.vault.link_counts()
    return {
        "resolved": {source: dict(counts) for source, counts in resolved.items()},
        "unresolved": {source: dict(counts) for source, counts in unresolved.items()},
    }


def backlinks(desk: Desk) -> Json:
    answer = desk.vault.backlinks(desk.text("path"))
    # Canvases are listed apart from the notes (F-05).
    return {"backlinks": {s.path: s.count for s in answer.sources if not s.is_canvas}}


def unlinked_mentions(desk: Desk) -> Json:
    answer = desk.vault.unlinked(desk.text("path"))
    return {"mentions": {source.path: source.count for source in answer.sources}}


def graph(desk: Desk) -> Json:
    view = desk.vault.link_graph(
        existing_only=desk.flag("existing_only"), attachments=desk.flag("attachments")
    )
    return {"nodes": list(view.nodes), "edges": [list(edge) for edge in view.edges]}


def index(desk: Desk) -> Json:
    listing = desk.vault.files()
    return {
        "notes": list(listing.notes),
        "attachments": list(listing.attachments),
        "canvases": list(listing.canvases),
        "bases": list(listing.bases),
        "conflicts": dict(listing.conflicts),
        "offloaded": list(listing.offloaded),
        "excluded": list(listing.excluded),
        "clashes": [list(clash) for clash in listing.clashes],
    }


def name_check(desk: Desk) -> Json:
    problems = name_problems(desk.text("name"))
    return {"ok": not problems, "problems": [str(problem) for problem in problems]}


# --- changes, carried out on the disk ---


def edit_property(desk: Desk) -> Json:
    path = desk.text("path")
    try:
        receipt = desk.vault.edits.edit(path, [_change(desk)])
    except EditRefused as refusal:
        return {"error": str(refusal.code), "content": desk.read(path)}
    return {"changed": receipt.event is not None, "content": desk.read(path)}


def _change(desk: Desk) -> PropertyChange:
    key, args = desk.text("key"), desk.case.args
    match desk.text("op"):
        case "set" if "value" in args:
            return SetProperty(key, args["value"])
        case "remove":
            return RemoveProperty(key)
        case "add_item" if "item" in args:
            return AddItem(key, args["item"])
        case "remove_item" if "item" in args:
            return RemoveItem(key, args["item"])
    raise ArgumentFault("edit_property takes the op set, remove, add_item or remove_item")


def rename(desk: Desk) -> Json:
    old, new = desk.text("from"), desk.text("to")
    folder = desk.flag("folder")
    return _carried_out(desk, lambda: desk.vault.edits.rename(f"{old}/" if folder else old, new))


def rename_heading(desk: Desk) -> Json:
    path, old, new = desk.text("path"), desk.text("old"), desk.text("new")
    return _carried_out(desk, lambda: desk.vault.edits.rename_heading(path, old, new))


def _carried_out(desk: Desk, change: Callable[[], WriteAnswer]) -> Json:
    """Which files hold another text now, by their paths after the moves.

    A file that the case names is among them even if it kept its text: the case says what it holds then.
    """
    try:
        receipt = change()
    except (EditRefused, WriteRefused) as refusal:
        return {"error": str(refusal.code)}
    moved = {file.path: file.path_after for file in receipt.files if file.path_after is not None}
    expected = desk.case.expect
    named = expected.get("changed") if isinstance(expected, dict) else None
    after: dict[str, Json] = {}
    for path, before in desk.case.files.items():
        place = _after(path, moved)
        text = desk.read(place)
        if text != before or (isinstance(named, dict) and place in named):
            after[place] = text
    return {"changed": after}


def _after(path: str, moved: Mapping[str, str]) -> str:
    """Where a file is once it, or a folder above it, has moved."""
    for old, new in moved.items():
        if path == old or path.startswith(f"{old}/"):
            return new + path[len(old) :]
    return path


ADAPTERS: Final[Mapping[str, Adapter]] = {
    "links": links,
    "resolve": resolve,
    "tags": tags,
    "tag_query": tag_query,
    "properties": properties,
    "make_link": make_link,
    "link_counts": link_counts,
    "backlinks": backlinks,
    "unlinked_mentions": unlinked_mentions,
    "graph": graph,
    "index": index,
    "name_check": name_check,
    "edit_property": edit_property,
    "rename": rename,
    "rename_heading": rename_heading,
}

NOT_YET: Final[Mapping[str, str]] = {}
"""Asks that the library cannot answer yet, with the reason that is shown. To bring one in, move it to ADAPTERS."""
