"""Renames planned on the vault as it is: the index says which files hold links, the disk what they say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import apsw

from vaultmem.edits.planned import Planned, relinked, texts_after
from vaultmem.edits.reading import SourceTexts, read_bytes, read_for_change
from vaultmem.errors import UsageError
from vaultmem.files import presence
from vaultmem.files.changes import ChangeSet
from vaultmem.files.changes import Move as FileMove
from vaultmem.files.events import EventKind
from vaultmem.index.names import IndexedNames
from vaultmem.index.sources import all_paths, link_sources
from vaultmem.notes.link_edits import PlanWarning, PlanWarningCode
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.rename import (
    LinkUpdates,
    Move,
    RenamePlan,
    affected_link_keys,
    folder_moves,
    plan_folder_rename,
    plan_rename,
)
from vaultmem.notes.rename_heading import heading_link_keys, plan_heading_rename


@dataclass(frozen=True, slots=True)
class Ground:
    """What a rename is planned on."""

    root: Path
    connection: apsw.Connection
    settings: ObsidianSettings

    def is_folder(self, path: str) -> bool:
        """Whether a folder is at the vault path."""
        return presence.is_folder(self.root, path)


@dataclass(frozen=True, slots=True)
class By:
    """Who asks for a change, and why, as the journal has it."""

    actor: str
    cause: str


def file_rename(
    ground: Ground,
    old: str,
    new: str,
    updates: LinkUpdates,
    by: By,
    *,
    texts: SourceTexts | None = None,
) -> Planned:
    """The plan for giving one file another path; ``texts`` holds what files are to say by then, where that is not what
    they say now. Raises EditRefused, UnreadableFile."""
    texts = texts or SourceTexts(ground.root)
    plan = plan_rename(
        [Move(old, new)],
        lookup=IndexedNames(ground.connection).lookup,
        sources=link_sources(ground.connection, affected_link_keys([Move(old, new)])),
        read=texts.read,
        settings=ground.settings,
        updates=updates,
        is_folder=ground.is_folder,
    ).checked()
    moves = tuple(
        FileMove(move.old, move.new, _hash(ground.root, texts, move.old)) for move in plan.moves
    )
    return _planned(plan, texts, moves, by)


def folder_rename(ground: Ground, old: str, new: str, updates: LinkUpdates, by: By) -> Planned:
    """The plan for giving a folder another path. Raises EditRefused, UsageError for a folder without files."""
    texts = SourceTexts(ground.root)
    paths = all_paths(ground.connection)
    moves = folder_moves(old, new, paths)
    if not moves:
        raise UsageError(f"The folder {old} holds no files of the vault; move it by hand.")
    plan = plan_folder_rename(
        old,
        new,
        paths=paths,
        lookup=IndexedNames(ground.connection).lookup,
        sources=link_sources(ground.connection, affected_link_keys(moves)),
        read=texts.read,
        settings=ground.settings,
        updates=updates,
        is_folder=ground.is_folder,
    ).checked()
    target = plan.moves[0].new[: -len(plan.moves[0].old[len(old) :])] if plan.moves else new
    return _planned(plan, texts, (FileMove(old, target, None),) if plan.moves else (), by)


def heading_rename(ground: Ground, path: str, old: str, new: str, by: By) -> Planned:
    """The plan for giving a heading another text. Raises EditRefused, UnreadableFile."""
    texts = SourceTexts(ground.root)
    texts.held[path] = read_for_change(ground.root, path)
    plan = plan_heading_rename(
        path,
        old,
        new,
        lookup=IndexedNames(ground.connection).lookup,
        sources=link_sources(ground.connection, heading_link_keys(path)),
        read=texts.read,
    ).checked()
    return _planned(plan, texts, (), by, own=path)


def _planned(
    plan: RenamePlan, texts: SourceTexts, moves: tuple[FileMove, ...], by: By, own: str = ""
) -> Planned:
    changes = ChangeSet(
        kind=EventKind.RENAMED,
        actor=by.actor,
        cause=by.cause,
        edits=relinked(plan.files, texts.held),
        moves=moves,
    )
    links = {file.path: len(file.links) for file in plan.files}
    if links.get(own):
        links[own] -= 1  # the heading itself is no link
    unread = [w.path for w in plan.warnings if w.code is PlanWarningCode.UNREADABLE]
    return Planned(
        changes,
        texts_after(plan.files, texts.held),
        links,
        tuple(_said(warning, texts) for warning in plan.warnings),
        tuple(unread),
        on_names=True,
    )


def _said(warning: PlanWarning, texts: SourceTexts) -> str:
    """The warning as a sentence: where, what, and of a file without text why it has none."""
    if warning.path in texts.faults:
        return f"{texts.faults[warning.path]} Links in it are not updated."
    if warning.line is None:
        return warning.message
    return f"{warning.path}:{warning.line + 1}: {warning.message}"


def _hash(root: Path, texts: SourceTexts, path: str) -> str:
    held = texts.held.get(path)
    return held.read.hash if held else read_bytes(root, path).hash
