"""What a rename or move changes, planned in full before anything is written (M-01 to M-23, D-06).

The plan is a value: moves, splices for every file with links that would break, warnings, and what stands in
the way. Names decide which files can hold such links (:func:`affected_link_keys`), so that an index finds
them without a walk over the vault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple, TypeAlias
from unicodedata import normalize

from vaultmem.notes.link_edits import (
    CardRewrite,
    EditReason,
    FileEdits,
    PlanWarning,
    PlanWarningCode,
    Rewrite,
    cannot_rewrite,
    relink_file,
)
from vaultmem.notes.model import Link, LinkKind
from vaultmem.notes.names import name_problems, said
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.paths import FileKind, file_kind, is_hidden, name_key, path_key, stem
from vaultmem.notes.refusal import EditRefused, RefusalCode
from vaultmem.notes.relink import display_edit, retarget, shows_name_of, target_edit
from vaultmem.notes.resolve import (
    Lookup,
    affected_name_keys,
    link_name_key,
    resolve,
    resolve_exact,
)

ReadText: TypeAlias = Callable[[str], str | None]
"""The text of the file at a vault path; None when it is no UTF-8 or cannot be had."""


class Move(NamedTuple):
    """A file's vault path before and after."""

    old: str
    new: str


class LinkUpdates(Enum):
    """Whether links may be changed (M-23)."""

    AS_SET = "as-set"
    """As Obsidian's setting says: off means that it must be asked for."""
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing may be written."""

    code: RefusalCode
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RenamePlan:
    """All that a rename does. Nothing may be written while there is a refusal."""

    moves: tuple[Move, ...]
    files: tuple[FileEdits, ...] = ()
    """By path; a moved file that holds changing links has its old path here, and the new one."""
    warnings: tuple[PlanWarning, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def link_count(self) -> int:
        """How many links change."""
        return sum(len(file.links) for file in self.files)

    def checked(self) -> RenamePlan:
        """The plan itself. Raises EditRefused with the first refusal."""
        for refusal in self.refusals:
            raise EditRefused(refusal.code, refusal.message, hint=refusal.hint)
        return self


def affected_link_keys(moves: Iterable[Move]) -> frozenset[str]:
    """The ``link_name_key`` values of all links whose target these moves may change.

    Links in the moved files themselves may change whatever their key (M-13).
    """
    return frozenset(key for move in moves for path in move for key in affected_name_keys(path))


def folder_moves(old: str, new: str, paths: Iterable[str]) -> tuple[Move, ...]:
    """The moves that a folder's rename is, of those of the vault's paths that lie below it (M-15)."""
    start = old.strip("/") + "/"
    target = normalize("NFC", new.strip("/")) + "/"
    return tuple(
        Move(path, target + path[len(start) :]) for path in sorted(paths) if path.startswith(start)
    )


def moved_lookup(lookup: Lookup, moves: Iterable[Move]) -> Lookup:
    """The look-up as it is once the moves are made."""
    gone = {move.old for move in moves}
    come: dict[str, list[str]] = {}
    for move in moves:
        if not is_hidden(move.new):
            come.setdefault(name_key(move.new), []).append(move.new)

    def look_up(key: str) -> Sequence[str]:
        return [*(path for path in lookup(key) if path not in gone), *come.get(key, ())]

    return look_up


def plan_rename(
    moves: Sequence[Move],
    *,
    lookup: Lookup,
    sources: Iterable[str],
    read: ReadText,
    settings: ObsidianSettings,
    updates: LinkUpdates = LinkUpdates.AS_SET,
    is_folder: Callable[[str], bool] = lambda _: False,
) -> RenamePlan:
    """The plan for moving files; new names are taken in NFC (N-07).

    ``lookup`` is the vault before. ``sources`` are the notes and canvases that hold a link with one of the
    :func:`affected_link_keys` (more do no harm); the moved ones are added here. ``is_folder`` says of a
    vault path whether a folder is there already, whose name is then not judged.

    Refusals: ``missing``, ``exists`` (M-17), ``unsafe-name`` (N-01 to N-06), and ``needs-consent`` when
    links would change and the settings say to ask (M-23); with the last one the plan is complete.
    """
    wanted = [Move(old, normalize("NFC", new.strip("/"))) for old, new in moves]
    real = tuple(move for move in wanted if move.old != move.new)
    refusals = tuple(_refusals(real, lookup, is_folder))
    if refusals:
        return RenamePlan(real, refusals=refusals)
    if updates is LinkUpdates.NO:
        return RenamePlan(real)
    relinker = _Mover(real, lookup)
    files: list[FileEdits] = []
    warnings: list[PlanWarning] = []
    for path in sorted({*sources, *(move.old for move in real)}):
        if file_kind(path) not in (FileKind.NOTE, FileKind.CANVAS):
            continue
        text = read(path)
        if text is None:
            message = f"{path} is not readable text; links in it are not updated."
            warnings.append(PlanWarning(PlanWarningCode.UNREADABLE, path, message))
            continue
        relinked = relink_file(path, text, relinker)
        warnings += relinked.warnings
        if relinked.changes:
            files.append(FileEdits(path, relinker.path_after(path), relinked.changes))
    asks = updates is LinkUpdates.AS_SET and not settings.always_update_links
    if files and asks:
        refusals = (_needs_consent(files),)
    return RenamePlan(real, tuple(files), tuple(warnings), refusals)


def plan_folder_rename(
    old: str,
    new: str,
    *,
    paths: Iterable[str],
    lookup: Lookup,
    sources: Iterable[str],
    read: ReadText,
    settings: ObsidianSettings,
    updates: LinkUpdates = LinkUpdates.AS_SET,
    is_folder: Callable[[str], bool] = lambda _: False,
) -> RenamePlan:
    """The plan for renaming a folder; ``paths`` are all files of the vault, or those that matter (M-15).

    Refusals as :func:`plan_rename`; ``exists`` also when anything lies in the new folder already, and
    ``unsafe-name`` for a folder that would lie in itself.
    """
    held = list(paths)
    moves = folder_moves(old, new, held)
    if refusal := _folder_refusal(old.strip("/"), new.strip("/"), moves, held):
        return RenamePlan(moves, refusals=(refusal,))
    return plan_rename(
        moves,
        lookup=lookup,
        sources=sources,
        read=read,
        settings=settings,
        updates=updates,
        is_folder=is_folder,
    )


# --- what stands in the way ---


def _folder_refusal(
    old: str, new: str, moves: Sequence[Move], paths: Iterable[str]
) -> Refusal | None:
    if not moves:
        return Refusal(RefusalCode.MISSING, f"There is no folder {old} with files in it.")
    if new.startswith(old + "/"):
        return Refusal(RefusalCode.UNSAFE_NAME, f"{old} cannot be moved into itself.")
    moved = {move.old for move in moves}
    key = path_key(new)
    for path in paths:
        held = path_key(path)
        if path not in moved and (held == key or held.startswith(key + "/")):
            return Refusal(RefusalCode.EXISTS, f"There is something at {new} already: {path}.")
    return None


def _refusals(
    moves: Sequence[Move], lookup: Lookup, is_folder: Callable[[str], bool]
) -> Iterable[Refusal]:
    leaving = {move.old for move in moves}
    arriving: set[str] = set()
    for old, new in moves:
        if old not in lookup(name_key(old)):
            yield Refusal(RefusalCode.MISSING, f"There is no file {old}.")
        key = path_key(new)
        twins = [path for path in lookup(name_key(new)) if path_key(path) == key]
        if key in arriving or any(path not in leaving for path in twins):
            yield Refusal(
                RefusalCode.EXISTS,
                f"There is a file {(twins or [new])[0]} already; nothing was moved.",
                "Choose another name.",
            )
        arriving.add(key)
        if fault := _name_fault(old, new, is_folder):
            yield Refusal(
                RefusalCode.UNSAFE_NAME,
                f"{new} was not given as a name: {fault}.",
                "Choose another name.",
            )


def _name_fault(old: str, new: str, is_folder: Callable[[str], bool]) -> str:
    """What is wrong with those parts of the new path that are new; "" when nothing is."""
    old_folders, new_folders = old.split("/")[:-1], new.split("/")[:-1]
    for depth, name in enumerate(new_folders, 1):
        folder = "/".join(new_folders[:depth])
        if new_folders[:depth] == old_folders[:depth] or (folder and is_folder(folder)):
            continue
        if problems := name_problems(name, ""):
            return f"{name!r} will not do, since {said(problems)}"
    old_name, name = old[old.rfind("/") + 1 :], new[new.rfind("/") + 1 :]
    if name == old_name:
        return ""
    if file_kind(old) is FileKind.NOTE and file_kind(new) is not FileKind.NOTE:
        return f"{name!r} does not end with .md"
    base, dot, extension = name.rpartition(".")
    if problems := name_problems(base, dot + extension) if dot else name_problems(name, ""):
        return f"{name!r} will not do, since {said(problems)}"
    return ""


def _needs_consent(files: Sequence[FileEdits]) -> Refusal:
    links = sum(len(file.links) for file in files)
    return Refusal(
        RefusalCode.NEEDS_CONSENT,
        f"{links} links in {len(files)} files would change, and Obsidian is set not to update links.",
        "Say whether links may be updated.",
    )


# --- what becomes of a link ---

_UNTOUCHED_PROPERTY: Final = "aliases"


class _Mover:
    """Keeps every link that resolved leading to its file (M-01 to M-14)."""

    def __init__(self, moves: Iterable[Move], lookup: Lookup) -> None:
        self.moves: Mapping[str, str] = dict(moves)
        self.before = lookup
        self.after = moved_lookup(lookup, tuple(Move(*move) for move in self.moves.items()))
        self.keys = affected_link_keys(Move(*move) for move in self.moves.items())

    def path_after(self, path: str) -> str:
        return self.moves.get(path, path)

    def rewrite(self, text: str, link: Link, source: str) -> Rewrite | PlanWarning | None:
        stays = source not in self.moves and link_name_key(link.target) not in self.keys
        if not link.target or stays or _in_aliases(link):
            return None
        was = resolve(link.target, source, self.before)
        if was.path is None:
            return None
        wanted, new_source = self.path_after(was.path), self.path_after(source)
        if resolve(link.target, new_source, self.after).path == wanted:
            return None
        target = retarget(link, was, wanted=wanted, source=new_source, lookup=self.after)
        if target is None:
            return cannot_rewrite(source, text, link)
        edits = [target_edit(text, link, target)]
        expected = replace(link, target=target)
        if stem(wanted) != stem(was.path) and shows_name_of(link, was.path):
            shown = display_edit(text, link, stem(wanted))
            if shown is not None:
                edits.append(shown)
                expected = replace(expected, display=stem(wanted))
        warning = _ambiguous(source, text, link, was.candidates) if was.ambiguous else None
        return Rewrite(tuple(edits), expected, self._reason(source, was.path), warning)

    def card(self, path: str, subpath: str) -> CardRewrite | None:
        was = resolve_exact(path, self.before).path
        if was is None or resolve_exact(path, self.after).path == self.path_after(was):
            return None
        return CardRewrite(self.path_after(was), subpath, self._reason("", was))

    def _reason(self, source: str, target: str) -> EditReason:
        if target in self.moves:
            return EditReason.RENAMED
        return EditReason.PINNED if source in self.moves else EditReason.STOLEN


def _in_aliases(link: Link) -> bool:
    """Whether the link stands in the ``aliases`` property, which is left alone (M-12)."""
    if link.kind is not LinkKind.PROPERTY or link.key is None:
        return False
    return link.key.partition(".")[0].lower() == _UNTOUCHED_PROPERTY


def _ambiguous(path: str, text: str, link: Link, candidates: Sequence[str]) -> PlanWarning:
    typed = text[link.start : link.end]
    message = f"{typed} could mean {' or '.join(candidates)}; it is kept to the first."
    return PlanWarning(PlanWarningCode.AMBIGUOUS_LINK, path, message, link.line)
