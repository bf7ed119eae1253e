"""How well search found, as tables."""

from __future__ import annotations

from collections.abc import Mapping

from vaultmem.bench.measures import MEASURES
from vaultmem.bench.run import BenchReport
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean


def bench_page(report: BenchReport, style: Style) -> Page:
    """A table of the ways to search, and one of the categories."""
    own = ("search", report.overall, report.ms_per_query)
    ways = [own, *((o.way, o.overall, o.ms_per_query) for o in report.beside)]
    width = max(map(len, (*(name for name, _, _ in ways), *report.by_category)))
    head = " ".join(name.rjust(13) for name in MEASURES)
    lines = [
        style.bold(clean(report.name)),
        f"{''.ljust(width)} {head}      ms",
        *(f"{_row(clean(name), figures, width)} {ms:7.1f}" for name, figures, ms in ways),
    ]
    if report.by_category:
        lines += ["", style.bold("by category")]
        lines += [_row(clean(name), f, width) for name, f in report.by_category.items()]
    summary = (
        f"{report.queries} questions · {report.items} items · {report.embedder} · {report.profile}"
    )
    return Page(lines, [summary])


def _row(name: str, figures: Mapping[str, float], width: int) -> str:
    return f"{name.ljust(width)} " + " ".join(f"{figures[name]:13.3f}" for name in MEASURES)
