"""Upkeep: what a sync brings into the index, what it leaves alone, and what it never believes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.vaults import age, execute, found, keep_times, rows, vault_at, verified, write
from vaultmem.errors import RefusedError
from vaultmem.vault import Vault


def link_ends(vault: Vault, source: str) -> list[tuple[str, str | None, str, str | None]]:
    """Of each link of a file: target, where it leads, status, how it was found."""
    return [
        (link.target, link.to, link.status, link.resolved_by) for link in vault.links(source).links
    ]


def ids(vault: Vault) -> dict[object, object]:
    return {row[0]: row[1] for row in rows(vault, "SELECT path, id FROM vault_files")}


class TestReports:
    """A sync says what was new."""

    def test_the_first_time_all_is_built(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})

        answer = vault.sync()

        assert (answer.rebuilt, answer.note) == (True, "The index was missing; it was built anew.")

    def test_each_kind_of_change(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "one", "b.md": "two", "c.md": "three", "d.md": "four"})
        vault.sync()
        write(vault.root, {"a.md": "ONE!", "new.md": "new"})
        (vault.root / "b.md").unlink()
        (vault.root / "Sub").mkdir()
        (vault.root / "c.md").rename(vault.root / "Sub/c.md")

        answer = vault.sync()

        assert (answer.added, answer.changed, answer.moved, answer.removed, answer.unchanged) == (
            ("new.md",),
            ("a.md",),
            (("c.md", "Sub/c.md"),),
            ("b.md",),
            1,
        )
        verified(vault)

    def test_nothing_changed_is_nothing_written(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "one", "b.png": b"\0"})
        vault.sync()
        age(vault)
        before = vault.status().generation

        answer = vault.sync()

        assert (answer.unchanged, answer.added, answer.changed, answer.removed) == (2, (), (), ())
        assert vault.status().generation == before

    def test_a_touched_file_is_known_at_once(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        vault.sync()
        os.utime(vault.root / "a.md", ns=(1, 1))

        assert vault.sync().unchanged == 1

        [(state, mtime, digest)] = rows(
            vault, "SELECT state, mtime_ns, content_hash IS NOT NULL FROM vault_files"
        )
        assert (state, mtime, digest) == ("present", 1, 1)
        verified(vault)

    def test_a_move_keeps_the_id_and_so_the_history(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide", "b.md": "[[a]]"})
        vault.sync()
        before = ids(vault)
        (vault.root / "Deep/er").mkdir(parents=True)
        (vault.root / "a.md").rename(vault.root / "Deep/er/renamed.md")

        vault.sync()

        assert ids(vault) == {"Deep/er/renamed.md": before["a.md"], "b.md": before["b.md"]}
        assert found(vault, "tide") == ["Deep/er/renamed.md"]

    def test_a_chain_of_renames_in_one_sync(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "flood", "b.md": "slack", "c.md": "ebb"})
        vault.sync()
        for old, new in (("c", "d"), ("b", "c"), ("a", "b")):
            (vault.root / f"{old}.md").rename(vault.root / f"{new}.md")

        vault.sync()

        assert [found(vault, word) for word in ("flood", "slack", "ebb")] == [
            ["b.md"], ["c.md"], ["d.md"],
        ]  # fmt: skip
        verified(vault)


class TestFreshness:
    """Time is a hint, the hash judges: no edit is missed."""

    def test_an_edit_with_the_time_set_back_and_the_same_size(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "flood"})
        vault.sync()
        age(vault)
        keep_times(vault.root / "a.md", b"slack")

        assert (found(vault, "slack"), found(vault, "flood")) == (["a.md"], [])

    def test_an_edit_in_the_same_tick_of_the_clock_as_the_reading(self, vault_of: VaultOf) -> None:
        """What such an edit leaves is a row whose stat data are those of the edited file."""
        vault = vault_of({"a.md": "flood"})
        vault.sync()
        write(vault.root, {"a.md": "slack"})
        after = (vault.root / "a.md").stat()
        stat = f"mtime_ns = {after.st_mtime_ns}, ctime_ns = {after.st_ctime_ns}, read_ns = {after.st_ctime_ns}"
        vault.close()
        execute(vault, f"UPDATE vault_files SET {stat}")

        assert (found(vault, "slack"), found(vault, "flood")) == (["a.md"], [])

    def test_a_file_saved_by_rename(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "flood"})
        vault.sync()
        age(vault)
        times = (vault.root / "a.md").stat()
        write(vault.root, {"a.md.tmp": "slack"})
        os.utime(vault.root / "a.md.tmp", ns=(times.st_atime_ns, times.st_mtime_ns))
        (vault.root / "a.md.tmp").replace(vault.root / "a.md")

        assert found(vault, "slack") == ["a.md"]

    def test_a_time_in_the_future_is_read_but_once(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        far = (vault.root / "a.md").stat().st_mtime_ns + 10**15
        os.utime(vault.root / "a.md", ns=(far, far))
        vault.sync()
        age(vault)
        before = vault.status().generation

        vault.search("tide")

        assert vault.status().generation == before

    def test_each_edit_is_in_the_next_answer(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "start"})
        for number in range(20):
            write(vault.root, {"a.md": f"word{number:02}"})

            answer = vault.search(f"word{number:02}")

            assert [hit.path for hit in answer.hits] == ["a.md"]
            assert (answer.freshness.checked, answer.freshness.pending) == (True, 0)


class TestLinks:
    """Links end where they would after a rebuild, whatever came or went."""

    def test_a_new_note_catches_links_that_led_nowhere(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "[[Tide]] [x](Sea/Tide.md)"})
        vault.sync()
        assert link_ends(vault, "a.md") == [
            ("Tide", None, "unresolved", None),
            ("Sea/Tide.md", None, "unresolved", None),
        ]

        write(vault.root, {"Sea/Tide.md": ""})

        assert [end[:3] for end in link_ends(vault, "a.md")] == [
            ("Tide", "Sea/Tide.md", "resolved"),
            ("Sea/Tide.md", "Sea/Tide.md", "resolved"),
        ]
        verified(vault)

    def test_a_new_note_at_the_root_takes_links_over(self, vault_of: VaultOf) -> None:
        vault = vault_of({"Log/a.md": "[[Tide]]", "Sea/Tide.md": ""})
        vault.sync()
        assert [end[1] for end in link_ends(vault, "Log/a.md")] == ["Sea/Tide.md"]

        write(vault.root, {"Tide.md": ""})

        assert [end[1] for end in link_ends(vault, "Log/a.md")] == ["Tide.md"]
        assert [s.path for s in vault.backlinks("Sea/Tide.md").sources] == []
        verified(vault)

    def test_a_deletion_lets_go_of_links(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "[[Tide]]", "Tide.md": ""})
        vault.sync()

        (vault.root / "Tide.md").unlink()

        assert link_ends(vault, "a.md") == [("Tide", None, "deleted", "name")]
        verified(vault)

    def test_ambiguity_comes_and_goes(self, vault_of: VaultOf) -> None:
        vault = vault_of({"Log/a.md": "[[Tide]]", "Sea/Tide.md": ""})
        vault.sync()

        write(vault.root, {"Sky/Tide.md": ""})
        [link] = vault.links("Log/a.md").links
        assert (link.status, link.confidence) == ("ambiguous", 0.5)
        verified(vault)

        shutil.rmtree(vault.root / "Sky")
        [link] = vault.links("Log/a.md").links
        assert (link.to, link.status, link.confidence) == ("Sea/Tide.md", "resolved", 1.0)
        verified(vault)

    def test_links_follow_a_moved_target(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "[[Tide]]", "Tide.md": "x"})
        vault.sync()
        (vault.root / "Sea").mkdir()

        (vault.root / "Tide.md").rename(vault.root / "Sea/Tide.md")

        assert [end[1] for end in link_ends(vault, "a.md")] == ["Sea/Tide.md"]
        verified(vault)

    def test_a_card_of_a_canvas_follows_its_path_alone(self, vault_of: VaultOf) -> None:
        canvas = '{"nodes":[{"id":"n","type":"file","file":"Sea/Tide.md"}],"edges":[]}'
        vault = vault_of({"Map.canvas": canvas, "Tide.md": ""})
        vault.sync()
        assert [end[1] for end in link_ends(vault, "Map.canvas")] == [None]

        write(vault.root, {"Sea/Tide.md": ""})

        assert [end[1] for end in link_ends(vault, "Map.canvas")] == ["Sea/Tide.md"]
        verified(vault)

    def test_the_original_of_a_conflict_copy_appears_and_goes(self, vault_of: VaultOf) -> None:
        copy = "Tide.sync-conflict-20260101-101010-ABCDEFG.md"
        vault = vault_of({copy: "old"})
        assert vault.files().conflicts == {copy: None}

        write(vault.root, {"Tide.md": "new"})
        assert vault.files().conflicts == {copy: "Tide.md"}
        verified(vault)

        (vault.root / "Tide.md").unlink()
        assert vault.files().conflicts == {copy: None}
        verified(vault)


class TestSettings:
    """Obsidian's settings decide how files become rows; another setting changes those rows and no others."""

    BLOCKS = "SELECT f.path, b.id FROM notes_blocks AS b JOIN vault_files AS f ON f.id = b.note_id"

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("types.json", '{"types": {"due": "date"}}'),
            ("daily-notes.json", '{"folder": "Log"}'),
            ("app.json", '{"newLinkFormat": "absolute", "userIgnoreFilters": []}'),
            ("templates.json", '{"dateFormat": "YYYY"}'),
            ("app.json", "{"),
        ],
    )
    def test_one_that_says_nothing_about_rows_costs_nothing(
        self, vault_of: VaultOf, name: str, text: str
    ) -> None:
        vault = vault_of({"Log/a.md": "tide", "b.md": "tide"})
        vault.sync()
        age(vault)
        generation = vault.status().generation
        write(vault.root, {f".obsidian/{name}": text})

        assert (vault.sync().changed, vault.sync().unchanged) == ((), 2)
        assert vault.status().generation == generation

    def test_an_exclusion_is_no_edit_and_reads_nothing(self, vault_of: VaultOf) -> None:
        vault = vault_of({"Log/a.md": "tide", "b.md": "tide"})
        vault.sync()
        age(vault)
        before = rows(vault, self.BLOCKS)
        write(vault.root, {".obsidian/app.json": '{"userIgnoreFilters":["Log/"]}'})

        answer = vault.search("tide")

        assert [hit.path for hit in answer.hits] == ["b.md"]
        assert (answer.freshness.applied, answer.freshness.pending) == (0, 0)
        assert rows(vault, self.BLOCKS) == before

    def test_a_templates_folder_reads_what_lies_in_it_or_did(self, vault_of: VaultOf) -> None:
        template = "---\ncreated: {{date}}\n---\n"
        vault = vault_of(
            {"Old/a.md": template, "New/b.md": template, "New/c.png": "", "d.md": template}
        )
        write(vault.root, {".obsidian/templates.json": '{"folder": "Old"}'})
        vault.sync()
        age(vault)
        before = dict(rows(vault, self.BLOCKS))
        write(vault.root, {".obsidian/templates.json": '{"folder": "New"}'})

        answer = vault.search("created")

        after = dict(rows(vault, self.BLOCKS))
        assert answer.freshness.applied == 0
        assert {path for path in before if before[path] != after[path]} == {"Old/a.md", "New/b.md"}
        verified(vault)

    def test_an_exclusion_takes_notes_out_of_search_and_back(self, vault_of: VaultOf) -> None:
        vault = vault_of({"Log/a.md": "tide", "b.md": "tide", "Log/c.png": b""})
        vault.sync()
        age(vault)

        write(vault.root, {".obsidian/app.json": '{"userIgnoreFilters":["Log/"]}'})
        assert found(vault, "tide") == ["b.md"]
        verified(vault)

        (vault.root / ".obsidian/app.json").unlink()
        assert found(vault, "tide") == ["Log/a.md", "b.md"]
        verified(vault)

    def test_what_cannot_be_read_then_is_read_anew_later(self, users_folder: Path) -> None:
        """The folder is locked while the templates folder is chosen; its note must not keep its old reading."""
        template = "---\ncreated: {{date}}\n---\n"
        write(users_folder / "vault", {"T/Daily.md": template, "a.md": "x"})
        with vault_at(users_folder / "vault") as vault:
            vault.sync()
            age(vault)
            (vault.root / "T").chmod(0)
            write(vault.root, {".obsidian/templates.json": '{"folder":"T"}'})
            vault.sync()
            (vault.root / "T").chmod(0o700)

            vault.sync()

            verified(vault)


class TestNotSeenIsNotGone:
    """What could not be looked at stays as it was, and is said to."""

    def test_an_unreadable_folder_keeps_its_notes(self, users_folder: Path) -> None:
        write(users_folder / "vault", {"L/a.md": "tide [[b]]", "b.md": "[[a]]"})
        with vault_at(users_folder / "vault") as vault:
            vault.sync()
            (vault.root / "L").chmod(0)

            assert found(vault, "tide") == ["L/a.md"]
            assert vault.sync().unseen == 1
            assert vault.status().unreadable == 1
            assert [end[1] for end in link_ends(vault, "b.md")] == ["L/a.md"]
            verified(vault)

            (vault.root / "L").chmod(0o700)
            assert vault.status().unreadable == 0
            verified(vault)

    def test_an_unreadable_note_keeps_its_text(self, users_folder: Path) -> None:
        write(users_folder / "vault", {"a.md": "tide", "b.md": "ebb"})
        with vault_at(users_folder / "vault") as vault:
            vault.sync()
            (vault.root / "a.md").chmod(0)

            assert found(vault, "tide") == ["a.md"]
            assert vault.sync().unreadable == ("a.md",)
            assert (vault.status().unreadable, vault.status().notes) == (1, 2)
            assert vault.note("a").text is None
            verified(vault)

            (vault.root / "a.md").chmod(0o600)
            assert found(vault, "tide") == ["a.md"]
            assert vault.status().unreadable == 0
            verified(vault)

    def test_a_note_that_never_could_be_read_is_found_by_its_name(self, users_folder: Path) -> None:
        write(users_folder / "vault", {"Tide table.md": "secret", "b.md": "[[tide TABLE]]"})
        (users_folder / "vault/Tide table.md").chmod(0)
        with vault_at(users_folder / "vault") as vault:
            assert "Tide table.md" in found(vault, "table")
            assert [end[1] for end in link_ends(vault, "b.md")] == ["Tide table.md"]

            (vault.root / "Tide table.md").chmod(0o600)
            assert found(vault, "secret") == ["Tide table.md"]
            verified(vault)

    def test_a_note_that_goes_to_the_cloud_and_comes_back(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide", "b.md": "[[a]] [[c]]"})
        vault.sync()
        (vault.root / "a.md").unlink()
        write(vault.root, {".a.md.icloud": "", ".c.md.icloud": "", ".p.png.icloud": ""})

        assert found(vault, "tide") == ["a.md"]
        assert vault.files().offloaded == ("a.md", "c.md")
        assert [end[1] for end in link_ends(vault, "b.md")] == ["a.md", "c.md"]
        verified(vault)

        (vault.root / ".a.md.icloud").unlink()
        write(vault.root, {"a.md": "tide"})
        assert vault.files().offloaded == ("c.md",)
        verified(vault)


class TestMassDisappearance:
    """P11: many notes gone at once are a mount fault, not a deletion."""

    @pytest.fixture
    def emptied(self, vault_of: VaultOf) -> Vault:
        vault = vault_of({f"n{i}.md": f"tide {i}" for i in range(40)})
        vault.sync()
        for i in range(30):
            (vault.root / f"n{i}.md").unlink()
        return vault

    def test_a_sync_refuses_and_keeps_the_index(self, emptied: Vault) -> None:
        with pytest.raises(RefusedError, match=r"Of 40 notes only 10 .*--accept-removals"):
            emptied.sync()

        assert len(found(emptied, "tide")) == 40

    def test_an_answer_says_what_is_pending(self, emptied: Vault) -> None:
        freshness = emptied.search("tide").freshness

        assert freshness.pending == 30
        assert freshness.note.startswith("Of 40 notes only 10")

    def test_a_rebuild_refuses_as_well(self, emptied: Vault) -> None:
        with pytest.raises(RefusedError):
            emptied.rebuild()

        assert len(found(emptied, "tide")) == 40

    def test_consent_is_enough(self, emptied: Vault) -> None:
        assert len(emptied.sync(accept_removals=True).removed) == 30
        assert emptied.rebuild(accept_removals=True).notes == 10

    def test_a_renamed_folder_is_no_disappearance(self, vault_of: VaultOf) -> None:
        vault = vault_of({f"A/n{i}.md": f"tide {i}" for i in range(40)})
        vault.sync()
        (vault.root / "A").rename(vault.root / "B")

        assert len(vault.sync().moved) == 40
