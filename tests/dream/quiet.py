"""``python -m tests.dream.quiet --notes 2000``: what a night costs in which nothing has changed.

A generated vault is dreamed over until a cycle changes nothing and leaves nothing over. Then comes one more on the same
day, and one on the next: neither may make an edit or ask the judge anything, nor write a note, nor take a tenth of the first
cycle's time. Exit code 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, timedelta
from pathlib import Path
from typing import Final

from tests.dream.figures import Figure, tell
from tests.dream.never_hurts import BEGIN, Clock, lay_out, opened
from tests.dream.tended import tended_vault
from tests.torture.linked import files_of
from vaultmem.dream.report import CycleReport, Outcome
from vaultmem.judge import DriftJudgement, DuplicateJudgement, HeuristicJudge
from vaultmem.vault import Vault
from vaultmem_daemon.dreaming.pipeline import run_cycle

MOST_CYCLES: Final = 60
"""Until the vault is settled."""
MOST_SHARE: Final = 0.1
"""Of the first cycle's time."""


class CountingJudge(HeuristicJudge):
    """A judge that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def duplicates(self, pairs: Sequence[tuple[str, str]]) -> list[DuplicateJudgement]:
        """As the heuristics say."""
        self.asked += len(pairs)
        return super().duplicates(pairs)

    def drift(self, a: str, b: str) -> DriftJudgement:
        """As the heuristics say."""
        self.asked += 1
        return super().drift(a, b)


def measure(folder: Path, *, notes: int, seed: int) -> list[Figure]:
    """The figures, of a vault made in the folder."""
    clock, judge = Clock(BEGIN), CountingJudge()
    maker = tended_vault(notes, 0, seed)
    for path in maker.made.days:  # all of them young: what fades is no part of this
        maker.made.days[path] = BEGIN - timedelta(days=1 + len(path) % 20)
    root = folder / "vault"
    root.mkdir()
    lay_out(root, maker)

    def night(vault: Vault) -> tuple[CycleReport, float]:
        began = time.perf_counter()
        report = run_cycle(vault, clock_ns=clock, zone=UTC, judge=judge)
        return report, time.perf_counter() - began

    with opened(root, clock) as vault:
        report, first = night(vault)
        asked_first, cycles = judge.asked, 1
        while not _settled(report) and cycles < MOST_CYCLES:
            clock.next_day()
            report, _ = night(vault)
            cycles += 1
        found = [
            Figure("cycles until the vault is settled", cycles, most=MOST_CYCLES - 1),
            Figure("seconds, first cycle", first),
            Figure("questions to the judge, first cycle", asked_first),
        ]
        for name in ("same day", "next day"):
            if name == "next day":
                clock.next_day()
            judge.asked, before = 0, files_of(root)
            report, seconds = night(vault)
            edits = len(report.of(Outcome.APPLIED)) + (files_of(root) != before)
            found += [
                Figure(f"{name}: edits", edits, most=0),
                Figure(f"{name}: questions to the judge", judge.asked, most=0),
                Figure(
                    f"{name}: share of the first cycle's time", seconds / first, most=MOST_SHARE
                ),
                Figure(f"{name}: seconds", seconds),
            ]
    return found


def _settled(report: CycleReport) -> bool:
    left = (Outcome.APPLIED, Outcome.BUDGET, Outcome.CONFLICT, Outcome.RESTING)
    return not any(report.of(outcome) for outcome in left)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.dream.quiet",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="an existing folder to work in")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vaultmem-quiet-", dir=o.folder) as folder:
        return tell(measure(Path(folder), notes=o.notes, seed=o.seed))


if __name__ == "__main__":
    sys.exit(main())
