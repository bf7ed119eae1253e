"""The kinds of findings, as the digest groups them."""

from __future__ import annotations

from typing import Final

SUSPECT: Final = "suspect"
"""A note that depends on a claim which was found outdated."""
BROKEN_LINK: Final = "broken-link"
AMBIGUOUS_LINK: Final = "ambiguous-link"
OBSIDIAN_LINK: Final = "breaks-in-obsidian"
"""A link by title or alias: search understands it, Obsidian would make a new note."""
ORPHAN: Final = "orphan"
EMPTY_NOTE: Final = "empty-note"
PROPERTY_FAULT: Final = "property-fault"
DUPLICATE_ALIAS: Final = "duplicate-alias"
RELATION_DRIFT: Final = "relation-drift"
DEEP_DERIVATION: Final = "deep-derivation"
SUPERSEDE_CYCLE: Final = "supersede-cycle"
"""Notes that supersede each other."""


def heading(kind: str) -> str:
    """The kind as the words that stand above its findings.

    >>> heading(BROKEN_LINK), heading(OBSIDIAN_LINK)
    ('Broken link', 'Breaks in Obsidian')
    """
    words = kind.replace("-", " ").replace("obsidian", "Obsidian")
    return words[:1].upper() + words[1:]
