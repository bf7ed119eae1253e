"""Results as a person reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from tests.conformance.runner import Outcome
from tests.field_reports.case import Check
from tests.field_reports.checks import Standing
from tests.field_reports.runner import Result


def failure_lines(result: Result) -> Iterator[str]:
    """A failing case: what did not hold, and what was seen."""
    kind = f"  {result.case.kind}" if result.case else ""
    yield f"FAILED {result.id}{kind}"
    if result.case and result.case.why:
        yield f"  why     {result.case.why}"
    if result.reason:
        yield f"  {result.reason}"
    for surprise in result.surprises:
        yield f"  step    {surprise}"
    for verdict in result.standing(Standing.BROKEN):
        yield f"  broken  {_described(verdict.check)}"
        yield f"          {verdict.found}"
    for line in result.seen:
        yield f"  seen    {line}"


def judged_lines(result: Result) -> Iterator[str]:
    """What a person has to judge in a case, with what was seen; nothing when there is nothing in prose."""
    prose = result.standing(Standing.PROSE)
    if not prose:
        return
    yield f"to be judged {result.id}"
    for verdict in prose:
        yield f"  outcome {_described(verdict.check)}"
    for line in result.seen:
        yield f"  seen    {line}"


def wish_lines(result: Result) -> Iterator[str]:
    """What was wanted, not required, and did not hold."""
    for verdict in result.standing(Standing.WANTED):
        yield f"wanted {result.id}: {_described(verdict.check)}: {verdict.found}"


def summary_lines(tally: Mapping[Outcome, int], reasons: Mapping[str, int]) -> Iterator[str]:
    """Why cases were skipped, and last the count of all."""
    for reason, number in sorted(reasons.items()):
        yield f"skipped {number}: {reason}"
    counts = Counter(tally)
    yield ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome)


def _described(check: Check) -> str:
    if check.kind == "prose":
        tie = f" ({check.tie} {check.label!r})" if check.tie else ""
        return check.details.text("text") + tie
    held = {key: value for key, value in check.details.held.items() if key != "check"}
    return f"{check.kind} {json.dumps(held, ensure_ascii=False)}"
