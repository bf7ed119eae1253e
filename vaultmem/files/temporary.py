"""Names of the files that stand in a folder while a note is being written.

``.NAME.vaultmem-PID-RANDOM-OLD-NEW.STATE``: hidden from Obsidian, unique, and telling enough that what a killed
process leaves behind can be told apart: OLD and NEW are the first digits of the hashes before and after.
"""

from __future__ import annotations

import os
import re
import secrets
from enum import StrEnum
from typing import Final, NamedTuple

_LONGEST: Final = 255
_CUT: Final = b"~"
"""Ends a NAME that had to be cut to fit."""
HASH_DIGITS: Final = 16
NO_HASH: Final = "0" * HASH_DIGITS
"""OLD where nothing was before, NEW where the bytes stay."""

_PATTERN: Final = re.compile(
    rb"\.(?P<name>.+)\.vaultmem-(?P<pid>\d{1,10})-(?P<random>[0-9a-f]{8})"
    rb"-(?P<old>[0-9a-f]{16})-(?P<new>[0-9a-f]{16})\.(?P<state>part|swap|away)",
    re.DOTALL,
)


class State(StrEnum):
    """What may be in such a file."""

    PART = "part"
    """New bytes, perhaps not all; nothing was displaced yet."""
    SWAP = "swap"
    """The new bytes before the swap, what was displaced after it."""
    AWAY = "away"
    """A file on its way to another name: the only copy."""


class Temporary(NamedTuple):
    """A name of the form above, taken apart."""

    name: bytes
    """Of the note; its beginning only, when ``cut``."""
    cut: bool
    pid: int
    old: str
    new: str
    state: State

    def owner_lives(self) -> bool:
        """Whether the process that made it may still run: then it is not to be touched."""
        return may_run(self.pid)


def make_name(name: bytes, state: State, *, old: str = NO_HASH, new: str = NO_HASH) -> bytes:
    """A fresh name beside the note's ``name``; ``old`` and ``new`` are whole hashes."""
    tail = (
        f".vaultmem-{os.getpid()}-{secrets.token_hex(4)}"
        f"-{old[:HASH_DIGITS]}-{new[:HASH_DIGITS]}.{state}"
    ).encode()
    room = _LONGEST - len(tail) - 1
    if len(name) > room:
        # Cut between characters, so that the name stays valid text.
        name = name[: room - 1].decode("utf-8", "ignore").encode() + _CUT
    return b"." + name + tail


def with_state(temporary: bytes, state: State) -> bytes:
    """The same name in another state."""
    return temporary[: temporary.rindex(b".") + 1] + state.encode()


def parse_name(name: bytes) -> Temporary | None:
    """What the name tells; None for a name that is none of ours."""
    match = _PATTERN.fullmatch(name)
    if match is None:
        return None
    note = match["name"]
    cut = note.endswith(_CUT) and len(name) >= _LONGEST - 4
    return Temporary(
        note[:-1] if cut else note,
        cut,
        int(match["pid"]),
        match["old"].decode(),
        match["new"].decode(),
        State(match["state"].decode()),
    )


def same_hash(digits: str, whole: str) -> bool:
    """Whether the digits in a name are the beginning of the hash."""
    return digits == whole[:HASH_DIGITS]


def may_run(pid: int) -> bool:
    """Whether another process of that number runs, which may then be the one that is meant."""
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
