"""What a broken link most likely means, and why: never a note in the archive, or one of the dream's own. Pure."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from unicodedata import normalize

from vaultmem.dream import kinds
from vaultmem.dream.closest import KnownNames
from vaultmem.dream.context import DreamContext, NoteLink
from vaultmem.dream.folders import DREAMS_FOLDER, REVIEW_FOLDER
from vaultmem.dream.scope import agents_apart
from vaultmem.dream.shown import name
from vaultmem.notes.paths import FileKind, file_kind, parent, path_key, stem

WANTED: Final = 3
"""Notes that link to what does not exist, for it to be a note still to be written and no slip."""
SURE: Final = {0: 0.95, 1: 0.8, 2: 0.65}
"""Confidence by letters that are wrong; 0: only blanks or punctuation."""
ELSEWHERE: Final = 0.5
"""Confidence where the link names a folder that the note is not in: less than what is done unasked."""

_PLACEHOLDERS: Final = ("{{", "<%", "${")
_BLANKS: Final = re.compile(r"\s+")
_MARKS: Final = re.compile(r"[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a broken link most likely means."""

    path: str
    why: str
    confidence: float
    keep_shown: bool
    """Whether the link should go on showing what it shows."""
    kind: str = kinds.BROKEN_LINK


class Meant:
    """Finds what broken links mean, on one context."""

    def __init__(self, context: DreamContext, broken: Sequence[NoteLink]) -> None:
        """``broken`` are all links that lead nowhere."""
        self._context = context
        self._wanted_by = Counter(
            key for key, _ in {(path_key(link.target), link.source) for link in broken}
        )
        self._known: dict[tuple[str, str], Suggestion | None] = {}
        self._names_below: dict[frozenset[str] | None, KnownNames] = {}

    def by(self, link: NoteLink) -> Suggestion | None:
        """What the link means; None where nothing is plain."""
        key = (link.target, link.source)
        if key not in self._known:
            found = self._suggest(link)
            found = self._staying(found, link) if found is not None else None
            # What one agent's notes are called is not written into the memory of another.
            theirs = found is not None and agents_apart(self._context, link.source, found.path)
            self._known[key] = None if theirs else found
        return self._known[key]

    def may_be_named(self, path: str) -> bool:
        """Whether a file may be suggested: what Obsidian's settings exclude is to nobody, and neither is a note in the archive, or
        what the dream wrote to tell of itself."""
        context = self._context
        root = f"{context.memory_root}/" if context.memory_root else ""
        aside = (context.archive, root + REVIEW_FOLDER, root + DREAMS_FOLDER)
        if any(path_key(path).startswith(path_key(f"{folder}/")) for folder in aside):
            return False
        return not context.settings.is_excluded(path)

    def _suggest(self, link: NoteLink) -> Suggestion | None:
        target = link.target
        if any(mark in target for mark in _PLACEHOLDERS) or target.endswith("/"):
            return None
        if moved := self._moved(link):
            return Suggestion(moved, "the file was moved", 0.95, keep_shown=False)
        said = target.rpartition("/")[2]
        if "/" not in target and (path := self._titled(said)) and path != link.source:
            return Suggestion(
                path, "this note has that title or alias", 0.9, True, kinds.OBSIDIAN_LINK
            )
        within = self._folders_of(link)
        names = self._names(within)
        same = {self._stays(path) for path in names.same(stem(said))} - {link.source}
        if len(same) == 1:
            (path,) = same
            if self._is_elsewhere(link, within):
                nearly = "" if path_key(stem(said)) == path_key(stem(path)) else "nearly "
                why = f"{nearly}the same name in another folder"
                return Suggestion(path, why, ELSEWHERE, True)
            why, seen = _what_differs(stem(said), stem(path))
            return Suggestion(path, why, SURE[0], seen)
        if same or self._wanted_by[path_key(target)] >= WANTED:
            return None
        near = names.closest(stem(said))
        if near is None or near[0] == link.source or _kind_of(said) is not file_kind(near[0]):
            return None
        if self._is_elsewhere(link, within):
            return Suggestion(near[0], "nearly the same name in another folder", ELSEWHERE, False)
        return Suggestion(near[0], "nearly the same name", SURE[near[1]], False)

    # --- where it may lead ---

    def _staying(self, found: Suggestion, link: NoteLink) -> Suggestion | None:
        """The suggestion, for a note that is to be merged into another one the latter; None where a note is to be archived."""
        stays = self._stays(found.path)
        if stays == found.path:
            return found
        if not stays or stays == link.source or not self.may_be_named(stays):
            return None
        why = f"{found.why} as {name(found.path)}, which is to be merged into this one"
        return Suggestion(stays, why, min(found.confidence, ELSEWHERE), True, found.kind)

    def _stays(self, path: str) -> str:
        """The note that takes the place of one that is to be archived; "" where none does."""
        seen: set[str] = set()
        while path in self._context.leaving and path not in seen:
            seen.add(path)
            path = self._context.leaving[path]
        return "" if path in seen else path

    def _folders_of(self, link: NoteLink) -> frozenset[str] | None:
        """The folders of the vault that the link may mean; None where it names none that is there."""
        folder = parent(link.target)
        if link.target.startswith(("./", "../")):
            folder = posixpath.normpath(posixpath.join(parent(link.source), folder))
        return self._folders.get(path_key(folder.strip("/"))) if folder.strip("/.") else None

    def _is_elsewhere(self, link: NoteLink, within: frozenset[str] | None) -> bool:
        return bool(parent(link.target).strip("/.")) and within is None

    @cached_property
    def _folders(self) -> dict[str, frozenset[str]]:
        """By each end of their paths, as links may give it, the folders that hold something."""
        found: dict[str, set[str]] = {}
        for folder in self._folders_there():
            parts = folder.split("/")
            for start in range(len(parts)):
                found.setdefault(path_key("/".join(parts[start:])), set()).add(folder)
        return {end: frozenset(folders) for end, folders in found.items()}

    def _folders_there(self) -> set[str]:
        found: set[str] = set()
        for folder in {parent(path) for path in self._nameable}:
            while folder and folder not in found:
                found.add(folder)
                folder = parent(folder)
        return found

    # --- names ---

    def _names(self, within: frozenset[str] | None) -> KnownNames:
        """The names of the files in these folders; None: of all."""
        if within not in self._names_below:
            paths: Iterable[str] = self._nameable
            if within is not None:
                paths = (path for path in paths if parent(path) in within)
            self._names_below[within] = KnownNames((stem(path), path) for path in paths)
        return self._names_below[within]

    @cached_property
    def _nameable(self) -> Sequence[str]:
        return [path for path in sorted(self._context.file_names) if self.may_be_named(path)]

    def _moved(self, link: NoteLink) -> str:
        for target in (link.target, f"{link.target}.md"):
            path = self._moves.get(path_key(target))
            if path is not None and path in self._context.file_names and self.may_be_named(path):
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
            if not note.archived and self.may_be_named(note.path):
                for called in {note.title, *note.aliases}:
                    found.setdefault(path_key(called.strip()), set()).add(note.path)
        return found


def blanks_shown(text: str) -> str:
    """The text with a mark for each blank that would not be seen as one: of several in a row, and of other kinds.

    >>> blanks_shown("[[Lena  Fisher]]"), blanks_shown("[[Lena Fisher]]")
    ('[[Lena␣␣Fisher]]', '[[Lena Fisher]]')
    """
    return _BLANKS.sub(lambda run: run[0] if run[0] == " " else "␣" * len(run[0]), text)


def _what_differs(typed: str, called: str) -> tuple[str, bool]:
    """In which signs two names that are the same otherwise differ, and whether that is seen when they are shown."""
    one, other = (normalize("NFKC", text).casefold() for text in (typed, called))
    if one == other:
        return "only the form of letters differs", True
    if one.split() == other.split():
        return "only the number or kind of blanks differs", False
    if "".join(one.split()) == "".join(other.split()):
        return "only blanks differ", True
    if _MARKS.sub("", one).split() == _MARKS.sub("", other).split():
        return "only punctuation differs", True
    return "only blanks and punctuation differ", True


def _kind_of(target: str) -> FileKind:
    """What a link of this text leads to: a note, unless its extension says otherwise."""
    kind = file_kind(target)
    return FileKind.NOTE if kind is FileKind.OTHER else kind
