"""What two notes say in their properties, apart from what properties say of the notes themselves. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vaultmem.dream.context import DreamNote
from vaultmem.dream.scope import SCOPE_KEYS
from vaultmem.dream.shown import SOURCE_RELATIONS
from vaultmem.dream.subjects import ENTITY_KEYS
from vaultmem.dream.when import UPDATED
from vaultmem.notes.model import PropertyValue

_KEPT_APART: Final = frozenset((*SCOPE_KEYS, *ENTITY_KEYS))
"""Properties that say whose a note is, or about whom: they mean something by being there."""
_OF_THE_NOTE: Final = frozenset(
    (
        *("managed_by", "title", "tags", "tag", "aliases", "alias", "cssclasses", "cssclass"),
        *("type", "category", "confidence", "permanent"),
        *("created", "created_at", "date", *UPDATED, "strength", "stale", "distilled_hash"),
        *("supersedes", "superseded_by", *SOURCE_RELATIONS),
    )
)
"""Properties that speak of the note as a file of ours, or that a merge unites in its own way; all others are claims."""
_OWN_WORDS: Final = SOURCE_RELATIONS - {"source_notes"}
"""Properties that a person writes as well, and not for our bookkeeping: ``source: Grandma``."""
_NOT_HANDED_ON: Final = frozenset(
    (
        *("managed_by", "title", "tags", "aliases", "permanent", "strength", "stale", "confidence"),
        *("created", "created_at", "date", *UPDATED, "distilled_hash"),
        *("supersedes", "superseded_by", "source_notes"),
    )
)
"""Properties that speak of the note itself, such as its date, or that a merge unites in its own way: a note of a person that stays
is given all others of the one that goes."""


def properties_differ(a: DreamNote, b: DreamNote) -> bool:
    """Whether the properties of two notes say different things: a value against another, or another owner or subject."""
    if a.note_type and b.note_type and a.note_type.casefold() != b.note_type.casefold():
        return True
    one, other = _told(a), _told(b)
    shared = one.keys() & other.keys()
    apart = (one.keys() ^ other.keys()) & _KEPT_APART
    return bool(apart) or any(one[key][1] != other[key][1] for key in shared)


def properties_only_in(note: DreamNote, other: DreamNote) -> Mapping[str, PropertyValue]:
    """What a note says in properties that the other one does not have."""
    known = _told(other)
    return {key: value for bare, (key, value) in _told(note).items() if bare not in known}


def properties_handed_on(note: DreamNote, other: DreamNote) -> Mapping[str, PropertyValue]:
    """What a person wrote into the properties of a note and the other one, which takes it in, does not have."""
    known = {key.casefold() for key, value in other.properties.items() if _says(value)}
    return {
        key: value
        for key, value in note.properties.items()
        if key.casefold() not in _NOT_HANDED_ON | known and _says(value)
    }


def _told(note: DreamNote) -> Mapping[str, tuple[str, PropertyValue]]:
    """Key as written and value, by the key in small letters."""
    skipped = _OF_THE_NOTE if note.managed else _OF_THE_NOTE - _OWN_WORDS
    return {
        key.casefold(): (key, value)
        for key, value in note.properties.items()
        if key.casefold() not in skipped and _says(value)
    }


def _says(value: PropertyValue) -> bool:
    return value not in (None, "", [])
