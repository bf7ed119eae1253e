"""``note_manage``: every change that an agent can make. Each is one event that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vaultmem.edits.destination import new_note_path
from vaultmem.errors import RefusedError, UsageError
from vaultmem.files.refusals import RefusalCode, WriteRefused
from vaultmem.notes.note_edit import (
    AppendText,
    NoteChange,
    ReplaceBlock,
    ReplaceSection,
    ReplaceText,
)
from vaultmem.notes.paths import path_key
from vaultmem.notes.property_edit import AddItem, RemoveProperty, SetProperty
from vaultmem.notes.rename import LinkUpdates
from vaultmem.places import REVIEW_FOLDER
from vaultmem.server.mcp.budget import counted, cut
from vaultmem.server.mcp.fence import WARNING, Mark, fenced, named, one_line, ours
from vaultmem.server.mcp.given import Given
from vaultmem.server.mcp.graphing import graph_insights
from vaultmem.server.mcp.reach import Reach, name_of
from vaultmem.server.mcp.reading import seen_note

if TYPE_CHECKING:
    from vaultmem.answers import NoteView
    from vaultmem.edits.answers import WriteAnswer
    from vaultmem.vault import Vault

ARCHIVE: Final = "Archive"
"""The folder that archived notes move into, with the folders they were in."""

DIFF_TOKENS: Final = 1_500
LISTED: Final = 20

_GUARDED: Final = ("action", "note", "hash", "why", "dry_run")

ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "create": ("action", "note", "text", "why", "dry_run"),
    "append": (*_GUARDED, "text", "section"),
    "set_property": (*_GUARDED, "key", "value"),
    "remove_property": (*_GUARDED, "key"),
    "edit_block": (*_GUARDED, "block", "text"),
    "replace_section": (*_GUARDED, "section", "text"),
    "replace_text": (*_GUARDED, "old", "text"),
    "link": (*_GUARDED, "to", "relation", "section"),
    "rename": (*_GUARDED, "to"),
    "archive": _GUARDED,
    "insights": ("action", "note"),
}
"""The actions, each with the arguments that it takes."""

MANAGE: Final = tuple(dict.fromkeys(name for names in ALLOWED.values() for name in names))


@dataclass(frozen=True, slots=True)
class Order:
    """Who asks for a change and how it is to be made."""

    by: str
    why: str
    dry_run: bool


def is_change(given: Given) -> bool:
    """Whether the call is to change something, if only on trial."""
    return _action(given) != "insights"


def note_manage(vault: Vault, given: Given, mark: Mark, *, by: str) -> str:
    """The receipt of the change: its event, the path and the hash afterwards. Raises UsageError for arguments that the
    action does not take, and whatever the change itself raises."""
    action = _action(given)
    given.only(ALLOWED[action], f"The action {action}")
    order = Order(by, one_line(given.text("why", ""))[:300], given.flag("dry_run"))
    if action == "create":
        answer = _create(vault, given, order)
    else:
        answer = _on_note(vault, action, given, order)
    return _receipt(answer, mark, Reach(vault.root))


def _action(given: Given) -> str:
    return given.choice("action", tuple(ALLOWED))


def _check_whose(vault: Vault, path: str) -> None:
    """Raises RefusedError for the review note: a box that is ticked there is a person's word, and no agent's."""
    if path_key(path).startswith(path_key(f"{vault.settings.memory.root}/{REVIEW_FOLDER}") + "/"):
        raise ours(
            RefusedError(
                "What waits for review is for a person to decide; nothing was changed.",
                hint="Tell the person about it.",
            )
        )


def _create(vault: Vault, given: Given, order: Order) -> WriteAnswer:
    path = Reach(vault.root).require_new(new_note_path(name_of(given.text("note"))))
    _check_whose(vault, path)
    text = given.text("text", "", empty=True)
    try:
        return vault.edits.create(path, text, by=order.by, why=order.why, dry_run=order.dry_run)
    except WriteRefused as refusal:
        if refusal.code is not RefusalCode.EXISTS:
            raise
        raise ours(
            RefusedError(
                "There is a note of that path already; nothing was changed.",
                hint="Read it, then use append or replace_section; or choose another name.",
            ),
            quoted=path,
        ) from refusal


def _on_note(vault: Vault, action: str, given: Given, order: Order) -> WriteAnswer:
    note = seen_note(vault, given.text("note"))
    _check_whose(vault, note.path)
    expected = _expected(given)
    if action in ("rename", "archive"):
        return _move(vault, note.path, expected, _new_path(vault, note, action, given), order)
    return vault.edits.edit(
        note.path,
        [_change(vault, note, action, given)],
        expected=expected,
        by=order.by,
        why=order.why,
        dry_run=order.dry_run,
    )


def _expected(given: Given) -> str:
    """The hash that the caller read. Raises UsageError when there is none: who has not read a note must not change
    it."""
    if not given.has("hash"):
        raise ours(
            UsageError(
                "A change needs the hash of the note as you read it.",
                hint="Read the note with memory_get and give the hash that stands in its answer.",
            )
        )
    expected = given.text("hash").strip().lower()
    if len(expected) != 32 or not set(expected) <= set("0123456789abcdef"):
        raise ours(UsageError("The hash has to be the 32 digits that memory_get gave."))
    return expected


def _change(vault: Vault, note: NoteView, action: str, given: Given) -> NoteChange:
    section = given.text("section", "").strip().lstrip("#").strip() or None
    if action == "link":
        return _link(vault, note, section, given)
    makers: Mapping[str, Callable[[], NoteChange]] = {
        "append": lambda: AppendText(given.text("text"), section),
        "set_property": lambda: SetProperty(given.text("key"), given.property_value("value")),
        "remove_property": lambda: RemoveProperty(given.text("key")),
        "edit_block": lambda: ReplaceBlock(
            given.text("block").strip().lstrip("^"), given.text("text")
        ),
        "replace_section": lambda: ReplaceSection(
            given.text("section").strip().lstrip("#").strip(), given.text("text", empty=True)
        ),
        "replace_text": lambda: ReplaceText(given.text("old"), given.text("text", empty=True)),
    }
    return makers[action]()


def _link(vault: Vault, note: NoteView, section: str | None, given: Given) -> NoteChange:
    to = seen_note(vault, given.text("to")).path
    if not given.has("relation"):
        return AppendText(f"- {vault.make_link(note.path, to)}", section)
    if section is not None:
        raise ours(UsageError("A link with a relation is a property and stands in no section."))
    link = vault.make_link(note.path, to)
    if not link.startswith("[["):  # a property holds no link in Markdown
        link = f"[[{to.removesuffix('.md')}]]"
    return AddItem(given.text("relation").strip(), link)


def _new_path(vault: Vault, note: NoteView, action: str, given: Given) -> str:
    if action == "rename":
        name = name_of(given.text("to").strip().removesuffix("/"))
        folder = note.path[: len(note.path) - len(note.path.rpartition("/")[2])]
        wanted = new_note_path(name if "/" in name else folder + name)
    elif note.path.startswith(f"{ARCHIVE}/"):
        raise ours(UsageError("The note is in the archive already."), quoted=note.path)
    else:
        wanted = f"{ARCHIVE}/{note.path}"
    path = Reach(vault.root).require_new(wanted)
    _check_whose(vault, path)
    return path


def _move(vault: Vault, path: str, expected: str, new: str, order: Order) -> WriteAnswer:
    return vault.edits.rename(
        path,
        new,
        links=LinkUpdates.YES,
        expected=expected,
        by=order.by,
        why=order.why,
        dry_run=order.dry_run,
    )


def _receipt(answer: WriteAnswer, mark: Mark, reach: Reach) -> str:
    """What was done. Of notes that are not for agents nothing is told, though links in them follow a rename, too: a
    link that leads nowhere would be the person's loss."""
    first = answer.files[0] if answer.files else None
    said = [_done(answer)]
    if answer.event is not None:
        said.append(f"event: {answer.event}")
    lines: list[str] = []
    if first is not None:
        said.append(f"hash: {first.hash_after}")
        lines.append(f"path: {named(first.path_after or first.path)}")
    seen = [file for file in answer.files if reach.sees(file.path_after or file.path)]
    others = [file for file in seen if file is not first and file.links]
    if others:
        shown = [named(file.path) for file in others[:LISTED]]
        more = [f"{len(others) - LISTED} more"] if len(others) > LISTED else []
        links = sum(file.links for file in seen)
        lines.append(f"{counted(links, 'link')} in: {', '.join(shown + more)}")
    if not reach.excludes:  # a warning may name any note
        lines += [f"warning: {one_line(warning)}" for warning in answer.warnings]
    if answer.note:
        lines.append(f"note: {one_line(answer.note)}")
    diff = "".join(file.diff for file in seen)
    if diff:
        end = cut(diff, 0, DIFF_TOKENS)
        lines += ["", diff[:end]]
        if end < len(diff):
            said.append("The diff is longer than what is shown of it.")
    if lines:
        said += [WARNING, fenced("\n".join(lines), "receipt", mark)]
    return "\n".join(said)


def _done(answer: WriteAnswer) -> str:
    if answer.dry_run:
        return f"Nothing was changed (dry run); it would be {answer.kind}."
    if answer.event is None:
        return "Nothing was to be changed: the note says that already."
    return f"Done: {answer.kind}. It can be taken back with `vaultmem undo {answer.event}`."


def insights(vault: Vault, given: Given, mark: Mark) -> str:
    """What wants tending: of a note, or of the whole vault. Nothing is changed."""
    given.only(ALLOWED["insights"], "The action insights")
    if given.has("note"):
        note = seen_note(vault, given.text("note"))
        return _of_note(vault, note, mark)
    status = vault.status()
    lines = [
        f"{counted(status.notes, 'note')}, {counted(status.links, 'link')}, {counted(status.tags, 'tag')}, "
        f"{counted(status.tasks_open, 'open task')}.",
        f"Links that lead nowhere: {status.unresolved:,}; that may mean several notes: {status.ambiguous:,}.",
        f"Notes whose properties cannot be read: {status.invalid_frontmatter:,}.",
        f"Copies that a sync service made of edit conflicts: {status.conflict_copies:,}.",
    ]
    counts, found = graph_insights(vault, Reach(vault.root))
    if found:
        lines.append(counts)
        lines += [WARNING, fenced("\n".join(found), "insights", mark)]
    return "\n".join(lines)


def _of_note(vault: Vault, note: NoteView, mark: Mark) -> str:
    reach = Reach(vault.root)
    links = vault.links(note.path).links
    broken = [link.target for link in links if link.to is None]
    mentions = [
        source.path for source in vault.unlinked(note.path).sources if reach.sees(source.path)
    ]
    lines = [f"{counted(len(links), 'link')}, {counted(note.backlinks, 'link')} to it."]
    if not links and not note.backlinks:
        lines = ["It is isolated: it has no links, and nothing links to it."]
    if note.stale:
        lines.append("It says of itself that it is stale.")
    lines += [f"broken link: {target}" for target in dict.fromkeys(broken)]
    lines += [f"named without a link in: {path}" for path in mentions[:LISTED]]
    body = "\n".join(map(one_line, lines))
    return "\n".join([WARNING, fenced(body, "insights", mark)])
