"""``python -m tests.conformance FILE.jsonl …``: exit 0 when every case passes, 1 when one fails, 2 on wrong usage."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conformance.runner import Outcome, Result, run_files

USAGE = "usage: python -m tests.conformance FILE.jsonl …"


def main(words: Sequence[str]) -> int:
    """Runs the files named by ``words``, prints failures and the tally; returns the exit code."""
    if words and words[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    paths = [Path(word) for word in words]
    if not paths or any(word.startswith("-") for word in words):
        print(USAGE, file=sys.stderr)
        return 2
    if missing := [str(path) for path in paths if not path.is_file()]:
        print(f"no such file: {', '.join(missing)}", file=sys.stderr)
        return 2
    tally: Counter[Outcome] = Counter()
    reasons: Counter[str] = Counter()
    for result in run_files(paths):
        tally[result.outcome] += 1
        if result.outcome is Outcome.FAILED:
            print("\n".join(failure_lines(result)), flush=True)
        elif result.outcome is Outcome.SKIPPED:
            reasons[result.reason] += 1
    for reason, count in sorted(reasons.items()):
        print(f"skipped {count}: {reason}")
    print(
        f"{tally[Outcome.PASSED]} passed, {tally[Outcome.FAILED]} failed, "
        f"{tally[Outcome.SKIPPED]} skipped"
    )
    return 1 if tally[Outcome.FAILED] else 0


def failure_lines(result: Result) -> Iterator[str]:
    """A failing case as a person reads it."""
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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


if __name__ == "__main__":
    # A case may hold text that the terminal's encoding lacks.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
