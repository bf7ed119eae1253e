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


def set_aside(root: bytes, path: str, folder: Folder, name: bytes, found: str, now_ns: int) -> None:
    """Moves the replaced file ``name``, whose bytes have the hash ``found``, out of the note's folder.

    Where that cannot be (another disk, no room) it is removed.
    """
    batch = f"{now_ns}-{os.getpid()}-{secrets.token_hex(4)}".encode()
    place = os.path.join(root, *_FOLDER.split(b"/"), batch, *path.encode().split(b"/"))
    try:
        os.makedirs(place, 0o700)
        with Folder(place) as aside:
            folder.rename(name, aside, found.encode())
    except OSError:
        with suppress(OSError):
            os.removedirs(place)
        folder.unlink(name)


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
    replaced = name.decode("ascii", "replace")
    with Folder(place) as folder:
        descriptor = folder.open(name, READ)
        try:
            if leases.take(descriptor) is Lease.BUSY:
                return None
            data = read_all(descriptor)
            save = None
            if content_hash(data) != replaced:
                shown = path.replace(os.sep.encode(), b"/").decode("utf-8", "replace")
                save = LateSave(shown, ObjectStore(root).put(data), replaced)
            folder.unlink(name)
        finally:
            os.close(descriptor)
    return save
