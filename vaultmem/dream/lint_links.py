"""What is wrong with a vault's links: broken ones, ambiguous ones, notes without any. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.closest import KnownNames
from vaultmem.dream.context import DreamContext, Finding, NoteLink
from vaultmem.dream.link_fix import relinked
from vaultmem.dream.naming import Links
from vaultmem.dream.note_prose import code
from vaultmem.dream.proposal import NewText, Operation, Proposal, StageName
from vaultmem.dream.shown import name
from vaultmem.dream.when import is_log
from vaultmem.notes.model import MENTIONS
from vaultmem.notes.paths import FileKind, file_kind, path_key, stem
from vaultmem.notes.resolve import resolve

WANTED: Final = 3
"""Notes that link to what does not exist, for it to be a note still to be written and no slip."""
SURE: Final = {0: 0.95, 1: 0.8, 2: 0.65}
"""Confidence by letters that are wrong; 0: only case, blanks or punctuation."""
_PLACEHOLDERS: Final = ("{{", "<%", "${")
_MOST_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a broken link most likely means."""

    path: str
    why: str
    confidence: float
    keep_shown: bool
    """Whether the link should go on showing what it shows."""
    kind: str = kinds.BROKEN_LINK


class LinkCheck:
    """The checks of links, on one context."""

    def __init__(self, context: DreamContext, links: Links) -> None:
        self._context = context
        self._links = links
        # Links in excluded notes and templates count as links, and are nobody's fault.
        self._shown = [link for link in context.links if link.source in context.by_path]
        self._broken = [link for link in self._shown if _is_broken(link)]
        self._wanted_by = Counter(
            key for key, _ in {(path_key(link.target), link.source) for link in self._broken}
        )

    def findings(self) -> Iterator[Finding]:
        """All findings, in order of note and line."""
        yield from self._of_broken()
        yield from self._of_ambiguous()
        yield from self._of_orphans()

    def proposals(self) -> Iterator[Proposal]:
        """For each note and broken target one proposal, in the notes changed last first."""
        seen: set[tuple[str, str]] = set()
        for link in self._broken:
            if self._context.cancelled():
                return
            if (link.source, link.target) not in seen:
                seen.add((link.source, link.target))
                suggestion = self._suggested(link)
                proposal = self._fix(link, suggestion) if suggestion else None
                if proposal is not None:
                    yield proposal

    # --- broken ---

    def _of_broken(self) -> Iterator[Finding]:
        for link in self._broken:
            suggestion = self._suggested(link)
            typed = f"`[[{link.target}{link.subpath}]]`"
            if suggestion is None:
                yield Finding(kinds.BROKEN_LINK, link.source, f"{typed} leads nowhere", link.line)
            else:
                meant = self._links.to(suggestion.path)
                text = f"{typed} leads nowhere; {suggestion.why}: {meant}"
                if suggestion.kind == kinds.OBSIDIAN_LINK:
                    text = f"{typed} leads nowhere in Obsidian; {suggestion.why}: {meant}"
                yield Finding(suggestion.kind, link.source, text, link.line)

    def _suggested(self, link: NoteLink) -> Suggestion | None:
        key = (link.target, link.source)
        if key not in self._known:
            self._known[key] = self._suggest(link)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Suggestion | None]:
        return {}

    def _suggest(self, link: NoteLink) -> Suggestion | None:
        if any(mark in link.target for mark in _PLACEHOLDERS) or link.target.endswith("/"):
            return None
        if moved := self._moved(link):
            return Suggestion(moved, "the file was moved", 0.95, keep_shown=False)
        said = link.target.rpartition("/")[2] if "/" in link.target else link.target
        if "/" not in link.target and (path := self._titled(said)) and path != link.source:
            return Suggestion(
                path, "this note has that title or alias", 0.9, True, kinds.OBSIDIAN_LINK
            )
        same = self._names.same(stem(said)) - {link.source}
        if len(same) == 1:
            return Suggestion(min(same), "only case, blanks or punctuation differ", SURE[0], True)
        if same or self._wanted_by[path_key(link.target)] >= WANTED:
            return None
        near = self._names.closest(stem(said))
        if near is None or near[0] == link.source or _kind_of(said) is not file_kind(near[0]):
            return None
        return Suggestion(near[0], "nearly the same name", SURE[near[1]], False)

    def _moved(self, link: NoteLink) -> str:
        for target in (link.target, f"{link.target}.md"):
            path = self._moves.get(path_key(target))
            if path is not None and path in self._context.file_names and self._is_shown(path):
                return path
        return ""

    @cached_property
    def _moves(self) -> dict[str, str]:
        """By the key of the old path where a file is now; by its old name, too, where only one file had that."""
        found = {path_key(old): new for old, new in self._context.moved.items()}
        named: dict[str, set[str]] = {}
        for old, new in self._context.moved.items():
            named.setdefault(path_key(old.rpartition("/")[2]), set()).add(new)
        return {**{key: min(new) for key, new in named.items() if len(new) == 1}, **found}

    def _titled(self, said: str) -> str:
        found = self._titles.get(path_key(said.strip()), set())
        return min(found) if len(found) == 1 else ""

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        """By title and alias, as typed but for case, the notes that have it."""
        found: dict[str, set[str]] = {}
        for note in self._context.notes:
            for called in {note.title, *note.aliases} if not note.archived else ():
                found.setdefault(path_key(called.strip()), set()).add(note.path)
        return found

    @cached_property
    def _names(self) -> KnownNames:
        paths = filter(self._is_shown, sorted(self._context.file_names))
        return KnownNames((stem(path), path) for path in paths)

    def _is_shown(self, path: str) -> bool:
        """Whether a file may be named: what Obsidian's settings exclude is suggested to nobody."""
        return not self._context.settings.is_excluded(path)

    def _fix(self, link: NoteLink, suggestion: Suggestion) -> Proposal | None:
        note = self._context.by_path[link.source]
        found = self._context.read(note.path)
        if found is None or found.hash != note.hash:
            return None
        fixed = relinked(
            found.text,
            source=note.path,
            target=link.target,
            wanted=suggestion.path,
            lookup=self._links.lookup,
            keep_shown=suggestion.keep_shown,
        )
        if fixed is None:
            return None
        text, before, after = fixed
        return Proposal(
            stage=StageName.LINT,
            operation=Operation.FIX_LINK,
            title=f"Mend a link in {name(note.path)}: {code(before)} → {code(after)}",
            reason=f"{code(before)} leads nowhere; {suggestion.why}.",
            confidence=suggestion.confidence,
            inputs={note.path: note.hash},
            edits=(NewText(note.path, text),),
            detail=link.target,
        )

    # --- ambiguous, none ---

    def _of_ambiguous(self) -> Iterator[Finding]:
        seen: set[tuple[str, str]] = set()
        for link in self._shown:
            if link.status != "ambiguous" or (link.source, link.target) in seen:
                continue
            seen.add((link.source, link.target))
            candidates = resolve(link.target, link.source, self._links.lookup).candidates
            others = list(filter(self._is_shown, candidates))
            if len(others) < 2:
                continue
            shown = ", ".join(self._links.to(path) for path in others[:_MOST_SHOWN])
            more = f" and {len(others) - _MOST_SHOWN} more" if len(others) > _MOST_SHOWN else ""
            text = f"`[[{link.target}]]` may mean {shown}{more}"
            yield Finding(kinds.AMBIGUOUS_LINK, link.source, text, link.line)

    def _of_orphans(self) -> Iterator[Finding]:
        linked = {
            link.path for link in self._context.links if link.path and link.path != link.source
        }
        linking = {
            link.source for link in self._context.links if link.target and link.path != link.source
        }
        with_links = linked | linking
        for note in self._context.notes:
            if (
                note.path not in with_links
                and not note.archived
                and note.words
                and not is_log(note)
            ):
                text = f"{self._links.to(note.path)} has no links, and none lead to it"
                yield Finding(kinds.ORPHAN, note.path, text)


def _is_broken(link: NoteLink) -> bool:
    return (
        link.status in ("unresolved", "deleted") and bool(link.target) and "://" not in link.target
    )


def _kind_of(target: str) -> FileKind:
    """What a link of this text leads to: a note, unless its extension says otherwise."""
    kind = file_kind(target)
    return FileKind.NOTE if kind is FileKind.OTHER else kind


def relations(links: Sequence[NoteLink]) -> Counter[str]:
    """How often each relation is written; a plain link has none."""
    return Counter(link.relation for link in links if link.relation and link.relation != MENTIONS)
