"""``python -m tests.field_reports FILE.jsonl …``: exit 0 when no case fails, 1 when one does, 2 on wrong usage."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.runner import Outcome
from tests.field_reports.report import failure_lines, judged_lines, summary_lines, wish_lines
from tests.field_reports.runner import run_files

USAGE = "usage: python -m tests.field_reports FILE.jsonl …"


def main(words: Sequence[str]) -> int:
    """Runs the files named by ``words``; prints failures, what is to be judged, and the count; the exit code."""
    if words and words[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if not words or any(word.startswith("-") for word in words):
        print(USAGE, file=sys.stderr)
        return 2
    paths = [Path(word) for word in words]
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
        for line in (*judged_lines(result), *wish_lines(result)):
            print(line, flush=True)
    print("\n".join(summary_lines(tally, reasons)))
    return 1 if tally[Outcome.FAILED] else 0


if __name__ == "__main__":
    # A case may hold text that the terminal's encoding lacks.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
