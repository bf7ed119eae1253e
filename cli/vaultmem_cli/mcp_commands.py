"""``vaultmem mcp``: the vault for agents, over standard input and output or on a port of this machine."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vaultmem_cli.console import Page
from vaultmem_cli.options import VaultOption
from vaultmem_cli.running import DONE, Call
from vaultmem_cli.textwidth import clean_block

if TYPE_CHECKING:
    from vaultmem.server.mcp.clients import Installed
    from vaultmem.server.mcp.desk import Watching
    from vaultmem.server.mcp.serving import Service
    from vaultmem.vault import Vault

NAME = "mcp"
TOKEN_VARIABLE = "VAULTMEM_MCP_TOKEN"
CLIENTS = "claude-desktop, claude-code, cursor or vscode."

mcp_app = typer.Typer(
    help="Let an agent search, read and change notes, over the Model Context Protocol.",
    rich_markup_mode=None,
    invoke_without_command=True,
)

ReadOnlyOption = Annotated[bool, typer.Option("--read-only", help="Refuse every change of a note.")]


@mcp_app.callback(
    help="Serve agents: one over standard input and output, or with --http any number."
)
def serve(
    context: typer.Context,
    vault: VaultOption = None,
    read_only: ReadOnlyOption = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch/--no-watch",
            help="Whether to follow edits as they come, which makes answers quick.",
        ),
    ] = True,
    http: Annotated[
        bool, typer.Option("--http", help="Listen on a port of this machine instead.")
    ] = False,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="127.0.0.1, localhost or ::1.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="0 takes any that is free.")
    ] = 8765,
) -> int:
    """Serves until the client leaves, or Ctrl-C; the token for HTTP comes from VAULTMEM_MCP_TOKEN, or is made."""
    if context.invoked_subcommand is not None:
        return DONE
    call = Call.of(NAME, vault, as_json=False)

    def work() -> int:
        service = _service(vault, read_only=read_only, watch=watch)
        if http:
            from vaultmem.server.mcp.http import door, serve_http

            at = door(host, port, os.environ.get(TOKEN_VARIABLE, ""))
            serve_http(service, at, call.console.say)
        else:
            from vaultmem.server.mcp.serving import serve_stdio

            serve_stdio(service)
        return DONE

    return call.guard(work)


class ClientName(StrEnum):
    """A program that can be told of the server."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"


@mcp_app.command()
def install(
    client: Annotated[ClientName, typer.Option(metavar="CLIENT", help=CLIENTS)],
    vault: VaultOption = None,
    read_only: ReadOnlyOption = False,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What the client calls the server.")
    ] = "vaultmem",
    project: Annotated[
        bool, typer.Option("--project", help="Only for the current folder, not for the user.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show the change, and change nothing.")
    ] = False,
) -> int:
    """Tell a client of this server: one entry in its settings, everything else kept."""
    call = Call.of(NAME, vault, as_json=False)

    def work() -> Installed:
        from vaultmem.places import find_vault
        from vaultmem.server.mcp import clients

        here = Path.cwd()
        root = find_vault(here, flag=vault, environ=os.environ, home=Path.home())
        machine = clients.Machine(sys.platform, Path.home(), os.environ)
        known = clients.Client(str(client))
        file = clients.settings_file(known, machine, here if project else None)
        options = ["--read-only"] if read_only else []
        command = [*own_command(), NAME, "--vault", str(root), *options]
        return clients.install(known, file, name, command, dry_run=dry_run)

    return call.give(work, lambda done, _: _installed_page(done, dry_run=dry_run))


def own_command() -> list[str]:
    """How this program can be started from anywhere."""
    script = Path(sys.argv[0])
    if script.stem == "vaultmem" and script.is_file():
        return [str(script.resolve())]
    return [sys.executable, "-m", "vaultmem_cli"]


def _installed_page(done: Installed, *, dry_run: bool) -> Page:
    if not done.diff:
        return Page(notes=[f"{done.file} says so already."])
    said = f"Written: {done.file}. Start the client anew."
    if dry_run:
        said = f"Nothing was changed (dry run). It would be put into {done.file}."
    return Page(clean_block(done.diff).rstrip("\n").split("\n"), notes=[said])


def _service(vault: Path | None, *, read_only: bool, watch: bool) -> Service:
    """The vault that is meant; it is looked for now, so that a wrong path is told at once, and opened later."""
    from vaultmem.places import find_vault
    from vaultmem.server.mcp.serving import Service

    root = find_vault(Path.cwd(), flag=vault, environ=os.environ, home=Path.home())

    def open_it() -> Vault:
        from vaultmem import open_vault

        return open_vault(root)

    def watching() -> Watching:
        from vaultmem_daemon.watcher import Watcher

        return Watcher(open_it(), lambda _: None)

    return Service(
        root, open_it, Path.home(), read_only=read_only, watch=watching if watch else None
    )
