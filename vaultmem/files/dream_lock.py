"""One dream at a time: two daemons, or a daemon and a person, do not tend a vault at once."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vaultmem.errors import FailedError
from vaultmem.files.lock import Guarded, WriterLock

DREAM_LOCK: Final = ".vaultmem/dream.lock"

_DREAM: Final = Guarded(
    "A dream is running",
    "To tend the vault, make its folder .vaultmem writable.",
    "Keep the vault on a local disk.",
    FailedError,
)


def dream_lock(root: Path) -> WriterLock:
    """The lock of whoever runs a cycle, who waits for nobody: raises LockedError, which names the other one, FailedError
    where the folder cannot be written, VaultVanishedError."""
    return WriterLock(root / DREAM_LOCK, timeout=0, guarded=_DREAM, below=root)
