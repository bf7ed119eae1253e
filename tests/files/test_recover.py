"""What a killed process leaves is finished or taken back, never half, however often that is interrupted (D-06)."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.files.test_changes import AFTERWARDS, CASCADE, START, plan
from tests.files.vaults import AT_ONCE, contents, fill
from vaultmem.files.changes import Move, apply_changes
from vaultmem.files.events import EventKind, FileChange, MemoryEvent, new_event_id
from vaultmem.files.execution import Execution
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.leftovers import Leftover, Settled, clean_leftovers
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.recover import Outcome, recover, unfinished_elsewhere
from vaultmem.files.unsettled import has_unsettled

DEAD = 2**22 + 7
"""The number of a process that cannot exist on Linux."""


def intended(root: Path) -> Intent:
    """The vault before the cascade, all its versions stored, and the intent written down."""
    trial = root.parent / f"{root.name} on trial"
    fill(trial, START)
    event = apply_changes(trial, plan(*CASCADE), rules=AT_ONCE)
    assert event is not None
    fill(root, START)
    store, source = ObjectStore(root), ObjectStore(trial)
    store.put_all([source.get(digest) for digest in source.walk()])
    event = dataclasses.replace(event, device=Journal(root).device)
    intent = Intent(event, ("made", "people"))
    IntentStore(root).keep(intent)
    return intent


def half_done(root: Path, intent: Intent, count: int) -> None:
    """Does the first ``count`` changes only."""
    some = dataclasses.replace(intent.event, changes=intent.event.changes[:count])
    Execution(root, Intent(some, ()), ObjectStore(root), AT_ONCE).forward()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return tmp_path / "vault"


# The folder's move comes last and carries one of the files: it cannot be left out by a count alone.
@pytest.mark.parametrize("count", [1, 5])
def test_a_change_that_was_begun_is_finished(vault: Path, count: int) -> None:
    intent = intended(vault)
    half_done(vault, intent, count)
    (recovered,) = recover(vault, rules=AT_ONCE)
    assert (recovered.event, recovered.outcome) == (intent.event, Outcome.FINISHED)
    assert contents(vault) == AFTERWARDS
    assert list(Journal(vault).read()) == [intent.event]
    assert recover(vault, rules=AT_ONCE) == ()


def test_a_change_of_which_nothing_is_to_be_seen_is_dropped(vault: Path) -> None:
    """Whoever asked for it was never told that it was made, and may have asked again since."""
    intent = intended(vault)
    (recovered,) = recover(vault, rules=AT_ONCE)
    assert (recovered.event, recovered.outcome) == (intent.event, Outcome.TAKEN_BACK)
    assert contents(vault) == START
    assert list(Journal(vault).read()) == []
    assert recover(vault, rules=AT_ONCE) == ()


def test_a_change_that_was_done_and_told_is_only_forgotten(vault: Path) -> None:
    intent = intended(vault)
    half_done(vault, intent, 5)
    Journal(vault).append(intent.event)
    (recovered,) = recover(vault, rules=AT_ONCE)
    assert recovered.outcome == Outcome.FINISHED
    assert list(Journal(vault).read()) == [intent.event]
    assert contents(vault) == AFTERWARDS


@pytest.mark.parametrize("done", [False, True])
def test_a_hand_edit_meanwhile_stays_and_the_rest_is_taken_back(vault: Path, done: bool) -> None:
    intent = intended(vault)
    if done:
        half_done(vault, intent, 5)
    (vault / "other.md").write_bytes(b"typed meanwhile")
    (recovered,) = recover(vault, rules=AT_ONCE)
    assert (recovered.outcome, recovered.doubtful) == (Outcome.TAKEN_BACK, ("other.md",))
    assert contents(vault) == START | {"other.md": b"typed meanwhile"}
    assert list(Journal(vault).read()) == []
    assert recover(vault, rules=AT_ONCE) == ()


def test_a_change_that_failed_is_not_finished_later(vault: Path) -> None:
    intent = intended(vault)
    half_done(vault, intent, 1)
    IntentStore(vault).turn(intent.event.id)
    (recovered,) = recover(vault, rules=AT_ONCE)
    assert (recovered.outcome, recovered.doubtful) == (Outcome.TAKEN_BACK, ())
    assert contents(vault) == START


def test_what_another_machine_is_about_to_do_is_its_own_affair(vault: Path) -> None:
    """File sync may bring the intent of a machine that is at work."""
    intent = intended(vault)
    IntentStore(vault).drop(intent.event.id)
    theirs = intent._replace(event=dataclasses.replace(intent.event, device="another0"))
    IntentStore(vault).keep(theirs)
    assert recover(vault, rules=AT_ONCE) == ()
    assert contents(vault) == START
    assert IntentStore(vault).pending() == [theirs]


def test_a_version_that_is_missing_leads_back(vault: Path) -> None:
    intent = intended(vault)
    half_done(vault, intent, 1)
    ObjectStore(vault).delete(content_hash(b"stub"))
    (recovered,) = recover(vault, rules=AT_ONCE)
    assert recovered.outcome == Outcome.TAKEN_BACK
    assert contents(vault) == START


def test_the_next_change_settles_what_the_last_one_left(vault: Path) -> None:
    intent = intended(vault)
    half_done(vault, intent, 1)
    assert apply_changes(vault, plan(), rules=AT_ONCE) is None
    assert contents(vault) == AFTERWARDS


def test_a_vault_that_was_never_written_is_left_without_a_trace(tmp_path: Path) -> None:
    assert recover(tmp_path, rules=AT_ONCE) == ()
    assert list(tmp_path.iterdir()) == []


def leftover(root: Path, state: str, data: bytes, *, old: bytes, new: bytes) -> Path:
    hashes = f"{content_hash(old)[:16]}-{content_hash(new)[:16]}"
    path = root / f".a.md.vaultmem-{DEAD}-00c0ffee-{hashes}.{state}"
    path.write_bytes(data)
    return path


OLD, NEW, RIVAL = b"old", b"new", b"typed meanwhile"


@pytest.mark.parametrize(
    ("state", "beside", "in_place", "settled", "after", "stored"),
    [
        ("part", b"ne", OLD, Settled.REMOVED, OLD, False),
        ("swap", NEW, OLD, Settled.REMOVED, OLD, False),
        ("swap", OLD, NEW, Settled.REMOVED, NEW, False),
        ("swap", OLD, RIVAL, Settled.REMOVED, RIVAL, False),
        ("swap", OLD, None, Settled.RESTORED, OLD, False),
        ("swap", RIVAL, NEW, Settled.RESTORED, RIVAL, True),
        ("swap", RIVAL, b"newer", Settled.KEPT, b"newer", True),
        ("swap", RIVAL, None, Settled.RESTORED, RIVAL, False),
        ("away", OLD, None, Settled.RESTORED, OLD, False),
        ("away", OLD, OLD, Settled.REMOVED, OLD, False),
        ("away", OLD, RIVAL, Settled.KEPT, RIVAL, True),
    ],
)
def test_a_leftover_is_told_by_its_name_and_bytes(
    tmp_path: Path,
    state: str,
    beside: bytes,
    in_place: bytes | None,
    settled: Settled,
    after: bytes,
    stored: bool,
) -> None:
    if in_place is not None:
        fill(tmp_path, {"a.md": in_place})
    leftover(tmp_path, state, beside, old=OLD, new=NEW)
    (found,) = clean_leftovers(tmp_path, [""], rules=AT_ONCE)
    assert (found.path, found.settled) == ("a.md", settled)
    assert contents(tmp_path) == {"a.md": after}
    assert ObjectStore(tmp_path).has(content_hash(beside)) == stored
    assert clean_leftovers(tmp_path, ["", "gone"], rules=AT_ONCE) == ()


def test_what_belongs_to_a_running_process_stays(tmp_path: Path) -> None:
    fill(tmp_path, {"a.md": OLD})
    path = leftover(tmp_path, "swap", RIVAL, old=OLD, new=NEW)
    without_its_process(tmp_path, path)
    assert clean_leftovers(tmp_path, [""], rules=AT_ONCE) == (Leftover("a.md", Settled.LEFT, None),)
    assert len(contents(tmp_path)) == 2


def test_other_dot_files_are_none_of_ours(tmp_path: Path) -> None:
    files = {".a.md.swp": b"x", ".a.md.vaultmem": b"y", "a.md.vaultmem-1-00c0ffee.swap": b"z"}
    fill(tmp_path, files)
    assert clean_leftovers(tmp_path, [""], rules=AT_ONCE) == ()
    assert contents(tmp_path) == files


def without_its_process(root: Path, path: Path) -> Path:
    """The leftover's process has ended and its number is another one's now."""
    return path.rename(path.with_name(path.name.replace(str(DEAD), str(os.getppid()))))


def begun(root: Path, path: str = "a.md") -> MemoryEvent:
    """A change of one note that was killed after the exchange: what came out is yet to be written beside it."""
    fill(root, {path: NEW})
    ObjectStore(root).put_all((OLD, NEW))
    change = FileChange(path, None, content_hash(OLD), content_hash(NEW))
    now = AT_ONCE.clock()
    device = Journal(root).device
    event = MemoryEvent(
        new_event_id(now), now, device, EventKind.UPDATED, "an agent", "a test", (change,)
    )
    IntentStore(root).keep(Intent(event, ()))
    return event


def test_the_number_of_a_dead_process_may_be_in_use_again(tmp_path: Path) -> None:
    """Who saved at the very moment of the exchange has the save in the note, whatever runs under that number now."""
    event = begun(tmp_path)
    without_its_process(tmp_path, leftover(tmp_path, "swap", RIVAL, old=OLD, new=NEW))
    (recovered,) = recover(tmp_path, rules=AT_ONCE)
    assert [found.settled for found in recovered.leftovers] == [Settled.RESTORED]
    assert contents(tmp_path) == {"a.md": RIVAL}
    assert recovered.event == event
    assert recover(tmp_path, rules=AT_ONCE) == ()


def told(root: Path) -> list[tuple[str, str, str, str | None]]:
    """Of each event by hand or undone: kind, path, and the words of the versions before and after."""
    words = {content_hash(data): data.decode() for data in (OLD, NEW, RIVAL, AGAIN)}
    return [
        (event.kind.value, c.path, words[c.hash_before or ""], words[c.hash_after or ""])
        for event in Journal(root).read()
        if event.kind in (EventKind.EDITED_BY_HAND, EventKind.UNDONE)
        for c in event.changes
    ]


AGAIN = b"edited again"
LATER = dataclasses.replace(AT_ONCE, clock=lambda: AT_ONCE.clock() + 120 * 10**9)
"""What waits in ``displaced`` is settled."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of open files")
def test_what_an_editor_holds_open_is_settled_when_it_is_closed(tmp_path: Path) -> None:
    event = begun(tmp_path)
    beside = leftover(tmp_path, "swap", OLD, old=OLD, new=NEW)
    with open(beside, "r+b") as editor:
        (first,) = recover(tmp_path, rules=AT_ONCE)
        assert first.outcome == Outcome.FINISHED
        assert first.leftovers == (Leftover("a.md", Settled.KEPT, content_hash(OLD)),)
        assert contents(tmp_path) == {"a.md": NEW}
        assert recover(tmp_path, rules=LATER) == ()
        editor.write(RIVAL)
    recover(tmp_path, rules=LATER)
    assert contents(tmp_path) == {"a.md": RIVAL}
    assert next(Journal(tmp_path).read()) == event
    assert told(tmp_path) == [("edited-by-hand", "a.md", "new", "typed meanwhile")]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of open files")
def test_what_an_editor_holds_open_follows_its_folder(tmp_path: Path) -> None:
    begun(tmp_path, path="F/a.md")
    with open(leftover(tmp_path / "F", "swap", OLD, old=OLD, new=NEW), "r+b") as editor:
        apply_changes(tmp_path, plan(Move("F", "G", None)), rules=AT_ONCE)
        assert contents(tmp_path) == {"G/a.md": NEW}
        editor.write(RIVAL)
    recover(tmp_path, rules=LATER)
    assert contents(tmp_path) == {"G/a.md": RIVAL}
    assert told(tmp_path) == [("edited-by-hand", "G/a.md", "new", "typed meanwhile")]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of open files")
def test_what_an_editor_holds_open_is_the_note_when_none_is_there(tmp_path: Path) -> None:
    begun(tmp_path)
    (tmp_path / "a.md").unlink()
    with open(leftover(tmp_path, "swap", OLD, old=OLD, new=NEW), "r+b") as editor:
        (found,) = clean_leftovers(tmp_path, [""], rules=AT_ONCE)
        editor.write(RIVAL)
    assert (found.settled, contents(tmp_path)) == (Settled.RESTORED, {"a.md": RIVAL})


@pytest.mark.parametrize("data", [OLD, RIVAL])
def test_a_leftover_whose_folder_a_person_moved_is_found(tmp_path: Path, data: bytes) -> None:
    begun(tmp_path, path="F/a.md")
    without_its_process(tmp_path, leftover(tmp_path / "F", "swap", data, old=OLD, new=NEW))
    (tmp_path / "F").rename(tmp_path / "G")
    (recovered,) = recover(tmp_path, rules=AT_ONCE)
    settled = Settled.REMOVED if data == OLD else Settled.RESTORED
    assert recovered.leftovers == (Leftover("G/a.md", settled, content_hash(data)),)
    assert contents(tmp_path) == {"G/a.md": NEW if data == OLD else RIVAL}


def test_one_that_cannot_be_moved_away_is_looked_at_again_wherever_it_is(tmp_path: Path) -> None:
    """``displaced`` may be on another disk, and the folder may move meanwhile."""
    begun(tmp_path, path="F/a.md")
    leftover(tmp_path / "F", "swap", RIVAL, old=OLD, new=NEW)
    (tmp_path / "F/a.md").write_bytes(AGAIN)
    (tmp_path / ".vaultmem/displaced").write_text("in the way")
    (first,) = recover(tmp_path, rules=AT_ONCE)
    assert [found.settled for found in first.leftovers] == [Settled.LEFT]
    assert IntentStore(tmp_path).under_way() == []
    (tmp_path / "F").rename(tmp_path / "G")
    (tmp_path / ".vaultmem/displaced").unlink()
    (again,) = recover(tmp_path, rules=AT_ONCE)
    assert again.outcome == Outcome.TIDIED
    assert again.leftovers == (Leftover("G/a.md", Settled.KEPT, content_hash(RIVAL)),)
    assert contents(tmp_path) == {"G/a.md": AGAIN}


@pytest.mark.parametrize("saved", ["before", "after"])
def test_a_save_that_the_note_does_not_hold_is_told_and_taken_back(
    tmp_path: Path, saved: str
) -> None:
    """The note was edited again, before or after the killed change was settled: the history has the save."""
    begun(tmp_path)
    beside = leftover(tmp_path, "swap", OLD, old=OLD, new=NEW)
    with open(beside, "r+b") as editor:
        if saved == "after":
            recover(tmp_path, rules=AT_ONCE)
        (tmp_path / "a.md").write_bytes(AGAIN)
        editor.write(RIVAL)
    recover(tmp_path, rules=AT_ONCE)
    recover(tmp_path, rules=LATER)
    assert contents(tmp_path) == {"a.md": AGAIN}
    assert told(tmp_path) == [
        ("edited-by-hand", "a.md", "edited again", "typed meanwhile"),
        ("undone", "a.md", "typed meanwhile", "edited again"),
    ]
    assert ObjectStore(tmp_path).get(content_hash(RIVAL)) == RIVAL
    assert not has_unsettled(tmp_path, now_ns=LATER.clock())


def test_a_change_whose_leftover_waits_is_not_settled_twice(tmp_path: Path) -> None:
    """It was taken back; that somebody makes the same change later is another matter."""
    event = begun(tmp_path)
    IntentStore(tmp_path).turn(event.id)
    (tmp_path / ".vaultmem/displaced").write_text("in the way")
    beside = leftover(tmp_path, "swap", RIVAL, old=OLD, new=NEW)
    (tmp_path / "a.md").write_bytes(AGAIN)
    (first,) = recover(tmp_path, rules=AT_ONCE)
    assert (first.outcome, beside.exists()) == (Outcome.TAKEN_BACK, True)
    (tmp_path / "a.md").write_bytes(NEW)
    (tmp_path / ".vaultmem/displaced").unlink()
    (again,) = recover(tmp_path, rules=AT_ONCE)
    assert (again.outcome, IntentStore(tmp_path).under_way()) == (Outcome.TIDIED, [])
    assert contents(tmp_path) == {"a.md": RIVAL}


def intent_text(root: Path) -> tuple[Path, str]:
    intended(root)
    (path,) = (root / ".vaultmem/intents").iterdir()
    return path, path.read_text()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "{\n",
        lambda text: "not json\n[]\n",
        lambda text: text[: len(text) // 2],
        lambda text: text.rpartition("\n[")[0],
        lambda text: text.replace('"other.md"', '"../other.md"'),
        lambda text: text.replace('"id":"', '"id":"1'),
        lambda text: text.rpartition("\n[")[0] + "\n[3]\n",
        lambda text: "\0" * len(text),
    ],
)
def test_a_damaged_intent_is_set_aside_and_named(vault: Path, damage: Callable[[str], str]) -> None:
    path, text = intent_text(vault)
    path.write_text(damage(text))
    aside = path.with_name(f"{path.name}.damaged")
    assert recover(vault, rules=AT_ONCE) == ()
    assert contents(vault) == START
    assert aside.read_text() == damage(text)
    assert IntentStore(vault).faulty() == [aside.relative_to(vault).as_posix()]
    assert not has_unsettled(vault, now_ns=AT_ONCE.clock())
    assert apply_changes(vault, plan(*CASCADE), rules=AT_ONCE) is not None


def test_an_intent_that_cannot_be_read_is_named_and_stays(vault: Path) -> None:
    path, text = intent_text(vault)
    path.unlink()
    path.mkdir()
    assert recover(vault, rules=AT_ONCE) == ()
    assert IntentStore(vault).faulty() == [path.relative_to(vault).as_posix()]
    path.rmdir()
    path.write_text(text)
    assert len(recover(vault, rules=AT_ONCE)) == 1


def test_who_only_looks_takes_no_intent_away(vault: Path) -> None:
    """A reader without the lock may come while one is being written."""
    intended(vault)
    half = vault / ".vaultmem/intents/.half.json.1a2b3c4d"
    half.write_text("{")
    assert unfinished_elsewhere(vault) == ()
    assert len(IntentStore(vault).under_way()) == 1
    assert half.exists()
