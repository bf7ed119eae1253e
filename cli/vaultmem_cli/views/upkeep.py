"""What a rebuild and a sync did."""

from __future__ import annotations

from collections.abc import Sequence

from vaultmem.answers import RebuildReport, SyncAnswer, WarningView
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean
from vaultmem_cli.views.review import decided_lines
from vaultmem_cli.views.words import SHOWN, count, duration, labelled, listed, size

MOST_LEFT_OUT = 10
"""Files left out that a page names; JSON has them all."""


def rebuild_page(report: RebuildReport, style: Style) -> Page:
    """The new index in figures."""
    faults = [
        f"{report.unresolved:,} lead nowhere" if report.unresolved else "",
        f"{report.ambiguous:,} ambiguous" if report.ambiguous else "",
    ]
    said = ", ".join(filter(None, faults))
    ratio = (
        f", {report.index_bytes / report.vault_bytes:.1f} × the notes" if report.vault_bytes else ""
    )
    rows = [
        (
            "notes",
            f"{report.notes:,} in {count(report.files, 'file')}, {count(report.blocks, 'block')}",
        ),
        ("links", f"{report.links:,}{f' ({said})' if said else ''}"),
        ("vectors", f"{report.vectors:,}" if report.vectors else "none"),
        ("index", f"{clean(report.index)}  {size(report.index_bytes)}{ratio}"),
        ("took", duration(report.seconds)),
    ]
    return Page(labelled(rows, style), _rebuild_notes(report))


def quiet_rebuild_page(report: RebuildReport, _: Style) -> Page:
    """Nothing but warnings."""
    return Page(notes=_rebuild_notes(report))


def _rebuild_notes(report: RebuildReport) -> list[str]:
    notes = _unreadable(report.unreadable) + _left_out(report.left_out)
    if report.invalid_frontmatter:
        many = count(report.invalid_frontmatter, "note")
        notes.append(
            f"warning: the properties of {many} cannot be read; `vaultmem doctor` names them."
        )
    return notes


def sync_page(answer: SyncAnswer, style: Style) -> Page:
    """Each change in a line, then all in figures; then what was ticked in the review note."""
    lines = [
        *_changes(style.green("+"), answer.added),
        *_changes(style.yellow("~"), answer.changed),
        *_changes(style.cyan("→"), [f"{old} → {new}" for old, new in answer.moved]),
        *_changes(style.red("-"), answer.removed),
    ]
    lines.append(_sync_summary(answer, style))
    decided, notes = decided_lines(answer.review, style) if answer.review else ([], [])
    return Page([*lines, *decided], [*_sync_notes(answer), *notes])


def quiet_sync_page(answer: SyncAnswer, _: Style) -> Page:
    """Nothing but warnings."""
    warnings = answer.review.warnings if answer.review else ()
    return Page(notes=[*_sync_notes(answer), *(f"warning: {clean(each)}" for each in warnings)])


def _changes(mark: str, paths: Sequence[str]) -> list[str]:
    lines = [f"{mark} {clean(path)}" for path in paths[:SHOWN]]
    if len(paths) > SHOWN:
        lines.append(f"{mark} … and {len(paths) - SHOWN:,} more")
    return lines


def _sync_summary(answer: SyncAnswer, style: Style) -> str:
    figures = {
        "added": len(answer.added),
        "changed": len(answer.changed),
        "moved": len(answer.moved),
        "removed": len(answer.removed),
    }
    parts = [f"{number:,} {word}" for word, number in figures.items() if number]
    parts.append(f"{answer.unchanged:,} unchanged")
    return f"{', '.join(parts)}  {style.dim(duration(answer.seconds))}"


def _sync_notes(answer: SyncAnswer) -> list[str]:
    notes = [f"note: {clean(answer.note)}"] if answer.note else []
    if answer.unseen:
        kept = count(answer.unseen, "file")
        notes.append(
            f"warning: {kept} could not be looked at; the index keeps what it knew of them."
        )
    return notes + _unreadable(answer.unreadable) + _left_out(answer.left_out)


def _unreadable(paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    return [f"warning: {count(len(paths), 'file')} could not be read:", *listed(paths)]


def _left_out(warnings: Sequence[WarningView]) -> list[str]:
    if not warnings:
        return []
    files = count(len(warnings), "file")
    messages = [warning.message for warning in warnings]
    return [
        f"warning: {files} not in the index, or by name only:",
        *listed(messages, most=MOST_LEFT_OUT),
    ]
