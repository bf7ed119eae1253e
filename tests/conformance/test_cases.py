"""Given the project's own cases, the library answers each as Obsidian's users expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.asks import NOT_YET
from tests.conformance.case import Case, Malformed, read_cases
from tests.conformance.report import failure_lines
from tests.conformance.runner import Outcome, run_line

FOLDER = Path(__file__).parent / "cases"
CASES = [case for path in sorted(FOLDER.glob("*.jsonl")) for case in read_cases(path)]


def _is_due(case: Case | Malformed) -> bool:
    return isinstance(case, Malformed) or case.ask not in NOT_YET


DUE = [case for case in CASES if _is_due(case)]


@pytest.mark.parametrize("case", DUE, ids=[case.id for case in DUE])
def test_case(case: Case | Malformed) -> None:
    result = run_line(case)
    if result.outcome is Outcome.SKIPPED:
        pytest.skip(result.reason)
    assert result.outcome is Outcome.PASSED, "\n".join(failure_lines(result))


def test_every_case_is_there_and_no_id_stands_twice() -> None:
    assert len(CASES) == 276
    assert len({case.id for case in CASES}) == 276
