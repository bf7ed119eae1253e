"""The commands that change notes: each one event in the journal, and one that ``undo`` takes back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vaultmem.errors import UsageError
from vaultmem_cli.options import JsonOption, VaultOption
from vaultmem_cli.running import DONE, PARTIAL, Call

if TYPE_CHECKING:
    from vaultmem.edits.answers import WriteAnswer
    from vaultmem.notes.model import PropertyValue
    from vaultmem.notes.note_edit import NoteChange
    from vaultmem.vault import Vault

DryRunOption = Annotated[
    bool, typer.Option("--dry-run", "-n", help="Show what would be changed, and change nothing.")
]
WhyOption = Annotated[
    str, typer.Option("--why", metavar="TEXT", help="The reason, kept in the history.")
]
OneNote = Annotated[
    str,
    typer.Argument(metavar="NOTE", help="A note's path, name, alias or title.", show_default=False),
]
TextWords = Annotated[
    str | None,
    typer.Argument(
        metavar="TEXT",
        help="The text; - reads it from standard input. After -- it may begin with a dash.",
        show_default=False,
    ),
]


def create(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="Its path in the vault; .md is added where it is missing.",
            show_default=False,
        ),
    ],
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="Its text; - reads it from standard input. After -- it may begin with a dash.",
            show_default=False,
        ),
    ] = None,
    vault: VaultOption = None,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Make a new note; never overwrites one."""
    call = Call.of("create", vault, as_json=as_json)
    return _change(
        call,
        lambda v: v.edits.create(
            _placed(path, v),
            _ended(_text(text, call, optional=True)),
            by="vaultmem create",
            why=why,
            dry_run=dry_run,
        ),
    )


def append(
    note: OneNote,
    text: TextWords = None,
    vault: VaultOption = None,
    under: Annotated[
        str | None,
        typer.Option(
            "--under", metavar="HEADING", help="Last below that heading, not in the note."
        ),
    ] = None,
    first: Annotated[
        bool, typer.Option("--first", help="With --under: first below the heading.")
    ] = False,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Add text at the end of a note or below a heading."""

    def change(call: Call) -> NoteChange:
        from vaultmem.notes.note_edit import AppendText, InsertText

        if first and under is None:
            raise UsageError("--first needs --under.", hint="Name a heading: --under HEADING")
        given = _text(text, call)
        if first and under is not None:
            return InsertText(under, given)
        return AppendText(given, under)

    return _edit("append", note, change, vault, why, dry_run, as_json)


def replace(
    note: OneNote,
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help="It must stand there exactly once. After -- it may begin with a dash.",
        ),
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What shall stand there instead.")],
    vault: VaultOption = None,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Put a text in place of one that stands exactly once."""

    def change(_: Call) -> NoteChange:
        from vaultmem.notes.note_edit import ReplaceText

        return ReplaceText(old, new)

    return _edit("replace", note, change, vault, why, dry_run, as_json)


def section(
    note: OneNote,
    heading: Annotated[
        str,
        typer.Argument(
            metavar="HEADING", help="Its text, or Above#Below where that is not the only one."
        ),
    ],
    text: TextWords = None,
    vault: VaultOption = None,
    add: Annotated[bool, typer.Option("--add", help="The heading is new.")] = False,
    under: Annotated[
        str | None,
        typer.Option(
            "--under", metavar="HEADING", help="With --add: in that section, one level deeper."
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            "--level",
            metavar="N",
            help="With --add, without --under: its level, 1 to 6 (2).",
            show_default=False,
        ),
    ] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Replace the headings below it, too.")
    ] = False,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Replace the text below a heading, or add a section."""

    def change(call: Call) -> NoteChange:
        from vaultmem.notes.note_edit import AddSection, ReplaceSection

        if add and deep:
            raise _excluding("--add", "--deep", "A new section has nothing below it.")
        if under is not None and level is not None:
            raise _excluding("--under", "--level", "With --under it is one level deeper than that.")
        if under is not None and not add:
            raise UsageError("--under needs --add.", hint="An existing heading is named by itself.")
        if level is not None and not add:
            raise UsageError("--level needs --add.", hint="An existing heading keeps its level.")
        if add:
            given = _text(text, call, optional=True)
            return AddSection(heading, given, level=2 if level is None else level, under=under)
        return ReplaceSection(heading, _text(text, call), subsections=deep)

    return _edit("section", note, change, vault, why, dry_run, as_json)


def block(
    note: OneNote,
    block_id: Annotated[
        str, typer.Argument(metavar="ID", help="The block's id, with or without ^.")
    ],
    text: TextWords = None,
    vault: VaultOption = None,
    delete: Annotated[bool, typer.Option("--delete", help="Take the line away.")] = False,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Replace or delete the line that a block id names."""

    def change(call: Call) -> NoteChange:
        from vaultmem.notes.note_edit import DeleteBlock, ReplaceBlock

        wanted = block_id.removeprefix("^")
        if delete and text is not None:
            raise UsageError(
                "--delete takes no text.", hint="To replace the line instead, leave --delete out."
            )
        return DeleteBlock(wanted) if delete else ReplaceBlock(wanted, _text(text, call))

    return _edit("block", note, change, vault, why, dry_run, as_json)


def set_(
    note: OneNote,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The property.")],
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VALUE",
            help="3, 2.5 and true are no texts, null is empty; all else is text, kept as typed. Several make a list, none "
            "an empty value. After -- they may begin with a dash.",
            show_default=False,
        ),
    ] = None,
    vault: VaultOption = None,
    text: Annotated[
        bool, typer.Option("--text", help="Every value is text, whatever it looks like.")
    ] = False,
    add: Annotated[bool, typer.Option("--add", help="Add the values to the list.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the values out of the list.")
    ] = False,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Set a property of a note, or change its list."""

    def changes(_: Call) -> Sequence[NoteChange]:
        return _property_changes(key, values or [], as_text=text, add=add, remove=remove)

    return _edit_all("set", note, changes, vault, why, dry_run, as_json)


def _property_changes(
    key: str, values: Sequence[str], *, as_text: bool, add: bool, remove: bool
) -> Sequence[NoteChange]:
    from vaultmem.notes.property_edit import AddItem, RemoveItem, SetProperty
    from vaultmem.notes.typed_value import readings, typed_value

    if add and remove:
        raise _excluding("--add", "--remove")
    if (add or remove) and not values:
        raise UsageError("There is no value to add or remove.", hint="Name it after the key.")
    if as_text and not values:
        raise UsageError("There is no value to be text.", hint="Name it after the key.")
    if remove:
        return [
            RemoveItem(key, reading)
            for word in values
            for reading in ((word,) if as_text else readings(word))
        ]
    given: list[PropertyValue] = [word if as_text else typed_value(word) for word in values]
    if add:
        return [AddItem(key, value) for value in given]
    return [SetProperty(key, given[0] if len(given) == 1 else given or None)]


def unset(
    note: OneNote,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The property.")],
    vault: VaultOption = None,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Take a property away from a note."""

    def change(_: Call) -> NoteChange:
        from vaultmem.notes.property_edit import RemoveProperty

        return RemoveProperty(key)

    return _edit("unset", note, change, vault, why, dry_run, as_json)


def mv(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="A note, another file, or a folder.", show_default=False
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="A name, for the same folder; with a / in OLD or NEW, a path from the vault's folder; or a folder.",
            show_default=False,
        ),
    ],
    vault: VaultOption = None,
    links: Annotated[
        bool | None,
        typer.Option(
            "--links/--no-links",
            help="Whether to rewrite the links that would break; by default as set in Obsidian.",
            show_default=False,
        ),
    ] = None,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Rename or move a file or folder; every link to it follows."""

    def move(vault: Vault) -> WriteAnswer:
        from vaultmem.notes.rename import LinkUpdates

        updates = {None: LinkUpdates.AS_SET, True: LinkUpdates.YES, False: LinkUpdates.NO}[links]
        return vault.edits.move(
            _meant(old, vault),
            _placed(new, vault),
            links=updates,
            by="vaultmem mv",
            why=why,
            dry_run=dry_run,
        )

    return _change(Call.of("mv", vault, as_json=as_json), move)


def mv_heading(
    note: OneNote,
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="Its text, or Above#Below where that is not the only one."
        ),
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new text.")],
    vault: VaultOption = None,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Rename a heading; every link to it follows."""
    return _change(
        Call.of("mv-heading", vault, as_json=as_json),
        lambda v: v.edits.rename_heading(
            _meant(note, v), old, new, by="vaultmem mv-heading", why=why, dry_run=dry_run
        ),
    )


def rm(
    note: OneNote,
    vault: VaultOption = None,
    why: WhyOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Move a note or another file into the vault's trash."""
    return _change(
        Call.of("rm", vault, as_json=as_json),
        lambda v: v.edits.remove(_meant(note, v), by="vaultmem rm", why=why, dry_run=dry_run),
    )


COMMANDS: tuple[tuple[str, Callable[..., int]], ...] = (
    ("create", create),
    ("append", append),
    ("replace", replace),
    ("section", section),
    ("block", block),
    ("set", set_),
    ("unset", unset),
    ("mv", mv),
    ("mv-heading", mv_heading),
    ("rm", rm),
)
"""Name and function of each, in the order of the help."""


# --- what they share ---


def _edit(
    command: str,
    note: str,
    change: Callable[[Call], NoteChange],
    vault: Path | None,
    why: str,
    dry_run: bool,
    as_json: bool,
) -> int:
    return _edit_all(command, note, lambda call: [change(call)], vault, why, dry_run, as_json)


def _edit_all(
    command: str,
    note: str,
    changes: Callable[[Call], Sequence[NoteChange]],
    vault: Path | None,
    why: str,
    dry_run: bool,
    as_json: bool,
) -> int:
    call = Call.of(command, vault, as_json=as_json)

    def edit(vault: Vault) -> WriteAnswer:
        made = changes(call)
        name = _meant(note, vault)
        return vault.edits.edit(
            name,
            made,
            by=f"vaultmem {command}",
            why=why,
            # Who types a path means this very file (E-17).
            allow_template="/" in name or name.lower().endswith(".md"),
            dry_run=dry_run,
        )

    return _change(call, edit)


def _change(call: Call, change: Callable[[Vault], WriteAnswer]) -> int:
    from vaultmem_cli.views.changes import receipt_page

    return call.ask(change, receipt_page, _whole)


def _whole(answer: WriteAnswer) -> int:
    """Done in part when a link may lead nowhere now, since its file could not be read."""
    return PARTIAL if answer.unread and not answer.dry_run else DONE


def _excluding(one: str, other: str, hint: str = "") -> UsageError:
    return UsageError(f"{one} and {other} exclude each other.", hint=hint)


def _meant(typed: str, vault: Vault) -> str:
    """What a person means by the word: a path as the shell completes it becomes a vault path."""
    from vaultmem_cli.naming import note_name

    return note_name([typed], vault.root, Path.cwd())


def _placed(typed: str, vault: Vault) -> str:
    """Where a person wants a file: a path as the shell completes it becomes a vault path."""
    from vaultmem_cli.naming import new_name

    return new_name(typed, vault.root, Path.cwd())


def _text(given: str | None, call: Call, *, optional: bool = False) -> str:
    """The text of a command: the word, or for ``-`` what is piped in. Raises UsageError when there is neither."""
    if given is None:
        if optional:
            return ""
        raise UsageError(
            f"`vaultmem {call.command}` needs a text.",
            hint="Give it in quotes, or pipe it in and say -",
        )
    if given != "-":
        return given
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("What was piped in is not UTF-8; nothing was changed.") from error


def _ended(text: str) -> str:
    """The text with a line break at its end, as editors leave it; none for an empty note."""
    return text if not text or text.endswith("\n") else f"{text}\n"
