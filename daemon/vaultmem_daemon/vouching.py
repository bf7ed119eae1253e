"""The other end of ``vaultmem.files.vouch``: a live watcher answers whether the index has every edit."""

from __future__ import annotations

import os
import select
import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final

from vaultmem.files.vouch import ADDRESS_NAME, NOT_UP, PATIENCE_S, UP, question
from vaultmem_daemon.events import COOKIE_PREFIX, COOKIE_SUFFIX

_WAIT_S: Final = PATIENCE_S * 0.8
"""Less than who asks waits: an answer that comes too late costs both."""

_BACKLOG: Final = 16
_HOME_PREFIX: Final = "vaultmem-"
_SOCKET: Final = "watch"


class Vouching:
    """Takes questions on a thread of its own, one after the other.

    For each it makes a cookie, a file in the watched folder of the index. The watcher calls :meth:`settle` when it
    has heard of the cookie and brought in whatever it had heard of before.
    """

    def __init__(self, folder: Path) -> None:
        """``folder`` is that of the index, and is watched."""
        self._folder = folder
        self._home = ""
        self._settled: SimpleQueue[tuple[str, bool]] = SimpleQueue()
        self._count = 0
        self.able = False
        """Whether it is worth asking: file events come, and nothing is known to be missing from the index."""

    def open(self) -> None:
        """Begins to answer. A system without local sockets, or a folder that cannot be written, has no vouching;
        then every search compares the files by itself."""
        if not hasattr(socket, "AF_UNIX"):
            return
        self._remove_leftovers()
        self._home = tempfile.mkdtemp(prefix=_HOME_PREFIX)
        address = os.path.join(self._home, _SOCKET)
        try:
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.bind(address)
            self._listener.listen(_BACKLOG)
            (self._folder / ADDRESS_NAME).write_text(address + "\n", encoding="utf-8")
        except OSError:
            self._listener.close()
            shutil.rmtree(self._home, ignore_errors=True)
            self._home = ""
            return
        self._waker, self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="vouching", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends; who asks from now on is not answered."""
        self.able = False
        if not self._home:
            return
        with suppress(OSError):
            (self._folder / ADDRESS_NAME).unlink()
        self._waker.send(b"!")
        self._thread.join()
        for end in (self._listener, self._waker, self._wake):
            end.close()
        shutil.rmtree(self._home, ignore_errors=True)
        self._home = ""

    def settle(self, cookie: str, up: bool) -> None:
        """Says that everything before the cookie is in the index, or that it cannot be said."""
        self._settled.put((cookie, up))

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener, self._wake], [], [])
            if self._wake in ready:
                return
            with suppress(OSError):
                line, _ = self._listener.accept()
                with line:
                    line.settimeout(PATIENCE_S)
                    asked = line.recv(64)
                    line.sendall(
                        UP if asked == question(self._folder) and self._is_up() else NOT_UP
                    )

    def _is_up(self) -> bool:
        if not self.able:
            return False
        self._count += 1
        cookie = f"{COOKIE_PREFIX}{os.getpid()}-{self._count}{COOKIE_SUFFIX}"
        place = self._folder / cookie
        place.touch(mode=0o600)
        try:
            return self._wait_for(cookie)
        finally:
            with suppress(OSError):
                place.unlink()

    def _wait_for(self, cookie: str) -> bool:
        deadline = monotonic() + _WAIT_S
        while True:
            try:
                name, up = self._settled.get(timeout=max(deadline - monotonic(), 0))
            except Empty:
                return False
            if name == cookie:
                return up

    def _remove_leftovers(self) -> None:
        """Cookies and socket of a killed watcher; who calls this holds the lock, so it is dead."""
        with suppress(OSError):
            for place in self._folder.glob(f"{COOKIE_PREFIX}*{COOKIE_SUFFIX}"):
                place.unlink()
        with suppress(OSError, ValueError):
            socket_place = Path((self._folder / ADDRESS_NAME).read_text("utf-8").strip())
            home = socket_place.parent
            # The file may come from anywhere: only what can be a socket of ours is removed.
            ours = home.parent == Path(tempfile.gettempdir()) and home.name.startswith(_HOME_PREFIX)
            if ours and socket_place.name == _SOCKET and socket_place.is_socket():
                socket_place.unlink()
                home.rmdir()
