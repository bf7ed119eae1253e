"""How embedders, and a change from one to another, are shown."""

from __future__ import annotations

from vaultmem.embedders import EmbedderReport, EmbedderView, RemoveAnswer, UseAnswer
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, pad
from vaultmem_cli.views.words import count, duration, labelled, size


def list_page(report: EmbedderReport, style: Style) -> Page:
    """One embedder a line: name, vectors, state."""
    names = [clean(view.name) for view in report.embedders]
    width = max(map(cells, names)) + 2
    held = [_held(view) for view in report.embedders]
    held_width = max(map(cells, held)) + 2
    lines = [
        _mark(view, style)
        + pad(name, width)
        + pad(kept, held_width)
        + style.dim(
            ", ".join(filter(None, (view.about, "" if view.on_machine else "not on this machine")))
        )
        for view, name, kept in zip(report.embedders, names, held, strict=True)
    ]
    return Page(lines, _notes(report))


def _mark(view: EmbedderView, style: Style) -> str:
    if view.answering:
        return style.green("* ")
    return style.yellow("> ") if view.chosen else "  "


def _held(view: EmbedderView) -> str:
    return f"{count(view.vectors, 'vector')} × {view.dim}" if view.vectors else "-"


def status_page(report: EmbedderReport, style: Style) -> Page:
    """What answers, and what is missing."""
    beside = [
        f"{clean(view.name)} ({count(view.vectors, 'vector')})"
        for view in report.embedders
        if view.vectors and not view.answering
    ]
    done = report.blocks - report.without
    rows = [
        ("chosen", f"{clean(report.chosen)} ({report.origin})"),
        ("answers", clean(report.answering) or "none"),
        ("embedded", f"{done:,} of {count(report.blocks, 'block')}"),
        ("beside", ", ".join(beside) or "none"),
        ("models", clean(report.models)),
        ("threads", f"{report.threads}"),
    ]
    return Page(labelled(rows, style), _notes(report))


def _notes(report: EmbedderReport) -> list[str]:
    notes = []
    if report.problem:
        notes.append(f"error: {clean(report.problem)}")
    elif report.without and report.chosen != report.answering:
        notes.append(
            f"note: {report.chosen} lacks {count(report.without, 'block')}; "
            f"`vaultmem embedder use {report.chosen}` goes on."
        )
    return notes


def use_page(answer: UseAnswer, style: Style) -> Page:
    """What answers now, and what that took."""
    rows = [
        ("embedder", clean(answer.name)),
        ("before", clean(answer.before) or "none"),
        ("vectors", f"{answer.blocks:,} × {answer.dim}" if answer.blocks else "none"),
        ("new", f"{answer.embedded:,}"),
        ("kept", ", ".join(map(clean, answer.kept)) or "none"),
        ("settings", clean(answer.config)),
        ("took", duration(answer.seconds)),
    ]
    return Page(labelled(rows, style), [f"note: {clean(answer.note)}"] if answer.note else [])


def remove_page(answer: RemoveAnswer, style: Style) -> Page:
    """What was freed."""
    rows = [
        ("embedder", clean(answer.name)),
        ("vectors", f"{answer.vectors:,}"),
        ("cached", f"{answer.cached:,}"),
        ("freed", size(answer.freed_bytes)),
        *(("deleted", clean(path)) for path in answer.files),
    ]
    return Page(labelled(rows, style))
