"""The moment at which a step is to be killed or held, as cases describe it in words.

A trigger looks at the disk, or at what is about to be executed, and at nothing in the product's code: it works for
whatever way the product writes. It runs in a process of its own, which ends or stops there.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import apsw

Act = Callable[[], None]
Trigger = Callable[[Act, Path, Path], None]
"""Arms a trigger: calls the first argument at its moment. The others are the vault and the note of the step."""


def kill_self() -> None:
    """Ends this process at once, as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def hold_self() -> None:
    """Stops this process until someone sends it SIGCONT."""
    os.kill(os.getpid(), signal.SIGSTOP)


def trigger_for(words: str) -> Trigger | None:
    """The trigger that the words mean; None when they mean none that is known."""
    for pattern, trigger in TRIGGERS:
        if re.search(pattern, words, re.IGNORECASE):
            return trigger
    return None


def _between_vector_and_bookkeeping(act: Act, root: Path, note: Path) -> None:
    """When a vector has been inserted and the next other statement is about to be executed."""
    stored = False

    def traced(cursor: apsw.Cursor, statement: str, bindings: apsw.Bindings | None) -> bool:
        nonlocal stored
        is_vector = re.match(r"\s*INSERT INTO notes_vec_\d+", statement) is not None
        if stored and not is_vector:
            act()
        stored = stored or is_vector
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = traced

    apsw.connection_hooks.append(hook)


def _half_written(act: Act, root: Path, note: Path) -> None:
    """When another file with content has appeared beside the note, which is still the old one."""
    before = _state(note)
    there = set(os.listdir(note.parent))

    def is_now() -> bool:
        if _state(note) != before:
            return False
        return any((note.parent / name).stat().st_size for name in _new_names(note, there))

    _watch(act, is_now)


def _replaced(act: Act, root: Path, note: Path) -> None:
    """When the note is the new one."""
    before = _state(note)
    _watch(act, lambda: _state(note) != before)


def _before_any_write(act: Act, root: Path, note: Path) -> None:
    """When a file of the vault is about to be opened for writing, or moved; our own folder does not count."""
    inside = os.fsencode(root) + b"/"
    own = inside + b".vaultmem/"
    done = False

    def audit(event: str, words: tuple[Any, ...]) -> None:
        nonlocal done
        if done or event not in ("open", "os.rename", "os.link", "os.remove", "os.truncate"):
            return
        if event == "open" and not words[2] & (os.O_WRONLY | os.O_RDWR):
            return
        place = os.fsencode(words[0]) if isinstance(words[0], str | bytes | os.PathLike) else b""
        # A name alone is one in a folder that is open already; those of our own folder are written by whole paths.
        relative = bool(place) and not place.startswith(b"/")
        if relative or (place.startswith(inside) and not place.startswith(own)):
            done = True
            act()

    sys.addaudithook(audit)


def _state(note: Path) -> tuple[int, bytes] | None:
    try:
        return note.stat().st_ino, note.read_bytes()
    except OSError:
        return None


def _new_names(note: Path, there: set[str]) -> list[str]:
    return [n for n in os.listdir(note.parent) if n not in there and (note.parent / n).is_file()]


def _watch(act: Act, is_now: Callable[[], bool]) -> None:
    """Acts as soon as it is so, looking at every call and return of this thread."""
    busy = False

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal busy
        if not busy:
            busy = True  # looking makes calls of its own
            if is_now():
                act()
            busy = False

    sys.setprofile(profile)


TRIGGERS: Final[tuple[tuple[str, Trigger], ...]] = (
    (r"vector was stored", _between_vector_and_bookkeeping),
    (r"half written", _half_written),
    (r"after the (?:note|file) was replaced", _replaced),
    (r"before anything is written", _before_any_write),
)
