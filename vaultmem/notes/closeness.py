"""Names that are spelled nearly like another, the nearest first."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable
from typing import Final

__all__ = ["close_names"]

LIKENESS: Final = 0.6
"""Of two names, by ``difflib``; 1 is the same."""

LONGEST: Final = 255
"""Letters; nothing is close to a longer name."""

COMPARED: Final = 200
"""Names that are compared letter by letter, which takes a while."""


def close_names(wanted: str, names: Iterable[str], count: int) -> list[str]:
    """At most ``count`` of the names, each once: those likest to the wanted one. All are in the form in which names are
    compared.

    >>> close_names("herron", ["heron", "harbour", "hero"], 2)
    ['heron', 'hero']
    """
    if not wanted or len(wanted) > LONGEST:
        return []
    # No name of another length can be like enough.
    least = len(wanted) * LIKENESS / (2 - LIKENESS)
    most = len(wanted) * (2 - LIKENESS) / LIKENESS
    near = [name for name in dict.fromkeys(names) if least <= len(name) <= most]
    if len(near) > COMPARED:
        pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)} or {wanted}
        ends = (wanted[:1], wanted[-1:])

        def promise(name: str) -> float:
            """How much two names share: pairs of letters, and their ends, by their length."""
            shared = sum(map(name.__contains__, pairs))
            same = name.startswith(ends[0]) + name.endswith(ends[1])
            return (shared + same / 2) / (len(wanted) + len(name))

        near = heapq.nlargest(COMPARED, near, key=promise)
    return difflib.get_close_matches(wanted, near, count, LIKENESS)
