"""Whether killed processes, or programs that save late, left something to be settled: cheap enough for each command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from vaultmem.files.temporary import may_run

_INTENTS: Final = b".vaultmem/intents"
_DAMAGED: Final = b".damaged"
_INCOMING: Final = b".vaultmem/incoming"
_DISPLACED: Final = b".vaultmem/displaced"


def has_unsettled(root: Path, *, now_ns: int, age: float = 60.0) -> bool:
    """Whether ``recover`` has something to do: a change that was begun, half-written versions of a dead process, or
    replaced files of more than ``age`` seconds ago. Reads three folder lists and no file."""
    base = os.fsencode(root)
    if any(not name.endswith(_DAMAGED) for name in _listed(os.path.join(base, _INTENTS))):
        return True
    writers = {name.split(b"-")[0] for name in _listed(os.path.join(base, _INCOMING))}
    if any(pid.isdigit() and not may_run(int(pid)) for pid in writers):
        return True
    oldest = now_ns - int(age * 1e9)
    batches = (name.split(b"-")[0] for name in _listed(os.path.join(base, _DISPLACED)))
    return any(made.isdigit() and int(made) < oldest for made in batches)


def _listed(folder: bytes) -> list[bytes]:
    try:
        return os.listdir(folder)
    except OSError:  # none, or not ours to read
        return []
