"""Waiting while another program is saving a file, and trying again; not for ever."""

from __future__ import annotations

import time
from typing import Final

from vaultmem.files.refusals import RefusalCode, WriteRefused

PATIENCE_S: Final = 10.0
"""How long a file that another program is saving is waited for."""

ATTEMPTS: Final = 8
"""How often a change is made because the file changed between reading and writing."""

_PAUSE_S: Final = 0.05
_PASSING: Final = frozenset((RefusalCode.BUSY, RefusalCode.TOO_FRESH))
"""Refusals that pass when the other program is done."""


class Patience:
    """Decides after each refusal whether a change is planned and tried again."""

    def __init__(self, *, attempts: int = ATTEMPTS) -> None:
        self._until = time.monotonic() + PATIENCE_S
        self._attempts = attempts

    def wait(self, refusal: WriteRefused) -> None:
        """Returns when it is to be tried again: at once after a conflict, in a moment while a save is under way.
        Raises the refusal when it is of another kind, or patience is at an end."""
        if refusal.code is RefusalCode.CONFLICT:
            self._attempts -= 1
            if self._attempts > 0:
                return
        elif refusal.code in _PASSING and time.monotonic() < self._until:
            time.sleep(_PAUSE_S)
            return
        raise refusal
