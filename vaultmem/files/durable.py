"""Making sure that bytes and names outlive a power cut."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

_MANY: Final = 8
"""From so many files on, asking the whole file system once is cheaper than asking for each."""

_OPEN: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def sync_file(descriptor: int) -> None:
    """The file's bytes are on the disk when this returns. Raises OSError, then they may not be."""
    if sys.platform == "darwin":
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass  # some file systems know only the plain call
    os.fsync(descriptor)


def sync_folder(folder: str | bytes | Path | int) -> None:
    """The names in the folder are on the disk when this returns; without effect where folders cannot be asked."""
    if sys.platform == "win32":
        return
    if isinstance(folder, int):
        os.fsync(folder)
        return
    descriptor = os.open(folder, _OPEN | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_paths(paths: Iterable[bytes]) -> None:
    """As ``sync_file`` for each of the files, which must lie on one file system."""
    every = list(paths)
    if len(every) >= _MANY and sync_file_system(os.path.dirname(every[0])):
        return
    for path in every:
        _sync_path(path)


def sync_folders(folders: Iterable[bytes]) -> None:
    """As ``sync_folder`` for each of the folders, which must lie on one file system."""
    every = list(folders)
    if len(every) >= _MANY and sync_file_system(every[0]):
        return
    for folder in every:
        sync_folder(folder)


def sync_file_system(folder: bytes) -> bool:
    """Whether all that was written to the folder's file system is on the disk; False: it cannot be asked."""
    function = _syncfs()
    if function is None:
        return False
    descriptor = os.open(folder, _OPEN | os.O_DIRECTORY)
    try:
        return function(descriptor) == 0
    finally:
        os.close(descriptor)


def write_whole(descriptor: int, data: bytes) -> None:
    """Writes all the bytes; raises OSError when the disk takes only a part."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_path(path: bytes) -> None:
    # Windows syncs only what is open for writing.
    writing = os.O_RDWR if sys.platform == "win32" else os.O_RDONLY
    descriptor = os.open(path, _OPEN | writing)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


@lru_cache(maxsize=1)
def _syncfs() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    return None if function is None else lambda descriptor: int(function(descriptor))
