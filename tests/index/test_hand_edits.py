"""What a person edits is an event; what vaultmem did itself is none a second time; a quiet vault writes nothing."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.index.own_changes import append, do, edit, event, hand_edits, hash_at, move, trash
from tests.vaults import CACHED, WORDS, age, found, vault_at, verified, write
from vaultmem.errors import RefusedError
from vaultmem.files.changes import Creation
from vaultmem.files.events import EventKind, FileChange
from vaultmem.files.intents import Intent, IntentStore
from vaultmem.files.journal import Journal
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.index.handedits import MOST_CHANGES
from vaultmem.settings import HistorySettings
from vaultmem.vault import Vault

CAPTURING = replace(WORDS, history=HistorySettings(capture_hand_edits=True))

SHORE = {
    "Tide.md": "high\n",
    "Ebb.md": "low\n",
    "Log/Monday.md": "calm\n",
    "Map.canvas": '{"nodes":[],"edges":[]}',
    "chart.png": "pixels",
}


@pytest.fixture
def shore(vault_of: VaultOf) -> Vault:
    vault = vault_of(SHORE)
    vault.sync()
    return vault


def hash_of(text: str) -> str:
    return content_hash(text.encode())


def versions(vault: Vault) -> set[bytes]:
    store = ObjectStore(vault.root)
    return {store.get(digest) for digest in store.walk()}


def journal_bytes(root: Path) -> int:
    return sum(file.stat().st_size for file in (root / ".vaultmem/journal").rglob("*.jsonl"))


class TestWhatIsAnEvent:
    """Files of content kinds that came, changed, moved or went."""

    def test_the_first_index_records_nothing(self, shore: Vault) -> None:
        assert hand_edits(shore.root) == []
        assert not (shore.root / ".vaultmem/journal").exists()

    def test_an_edit_with_both_hashes(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n"})
        shore.sync()

        [one] = Journal(shore.root).read()

        assert (one.kind, one.actor, one.cause) == (
            EventKind.EDITED_BY_HAND,
            "by hand",
            "seen by sync",
        )
        assert one.changes == (FileChange("Tide.md", None, hash_of("high\n"), hash_of("higher\n")),)
        assert one.device == Journal(shore.root).device

    def test_each_kind_of_change_in_one_event(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n", "New.md": "new\n"})
        (shore.root / "Ebb.md").unlink()
        (shore.root / "Log/Monday.md").rename(shore.root / "Log/Tuesday.md")
        (shore.root / "Map.canvas").rename(shore.root / "Chart.canvas")
        shore.sync()

        assert len(list(Journal(shore.root).read())) == 1
        assert hand_edits(shore.root) == [
            ("Ebb.md", None, True, False),
            ("Map.canvas", "Chart.canvas", True, True),
            ("Log/Monday.md", "Log/Tuesday.md", True, True),
            ("Tide.md", None, True, True),
            ("New.md", None, False, True),
        ]

    def test_attachments_are_none(self, shore: Vault) -> None:
        write(shore.root, {"chart.png": "other pixels", "map.pdf": "a map"})
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_a_touch_is_none(self, shore: Vault) -> None:
        os.utime(shore.root / "Tide.md")
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_a_rename_that_changes_the_case_alone(self, shore: Vault) -> None:
        (shore.root / "Tide.md").rename(shore.root / "tide.md")
        shore.sync()
        shore.sync()

        assert hand_edits(shore.root) == [("Tide.md", "tide.md", True, True)]

    @pytest.mark.skipif(sys.platform == "darwin", reason="there both names are one")
    def test_a_rename_into_another_unicode_form_is_none(self, shore: Vault) -> None:
        composed, decomposed = "Caf\u00e9.md", "Cafe\u0301.md"
        write(shore.root, {composed: "coffee\n"})
        shore.sync()
        (shore.root / composed).rename(shore.root / decomposed)
        answer = shore.sync()
        write(shore.root, {decomposed: "tea\n"})
        shore.sync()

        assert answer.moved == ((composed, decomposed),)
        assert hand_edits(shore.root) == [
            (composed, None, False, True),
            (decomposed, None, True, True),
        ]

    def test_a_sync_of_paths(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n", "Ebb.md": "lower\n"})
        shore.sync_paths(["Tide.md"])

        assert hand_edits(shore.root) == [("Tide.md", None, True, True)]

    def test_what_a_question_finds(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "zebra\n"})

        assert found(shore, "zebra") == ["Tide.md"]
        assert hand_edits(shore.root) == [("Tide.md", None, True, True)]

    def test_what_a_rebuild_finds(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n", "New.md": "[[Ebb]]"})
        (shore.root / "Ebb.md").unlink()
        (shore.root / "Log").rename(shore.root / "Diary")
        shore.rebuild()

        assert hand_edits(shore.root) == [
            ("Ebb.md", None, True, False),
            ("Log/Monday.md", "Diary/Monday.md", True, True),
            ("Tide.md", None, True, True),
            ("New.md", None, False, True),
        ]
        assert [link.status for link in shore.links("New").links] == ["deleted"]
        assert len(list(Journal(shore.root).read())) == 1
        verified(shore)

    def test_what_a_rebuild_without_a_predecessor_finds_is_none(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n"})
        shore.close()
        shore.index_path.unlink()
        shore.rebuild()

        assert hand_edits(shore.root) == []

    def test_no_event_is_endless(self, vault_of: VaultOf) -> None:
        vault = vault_of({"Keel.md": "keel"})
        vault.sync()
        write(vault.root, {f"{n}.md": f"{n}" for n in range(MOST_CHANGES + 1)})
        vault.sync()

        assert [len(one.changes) for one in Journal(vault.root).read()] == [MOST_CHANGES, 1]

    def test_a_mass_disappearance_that_is_refused_is_none(self, vault_of: VaultOf) -> None:
        vault = vault_of({f"{n}.md": f"{n}" for n in range(30)})
        vault.sync()
        for n in range(25):
            (vault.root / f"{n}.md").unlink()

        for attempt in (vault.sync, vault.rebuild):
            with pytest.raises(RefusedError):
                attempt()
            assert hand_edits(vault.root) == []

        vault.sync(accept_removals=True)
        assert len(hand_edits(vault.root)) == 25

    def test_a_file_that_cannot_be_read_is_none(self, shore: Vault) -> None:
        stub = shore.root / ".Tide.md.icloud"
        (shore.root / "Tide.md").rename(stub)
        shore.sync()
        stub.rename(shore.root / "Tide.md")
        shore.sync()

        assert hand_edits(shore.root) == []


class TestOwnWrites:
    """Who finds what an event already tells of says nothing."""

    def test_of_each_kind(self, shore: Vault) -> None:
        root = shore.root
        do(root, edit(root, "Tide.md", "higher\n"), Creation("New.md", b"new"))
        trash(root, "Ebb.md")
        do(root, move(root, "Log", "Diary"), move(root, "New.md", "Newer.md"))
        do(root, edit(root, "Newer.md", "[[x]]"), move(root, "Newer.md", "Newest.md"))
        answer = shore.sync()

        assert (len(answer.added), len(answer.changed), len(answer.moved)) == (1, 1, 1)
        assert hand_edits(root) == []

    def test_of_a_folder_whose_files_no_event_names(self, shore: Vault) -> None:
        do(shore.root, move(shore.root, "Log", "Deep/Diary"))
        shore.sync()
        trash(shore.root, "Deep")
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_of_another_machine(self, shore: Vault) -> None:
        before = hash_at(shore.root, "Tide.md")
        write(shore.root, {"Tide.md": "higher\n"})
        told = FileChange("Tide.md", None, before, hash_of("higher\n"))
        append(shore.root, [event(told, time_ns=10**18)])
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_that_the_index_learned_of_before_the_file_changed(self, shore: Vault) -> None:
        told = FileChange("Tide.md", None, hash_of("high\n"), hash_of("higher\n"))
        append(shore.root, [event(told, time_ns=10**18)])
        shore.sync()
        write(shore.root, {"Tide.md": "higher\n"})
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_that_are_under_way(self, shore: Vault) -> None:
        changes = (
            FileChange("Tide.md", "Flood.md", hash_of("high\n"), hash_of("higher\n")),
            FileChange("Log", "Diary"),
        )
        mine = Journal(shore.root).device
        IntentStore(shore.root).keep(Intent(event(*changes, time_ns=10**18, device=mine), ()))
        write(shore.root, {"Tide.md": "higher\n", "Ebb.md": "lower\n"})
        (shore.root / "Log").rename(shore.root / "Diary")
        shore.sync_paths(["Tide.md", "Ebb.md", "Log", "Diary"])

        assert hand_edits(shore.root) == [("Ebb.md", None, True, True)]

    def test_what_another_machine_began_hides_no_hand_edit(self, shore: Vault) -> None:
        """File sync brings its intent, and nobody knows whether it comes to an end."""
        began = event(FileChange("Log", "Diary"), time_ns=10**18, device="bbbb0000")
        IntentStore(shore.root).keep(Intent(began, ()))
        write(shore.root, {"Log/Monday.md": "storm\n"})
        shore.sync()

        assert hand_edits(shore.root) == [("Log/Monday.md", None, True, True)]

    def test_of_a_folder_that_gets_another_case(self, shore: Vault) -> None:
        do(shore.root, move(shore.root, "Log", "log"))
        shore.sync()
        assert hand_edits(shore.root) == []

        (shore.root / "log").rename(shore.root / "LOG")
        shore.sync()
        assert hand_edits(shore.root) == [("log/Monday.md", "LOG/Monday.md", True, True)]

    def test_of_a_folder_whose_old_place_alone_is_looked_at(self, shore: Vault) -> None:
        """As by a process that had planned something for a file in it."""
        do(shore.root, move(shore.root, "Log", "Diary"))
        if shore.sync_paths(["Log/Monday.md"]) is None:
            shore.sync()
        shore.sync()

        assert hand_edits(shore.root) == []
        assert found(shore, "calm") == ["Diary/Monday.md"]

    def test_of_a_folder_that_is_on_its_way_while_its_old_place_is_looked_at(
        self, shore: Vault
    ) -> None:
        moving = FileChange("Log", "Diary")
        mine = Journal(shore.root).device
        one = event(moving, time_ns=10**18, device=mine)
        IntentStore(shore.root).keep(Intent(one, ()))
        (shore.root / "Log").rename(shore.root / "Diary")
        if shore.sync_paths(["Log/Monday.md"]) is None:
            shore.sync()
        Journal(shore.root).append(one)
        IntentStore(shore.root).drop(one.id)
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_of_a_folder_that_moved_twice_before_the_index_saw_it(self, shore: Vault) -> None:
        do(shore.root, move(shore.root, "Log", "Diary"))
        do(shore.root, move(shore.root, "Diary", "Old/Book"))
        shore.sync()

        assert hand_edits(shore.root) == []

    def test_a_hand_edit_in_a_folder_that_moved_begins_at_what_was_in_it(
        self, shore: Vault
    ) -> None:
        do(shore.root, move(shore.root, "Log", "Diary"))
        write(shore.root, {"Diary/Monday.md": "storm\n"})
        shore.sync()

        [told] = list(Journal(shore.root).read())[1:]
        assert told.changes == (
            FileChange("Diary/Monday.md", None, hash_of("calm\n"), hash_of("storm\n")),
        )

    def test_a_hand_that_takes_a_file_out_of_a_folder_that_moved(self, shore: Vault) -> None:
        do(shore.root, move(shore.root, "Log", "Diary"))
        (shore.root / "Diary/Monday.md").rename(shore.root / "Monday.md")
        shore.sync()

        assert hand_edits(shore.root) == [("Diary/Monday.md", "Monday.md", True, True)]

    def test_a_hand_edit_on_top_begins_at_our_version(self, shore: Vault) -> None:
        do(shore.root, edit(shore.root, "Tide.md", "ours\n"))
        write(shore.root, {"Tide.md": "theirs\n"})
        shore.sync()

        assert list(Journal(shore.root).read())[-1].changes == (
            FileChange("Tide.md", None, hash_of("ours\n"), hash_of("theirs\n")),
        )

    def test_a_hand_that_takes_our_edit_back_edits(self, shore: Vault) -> None:
        do(shore.root, edit(shore.root, "Tide.md", "ours\n"))
        shore.sync()
        write(shore.root, {"Tide.md": "high\n"})
        shore.sync()

        assert hand_edits(shore.root) == [("Tide.md", None, True, True)]

    def test_a_copy_out_of_the_trash_by_hand_is_a_new_file(self, shore: Vault) -> None:
        trash(shore.root, "Tide.md")
        shutil.copy(shore.root / ".trash/Tide.md", shore.root / "Tide again.md")
        shore.sync()

        assert hand_edits(shore.root) == [("Tide again.md", None, False, True)]

    def test_a_file_that_replaces_what_we_deleted_is_a_hand_edit(self, shore: Vault) -> None:
        trash(shore.root, "Tide.md")
        shore.sync()
        write(shore.root, {"Tide.md": "back\n"})
        shore.sync()

        assert hand_edits(shore.root) == [("Tide.md", None, False, True)]

    def test_a_crash_between_event_and_index_makes_no_second_event(self, shore: Vault) -> None:
        shore.close()
        index = shore.index_path.read_bytes()
        write(shore.root, {"Tide.md": "higher\n", "New.md": "new\n"})
        (shore.root / "Ebb.md").unlink()
        (shore.root / "Log/Monday.md").rename(shore.root / "Monday.md")
        shore.sync()
        before = hand_edits(shore.root)
        shore.close()
        shore.index_path.write_bytes(index)

        answer = shore.sync()

        assert (answer.changed, answer.removed) == (("Tide.md",), ("Ebb.md",))
        assert hand_edits(shore.root) == before
        verified(shore)


class TestCapture:
    """Hashes alone, unless the setting asks for more."""

    def test_only_hashes_are_kept(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n"})
        shore.sync()

        assert list(ObjectStore(shore.root).walk()) == []

    def test_the_bytes_before_and_after_are_kept_when_asked_for(self, vault_of: VaultOf) -> None:
        vault = vault_of(SHORE, settings=CAPTURING)
        vault.sync()
        before = versions(vault)
        write(vault.root, {"Tide.md": "higher\n", "New.md": b"\xff\x00"})
        (vault.root / "Log/Monday.md").rename(vault.root / "Monday.md")
        (vault.root / "Ebb.md").unlink()
        vault.sync()

        assert before == {b"high\n", b"low\n", b"calm\n", b'{"nodes":[],"edges":[]}'}
        assert versions(vault) == before | {b"higher\n", b"\xff\x00"}

    @pytest.mark.parametrize("seen_by", ["sync", "rebuild", "search"])
    def test_the_first_hand_edit_of_a_note_can_be_undone(
        self, vault_of: VaultOf, seen_by: str
    ) -> None:
        vault = vault_of(SHORE, settings=CAPTURING)
        if seen_by == "search":
            found(vault, "high")
        else:
            getattr(vault, seen_by)()
        write(vault.root, {"Tide.md": "higher\n"})
        vault.sync()
        [edited] = Journal(vault.root).read()

        vault.history.undo([edited.id])

        assert (vault.root / "Tide.md").read_bytes() == b"high\n"

    def test_what_was_edited_while_it_was_off_counts_from_when_it_is_on_again(
        self, vault_of: VaultOf
    ) -> None:
        root = vault_of(SHORE, settings=CAPTURING).root
        with vault_at(root, settings=CAPTURING) as vault:
            vault.sync()
        with vault_at(root) as vault:
            write(root, {"Tide.md": "unseen\n"})
            vault.sync()
        with vault_at(root, settings=CAPTURING) as vault:
            vault.sync()
            assert b"unseen\n" in versions(vault)

    def test_a_note_that_another_machine_wrote_is_kept_as_well(self, vault_of: VaultOf) -> None:
        vault = vault_of(SHORE, settings=CAPTURING)
        vault.sync()
        write(vault.root, {"Theirs.md": "theirs\n"})
        told = FileChange("Theirs.md", None, None, hash_of("theirs\n"))
        append(vault.root, [event(told, time_ns=10**18)])
        vault.sync()

        assert hand_edits(vault.root) == []
        assert b"theirs\n" in versions(vault)

    @pytest.mark.parametrize("seen_by", ["sync", "search"])
    def test_a_store_that_was_removed_is_filled_again(
        self, vault_of: VaultOf, seen_by: str
    ) -> None:
        """The index remembers that all versions were kept, and another store is not where they are."""
        vault = vault_of(SHORE, settings=CAPTURING)
        vault.sync()
        kept = versions(vault)
        shutil.rmtree(vault.root / ".vaultmem/objects")
        ObjectStore(vault.root).put(b"another version")
        if seen_by == "search":
            found(vault, "high")
        else:
            vault.sync()

        assert versions(vault) == kept | {b"another version"}

    def test_clearing_old_versions_away_spares_what_notes_hold_now(self, vault_of: VaultOf) -> None:
        vault = vault_of(SHORE, settings=CAPTURING)
        vault.sync()
        for path in (vault.root / ".vaultmem/objects").glob("*/*"):
            os.utime(path, (0, 0))

        assert vault.history.gc(1).orphans == 0
        assert vault.history.prove().unnamed == 0

    def test_a_quiet_vault_keeps_nothing_twice(self, vault_of: VaultOf) -> None:
        vault = vault_of(SHORE, settings=CAPTURING)
        vault.sync()
        age(vault)
        vault.sync()
        before = vault.status().generation
        times = sorted(
            p.stat().st_mtime_ns for p in (vault.root / ".vaultmem").rglob("objects/*/*")
        )
        vault.sync()
        found(vault, "high")

        assert vault.status().generation == before
        assert times == sorted(
            p.stat().st_mtime_ns for p in (vault.root / ".vaultmem").rglob("objects/*/*")
        )
        verified(vault)


class TestQuiet:
    """Nothing happens, nothing is written."""

    def test_a_second_sync_writes_nothing(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n"})
        shore.sync()
        age(shore)
        before = (journal_bytes(shore.root), shore.status().generation)
        shore.sync()
        found(shore, "higher")

        assert (journal_bytes(shore.root), shore.status().generation) == before

    def test_a_torn_line_does_not_keep_it_busy(self, shore: Vault) -> None:
        write(shore.root, {"Tide.md": "higher\n"})
        shore.sync()
        [file] = (shore.root / ".vaultmem/journal").rglob("*.jsonl")
        with open(file, "ab") as journal:
            journal.write(b'{"id":"cut o')
        shore.sync()
        age(shore)
        before = shore.status().generation
        shore.sync()

        assert shore.status().generation == before
        verified(shore)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter on Windows")
class TestJournalThatCannotBeWritten:
    """The index is brought up all the same."""

    def test_the_report_says_so(self, users_folder: Path) -> None:
        with vault_at(users_folder / "vault") as vault:
            write(vault.root, SHORE)
            vault.sync()
            folder = vault.root / ".vaultmem/journal"
            folder.mkdir(0o500)
            assert vault.sync().note == ""
            write(vault.root, {"Tide.md": "zebra\n"})

            answer = vault.sync()

            assert answer.changed == ("Tide.md",)
            assert answer.note.startswith("What was edited by hand is not in the history: ")
            assert found(vault, "zebra") == ["Tide.md"]
            assert vault.sync().note == ""
            folder.chmod(0o700)

    def test_a_vault_that_cannot_be_written_is_no_news(self, users_folder: Path) -> None:
        with vault_at(users_folder / "vault", settings=CACHED) as vault:
            write(vault.root, SHORE)
            vault.sync()
            write(vault.root, {"Tide.md": "zebra\n"})
            vault.root.chmod(0o500)

            answer = vault.sync()

            assert (answer.changed, answer.note) == (("Tide.md",), "")
            vault.root.chmod(0o700)
            assert hand_edits(vault.root) == []


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter on Windows")
class TestJournalThatCannotBeRead:
    """Nobody knows what it explains: so nothing is told as a hand's, and nothing that it said is forgotten."""

    @pytest.fixture
    def imported(self, shore: Vault) -> None:
        """What Python reads when it is first used, is read: another user may not be allowed to."""
        trash(shore.root, "Ebb.md")
        write(shore.root, {"Tide.md": "higher\n"})
        shore.sync()
        assert shore.links("Tide").links == ()

    @pytest.mark.parametrize("shut", ["journal", "journal/*", "journal/*/*"])
    def test_nothing_is_told_and_nothing_forgotten(
        self, imported: None, users_folder: Path, shut: str
    ) -> None:
        with vault_at(users_folder / "vault") as vault:
            write(vault.root, {**SHORE, "Link.md": "[[Ebb]]"})
            vault.sync()
            trash(vault.root, "Ebb.md")
            vault.sync()
            [place] = (vault.root / ".vaultmem").glob(shut)
            mode = place.stat().st_mode
            place.chmod(0o300)  # one may write, and not read
            write(vault.root, {"Tide.md": "zebra\n"})

            answer = vault.sync()

            assert answer.changed == ("Tide.md",)
            assert "not in the history: The journal cannot be read" in answer.note
            assert [link.status for link in vault.links("Link").links] == ["deleted"]
            place.chmod(mode)
            assert hand_edits(vault.root) == []
            assert vault.sync().note == ""
            assert [link.status for link in vault.links("Link").links] == ["deleted"]
