"""Versions that were just replaced stay for a minute, where a program that saves late can still be heard.

A program may have looked up a note's name a moment before the note was replaced, and write into the replaced
file a moment after. Its save succeeded, as far as it knows. So the replaced file keeps a name below
``.vaultmem/displaced/``, and ``sweep`` removes it only when nobody has written to it since. What was written there
stays until whoever settles it has kept the bytes, told of them, and says ``forget``.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.files import leases
from vaultmem.files.below import make_below
from vaultmem.files.folder import READ, Folder, read_all
from vaultmem.files.leases import Lease
from vaultmem.files.read import content_hash

_FOLDER: Final = b".vaultmem/displaced"
AGE: Final = 60.0
"""Seconds that a replaced file stays."""


class LateSave(NamedTuple):
    """A save by another program that went into a file we had just replaced."""

    path: str
    """Vault path of the note."""
    data: bytes
    """What was saved."""
    hash: str
    """Of these bytes."""
    replaced: str
    """The hash of the version that it was written over, or the first digits of it."""
    by: str
    """The hash of the version that had replaced that one, or the first digits of it."""
    time_ns: int
    """When that was, in nanoseconds since 1970."""
    place: bytes
    """Where the file lies."""
    batch: bytes
    """Its folder below ``.vaultmem/displaced``."""

    @property
    def id(self) -> str:
        """No other late save has it."""
        return f"{os.path.basename(self.batch).decode()}-{self.hash}"


class Place(NamedTuple):
    """Where a replaced file lay: the vault, the vault path of its note, and the name it has now."""

    root: bytes
    path: str
    folder: Folder
    name: bytes


def set_aside(place: Place, *, found: str, by: str, now_ns: int) -> None:
    """Moves a file whose bytes have the hash ``found`` out of the note's folder; ``by`` are its successor's.

    Where that cannot be (another disk, no room) it is removed, if it holds those bytes and nobody has it open for
    writing: no later save is heard then. If not, it stays under its name. Raises OSError.
    """
    batch = f"{now_ns}-{os.getpid()}-{secrets.token_hex(4)}".encode()
    parts = (*_FOLDER.split(b"/"), batch, *place.path.encode().split(b"/"))
    there = os.path.join(place.root, *parts)
    try:
        make_below(place.root, there)
        with Folder(there) as aside:
            place.folder.rename(place.name, aside, f"{found}-{by}".encode())
    except OSError:
        with suppress(OSError):
            os.removedirs(there)
        _unlink(place.folder, place.name, found)


def sweep(root: Path, *, now_ns: int, age: float = AGE) -> tuple[LateSave, ...]:
    """Removes what was replaced more than ``age`` seconds ago and not written to since; the late saves, which stay.

    A file that is open for writing stays for another time, too.
    """
    base = os.path.join(os.fsencode(root), *_FOLDER.split(b"/"))
    late: list[LateSave] = []
    try:
        batches = sorted(os.listdir(base))
    except OSError:  # none, or not ours to read
        return ()
    for batch in batches:
        made = batch.split(b"-")[0]
        if not made.isdigit() or 0 <= now_ns - int(made) < age * 1e9:
            continue
        top = os.path.join(base, batch)
        for place, _, names in os.walk(top, topdown=False):
            for name in names:
                with suppress(OSError):  # no file, or not ours to read: it stays
                    save = _look(top, int(made), os.path.join(place, name))
                    late += [save] if save else []
            with suppress(OSError):  # not empty: something stays
                os.rmdir(place)
    return tuple(late)


def forget(save: LateSave) -> None:
    """Removes the file of a late save, unless something else was saved into it meanwhile."""
    folder, name = os.path.split(save.place)
    with suppress(OSError):  # it is found again, and known by its id
        with Folder(folder) as place:
            _unlink(place, name, save.hash)
        while len(folder) >= len(save.batch):
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _look(batch: bytes, made_ns: int, place: bytes) -> LateSave | None:
    path, name = os.path.split(place)
    replaced, _, by = name.decode("ascii", "replace").partition("-")
    with Folder(path) as folder:
        data = _unlink(folder, name, replaced)
    if data is None:
        return None
    path = os.path.relpath(path, batch)
    shown = path.replace(os.sep.encode(), b"/").decode("utf-8", "replace")
    return LateSave(shown, data, content_hash(data), replaced, by, made_ns, place, batch)


def _unlink(folder: Folder, name: bytes, expected: str) -> bytes | None:
    """Removes the file if it holds the bytes of the hash ``expected``; else it stays, and these are its bytes. None as
    well for one that another program has open for writing: it stays."""
    descriptor = folder.open(name, READ)
    try:
        if leases.take(descriptor) is Lease.BUSY:
            return None
        data = read_all(descriptor)
        if content_hash(data) != expected:
            return data
        folder.unlink(name)
    finally:
        os.close(descriptor)
    return None
