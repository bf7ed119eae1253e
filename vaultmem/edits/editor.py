"""Changing the vault on somebody's word: each call is one event, planned again when the disk moved under it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, TypeVar

import apsw

from vaultmem.edits.answers import WriteAnswer
from vaultmem.edits.composed import Composed, plan_composed
from vaultmem.edits.destination import destination, new_note_path, with_ending_of
from vaultmem.edits.planned import Planned, answer, preview, receipt, spans_of
from vaultmem.edits.reading import read_bytes, read_for_change
from vaultmem.edits.renames import By, Ground, file_rename, folder_rename, heading_rename
from vaultmem.errors import UsageError, VaultmemError
from vaultmem.files.arrive import trash_path
from vaultmem.files.changes import (
    ChangeSet,
    Creation,
    Edit,
    Move,
    alone,
    apply_alone,
    apply_changes,
    check_new,
)
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.journal import Journal
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.patience import ATTEMPTS, Patience
from vaultmem.files.presence import is_file, linked_folders
from vaultmem.files.refusals import (
    ChangedSinceRead,
    RefusalCode,
    WriteConflict,
    WriteRefused,
)
from vaultmem.files.targets import TRASH, WriteRules
from vaultmem.index import queries
from vaultmem.index.connection import fetch
from vaultmem.index.journal import journal_sizes
from vaultmem.index.names import IndexedNames
from vaultmem.index.queries import FileRef
from vaultmem.notes.note_edit import NoteChange, plan_note_edit
from vaultmem.notes.obsidian import ObsidianSettings
from vaultmem.notes.paths import name_key, path_key, stem
from vaultmem.notes.refusal import EditRefused
from vaultmem.notes.refusal import RefusalCode as EditRefusalCode
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

    def settle(self) -> None:
        """Finishes or takes back what a killed process left half done."""
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
    the journal. ``expected`` is the hash of the bytes that the caller read: when the note holds others, raises
    ChangedSinceRead.

    Raises, with every file as it was: EditRefused for what must not or cannot be changed so, WriteRefused and
    WriteConflict for what other programs do to the file, WriteFailed for what the disk does, LockedError,
    NoteNotFoundError, UsageError. Raises PartlyDoneError and UnsettledError as ``apply_changes`` does.
    """

    def __init__(self, desk: Desk, rules: WriteRules) -> None:
        self._desk = desk
        self._rules = rules
        self._written: dict[str, str] = {}
        """The hash that this editor last gave to each of the paths it wrote most recently."""

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
            creations=(Creation(wanted, _bytes(text)),),
        )
        twins = self._desk.ask(lambda connection: namesakes(connection, wanted))
        planned = Planned(changes, {wanted: ("", text)}, {}, tuple(map(_shadows, twins)))
        if dry_run:  # otherwise whoever carries it out looks, when nobody can come in between
            check_new(self._desk.root, wanted, rules=self._rules_for(planned))
        return self._carry_out(lambda: planned, dry_run)

    def edit(
        self,
        name: str,
        changes: Sequence[NoteChange],
        *,
        expected: str | None = None,
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
            _check_read(set_, path, expected)
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
        edit = Edit(path, expected, _bytes(text))
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
        expected: str | None = None,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Gives a file or folder another vault path, and every link that would break its new text (M-01 to M-19).

        A folder is meant by its path, with or without ``/`` behind. ``new`` is a whole vault path. With
        ``links`` as they are set, links change as Obsidian's setting says; off means EditRefused
        ``needs-consent`` when some would.
        """

        return self._rename(name, lambda *_: new, _Asked(links, by, why, expected), dry_run)

    def move(
        self,
        name: str,
        new: str,
        *,
        links: LinkUpdates = LinkUpdates.AS_SET,
        expected: str | None = None,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """:meth:`rename` for a person, who says where to as in ``mv NAME NEW``: a name stays in its folder, see
        :func:`vaultmem.edits.destination.destination`."""

        def target(ground: Ground, known_by: str, old: str) -> str:
            return destination(known_by, old, new, ground.is_folder)

        return self._rename(name, target, _Asked(links, by, why, expected), dry_run)

    def _rename(
        self, name: str, target: Callable[[Ground, str, str], str], asked: _Asked, dry_run: bool
    ) -> WriteAnswer:
        """``target`` says the new path of what was called so and lies there."""

        def plan_on(ground: Ground) -> Planned:
            if is_folder(ground, name):
                old = name.strip("/")
                new = target(ground, old, old).strip("/")
                return folder_rename(ground, old, new, asked.links, asked.as_told(old, new))
            old = self._desk.find(ground.connection, name).path
            new = with_ending_of(old, target(ground, name, old).strip("/"))
            planned = file_rename(ground, old, new, asked.links, asked.as_told(old, new))
            _check_read(planned.changes, old, asked.expected)
            return planned

        return self._carry_out(lambda: self._on_ground(plan_on), dry_run)

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
            asked = _Asked(LinkUpdates.YES, by, why)
            return heading_rename(ground, path, old, new, asked.as_told(f"{path}#{old}", new))

        return self._carry_out(lambda: self._on_ground(plan_on), dry_run)

    def remove(
        self,
        name: str,
        *,
        expected: str | None = None,
        by: str = "vaultmem",
        why: str = "",
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Moves a file into the vault's ``.trash`` (D-07), whatever Obsidian's setting: from there it can be had back.
        Links to it stay as they are, and lead to it again when it returns."""

        def find(connection: apsw.Connection) -> tuple[str, list[str]]:
            file = self._desk.find(connection, name)
            rows = fetch(connection, queries.BACKLINKS_OF, {"id": file.id})
            return file.path, [source for source, *_ in rows]

        def plan() -> Planned:
            path, sources = self._desk.ask(find)
            read = read_bytes(self._desk.root, path)
            move = Move(path, trash_path(self._desk.root, path), read.hash)
            set_ = ChangeSet(
                kind=EventKind.DELETED, actor=by, cause=why or f"remove {path}", moves=(move,)
            )
            _check_read(set_, path, expected)
            return Planned(set_, {}, {}, _left_behind(sources))

        return self._carry_out(plan, dry_run)

    def apply(
        self,
        wanted: Composed,
        *,
        kind: EventKind,
        by: str,
        why: str,
        cycle: str | None = None,
        dry_run: bool = False,
    ) -> WriteAnswer:
        """Gives notes other texts, makes new ones and moves one, as one event of that kind, which may be part of a
        ``cycle``. Nothing is done, and ChangedSinceRead raised, when a note that it was planned on has changed or is
        gone. In the receipt of a dry run stand all files, those with links to the moved note, too."""

        def plan_on(ground: Ground | None) -> Planned:
            return plan_composed(
                self._desk.root, wanted, ground=ground, kind=kind, by=By(by, why), cycle=cycle
            )

        def plan() -> Planned:
            if wanted.move is not None:
                return self._on_ground(plan_on)
            self._desk.settle()
            return plan_on(None)

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
        """The plan that was carried out, and its event. A file that another program is just saving is waited for.
        What changed meanwhile is planned for again, and then while nobody else of us may change notes: however busy
        the others are, it gets its turn."""
        root = self._desk.root
        patience = Patience(root, self._rules, attempts=attempts)
        is_outrun = False
        while True:
            try:
                with self._alone() if is_outrun else nullcontext():
                    # Looked at before the index is asked: what comes in between shows as a change, and is never missed.
                    told = None if is_outrun else journal_sizes(root)
                    planned = plan()
                    _check_told(planned.changes)
                    if dry_run or planned.is_empty:
                        return planned, None
                    return planned, self._apply(planned, told)
            except ChangedSinceRead:
                raise
            except WriteRefused as error:
                refusal = _passing(error)
            is_outrun = refusal.code is RefusalCode.CONFLICT and not dry_run
            patience.wait(refusal)

    def _alone(self) -> AbstractContextManager[None]:
        return alone(self._desk.root, rules=self._rules, journal=Journal(self._desk.root))

    def _apply(self, planned: Planned, told: Mapping[str, int] | None) -> MemoryEvent | None:
        """Carries it out. Raises WriteRefused ``conflict`` when it was planned on names and links, and the journal is
        not as it was ``told``: by now a link may be new, or a folder have another name. None for what was planned
        within ``_alone``: there only a hand could have done that, of which no lock keeps anybody."""
        root = self._desk.root
        rules = self._rules_for(planned)
        if self._is_own(planned.changes):
            rules = replace(rules, quiet=0)

        def check() -> None:
            if planned.on_names and journal_sizes(root) != told:
                raise _outrun(planned)

        if told is None:
            event = apply_alone(root, planned.changes, rules=rules, journal=Journal(root))
        else:
            event = apply_changes(root, planned.changes, rules=rules, still_holds=check)
        self._remember(event)
        return event

    def _rules_for(self, planned: Planned) -> WriteRules:
        return replace(self._rules, linked=linked_folders(self._desk.root, planned.touched()))

    def _is_own(self, changes: ChangeSet) -> bool:
        """Whether all files that are to be edited hold what this editor last put there, so that no other program has
        just saved them, and nobody has to be waited for."""
        return not changes.moves and all(
            self._written.get(edit.path) == edit.expected for edit in changes.edits
        )

    def _remember(self, event: MemoryEvent | None) -> None:
        for change in event.changes if event is not None else ():
            self._written.pop(change.path, None)
            if change.hash_after is not None:
                self._written[change.path_after or change.path] = change.hash_after
        while len(self._written) > REMEMBERED:
            del self._written[next(iter(self._written))]

    def _indexed(self, planned: Planned) -> str:
        """Brings the index up. The bytes are on the disk whatever comes of it, so an error is a note."""
        visible = [path for path in planned.touched() if not path.startswith(f"{TRASH}/")]
        try:
            self._desk.bring_in(visible)
        except VaultmemError as error:
            return f"It is written; the index does not have it yet: {error}"
        return ""


def namesakes(connection: apsw.Connection, path: str) -> list[str]:
    """The vault paths of other notes with the file name of ``path``, compared as links do."""
    found = IndexedNames(connection).lookup(name_key(path))
    return sorted(other for other in found if path_key(other) != path_key(path))


def _left_behind(sources: Sequence[str]) -> tuple[str, ...]:
    """The warning that links lead to the file no more; one path in ``sources`` for each."""
    if not sources:
        return ()
    files = list(dict.fromkeys(sources))
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    links = "1 link leads" if len(sources) == 1 else f"{len(sources)} links lead"
    return (f"{links} there no more, in {files[0]}{more}.",)


def _shadows(other: str) -> str:
    name = stem(other.rpartition("/")[2])
    return f"There is a note of that name already, {other}: links [[{name}]] may mean either."


def is_folder(ground: Ground, name: str) -> bool:
    """Whether ``name`` is the path of a folder, and no file's."""
    path = name.strip("/")
    if any(part in ("", ".", "..") for part in path.split("/")):
        return False
    meant = name.endswith("/") or not is_file(ground.root, f"{path}.md")
    return meant and ground.is_folder(path)


def _bytes(text: str) -> bytes:
    """The text as a file holds it. Raises EditRefused ``unwritable-value``."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise EditRefused(
            EditRefusalCode.UNWRITABLE_VALUE,
            "The text cannot be written. It holds half a character (a lone surrogate).",
        ) from error


def _check_read(changes: ChangeSet, path: str, expected: str | None) -> None:
    """Raises ChangedSinceRead when the change of the file was planned on other bytes than the caller read. Where the
    file stays as it is, as when it is to have the name that it has, nothing was planned on its bytes."""
    read = {edit.path: edit.expected for edit in changes.edits}
    read.update({move.path: move.expected or "" for move in changes.moves})
    found = read.get(path)
    if expected is not None and found is not None and found != expected:
        raise ChangedSinceRead(path, expected=expected, found=found)


def _check_told(changes: ChangeSet) -> None:
    """Raises UsageError when the journal could not hold who asks for the change and why."""
    told = f"{changes.actor}: {changes.cause}"
    try:
        told.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{told!r} holds half a character (a lone surrogate), which no file can.",
            hint="Give it as valid UTF-8; nothing was changed.",
        ) from error


def _outrun(planned: Planned) -> WriteRefused:
    """The refusal of a plan that others were faster than."""
    set_ = planned.changes
    path = set_.moves[0].path if set_.moves else set_.edits[0].path
    return WriteRefused(
        RefusalCode.CONFLICT,
        path,
        f"The vault kept changing while this was planned: {set_.cause}. Nothing was changed.",
        hint="Try again.",
    )


def _passing(refusal: WriteRefused) -> WriteRefused:
    """The refusal; a conflict where it is that a name in the trash was taken meanwhile, since there are more."""
    if refusal.code is RefusalCode.EXISTS and refusal.path.startswith(f"{TRASH}/"):
        return WriteRefused(RefusalCode.CONFLICT, refusal.path, refusal.message, hint="Try again.")
    return refusal


REMEMBERED: Final = 1_000
"""Paths of which an editor knows what it wrote there."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """How a rename was asked for."""

    links: LinkUpdates
    by: str
    why: str
    expected: str | None = None
    """The hash of the file that the caller read."""

    def as_told(self, old: str, new: str) -> By:
        """What the journal has of it."""
        return By(self.by, self.why or f"rename {old} to {new}")
