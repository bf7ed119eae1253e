"""How long after a save a search finds what was saved, while ``vaultmem watch`` runs:

    python -m tests.benchmarks.watch [--notes 25000] [--saves 100] [--work DIR]

The clock starts when the save has ended (in place, by rename, or emptied and written anew, in turn) and stops when the
first search that finds its word has answered. Watcher and searcher are two processes; the searcher's ``Vault`` is
warm and searches again and again, as it would for a person who waits. Two rows: with words alone, and with meaning.
Exit code 1 when the 95th percentile of either is above its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.__main__ import Figure, make_vault, seconds
from tests.benchmarks.measure import console_script, percentile
from tests.benchmarks.tasks import open_bench_vault
from vaultmem.search.model import Lane
from vaultmem.vault import Vault

LIMIT_S = 0.15
GIVE_UP_S = 30.0
PAUSES_S = (0.05, 1.0)
"""Between two saves, at random: some come while the watcher still has to do with the one before."""

LANES = {"words": (Lane.KEYWORD, Lane.SUBSTRING), "words and meaning": None}


@contextmanager
def watching(root: Path) -> Iterator[None]:
    """A watcher on the vault, as a process of its own, from when it says that it is ready."""
    command = [console_script(), "watch", "--vault", str(root), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if json.loads(line).get("did") == "started":
                    break
            yield
        finally:
            process.terminate()


def save(place: Path, text: str, turn: int) -> None:
    """Saves a note as one of three kinds of editors does."""
    if turn % 3 == 0:
        with place.open("a", encoding="utf-8") as file:
            file.write(text)
        return
    whole = place.read_text("utf-8", "surrogateescape") + text
    if turn % 3 == 1:
        aside = place.with_name(f".{place.name}.tmp")
        aside.write_text(whole, "utf-8", "surrogateescape")
        os.replace(aside, place)
        return
    place.write_text(whole, "utf-8", "surrogateescape")


def save_and_find(
    vault: Vault, place: Path, word: str, turn: int, lanes: tuple[Lane, ...] | None
) -> float:
    """Seconds from the end of the save to the end of the first search that finds it."""
    path = place.relative_to(vault.root).as_posix()
    save(place, f"\n{word}\n", turn)
    began = time.perf_counter()
    while True:
        hits = vault.search(word, limit=3, lanes=lanes).hits
        took = time.perf_counter() - began
        if path in [hit.path for hit in hits]:
            return took
        if took > GIVE_UP_S:
            raise SystemExit(f"{path} was not found within {GIVE_UP_S:g} s after its save")


def measure(root: Path, saves: int, seed: int) -> dict[str, tuple[list[float], int]]:
    """For each kind of search the sorted times, and how many answers the watcher did not vouch for."""
    chosen = random.Random(seed)
    notes = sorted(
        place
        for place in root.rglob("*.md")
        if not place.relative_to(root).parts[0].startswith(".")
    )
    results: dict[str, tuple[list[float], int]] = {}
    with open_bench_vault(str(root)) as vault:
        vault.sync()
        with watching(root):
            for name, lanes in LANES.items():
                times = []
                for turn in range(saves):
                    time.sleep(chosen.uniform(*PAUSES_S))
                    word = f"kittiwake{chosen.getrandbits(64):016x}"
                    times.append(save_and_find(vault, chosen.choice(notes), word, turn, lanes))
                unvouched = sum(
                    vault.search("kittiwake", limit=1).freshness.note != "watched" for _ in range(5)
                )
                results[name] = (sorted(times), unvouched)
    return results


def figures(notes: int, results: dict[str, tuple[list[float], int]]) -> list[Figure]:
    """The rows of the table."""
    rows = []
    for name, (times, _) in results.items():
        half, most = percentile(times, 0.5), percentile(times, 0.95)
        rows.append(
            Figure(
                f"save to searchable under a watcher, {name}: p50 and p95 of {len(times)}",
                notes,
                f"{seconds(half)}, {seconds(most)}",
                "",
                None,
                f"p95 ≤ {seconds(LIMIT_S)}",
                most <= LIMIT_S,
            )
        )
    return rows


def main() -> int:
    """Runs it; exit code 1 when the target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=25_000)
    parser.add_argument("--saves", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    root = Path(make_vault(options.work.resolve(), options.notes))
    results = measure(root, options.saves, options.seed)
    rows = figures(options.notes, results)
    for row in rows:
        print(row.row())
    for name, (times, unvouched) in results.items():
        print(
            f"{name}: slowest {seconds(times[-1])}; quiet searches not vouched for: {unvouched} of 5",
            file=sys.stderr,
        )
    return 1 if any(row.reached is False for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
