"""What a person is told, once, of what came into the review note or beside it from other devices. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from vaultmem.dream.note_prose import counted


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person should know, once."""

    keys: frozenset[str]
    """By what it is known to have been told."""
    text: str


def notices(unknown: Collection[str], copies: Iterable[str], path: str) -> list[Notice]:
    """About the items of the review note at ``path`` that are ``unknown`` here, and about each copy of it."""
    found = [
        Notice(
            frozenset((copy,)),
            f"{copy} is a copy that file sync left of the review note: marks in it are not followed. "
            f"Make them in {path}, then delete the copy.",
        )
        for copy in copies
    ]
    if unknown:
        found.insert(0, Notice(frozenset(unknown), unknown_words(len(unknown), path)))
    return found


def unknown_words(many: int, path: str) -> str:
    """What is told of items that are not known here.

    >>> unknown_words(1, "Review.md").partition(":")[0]
    '1 item in Review.md is from another device, and what it proposes has not arrived here'
    """
    one = many == 1
    what = "what it proposes" if one else "what they propose"
    stay = "it stays as it is" if one else "they stay as they are"
    return (
        f"{counted(many, 'item')} in {path} {'is' if one else 'are'} from another device, and {what} has not "
        f"arrived here: {stay}. Decide there, or here once it has arrived."
    )
