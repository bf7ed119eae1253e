"""The commands that look back and go back: what the journal tells, and what it makes possible."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vaultmem_cli.completing import undo_words
from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, FAILED, NOTHING_FOUND, PARTIAL, Call

if TYPE_CHECKING:
    from vaultmem.history.answers import DiffAnswer, HistoryAnswer, Proof, UndoReport
    from vaultmem.vault import Vault

REFUSED: Final = 4
SHOW_AT: Final = "show-at"
"""The schema of ``show --at``, which answers something else than ``show``."""


def history(
    note: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NOTE",
            help="A note's path, name, alias or title, also of one that is gone. Without: the whole vault.",
            show_default=False,
        ),
    ] = None,
    vault: VaultOption = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", help="At most so many events (20).")
    ] = 20,
    as_json: JsonOption = False,
) -> int:
    """List what was changed, when, by whom and why."""
    from vaultmem_cli.views.history import history_page

    return Call.of("history", vault, as_json=as_json).ask(
        lambda v: v.history.history(_name(note, v) if note else None, limit=limit),
        history_page,
        _any_entry,
    )


def _name(words: list[str], vault: Vault) -> str:
    from vaultmem_cli.naming import note_name

    return note_name(words, vault.root, Path.cwd())


def _any_entry(answer: HistoryAnswer) -> int:
    return DONE if answer.entries else NOTHING_FOUND


def show_at(
    note: list[str], time: str, vault: Path | None, *, text: bool, raw: bool, as_json: bool
) -> int:
    """``vaultmem show NOTE --at TIME``."""
    from vaultmem_cli.views.history import version_body_page, version_page, version_raw_page

    page = version_raw_page if raw else version_body_page if text else version_page
    return Call.of("show", vault, as_json=as_json, schema=SHOW_AT).ask(
        lambda v: v.history.at(_name(note, v), time), page
    )


def diff(
    vault: VaultOption = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help='From then on: a date, a time, yesterday, "2 days ago" (24 hours ago).',
            show_default=False,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="Up to then (now).", show_default=False),
    ] = None,
    subject: Annotated[
        str,
        typer.Option(
            "--subject",
            metavar="TEXT",
            help="Only what mentions this: path, title, reason or changed lines.",
            show_default=False,
        ),
    ] = "",
    by: Annotated[
        str,
        typer.Option("--by", metavar="ACTOR", help="Only what this one did.", show_default=False),
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Show what has changed since a time, all in all."""
    from vaultmem_cli.views.history import diff_page

    return Call.of("diff", vault, as_json=as_json).ask(
        lambda v: v.history.diff(since, until=until, subject=subject, by=by), diff_page, _any_file
    )


def _any_file(answer: DiffAnswer) -> int:
    return DONE if answer.files else NOTHING_FOUND


def undo(
    events: Annotated[
        list[str],
        typer.Argument(
            metavar="EVENT...",
            help="An event's id or the beginning of one, last, or cycle:NAME for all that a dream did; several are undone "
            "as one.",
            show_default=False,
            autocompletion=undo_words,
        ),
    ],
    vault: VaultOption = None,
    keep_mine: Annotated[
        bool,
        typer.Option(
            "--keep-mine",
            help="What was changed since stays; all else is taken back. For a cycle it is so anyway.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show what would be done, and do nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Take back what an event did, all of it or nothing; of a cycle all but what you changed since."""
    from vaultmem_cli.views.history import undo_page

    return Call.of("undo", vault, as_json=as_json).ask(
        lambda v: _undone(v, events, keep_mine=keep_mine, dry_run=dry_run), undo_page, _undo_code
    )


def _undone(vault: Vault, events: list[str], *, keep_mine: bool, dry_run: bool) -> UndoReport:
    """The report, of a refusal too: its diffs are what the user needs."""
    from vaultmem.history.history import UndoRefused

    try:
        return vault.history.undo(events, keep_mine=keep_mine, dry_run=dry_run, by="vaultmem undo")
    except UndoRefused as refusal:
        return refusal.report


def _undo_code(report: UndoReport) -> int:
    if report.conflicts:
        return REFUSED
    if not report.files:
        return NOTHING_FOUND
    return PARTIAL if report.kept else DONE


def prove(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Replay every change and prove that nothing else was changed."""
    from vaultmem_cli.views.history import prove_page

    return Call.of("prove", vault, as_json=as_json).ask(
        lambda v: v.history.prove(), prove_page, _proven
    )


def _proven(proof: Proof) -> int:
    return DONE if proof.proven else FAILED


def gc(
    vault: VaultOption = None,
    keep_days: Annotated[
        int | None,
        typer.Option(
            "--keep-days",
            metavar="N",
            help="Keep versions so many days (365, or the setting history.keep_days); 0: for ever.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Say what would go, and remove nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove old versions of notes; notes and journal stay."""
    from vaultmem_cli.views.history import gc_page

    return Call.of("gc", vault, as_json=as_json).ask(
        lambda v: v.history.gc(keep_days, dry_run=dry_run, by="vaultmem gc"), gc_page
    )


COMMANDS: Final[tuple[tuple[str, Callable[..., int]], ...]] = (
    ("history", history),
    ("diff", diff),
    ("undo", undo),
    ("prove", prove),
    ("gc", gc),
)
"""Name and function of each command, in the order of the help."""
