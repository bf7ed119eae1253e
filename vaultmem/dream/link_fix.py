"""All links of a note with a broken target led to another file, each in its place. Pure."""

from __future__ import annotations

from dataclasses import replace

from vaultmem.notes.link_edits import EditReason, PlanWarning, Rewrite, relink_file
from vaultmem.notes.linktext import shown_target
from vaultmem.notes.model import Link, LinkKind, Resolution
from vaultmem.notes.relink import retarget, target_edit
from vaultmem.notes.resolve import UNRESOLVED, Lookup, resolve
from vaultmem.notes.textedit import TextEdit, apply_edits


def relinked(
    text: str, *, source: str, target: str, wanted: str, lookup: Lookup, keep_shown: bool
) -> tuple[str, str, str] | None:
    """The note's text once its links to ``target`` lead to the file ``wanted``, and the first of them before and after.

    With ``keep_shown`` a wikilink without a display text gets what it showed before as one. Everything else stays as typed.
    None when no such link can be changed.
    """
    plan = relink_file(source, text, _ToFile(target, wanted, lookup, keep_shown))
    if not plan.changes:
        return None
    edits = [edit for change in plan.changes for edit in change.edits]
    return apply_edits(text, edits), plan.changes[0].before, plan.changes[0].after


class _ToFile:
    def __init__(self, target: str, wanted: str, lookup: Lookup, keep_shown: bool) -> None:
        self._target = target
        self._wanted = wanted
        self._lookup = lookup
        self._keep_shown = keep_shown

    def rewrite(self, text: str, link: Link, source: str) -> Rewrite | PlanWarning | None:
        if link.target != self._target or resolve(link.target, source, self._lookup).path:
            return None
        # A target with its extension keeps it.
        was = Resolution(link.target, None) if link.target.lower().endswith(".md") else UNRESOLVED
        new = retarget(link, was, wanted=self._wanted, source=source, lookup=self._lookup)
        if new is None:
            return None
        edits = [target_edit(text, link, new)]
        display = link.display
        shows = not link.embed and link.kind in (LinkKind.WIKILINK, LinkKind.PROPERTY)
        if self._keep_shown and shows and link.display is None:
            display = shown_target(link.target, link.subpath)
            if any(mark in display for mark in "|[]\\\"'"):
                return None
            mark = "\\|" if link.in_table else "|"
            edits.append(TextEdit(link.dest_end, link.dest_end, mark + display))
        return Rewrite(tuple(edits), replace(link, target=new, display=display), EditReason.RENAMED)

    def card(self, path: str, subpath: str) -> None:  # noqa: ARG002
        return None
