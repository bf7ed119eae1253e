"""Two changes of one text, made apart from each other, put together. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from vaultmem.notes.merge import equal_ends, hunks
from vaultmem.notes.textedit import TextEdit, apply_edits

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def stretches(before: str, after: str) -> tuple[TextEdit, ...]:
    """What was changed, in order: for each run of changed lines the one stretch in which it differs, as short as can be."""
    old, new = _lines(before), _lines(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    return tuple(
        _shortest(
            starts[hunk.start],
            "".join(old[hunk.start : hunk.end]),
            "".join(new[hunk.new_start : hunk.new_end]),
        )
        for hunk in hunks(old, new)
    )


def both(base: str, one: str, other: str) -> str | None:
    """The base with what was changed in ``one`` and in ``other``; None where two changes overlap or meet, as then nobody can
    tell what was meant.

    >>> both("one two three", "1 two three", "one two 3")
    '1 two 3'
    """
    ours, theirs = stretches(base, one), stretches(base, other)
    if any(touches(edit, ours) for edit in theirs):
        return None
    return apply_edits(base, (*ours, *theirs))


def touches(edit: TextEdit, others: Sequence[TextEdit]) -> bool:
    """Whether it overlaps or meets one of them."""
    return any(other.start <= edit.end and edit.start <= other.end for other in others)


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _shortest(start: int, old: str, new: str) -> TextEdit:
    head, tail = equal_ends(old, new)
    return TextEdit(start + head, start + len(old) - tail, new[head : len(new) - tail])
