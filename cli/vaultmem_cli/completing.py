"""What a shell offers for words that only the vault knows: cycles, events, proposals. Nothing is written, and what goes
wrong offers nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

MOST = 20


def cycle_words(ctx: Any, incomplete: str) -> list[str]:
    """The last cycles, and ``last``."""
    return [word for word in ("last", *_cycles(ctx)) if word.startswith(incomplete)]


def undo_words(ctx: Any, incomplete: str) -> list[str]:
    """What ``undo`` takes: ``last``, the last cycles, the last events."""
    # A shell that breaks words at colons asks for what follows the colon.
    cycles = [f"cycle:{name}" for name in _cycles(ctx)]
    words = ["last", "cycle:last", *cycles, *_events(ctx)]
    return [word for word in words if word.startswith(incomplete)]


def proposal_words(ctx: Any, incomplete: str) -> list[str]:
    """The ids of what waits."""
    root = _root(ctx)
    if root is None:
        return []
    found = sorted((root / ".vaultmem" / "proposals").glob("*.json"))
    return [path.stem for path in found if path.stem.startswith(incomplete.removeprefix("r-"))]


def _cycles(ctx: Any) -> list[str]:
    from vaultmem.cycles import cycles
    from vaultmem.errors import VaultmemError

    root = _root(ctx)
    try:
        found = islice(cycles(root), MOST) if root is not None else ()
        return list(dict.fromkeys(report.cycle for report in found))
    except (VaultmemError, OSError):
        return []


def _events(ctx: Any) -> list[str]:
    from vaultmem.errors import VaultmemError
    from vaultmem.files.journal import Journal

    def ids(root: Path) -> Iterator[str]:
        for event in Journal(root).backward():
            if event.changes:
                yield event.id

    root = _root(ctx)
    try:
        return list(islice(ids(root), MOST)) if root is not None else []
    except (VaultmemError, OSError):
        return []


def _root(ctx: Any) -> Path | None:
    import os

    from vaultmem.errors import VaultmemError
    from vaultmem.places import find_vault

    try:
        flag = ctx.params.get("vault")
        return find_vault(Path.cwd(), flag=flag, environ=os.environ, home=Path.home())
    except (VaultmemError, OSError, RuntimeError):
        return None
