"""When somebody last used the vault: the time stamp of one tiny file beside the index.

People's commands and agents' calls set it; the daemon, ``status``, ``daemon`` and ``dream`` do not, for they only look. It
costs one call of the system, is not synced to disk, and where it cannot be set nobody is bothered.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

ACTIVITY_NAME: Final = "activity"


def mark_activity(folder: Path) -> None:
    """Says that somebody uses the vault whose index lies in ``folder``; makes no folder, and is silent when it
    cannot."""
    place = folder / ACTIVITY_NAME
    with suppress(OSError):
        try:
            os.utime(place)
        except FileNotFoundError:
            os.close(os.open(place, os.O_WRONLY | os.O_CREAT, 0o600))


def last_activity_ns(folder: Path) -> int:
    """When somebody last used it, by the clock of then, in nanoseconds since 1970; 0 when nobody is known to have."""
    try:
        return os.stat(folder / ACTIVITY_NAME).st_mtime_ns
    except OSError:
        return 0
