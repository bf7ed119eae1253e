"""The notes that are distilled from others: their texts, their names, and whether a person has been at one. Pure.

Their lines are claims of the sources, word for word. A note of ours has keys of ours, so it can say of itself what it
was written as: then a later cycle knows whether it is still that.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from vaultmem.dream.context import DreamContext, DreamNote
from vaultmem.dream.scope import SCOPE_KEYS, Scope
from vaultmem.dream.shown import SOURCE_RELATIONS
from vaultmem.dream.union import SOURCES
from vaultmem.notes.dated import from_day
from vaultmem.notes.note_edit import NoteChange, plan_note_edit
from vaultmem.notes.paths import name_key, stem
from vaultmem.notes.property_edit import AddItem, SetProperty
from vaultmem.notes.refusal import EditRefused

LESSON: Final = "lesson"
SYNTHESIS: Final = "synthesis"
DERIVED: Final = frozenset((LESSON, SYNTHESIS))
"""Types of notes that were made of others. Nothing is made of them in turn."""
ABOUT: Final = "about"
WRITTEN_AS: Final = "distilled_hash"

LONGEST_NAME: Final = 60
"""Characters of a file's name."""
MOST_BYTES: Final = 180

_HASH_LINE: Final = re.compile(rf"^{WRITTEN_AS}: ([0-9a-f]{{12}})\n", re.MULTILINE)
_WIKILINK: Final = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKDOWN_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_NO_NAME: Final = re.compile(r'[\\/:*?"<>|#^\[\]`~=$%{}\x00-\x1f\x7f]+|(?<!\w)_|_(?!\w)')


def is_derived(note: DreamNote) -> bool:
    """Whether the note says of itself that it was made of others."""
    return note.note_type.strip().lower() in DERIVED


def sources_of(context: DreamContext) -> dict[str, set[str]]:
    """By path of a note the notes that it was made from, as far as they are there."""
    found: dict[str, set[str]] = {}
    for link in context.links:
        if link.relation in SOURCE_RELATIONS and link.path and link.path != link.source:
            found.setdefault(link.source, set()).add(link.path)
    return found


def block_id(claim: str) -> str:
    """A short name for a claim's line: the same for the same words.

    >>> block_id("Recipes use metric units.") == block_id("Recipes  use metric units")
    True
    """
    key = " ".join(claim.casefold().split()).rstrip(".")
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return f"f-{base64.b32encode(digest)[:6].decode().lower()}"


# --- texts ---


def lesson_text(
    context: DreamContext,
    path: str,
    claims: Sequence[str],
    *,
    links: Sequence[str],
    day: int,
    tags: Iterable[str],
    scope: Scope,
) -> str | None:
    """The text of a lesson; None where it cannot be written. ``day`` is that of its newest source: what it says was
    said by then, so nothing that was noted later is older."""
    lines = [f"- {claim} ^{block_id(claim)}" for claim in claims]
    head = ["type: lesson", "managed_by: vaultmem", f"date: {from_day(day).isoformat()}"]
    changes = [AddItem("tags", tag) for tag in tags]
    return _written(context, path, head, lines, [*changes, *_whose(scope), *_made_of(links)])


def synthesis_text(
    context: DreamContext,
    path: str,
    lines: Sequence[tuple[str, str]],
    *,
    links: Sequence[str],
    about: str,
    scope: Scope,
) -> str | None:
    """The text of an overview; ``lines`` are claims, each with the link to its note. It holds what it was written as."""
    written = [f"- {claim} — {link}" for claim, link in lines]
    head = ["type: synthesis", "managed_by: vaultmem"]
    changes = [SetProperty(ABOUT, about), *_whose(scope), *_made_of(links)]
    text = _written(context, path, head, written, changes)
    if text is None:
        return None
    place = text.index("managed_by: vaultmem\n") + len("managed_by: vaultmem\n")
    return f"{text[:place]}{WRITTEN_AS}: {_hash(text)}\n{text[place:]}"


def is_untouched(text: str) -> bool:
    """Whether a note is, byte for byte, what was written."""
    found = _HASH_LINE.search(text)
    return found is not None and _hash(text[: found.start()] + text[found.end() :]) == found[1]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _whose(scope: Scope) -> list[NoteChange]:
    return [
        SetProperty(key, value) for key, value in zip(SCOPE_KEYS, scope[1:], strict=True) if value
    ]


def _made_of(links: Sequence[str]) -> list[NoteChange]:
    return [AddItem(SOURCES, link) for link in links]


def _written(
    context: DreamContext,
    path: str,
    head: Sequence[str],
    lines: Sequence[str],
    changes: Sequence[NoteChange],
) -> str | None:
    text = "\n".join(("---", *head, "---", f"# {stem(path)}", "", *lines, ""))
    try:
        return plan_note_edit(text, changes, path=path, settings=context.settings).text
    except EditRefused:
        return None


# --- names ---


class FreeNames:
    """Names that no file has, and that no link is waiting for: a new note must not change where a link leads."""

    def __init__(self, context: DreamContext) -> None:
        self._taken = {name_key(path) for path in context.file_names}
        for link in context.links:
            if link.target and not link.path:
                self._taken.add(name_key(f"{link.target.removesuffix('.md')}.md"))

    def take(self, folder: str, wanted: str, otherwise: str) -> str:
        """The path of a note in the folder under the name, or one like it; it is taken from now on."""
        name = file_name(wanted) or otherwise
        path, number = f"{folder}/{name}.md", 1
        while name_key(path) in self._taken:
            number += 1
            path = f"{folder}/{name} {number}.md"
        self._taken.add(name_key(path))
        return path


def folder_for(context: DreamContext, scope: Scope, kind: str) -> str:
    """The folder of the notes of that kind in a scope."""
    return "/".join(filter(None, (context.memory_root, scope.folder, kind)))


def file_name(text: str) -> str:
    """The text as the name of a file that every system takes and every wikilink can hold; "" where nothing is left.

    >>> file_name("Use **metric** units in [[Recipes|recipes]]: always.")
    'Use metric units in recipes always'
    """
    text = _MARKDOWN_LINK.sub(r"\1", _WIKILINK.sub(r"\1", text))
    words = _NO_NAME.sub(" ", text).split()
    name = ""
    for word in words:
        longer = f"{name} {word}".strip()
        if len(longer) > LONGEST_NAME or len(longer.encode("utf-8", "replace")) > MOST_BYTES:
            break
        name = longer
    if words and not name:
        name = words[0][: LONGEST_NAME // 2]
    return name.strip(" .,;:!?。、！？-–—'’")
