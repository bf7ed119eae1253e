"""Measures rebuild, sync, search and start-up on generated vaults and writes the table into the docs.

    python -m tests.benchmarks [--sizes 1000 10000 50000 100000] [--work DIR] [--out docs/…/benchmarks.md]

Vaults are made once per size under ``--work`` and kept. Each figure is the better of ``--repeats`` runs, floor and
subject taking turns, so that a busy moment of the machine does not decide.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import apsw

from tests.benchmarks.measure import Run, console_script, percentile, run_task, time_command

DEFAULT_OUT = Path("docs/internals/benchmarks.md")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    what: str
    size: int
    measured: str
    floor: str
    ratio: float | None
    target: str
    reached: bool | None
    """None where there is no target."""

    def row(self) -> str:
        """The line in Markdown."""
        ratio = f"{self.ratio:.2f}" if self.ratio is not None else ""
        mark = {True: "yes", False: "**no**", None: ""}[self.reached]
        cells = (self.what, f"{self.size:,}", self.measured, self.floor, ratio, self.target, mark)
        return f"| {' | '.join(cells)} |"


def seconds(value: float) -> str:
    """A time in the unit that reads best."""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def against(
    what: str, size: int, measured: float, floor: float, limit: float, *, floor_name: str
) -> Figure:
    """A figure whose target is a multiple of the floor."""
    ratio = measured / floor
    return Figure(
        what,
        size,
        seconds(measured),
        f"{floor_name} {seconds(floor)}",
        ratio,
        f"≤ {limit:g}×",
        ratio <= limit,
    )


def within(what: str, size: int, measured: float, limit: float | None) -> Figure:
    """A figure whose target is a time."""
    target = f"≤ {seconds(limit)}" if limit is not None else "reported"
    reached = measured <= limit if limit is not None else None
    return Figure(what, size, seconds(measured), "", None, target, reached)


def make_vault(work: Path, size: int) -> str:
    """The generated vault of that size, made on first use."""
    root = work / f"vault-{size}"
    if not Path(f"{root}.truth.json").exists():
        script = Path(__file__).with_name("make_vault.py")
        subprocess.run(
            [sys.executable, str(script), "--notes", str(size), "--out", str(root)],
            check=True,
            stdout=sys.stderr,
        )
    return str(root)


def best(name: str, *arguments: str, repeats: int) -> Run:
    """The quickest of several runs, with the highest memory of any."""
    runs = [run_task(name, *arguments) for _ in range(repeats)]
    quickest = min(runs, key=lambda run: run.seconds)
    return Run(quickest.seconds, max(run.peak_bytes for run in runs), quickest.result)


def measure_size(root: str, size: int, repeats: int) -> tuple[list[Figure], Run]:
    """All figures of one vault, and the run of its rebuild without vectors."""
    floors, plain, full = [], [], []
    for _ in range(repeats):
        floors.append(run_task("floor", root))
        plain.append(run_task("rebuild", root, "plain"))
        full.append(run_task("rebuild", root, "vectors"))
    floor = min(run.seconds for run in floors)
    bare = min(plain, key=lambda run: run.seconds)
    semantic = min(full, key=lambda run: run.seconds)
    peak = max(run.peak_bytes for run in (*plain, *full)) / 1e6
    figures = [
        against(
            "rebuild without vectors", size, bare.seconds, floor, 2, floor_name="read, hash, FTS"
        ),
        against(
            "rebuild with vectors", size, semantic.seconds, floor, 3, floor_name="read, hash, FTS"
        ),
    ]
    limit = {50_000: 350, 100_000: 600}.get(size)
    figures.append(
        Figure(
            "peak memory of a rebuild, all processes",
            size,
            f"{peak:.0f} MB",
            "",
            None,
            f"≤ {limit} MB" if limit else "reported",
            peak <= limit if limit else None,
        )
    )
    ratio = float(str(bare.result["index_bytes"])) / float(str(bare.result["vault_bytes"]))
    figures.append(
        Figure(
            "index without vectors",
            size,
            f"{float(str(bare.result['index_bytes'])) / 1e6:.1f} MB",
            f"notes {float(str(bare.result['vault_bytes'])) / 1e6:.1f} MB",
            ratio,
            "≤ 4×",
            ratio <= 4,
        )
    )
    figures += sync_figures(root, size, repeats)
    figures += search_figures(root, size)
    figures += truth_figures(root, size)
    return figures, bare


def sync_figures(root: str, size: int, repeats: int) -> list[Figure]:
    """Sync against a bare walk; deleting only ``memory.db`` embeds nothing twice."""
    walk = best("walk", root, repeats=repeats).seconds
    unchanged = best("sync_unchanged", root, repeats=repeats).seconds
    edits = best("sync_edits", root, repeats=repeats).seconds
    warm = run_task("rebuild_warm", root).seconds
    return [
        against("sync, nothing changed", size, unchanged, walk, 2, floor_name="bare walk"),
        against("sync, ten edits", size, edits, walk, 5, floor_name="bare walk"),
        within("rebuild with vectors, embeddings cached", size, warm, None),
    ]


def search_figures(root: str, size: int) -> list[Figure]:
    """Warm searches in one process."""
    result = run_task("search", root).result
    figures = []
    for name in ("keyword", "keyword + vector", "all lanes", "all lanes, checked"):
        times = result[name]
        assert isinstance(times, list)
        half, most = (float(value) for value in times)
        limit = 0.015 if size == 10_000 and name in ("keyword", "keyword + vector") else None
        figures.append(within(f"search, {name}: p50", size, half, None))
        figures.append(within(f"search, {name}: p95", size, most, limit))
    share = float(str(result["needles in top 5"]))
    figures.append(
        Figure("questions with their note in the top 5", size, f"{share:.1%}", "", None, "", None)
    )
    return figures


def truth_figures(root: str, size: int) -> list[Figure]:
    """What must hold whatever the speed."""
    result = run_task("truth", root).result
    pairs = (
        ("true links resolved to their note", "links right", "links"),
        ("unresolved links, as in the truth", "unresolved", "unresolved in truth"),
        ("CJK substrings found", "cjk found", "cjk substrings"),
    )
    figures = [
        Figure(
            what, size, f"{result[got]}", f"of {result[of]}", None, "all", result[got] == result[of]
        )
        for what, got, of in pairs
    ]
    figures += [
        Figure(what, size, str(result[key]).lower(), "", None, "true", result[key] is True)
        for what, key in (
            ("a nonsense word finds nothing", "nonsense finds nothing"),
            ("every note's bytes and times untouched", "notes untouched"),
        )
    ]
    return figures


def shell_figures(root: str, repeats: int) -> list[Figure]:
    """Whole processes from the shell, at 1,000 notes: the median."""
    command = console_script()
    vault = ["--vault", root]
    run_task("rebuild", root, "vectors")
    cases = (
        ("vaultmem --version", [command, "--version"], 0.15),
        (
            "vaultmem search --lane keyword",
            [command, "search", "goal", "plan", "--lane", "keyword", *vault],
            0.25,
        ),
        ("vaultmem search (hybrid)", [command, "search", "goal", "plan", *vault], 0.6),
    )
    figures = []
    for what, arguments, limit in cases:
        times = time_command(arguments, 5 * repeats)
        figures.append(within(f"{what}, whole process", 1000, percentile(times, 0.5), limit))
    bare = percentile(time_command([sys.executable, "-c", "pass"], 5 * repeats), 0.5)
    figures.append(within("python -c pass, for comparison", 1000, bare, None))
    return figures


def growth_figure(runs: dict[int, Run]) -> list[Figure]:
    """How the rebuild grows from 10k to 50k notes."""
    if not {10_000, 50_000} <= runs.keys():
        return []
    ratio = runs[50_000].seconds / runs[10_000].seconds
    return [
        Figure(
            "growth of the rebuild, 50k over 10k notes",
            50_000,
            seconds(runs[50_000].seconds),
            f"10k notes {seconds(runs[10_000].seconds)}",
            ratio,
            "≤ 5.7×",
            ratio <= 5.7,
        )
    ]


def table(figures: list[Figure]) -> str:
    """The page that goes into the docs."""
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    software = f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}"
    head = (
        "# Benchmarks\n\n"
        "Made by `make bench` (`python -m tests.benchmarks --help` for sizes and repeats) on vaults from the\n"
        "generator in `tests/benchmarks/make_vault.py`, whose notes are 1.25 kB with eight links on average. A\n"
        "ratio compares with a floor taken in the same run; times are the best of the repeats, memory the worst.\n"
        "Searches run warm in one process, on questions with one right answer and on note titles, half and half.\n\n"
        f"Measured on: {machine}; {software}.\n\n"
        "| what | notes | measured | floor | ratio | target | reached |\n"
        "|---|---:|---:|---|---:|---|---|\n"
    )
    return head + "\n".join(figure.row() for figure in figures) + "\n"


def main() -> int:
    """Runs everything; exit code 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 50_000, 100_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    work = options.work.resolve()
    figures: list[Figure] = []
    runs: dict[int, Run] = {}
    for size in options.sizes:
        root = make_vault(work, size)
        repeats = options.repeats if size <= 10_000 else 1
        if size == 1_000:
            figures += shell_figures(root, options.repeats)
        measured, runs[size] = measure_size(root, size, repeats)
        figures += measured
        for figure in measured:
            print(figure.row(), file=sys.stderr, flush=True)
    figures += growth_figure(runs)
    page = table(figures)
    print(page)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(page, encoding="utf-8")
    return 1 if any(figure.reached is False for figure in figures) else 0


if __name__ == "__main__":
    raise SystemExit(main())
