"""What systemd wants to hear of a service, as datagrams to the socket that it names; nothing without one."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress


def sd_notify(environ: Mapping[str, str], *states: str) -> bool:
    """Tells the service manager of ``states``, such as ``READY=1``; False when there is none, or it does not hear.

    A status that is told as ``STATUS=…`` must hold no line break.
    """
    address = environ.get("NOTIFY_SOCKET", "")
    if not address or address[0] not in "/@" or not hasattr(socket, "AF_UNIX"):
        return False
    if address[0] == "@":  # an abstract name
        address = "\0" + address[1:]
    with (
        suppress(OSError, ValueError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line,
    ):
        line.settimeout(1.0)
        line.connect(address)
        line.sendall("\n".join(states).encode("utf-8", "replace"))
        return True
    return False


def watchdog_s(environ: Mapping[str, str], pid: int) -> float | None:
    """How often the service manager wants a sign of life, in seconds; None when it wants none of this process."""
    try:
        if int(environ.get("WATCHDOG_PID", pid)) != pid:
            return None
        seconds = int(environ["WATCHDOG_USEC"]) / 1e6
    except (KeyError, ValueError):
        return None
    return seconds if seconds > 0 else None
