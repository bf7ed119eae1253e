"""Asking the program that watches a vault whether its index has every edit made until now.

The watcher leaves the address of a local socket in the index's folder. Being asked, it makes a file of its own in the
vault, and answers when the system has reported that to it: events come in order, so by then it has heard of all that
happened before, and has brought it into the index. No clock is trusted, and nothing is written while nobody asks.
Whatever does not answer in time vouches for nothing, and the files are compared as usual.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

WATCHED: Final = "watched"
"""The note of an answer that a live watcher vouches for."""

WATCH_LOCK: Final = "watch.lock"
"""Held by the program that watches, in the folder of the index."""

ADDRESS_NAME: Final = "watch-address.lock"
"""Names the socket, in the folder of the index. Like all that a watcher puts there it ends as the locks do, which
are left out of Git already."""

PATIENCE_S: Final = 0.3
"""How long an answer is waited for: about as long as comparing the files of a large vault takes."""

UP: Final = b"up\n"
NOT_UP: Final = b"no\n"


def question(folder: Path) -> bytes:
    """The words that ask about the index in ``folder``: no other has them, under whatever name it is reached.
    Raises OSError."""
    status = os.stat(folder)
    return f"{status.st_dev} {status.st_ino}\n".encode()


def is_vouched_for(folder: Path) -> bool:
    """Whether a live watcher says that the index in ``folder`` has every edit that was made before this call."""
    try:
        address = (folder / ADDRESS_NAME).read_text("utf-8").strip()
    except (OSError, UnicodeError):
        return False
    import socket

    if not address or not hasattr(socket, "AF_UNIX"):
        return False
    try:
        if os.lstat(address).st_uid != os.geteuid():
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(PATIENCE_S)
            line.connect(address)
            line.sendall(question(folder))
            return line.recv(16) == UP
    except (OSError, ValueError):  # nobody is there, or no socket can have that name
        return False
