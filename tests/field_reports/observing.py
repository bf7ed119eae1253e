"""What a daemon's process costs, and what it writes, while a case looks on."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PAUSE_S: Final = 0.05
SETTLE_S: Final = 5.0
"""After an edit the daemon looks once more at what it took in; then it is quiet."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen in a while."""

    seconds: float
    cpu_s: float
    """Processor time of the daemon."""
    written: tuple[str, ...]
    """Files of the vault, our own included, that are not as they were."""
    log_growth: int
    """Bytes by which the index's write-ahead log grew."""
    said: str
    """What the daemon printed."""

    @property
    def cpu_share(self) -> float:
        """The part of one core that it took."""
        return self.cpu_s / self.seconds if self.seconds else 0.0


def observe(root: Path, pid: int, log: Path, seconds: float) -> Observation:
    """Looks on for so long."""
    time.sleep(SETTLE_S)
    files, cpu, said = _files(root), processor_s(pid), log.stat().st_size
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        time.sleep(PAUSE_S)
    took = time.monotonic() - began
    after = _files(root)
    written = tuple(sorted(p for p in {*files, *after} if files.get(p) != after.get(p)))
    wal = [
        sum(size for p, (size, _) in each.items() if p.endswith("-wal")) for each in (files, after)
    ]
    with log.open("rb") as file:
        file.seek(said)
        lines = file.read().decode("utf-8", "replace")
    return Observation(took, processor_s(pid) - cpu, written, wal[1] - wal[0], lines)


def processor_s(pid: int) -> float:
    """Processor time that a process has taken so far, in seconds."""
    words = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """Memory of a process that is not shared with others: what it would free."""
    words = Path(f"/proc/{pid}/statm").read_text("ascii").split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE")


def _files(root: Path) -> Mapping[str, tuple[int, int]]:
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            place = Path(folder, name)
            status = place.lstat()
            found[place.relative_to(root).as_posix()] = (status.st_size, status.st_mtime_ns)
    # How the daemon is, every five minutes, is no write of a note or of the index.
    return {path: seen for path, seen in found.items() if path != ".vaultmem/daemon.json"}
