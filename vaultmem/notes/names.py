"""Names that the product may give to a note, on every platform a vault may travel to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from itertools import count
from typing import Final
from unicodedata import category, normalize

from vaultmem.notes.paths import path_key

_LIMIT: Final = 255
"""Bytes of UTF-8 in one part of a path, extension included (N-05)."""


class NameProblem(StrEnum):
    """Why a name is refused."""

    LINK_UNSAFE = "link-unsafe"
    RESERVED_CHAR = "reserved-char"
    LEADING_DOT = "leading-dot"
    TRAILING_DOT_OR_BLANK = "trailing-dot-or-blank"
    DEVICE_NAME = "device-name"
    TOO_LONG = "too-long"
    CONTROL_CHAR = "control-char"
    EMPTY = "empty"

    @property
    def words(self) -> str:
        """The same for a person, to go on after "since" or "because"."""
        return _WORDS[self]


_WORDS: Final = {
    NameProblem.LINK_UNSAFE: "links cannot hold # ^ [ ] | or %%",
    NameProblem.RESERVED_CHAR: 'some systems allow no \\ / : * ? " < > | in it',
    NameProblem.LEADING_DOT: "a dot at the beginning hides it",
    NameProblem.TRAILING_DOT_OR_BLANK: "some systems drop a dot or blank at the end",
    NameProblem.DEVICE_NAME: "Windows keeps that name for a device",
    NameProblem.TOO_LONG: "it is too long",
    NameProblem.CONTROL_CHAR: "it holds a control character or one that is not seen",
    NameProblem.EMPTY: "it is empty",
}

_LINK_UNSAFE: Final = re.compile(r"[#^\[\]|]|%%")
_RESERVED: Final = re.compile(r'[\\/:*?"<>|]')
_DEVICE: Final = re.compile(
    r"(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³])[ ]*(?:\..*)?", re.IGNORECASE | re.DOTALL
)


def name_problems(name: str, extension: str = ".md") -> tuple[NameProblem, ...]:
    """All that is wrong with a new file's name, given without its extension; empty when it is fine.

    Rules N-01 to N-06. An existing file may well have such a name: it is read, never renamed unasked.

    >>> [str(problem) for problem in name_problems("a|b")]
    ['link-unsafe', 'reserved-char']
    """
    if not name:
        return (NameProblem.EMPTY,)
    checks = {
        NameProblem.LINK_UNSAFE: _LINK_UNSAFE.search(name) is not None,
        NameProblem.RESERVED_CHAR: _RESERVED.search(name) is not None,
        NameProblem.LEADING_DOT: name[0] == ".",
        NameProblem.TRAILING_DOT_OR_BLANK: name[-1] == "." or name[-1].isspace(),
        NameProblem.DEVICE_NAME: _DEVICE.fullmatch(name) is not None,
        NameProblem.TOO_LONG: _size(name + extension) > _LIMIT,
        NameProblem.CONTROL_CHAR: any(map(_is_unseen, name)),
    }
    return tuple(problem for problem, found in checks.items() if found)


def _is_unseen(character: str) -> bool:
    """Whether it controls, is half a character, or shows nothing: such names pass for others. Joiners are letters' and
    emojis' own."""
    if character in "\u200c\u200d":
        return False
    return category(character) in {"Cc", "Cs", "Cf", "Zl", "Zp"}


def said(problems: Iterable[NameProblem]) -> str:
    """The problems in words, for a message: ``it is empty, and …``."""
    return ", and ".join(problem.words for problem in problems)


def free_name(name: str, taken: Iterable[str], extension: str = ".md") -> str:
    """The name itself, or with `` 1``, `` 2``, … so that no taken one equals it without case (N-08).

    ``name`` and what comes back are without extension and in NFC (N-07); ``taken`` are the file names of
    the folder, with theirs. A name too long for its number is cut.
    """
    held = {path_key(other) for other in taken}
    name = normalize("NFC", name)
    if path_key(name + extension) not in held:
        return name
    for number in count(1):
        tail = f" {number}"
        candidate = _cut(name, _LIMIT - _size(tail + extension)) + tail
        if path_key(candidate + extension) not in held:
            return candidate
    raise AssertionError("numbers do not end")


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _cut(name: str, room: int) -> str:
    """As much of the name as fits into ``room`` bytes, without a blank or dot at the cut."""
    if _size(name) <= room:
        return name
    while _size(name) > room:
        name = name[:-1]
    return name.rstrip(" .")
