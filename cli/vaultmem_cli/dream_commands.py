"""``vaultmem dream`` and ``vaultmem usage``: a cycle of upkeep by hand or by cron, what cycles decided, what they cost."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vaultmem_cli.completing import cycle_words
from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, FAILED, NOTHING_FOUND, PARTIAL, Call

if TYPE_CHECKING:
    from vaultmem.dream.answers import CycleAnswer, CyclesAnswer, UsageAnswer
    from vaultmem.vault import Vault
    from vaultmem_cli.stopping import Stop

NAME: Final = "dream"
"""The command that these stand below."""
CYCLE: Final = "dream-cycle"
LIST: Final = "dream-list"
USAGE: Final = "usage"

dream_app = typer.Typer(
    help="Tend the notes now, and see what each night did and why.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class StrategyName(StrEnum):
    """What a cycle may be asked to be for."""

    CONSOLIDATE = "consolidate"
    SYNTHESIZE = "synthesize"
    CONSERVE = "conserve"


@dream_app.command("run")
def run_(
    vault: VaultOption = None,
    now: Annotated[
        bool,
        typer.Option("--now", help="Look at every note, not only at those that have changed."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", "-n", help="Show each decision with its diff, and change nothing."
        ),
    ] = False,
    strategy: Annotated[
        StrategyName | None,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="consolidate, synthesize, or conserve: merge, supersede and archive nothing.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors, for cron.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Run a cycle: mend what may be mended, put the rest before you. Ctrl-C ends it between two edits."""
    from vaultmem_cli.stopping import stopping
    from vaultmem_cli.views.dream import preview_page, quiet_page, run_page

    call = Call.of(NAME, vault, as_json=as_json, quiet=quiet, schema=CYCLE)
    page = quiet_page if quiet else preview_page if dry_run else run_page
    with stopping(call.console) as stop:
        return call.ask(
            lambda v: _cycle(v, call, stop, strategy, dry_run=dry_run, now=now), page, _verdict
        )


def _cycle(
    vault: Vault,
    call: Call,
    stop: Stop,
    strategy: StrategyName | None,
    *,
    dry_run: bool,
    now: bool,
) -> CycleAnswer:
    from vaultmem.dream.answers import PROPOSING, cycle_answer
    from vaultmem.dream.report import Strategy
    from vaultmem_daemon.dreaming.pipeline import run_cycle

    def show(stage: str) -> None:
        names = [str(each) for each in PROPOSING]
        place = f" ({names.index(stage) + 1} of {len(names)})" if stage in names else ""
        call.progress.show(f"dreaming: {stage}{place}")

    report = run_cycle(
        vault,
        strategy=Strategy(strategy.value.capitalize()) if strategy else None,
        dry_run=dry_run,
        now=now,
        cancelled=stop.is_asked,
        progress=show,
    )
    return cycle_answer([report])


def _verdict(answer: CycleAnswer) -> int:
    from vaultmem.dream.report import CycleState, Outcome

    if answer.state is CycleState.FAILED:
        return FAILED
    if answer.state is CycleState.CANCELLED or answer.of(Outcome.FAILED):
        return PARTIAL
    return DONE


@dream_app.command()
def explain(
    cycle: Annotated[
        str,
        typer.Argument(
            metavar="CYCLE",
            help="A cycle's name, or last.",
            show_default=False,
            autocompletion=cycle_words,
        ),
    ],
    proposal: Annotated[
        str,
        typer.Argument(
            metavar="PROPOSAL",
            help="Only this decision: the id of a proposal, or the beginning of one.",
            show_default=False,
        ),
    ] = "",
    vault: VaultOption = None,
    as_json: JsonOption = False,
    seen: Annotated[
        bool,
        typer.Option(
            "--seen", help="All that the cycle saw and left alone, in place of the decisions."
        ),
    ] = False,
) -> int:
    """Show every decision of a cycle with its reason and its numbers."""
    from vaultmem_cli.views.dream import decision_page, explain_page, seen_page

    def question(vault: Vault) -> CycleAnswer:
        from vaultmem.cycles import explain_cycle
        from vaultmem.errors import UsageError

        if seen and proposal:
            raise UsageError("--seen is about the whole cycle, not about one PROPOSAL.")
        return explain_cycle(vault.root, cycle, proposal)

    call = Call.of(NAME, vault, as_json=as_json, schema=CYCLE)
    page = seen_page if seen else decision_page if proposal else explain_page
    return call.ask(question, page)


@dream_app.command("list")
def list_(
    vault: VaultOption = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many cycles.")
    ] = 10,
    as_json: JsonOption = False,
) -> int:
    """List the last cycles, newest first."""
    from vaultmem_cli.views.cycles import list_page

    def question(vault: Vault) -> CyclesAnswer:
        from vaultmem.cycles import last_cycles

        return last_cycles(vault.root, limit)

    return Call.of(NAME, vault, as_json=as_json, schema=LIST).ask(question, list_page, _any)


def _any(answer: CyclesAnswer) -> int:
    return DONE if answer.cycles else NOTHING_FOUND


def usage(
    vault: VaultOption = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help='From then on: a date, a time, yesterday, "2 days ago" (since ever).',
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show what models were asked for the dream, and what that cost."""
    from vaultmem_cli.views.cycles import usage_page

    def question(vault: Vault) -> UsageAnswer:
        import time

        from vaultmem.cycles import usage_of
        from vaultmem.history.times import parse_time

        first = None if since is None else parse_time(since, time.time_ns()).first
        return usage_of(vault.root, first)

    return Call.of(USAGE, vault, as_json=as_json).ask(question, usage_page)
