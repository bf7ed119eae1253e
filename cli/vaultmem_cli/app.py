"""The commands, each as thin as it can be: its words, the question to the vault, the view of the answer.

Views are imported when their command runs, so that starting up stays quick.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from vaultmem.errors import UsageError
from vaultmem_cli import (
    bench_commands,
    change_commands,
    daemon_commands,
    dream_commands,
    embedder_commands,
    graph_commands,
    history_commands,
    mcp_commands,
    review_commands,
)
from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, FAILED, NOTHING_FOUND, PARTIAL, Call
from vaultmem_cli.usage import PlainCommand

if TYPE_CHECKING:
    from vaultmem.answers import DoctorReport, RebuildReport, SyncAnswer, TagsAnswer, VerifyReport
    from vaultmem.search.model import Lane, SearchAnswer
    from vaultmem.vault import Vault

EXIT_CODES = """Exit codes: 0 done, 1 failed (or: verify differs, doctor found an error), 2 wrong usage,
3 nothing found, 4 refused, 5 done in part, 130 interrupted."""

app = typer.Typer(
    help="Search and tend a folder of Markdown notes. The notes are the truth; the index can be deleted at any time.",
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Show the version and leave.")
    ] = False,
) -> None:
    """Only here for the help; ``main`` answers ``--version`` before Typer is loaded."""


QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")
]
AcceptOption = Annotated[
    bool,
    typer.Option("--accept-removals", help="Go on although most notes are gone from disk."),
]
NoteWords = Annotated[
    list[str],
    typer.Argument(
        metavar="NOTE",
        help="A note's path, name, alias, title or first heading. Several words need no quotes.",
        show_default=False,
    ),
]


class Location(StrEnum):
    """Where an index lies."""

    VAULT = "vault"
    CACHE = "cache"


@app.command()
def init(
    vault: VaultOption = None,
    location: Annotated[
        Location | None,
        typer.Option(help="Where the index lies: in the vault (default), or in your cache folder."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Write a settings file; any folder works without, too."""
    from vaultmem_cli.initialise import init_page, initialise

    return Call.of("init", vault, as_json=as_json).give(
        lambda: initialise(vault, str(location) if location else None), init_page
    )


@app.command()
def config(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Show every setting with its value and where that comes from."""
    from vaultmem_cli.configuration import config_page, configuration

    return Call.of("config", vault, as_json=as_json).give(lambda: configuration(vault), config_page)


@app.command()
def rebuild(
    vault: VaultOption = None,
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Whether to embed the notes.")
    ] = True,
    accept_removals: AcceptOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> int:
    """Build the index anew from the files alone."""
    from vaultmem_cli.views.upkeep import quiet_rebuild_page, rebuild_page

    call = Call.of("rebuild", vault, as_json=as_json, quiet=quiet)
    return call.ask(
        lambda v: v.rebuild(
            vectors=vectors, accept_removals=accept_removals, progress=call.progress
        ),
        quiet_rebuild_page if quiet else rebuild_page,
        _partial_when_unreadable,
    )


@app.command()
def sync(
    vault: VaultOption = None,
    accept_removals: AcceptOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> int:
    """Bring the index up to date, as every command does, and do what you ticked in the review note."""
    from vaultmem_cli.views.upkeep import quiet_sync_page, sync_page

    call = Call.of("sync", vault, as_json=as_json, quiet=quiet)
    return call.ask(
        lambda v: review_commands.sync_and_decide(
            v, lambda: v.sync(accept_removals=accept_removals, progress=call.progress)
        ),
        quiet_sync_page if quiet else sync_page,
        _sync_code,
    )


def _partial_when_unreadable(report: RebuildReport) -> int:
    return PARTIAL if report.unreadable else DONE


def _sync_code(answer: SyncAnswer) -> int:
    decided = answer.review
    undone = decided is not None and bool(decided.void or decided.failed)
    return PARTIAL if answer.unreadable or undone else DONE


@app.command()
def search(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help="Words in any language, 'words \"in a row\"', -without, and filters: tag:, path:, type:, in:, has:, "
            "before:, after:, link:, prop:key=value. After -- it may begin with a dash.",
            show_default=False,
        ),
    ],
    vault: VaultOption = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            metavar="N",
            help="At most so many notes (10, or the setting search.limit).",
            show_default=False,
        ),
    ] = None,
    lane: Annotated[
        list[str] | None,
        typer.Option(
            "--lane",
            metavar="LANES",
            help="Only these: keyword, bridge, substring, vector; commas between.",
        ),
    ] = None,
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="How to rank: default, or classic.")
    ] = "default",
    why: Annotated[
        bool, typer.Option("--why", help="Say of each hit how it came to its place.")
    ] = False,
    no_sync: Annotated[
        bool, typer.Option("--no-sync", help="Trust the index as it is; do not look at the files.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Find notes by words, parts of words and meaning."""
    from vaultmem_cli.views.search import search_page

    def find(vault: Vault) -> SearchAnswer:
        query = _query(words)
        answer = vault.search(
            query,
            limit=_limit(limit),
            lanes=lanes_named(lane),
            sync=not no_sync,
            profile=profile,
            why=why,
        )
        if not no_sync:  # which scripts that measure say
            vault.remember(query, [hit.path for hit in answer.hits], by="person")
        return answer

    return Call.of("search", vault, as_json=as_json).ask(find, search_page, _found)


def _query(words: list[str]) -> str:
    query = " ".join(words)
    if not query.strip():
        raise UsageError("The query is empty, so there is nothing to search for.")
    return query


def _limit(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise UsageError(f"A limit of {limit} leaves nothing to show.", hint="Use 1 or more.")
    return limit


def lanes_named(named: list[str] | None) -> tuple[Lane, ...] | None:
    from vaultmem.search.model import Lane

    names = [name for group in named or () for name in group.split(",") if name.strip()]
    return tuple(dict.fromkeys(map(Lane.parse, names))) or None


def _found(answer: SearchAnswer) -> int:
    return DONE if answer.hits else NOTHING_FOUND


@app.command()
def show(
    note: NoteWords,
    vault: VaultOption = None,
    text: Annotated[
        bool, typer.Option("--text", help="Only the text, without the properties.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The file exactly as it is on disk.")] = False,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="TIME",
            help='As it was then: a date, a time, yesterday, "2 days ago". NOTE may be gone since.',
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show a note: what is known of it, then its text."""
    if text and raw:
        error = UsageError("--text and --raw exclude each other.")
        return Call.of("show", vault, as_json=as_json).refuse(error)
    if at is not None:
        return history_commands.show_at(note, at, vault, text=text, raw=raw, as_json=as_json)
    from vaultmem_cli.views.note import body_page, note_page, raw_page, with_text

    call = Call.of("show", vault, as_json=as_json)
    if raw or text:
        page = raw_page if raw else body_page
        return call.ask(lambda v: with_text(v.note(_name(note, v))), page)
    return call.ask(lambda v: v.note(_name(note, v)), note_page)


@app.command()
def links(note: NoteWords, vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """List the links of a note and where each leads."""
    from vaultmem_cli.views.linkage import links_page

    return Call.of("links", vault, as_json=as_json).ask(
        lambda v: v.links(_name(note, v)), links_page
    )


@app.command()
def backlinks(note: NoteWords, vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """List what links to a note, line by line."""
    from vaultmem_cli.views.linkage import backlinks_page

    return Call.of("backlinks", vault, as_json=as_json).ask(
        lambda v: v.backlinks(_name(note, v)), backlinks_page
    )


@app.command()
def unlinked(note: NoteWords, vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """List where a note is named without a link."""
    from vaultmem_cli.views.linkage import unlinked_page

    return Call.of("unlinked", vault, as_json=as_json).ask(
        lambda v: v.unlinked(_name(note, v)), unlinked_page
    )


def _name(words: list[str], vault: Vault) -> str:
    from pathlib import Path

    from vaultmem_cli.naming import note_name

    return note_name(words, vault.root, Path.cwd())


@app.command()
def tags(
    tag: Annotated[
        str | None,
        typer.Argument(
            metavar="TAG", help="List the notes with this tag or one below it.", show_default=False
        ),
    ] = None,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the tags of the vault, or the notes of one tag."""
    from vaultmem_cli.views.tags import tags_page

    return Call.of("tags", vault, as_json=as_json).ask(
        lambda v: v.tags(tag.removeprefix("#") if tag else None), tags_page, _any_note
    )


def _any_note(answer: TagsAnswer) -> int:
    return DONE if answer.tag is None or answer.paths else NOTHING_FOUND


@app.command()
def status(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Show the vault and its index in figures."""
    from vaultmem_cli.views.health import status_page

    return Call.of("status", vault, as_json=as_json).ask(lambda v: v.status(), status_page)


@app.command()
def doctor(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Say what is broken or could be better, and what to do."""
    from vaultmem.opening import open_to_examine
    from vaultmem_cli.views.health import doctor_page

    return Call.of("doctor", vault, as_json=as_json).ask(
        lambda v: v.doctor(), doctor_page, _healthy, opening=open_to_examine
    )


def _healthy(report: DoctorReport) -> int:
    return DONE if report.healthy else FAILED


@app.command()
def verify(vault: VaultOption = None, as_json: JsonOption = False) -> int:
    """Prove that the index says what the files say."""
    from vaultmem_cli.views.health import verify_page

    call = Call.of("verify", vault, as_json=as_json)
    return call.ask(lambda v: v.verify(progress=call.progress), verify_page, _identical)


def _identical(report: VerifyReport) -> int:
    if not report.identical:
        return FAILED
    return PARTIAL if report.skipped else DONE


@app.command()
def watch(
    vault: VaultOption = None,
    poll: Annotated[
        bool,
        typer.Option("--poll", help="Compare all files every few seconds; wait for no events."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON object a line on stdout for each thing that happens."
        ),
    ] = False,
) -> int:
    """Keep the index up to date while you edit, until Ctrl-C."""
    from vaultmem_cli.watching import watch_vault

    return watch_vault(Call.of("watch", vault, as_json=as_json), poll=poll)


for _name_, _function in (
    *change_commands.COMMANDS,
    *history_commands.COMMANDS,
    *graph_commands.COMMANDS,
):
    app.command(_name_)(_function)

app.command(dream_commands.USAGE)(dream_commands.usage)

app.add_typer(graph_commands.graph_app, name=graph_commands.NAME)
app.add_typer(embedder_commands.embedder_app, name=embedder_commands.NAME)
app.add_typer(bench_commands.bench_app, name=bench_commands.NAME)
app.add_typer(mcp_commands.mcp_app, name=mcp_commands.NAME)
app.add_typer(daemon_commands.daemon_app, name=daemon_commands.NAME)
app.add_typer(dream_commands.dream_app, name=dream_commands.NAME)
app.add_typer(review_commands.review_app, name=review_commands.NAME)

for _command in (
    *app.registered_commands,
    *graph_commands.graph_app.registered_commands,
    *embedder_commands.embedder_app.registered_commands,
    *bench_commands.bench_app.registered_commands,
    *mcp_commands.mcp_app.registered_commands,
    *daemon_commands.daemon_app.registered_commands,
    *dream_commands.dream_app.registered_commands,
    *review_commands.review_app.registered_commands,
):
    _command.cls = PlainCommand


def _names(group: typer.Typer) -> tuple[str, ...]:
    return tuple(
        command.name or command.callback.__name__
        for command in group.registered_commands
        if command.callback is not None
    )


COMMANDS = (
    *_names(app),
    graph_commands.NAME,
    embedder_commands.NAME,
    bench_commands.NAME,
    mcp_commands.NAME,
    daemon_commands.NAME,
    dream_commands.NAME,
    review_commands.NAME,
)
"""The names of the commands, in the order of the help."""

SUBCOMMANDS = {
    daemon_commands.NAME: _names(daemon_commands.daemon_app),
    dream_commands.NAME: _names(dream_commands.dream_app),
    review_commands.NAME: _names(review_commands.review_app),
    graph_commands.NAME: _names(graph_commands.graph_app),
    embedder_commands.NAME: _names(embedder_commands.embedder_app),
    bench_commands.NAME: _names(bench_commands.bench_app),
    mcp_commands.NAME: _names(mcp_commands.mcp_app),
}
"""Of each command that is a group the names of its commands."""
