"""Reading one file of the vault, whole and settled, and never anything but a regular file."""

from __future__ import annotations

import os
import stat
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.errors import FailedError
from vaultmem.files.offload import is_offloaded
from vaultmem.files.scan import FileStat
from vaultmem.notes.paths import file_kind


class UnreadableFile(FailedError):  # noqa: N818 - a state of a file, stored as such, more than an error
    """A file's bytes could not be had; ``missing`` tells that nothing is at its path."""

    def __init__(self, message: str, *, missing: bool = False, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.missing = missing


class NoteRead(NamedTuple):
    """A file's bytes as they all stood on the disk at one moment.

    An editor that saves in place may have been halfway through: a fresh ``mtime_ns`` means read it again soon.
    """

    data: bytes
    hash: str
    """``content_hash`` of the bytes."""
    stat: FileStat
    """From before and after the reading, which agree."""
    read_ns: int
    """The clock when the reading began: a ``mtime_ns`` that is not clearly older proves nothing."""


def content_hash(data: bytes) -> str:
    """The hash by which contents are compared: BLAKE2b, 16 bytes, as 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


def decode(data: bytes) -> str | None:
    """The text of the bytes, a byte order mark kept; None when they are no UTF-8, whatever the locale (G-06)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def is_zero_filled(data: bytes) -> bool:
    """Whether there is nothing but zero bytes: what a crashed save leaves behind."""
    return bool(data) and not data.strip(b"\0")


def disk_path(root: str | os.PathLike[str], path: str) -> bytes:
    """How to open a vault path, whatever encoding the locale made Python assume for names."""
    return os.path.join(os.fsencode(root), *path.encode().split(b"/"))


_ATTEMPTS: Final = 4
_OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


def read_note_bytes(root: Path, path: str, *, attempts: int = _ATTEMPTS) -> NoteRead:
    """The bytes, hash and stat data of the file at the vault path.

    The file is looked at before and after; when it changed meanwhile it is read again, ``attempts`` times
    in all. A pipe or device is never opened, an offloaded file never fetched, a symbolic link in the file's
    place never followed. A folder on the way may be a link: the scan decides which belong to the vault.

    Raises UnreadableFile: nothing there (``missing``), no regular file, offloaded, not permitted, or still
    changing after the last attempt.
    """
    read_ns = time.time_ns()
    if not _is_vault_path(path):
        raise UnreadableFile(f"There is no file {path!r}: it is no vault path.", missing=True)
    status, data = read_settled(disk_path(root, path), path, attempts)
    times = (status.st_mtime_ns, status.st_ctime_ns)
    seen = FileStat(path, file_kind(path), status.st_size, *times, status.st_ino)
    return NoteRead(data, content_hash(data), seen, read_ns)


def can_be_opened(root: Path, path: str) -> bool:
    """Whether reading the file at the vault path would get as far as its bytes; none are read, none fetched."""
    place = disk_path(root, path)
    try:
        _regular_status(place, path)
        os.close(os.open(place, _OPEN_FLAGS))
    except (OSError, UnreadableFile):
        return False
    return True


def _is_vault_path(path: str) -> bool:
    if "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
        return False
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_settled(
    place: bytes, shown: str, attempts: int = _ATTEMPTS
) -> tuple[os.stat_result, bytes]:
    """Status and bytes of the regular file at ``place``, which messages call ``shown``.

    Raises UnreadableFile.
    """
    try:
        for _ in range(attempts):
            before = _regular_status(place, shown)
            data = _read_once(place, before)
            if data is not None and _stamp(os.lstat(place)) == _stamp(before):
                return before, data
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreadableFile(f"There is no file {shown}.", missing=True) from error
    except OSError as error:
        raise UnreadableFile(f"{shown} cannot be read: {error.strerror}.") from error
    raise UnreadableFile(
        f"{shown} changed each time it was read.", hint="It is read again with the next sync."
    )


def _regular_status(place: bytes, shown: str) -> os.stat_result:
    status = os.lstat(place)
    if stat.S_ISLNK(status.st_mode):
        raise UnreadableFile(f"{shown} is a symbolic link, which is not followed.")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile(f"{shown} is no regular file.")
    if is_offloaded(place, status):
        raise UnreadableFile(
            f"{shown} is in the cloud and not on this machine.", hint="Open it once to fetch it."
        )
    return status


def _read_once(place: bytes, before: os.stat_result) -> bytes | None:
    """The bytes of the file that ``before`` describes; None when another stands there or it grew or shrank."""
    descriptor = os.open(place, _OPEN_FLAGS)
    try:
        if _stamp(os.fstat(descriptor)) != _stamp(before):
            return None
        # One byte more than there should be: it shows that the file grew.
        parts = [os.read(descriptor, before.st_size + 1)]
        while parts[-1] and sum(map(len, parts)) <= before.st_size:
            parts.append(os.read(descriptor, before.st_size + 1))
    finally:
        os.close(descriptor)
    data = b"".join(parts)
    return data if len(data) == before.st_size else None


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (stat.S_IFMT(status.st_mode), status.st_dev, status.st_ino, status.st_size, *times)
