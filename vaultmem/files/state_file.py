"""A file of ours in ``.vaultmem`` that is replaced as a whole: small state that is worth keeping and no event."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from vaultmem.files.below import make_below
from vaultmem.files.durable import sync_file, sync_folder, write_whole
from vaultmem.files.refusals import WriteFailed
from vaultmem.files.temporary import may_run

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0)


class StateFile:
    """One text at a place below the vault's ``.vaultmem``; whole or not there, whenever the process is killed."""

    def __init__(self, root: Path, name: str) -> None:
        """``name`` is the path below ``.vaultmem``, with ``/``."""
        self._root = root
        self._path = root / ".vaultmem" / name

    def load(self) -> str | None:
        """The text that was saved last; None when there is none, or none that can be read."""
        try:
            return self._path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def save(self, text: str) -> None:
        """Keeps the text in place of the one before. Raises WriteFailed, VaultVanishedError."""
        try:
            make_below(self._root, self._path.parent)
            self._sweep()
            self._replace(text.encode())
        except OSError as error:
            raise WriteFailed(self._path.relative_to(self._root).as_posix(), error) from error

    def _replace(self, data: bytes) -> None:
        aside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            descriptor = os.open(aside, _NEW, 0o600)
            try:
                write_whole(descriptor, data)
                sync_file(descriptor)
            finally:
                os.close(descriptor)
            os.replace(aside, self._path)
        except OSError:
            with suppress(OSError):
                aside.unlink()
            raise
        sync_folder(self._path.parent)

    def _sweep(self) -> None:
        """Takes away what killed processes left beside it, or beside its like."""
        for left in self._path.parent.glob(".*.json.*"):
            pid = left.name.rpartition(".")[2]
            if pid.isdigit() and int(pid) != os.getpid() and not may_run(int(pid)):
                with suppress(OSError):
                    left.unlink()

    def remove(self) -> None:
        """Takes it away, if it is there."""
        with suppress(OSError):
            self._path.unlink()
