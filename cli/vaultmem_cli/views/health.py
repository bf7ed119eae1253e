"""The vault in figures, its faults, and whether the index tells the truth."""

from __future__ import annotations

from vaultmem.answers import DoctorReport, Finding, Status, TableComparison, VerifyReport
from vaultmem.daemon_state import DaemonHealth
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean, pad
from vaultmem_cli.views.daemon import cycle_line
from vaultmem_cli.views.words import (
    count,
    duration,
    freshness_notes,
    labelled,
    listed,
    moment,
    size,
)


def status_page(status: Status, style: Style) -> Page:
    """The vault and its index in one short block."""
    ratio = (
        f", {status.index_bytes / status.vault_bytes:.1f} × the notes" if status.vault_bytes else ""
    )
    where = " in the cache folder" if status.index_location == "cache" else ""
    rows = [
        ("vault", style.bold(clean(status.vault))),
        ("index", f"{clean(status.index)}{where}"),
        ("", ""),
        ("notes", f"{status.notes:,}{_among(_note_figures(status))}"),
        ("files", _other_files(status)),
        ("blocks", f"{status.blocks:,}"),
        ("links", f"{status.links:,}{_among(_link_figures(status))}"),
        ("tags", f"{status.tags:,}"),
        ("open tasks", f"{status.tasks_open:,}"),
        ("warnings", f"{status.warnings:,}{_among(_warning_figures(status))}"),
        ("vectors", _vectors(status)),
        ("index size", f"{size(status.index_bytes)}{ratio}"),
        ("changed", moment(status.freshness.synced_ns)),
    ]
    dream = status.dream
    if dream is not None:
        rows += [("last dream", cycle_line(dream.last_cycle)), ("daemon", _daemon(dream))]
    return Page(labelled(rows, style), freshness_notes(status.freshness))


def _daemon(dream: DaemonHealth) -> str:
    return f"{dream.health}: {clean(dream.why)}" if dream.why else dream.health


def _among(figures: dict[str, int]) -> str:
    said = ", ".join(f"{number:,} {word}" for word, number in figures.items() if number)
    return f" ({said})" if said else ""


def _note_figures(status: Status) -> dict[str, int]:
    return {
        "excluded in Obsidian": status.excluded,
        "offloaded": status.offloaded,
        "unreadable": status.unreadable,
        "conflict copies"
        if status.conflict_copies > 1
        else "conflict copy": status.conflict_copies,
    }


def _link_figures(status: Status) -> dict[str, int]:
    return {"lead nowhere": status.unresolved, "ambiguous": status.ambiguous}


def _warning_figures(status: Status) -> dict[str, int]:
    return {"with unreadable properties": status.invalid_frontmatter}


def _other_files(status: Status) -> str:
    return ", ".join(
        [
            count(status.canvases, "canvas", "canvases"),
            count(status.bases, "base"),
            count(status.attachments, "attachment"),
        ]
    )


def _vectors(status: Status) -> str:
    if not status.vectors:
        return "none"
    return "; ".join(
        f"{vectors.blocks:,} of {status.blocks:,} blocks, {clean(vectors.model)}"
        + ("" if vectors.active else " (not the model in use)")
        for vectors in status.vectors
    )


# --- doctor ---


def doctor_page(report: DoctorReport, style: Style) -> Page:
    """Each finding with its mark, what to do about it, and the files it is about."""
    lines = [line for finding in report.findings for line in _finding(finding, style)]
    return Page(lines, [_summary(report)])


def _summary(report: DoctorReport) -> str:
    """What it comes to: all is well only where nothing was found."""
    faults = sum(finding.level in ("error", "warning") for finding in report.findings)
    advice = sum(finding.level == "advice" for finding in report.findings)
    if faults:
        return f"{count(faults, 'thing')} to look at."
    if advice:
        return f"Nothing is broken; {count(advice, 'thing')} could be better."
    return "All is well."


def _finding(finding: Finding, style: Style) -> list[str]:
    mark = {
        "ok": style.green("✓"),
        "advice": style.cyan("·"),
        "warning": style.yellow("!"),
        "error": style.red("✗"),
    }.get(finding.level, "·")
    lines = [f"{mark} {clean(finding.message)}"]
    if finding.hint:
        lines.append(f"  {style.dim(clean(finding.hint))}")
    return lines + listed(finding.paths, "    ")


# --- verify ---


def verify_page(report: VerifyReport, style: Style) -> Page:
    """The verdict, then every table and question that differs."""
    tables, questions = count(len(report.tables), "table"), count(report.queries, "question")
    took = style.dim(duration(report.seconds))
    if report.identical:
        lines = [f"{style.green('✓')} identical: {tables}, {questions}  {took}"]
    else:
        lines = [
            f"{style.red('✗')} different: the index does not say what the files say  {took}",
            *(
                line
                for table in report.tables
                if not table.identical
                for line in _table(table, style)
            ),
            *(
                f"  question {clean(query)!r} is answered differently"
                for query in report.queries_differing
            ),
        ]
    return Page(lines, _verify_notes(report))


def _table(table: TableComparison, style: Style) -> list[str]:
    rows = f"{table.rows_live:,} rows live, {table.rows_built:,} from the files"
    return [
        f"  {style.bold(pad(table.table, 20))} {rows}",
        *(f"    {clean(difference)}" for difference in table.differences),
    ]


def _verify_notes(report: VerifyReport) -> list[str]:
    notes = (
        [f"warning: {clean(report.note)} There was nothing to compare but a new index."]
        if report.note
        else []
    )
    if report.skipped:
        notes.append(
            f"warning: {count(len(report.skipped), 'file')} could not be read and compared:"
        )
        notes += listed(report.skipped)
    if not report.identical:
        notes.append("hint: `vaultmem rebuild` makes the index anew from the files.")
    return notes
