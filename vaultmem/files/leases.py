"""Whether another program has a file open for writing, or tries to: Linux tells, through leases.

A read lease is granted only when nobody has the file open for writing, a shared memory map counted. While it
is held, an open for writing waits in the kernel and shows in ``is_quiet``; nothing is lost for the program that
waits. Held for a few milliseconds, it is not noticed. Readers never wait.
"""

from __future__ import annotations

import errno
import signal
import sys
from enum import Enum

if sys.platform == "linux":
    import fcntl


class Lease(Enum):
    """The answer to asking for a lease."""

    GRANTED = "granted"
    BUSY = "busy"
    """Somebody has the file open for writing."""
    NOT_OFFERED = "not offered"
    """Another system, file system or owner: nothing is known."""


if sys.platform == "linux":

    def take(descriptor: int) -> Lease:
        """Asks for a lease on a file that is open for reading only."""
        try:
            # The signal that tells of a waiting program would end this one; this one is ignored by default.
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            return Lease.BUSY if error.errno == errno.EAGAIN else Lease.NOT_OFFERED
        return Lease.GRANTED

    def is_quiet(descriptor: int) -> bool:
        """Whether nobody has tried to open the file for writing since the lease was granted."""
        return fcntl.fcntl(descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK

    def give_back(descriptor: int) -> None:
        """Ends the lease; who waits goes on."""
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)

else:

    def take(descriptor: int) -> Lease:
        """Asks for a lease on a file that is open for reading only."""
        del descriptor
        return Lease.NOT_OFFERED

    def is_quiet(descriptor: int) -> bool:
        """Whether nobody has tried to open the file for writing since the lease was granted."""
        del descriptor
        return True

    def give_back(descriptor: int) -> None:
        """Ends the lease; who waits goes on."""
        del descriptor
