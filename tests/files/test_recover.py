"""What a killed process leaves is finished or taken back, never half, however often that is interrupted (D-06)."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from tests.files.test_changes import AFTERWARDS, CASCADE, START, plan
from tests.files.vaults import AT_ONCE, contents, fill
from vaultmem.files.changes import apply_changes
from vaultmem.files.events import EventKind, MemoryEvent
from vaultmem.files.execution import Execution
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.leftovers import Leftover, Settled, clean_leftovers
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.recover import Outcome, recover, settle_late_saves
from vaultmem.files.swap import replace

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
    path.rename(path.with_name(path.name.replace(str(DEAD), str(os.getppid()))))
    assert clean_leftovers(tmp_path, [""], rules=AT_ONCE) == (Leftover("a.md", Settled.LEFT, None),)
    assert len(contents(tmp_path)) == 2


def test_other_dot_files_are_none_of_ours(tmp_path: Path) -> None:
    files = {".a.md.swp": b"x", ".a.md.vaultmem": b"y", "a.md.vaultmem-1-00c0ffee.swap": b"z"}
    fill(tmp_path, files)
    assert clean_leftovers(tmp_path, [""], rules=AT_ONCE) == ()
    assert contents(tmp_path) == files


def late_save(root: Path, data: bytes) -> None:
    """Another program writes into the file that we have just replaced."""
    fill(root, {"a.md": OLD})
    replace(root, "a.md", expected=content_hash(OLD), data=NEW, rules=AT_ONCE)
    (replaced,) = [p for p in (root / ".vaultmem/displaced").rglob("*") if p.is_file()]
    replaced.write_bytes(data)


def settle(root: Path) -> MemoryEvent:
    journal = Journal(root)
    (event,) = settle_late_saves(root, rules=AT_ONCE, journal=journal, age=0)
    assert list(journal.read()) == [event]
    assert event.kind == EventKind.EDITED_BY_HAND
    return event


def test_a_late_save_takes_its_place_when_the_note_is_as_we_left_it(tmp_path: Path) -> None:
    late_save(tmp_path, RIVAL)
    (change,) = settle(tmp_path).changes
    assert (change.path, change.hash_before) == ("a.md", content_hash(NEW))
    assert contents(tmp_path) == {"a.md": RIVAL}


@pytest.mark.parametrize(("late", "meanwhile"), [(RIVAL, b"edited again"), (b"", NEW)])
def test_a_late_save_that_would_cost_something_is_kept_aside(
    tmp_path: Path, late: bytes, meanwhile: bytes
) -> None:
    late_save(tmp_path, late)
    (tmp_path / "a.md").write_bytes(meanwhile)
    event = settle(tmp_path)
    assert event.changes == ()
    assert content_hash(late) in event.note
    assert ObjectStore(tmp_path).get(content_hash(late)) == late
    assert contents(tmp_path) == {"a.md": meanwhile}
