"""What the vault's file system offers for writing without loss, found out by doing it in ``.vaultmem``."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from vaultmem.files.folder import Folder
from vaultmem.files.renames import NotOfferedError


class SwapSupport(StrEnum):
    """How a note can be replaced."""

    EXCHANGE = "exchange"
    """Two names change places in one step: nothing of a rival save is lost at any moment."""
    GUARD = "guard"
    """No such step; a new name is only taken when it is free, so a rival's save is seen and kept, but the note has
    no name for an instant."""
    NONE = "none"
    """Neither: a save made in the instant between looking and renaming can be lost."""
    UNKNOWN = "unknown"
    """It could not be tried."""


def swap_support(root: Path) -> SwapSupport:
    """How notes of the vault can be replaced, tried with two files of our own that are gone afterwards. Never raises
    for what the disk does not take."""
    state = root / ".vaultmem"
    names = [f".try-{secrets.token_hex(6)}".encode() for _ in range(2)]
    if not state.is_dir():
        return SwapSupport.UNKNOWN
    try:
        for name in names:
            (state / os.fsdecode(name)).touch(0o600, exist_ok=False)
        with Folder(os.fsencode(state)) as folder:
            return _tried(folder, *names)
    except OSError:
        return SwapSupport.UNKNOWN
    finally:
        for name in names:
            with suppress(OSError):
                (state / os.fsdecode(name)).unlink()


def _tried(folder: Folder, one: bytes, other: bytes) -> SwapSupport:
    with suppress(NotOfferedError):
        folder.exchange(one, other)
        return SwapSupport.EXCHANGE
    try:
        folder.rename_new(one, folder, other)
    except FileExistsError:
        return SwapSupport.GUARD
    except NotOfferedError:
        folder.unlink(other)
        return SwapSupport.GUARD if folder.links(one, other) else SwapSupport.NONE
    return SwapSupport.NONE
