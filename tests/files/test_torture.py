"""The torture runs of ``tests.torture``, small; and that they see a loss when there is one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.torture import kill_changes
from tests.torture.concurrent_saves import (
    Write,
    torture,
    write_alone,
    write_carelessly,
    write_together,
)
from vaultmem.files.targets import WriteRules

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses locks and signals of Unix")


@pytest.mark.parametrize(
    ("write", "together", "ops", "rules"),
    [
        (write_alone, 1, 400, WriteRules(quiet=0)),
        (write_alone, 1, 300, WriteRules(quiet=0, exchange=False)),
        (write_alone, 1, 60, WriteRules(quiet=0, leases=False)),
        # Nearly all are refused, as one rival of five is enough: enough tries that some are written.
        (write_together, 5, 250, WriteRules(quiet=0)),
    ],
    ids=["exchange", "stepping aside", "no leases", "together"],
)
def test_no_hand_edit_is_lost(
    tmp_path: Path, write: Write, together: int, ops: int, rules: WriteRules
) -> None:
    outcome = torture(tmp_path, ops, seed=7, rules=rules, write=write, together=together)
    assert outcome.lost == []
    assert outcome.left_over == []
    assert outcome.written > 0
    assert all(
        outcome.saves[kind] > 0 for kind in ("in-place", "truncate", "by-rename", "new-file")
    )


def test_a_careless_writer_is_caught(tmp_path: Path) -> None:
    outcome = torture(tmp_path, 600, seed=7, rules=WriteRules(quiet=0), write=write_carelessly)
    assert outcome.lost != []


@pytest.mark.parametrize("exchange", [True, False])
def test_kills_in_the_middle_leave_a_whole_vault(tmp_path: Path, exchange: bool) -> None:
    outcome = kill_changes.torture(tmp_path, 12, seed=7, exchange=exchange)
    assert outcome.faults == []
    assert outcome.points == 12
    assert outcome.midway > 0
