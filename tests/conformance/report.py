"""Results as a person reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from tests.conformance.runner import Outcome, Result


def failure_lines(result: Result) -> Iterator[str]:
    """A failing case: its question, its vault, what was expected and what came."""
    case = result.case
    if case is None:
        yield f"FAILED {result.id}  {result.reason}"
        return
    yield f"FAILED {result.id}  {case.rule}  {case.ask} {_json(dict(case.args))}"
    if case.why:
        yield f"  why       {case.why}"
    yield f"  files     {_json(dict(case.files))}"
    yield f"  expected  {_json(case.expect)}"
    yield f"  got       {result.reason or _json(result.got)}"


def summary_lines(tally: Mapping[Outcome, int], reasons: Mapping[str, int]) -> Iterator[str]:
    """Why cases were skipped, and last the count of all."""
    for reason, number in sorted(reasons.items()):
        yield f"skipped {number}: {reason}"
    counts = Counter(tally)
    yield ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
