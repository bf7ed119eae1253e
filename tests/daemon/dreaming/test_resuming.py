"""Whether a cycle that was cut off goes on."""

from __future__ import annotations

import pytest

from vaultmem_daemon.dreaming.memory import DreamMemory
from vaultmem_daemon.dreaming.resuming import goes_on

HOUR_NS = 3_600 * 10**9
BEGUN = DreamMemory(open_cycle="2025-12-21", open_day=20_443, open_ns=20 * HOUR_NS)


@pytest.mark.parametrize(
    ("memory", "today", "hours", "expected"),
    [
        pytest.param(DreamMemory(), 20_443, 20, False, id="none was begun"),
        pytest.param(BEGUN, 20_443, 43, True, id="on the same day"),
        pytest.param(BEGUN, 20_444, 31, True, id="in the same night"),
        pytest.param(BEGUN, 20_444, 32, False, id="not in the next one"),
        pytest.param(BEGUN, 20_400, -1_000, False, id="not where the clock was far ahead when it began"),
    ],
)  # fmt: skip
def test_a_cycle_goes_on_in_its_night(
    memory: DreamMemory, today: int, hours: int, expected: bool
) -> None:
    assert goes_on(memory, today, hours * HOUR_NS) is expected
