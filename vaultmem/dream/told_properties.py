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
        *(
            "type",
            "kind",
            "category",
            "confidence",
            "importance",
            "severity",
            "permanent",
            "pinned",
        ),
        *("created", "created_at", "date", *UPDATED, "strength", "stale", "distilled_hash"),
        *("supersedes", "superseded_by", *SOURCE_RELATIONS),
    )
)
"""Properties that speak of the note as a file of ours, or that a merge unites in its own way; all others are claims."""


def properties_differ(a: DreamNote, b: DreamNote) -> bool:
    """Whether the properties of two notes say different things: a value against another, or another owner or subject."""
    one, other = _told(a), _told(b)
    shared = one.keys() & other.keys()
    apart = (one.keys() ^ other.keys()) & _KEPT_APART
    return bool(apart) or any(one[key] != other[key] for key in shared)


def properties_only_in(note: DreamNote, other: DreamNote) -> Mapping[str, PropertyValue]:
    """What a note says in properties that the other one does not have."""
    known = _told(other)
    return {key: value for key, value in _told(note).items() if key not in known}


def _told(note: DreamNote) -> Mapping[str, PropertyValue]:
    return {
        key: value
        for key, value in note.properties.items()
        if key.casefold() not in _OF_THE_NOTE and value not in (None, "", [])
    }
