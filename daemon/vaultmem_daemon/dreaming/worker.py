"""Communities and insights, worked out in a process of their own: a big graph keeps a core busy for seconds, and the
daemon has to hear of a person who comes back.

    python -m vaultmem_daemon.dreaming.worker VAULT

prints one JSON object, and changes nothing but the index.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 600.0
_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Seen:
    """A community, or something to see."""

    kind: str
    """community, or the insight's kind."""
    name: str
    """The community's name; the reason of an insight."""
    path: str
    """The hub, or the note that it is about."""
    other: str
    size: int


def look_at_graph(root: Path, cancelled: Callable[[], bool]) -> list[Seen] | None:
    """The communities and insights; None when it was cancelled, or could not be done."""
    command = [sys.executable, "-m", "vaultmem_daemon.dreaming.worker", str(root)]
    try:
        worker = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    try:
        until = time.monotonic() + PATIENCE_S
        while not cancelled() and time.monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                told, _ = worker.communicate(timeout=_LOOK_S)
                return _understood(told) if worker.returncode == 0 else None
        return None
    finally:
        if worker.poll() is None:
            worker.kill()
            worker.communicate()


def _understood(told: bytes) -> list[Seen] | None:
    try:
        return [Seen(**entry) for entry in json.loads(told)]
    except (ValueError, TypeError):
        return None


def main(root: Path) -> None:
    """Prints what there is to see."""
    from vaultmem import open_vault

    with open_vault(root) as vault:
        found = [
            Seen("community", each.name, _hub(each.paths, vault.set_aside), "", each.size)
            for each in vault.graph.communities().communities
        ]
        found += [
            Seen(each.kind, each.reason, each.path, each.other, 0)
            for each in vault.graph.insights().insights
            if not (_lies_in(each.path, vault.set_aside) or _lies_in(each.other, vault.set_aside))
        ]
    json.dump([asdict(each) for each in found], sys.stdout)


def _hub(paths: Sequence[str], set_aside: Sequence[str]) -> str:
    """The best linked note that is not archived; "" where none of the first is."""
    return next((path for path in paths if not _lies_in(path, set_aside)), "")


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
