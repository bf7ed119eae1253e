"""The writer's lock: one process at a time, and in it one thread, changes a vault's index, or its notes.

The operating system holds the lock and frees it when the process ends, however it ends. The file's text
only says who holds it; it is no part of the lock, and a left-over one means nothing.

Who has to wait draws a ticket: a file in the folder ``NAME.queue``, named by the time and locked while its owner waits.
The oldest ticket whose owner lives is served first, and nobody who comes later tries before it, so that all get
their turn in the order in which they came. A dead owner's ticket is free, counts for nothing, and is removed by the
next who sees it. The folder goes when nobody waits.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from vaultmem.errors import (
    FailedError,
    IndexReadOnlyError,
    LockedError,
    VaultmemError,
    VaultVanishedError,
)
from vaultmem.files.below import make_below
from vaultmem.files.temporary import may_run

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE: Final = 0.02
"""Seconds between two tries of one who waits in the queue."""
_FIRST_PAUSE: Final = 0.002
"""The same for the first in the queue: what a hand-over costs."""
_LOOK_S: Final = 0.2
_LOOKS: Final = 4
"""Who waits looks so often whether the lock lies idle; so many times in a row, and the first in the queue is asleep."""
_GLANCE_S: Final = 0.1
"""Whoever looks at the lock holds it for an instant: so long it is tried again before it counts as taken."""
_QUEUE: Final = ".queue"
_LOCKED_BYTE: Final = 1 << 30
"""Windows locks bytes, and others cannot read those: one far behind the text is taken."""
_FORBIDDEN: Final = {errno.EACCES, errno.EPERM, errno.EROFS}
_IN_USE: Final = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


class Guarded(NamedTuple):
    """What a lock guards, as its messages say it."""

    busy: str
    """What its holder is doing; goes on with "by …"."""
    hint: str
    """What to do where the lock file cannot be made."""
    disk: str
    """What to do on a disk that has no locks."""
    unwritable: type[FailedError]
    """Raised where the lock file cannot be made."""
    read_only: type[VaultmemError] | None = None
    """Raised instead where it may not be made."""


INDEX: Final = Guarded(
    "The index is being written",
    "Searching still works; to update the index, make its folder writable.",
    "Keep the index on a local disk.",
    IndexReadOnlyError,
)


class Holder(NamedTuple):
    """Who wrote their name into a lock file."""

    pid: int
    program: str

    def __str__(self) -> str:
        return f"{self.program} (process {self.pid})"


def read_holder(path: Path) -> Holder | None:
    """Who holds the lock or held it when they died; None when the file does not say."""
    try:
        pid, program = path.read_text("utf-8").split("\n")[:2]
        return Holder(int(pid), program)
    except (OSError, ValueError):
        return None


def is_held(path: Path) -> bool:
    """Whether a living process has that lock now; False where it cannot be looked at."""
    return _is_held(path, remove=False)


class WriterLock:
    """``with WriterLock(path):`` — inside, no other process or thread that does the same is inside.

    ``timeout`` is in seconds; 0 waits for nobody who has it. Taking it raises LockedError, which names the holder,
    when the time is up, an error of ``guarded`` when the lock file cannot be made, and FailedError on a disk that
    has no locks. It cannot be taken twice. ``below`` names the vault in whose folder the lock lies: where that is gone,
    VaultVanishedError is raised, and nothing is put in its place.
    """

    def __init__(
        self,
        path: Path,
        *,
        timeout: float = 10.0,
        program: str = "",
        guarded: Guarded = INDEX,
        below: Path | None = None,
    ) -> None:
        self._path = path
        self._guarded = guarded
        self._below = below
        self._timeout = timeout
        self._program = program or Path(sys.argv[0]).name or "python"
        self._threads = threading.Lock()
        self._descriptor = -1

    def __enter__(self) -> WriterLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor >= 0

    def acquire(self, timeout: float | None = None) -> None:
        """Takes the lock, waiting for up to ``timeout`` seconds, or for the lock's own timeout."""
        patience = max(self._timeout if timeout is None else timeout, 0)
        deadline = time.monotonic() + patience
        glance = deadline + _GLANCE_S
        if not self._threads.acquire(timeout=patience):
            raise self._locked(patience)
        ticket: _Ticket | None = None
        idle = _Idle(self._path)
        try:
            while True:
                first = not _waits_before(self._queue, ticket)
                if (first or idle.for_long()) and self._try():
                    return
                now = time.monotonic()
                if now >= deadline and not (first and now < glance and self._only_looked_at()):
                    raise self._locked(patience)
                ticket = ticket or _draw(self._queue)
                time.sleep(_FIRST_PAUSE if first else _PAUSE)
        except BaseException:
            self._threads.release()
            raise
        finally:
            if ticket is not None:
                ticket.give_back()

    def release(self) -> None:
        """Gives the lock back; the file stays, empty."""
        if not self.held:
            raise RuntimeError("the lock is not held")
        descriptor, self._descriptor = self._descriptor, -1
        try:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            _unlock(descriptor)
        finally:
            os.close(descriptor)
            self._threads.release()

    @property
    def _queue(self) -> Path:
        return self._path.with_name(self._path.name + _QUEUE)

    def _try(self) -> bool:
        descriptor = self._open()
        try:
            if _lock(descriptor) and self._is_current(descriptor):
                self._sign(descriptor)
                self._descriptor, descriptor = descriptor, -1
                return True
            return False
        except OSError as error:
            raise FailedError(
                f"The lock file {self._path} cannot be locked: {error.strerror}.",
                hint=self._guarded.disk,
            ) from error
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _open(self) -> int:
        try:
            if self._below is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            else:
                make_below(self._below, self._path.parent, 0o777)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        except OSError as error:
            if self._below is not None and not self._below.is_dir():
                raise VaultVanishedError(
                    f"The vault {self._below} is gone.",
                    hint="Is its disk mounted? Nothing was changed.",
                ) from error
            found = f"{self._path} cannot be opened for writing: {error.strerror}."
            if self._guarded.read_only is not None and error.errno in _FORBIDDEN:
                raise self._guarded.read_only(
                    f"The vault is read-only: {found}", hint=self._guarded.hint
                ) from error
            raise self._guarded.unwritable(
                f"The lock file {found}", hint=self._guarded.hint
            ) from error

    def _is_current(self, descriptor: int) -> bool:
        """Whether the locked file is the one at the path: it may have been deleted between open and lock."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _only_looked_at(self) -> bool:
        """Whether nobody who lives has signed the file: then it is locked for a look, or was taken this instant."""
        holder = read_holder(self._path)
        return holder is None or not (holder.pid == os.getpid() or may_run(holder.pid))

    def _sign(self, descriptor: int) -> None:
        # A full disk may refuse the name; the lock is held all the same.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"{os.getpid()}\n{self._program}\n".encode())

    def _locked(self, patience: float) -> LockedError:
        holder = read_holder(self._path)
        return LockedError(
            f"{self._guarded.busy} by {holder or 'another process'}, and that did not end within "
            f"{patience:g} s ({self._path}).",
            hint="Try again when it is done.",
        )


class _Idle:
    """Whether nobody takes the lock though one is first in the queue: a stopped process must not stop all others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._look_at = time.monotonic() + _LOOK_S
        self._seen = 0

    def for_long(self) -> bool:
        """Whether the lock was free each time that it was looked at; looks when it is time to."""
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + _LOOK_S
            held = _is_held(self._path, remove=False)
            self._seen = 0 if held else self._seen + 1
        return self._seen >= _LOOKS


class _Ticket(NamedTuple):
    """A place in the queue: a file that its owner holds locked."""

    path: Path
    descriptor: int

    def give_back(self) -> None:
        """Leaves the queue."""
        with suppress(OSError):
            self.path.unlink()
        os.close(self.descriptor)
        with suppress(OSError):  # others wait
            self.path.parent.rmdir()


def _draw(queue: Path) -> _Ticket | None:
    """The last place in the queue; None where no file can be made: then one waits without a place."""
    # The clock is the machine's, and the same for all its processes.
    path = queue / f"{time.monotonic_ns():020}-{os.getpid()}-{os.urandom(3).hex()}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    for _ in range(3):
        try:
            queue.mkdir(exist_ok=True)
            descriptor = os.open(path, flags, 0o644)
        except FileNotFoundError:  # the last one to leave took the folder along
            continue
        except OSError:
            return None
        ticket = _Ticket(path, descriptor)
        try:
            if _lock(descriptor) and path.exists():
                return ticket
        except OSError:
            pass
        ticket.give_back()  # taken for a dead one's in the instant before it was locked
    return None


def _waits_before(queue: Path, ticket: _Ticket | None) -> bool:
    """Whether a living process is in the queue before the ticket, or at all; dead ones' tickets are removed."""
    try:
        names = sorted(os.listdir(queue))
    except OSError:
        return False
    for name in names:
        if ticket is not None and name >= ticket.path.name:
            return False
        if _is_held(queue / name):
            return True
    return False


def _is_held(path: Path, *, remove: bool = True) -> bool:
    """Whether a living process holds the file locked; one that nobody holds is removed."""
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        if not _lock(descriptor):
            return True
        if remove:
            with suppress(OSError):
                path.unlink()
            with suppress(OSError):
                path.parent.rmdir()
        return False
    except OSError:
        return False
    finally:
        os.close(descriptor)


if sys.platform == "win32":

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in _IN_USE:
                return False
            raise
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _IN_USE:
                return False
            raise
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
