"""Changing a text by splices: what is not named by an edit keeps its bytes (E-02, M-19).

Offsets are code points of the whole decoded text, as everywhere in :mod:`vaultmem.notes`; for the file on
the disk and for receipts they become bytes here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TextEdit:
    """``text[start:end]`` becomes ``replacement``; an insertion when start and end are the same."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class ByteEdit:
    """The same, in bytes of the UTF-8 file: what stood there, what stands there now, and where."""

    start: int
    """In the old file."""
    old: bytes
    new_start: int
    """In the new file."""
    new: bytes

    @property
    def end(self) -> int:
        """Past the old bytes, in the old file."""
        return self.start + len(self.old)

    @property
    def new_end(self) -> int:
        """Past the new bytes, in the new file."""
        return self.new_start + len(self.new)


def in_order(text: str, edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """The edits by position, touching ones made one, those that change nothing left out.

    An insertion comes before a replacement that starts at the same place.

    Raises ValueError when one lies outside the text, holds a lone surrogate, or two of them overlap or
    insert at the same place, so that the outcome would depend on their order.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    reached, inserted_at = 0, -1
    for edit in ordered:
        if not reached <= edit.start <= edit.end <= len(text):
            raise ValueError(f"{edit} overlaps another edit or lies outside the text")
        if edit.start == edit.end == inserted_at:
            raise ValueError(f"two edits insert at {edit.start}")
        if _SURROGATE.search(edit.replacement):
            raise ValueError("a lone surrogate cannot be written")
        reached = edit.end
        inserted_at = edit.start if edit.start == edit.end else inserted_at
    united = _united(ordered)
    return tuple(edit for edit in united if text[edit.start : edit.end] != edit.replacement)


def _united(ordered: Iterable[TextEdit]) -> list[TextEdit]:
    """Edits that touch as one: what undoes them would else insert twice at one place."""
    united: list[TextEdit] = []
    for edit in ordered:
        if united and united[-1].end == edit.start:
            last = united.pop()
            edit = TextEdit(last.start, edit.end, last.replacement + edit.replacement)
        united.append(edit)
    return united


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """The text with all edits made; their offsets are those of the text as given, in any order.

    Raises ValueError as :func:`in_order` does.

    >>> apply_edits("a boat", [TextEdit(2, 6, "ship"), TextEdit(0, 1, "the")])
    'the ship'
    """
    parts: list[str] = []
    reached = 0
    for edit in in_order(text, edits):
        parts += text[reached : edit.start], edit.replacement
        reached = edit.end
    return "".join([*parts, text[reached:]])


def inverse_edits(text: str, edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """The edits that turn ``apply_edits(text, edits)`` back into ``text``.

    Raises ValueError as :func:`in_order` does.
    """
    shift = 0
    inverse = []
    for edit in in_order(text, edits):
        start = edit.start + shift
        inverse.append(TextEdit(start, start + len(edit.replacement), text[edit.start : edit.end]))
        shift += len(edit.replacement) - (edit.end - edit.start)
    return tuple(inverse)


def byte_edits(text: str, edits: Iterable[TextEdit]) -> tuple[ByteEdit, ...]:
    """The edits in bytes of the file that ``text`` was decoded from, in order.

    Raises ValueError as :func:`in_order` does.
    """
    found = []
    at = reached = shift = 0
    for edit in in_order(text, edits):
        start = at + _size(text[reached : edit.start])
        old, new = text[edit.start : edit.end].encode(), edit.replacement.encode()
        found.append(ByteEdit(start, old, start + shift, new))
        at, reached = start + len(old), edit.end
        shift += len(new) - len(old)
    return tuple(found)


def apply_byte_edits(data: bytes, edits: Sequence[ByteEdit]) -> bytes:
    """The file's bytes with the edits made.

    Raises ValueError when they are out of order or the old bytes are not the ones that stand there.
    """
    parts: list[bytes] = []
    reached = 0
    for edit in edits:
        if edit.start < reached or data[edit.start : edit.end] != edit.old:
            raise ValueError(f"the bytes at {edit.start} are not those of the edit")
        parts += data[reached : edit.start], edit.new
        reached = edit.end
    return b"".join([*parts, data[reached:]])


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


# --- lines ---

_BREAK: Final = re.compile(r"\r\n|\r|\n")


def line_start(text: str, at: int) -> int:
    """Where the line that holds the offset starts."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end(text: str, at: int) -> int:
    """Where the line that holds the offset ends, before its line break."""
    found = _BREAK.search(text, at)
    return found.start() if found else len(text)


def next_line(text: str, at: int) -> int:
    """Past the line break of the line that holds the offset; the end of the text for the last line."""
    found = _BREAK.search(text, at)
    return found.end() if found else len(text)


def line_number(text: str, at: int) -> int:
    """The line of an offset, from 0."""
    crlf = text.count("\r\n", 0, at)
    return text.count("\n", 0, at) + text.count("\r", 0, at) - crlf


def line_breaks(text: str) -> Iterator[str]:
    """Every line break of the text, in order."""
    return (found.group() for found in _BREAK.finditer(text))


def split_lines(text: str) -> list[str]:
    r"""The lines of a text without their line breaks, cut as the parser counts them: at ``\r\n``, ``\r`` and
    ``\n`` alone, not at the further breaks of ``str.splitlines``. One more line than there are breaks."""
    return _BREAK.split(text)


def line_ending(text: str) -> str:
    r"""The line break that the text uses most, the first of it in a draw; ``\n`` when it has none."""
    if "\r" not in text:
        return "\n"
    counted: dict[str, int] = {}
    for found in line_breaks(text):
        counted[found] = counted.get(found, 0) + 1
    return max(counted, key=lambda ending: counted[ending])


def line_ending_near(text: str, at: int) -> str:
    """The line break before the offset, else the one after it, else that of the whole text."""
    if "\r" not in text:
        return "\n"
    end = line_start(text, at)
    if end > 0:
        return "\r\n" if text[end - 2 : end] == "\r\n" else text[end - 1]
    found = _BREAK.search(text, at)
    return found.group() if found else "\n"


def with_line_ending(text: str, ending: str) -> str:
    """The text with this as its only line break."""
    return _BREAK.sub(lambda _: ending, text)
