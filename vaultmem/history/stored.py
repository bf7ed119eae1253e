"""The bytes of a version by its hash: from the object store, or from the file that still holds it."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Final

from vaultmem.files.objects import ObjectDamagedError, ObjectMissingError, ObjectStore
from vaultmem.files.read import NoteRead, UnreadableFile, read_note_bytes

_CACHED: Final = 32
_CACHED_BYTES: Final = 1 << 24
"""Bigger versions are not kept in memory."""


class Stored:
    """The versions of one vault that can be had."""

    def __init__(self, root: Path) -> None:
        self.objects = ObjectStore(root)
        self._root = root
        self._cache: OrderedDict[str, bytes] = OrderedDict()

    def version(self, digest: str | None) -> bytes | None:
        """The bytes from the object store; None when they are not there, or damaged, or the hash is None."""
        if digest is None:
            return None
        try:
            return self.sound(digest)
        except (ObjectMissingError, ObjectDamagedError):
            return None

    def sound(self, digest: str) -> bytes:
        """As ``version``. Raises ObjectMissingError, ObjectDamagedError."""
        if digest in self._cache:
            self._cache.move_to_end(digest)
            return self._cache[digest]
        data = self.objects.get(digest)
        if len(data) * _CACHED <= _CACHED_BYTES:
            self._cache[digest] = data
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return data

    def on_disk(self, path: str) -> NoteRead | None:
        """The file as it is now; None when there is none or it cannot be read."""
        try:
            return read_note_bytes(self._root, path)
        except UnreadableFile:
            return None

    def had(self, digest: str | None, path: str) -> bytes | None:
        """The bytes of that hash, from the object store or from the file at the path."""
        data = self.version(digest)
        if data is None and digest is not None:
            read = self.on_disk(path)
            data = read.data if read is not None and read.hash == digest else None
        return data
