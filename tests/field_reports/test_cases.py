"""Given the faults that people reported elsewhere, the library has none of those that are due."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.case import Malformed
from tests.conformance.runner import Outcome
from tests.field_reports.case import Case, read_cases
from tests.field_reports.report import failure_lines
from tests.field_reports.runner import DUE, run_line

FOLDER = Path(__file__).parent / "cases"
CASES = [case for path in sorted(FOLDER.glob("*.jsonl")) for case in read_cases(path)]
DUE_CASES = [case for case in CASES if isinstance(case, Malformed) or case.kind in DUE]


@pytest.mark.parametrize("case", DUE_CASES, ids=[case.id for case in DUE_CASES])
def test_case(case: Case | Malformed) -> None:
    result = run_line(case, hasty=True)
    if result.outcome is Outcome.SKIPPED:
        pytest.skip(result.reason)
    assert result.outcome is Outcome.PASSED, "\n".join(failure_lines(result))


def test_every_case_is_there_and_no_id_stands_twice() -> None:
    assert len(CASES) == 61
    assert len({case.id for case in CASES}) == 61
    assert not [case for case in CASES if isinstance(case, Malformed)]
