"""How much better questions about a time are answered when words of time lift what is dated so, and what that costs
plain questions.

    python -m tests.benchmarks.relative_dates [--questions N] [--embedder NAME]

The same questions are asked with a clock, which is how a vault is asked, and without one, where words of time are only
words. Exit code 1 when it gains fewer than 8 points or costs more than half a point.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.dated_vault import CLOCK, Question, make, write
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault

MUST_GAIN = 8.0
MAY_LOSE = 0.5
CLOCK_NS = int(CLOCK.timestamp()) * 1_000_000_000


def hits_first(vault: Vault, questions: Sequence[Question]) -> tuple[float, list[Question]]:
    """Per cent of the questions whose answer is the first hit, and those where it is not."""
    missed = []
    for question in questions:
        hits = vault.search(question.text, limit=1, sync=False).hits
        right = bool(hits) and hits[0].path == question.path
        if not right or (question.heading and question.heading not in hits[0].heading_path):
            missed.append(question)
    return 100 * (1 - len(missed) / len(questions)), missed


def main() -> int:
    """Prints the table; see the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--questions", type=int, default=1000)
    options.add_argument("--embedder", default=EmbedSettings().model)
    options.add_argument(
        "--missed", type=int, default=0, help="print so many questions of each kind that went wrong"
    )
    chosen = options.parse_args()
    made = make(chosen.questions)
    settings = Settings(embed=EmbedSettings(model=chosen.embedder))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "vault"
        write(made, folder)
        figures: dict[tuple[str, str], float] = {}
        for way, clock in (("words only", 0), ("times", CLOCK_NS)):
            cache = Path(name) / "cache"
            with Vault(folder, settings, cache_root=cache, clock_ns=lambda now=clock: now) as vault:  # type: ignore[misc]
                if not clock:
                    vault.rebuild()
                for kind, questions in (("relative", made.relative), ("plain", made.plain)):
                    began = time.perf_counter()
                    figures[kind, way], missed = hits_first(vault, questions)
                    each = (time.perf_counter() - began) / len(questions)
                    print(
                        f"{kind:9} {way:11} hit@1 {figures[kind, way]:5.1f} %  {len(questions)} questions, {each * 1000:.1f} ms each"
                    )
                    for question in missed[: chosen.missed if clock else 0]:
                        print(
                            f"          {question.text!r} should be {question.path} {question.heading}"
                        )
    gain = figures["relative", "times"] - figures["relative", "words only"]
    loss = figures["plain", "words only"] - figures["plain", "times"]
    print(
        f"gain on relative questions {gain:+.1f} points (at least {MUST_GAIN}), loss on plain ones {loss:+.1f} (at most {MAY_LOSE})"
    )
    return int(gain < MUST_GAIN or loss > MAY_LOSE)


if __name__ == "__main__":
    sys.exit(main())
