"""Small runs of what is measured over many nights: each as a stranger runs it, and that it sees a fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.dream import hand_edits, kill, never_hurts, quiet
from vaultmem.settings import Settings


def test_a_few_nights_hurt_no_answer_and_can_be_taken_back(tmp_path: Path) -> None:
    run = never_hurts.Run(tmp_path, notes=160, questions=60, seed=3)

    found = run.nights(3, 2, lambda _: None)

    missed = [f.line() for f in never_hurts.figures(found, Settings()) if not f.reached]
    # So small a vault has not enough that is outdated for three points.
    assert [line for line in missed if "after the last cycle" not in line] == []
    assert found.merged >= 6
    assert found.undone >= 2


def test_a_quiet_vault_costs_nothing(tmp_path: Path) -> None:
    figures = quiet.measure(tmp_path, notes=160, seed=2)

    # The time of a small vault is that of starting up.
    missed = [
        figure.line() for figure in figures if not figure.reached and "time" not in figure.name
    ]
    assert missed == []


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_a_killed_dream_converges(tmp_path: Path) -> None:
    outcome = kill.torture(tmp_path, 3, notes=70, edits=6, seed=4)

    assert outcome.faults == []
    assert outcome.tries == 3


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be renamed over there")
def test_no_edit_by_hand_is_lost(tmp_path: Path) -> None:
    outcome = hand_edits.torture(tmp_path, cycles=2, notes=80, pause=0.02, seed=5)

    assert (outcome.lost, outcome.died) == ([], [])
    assert outcome.saves.total() > 20
