"""What changed between two versions, as the hunks of a unified diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from vaultmem.files.read import decode
from vaultmem.history.answers import DiffHunk
from vaultmem.notes.merge import Hunk, hunks, split

CONTEXT: Final = 3
"""Lines shown around a change."""
_NO_END: Final = "\\ No line break at the end"


class Figures(NamedTuple):
    """How many lines came and went."""

    added: int
    removed: int


def figures(before: bytes, after: bytes) -> Figures:
    """The lines that came and went from one version to the other."""
    found = hunks(split(before), split(after))
    return Figures(
        sum(hunk.new_end - hunk.new_start for hunk in found),
        sum(hunk.end - hunk.start for hunk in found),
    )


def is_text(data: bytes) -> bool:
    """Whether a diff of lines says anything about the bytes."""
    return b"\0" not in data and decode(data) is not None


def diff_hunks(before: bytes, after: bytes) -> tuple[DiffHunk, ...]:
    """The hunks of a unified diff; none when one of the two is no text."""
    if not (is_text(before) and is_text(after)):
        return ()
    old, new = split(before), split(after)
    return tuple(_shown(group, old, new) for group in _groups(hunks(old, new)))


def changed_lines(hunk: DiffHunk) -> Iterator[str]:
    """The lines that came or went, without their marks."""
    return (line[1:] for line in hunk.lines if line[:1] in "+-")


def shown_line(line: bytes) -> str:
    """A line without its line break."""
    return line.decode("utf-8", "replace").rstrip("\r\n")


def _groups(found: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Hunks whose surroundings touch go together."""
    number, reached = 0, None
    numbered = []
    for hunk in found:
        if reached is not None and hunk.start - reached > 2 * CONTEXT:
            number += 1
        numbered.append((number, hunk))
        reached = hunk.end
    for _, group in groupby(numbered, key=lambda entry: entry[0]):
        yield [hunk for _, hunk in group]


def _shown(group: Sequence[Hunk], old: Sequence[bytes], new: Sequence[bytes]) -> DiffHunk:
    start = max(group[0].start - CONTEXT, 0)
    end = min(group[-1].end + CONTEXT, len(old))
    new_start = group[0].new_start - (group[0].start - start)
    new_end = group[-1].new_end + (end - group[-1].end)
    lines: list[str] = []
    at = start
    for hunk in group:
        lines += _marked(" ", old[at : hunk.start])
        lines += _marked("-", old[hunk.start : hunk.end])
        lines += _marked("+", new[hunk.new_start : hunk.new_end])
        at = hunk.end
    lines += _marked(" ", old[at:end])
    return DiffHunk(
        start + (end > start),
        end - start,
        new_start + (new_end > new_start),
        new_end - new_start,
        tuple(lines),
    )


def _marked(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        yield mark + shown_line(line)
        if not line.endswith((b"\n", b"\r")):
            yield _NO_END
