"""What is wrong with a vault's links: broken ones, ambiguous ones, notes without any. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from vaultmem.dream import kinds
from vaultmem.dream.context import DreamContext, Finding, NoteLink
from vaultmem.dream.link_fix import relinked
from vaultmem.dream.link_meant import Meant, Suggestion, blanks_shown
from vaultmem.dream.naming import Links
from vaultmem.dream.note_prose import code
from vaultmem.dream.proposal import NewText, Operation, Proposal, StageName
from vaultmem.dream.shown import name
from vaultmem.dream.when import is_log
from vaultmem.notes.model import MENTIONS
from vaultmem.notes.resolve import resolve

_MOST_SHOWN: Final = 4


class LinkCheck:
    """The checks of links, on one context."""

    def __init__(self, context: DreamContext, links: Links) -> None:
        self._context = context
        self._links = links
        # Links in excluded notes and templates count as links, and are nobody's fault.
        self._shown = [link for link in context.links if link.source in context.by_path]
        self._broken = [link for link in self._shown if _is_broken(link)]
        self._meant = Meant(context, self._broken)

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
                suggestion = self._meant.by(link)
                proposal = self._fix(link, suggestion) if suggestion else None
                if proposal is not None:
                    yield proposal

    # --- broken ---

    def _of_broken(self) -> Iterator[Finding]:
        for link in self._broken:
            suggestion = self._meant.by(link)
            typed = f"`[[{blanks_shown(link.target)}{link.subpath}]]`"
            if suggestion is None:
                yield Finding(kinds.BROKEN_LINK, link.source, f"{typed} leads nowhere", link.line)
            else:
                meant = self._links.to(suggestion.path)
                text = f"{typed} leads nowhere; {suggestion.why}: {meant}"
                if suggestion.kind == kinds.OBSIDIAN_LINK:
                    text = f"{typed} leads nowhere in Obsidian; {suggestion.why}: {meant}"
                yield Finding(suggestion.kind, link.source, text, link.line)

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
        shown = code(blanks_shown(before))
        return Proposal(
            stage=StageName.LINT,
            operation=Operation.FIX_LINK,
            title=f"Mend a link in {name(note.path)}: {shown} → {code(after)}",
            reason=f"{shown} leads nowhere; {suggestion.why}.",
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
            others = list(filter(self._meant.may_be_named, candidates))
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


def relations(links: Sequence[NoteLink]) -> Counter[str]:
    """How often each relation is written; a plain link has none."""
    return Counter(link.relation for link in links if link.relation and link.relation != MENTIONS)
