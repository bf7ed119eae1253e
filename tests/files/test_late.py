"""A save into a file that was just replaced is never lost: it is in the note, or where the history leads to it (P2)."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace as but
from pathlib import Path

import pytest

from tests.files.vaults import AT_ONCE, contents, fill
from vaultmem.errors import FailedError
from vaultmem.files.changes import ChangeSet, Edit, Move, apply_changes
from vaultmem.files.displaced import AGE
from vaultmem.files.events import EventKind, FileChange, MemoryEvent, changed_spans, new_event_id
from vaultmem.files.journal import Journal
from vaultmem.files.late import settle_late_saves
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.recover import recover
from vaultmem.files.targets import WriteRules

OLD, NEW, RIVAL = b"old\n", b"new\n", b"old\ntyped late\n"
LATER = but(AT_ONCE, clock=lambda: WriteRules().clock() + int(2 * AGE * 1e9))
"""Everything that was replaced may be settled."""
LAST = but(AT_ONCE, clock=lambda: WriteRules().clock() + int(4 * AGE * 1e9))
"""And what was replaced then, too."""


def displaced(root: Path) -> list[Path]:
    return [path for path in (root / ".vaultmem/displaced").rglob("*") if path.is_file()]


def late_save(root: Path, data: bytes = RIVAL, path: str = "a.md") -> MemoryEvent:
    """An agent changes the note; another program writes into the file that was replaced. The agent's event."""
    fill(root, {path: OLD})
    event = changed(root, Edit(path, content_hash(OLD), NEW))
    (replaced,) = displaced(root)
    replaced.write_bytes(data)
    return event


def changed(root: Path, *parts: Edit | Move) -> MemoryEvent:
    changes = ChangeSet(
        EventKind.UPDATED,
        "an agent",
        "a test",
        edits=tuple(part for part in parts if isinstance(part, Edit)),
        moves=tuple(part for part in parts if isinstance(part, Move)),
    )
    event = apply_changes(root, changes, rules=AT_ONCE)
    assert event is not None
    return event


def told_by_hand(root: Path, change: FileChange) -> None:
    """A sync has seen what a hand did."""
    journal, now = Journal(root), AT_ONCE.clock()
    kind = EventKind.EDITED_BY_HAND
    journal.append(
        MemoryEvent(new_event_id(now), now, journal.device, kind, "by hand", "", (change,))
    )


def settle(root: Path, rules: WriteRules = LATER) -> tuple[MemoryEvent, ...]:
    return settle_late_saves(root, rules=rules, journal=Journal(root))


def is_all_there(root: Path, events: tuple[MemoryEvent, ...]) -> bool:
    """Whether each version that the events name can be had, and no file of a late save is left."""
    store = ObjectStore(root)
    named = {h for e in events for c in e.changes for h in (c.hash_before, c.hash_after) if h}
    return all(content_hash(store.get(digest)) == digest for digest in named) and not displaced(
        root
    )


def test_it_takes_its_place_when_the_note_is_as_we_left_it(tmp_path: Path) -> None:
    agents = late_save(tmp_path)
    (event,) = settle(tmp_path)
    new, rival = content_hash(NEW), content_hash(RIVAL)
    change = FileChange("a.md", None, new, rival, changed_spans(NEW, RIVAL))
    assert (event.kind, event.changes) == (EventKind.EDITED_BY_HAND, (change,))
    assert contents(tmp_path) == {"a.md": RIVAL}
    assert list(Journal(tmp_path).read()) == [agents, event]
    # Our own write is set aside in its turn, and nobody wrote into it.
    assert settle(tmp_path, LAST) == ()
    assert is_all_there(tmp_path, (event,))


@pytest.mark.parametrize(
    ("late", "meanwhile"), [(RIVAL, b"edited again"), (b"", NEW), (RIVAL, None)]
)
def test_one_that_would_cost_something_is_told_and_taken_back(
    tmp_path: Path, late: bytes, meanwhile: bytes | None
) -> None:
    """The note stays; whoever undoes the second event has the save."""
    late_save(tmp_path, late)
    note = tmp_path / "a.md"
    if meanwhile is None:
        note.unlink()
        told_by_hand(tmp_path, FileChange("a.md", None, content_hash(NEW), None))
    else:
        note.write_bytes(meanwhile)
    made, back = settle(tmp_path)
    now = None if meanwhile is None else content_hash(meanwhile)
    assert [(c.path, c.hash_before, c.hash_after) for c in (*made.changes, *back.changes)] == [
        ("a.md", now, content_hash(late)),
        ("a.md", content_hash(late), now),
    ]
    assert (made.kind, back.kind, back.undoes) == (
        EventKind.EDITED_BY_HAND,
        EventKind.UNDONE,
        made.id,
    )
    assert made.id < back.id
    assert contents(tmp_path) == ({} if meanwhile is None else {"a.md": meanwhile})
    assert list(Journal(tmp_path).read())[-2:] == [made, back]
    assert is_all_there(tmp_path, (made, back))


def test_one_that_was_saved_again_in_the_note_is_nothing_to_tell_of(tmp_path: Path) -> None:
    agents = late_save(tmp_path)
    (tmp_path / "a.md").write_bytes(RIVAL)
    assert settle(tmp_path) == ()
    assert list(Journal(tmp_path).read()) == [agents]
    assert displaced(tmp_path) == []


@pytest.mark.parametrize(
    ("moves", "now"),
    [
        ([("a.md", "b.md")], "b.md"),
        ([("a.md", "deep/b.md"), ("deep", "Deep down")], "Deep down/b.md"),
    ],
)
def test_it_follows_its_note(tmp_path: Path, moves: list[tuple[str, str]], now: str) -> None:
    late_save(tmp_path)
    for path, new in moves:
        digest = content_hash(NEW) if path.endswith(".md") else None
        changed(tmp_path, Move(path, new, digest))
    (event,) = settle(tmp_path)
    assert [change.path for change in event.changes] == [now]
    assert contents(tmp_path) == {now: RIVAL}


def test_it_follows_the_note_that_was_moved_as_it_was_edited(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    old = content_hash(OLD)
    changed(tmp_path, Edit("a.md", old, NEW), Move("a.md", "b.md", old))
    fill(tmp_path, {"a.md": b"another note"})
    (replaced,) = displaced(tmp_path)
    replaced.write_bytes(RIVAL)
    settle(tmp_path)
    assert contents(tmp_path) == {"a.md": b"another note", "b.md": RIVAL}


def test_it_waits_until_an_event_says_where_a_hand_took_the_note(tmp_path: Path) -> None:
    """A person renamed the note, and no sync has seen it yet."""
    late_save(tmp_path)
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    assert settle(tmp_path) == ()
    assert [path.read_bytes() for path in displaced(tmp_path)] == [RIVAL]
    told_by_hand(tmp_path, FileChange("a.md", "b.md", content_hash(NEW), content_hash(NEW)))
    (event,) = settle(tmp_path)
    assert [change.path for change in event.changes] == ["b.md"]
    assert contents(tmp_path) == {"b.md": RIVAL}


def test_it_does_not_wait_for_ever(tmp_path: Path) -> None:
    late_save(tmp_path)
    (tmp_path / "a.md").unlink()
    tomorrow = but(AT_ONCE, clock=lambda: WriteRules().clock() + 25 * 3600 * 10**9)
    made, back = settle(tmp_path, tomorrow)
    assert [c.path for c in (*made.changes, *back.changes)] == ["a.md", "a.md"]


def test_it_does_not_follow_into_the_trash(tmp_path: Path) -> None:
    late_save(tmp_path)
    changed(tmp_path, Move("a.md", ".trash/a.md", content_hash(NEW)))
    made, back = settle(tmp_path)
    assert [c.path for c in (*made.changes, *back.changes)] == ["a.md", "a.md"]
    assert contents(tmp_path) == {".trash/a.md": NEW}


def test_its_only_file_stays_until_it_is_told(tmp_path: Path) -> None:
    """The journal takes no event at first: a full disk, say."""
    late_save(tmp_path)
    (device,) = (tmp_path / ".vaultmem/journal").iterdir()
    (month,) = device.iterdir()
    lines = month.read_bytes()
    month.unlink()
    month.mkdir()
    (month / "in the way").touch()
    with pytest.raises(FailedError):
        recover(tmp_path, rules=LATER)
    assert [path.read_bytes() for path in displaced(tmp_path) if path.read_bytes() != NEW] == [
        RIVAL
    ]
    (month / "in the way").unlink()
    month.rmdir()
    month.write_bytes(lines)
    recover(tmp_path, rules=LATER)
    assert contents(tmp_path) == {"a.md": RIVAL}
    assert [event.kind for event in Journal(tmp_path).read()][1:] == [EventKind.EDITED_BY_HAND]


def test_one_that_a_power_cut_brings_back_is_not_told_twice(tmp_path: Path) -> None:
    late_save(tmp_path)
    (file,) = displaced(tmp_path)
    settle(tmp_path)
    (tmp_path / "a.md").write_bytes(b"edited since")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(RIVAL)
    assert settle(tmp_path, LAST) == ()
    assert (displaced(tmp_path), contents(tmp_path)) == ([], {"a.md": b"edited since"})


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.files.test_late import LATER
from vaultmem.files import late
from vaultmem.files.folder import Folder
from vaultmem.files.journal import Journal
from vaultmem.files.recover import recover
def killed(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)
where, name = {"exchange": (Folder, "exchange"), "append": (Journal, "append"), "forget": (late, "forget")}[sys.argv[2]]
setattr(where, name, killed)
recover(Path(sys.argv[1]), rules=LATER)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed so there")
@pytest.mark.parametrize("before", ["exchange", "append", "forget"])
@pytest.mark.parametrize("meanwhile", [None, b"edited again"])
def test_whoever_is_killed_while_settling_it_leaves_nothing_untold(
    tmp_path: Path, before: str, meanwhile: bytes | None
) -> None:
    late_save(tmp_path)
    if meanwhile is not None:
        (tmp_path / "a.md").write_bytes(meanwhile)
    command = [sys.executable, "-c", KILLED, str(tmp_path), before]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], check=False).returncode
    assert ended == (0 if (before, meanwhile) == ("exchange", b"edited again") else -signal.SIGKILL)
    recover(tmp_path, rules=LATER)
    events = list(Journal(tmp_path).read())[1:]
    told = [EventKind.EDITED_BY_HAND, EventKind.UNDONE][: 1 if meanwhile is None else 2]
    assert [event.kind for event in events] == told
    assert contents(tmp_path) == {"a.md": RIVAL if meanwhile is None else meanwhile}
    assert events[0].changes[0].hash_after == content_hash(RIVAL)
    assert list((tmp_path / ".vaultmem").glob("intents/*")) == []
