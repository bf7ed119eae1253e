"""Which notes answered whom: one line per question, only ever appended to, in ``.vaultmem/recalls/<device>/YYYY-MM.jsonl``.

It is what says that a note is needed. Losing the last lines to a power cut costs nothing, so nothing is waited for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from vaultmem.errors import FailedError
from vaultmem.files.below import make_below
from vaultmem.files.device import device_id

_FOLDER: Final = ".vaultmem/recalls"
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
MOST_BYTES: Final = 2_000
"""Of a line; a longer question is no question."""


@dataclass(frozen=True, slots=True)
class RecallEntry:
    """A question and the notes that answered it."""

    time_ns: int
    by: str
    """person, agent or dream."""
    query: str
    paths: tuple[str, ...]
    """The notes that came first, best first."""


class RecallLog:
    """The log of one vault."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def append(self, entry: RecallEntry) -> bool:
        """Whether it was written: a vault that cannot be written, or is gone, remembers nothing."""
        line = json.dumps(
            {
                "time_ns": entry.time_ns,
                "by": entry.by,
                "query": entry.query,
                "paths": list(entry.paths),
            },
            ensure_ascii=True,
            separators=(",", ":"),
        )
        if len(line) > MOST_BYTES:
            return False
        try:
            folder = self._root / _FOLDER / device_id(self._root)
            make_below(self._root, folder)
            month = datetime.fromtimestamp(entry.time_ns / 1e9, UTC).strftime("%Y-%m")
            descriptor = os.open(folder / f"{month}.jsonl", _APPEND, 0o600)
            try:
                # A line break before it, too: half a line of a full disk is then no part of this one.
                os.write(descriptor, f"\n{line}\n".encode())
            finally:
                os.close(descriptor)
        except (OSError, FailedError):
            return False
        return True

    def state(self) -> str:
        """Another text when anything was written since, without a look into the files; "" when nothing ever was."""
        found = []
        for path in self._files():
            with suppress(OSError):
                status = path.stat()
                found.append(
                    f"{path.parent.name}/{path.name} {status.st_size} {status.st_mtime_ns}"
                )
        return "\n".join(found)

    def _files(self) -> list[Path]:
        return sorted((self._root / _FOLDER).glob("*/*.jsonl"))

    def read(self, *, since_ns: int = 0) -> Iterator[RecallEntry]:
        """The entries of all devices from then on, device by device, each oldest first; what cannot be read is left
        out."""
        for path in self._files():
            with suppress(OSError), path.open("rb") as file:
                for line in file:
                    entry = _entry(line)
                    if entry is not None and entry.time_ns >= since_ns:
                        yield entry


def _entry(line: bytes) -> RecallEntry | None:
    try:
        told = json.loads(line)
        return RecallEntry(
            int(told["time_ns"]), str(told["by"]), str(told["query"]), _paths(told["paths"])
        )
    except (ValueError, KeyError, TypeError):
        return None


def _paths(told: Sequence[object]) -> tuple[str, ...]:
    return tuple(path for path in told if isinstance(path, str))
