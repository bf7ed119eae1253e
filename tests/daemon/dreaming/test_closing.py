"""The digest of a cycle that went on tells of all its parts, also where the last one had nothing to add."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from pathlib import Path

from tests.daemon.dreaming.nights import FIRST_NIGHT_NS, vault_with
from vaultmem.dream.proposal import Operation, StageName
from vaultmem.dream.report import CycleReport, CycleState, DecisionRecord, Outcome, Strategy
from vaultmem_daemon.dreaming.closing import Closing
from vaultmem_daemon.dreaming.reviews import Reviews

CALLED_OFF = CycleReport(
    cycle="2025-12-21",
    strategy=Strategy.CONSOLIDATE,
    why_strategy="",
    state=CycleState.CANCELLED,
    began_ns=FIRST_NIGHT_NS,
    ended_ns=FIRST_NIGHT_NS + 10**9,
    notes=1,
    changed=0,
    decisions=(
        DecisionRecord(
            "a1", StageName.DECAY, Operation.DEMOTE, "Let it fade", "", Outcome.APPLIED, event="e1"
        ),
    ),
)
WENT_ON = replace(CALLED_OFF, state=CycleState.DONE, decisions=())


def test_a_last_part_with_nothing_to_add_ends_the_digest(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {}, fillers=False) as vault:
        closing = Closing(vault, Reviews(vault, lambda: FIRST_NIGHT_NS), zone=UTC)
        first = closing.write_notes(CALLED_OFF)
        assert "It stopped early" in (vault.root / first.digest).read_text()

        second = closing.write_notes(WENT_ON, [first])

        assert second.digest == first.digest
        text = (vault.root / second.digest).read_text()
        assert "Let it fade" in text
        assert "It stopped early" not in text


def test_a_cycle_without_anything_to_tell_leaves_no_digest(tmp_path: Path) -> None:
    with vault_with(tmp_path / "v", {}, fillers=False) as vault:
        closing = Closing(vault, Reviews(vault, lambda: FIRST_NIGHT_NS), zone=UTC)

        assert closing.write_notes(WENT_ON) == replace(WENT_ON, waits=0)
