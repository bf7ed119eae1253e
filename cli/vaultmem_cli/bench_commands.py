"""``vaultmem bench``: how well search finds, on a set of questions with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vaultmem_cli.options import JsonOption, VaultOption

NAME = "bench"
"""The command that these stand below; their output has one schema of that name."""

bench_app = typer.Typer(
    help="Measure how well search finds.", no_args_is_help=True, rich_markup_mode=None
)

EmbedderOption = Annotated[
    str, typer.Option("--embedder", metavar="NAME", help="The embedding model.")
]
ProfileOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="default, or classic.")
]
LaneOption = Annotated[
    list[str] | None,
    typer.Option(
        "--lane",
        metavar="LANES",
        help="Only these together: keyword, bridge, substring, vector; commas between.",
    ),
]


@bench_app.command()
def retrieval(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv.",
            show_default=False,
        ),
    ],
    embedder: EmbedderOption = "static",
    profile: ProfileOption = "default",
    lane: LaneOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write a retrieval set as a vault, index it, ask its questions; beside plain BM25 and each single lane."""
    from vaultmem.bench.run import bench_set
    from vaultmem.bench.sets import read_set
    from vaultmem_cli.app import lanes_named
    from vaultmem_cli.running import Call
    from vaultmem_cli.views.bench import bench_page

    call = Call.of(NAME, None, as_json=as_json)
    return call.give(
        lambda: bench_set(
            read_set(folder),
            embedder=embedder,
            profile=profile,
            lanes=lanes_named(lane),
            progress=call.progress,
        ),
        bench_page,
    )


@bench_app.command()
def queries(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="QUERIES.jsonl",
            help='A line each: {"id", "query", "paths", "kind"}.',
            show_default=False,
        ),
    ],
    vault: VaultOption = None,
    profile: ProfileOption = "default",
    lane: LaneOption = None,
    as_json: JsonOption = False,
) -> int:
    """Ask a vault questions whose notes are known; beside each single lane."""
    from vaultmem.bench.run import bench_queries
    from vaultmem_cli.app import lanes_named
    from vaultmem_cli.running import Call
    from vaultmem_cli.views.bench import bench_page

    call = Call.of(NAME, vault, as_json=as_json)
    return call.ask(
        lambda v: bench_queries(v, file, profile=profile, lanes=lanes_named(lane)), bench_page
    )
