"""What the journal tells, line by line; what an undo did; what a proof has shown."""

from __future__ import annotations

from collections.abc import Sequence

from vaultmem.history.answers import (
    Collected,
    DiffAnswer,
    DiffHunk,
    FileDiff,
    HistoryAnswer,
    HistoryEntry,
    Proof,
    UndoneFile,
    UndoReport,
    VersionView,
)
from vaultmem.history.times import shown_time
from vaultmem.notes.frontmatter import read_frontmatter
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, clean_block, pad, shorten
from vaultmem_cli.views.words import SHOWN, count, duration, labelled, listed, size

WIDEST = 44
"""Columns for what happened; longer ones shift their own line only."""
LINES_OF_CONFLICT = 60
"""Lines of a diff that a refusal shows at most; ``--json`` has all."""


def history_page(answer: HistoryAnswer, style: Style) -> Page:
    """Two lines an event, newest first: when, what and how many lines; then its id, who did it and why."""
    of_note = answer.path is not None
    done = [_done(entry, of_note=of_note) for entry in answer.entries]
    widest = WIDEST if style.width is None else min(WIDEST, max(20, style.width // 2))
    width = max((cells(text) for text in done if cells(text) <= widest), default=0)
    lines = [
        line
        for entry, text in zip(answer.entries, done, strict=True)
        for line in _entry(entry, pad(shorten(text, style.width and widest), width), style)
    ]
    return Page(lines, [_history_summary(answer)])


def _entry(entry: HistoryEntry, done: str, style: Style) -> list[str]:
    figures = _figures(entry.added, entry.removed, style)
    undone = style.yellow("undone") if entry.undone_by else ""
    first = [style.dim(shown_time(entry.time_ns)), done, figures, undone]
    why = ": ".join(filter(None, (clean(entry.actor), clean(entry.cause))))
    return [
        "  ".join(filter(None, first)).rstrip(),
        f"  {style.cyan(clean(entry.event))}  {style.dim(why)}".rstrip(),
    ]


def _done(entry: HistoryEntry, *, of_note: bool) -> str:
    """What happened; in a list of the vault with the note, or how many there are."""
    if of_note or not entry.files:
        return clean(entry.what)
    more = f" and {count(entry.files - 1, 'more file')}" if entry.files > 1 else ""
    return f"{clean(entry.what)}: {clean(entry.path)}{more}"


def _plain_figures(added: int | None, removed: int | None) -> str:
    if added is None or removed is None:
        return ""
    return " ".join(filter(None, (f"+{added}" if added else "", f"-{removed}" if removed else "")))


def _figures(added: int | None, removed: int | None, style: Style) -> str:
    if added is None or removed is None:
        return ""
    came = style.green(f"+{added}") if added else ""
    went = style.red(f"-{removed}") if removed else ""
    return " ".join(filter(None, (came, went)))


def _history_summary(answer: HistoryAnswer) -> str:
    where = clean(answer.path) if answer.path is not None else "the vault"
    if not answer.entries:
        return f"The journal tells nothing of {where}."
    gone = "" if answer.exists else ", which is gone"
    more = "; older ones with a higher --limit" if answer.more else ""
    return f"{count(len(answer.entries), 'event')} of {where}{gone}{more}"


# -- a note as it was --------------------------------------------------------------------------------------------


def version_page(view: VersionView, style: Style) -> Page:
    """Where it was and since when, a blank line, its text without the property block."""
    lines = [f"{style.cyan(clean(view.path))}  {style.dim(_since(view))}"]
    if body := _body(view.text):
        lines += ["", clean_block(body)]
    return Page(lines, _doubts(view))


def version_body_page(view: VersionView, _: Style) -> Page:
    """The text alone, without the property block."""
    body = _body(view.text)
    return Page([clean_block(body)] if body else [], _doubts(view))


def version_raw_page(view: VersionView, _: Style) -> Page:
    """The file as it was, byte for byte."""
    return Page(notes=_doubts(view), verbatim=view.text)


def _since(view: VersionView) -> str:
    since = f", unchanged since {shown_time(view.since_ns)}" if view.since_ns is not None else ""
    return f"at {shown_time(view.at_ns)}{since}"


def _doubts(view: VersionView) -> list[str]:
    return [f"note: {view.note}"] if view.note else []


def _body(text: str) -> str:
    return text[read_frontmatter(text).body_start :].strip("\r\n")


# -- what changed ------------------------------------------------------------------------------------------------


def diff_page(answer: DiffAnswer, style: Style) -> Page:
    """A unified diff of each file; what is known by its hash only is named."""
    lines: list[str] = []
    for file in answer.files:
        lines += _file_diff(file, style)
    return Page(lines, [_diff_summary(answer)])


def _file_diff(file: FileDiff, style: Style) -> list[str]:
    name = clean(file.path)
    if file.path_before is not None:
        name = f"{clean(file.path_before)} → {name}"
    figures = _figures(file.added, file.removed, style)
    by = style.dim(_by(", ".join(map(clean, file.actors)))) if file.actors else ""
    note = style.yellow(f"({file.note})") if file.note else ""
    head = [style.bold(name), f"{file.status}", figures, note, by]
    return ["  ".join(filter(None, head)), *hunk_lines(file.hunks, style)]


def _by(actor: str) -> str:
    """Who did it; of a person the journal says "by hand"."""
    return actor if actor.startswith("by ") else f"by {actor}"


def hunk_lines(hunks: Sequence[DiffHunk], style: Style) -> list[str]:
    """The hunks as a unified diff writes them."""
    lines = []
    for hunk in hunks:
        old, new = _range(hunk.old_start, hunk.old_lines), _range(hunk.new_start, hunk.new_lines)
        lines.append(style.cyan(f"@@ -{old} +{new} @@"))
        lines += [_coloured(clean(line), style) for line in hunk.lines]
    return lines


def _range(start: int, many: int) -> str:
    return str(start) if many == 1 else f"{start},{many}"


def _coloured(line: str, style: Style) -> str:
    if line.startswith("+"):
        return style.green(line)
    return style.red(line) if line.startswith("-") else line


def _diff_summary(answer: DiffAnswer) -> str:
    since, until = shown_time(answer.since_ns), shown_time(answer.until_ns)
    span = f"from {since} to {until}"
    about = f" that mentions “{clean(answer.subject)}”" if answer.subject else ""
    by = f" {_by(clean(answer.by))}" if answer.by else ""
    if not answer.files:
        return f"Nothing{about} was changed{by} {span}."
    unknown = sum(not file.known for file in answer.files)
    rest = f", {unknown} known by hash only" if unknown else ""
    added = sum(file.added for file in answer.files)
    removed = sum(file.removed for file in answer.files)
    figures = _plain_figures(added, removed)
    # A path has two entries where one file went and another came.
    many = count(len({file.path for file in answer.files}), "file")
    return f"{many}{by}{f', {figures}' if figures else ''}{rest}, {span}"


# -- going back --------------------------------------------------------------------------------------------------


def undo_page(report: UndoReport, style: Style) -> Page:
    """A line for each file; for a dry run with its diff; for a refusal the diff of what came after."""
    if report.conflicts:
        return _refusal(report, style)
    if not report.files:
        return Page(notes=["Nothing to undo: the files are as they were before."])
    lines: list[str] = []
    for file in report.files if report.dry_run else report.files[:SHOWN]:
        lines += _undone_line(file, style, with_hunks=report.dry_run)
    if not report.dry_run and len(report.files) > SHOWN:
        lines.append(f"… and {count(len(report.files) - SHOWN, 'more file')}")
    return Page(lines, _undo_notes(report))


def _undone_line(file: UndoneFile, style: Style, *, with_hunks: bool) -> list[str]:
    where = clean(file.path)
    if file.path_after != file.path:
        where = f"{where} → {clean(file.path_after)}"
    note = f"  {style.yellow(clean(file.note))}" if file.note else ""
    lines = [f"{pad(file.action, 8)}  {where}{note}"]
    for part in file.kept:
        lines.append(style.yellow(f"  line {part.line} stays, edited since:"))
        lines += [style.dim(f"    {clean(line)}") for line in part.lines]
    if with_hunks:
        lines += hunk_lines(file.hunks, style)
    return lines


def _undo_notes(report: UndoReport) -> list[str]:
    many = count(len(report.undone), "event")
    files = count(len(report.files), "file")
    kept = f"; {count(report.kept, 'part')} of yours left as it is" if report.kept else ""
    if report.kept > 1:
        kept = kept.replace("as it is", "as they are")
    if report.dry_run:
        return [f"Dry run: {many}, {files} would change{kept}; nothing was written."]
    note = [f"note: {clean(report.note)}"] if report.note else []
    return [
        *note,
        f"Undone: {many}, {files}{kept}. To take that back: vaultmem undo {report.event}",
    ]


def _refusal(report: UndoReport, style: Style) -> Page:
    lines: list[str] = []
    for conflict in report.conflicts:
        if conflict.hunks:
            lines.append(f"{style.bold(clean(conflict.path))}  edited since")
            lines += hunk_lines(conflict.hunks, style)
    if len(lines) > LINES_OF_CONFLICT:
        more = len(lines) - LINES_OF_CONFLICT
        lines = [*lines[:LINES_OF_CONFLICT], style.dim(f"… and {count(more, 'more line')}")]
    notes = ["error: Nothing was undone."]
    for conflict in report.conflicts[:SHOWN]:
        path = "" if conflict.path in conflict.reason else f"{clean(conflict.path)}: "
        notes.append(f"  {path}{clean(conflict.reason)}")
    if len(report.conflicts) > SHOWN:
        notes.append(f"  … and {len(report.conflicts) - SHOWN:,} more")
    if any(conflict.keep_mine for conflict in report.conflicts):
        notes.append("hint: With --keep-mine, what was changed since stays and all else is undone.")
    return Page(lines, notes)


# -- proving and letting go --------------------------------------------------------------------------------------


def prove_page(proof: Proof, style: Style) -> Page:
    """What was proved, in figures; every fault by name."""
    if not proof.proven:
        verdict = style.red(f"✗ {count(len(proof.faults), 'fault')}")
    elif proof.events:
        verdict = style.green("✓ proven: every recorded change is as its receipt says")
    else:
        verdict = style.yellow("There is nothing to prove: the journal tells of no change.")
    unwitnessed = [
        f"{proof.hash_only:,} known by hash only" if proof.hash_only else "",
        f"{proof.let_go:,} let go" if proof.let_go else "",
        f"{count(proof.gaps, 'unrecorded edit')} in between" if proof.gaps else "",
    ]
    differing = [
        f"{len(proof.edited_since):,} edited since" if proof.edited_since else "",
        f"{len(proof.gone_since):,} gone since" if proof.gone_since else "",
    ]
    rows = [
        ("events", f"{proof.events:,}"),
        ("receipts", _with(f"{proof.receipts:,} replayed", unwitnessed)),
        ("versions", f"{proof.versions:,} sound"),
        ("files", _with(f"{proof.matched:,} of {proof.files:,} as recorded", differing)),
        ("took", duration(proof.seconds)),
    ]
    lines = [verdict, *labelled(rows, style)]
    lines += [f"{style.red('✗')} {clean(_fault(f.event, f.message))}" for f in proof.faults]
    notes = _named("edited since", proof.edited_since) + _named("gone since", proof.gone_since)
    return Page(lines, notes + _incomplete(proof))


def _incomplete(proof: Proof) -> list[str]:
    """What the journal may lack."""
    notes = []
    if proof.cut_off:
        many = count(len(proof.cut_off), "line")
        were = "was" if len(proof.cut_off) == 1 else "were"
        notes += [f"note: {many} of the journal {were} cut off by a crash or a full disk:"]
        notes += listed(proof.cut_off)
    if proof.unnamed:
        many = count(proof.unnamed, "stored version")
        named = "is" if proof.unnamed == 1 else "are"
        why = "Is a part of the journal lost, or on another device?"
        notes.append(f"note: {many} {named} named by no event. {why}")
    return notes


def _fault(event: str, message: str) -> str:
    return f"{message} ({event})"


def _with(figure: str, parts: Sequence[str]) -> str:
    said = ", ".join(filter(None, parts))
    return f"{figure}, {said}" if said else figure


def _named(what: str, paths: Sequence[str]) -> list[str]:
    return [f"note: {count(len(paths), 'file')} {what}:", *listed(paths)] if paths else []


def gc_page(answer: Collected, style: Style) -> Page:
    """How many versions went, and how much room that makes."""
    went = answer.let_go + answer.orphans
    rows = [
        ("let go", f"{count(answer.let_go, 'version')}{_before(answer)}"),
        ("orphans", f"{answer.orphans:,}" if answer.orphans else ""),
        ("freed", size(answer.bytes_freed) if went else ""),
        ("kept", count(answer.kept, "version")),
    ]
    notes = []
    if answer.dry_run:
        notes.append("Dry run: nothing was removed.")
    elif not went:
        notes.append("Nothing to remove.")
    return Page(labelled(rows, style), notes)


def _before(answer: Collected) -> str:
    if answer.until_ns is None:
        return ", kept for ever"
    return f" from before {shown_time(answer.until_ns)}"
