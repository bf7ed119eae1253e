"""``vaultmem review``: what the dream would change in notes of yours, and your word on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vaultmem_cli.completing import proposal_words
from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, PARTIAL, Call

if TYPE_CHECKING:
    from vaultmem.answers import SyncAnswer
    from vaultmem.dream.decided import ReviewOutcome
    from vaultmem.vault import Vault
    from vaultmem_daemon.dreaming.reviews import Reviews

NAME: Final = "review"
"""The command that these stand below; by itself it is the list."""
LIST: Final = "review-list"
DECIDED: Final = "review-decided"
REFUSED: Final = 4

review_app = typer.Typer(rich_markup_mode=None, invoke_without_command=True)

Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...",
        help="Proposals by their ids, or the beginnings of these.",
        show_default=False,
        autocompletion=proposal_words,
    ),
]


@review_app.callback(help="List what waits for your word; decide about it.")
def review(
    context: typer.Context,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> int:
    """What waits, when no command below it is named."""
    return DONE if context.invoked_subcommand is not None else _list(vault, as_json)


@review_app.command("list")
def list_(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """List what waits, with ids; the same as review alone."""
    return _list(vault, as_json)


def _list(vault: Path | None, as_json: bool) -> int:
    from vaultmem_cli.views.review import list_page

    call = Call.of(NAME, vault, as_json=as_json, schema=LIST)
    return call.ask(lambda v: _reviews(v).told(), list_page)


@review_app.command()
def show(
    proposal: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A proposal's id, or the beginning of one.",
            show_default=False,
            autocompletion=proposal_words,
        ),
    ],
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show a proposal whole: why, what speaks for it, and its diff."""
    from vaultmem_cli.views.review import show_page

    call = Call.of(NAME, vault, as_json=as_json, schema=LIST)
    return call.ask(lambda v: _reviews(v).told(proposal), show_page)


@review_app.command()
def accept(ids: Ids, vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Carry proposals out, each as one event that can be undone."""
    return _decide(vault, as_json, lambda reviews: reviews.accept(ids))


@review_app.command()
def reject(ids: Ids, vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Turn proposals down: they do not come back while what they are about stays so."""
    return _decide(vault, as_json, lambda reviews: reviews.reject(ids))


def _decide(vault: Path | None, as_json: bool, decide: Callable[[Reviews], ReviewOutcome]) -> int:
    from vaultmem_cli.views.review import decided_page

    call = Call.of(NAME, vault, as_json=as_json, schema=DECIDED)
    return call.ask(lambda v: decide(_reviews(v)), decided_page, verdict)


def verdict(outcome: ReviewOutcome) -> int:
    """Refused when nothing could be done, done in part when some could not."""
    if not (outcome.void or outcome.failed):
        return DONE
    return PARTIAL if outcome.applied or outcome.rejected or outcome.settled else REFUSED


def _reviews(vault: Vault) -> Reviews:
    from vaultmem_daemon.dreaming.reviews import Reviews

    return Reviews(vault, time.time_ns)


def sync_and_decide(vault: Vault, sync: Callable[[], SyncAnswer]) -> SyncAnswer:
    """A sync that then carries out what is ticked in the review note; the index has that at once."""
    from dataclasses import replace

    answer = sync()
    done = _reviews(vault).take_decisions()
    return replace(answer, review=done) if done.warnings or not done.is_empty else answer
