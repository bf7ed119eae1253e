"""One folder, held open: what is done to its files holds even when the folder itself is moved meanwhile."""

from __future__ import annotations

import errno
import os
import stat
import sys
from types import TracebackType
from typing import Final

from vaultmem.files import renames
from vaultmem.files.durable import sync_folder
from vaultmem.files.renames import NOT_OFFERED, NotOfferedError

_BY_DESCRIPTOR: Final = sys.platform != "win32"
READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
"""Never a link, never waiting for a pipe."""
MAKE: Final = (
    os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_NO_LINKS: Final = NOT_OFFERED | {errno.EPERM, errno.EMLINK}


def read_all(descriptor: int) -> bytes:
    """The bytes of the open file from its beginning."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


class Folder:
    """``with Folder(place) as folder:`` — names are bytes and belong to this folder.

    Opening raises OSError when ``place`` is no folder. A link in the folder's own place is followed.
    """

    def __init__(self, place: bytes) -> None:
        self.place = place
        self._descriptor = -1
        if _BY_DESCRIPTOR:
            self._descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the folder; nothing may be asked of it afterwards."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def path_of(self, name: bytes) -> bytes:
        """The path of the name, right as long as the folder has not been moved."""
        return os.path.join(self.place, name)

    def names(self) -> list[bytes]:
        """What is in the folder, in no order."""
        listed = os.listdir(self._descriptor if _BY_DESCRIPTOR else self.place)
        return [os.fsencode(name) for name in listed]

    def status(self, name: bytes) -> os.stat_result | None:
        """Of the name itself, a link not followed; None when there is no such name."""
        try:
            if _BY_DESCRIPTOR:
                return os.lstat(name, dir_fd=self._descriptor)
            return os.lstat(self.path_of(name))
        except FileNotFoundError:
            return None

    def open(self, name: bytes, flags: int, mode: int = 0o666) -> int:
        """A descriptor, as ``os.open``."""
        if _BY_DESCRIPTOR:
            return os.open(name, flags, mode, dir_fd=self._descriptor)
        return os.open(self.path_of(name), flags, mode)

    def unlink(self, name: bytes) -> None:
        """Removes the name; a name that is gone already is fine."""
        try:
            if _BY_DESCRIPTOR:
                os.unlink(name, dir_fd=self._descriptor)
            else:
                os.unlink(self.path_of(name))
        except FileNotFoundError:
            pass

    def rename(self, name: bytes, to: Folder, new: bytes) -> None:
        """Renames within or between folders, and replaces what is at the new name."""
        if _BY_DESCRIPTOR:
            os.replace(name, new, src_dir_fd=self._descriptor, dst_dir_fd=to._descriptor)
        else:
            os.replace(self.path_of(name), to.path_of(new))

    def rename_new(self, name: bytes, to: Folder, new: bytes) -> None:
        """Renames in one step, unless something is at the new name: then FileExistsError.

        Raises NotOfferedError where the system or the file system has no such step.
        """
        if _BY_DESCRIPTOR:
            renames.rename_new(self._descriptor, name, to._descriptor, new)
        else:
            os.rename(self.path_of(name), to.path_of(new))  # on Windows it never replaces

    def put_new(self, own: bytes, to: Folder, new: bytes) -> None:
        """As ``rename_new`` everywhere, for a name that only this process uses.

        Where there is no such step, by a second link; where there is neither, it looks first, and then a file
        made at that very moment is replaced.
        """
        try:
            self.rename_new(own, to, new)
        except NotOfferedError:
            self._link_over(own, to, new)

    def exchange(self, name: bytes, other: bytes) -> None:
        """Each name leads to the other's file, in one step. Raises NotOfferedError where there is none."""
        renames.exchange(self._descriptor, name, self._descriptor, other)

    def sync(self) -> None:
        """The folder's names are on the disk when this returns."""
        if _BY_DESCRIPTOR:
            sync_folder(self._descriptor)

    def links(self, name: bytes, new: bytes) -> bool:
        """Whether the file could be given a second name here."""
        if not _BY_DESCRIPTOR:
            return False
        try:
            self._link(name, self, new)
        except OSError as error:
            if error.errno in _NO_LINKS:
                return False
            raise
        return True

    def _link_over(self, name: bytes, to: Folder, new: bytes) -> None:
        status = self.status(name)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            try:
                self._link(name, to, new)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
            else:
                self.unlink(name)
                return
        if to.status(new) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
        self.rename(name, to, new)

    def _link(self, name: bytes, to: Folder, new: bytes) -> None:
        os.link(
            name,
            new,
            src_dir_fd=self._descriptor,
            dst_dir_fd=to._descriptor,
            follow_symlinks=False,
        )
