"""What a cycle takes from a model, kept while it takes it: a cycle that is killed has no report to tell it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaultmem.files.device import device_id
from vaultmem.files.refusals import WriteFailed
from vaultmem.files.state_file import StateFile
from vaultmem.judge import Usage
from vaultmem.places import STATE_FOLDER

_END: Final = ".model.json"


@dataclass(frozen=True, slots=True)
class Spending:
    """What a part of a cycle has taken, with what parts before it took that were killed."""

    cycle: str
    began_ns: int
    """When the part began: its report, where it came to one, has the same."""
    model: str
    usage: Usage
    """Of a call that is under way, the most that it may take."""


class SpendingFile:
    """The file of this device; there while a cycle asks a model, and once it was killed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def _file(self) -> StateFile:
        return StateFile(self._root, f"dream/{device_id(self._root)}{_END}")

    def _may_be_there(self) -> bool:
        """Whether any device has such a file: else none is asked for its name, which would be made and written."""
        return any((self._root / STATE_FOLDER / "dream").glob(f"*{_END}"))

    def load(self) -> Spending | None:
        """What was kept; None when there is nothing, or nothing that can be read."""
        if not self._may_be_there():
            return None
        try:
            told = json.loads(self._file.load() or "")
            if not isinstance(told, Mapping):
                return None
            return Spending(
                str(told["cycle"]),
                int(told["began_ns"]),
                str(told["model"]),
                Usage.from_json(told["usage"]),
            )
        except (ValueError, KeyError, TypeError, WriteFailed):
            return None

    def save(self, spending: Spending) -> None:
        """Keeps it. Raises WriteFailed, VaultVanishedError."""
        told = {
            "cycle": spending.cycle,
            "began_ns": spending.began_ns,
            "model": spending.model,
            "usage": spending.usage.as_json(),
        }
        self._file.save(json.dumps(told, ensure_ascii=False, sort_keys=True))

    def remove(self) -> None:
        """Takes it away: a report tells it now."""
        if self._may_be_there():
            self._file.remove()
