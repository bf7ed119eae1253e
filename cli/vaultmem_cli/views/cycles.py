"""The last cycles, a line each, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from vaultmem.dream.answers import CycleLine, CyclesAnswer, UsageAnswer, UsageLine
from vaultmem.dream.report import CycleState
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, pad
from vaultmem_cli.views.dream import money
from vaultmem_cli.views.words import count, duration, moment


def list_page(answer: CyclesAnswer, style: Style) -> Page:
    """Name, when, what came of it."""
    if not answer.cycles:
        hint = "`vaultmem dream run` runs one; `vaultmem daemon install` does so each night."
        return Page(notes=["No cycle has run on this vault yet.", f"hint: {hint}"])
    width = max(cells(line.cycle) for line in answer.cycles)
    lines = [
        f"{style.cyan(pad(clean(line.cycle), width))}  {moment(line.began_ns)[11:]}  {_said(line, style)}"
        for line in answer.cycles
    ]
    more = "; older ones with a higher --limit" if answer.more else ""
    notes = [f"{count(len(answer.cycles), 'cycle')}{more}", "Why: vaultmem dream explain CYCLE"]
    return Page(lines, notes)


def _said(line: CycleLine, style: Style) -> str:
    parts = [
        str(line.strategy),
        count(line.applied, "edit"),
        f"{line.waiting:,} for you" if line.waiting else "",
        style.yellow(f"{line.undone:,} undone") if line.undone else "",
        style.yellow(str(line.state)) if line.state is not CycleState.DONE else "",
        style.dim(", ".join(_work(line))),
    ]
    return "  ".join(filter(None, parts))


def _work(line: CycleLine) -> Iterator[str]:
    if line.state is CycleState.FAILED and not line.changed:
        return  # it was cut off, and only its edits are known
    yield f"{line.changed:,} notes looked at"
    yield duration(line.seconds) + (f" in {line.parts:,} parts" if line.parts > 1 else "")


def usage_page(answer: UsageAnswer, style: Style) -> Page:
    """A line for each cycle that asked a model, for each model, and for all."""
    since = f" since {moment(answer.since_ns)}" if answer.since_ns is not None else ""
    if not answer.cycles:
        ran = count(answer.looked_at, "cycle") + since
        return Page([f"No model was asked in {ran}, so it cost nothing."])
    rows = [(clean(line.cycle), clean(line.model), line) for line in answer.cycles]
    totals = [("all cycles", clean(line.model), line) for line in answer.models]
    if len(answer.models) > 1:
        totals.append(("all cycles", "all models", answer.total))
    widths = [max(cells(row[at]) for row in (*rows, *totals)) for at in (0, 1)]  # type: ignore[arg-type]
    shown = [_row(row, widths) for row in rows]
    summed = [style.bold(_row(row, widths)) for row in totals]
    return Page([*shown, *summed], [f"{count(answer.looked_at, 'cycle')}{since}"])


def _row(row: tuple[str, str, UsageLine], widths: list[int]) -> str:
    cycle, model, line = row
    unknown = f" + {count(line.unpriced, 'call')} of unknown price" if line.unpriced else ""
    price = money(line.cost) + unknown if line.cost or not line.unpriced else "price not known"
    failed = f"{line.failures:,} failed" if line.failures else ""
    figures = [
        pad(cycle, widths[0]),
        pad(model, widths[1]),
        f"{count(line.calls, 'call'):>11}",
        f"{line.tokens_in:>9,} in  {line.tokens_out:>9,} out",
        price,
        failed,
    ]
    return "  ".join(filter(None, figures))
