"""An exception that nobody foresaw, in words that may be logged: its kind and its place, never what it holds."""

from __future__ import annotations

import os
import traceback

from vaultmem.errors import VaultmemError


def in_short(error: BaseException) -> str:
    """Kind and place of an error; of our own ones and the system's their sentence, which holds no note's text."""
    if isinstance(error, VaultmemError):
        return error.message
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error.strerror or error.errno}"
    places = traceback.extract_tb(error.__traceback__)
    if not places:
        return type(error).__name__
    last = places[-1]
    return f"{type(error).__name__} in {os.path.basename(last.filename)}, line {last.lineno}"
