"""Overviews: what the notes about one thing say, line by line, each with its source. Pure.

A thing is what many notes share: a word of their titles, or a tag. An overview that a person has edited is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vaultmem.dream.context import DreamContext, DreamNote
from vaultmem.dream.distilled_note import (
    ABOUT,
    SYNTHESIS,
    FreeNames,
    folder_for,
    is_untouched,
    synthesis_text,
)
from vaultmem.dream.naming import Links
from vaultmem.dream.proposal import NewText, Operation, Proposal, StageName
from vaultmem.dream.recurring import Said, plain, said_in
from vaultmem.dream.scope import SYNTHESES, Scope, scope_of
from vaultmem.dream.shown import fresh, name
from vaultmem.dream.subjects import Subject
from vaultmem.notes.paths import stem

FACTS: Final = frozenset(("fact", "observation"))
LEAST_NOTES: Final = 6
"""About one thing, for an overview to be worth reading."""
MOST_NOTES: Final = 40
"""What more notes share is no thing, but half of the vault."""
MOST_LINES: Final = 40
MOST_MADE: Final = 3
"""Overviews that a cycle makes."""
MOST_RENEWED: Final = 5
NEW_OVERVIEW: Final = "overview"
RENEWED_OVERVIEW: Final = "overview brought up to date"
"""As what they are counted."""
ALIKE: Final = 0.5
"""Share of their notes that two things have in common when they are one."""
_STATES: Final = frozenset(("permanent", "pinned"))
"""Tags that say how a note is treated, not what it is about."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What some notes are about."""

    word: str
    scope: Scope
    notes: tuple[DreamNote, ...]
    """In order of path, each with a claim that can be shown."""

    @property
    def paths(self) -> frozenset[str]:
        """Of its notes."""
        return frozenset(note.path for note in self.notes)


class Overviews:
    """The overviews that a context asks for."""

    def __init__(
        self,
        context: DreamContext,
        sources: dict[str, set[str]],
        open_notes: Sequence[DreamNote],
        names: FreeNames,
    ) -> None:
        """``sources`` are the notes that each was made from, ``open_notes`` those of which something may be made."""
        self._context = context
        self._sources = sources
        self._names = names
        self._links = Links(context.file_names)
        self._said: dict[str, list[Said]] = {}
        for note in open_notes:
            if note.note_type.strip().lower() in FACTS and (said := list(said_in(note))):
                self._said[note.path] = said
        self._things = self._by_word()
        self._held = [
            note
            for note in sorted(context.notes, key=lambda note: note.path)
            if note.managed and note.note_type.strip().lower() == SYNTHESIS
        ]

    def made(self) -> list[Proposal]:
        """New overviews, of things with most notes first."""
        changed = self._context.changed
        things = [
            thing
            for thing in self._things.values()
            if LEAST_NOTES <= len(thing.notes) <= MOST_NOTES and thing.paths & changed
        ]
        things.sort(key=lambda thing: (-len(thing.notes), thing.scope, thing.word))
        most = self._context.room(MOST_MADE, StageName.DISTILL, NEW_OVERVIEW)
        found: list[Proposal] = []
        chosen: list[frozenset[str]] = []
        for thing in things:
            if len(found) == most:
                break
            if self._is_there(thing) or any(_alike(thing.paths, held) for held in chosen):
                continue
            new = self._new(thing)
            if new is not None and fresh(self._context, [new]):
                chosen.append(thing.paths)
                found.append(new)
        return found

    def renewed(self) -> list[Proposal]:
        """Overviews of ours that say something else by now; those that a person has edited are left as they are."""
        found = [new for note in self._held if (new := self._renewed(note)) is not None]
        most = self._context.room(MOST_RENEWED, StageName.DISTILL, RENEWED_OVERVIEW)
        return fresh(self._context, found)[:most]

    def _by_word(self) -> dict[tuple[Scope, str], Thing]:
        groups: dict[tuple[Scope, str], list[DreamNote]] = {}
        for path in sorted(self._said):
            note = self._context.by_path[path]
            words = Subject(note).title_words | (frozenset(note.tags) - _STATES)
            for word in words:
                groups.setdefault((scope_of(self._context, note), word), []).append(note)
        return {key: Thing(key[1], key[0], tuple(notes)) for key, notes in groups.items()}

    def _is_there(self, thing: Thing) -> bool:
        """Whether there is an overview of it, wherever: one in the archive was put there for a reason."""
        for note in self._held:
            if scope_of(self._context, note) == thing.scope and (
                _about(note) == thing.word
                or _alike(thing.paths, frozenset(self._sources.get(note.path, ())))
            ):
                return True
        return False

    def _new(self, thing: Thing) -> Proposal | None:
        folder = folder_for(self._context, thing.scope, SYNTHESES)
        path = self._names.take(folder, f"{_spelled(thing)} (overview)", "Overview")
        text = self._text(thing, path)
        if text is None:
            return None
        count = len(thing.notes)
        return self._proposal(
            f"Make the overview {name(path)} of {count} notes",
            f"{count} notes have “{thing.word}” in their title or tags; what they say is listed word for word, "
            f"with their links.",
            thing,
            path,
            made=(NewText(path, text),),
        )

    def _renewed(self, note: DreamNote) -> Proposal | None:
        scope = scope_of(self._context, note)
        thing = self._things.get((scope, _about(note)))
        if note.archived or note.successor or thing is None or len(thing.notes) > MOST_NOTES:
            return None
        held = self._context.read(note.path)
        if held is None or held.hash != note.hash or not is_untouched(held.text):
            return None
        text = self._text(thing, note.path)
        if text is None or text == held.text:
            return None
        return self._proposal(
            f"Bring the overview {name(note.path)} up to date",
            f"Its sources have changed: {len(thing.notes)} notes are about “{thing.word}” now.",
            thing,
            note.path,
            inputs={note.path: note.hash},
            edits=(NewText(note.path, text),),
        )

    def _proposal(
        self,
        title: str,
        reason: str,
        thing: Thing,
        path: str,
        *,
        inputs: dict[str, str] | None = None,
        edits: tuple[NewText, ...] = (),
        made: tuple[NewText, ...] = (),
    ) -> Proposal:
        return Proposal(
            stage=StageName.DISTILL,
            operation=Operation.DISTILL,
            title=title,
            reason=reason,
            confidence=1.0,
            inputs={**{note.path: note.hash for note in thing.notes}, **(inputs or {})},
            edits=edits,
            made=made,
            keeper=path,
            figures={"notes": float(len(thing.notes))},
            detail=f"{SYNTHESIS} {thing.word}",
            kind=NEW_OVERVIEW if made else RENEWED_OVERVIEW,
        )

    def _text(self, thing: Thing, path: str) -> str | None:
        link_of = {note.path: self._links.to(note.path) for note in thing.notes}
        if not all(link.startswith("[[") for link in link_of.values()):
            return None
        lines = [(one.text, link_of[one.note.path]) for one in self._lines(thing)]
        return synthesis_text(
            self._context,
            path,
            lines,
            links=list(link_of.values()),
            about=thing.word,
            scope=thing.scope,
        )

    def _lines(self, thing: Thing) -> list[Said]:
        """The claims that are shown, note by note: each note gives one in turn until there are enough, and what is
        said twice stands once."""
        seen: set[str] = set()
        left = {note.path: iter(self._said[note.path]) for note in thing.notes}
        shown: dict[str, list[Said]] = {path: [] for path in left}
        count = 0
        while left and count < MOST_LINES:
            for path in list(left):
                one = _next_unseen(left[path], seen)
                if one is None:
                    del left[path]
                elif count < MOST_LINES:
                    shown[path].append(one)
                    count += 1
        return [one for path in shown for one in shown[path]]


def _next_unseen(said: Iterator[Said], seen: set[str]) -> Said | None:
    for one in said:
        if plain(one.text) not in seen:
            seen.add(plain(one.text))
            return one
    return None


def _about(note: DreamNote) -> str:
    value = note.properties.get(ABOUT)
    return value if isinstance(value, str) else ""


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a & b) and len(a & b) >= ALIKE * len(a | b)


def _spelled(thing: Thing) -> str:
    """The word as a title has it, with a capital letter."""
    for note in thing.notes:
        title = note.title or stem(note.path)
        place = title.lower().find(thing.word)
        if place >= 0 and len(title.lower()) == len(title):
            word = title[place : place + len(thing.word)]
            return word[:1].upper() + word[1:]
    return thing.word[:1].upper() + thing.word[1:]
