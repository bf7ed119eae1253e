"""A folder for what is tried out, gone when it is done with; what a killed process left goes with the next one."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from vaultmem.files.lock import WriterLock, is_held

PREFIX: Final = "vaultmem-dream-"
LOCK: Final = "in-use.lock"
YOUNG_S: Final = 60.0
"""So old a lock file must be before its folder is taken for left over: its owner holds it by then."""


@contextmanager
def aside() -> Iterator[Path]:
    """An empty folder of this process on a local disk. Raises OSError where none can be made."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with WriterLock(folder / LOCK, timeout=0):
            yield folder


def _sweep(place: Path) -> None:
    for lock in place.glob(f"{PREFIX}*/{LOCK}"):
        with suppress(OSError):
            if time.time() - lock.stat().st_mtime > YOUNG_S and not is_held(lock):
                shutil.rmtree(lock.parent, ignore_errors=True)
