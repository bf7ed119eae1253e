"""Versions that were just replaced stay for a minute, where a program that saves late can still be heard.

A program may have looked up a note's name a moment before the note was replaced, and write into the replaced
file a moment after. Its save succeeded, as far as it knows. So the replaced file keeps a name below
``.vaultmem/displaced/``, and ``sweep`` removes it only when nobody has written to it since.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.files import leases
from vaultmem.files.folder import READ, Folder, read_all
from vaultmem.files.leases import Lease
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash

_FOLDER: Final = b".vaultmem/displaced"
AGE: Final = 60.0
"""Seconds that a replaced file stays."""


class LateSave(NamedTuple):
    """A save by another program that went into a file we had just replaced."""

    path: str
    """Vault path of the note."""
    hash: str
    """Of the saved bytes, which are in the object store."""
    replaced: str
    """The hash of the version that it was written over."""
    by: str
    """The hash of the version that had replaced that one."""


class Place(NamedTuple):
    """Where a replaced file lay: the vault, the vault path of its note, and the name it has now."""

    root: bytes
    path: str
    folder: Folder
    name: bytes


def set_aside(place: Place, *, found: str, by: str, now_ns: int) -> None:
    """Moves a file whose bytes have the hash ``found`` out of the note's folder; ``by`` are its successor's.

    Where that cannot be (another disk, no room) it is removed.
    """
    batch = f"{now_ns}-{os.getpid()}-{secrets.token_hex(4)}".encode()
    parts = (*_FOLDER.split(b"/"), batch, *place.path.encode().split(b"/"))
    there = os.path.join(place.root, *parts)
    try:
        os.makedirs(there, 0o700)
        with Folder(there) as aside:
            place.folder.rename(place.name, aside, f"{found}-{by}".encode())
    except OSError:
        with suppress(OSError):
            os.removedirs(there)
        place.folder.unlink(place.name)


def sweep(root: Path, *, now_ns: int, age: float = AGE) -> tuple[LateSave, ...]:
    """Removes what was replaced more than ``age`` seconds ago; the late saves that were found there.

    Their bytes are put into the object store first. A file that is open for writing stays for another time.
    """
    base = os.path.join(os.fsencode(root), *_FOLDER.split(b"/"))
    late: list[LateSave] = []
    try:
        batches = sorted(os.listdir(base))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    for batch in batches:
        made = batch.split(b"-")[0]
        if made.isdigit() and 0 <= now_ns - int(made) < age * 1e9:
            continue
        top = os.path.join(base, batch)
        for place, _, names in os.walk(top, topdown=False):
            for name in names:
                with suppress(OSError):  # no file, or not ours to read: it stays
                    save = _settle(root, os.path.relpath(place, top), place, name)
                    late += [save] if save else []
            with suppress(OSError):  # not empty: something stays
                os.rmdir(place)
    return tuple(late)


def _settle(root: Path, path: bytes, place: bytes, name: bytes) -> LateSave | None:
    replaced, _, by = name.decode("ascii", "replace").partition("-")
    with Folder(place) as folder:
        descriptor = folder.open(name, READ)
        try:
            if leases.take(descriptor) is Lease.BUSY:
                return None
            data = read_all(descriptor)
            save = None
            if content_hash(data) != replaced:
                shown = path.replace(os.sep.encode(), b"/").decode("utf-8", "replace")
                save = LateSave(shown, ObjectStore(root).put(data), replaced, by)
            folder.unlink(name)
        finally:
            os.close(descriptor)
    return save
