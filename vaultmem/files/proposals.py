"""Proposals that wait for a person, one file each in ``.vaultmem/proposals``, named by their ids: devices that find the
same thing write the same file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vaultmem.files.state_file import StateFile

_FOLDER: Final = "proposals"


class ProposalFiles:
    """The folder of one vault."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / ".vaultmem" / _FOLDER

    def any(self) -> bool:
        """Whether one waits."""
        return bool(self._names())

    def count(self) -> int:
        """How many wait."""
        return len(self._names())

    def load_all(self) -> list[str]:
        """The texts, the oldest file first, then by name; those that cannot be read are left out."""
        found = [StateFile(self._root, f"{_FOLDER}/{name}").load() for name in self._names()]
        return [text for text in found if text is not None]

    def save(self, name: str, text: str) -> None:
        """Keeps a proposal. Raises WriteFailed, VaultVanishedError."""
        StateFile(self._root, f"{_FOLDER}/{name}.json").save(text)

    def remove(self, name: str) -> None:
        """Takes it away, if it is there."""
        StateFile(self._root, f"{_FOLDER}/{name}.json").remove()

    def _names(self) -> list[str]:
        try:
            found = [(path.stat().st_mtime_ns, path.name) for path in self._folder.glob("*.json")]
        except OSError:
            return []
        return [name for _, name in sorted(found)]
