"""The best state is what the dream itself must not fall behind; what a person did since is not held against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from tests.daemon.dreaming.nights import (
    AGAIN,
    DAY_NS,
    FIRST_NIGHT_NS,
    TEXT,
    TWINS,
    dream,
    managed,
    settings_of,
    vault_with,
)
from vaultmem.dream.report import CycleReport, CycleState, Outcome
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.memory import MemoryStore
from vaultmem_daemon.dreaming.pipeline import run_cycle

PUMPS = {
    "Memory/keeper/Pump.md": managed("Pump", TEXT.replace("winch", "pump"), created="2025-01-02"),
    "Memory/keeper/The pump.md": managed(
        "The pump", AGAIN.replace("winch", "pump"), created="2025-03-04"
    ),
}
PLAIN = "House/iron in the hall.md"


def answered_better_once(vault: Vault) -> None:
    """As if the best state had answered every question better than the vault does now."""
    store = MemoryStore(vault.root)
    memory = store.load()
    best = memory.evolution.best
    assert best is not None
    better = best.rescored({probe: score + 0.01 for probe, score in best.scores.items()})
    store.save(replace(memory, evolution=replace(memory.evolution, best=better)))


def gated(report: CycleReport) -> list[tuple[Outcome, bool]]:
    """What became of the merges, and whether that was for the best state's sake."""
    return [
        (each.outcome, "than in the best state" in each.why)
        for each in report.decisions
        if each.outcome in (Outcome.APPLIED, Outcome.GATE)
    ]


def nothing(_place: Path) -> None: ...


def edited(place: Path) -> None:
    place.write_text(f"{place.read_text()}It is heavy.\n")


@pytest.mark.parametrize(
    ("by_hand", "expected"),
    [
        pytest.param(nothing, (Outcome.GATE, True), id="nothing from outside: held to it"),
        pytest.param(edited, (Outcome.APPLIED, False), id="an edit"),
        pytest.param(Path.unlink, (Outcome.APPLIED, False), id="a deletion alone"),
    ],
)
def test_the_best_state_counts_until_something_changes_from_outside(
    tmp_path: Path, by_hand: Callable[[Path], None], expected: tuple[Outcome, bool]
) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PUMPS}, settings=settings_of(edits=1)) as vault:
        assert gated(dream(vault)) == [(Outcome.APPLIED, False)]
        answered_better_once(vault)

        by_hand(vault.root / PLAIN)

        assert gated(dream(vault, night=1)) == [expected]


def test_to_look_at_all_notes_is_no_change_from_outside(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PUMPS}, settings=settings_of(edits=1)) as vault:
        dream(vault)
        answered_better_once(vault)

        report = run_cycle(vault, clock_ns=lambda: FIRST_NIGHT_NS + DAY_NS, zone=UTC, now=True)

        assert gated(report) == [(Outcome.GATE, True)]


def test_what_a_called_off_cycle_did_itself_is_no_change_from_outside(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {**TWINS, **PUMPS}, settings=settings_of(edits=2)) as vault:
        archive = vault.root / "Memory/_archive"
        first = dream(vault, cancelled=archive.exists)
        assert (first.state, gated(first)) == (CycleState.CANCELLED, [(Outcome.APPLIED, False)])
        answered_better_once(vault)

        assert gated(dream(vault)) == [(Outcome.GATE, True)]
