"""Taking a change back out of a text that a hand has edited since: by lines, byte for byte, and the hand wins.

Three versions play a part: what the change left (``after``), what was there before it (``before``), and what is
there now (``mine``). A hunk of the way back goes in only where the hand touched neither its lines nor the lines next
to them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, NamedTuple

_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MANY: Final = 3_000
"""Lines beyond which frequent lines are no anchors: what comes out is right all the same, only less short."""


class Hunk(NamedTuple):
    """Lines ``start`` to ``end`` of one version stand where ``new_start`` to ``new_end`` of the other do."""

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class KeptHunk:
    """A hunk that stays, since the hand touched its lines or the ones next to them."""

    line: int
    """Where it is in the text as it is now, from 0."""
    lines: tuple[bytes, ...]
    """What the change had put there."""
    was: tuple[bytes, ...]
    """What was there before the change."""


@dataclass(frozen=True, slots=True)
class Merge:
    """The text with what could be taken back taken back."""

    data: bytes
    undone: int
    """Hunks that were taken back, those that the hand itself had taken back among them."""
    kept: tuple[KeptHunk, ...]
    """Hunks that were not, in order."""


def split(data: bytes) -> list[bytes]:
    r"""The lines with their line breaks, ``\r\n``, ``\r`` or ``\n``; joined again they are the same bytes."""
    return _LINE.findall(data)


def equal_ends(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """How many items the two have in common at their beginning, and of the rest how many at their end."""
    limit = min(len(old), len(new))
    head = 0
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def hunks(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Hunk]:
    """Where two lists of lines differ, in order; at least one equal line lies between two hunks."""
    head, tail = equal_ends(old, new)
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not inner_old or not inner_new:
        whole = Hunk(head, len(old) - tail, head, len(new) - tail)
        return [whole] if inner_old or inner_new else []
    frequent = max(len(inner_old), len(inner_new)) > _MANY
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=frequent)
    return [
        Hunk(head + a, head + b, head + c, head + d)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def take_back(after: bytes, before: bytes, mine: bytes) -> Merge:
    """``mine`` with the change from ``before`` to ``after`` taken back.

    No byte of a line that differs between ``after`` and ``mine`` is touched. When the two are the same, what
    comes back is ``before``.
    """
    old, target, now = split(after), split(before), split(mine)
    way_back, by_hand = hunks(old, target), hunks(old, now)
    parts: list[bytes] = []
    kept: list[KeptHunk] = []
    reached = 0
    for hunk in way_back:
        replacement = target[hunk.new_start : hunk.new_end]
        touching = [hand for hand in by_hand if hand.start <= hunk.end and hunk.start <= hand.end]
        start = hunk.start + _shift(by_hand, hunk.start)
        if not touching:
            parts += [*now[reached:start], *replacement]
            reached = start + hunk.end - hunk.start
        elif not _is_same(touching, hunk, now, replacement):
            kept.append(
                KeptHunk(
                    max(0, min(start, len(now) - 1)),
                    tuple(old[hunk.start : hunk.end]),
                    tuple(replacement),
                )
            )
    parts += now[reached:]
    return Merge(b"".join(parts), len(way_back) - len(kept), tuple(kept))


def _shift(by_hand: Sequence[Hunk], line: int) -> int:
    """By how many lines the hand has moved what stands at the line."""
    before = [hand for hand in by_hand if hand.end <= line]
    return before[-1].new_end - before[-1].end if before else 0


def _is_same(
    touching: Sequence[Hunk], hunk: Hunk, now: Sequence[bytes], replacement: Sequence[bytes]
) -> bool:
    """Whether the hand has done this very thing already."""
    if len(touching) > 1 or touching[0][:2] != hunk[:2]:
        return False
    return list(now[touching[0].new_start : touching[0].new_end]) == list(replacement)
