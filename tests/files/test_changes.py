"""Changes of several files: all or nothing, remembered, and a hand edit wins (P2, P5, D-04 to D-06)."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.files.vaults import AT_ONCE, contents, fill, hash_of
from vaultmem.errors import FailedError, UsageError
from vaultmem.files.changes import ChangeSet, Creation, Edit, Move, apply_changes
from vaultmem.files.events import ByteSpan, EventKind, FileChange, MemoryEvent, new_event_id
from vaultmem.files.execution import PartlyDoneError, UnsettledError
from vaultmem.files.folder import Folder
from vaultmem.files.journal import Journal
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.recover import recover
from vaultmem.files.refusals import RefusalCode, WriteConflict, WriteFailed, WriteRefused
from vaultmem.files.targets import WriteRules

START = {
    "Old.md": b"old, see [[other]]\n",
    "other.md": b"see [[Old]]\n",
    "log/day.md": b"a day with [[Old]]\r\n",
    "log/picture.png": b"\x89PNG",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    fill(tmp_path, START)
    return tmp_path


def edit(path: str, data: bytes) -> Edit:
    return Edit(path, content_hash(START[path]), data)


def plan(*parts: Edit | Creation | Move, undoes: str | None = None) -> ChangeSet:
    return ChangeSet(
        EventKind.RENAMED,
        actor="vaultmem mv",
        cause="Old is now New",
        edits=tuple(part for part in parts if isinstance(part, Edit)),
        creations=tuple(part for part in parts if isinstance(part, Creation)),
        moves=tuple(part for part in parts if isinstance(part, Move)),
        undoes=undoes,
    )


CASCADE = (
    Edit("other.md", content_hash(START["other.md"]), b"see [[New]]\n"),
    Edit("log/day.md", content_hash(START["log/day.md"]), b"a day with [[New]]\r\n"),
    Edit("Old.md", content_hash(START["Old.md"]), b"new, see [[other]]\n"),
    Creation("made/Stub.md", b"stub"),
    Move("Old.md", "people/New.md", content_hash(START["Old.md"])),
    Move("log", "Log", None),
)
AFTERWARDS = {
    "people/New.md": b"new, see [[other]]\n",
    "other.md": b"see [[New]]\n",
    "Log/day.md": b"a day with [[New]]\r\n",
    "Log/picture.png": b"\x89PNG",
    "made/Stub.md": b"stub",
}


def nothing_remains_of_it(root: Path) -> bool:
    return not list((root / ".vaultmem/intents").glob("*")) and not list(Journal(root).read())


def test_a_cascade_is_done_and_told_as_one_event(vault: Path) -> None:
    event = apply_changes(vault, plan(*CASCADE), rules=AT_ONCE)
    assert contents(vault) == AFTERWARDS
    assert event is not None
    assert list(Journal(vault).read()) == [event]
    assert (event.kind, event.actor, event.cause) == (
        EventKind.RENAMED,
        "vaultmem mv",
        "Old is now New",
    )
    hashes = {path: content_hash(data) for path, data in (START | AFTERWARDS).items()}
    assert set(event.changes) == {
        FileChange(
            "other.md",
            None,
            content_hash(START["other.md"]),
            hashes["other.md"],
            (ByteSpan(6, 9, 3),),
        ),
        FileChange(
            "log/day.md",
            "Log/day.md",
            hashes["log/day.md"],
            hashes["Log/day.md"],
            (ByteSpan(13, 16, 3),),
        ),
        FileChange(
            "Old.md",
            "people/New.md",
            hashes["Old.md"],
            hashes["people/New.md"],
            (ByteSpan(0, 3, 3),),
        ),
        FileChange("made/Stub.md", None, None, hashes["made/Stub.md"]),
        FileChange("log", "Log"),
    }
    store = ObjectStore(vault)
    for change in event.changes:
        for digest in (change.hash_before, change.hash_after):
            assert digest is None or store.has(digest)
    assert list((vault / ".vaultmem/intents").iterdir()) == []


@pytest.mark.parametrize(
    "changes",
    [
        plan(),
        plan(edit("Old.md", START["Old.md"])),
        plan(Move("Old.md", "Old.md", content_hash(START["Old.md"]))),
    ],
)
def test_what_would_alter_nothing_is_not_written_and_no_event(
    vault: Path, changes: ChangeSet
) -> None:
    """D-05."""
    before = {path: (vault / path).stat() for path in START}
    assert apply_changes(vault, changes, rules=AT_ONCE) is None
    assert {path: (vault / path).stat() for path in START} == before
    assert nothing_remains_of_it(vault)


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        (
            (edit("other.md", b"x"), Edit("Old.md", content_hash(b"read"), b"y")),
            RefusalCode.CONFLICT,
        ),
        (
            (edit("other.md", b"x"), Edit("gone.md", content_hash(b"read"), b"y")),
            RefusalCode.CONFLICT,
        ),
        ((edit("other.md", b"x"), Creation("OLD.md", b"y")), RefusalCode.EXISTS),
        ((edit("other.md", b"x"), Creation("a:b.md", b"y")), RefusalCode.UNSAFE_NAME),
        (
            (edit("other.md", b"x"), Move("Old.md", "log/day.md", content_hash(START["Old.md"]))),
            RefusalCode.EXISTS,
        ),
        (
            (edit("other.md", b"x"), Move("Old.md", "New.md", content_hash(b"read"))),
            RefusalCode.CONFLICT,
        ),
        ((edit("other.md", b"x"), Move("gone", "New", None)), RefusalCode.CONFLICT),
    ],
)
def test_all_is_checked_before_anything_is_written(
    vault: Path, parts: tuple[Edit | Creation | Move, ...], code: RefusalCode
) -> None:
    before = {path: (vault / path).stat() for path in START}
    with pytest.raises(WriteRefused) as caught:
        apply_changes(vault, plan(*parts), rules=AT_ONCE)
    assert caught.value.code == code
    assert {path: (vault / path).stat() for path in START} == before
    assert nothing_remains_of_it(vault)


@pytest.mark.parametrize(
    "parts",
    [
        (edit("Old.md", b"x"), edit("Old.md", b"y")),
        (Creation("new.md", b"x"), Creation("NEW.md", b"y")),
        (Creation("new.md", b"x"), Move("Old.md", "New.md", content_hash(START["Old.md"]))),
        (Move("log", "log/deeper", None),),
        (Move("log", "Log", None), Move("log/day.md", "day.md", content_hash(START["log/day.md"]))),
    ],
)
def test_a_set_that_contradicts_itself_is_a_mistake_of_the_caller(
    vault: Path, parts: tuple[Edit | Creation | Move, ...]
) -> None:
    with pytest.raises(UsageError):
        apply_changes(vault, plan(*parts), rules=AT_ONCE)
    assert contents(vault) == START
    assert nothing_remains_of_it(vault)


class Meanwhile:
    """A clock that, when it is asked for the nth time, does something first: another program at work."""

    def __init__(self, act: Callable[[], object], at: int) -> None:
        self._act = act
        self._left = at

    def __call__(self) -> int:
        self._left -= 1
        if self._left == 0:
            self._act()
        return 1_796_000_000 * 10**9


def test_a_hand_edit_after_the_check_wins_and_all_is_taken_back(vault: Path) -> None:
    """The clock is asked after the check, when the event gets its time."""

    def save() -> None:
        (vault / "Old.md").write_bytes(b"typed meanwhile")

    rules = WriteRules(quiet=0, settle=0, clock=Meanwhile(save, 2))
    with pytest.raises(WriteConflict):
        apply_changes(vault, plan(*CASCADE), rules=rules)
    assert contents(vault) == START | {"Old.md": b"typed meanwhile"}
    assert nothing_remains_of_it(vault)
    assert not (vault / "made").exists()
    assert not (vault / "people").exists()


def test_a_file_that_appears_after_the_check_stays_and_all_is_taken_back(vault: Path) -> None:
    def appear() -> None:
        fill(vault, {"people/New.md": b"somebody else's"})

    rules = WriteRules(quiet=0, settle=0, clock=Meanwhile(appear, 2))
    with pytest.raises(WriteRefused) as caught:
        apply_changes(vault, plan(*CASCADE), rules=rules)
    assert caught.value.code == RefusalCode.EXISTS
    assert contents(vault) == START | {"people/New.md": b"somebody else's"}
    assert nothing_remains_of_it(vault)


def test_a_hand_edit_on_top_of_ours_is_not_taken_back_and_told(vault: Path) -> None:
    """The first file has its new bytes and is edited by hand; then the move turns out to be impossible."""
    asked = 0

    def clock() -> int:
        nonlocal asked
        asked += 1
        ours = vault / "other.md"
        if ours.read_bytes() == b"see [[New]]\n":
            # By rename: we are asked while a lease is held, and to open the file would wait for ourselves.
            fill(vault, {".editor": b"see [[New]], typed on top\n"})
            os.replace(vault / ".editor", ours)
            fill(vault, {"people/New.md": b"somebody else's"})
        return 1_796_000_000 * 10**9

    rules = WriteRules(quiet=0, settle=0, clock=clock)
    with pytest.raises(PartlyDoneError) as caught:
        apply_changes(vault, plan(*CASCADE), rules=rules)
    assert caught.value.exit_code == 5
    assert contents(vault) == START | {
        "other.md": b"see [[New]], typed on top\n",
        "people/New.md": b"somebody else's",
    }
    (event,) = Journal(vault).read()
    assert event == caught.value.event
    assert [change.path for change in event.changes] == ["other.md"]
    assert "other.md" in str(caught.value)
    assert not list((vault / ".vaultmem/intents").iterdir())


class Sick:
    """A disk that fails some of the calls by which folders are synced, which no disk here can be made to do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, first: int, last: int) -> None:
        self._left = (first, last)
        real = Folder.sync

        def sync(folder: Folder) -> None:
            first, last = self._left
            self._left = (first - 1, last - 1)
            if first <= 1 <= last:
                raise OSError(errno.EIO, "Input/output error")
            real(folder)

        monkeypatch.setattr(Folder, "sync", sync)


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("call", range(1, 6))
@pytest.mark.parametrize(
    "parts",
    [
        (Creation("made/Stub.md", b"stub"),),
        (Move("Old.md", "people/New.md", content_hash(START["Old.md"])),),
        (Move("log", "Log book", None),),
        CASCADE,
    ],
)
def test_a_disk_that_fails_to_sync_a_folder_leaves_all_or_nothing(
    vault: Path,
    monkeypatch: pytest.MonkeyPatch,
    parts: tuple[Edit | Creation | Move, ...],
    call: int,
    for_good: bool,
) -> None:
    """Whatever was made or moved before the disk failed is taken back, now or by the next command."""
    failed: FailedError | None = None
    with monkeypatch.context() as patched:
        Sick(patched, call, 10**6 if for_good else call)
        try:
            apply_changes(vault, plan(*parts), rules=AT_ONCE)
        except FailedError as error:
            failed = error
    if isinstance(failed, UnsettledError):
        recover(vault, rules=AT_ONCE)
    if failed is not None:
        assert contents(vault) == START
        assert nothing_remains_of_it(vault)
    else:  # it did not sync that often
        assert contents(vault) != START
        assert len(list(Journal(vault).read())) == 1


def test_a_journal_that_cannot_be_read_keeps_the_intent_until_it_can(vault: Path) -> None:
    """Nobody knows whether the event is in it: so the change is neither finished nor taken back yet."""
    journal = Journal(vault, "aaaa0000")
    month = vault / ".vaultmem/journal/aaaa0000" / f"{datetime.now(UTC):%Y-%m}.jsonl"
    month.mkdir(parents=True)
    with pytest.raises(FailedError):
        apply_changes(vault, plan(*CASCADE), rules=AT_ONCE, journal=journal)
    month.rmdir()
    recover(vault, rules=AT_ONCE, journal=journal)
    assert contents(vault) in (START, AFTERWARDS)
    assert len(list(journal.read())) == (contents(vault) == AFTERWARDS)
    assert not list((vault / ".vaultmem/intents").glob("*"))


def test_a_journal_that_takes_no_event_means_that_nothing_happened(vault: Path) -> None:
    journal = Journal(vault, "aaaa0000")
    (vault / ".vaultmem/journal").mkdir(parents=True)
    (vault / ".vaultmem/journal/aaaa0000").write_text("a file in the folder's place")
    with pytest.raises(WriteFailed):
        apply_changes(vault, plan(*CASCADE), rules=AT_ONCE, journal=journal)
    assert contents(vault) == START
    assert not list((vault / ".vaultmem/intents").iterdir())


def test_our_own_fresh_write_is_no_reason_to_wait_and_a_hand_edit_is(vault: Path) -> None:
    """D-03: two commands in a row work; the person's save of a moment ago is left alone."""
    for path in START:
        os.utime(vault / path, (1_700_000_000, 1_700_000_000))
    rules = WriteRules()
    apply_changes(vault, plan(edit("other.md", b"first\n")), rules=rules)
    again = Edit("other.md", content_hash(b"first\n"), b"second\n")
    assert apply_changes(vault, plan(again), rules=rules) is not None
    (vault / "other.md").write_bytes(b"by hand\n")
    third = Edit("other.md", content_hash(b"by hand\n"), b"third\n")
    with pytest.raises(WriteRefused) as caught:
        apply_changes(vault, plan(third), rules=rules)
    assert caught.value.code == RefusalCode.TOO_FRESH
    assert (vault / "other.md").read_bytes() == b"by hand\n"


def told(root: Path, kind: EventKind, *changes: FileChange) -> None:
    """An event of this moment, in the journal."""
    journal, now = Journal(root), WriteRules().clock()
    journal.append(
        MemoryEvent(new_event_id(now), now, journal.device, kind, "someone", "a test", changes)
    )


def test_a_note_with_two_names_is_parted_and_that_is_told(vault: Path) -> None:
    """The exchange gives one name a new file; the other keeps the old one, in or outside of the vault."""
    os.link(vault / "other.md", vault / "twin.md")
    event = apply_changes(
        vault, plan(edit("other.md", b"x\n"), edit("Old.md", b"y\n")), rules=AT_ONCE
    )
    assert event is not None
    assert event.note == "other.md had another name (a hard link), which keeps the bytes of before."
    assert (vault / "twin.md").read_bytes() == START["other.md"]
    assert (vault / "other.md").read_bytes() == b"x\n"


FIRST, BY_HAND = content_hash(b"first\n"), content_hash(b"by hand\n")


@pytest.mark.parametrize(
    ("events", "is_own"),
    [
        ([(EventKind.UPDATED, FIRST, BY_HAND)], True),
        ([(EventKind.EDITED_BY_HAND, FIRST, BY_HAND)], False),
        ([(EventKind.EDITED_BY_HAND, FIRST, BY_HAND), (EventKind.UPDATED, BY_HAND, FIRST)], False),
        ([(EventKind.UPDATED, FIRST, BY_HAND), (EventKind.EDITED_BY_HAND, None, BY_HAND)], False),
        ([(EventKind.EDITED_BY_HAND, FIRST, BY_HAND), (EventKind.UPDATED, FIRST, BY_HAND)], True),
        ([(EventKind.RENAMED, BY_HAND, BY_HAND)], False),
    ],
)
def test_a_save_of_a_moment_ago_is_left_alone_though_the_journal_knows_it(
    vault: Path, events: list[tuple[EventKind, str | None, str]], is_own: bool
) -> None:
    """D-03: only bytes that vaultmem itself made last are no reason to wait."""
    (vault / "other.md").write_bytes(b"by hand\n")
    for kind, before, after in events:
        told(vault, kind, FileChange("other.md", None, before, after))
    third = plan(Edit("other.md", BY_HAND, b"third\n"))
    if is_own:
        assert apply_changes(vault, third, rules=WriteRules()) is not None
        return
    with pytest.raises(WriteRefused) as caught:
        apply_changes(vault, third, rules=WriteRules())
    assert caught.value.code == RefusalCode.TOO_FRESH
    assert (vault / "other.md").read_bytes() == b"by hand\n"


def taken_back(root: Path, event: MemoryEvent) -> ChangeSet:
    """The reverse of an event, as ``undo`` plans it."""
    store = ObjectStore(root)
    moves = [
        Move(change.final_path, change.path, change.hash_after)
        for change in event.changes
        if change.path_after is not None
        and (change.is_folder or not change.path.startswith("log/"))
    ]
    edits = [
        Edit(change.final_path, change.hash_after, store.get(change.hash_before))
        for change in event.changes
        if change.hash_before and change.hash_after and change.hash_before != change.hash_after
    ]
    made = [c for c in event.changes if c.hash_before is None and c.hash_after is not None]
    moves += [Move(c.path, f".trash/{c.path.rpartition('/')[2]}", c.hash_after) for c in made]
    return plan(*edits, *moves, undoes=event.id)


def test_an_event_can_be_taken_back_byte_for_byte(vault: Path) -> None:
    event = apply_changes(vault, plan(*CASCADE), rules=AT_ONCE)
    assert event is not None
    undo = apply_changes(vault, taken_back(vault, event), rules=AT_ONCE)
    assert undo is not None
    assert undo.undoes == event.id
    assert contents(vault) == START | {".trash/Stub.md": b"stub"}


def test_an_odd_name_comes_back_when_its_change_is_taken_back(tmp_path: Path) -> None:
    fill(tmp_path, {"a#b.md": b"odd"})
    digest = hash_of(tmp_path, "a#b.md")
    event = apply_changes(tmp_path, plan(Move("a#b.md", "a b.md", digest)), rules=AT_ONCE)
    assert event is not None
    back = Move("a b.md", "a#b.md", digest)
    with pytest.raises(WriteRefused):
        apply_changes(tmp_path, plan(back), rules=AT_ONCE)
    apply_changes(tmp_path, plan(back, undoes=event.id), rules=AT_ONCE)
    assert contents(tmp_path) == {"a#b.md": b"odd"}


def test_more_files_than_are_held_open_at_once(tmp_path: Path) -> None:
    files = {f"d{n % 7}/n{n}.md": b"note %d" % n for n in range(150)}
    fill(tmp_path, files)
    edits = [Edit(path, content_hash(data), data + b"!") for path, data in files.items()]
    event = apply_changes(tmp_path, plan(*edits), rules=AT_ONCE)
    assert event is not None
    assert len(event.changes) == 150
    assert contents(tmp_path) == {path: data + b"!" for path, data in files.items()}


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts")
@pytest.mark.parametrize("kilobytes", range(120, 320, 8))
def test_a_disk_that_fills_up_at_any_point_leaves_all_or_nothing(
    tmp_path: Path, kilobytes: int
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no mounting here")
    try:
        chance = random.Random(1)
        files = {f"n{number}.md": chance.randbytes(3000) for number in range(8)}
        fill(disk, files)
        after = {path: chance.randbytes(5000) for path in files} | {"new/a.md": b"q" * 3000}
        edits = [Edit(path, content_hash(data), after[path]) for path, data in files.items()]
        wanted, told = after, ""
        try:
            apply_changes(disk, plan(*edits, Creation("new/a.md", b"q" * 3000)), rules=AT_ONCE)
        except FailedError as error:
            wanted, told = files, str(error)
        assert contents(disk) == wanted
        assert len(list(Journal(disk).read())) == (wanted is after)
        assert wanted is after or "No space left" in told
    finally:
        subprocess.run(["umount", str(disk)], check=True)
