"""``vaultmem graph …`` and ``vaultmem trace``: how notes are connected, what they group into, where they come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, NOTHING_FOUND, PARTIAL, Call

if TYPE_CHECKING:
    from vaultmem.graph.answers import (
        CommunitiesAnswer,
        PathAnswer,
        RelatedAnswer,
        TraceAnswer,
    )
    from vaultmem.vault import Vault

NAME: Final = "graph"
PATH: Final = "graph-path"
NEIGHBORS: Final = "graph-neighbors"
COMMUNITIES: Final = "graph-communities"
INSIGHTS: Final = "graph-insights"
RELATED: Final = "graph-related"
EXPORT: Final = "graph-export"
TRACE: Final = "trace"

graph_app = typer.Typer(
    help="How notes are connected, and what they group into.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

NoteArgument = Annotated[
    str,
    typer.Argument(
        metavar="NOTE",
        help="A note's path, name, alias, title or first heading.",
        show_default=False,
    ),
]
DirectionOption = Annotated[
    str,
    typer.Option(
        "--direction", metavar="WAY", help="Which way links are followed: out, in or both."
    ),
]
RelationOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relation",
        metavar="NAME",
        help="Only links under this property or inline field; mentions: plain ones. May be repeated.",
        show_default=False,
    ),
]
LimitOption = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most so many.")]
DepthOption = Annotated[
    int, typer.Option("--depth", metavar="N", help="At most so many links away.")
]


@graph_app.command()
def path(
    start: Annotated[
        str, typer.Argument(metavar="FROM", help="The first note.", show_default=False)
    ],
    end: Annotated[str, typer.Argument(metavar="TO", help="The last one.", show_default=False)],
    vault: VaultOption = None,
    direction: DirectionOption = "both",
    relation: RelationOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show how two notes are connected, by as few links as there can be."""
    from vaultmem_cli.views.graph import path_page

    return Call.of(NAME, vault, as_json=as_json, schema=PATH).ask(
        lambda v: v.graph.path(
            _name(start, v), _name(end, v), direction=direction, relations=relation
        ),
        path_page,
        _found_any,
    )


@graph_app.command()
def neighbors(
    note: NoteArgument,
    vault: VaultOption = None,
    depth: DepthOption = 1,
    direction: DirectionOption = "both",
    relation: RelationOption = None,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> int:
    """List the notes around a note, nearest first."""
    from vaultmem_cli.views.graph import neighbors_page

    return Call.of(NAME, vault, as_json=as_json, schema=NEIGHBORS).ask(
        lambda v: v.graph.neighbors(
            _name(note, v), depth=depth, direction=direction, relations=relation, limit=limit
        ),
        neighbors_page,
    )


@graph_app.command()
def communities(
    note: Annotated[
        str | None,
        typer.Argument(metavar="NOTE", help="Only the one of this note.", show_default=False),
    ] = None,
    vault: VaultOption = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Group all notes again, not only those that changed.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """List the groups of notes that have most to do with each other."""
    from vaultmem_cli.views.graph import communities_page

    return Call.of(NAME, vault, as_json=as_json, schema=COMMUNITIES).ask(
        lambda v: v.graph.communities(_name(note, v) if note else None, anew=anew),
        communities_page,
        _communities_any,
    )


@graph_app.command()
def insights(
    vault: VaultOption = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only isolated, sparse, bridge or surprising. May be repeated.",
            show_default=False,
        ),
    ] = None,
    limit: LimitOption = 10,
    as_json: JsonOption = False,
) -> int:
    """Show isolated notes, loose groups, bridges and surprising links, and why."""
    from vaultmem_cli.views.graph import insights_page

    return Call.of(NAME, vault, as_json=as_json, schema=INSIGHTS).ask(
        lambda v: v.graph.insights(kind, limit=limit), insights_page
    )


@graph_app.command()
def related(
    note: NoteArgument,
    vault: VaultOption = None,
    limit: LimitOption = 10,
    as_json: JsonOption = False,
) -> int:
    """List notes that have to do with a note though no link says so, and why."""
    from vaultmem_cli.views.graph import related_page

    return Call.of(NAME, vault, as_json=as_json, schema=RELATED).ask(
        lambda v: v.graph.related(_name(note, v), limit=limit),
        related_page,
        _related_any,
    )


@graph_app.command()
def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="graphml, canvas (for Obsidian) or json (node-link).",
            show_default=False,
        ),
    ],
    vault: VaultOption = None,
    around: Annotated[
        list[str] | None,
        typer.Option(
            "--around",
            metavar="NOTE",
            help="Only what is near this note. May be repeated.",
            show_default=False,
        ),
    ] = None,
    depth: DepthOption = 1,
    as_json: JsonOption = False,
) -> int:
    """Print the graph for other programs."""
    from vaultmem_cli.views.graph import export_page

    return Call.of(NAME, vault, as_json=as_json, schema=EXPORT).ask(
        lambda v: v.graph.export(
            form, [_name(each, v) for each in around] if around else None, depth=depth
        ),
        export_page,
    )


def trace(
    note: Annotated[
        str,
        typer.Argument(
            metavar="NOTE",
            help="A note's name, or a memo:// URI, which may name a line or a block.",
            show_default=False,
        ),
    ],
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what a note was made from, back to the beginning."""
    from vaultmem_cli.views.graph import trace_page

    def verdict(answer: TraceAnswer) -> int:
        return DONE if answer.complete else PARTIAL

    return Call.of(TRACE, vault, as_json=as_json).ask(
        lambda v: v.graph.trace(_name(note, v)), trace_page, verdict
    )


def _found_any(answer: PathAnswer) -> int:
    return DONE if answer.found else NOTHING_FOUND


def _communities_any(answer: CommunitiesAnswer) -> int:
    return DONE if answer.communities else NOTHING_FOUND


def _related_any(answer: RelatedAnswer) -> int:
    return DONE if answer.related else NOTHING_FOUND


def _name(typed: str, vault: Vault) -> str:
    """A note as typed; a path from the current folder becomes one in the vault."""
    from vaultmem_cli.naming import note_name

    return note_name([typed], vault.root, Path.cwd())


COMMANDS: Final[tuple[tuple[str, Callable[..., int]], ...]] = ((TRACE, trace),)
"""Name and function of each command beside ``graph``."""
