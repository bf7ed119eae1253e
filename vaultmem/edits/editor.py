"""Changing the vault on somebody's word: each call is one event, planned again when the disk moved under it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, TypeVar
from unicodedata import normalize

import apsw

from vaultmem.edits.answers import WriteAnswer
from vaultmem.edits.destination import destination
from vaultmem.edits.planned import Planned, answer, preview, receipt, spans_of
from vaultmem.edits.reading import folder_links, read_for_change
from vaultmem.edits.renames import By, Ground, file_rename, folder_rename, heading_rename
from vaultmem.errors import UsageError, VaultmemError
from vaultmem.files.arrive import trash_path
from vaultmem.files.changes import ChangeSet, Creation, Edit, Move, apply_changes
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.patience import ATTEMPTS, Patience
from vaultmem.files.read import read_note_bytes
from vaultmem.files.refusals import WriteConflict, WriteRefused
from vaultmem.files.targets import TRASH, WriteRules
from vaultmem.index.names import IndexedNames
from vaultmem.index.queries import FileRef
from vaultmem.notes.note_edit import NoteChange, plan_note_edit
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.paths import FileKind, file_kind, name_key, path_key, stem
from vaultmem.notes.rename import LinkUpdates

_T = TypeVar("_T")

DIFFS_UP_TO: Final = 20
"""Files of a receipt that carry a diff."""


class Desk(Protocol):
    """What an editor needs of the vault it works on."""

    root: Path

    def ask(self, question: Callable[[apsw.Connection], _T]) -> _T:
        """The answer of the index, in one state that has every edit made before the call. Raises RefusedError when
        it cannot be brought up, and the errors of a sync."""
        ...

    def find(self, connection: apsw.Connection, name: str) -> FileRef:
        """The file that a person means by ``name``. Raises NoteNotFoundError, UsageError."""
        ...

    def bring_in(self, paths: Sequence[str]) -> None:
        """Brings the index up with what stands at those paths. Raises the errors of a sync."""
        ...


class Editor:
    """Creates, edits, renames and removes notes. Nothing else of the vault changes, and all of it can be undone.

    Every method returns the receipt once the bytes are on the disk, have been read back and are in the index; with
    ``dry_run`` the same, with nothing done. ``by`` says who asks and ``why`` for what reason: both are kept in
    the journal.

    Raises, with every file as it was: EditRefused for what must not or cannot be changed so, WriteRefused and
    WriteConflict for what other programs do to the file, WriteFailed for what the disk does, LockedError,
    NoteNotFoundError, UsageError. Raises PartlyDoneError and UnsettledError as ``apply_changes`` does.
    """

    def __init__(self, desk: Desk, rules: WriteRules) -> None:
        self._desk = desk
        self._rules = rules

    def create(
        self,
        path: str,
        text: str = "",
        *,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """A new note at the vault path, to which ``.md`` is added where it has no ending. Never overwrites: refused
        when something is there, compared without case. Warns of notes of that name elsewhere (M-22)."""
        wanted = new_note_path(path)
        changes = ChangeSet(
            kind=EventKind.CREATED,
            actor=by,
            cause=why or f"create {wanted}",
            creations=(Creation(wanted, text.encode()),),
        )
        twins = self._desk.ask(lambda connection: namesakes(connection, wanted))
        planned = Planned(changes, {wanted: ("", text)}, {}, tuple(map(_shadows, twins)))
        return self._carry_out(lambda: planned, dry_run)

    def edit(
        self,
        name: str,
        changes: Sequence[NoteChange],
        *,
        by: str = "vaultmem",
        why: str = "",
        allow_template: bool = False,
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Makes the changes, one after the other, in the note that ``name`` means: all or none, as splices.

        ``allow_template`` says that a person named this very file, which may then be a template (E-17).
        """

        def plan() -> Planned:
            path = self._find(name)
            note = read_for_change(self._desk.root, path)
            edited = plan_note_edit(
                note.text,
                changes,
                path=path,
                settings=self._settings,
                allow_template=allow_template,
            )
            edit = Edit(path, note.read.hash, edited.text.encode(), spans_of(edited.edits))
            set_ = ChangeSet(
                kind=EventKind.UPDATED, actor=by, cause=why or f"edit {path}", edits=(edit,)
            )
            return Planned(set_, {path: (note.text, edited.text)}, {})

        return self._carry_out(plan, dry_run)

    def write(
        self,
        name: str,
        text: str,
        *,
        expected: str,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Gives a whole note another text, if it still holds the bytes of the hash ``expected``: what a caller
        read before. Never planned again: raises WriteConflict when the note has changed since."""
        path = self._find(name)
        note = read_for_change(self._desk.root, path)
        if note.read.hash != expected:
            raise WriteConflict(path, expected=expected, found=note.read.hash)
        edit = Edit(path, expected, text.encode())
        set_ = ChangeSet(
            kind=EventKind.UPDATED, actor=by, cause=why or f"write {path}", edits=(edit,)
        )
        planned = Planned(set_, {path: (note.text, text)}, {})
        return self._carry_out(lambda: planned, dry_run, attempts=1)

    def rename(
        self,
        name: str,
        new: str,
        *,
        links: LinkUpdates = LinkUpdates.AS_SET,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Gives a file or folder another vault path, and every link that would break its new text (M-01 to M-19).

        A folder is meant by its path, with or without ``/`` behind. ``new`` is a whole vault path. With
        ``links`` as they are set, links change as Obsidian's setting says; off means EditRefused
        ``needs-consent`` when some would.
        """

        def plan_on(ground: Ground) -> Planned:
            if is_folder(ground, name):
                old, target = name.strip("/"), new.strip("/")
                return folder_rename(ground, old, target, links, _by(by, why, old, target))
            old = self._desk.find(ground.connection, name).path
            target = with_ending_of(old, new.strip("/"))
            return file_rename(ground, old, target, links, _by(by, why, old, target))

        return self._carry_out(lambda: self._on_ground(plan_on), dry_run)

    def destination(self, name: str, new: str) -> str:
        """The vault path that a person means who types ``mv NAME NEW``; see :mod:`vaultmem.edits.destination`."""

        def find(ground: Ground) -> str:
            folder = is_folder(ground, name)
            old = name.strip("/") if folder else self._desk.find(ground.connection, name).path
            known_by = old if folder else name
            return destination(known_by, old, new, ground.is_folder)

        root, settings = self._desk.root, self._settings
        return self._desk.ask(lambda connection: find(Ground(root, connection, settings)))

    def rename_heading(
        self,
        name: str,
        old: str,
        new: str,
        *,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Gives a heading of the note another text, and every link to it (M-24). ``old`` is its text, or a chain
        ``Above#Below`` where that alone is not the only one."""

        def plan_on(ground: Ground) -> Planned:
            path = self._desk.find(ground.connection, name).path
            return heading_rename(ground, path, old, new, _by(by, why, f"{path}#{old}", new))

        return self._carry_out(lambda: self._on_ground(plan_on), dry_run)

    def remove(
        self, name: str, *, by: str = "vaultmem", why: str = "", dry_run: bool = False
    ) -> WriteAnswer:
        """Moves a file into the vault's ``.trash`` (D-07), whatever Obsidian's setting: from there it can be had back.
        Links to it stay as they are, and lead to it again when it returns."""

        def plan() -> Planned:
            path = self._find(name)
            read = read_note_bytes(self._desk.root, path)
            move = Move(path, trash_path(self._desk.root, path), read.hash)
            set_ = ChangeSet(
                kind=EventKind.DELETED, actor=by, cause=why or f"remove {path}", moves=(move,)
            )
            return Planned(set_, {}, {})

        return self._carry_out(plan, dry_run)

    # -- how ---------------------------------------------------------------------------------------------------

    @property
    def _settings(self) -> ObsidianSettings:
        return read_obsidian_config(self._desk.root)

    def _find(self, name: str) -> str:
        return self._desk.ask(lambda connection: self._desk.find(connection, name).path)

    def _on_ground(self, plan: Callable[[Ground], Planned]) -> Planned:
        root, settings = self._desk.root, self._settings
        return self._desk.ask(lambda connection: plan(Ground(root, connection, settings)))

    def _carry_out(
        self, plan: Callable[[], Planned], dry_run: bool, *, attempts: int = ATTEMPTS
    ) -> WriteAnswer:
        began = time.perf_counter()
        planned, event = self._settled(plan, dry_run, attempts)
        if event is None:
            files = preview(planned) if dry_run else ()
            seconds = time.perf_counter() - began
            return answer(planned, files, event=None, dry_run=dry_run, seconds=seconds)
        note = self._indexed(planned)
        files = receipt(planned, event, diffs=len(event.changes) <= DIFFS_UP_TO)
        seconds = time.perf_counter() - began
        return answer(planned, files, event=event, dry_run=False, seconds=seconds, note=note)

    def _settled(
        self, plan: Callable[[], Planned], dry_run: bool, attempts: int
    ) -> tuple[Planned, MemoryEvent | None]:
        """The plan that was carried out, and its event. A file that changed meanwhile is planned for again; one
        that another program is just saving is waited for."""
        patience = Patience(attempts=attempts)
        while True:
            planned = plan()
            if dry_run or planned.is_empty:
                return planned, None
            try:
                return planned, self._apply(planned)
            except WriteRefused as refusal:
                patience.wait(refusal)

    def _apply(self, planned: Planned) -> MemoryEvent | None:
        linked = folder_links(self._desk.root, planned.touched())
        return apply_changes(
            self._desk.root, planned.changes, rules=replace(self._rules, linked=linked)
        )

    def _indexed(self, planned: Planned) -> str:
        """Brings the index up. The bytes are on the disk whatever comes of it, so an error is a note."""
        visible = [path for path in planned.touched() if not path.startswith(f"{TRASH}/")]
        try:
            self._desk.bring_in(visible)
        except VaultmemError as error:
            return f"It is written; the index does not have it yet: {error}"
        return ""


def new_note_path(path: str) -> str:
    """The vault path of a new note, in NFC (N-07), ``.md`` added where there is no ending. Raises UsageError."""
    wanted = normalize("NFC", path.strip().strip("/"))
    if not wanted:
        raise UsageError("A new note needs a name.", hint="Give its path in the vault.")
    if file_kind(wanted) is FileKind.NOTE:
        return wanted
    name = wanted.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending in _OTHER_ENDINGS:
        raise UsageError(f"{wanted} would be no note.", hint="Notes end with .md.")
    return f"{wanted}.md"


_OTHER_ENDINGS: Final = frozenset(
    [
        "base",
        "canvas",
        "css",
        "gif",
        "htm",
        "html",
        "jpeg",
        "jpg",
        "js",
        "json",
        "mp3",
        "mp4",
        "pdf",
        "png",
        "svg",
        "txt",
        "wav",
        "webm",
        "webp",
        "yaml",
        "yml",
    ]
)
"""Endings that nobody means as a part of a note's name."""


def namesakes(connection: apsw.Connection, path: str) -> list[str]:
    """The vault paths of other notes with the file name of ``path``, compared as links do."""
    found = IndexedNames(connection).lookup(name_key(path))
    return sorted(other for other in found if path_key(other) != path_key(path))


def _shadows(other: str) -> str:
    name = stem(other.rpartition("/")[2])
    return f"There is a note of that name already, {other}: links [[{name}]] may mean either."


def with_ending_of(old: str, new: str) -> str:
    """The new path; a note's ``.md`` is added where it was left out."""
    if file_kind(old) is FileKind.NOTE and file_kind(new) is not FileKind.NOTE:
        return f"{new}.md"
    return new


def is_folder(ground: Ground, name: str) -> bool:
    """Whether ``name`` is the path of a folder, and no file's."""
    path = name.strip("/")
    if not path or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return False
    with suppress(OSError, ValueError):
        meant = name.endswith("/") or not os.path.isfile(ground.root / f"{path}.md")
        return meant and ground.is_folder(path)
    return False


def _by(actor: str, why: str, old: str, new: str) -> By:
    return By(actor, why or f"rename {old} to {new}")
