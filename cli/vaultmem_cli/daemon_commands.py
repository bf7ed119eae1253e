"""``vaultmem daemon``: the program that keeps the index up and tends the notes at night."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, FAILED, NOTHING_FOUND, Call

if TYPE_CHECKING:
    from vaultmem.daemon_state import DaemonHealth
    from vaultmem_daemon.installing import ServiceAnswer

NAME = "daemon"
"""The command that these stand below."""

STATUS, SERVICE = "daemon-status", "daemon-service"
"""The schemas of what they print."""

daemon_app = typer.Typer(
    help="Keep the index up and tend the notes at night, in the background.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

DryRunOption = Annotated[
    bool, typer.Option("--dry-run", "-n", help="Show the file and the commands, and do nothing.")
]


@daemon_app.command("run")
def run_(vault: VaultOption = None) -> int:
    """Run the daemon here, until Ctrl-C or the signal TERM; a service does the same."""
    from vaultmem_cli.daemon_running import run_daemon

    return run_daemon(Call.of(NAME, vault, as_json=False))


@daemon_app.command()
def install(
    vault: VaultOption = None,
    cron: Annotated[
        bool,
        typer.Option("--cron", help="Only print a line for cron, which dreams without a daemon."),
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Make the daemon a service of yours and start it: systemd, launchd or a Windows task."""
    from vaultmem_cli.views.daemon import service_page

    call = Call.of(NAME, vault, as_json=as_json, schema=SERVICE)
    return call.give(lambda: _installed(call, cron=cron, dry_run=dry_run), service_page)


def _installed(call: Call, *, cron: bool, dry_run: bool) -> ServiceAnswer:
    from shutil import which

    from vaultmem.dream.window import Window
    from vaultmem.settings import load_settings, user_config_path
    from vaultmem_cli.mcp_commands import own_command
    from vaultmem_daemon import installing, units

    root = _root(call)
    if cron:
        settings = load_settings(vault=root, user_config=user_config_path(), environ=os.environ)
        command = [*own_command(), "dream", "run", "--quiet", "--vault", str(root)]
        line = units.cron_line(command, Window.parse(settings.dream.window))
        hint = "Put it in with `crontab -e`. Nothing was changed."
        return installing.ServiceAnswer(str(root), "", "cron", "", line + "\n", (), True, hint)
    service = _service(root)
    say = (lambda _: None) if call.as_json else call.console.say
    return installing.install(root, service, dry_run=dry_run, which=which, say=say)


@daemon_app.command()
def uninstall(
    vault: VaultOption = None, dry_run: DryRunOption = False, as_json: JsonOption = False
) -> int:
    """Stop the service and take it away; the vault and its index stay as they are."""
    from vaultmem_cli.views.daemon import service_page

    call = Call.of(NAME, vault, as_json=as_json, schema=SERVICE)

    def work() -> ServiceAnswer:
        from shutil import which

        from vaultmem_daemon import installing

        root = _root(call)
        say = (lambda _: None) if call.as_json else call.console.say
        return installing.uninstall(root, _service(root), dry_run=dry_run, which=which, say=say)

    return call.give(work, service_page)


def _service(root: Path) -> Any:
    from vaultmem_cli.mcp_commands import own_command
    from vaultmem_daemon import units

    uid = os.getuid() if hasattr(os, "getuid") else 0
    machine = units.Machine(sys.platform, Path.home(), os.environ, uid)
    return units.service(machine, [*own_command(), NAME, "run", "--vault", str(root)], root)


def _root(call: Call) -> Path:
    from vaultmem.places import find_vault

    return find_vault(Path.cwd(), flag=call.vault, environ=os.environ, home=Path.home())


@daemon_app.command()
def status(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Say how the daemon is, when it last tended the notes, and why it does not do so now."""
    from vaultmem_cli.views.daemon import status_page

    call = Call.of(NAME, vault, as_json=as_json, schema=STATUS)

    def work() -> DaemonHealth:
        from vaultmem import open_vault

        with open_vault(call.vault) as opened:
            return opened.daemon_health()

    return call.give(work, status_page, _verdict)


def _verdict(health: DaemonHealth) -> int:
    return {"healthy": DONE, "unhealthy": FAILED}.get(health.health, NOTHING_FOUND)


@daemon_app.command()
def logs(
    vault: VaultOption = None,
    lines: Annotated[
        int, typer.Option("--lines", "-n", metavar="N", min=1, help="So many, the newest.")
    ] = 50,
) -> int:
    """Show the last lines of the daemon's log."""
    from vaultmem_cli.views.daemon import log_page

    call = Call.of(NAME, vault, as_json=False)

    def work() -> list[str]:
        from vaultmem import open_vault
        from vaultmem.daemon_state import last_log_lines

        with open_vault(call.vault) as opened:
            return last_log_lines(opened.index_dir, lines)

    return call.give(work, log_page, lambda found: DONE if found else NOTHING_FOUND)
