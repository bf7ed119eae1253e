"""Options that many commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

VaultOption = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        metavar="PATH",
        help="The vault's folder. Otherwise VAULTMEM_VAULT, else the vault around the current folder.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="One JSON object on stdout, errors included.")
]
