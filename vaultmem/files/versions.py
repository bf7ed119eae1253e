"""One version of a note under a name of its own, looked at and held open, so that a later change to it shows."""

from __future__ import annotations

import os
import stat

from vaultmem.files import leases
from vaultmem.files.folder import READ, Folder, read_all
from vaultmem.files.leases import Lease
from vaultmem.files.read import content_hash


class Version:
    """What was found under a name: ``Version(folder, name)``, to be closed.

    Raises FileNotFoundError when nothing is there. What is no regular file has the hash ``None``.
    """

    def __init__(self, folder: Folder, name: bytes, *, leased: bool) -> None:
        status = folder.status(name)
        if status is None:
            raise FileNotFoundError(name)
        self._descriptor = -1
        self.lease = Lease.NOT_OFFERED
        self.inode = (status.st_dev, status.st_ino)
        self.hash: str | None = None
        if not stat.S_ISREG(status.st_mode):
            return
        self._descriptor = folder.open(name, READ)
        try:
            if leased:
                self.lease = leases.take(self._descriptor)
            opened = os.fstat(self._descriptor)
            self.inode = (opened.st_dev, opened.st_ino)
            self.hash = content_hash(read_all(self._descriptor))
        except BaseException:
            self.close()
            raise

    def is_at(self, folder: Folder, name: bytes) -> bool:
        """Whether this very file is under the name now."""
        status = folder.status(name)
        return status is not None and self.inode == (status.st_dev, status.st_ino)

    def is_untouched(self) -> bool:
        """Whether nobody has written to the file since, nor waits to."""
        if self._descriptor < 0:
            return True
        if self.lease is Lease.GRANTED:
            return leases.is_quiet(self._descriptor)
        return content_hash(read_all(self._descriptor)) == self.hash

    def status(self) -> os.stat_result:
        """The file's status now. Only for a regular file."""
        return os.fstat(self._descriptor)

    def data(self) -> bytes:
        """The file's bytes now; none for what is no regular file."""
        return read_all(self._descriptor) if self._descriptor >= 0 else b""

    def close(self) -> None:
        """Lets go of the file; a program that waits to write goes on."""
        if self._descriptor < 0:
            return
        if self.lease is Lease.GRANTED:
            leases.give_back(self._descriptor)
        os.close(self._descriptor)
        self._descriptor = -1
