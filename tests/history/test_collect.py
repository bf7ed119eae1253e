"""Letting go of old versions: never one that something younger needs, and it is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.history.conftest import DAY, NOON, Lab
from vaultmem.errors import LockedError, UsageError
from vaultmem.files.events import EventKind, FileChange, MemoryEvent
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal, JournalUnreadableError
from vaultmem.files.lock import WriterLock
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.recover import LOCK
from vaultmem.history.collect import collect


def stored(lab: Lab) -> set[bytes]:
    store = ObjectStore(lab.root)
    return {store.get(digest) for digest in store.walk()}


def put(lab: Lab, data: bytes, *, days: float) -> Path:
    """An object that was stored so many days ago."""
    digest = ObjectStore(lab.root).put(data)
    path = lab.root / ".vaultmem" / "objects" / digest[:2] / digest[2:]
    time = lab.now - int(days * DAY)
    os.utime(path, ns=(time, time))
    return path


@pytest.fixture
def old_lab(lab: Lab) -> Lab:
    """Two edits 40 days ago, one yesterday; versions are kept for 30 days."""
    lab.by_hand("Boat.md", b"0")
    lab.edit("Boat.md", b"1")
    lab.edit("Boat.md", b"2")
    lab.now += 39 * DAY
    lab.edit("Boat.md", b"3")
    lab.now += DAY
    return lab


def test_versions_that_only_old_events_need_go(old_lab: Lab) -> None:
    collected = old_lab.history.gc()

    assert stored(old_lab) == {b"2", b"3"}
    assert (collected.let_go, collected.orphans, collected.kept) == (2, 0, 2)
    assert collected.bytes_freed == 4
    assert collected.until_ns == old_lab.now - 30 * DAY
    newest = next(Journal(old_lab.root).newest())
    assert (newest.id, newest.kind) == (collected.event, EventKind.LET_GO)
    assert len(old_lab.history.history("Boat").entries) == 3


def test_a_second_time_there_is_nothing_to_do_and_nothing_is_written(old_lab: Lab) -> None:
    old_lab.history.gc()
    events = list(Journal(old_lab.root).newest())
    again = old_lab.history.gc()
    assert (again.let_go, again.event) == (0, None)
    assert list(Journal(old_lab.root).newest()) == events


def test_a_dry_run_removes_nothing(old_lab: Lab) -> None:
    dry = old_lab.history.gc(dry_run=True)
    assert (dry.let_go, dry.bytes_freed, dry.event, dry.dry_run) == (2, 4, None, True)
    assert len(stored(old_lab)) == 4


@pytest.mark.parametrize(("days", "left"), [(0, 4), (100, 4), (40, 2), (1, 2)])
def test_the_days_can_be_given(old_lab: Lab, days: int, left: int) -> None:
    old_lab.history.gc(days)
    assert len(stored(old_lab)) == left


def test_orphans_go_once_they_are_older_than_versions_are_kept(lab: Lab) -> None:
    """Their event may be on another device, whose journal is on its way."""
    lab.edit("Boat.md", b"new")
    put(lab, b"young orphan", days=29)
    put(lab, b"old orphan", days=31)

    collected = lab.history.gc()

    assert (collected.orphans, collected.let_go, collected.event) == (1, 0, None)
    assert stored(lab) == {b"one\ntwo\nthree\nfour\nfive\n", b"new", b"young orphan"}


@pytest.mark.parametrize("days", [0, 30_000, 99_999_999_999])
def test_for_ever_is_for_orphans_too(lab: Lab, days: int) -> None:
    put(lab, b"orphan", days=20_000)

    collected = lab.history.gc(days)

    assert (collected.orphans, collected.kept, collected.until_ns) == (0, 1, None)


def test_an_orphan_is_kept_for_a_day_at_least(lab: Lab) -> None:
    put(lab, b"fresh", days=0.9)
    lab.now += DAY // 20
    assert lab.history.gc(1).kept == 1


class TestAJournalThatCannotBeRead:
    """What it names is not known: so nothing goes, and nobody says that all is well."""

    @pytest.fixture
    def imported(self, lab: Lab) -> None:
        """What Python reads when it is first used, is read: another user may not be allowed to."""
        lab.edit("Boat.md", b"1")
        lab.history.undo(["last"])

    @pytest.fixture(
        params=["no listing", "no search", "no file", "a link to nowhere", "in a circle"]
    )
    def shut(self, imported: None, users_folder: Path, request: pytest.FixtureRequest) -> Lab:
        """Two edits long ago, and then the journal cannot be read."""
        (users_folder / "Boat.md").write_bytes(b"0")
        lab = Lab(users_folder)
        lab.edit("Boat.md", b"1")
        lab.edit("Boat.md", b"2")
        lab.now += 400 * DAY
        for path in (users_folder / ".vaultmem/objects").glob("*/*"):
            os.utime(path, ns=(NOON, NOON))
        journal = users_folder / ".vaultmem/journal"
        (device,) = journal.iterdir()
        (file,) = device.iterdir()
        if request.param == "no listing":
            device.chmod(0)
        elif request.param == "no search":
            journal.chmod(0)
        elif request.param == "no file":
            file.chmod(0)
        else:
            device.rename(users_folder / "away")
            device.symlink_to("gone" if "nowhere" in request.param else device.name)
        return lab

    def test_nothing_goes(self, shut: Lab) -> None:
        for dry_run in (True, False):
            with pytest.raises(JournalUnreadableError, match="journal cannot be read"):
                shut.history.gc(dry_run=dry_run)
        assert stored(shut) == {b"0", b"1", b"2"}

    def test_history_and_proof_say_so(self, shut: Lab) -> None:
        for ask in (
            shut.history.prove,
            shut.history.history,
            lambda: shut.history.history("Boat"),
            lambda: shut.history.at("Boat", "now"),
            lambda: shut.history.diff("2026-01-01"),
            lambda: shut.history.undo(["2026"]),
        ):
            with pytest.raises(JournalUnreadableError, match="journal cannot be read"):
                ask()


def test_what_is_no_folder_among_the_devices_is_passed_over(lab: Lab) -> None:
    lab.edit("Boat.md", b"new")
    (lab.root / ".vaultmem/journal/.DS_Store").write_bytes(b"")
    assert (lab.history.gc().kept, lab.history.prove().events) == (2, 1)


def test_what_a_note_of_an_event_or_a_pending_change_names_stays(lab: Lab) -> None:
    for data in (b"a late save", b"before", b"after"):
        put(lab, data, days=40)
    kept = content_hash(b"a late save")
    journal = Journal(lab.root)
    journal.append(
        MemoryEvent(
            *("1", lab.now, journal.device, EventKind.EDITED_BY_HAND, "another program", "Boat.md"),
            note=f"Saved while the note was being written; kept as {kept}.",
        )
    )
    change = FileChange("Boat.md", None, content_hash(b"before"), content_hash(b"after"))
    event = MemoryEvent("2", 0, "another-device", EventKind.UPDATED, "", "", (change,))
    IntentStore(lab.root).keep(Intent(event, ()))

    assert lab.history.gc().orphans == 0
    assert stored(lab) == {b"a late save", b"before", b"after"}


def test_a_line_that_is_cut_off_keeps_what_it_names(lab: Lab) -> None:
    put(lab, b"before", days=40)
    lab.edit("Boat.md", b"new")
    (path,) = (lab.root / ".vaultmem" / "journal").glob("*/*.jsonl")
    path.write_bytes(path.read_bytes() + f'{{"before":"{content_hash(b"before")}"'.encode())
    assert lab.history.gc().orphans == 0


def test_never_while_another_process_changes_the_vault(old_lab: Lab) -> None:
    with WriterLock(old_lab.root / LOCK), pytest.raises(LockedError):
        collect(
            old_lab.root,
            Journal(old_lab.root),
            keep_days=30,
            now_ns=old_lab.now,
            dry_run=False,
            actor="",
            timeout=0,
        )
    assert len(stored(old_lab)) == 4


def test_a_vault_of_which_nothing_is_stored_stays_untouched(lab: Lab) -> None:
    assert lab.history.gc().kept == 0
    assert not (lab.root / ".vaultmem").exists()
    with pytest.raises(UsageError):
        lab.history.gc(-1)


def test_an_old_version_that_was_put_again_a_moment_ago_stays(old_lab: Lab) -> None:
    """Its event may be just about to be written: by a sync that keeps what a hand edited, without the lock."""
    put(old_lab, b"0", days=0)

    collected = old_lab.history.gc()

    assert stored(old_lab) == {b"0", b"2", b"3"}
    assert collected.let_go == 1


def test_putting_what_is_stored_already_makes_it_young(lab: Lab) -> None:
    path = put(lab, b"tide", days=90)
    before = path.stat().st_mtime_ns

    ObjectStore(lab.root).put(b"tide")

    assert path.stat().st_mtime_ns > before
