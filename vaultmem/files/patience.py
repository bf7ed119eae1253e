"""Waiting while another program is saving a file, and trying again; not for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from vaultmem.files import leases
from vaultmem.files.folder import READ
from vaultmem.files.leases import Lease
from vaultmem.files.refusals import RefusalCode, WriteRefused
from vaultmem.files.targets import WriteRules, is_quiet

PATIENCE_S: Final = 10.0
"""How long a file that another program is saving is waited for."""

ATTEMPTS: Final = 8
"""How often a change is made because the file changed between reading and writing."""

_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 0.8
_PASSING: Final = frozenset((RefusalCode.BUSY, RefusalCode.TOO_FRESH))
"""Refusals that pass when the other program is done."""


class Patience:
    """Decides after each refusal whether a change to the vault is planned and tried again."""

    def __init__(self, root: Path, rules: WriteRules, *, attempts: int = ATTEMPTS) -> None:
        self._root = root
        self._rules = rules
        self._until = time.monotonic() + PATIENCE_S
        self._attempts = attempts

    def wait(self, refusal: WriteRefused) -> None:
        """Returns when it is to be tried again: at once after a conflict, and while a save is under way when that file
        is at rest. Meanwhile only the file is looked at: planning again would bring in each of the other's saves.
        Raises the refusal when it is of another kind, or patience is at an end."""
        if refusal.code is RefusalCode.CONFLICT:
            self._attempts -= 1
            if self._attempts > 0:
                return
            raise refusal
        if refusal.code not in _PASSING:
            raise refusal
        pause = _PAUSE_S
        while (left := self._until - time.monotonic()) > 0:
            time.sleep(min(pause, left))
            if self._has_passed(refusal):
                return
            pause = min(1.5 * pause, _LONGEST_PAUSE_S)
        raise _in_vain(refusal)

    def _has_passed(self, refusal: WriteRefused) -> bool:
        """Whether the file is at rest; also when it is gone, for then another refusal is due."""
        try:
            descriptor = os.open(self._root / refusal.path, READ)
        except OSError:
            return True
        try:
            if refusal.code is RefusalCode.TOO_FRESH:
                return is_quiet(os.fstat(descriptor), self._rules)
            lease = leases.take(descriptor)
            if lease is Lease.GRANTED:
                leases.give_back(descriptor)
            return lease is not Lease.BUSY
        finally:
            os.close(descriptor)


def _in_vain(refusal: WriteRefused) -> WriteRefused:
    return WriteRefused(
        refusal.code,
        refusal.path,
        f"{refusal.message} It was waited for {PATIENCE_S:g} s, in vain; nothing was changed.",
        hint="Let it rest: stop typing there for a few seconds, or close it. Then try again.",
    )
