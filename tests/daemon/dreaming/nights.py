"""A vault that is large enough for the gate, with notes of ours that say the same, and nights on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from tests.vaults import WORDS, vault_at, write
from vaultmem.dream.report import CycleReport, Strategy
from vaultmem.settings import DreamSettings, Settings
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.pipeline import run_cycle

FIRST_NIGHT_NS = 1_766_286_000 * 1_000_000_000
"""2025-12-21 03:00 UTC."""
DAY_NS = 86_400 * 1_000_000_000

_THINGS = (
    "lantern",
    "anchor",
    "barrel",
    "compass",
    "drum",
    "engine",
    "funnel",
    "gauge",
    "hammer",
    "iron",
)
_PLACES = ("attic", "boathouse", "cellar", "den", "entrance", "forge", "garden", "hall")


def managed(title: str, body: str, **properties: str) -> str:
    """A note of ours."""
    more = "".join(f"{key}: {value}\n" for key, value in properties.items())
    return f"---\ntype: fact\nmanaged_by: vaultmem\n{more}---\n# {title}\n\n{body}\n"


TEXT = (
    "The winch on the slipway needs a new pawl before spring. Grease its drum each week with the thick black "
    "grease from the forge. Nobody lifts more than two hundred kilograms with it."
)
AGAIN = TEXT.replace("needs a new pawl", "requires a new pawl").replace("each week", "every week")

FILLERS: Mapping[str, str] = {
    f"House/{thing} in the {place}.md": (
        f"The {thing} in the {place} was painted by the {place} crew and hangs behind the {thing} shelf.\n"
    )
    for thing in _THINGS
    for place in _PLACES
}
TWINS: Mapping[str, str] = {
    "Memory/keeper/Winch.md": managed("Winch", TEXT, created="2025-01-02"),
    "Memory/keeper/The winch.md": managed("The winch", AGAIN, created="2025-03-04", tags="[tools]"),
}


def settings_of(**dream: object) -> Settings:
    """Settings without vectors, and those of the dream."""
    return replace(WORDS, dream=replace(DreamSettings(), **dream))  # type: ignore[arg-type]


def vault_with(
    root: Path, files: Mapping[str, str], *, fillers: bool = True, settings: Settings = WORDS
) -> Vault:
    """A vault with these notes among eighty others."""
    files = {**(FILLERS if fillers else {}), **files}
    write(root, files)
    for path in files:
        os.utime(root / path, ns=(FIRST_NIGHT_NS - DAY_NS,) * 2)
    return vault_at(root, settings=settings)


def dream(
    vault: Vault,
    night: int = 0,
    *,
    dry_run: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    strategy: Strategy | None = None,
) -> CycleReport:
    """The cycle of that night."""
    return run_cycle(
        vault,
        clock_ns=lambda: FIRST_NIGHT_NS + night * DAY_NS,
        zone=UTC,
        dry_run=dry_run,
        cancelled=cancelled,
        strategy=strategy,
    )


def notes_of(vault: Vault, *, ours: bool = False) -> dict[str, str]:
    """Every note by path; digests and reviews with ``ours`` only."""
    return {
        path: text
        for place in sorted(vault.root.rglob("*.md"))
        if (path := place.relative_to(vault.root).as_posix()).startswith(".") is False
        and (ours or not path.startswith(("Memory/_dreams/", "Memory/_review/")))
        and (text := place.read_bytes().decode()) is not None
    }
