"""The receipt of a change: what was done to which file, and how to take it back."""

from __future__ import annotations

from vaultmem.edits.answers import ChangedFile, WriteAnswer
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean
from vaultmem_cli.views.words import SHOWN, count

_TRASH = ".trash/"


def receipt_page(answer: WriteAnswer, style: Style) -> Page:
    """Moves and edited files, a line each; for a dry run, the diff. How to undo it goes to stderr."""
    if not answer.files:
        return Page([], [*_warnings(answer), "Nothing to change: it is so already."])
    lines = [_line(file, style) for file in answer.files[:SHOWN]]
    if len(answer.files) > SHOWN:
        lines.append(f"… and {count(len(answer.files) - SHOWN, 'more file')}")
    if answer.dry_run:
        lines += diff_lines("".join(file.diff for file in answer.files), style)
    return Page(lines, [*_warnings(answer), *_summary(answer)])


def diff_lines(diff: str, style: Style) -> list[str]:
    """A unified diff, coloured as usual; control characters shown by their names."""
    return [_coloured(clean(line), style) for line in diff.split("\n")[:-1]]


def _coloured(line: str, style: Style) -> str:
    if line.startswith(("--- ", "+++ ")):
        return style.bold(line)
    if line.startswith("@@"):
        return style.cyan(line)
    if line.startswith("+"):
        return style.green(line)
    return style.red(line) if line.startswith("-") else line


def _line(file: ChangedFile, style: Style) -> str:
    links = f"  {style.dim(count(file.links, 'link'))}" if file.links else ""
    if file.path_after is not None:
        verb = "trash  " if file.path_after.startswith(_TRASH) else "move   "
        return f"{verb}  {clean(file.path)} → {clean(file.path_after)}{links}"
    verb = "create " if file.hash_before is None else "edit   "
    return f"{verb}  {clean(file.path)}{links}"


def _is_folder(file: ChangedFile) -> bool:
    """Whether it is a folder that moves with all in it."""
    return file.path_after is not None and file.hash_before is None


def _warnings(answer: WriteAnswer) -> list[str]:
    return [f"warning: {clean(warning)}" for warning in answer.warnings]


def _summary(answer: WriteAnswer) -> list[str]:
    folders = sum(map(_is_folder, answer.files))
    files = len(answer.files) - folders
    figures = count(folders, "folder") if folders else ""
    if files or not folders:
        figures += f"{', ' if folders else ''}{count(files, 'file')}"
    if answer.links:
        figures += f", {count(answer.links, 'link')}"
    if answer.dry_run:
        return [f"Dry run: {figures} would change; nothing was written."]
    lines = [f"{figures.capitalize()} changed. To take it back: vaultmem undo {answer.event}"]
    return [*([f"note: {answer.note}"] if answer.note else []), *lines]
