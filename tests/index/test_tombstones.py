"""A note that is gone is still known to those who link to it, until it is back."""

from __future__ import annotations

import pytest

from tests.conftest import VaultOf
from tests.index.own_changes import append, do, edit, event, move, trash
from tests.vaults import rows, verified, write
from vaultmem.errors import NoteNotFoundError
from vaultmem.files.changes import Creation
from vaultmem.files.events import FileChange
from vaultmem.files.read import content_hash
from vaultmem.vault import Vault

SHORE = {
    "Tide.md": "high\n",
    "Log/Ebb.md": "low\n",
    "Log/Deep/Reef.md": "coral\n",
    "Map.canvas": '{"nodes":[{"id":"a","type":"file","file":"Tide.md"}],"edges":[]}',
    "Links.md": "[[Tide]] [[Ebb|the ebb]] [[Log/Ebb#Low]] [x](Tide.md) [[Reef]] [[Nowhere]]\n",
}


@pytest.fixture
def shore(vault_of: VaultOf) -> Vault:
    vault = vault_of(SHORE)
    vault.sync()
    return vault


def ends(vault: Vault, source: str = "Links.md") -> list[tuple[str, str, str | None]]:
    """Of each link: its target, its status, and where its file was, if that is gone."""
    links = vault.links(source).links
    return [(link.target, link.status, link.gone_path) for link in links]


def tombstones(vault: Vault) -> list[str]:
    vault.sync()
    return [path for (path,) in rows(vault, "SELECT path FROM notes_tombstones ORDER BY path")]


class TestTombstones:
    """Which paths have one."""

    def test_none_at_first(self, shore: Vault) -> None:
        assert tombstones(shore) == []

    def test_what_a_hand_removed(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()

        assert tombstones(shore) == ["Tide.md"]
        [row] = rows(shore, "SELECT content_hash, gone_ns, event_id FROM notes_tombstones")
        [said] = rows(shore, "SELECT content_hash, at_ns, event_id FROM journal_paths")
        assert row == said
        assert row[0] == content_hash(b"high\n")

    def test_what_went_to_the_trash(self, shore: Vault) -> None:
        trash(shore.root, "Tide.md")

        assert tombstones(shore) == ["Tide.md"]

    def test_what_was_merged_away(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()
        gone = FileChange("Tide.md", None, content_hash(b"high\n"), None)
        append(shore.root, [event(gone, time_ns=10**18)])

        assert tombstones(shore) == ["Tide.md"]

    def test_not_what_moved(self, shore: Vault) -> None:
        (shore.root / "Tide.md").rename(shore.root / "Flood.md")
        do(shore.root, move(shore.root, "Log", "Diary"))

        assert tombstones(shore) == []
        assert ends(shore)[0] == ("Tide", "unresolved", None)
        verified(shore)

    def test_what_moved_and_went_then_at_its_last_path(self, shore: Vault) -> None:
        do(shore.root, move(shore.root, "Tide.md", "Flood.md"))
        trash(shore.root, "Flood.md")

        assert tombstones(shore) == ["Flood.md"]

    def test_not_what_is_there_again_in_other_letters(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()
        shore.sync()
        write(shore.root, {"tide.md": "again\n"})

        assert tombstones(shore) == []

    def test_what_a_deleted_folder_held_as_far_as_the_journal_knows_it(self, shore: Vault) -> None:
        do(shore.root, edit(shore.root, "Log/Ebb.md", "lower\n"), Creation("Log/New.md", b"new"))
        trash(shore.root, "Log")

        assert tombstones(shore) == ["Log/Ebb.md", "Log/New.md"]
        verified(shore)

    def test_what_a_hand_removed_with_its_folder(self, shore: Vault) -> None:
        for path in ("Log/Ebb.md", "Log/Deep/Reef.md"):
            (shore.root / path).unlink()

        assert tombstones(shore) == ["Log/Deep/Reef.md", "Log/Ebb.md"]

    def test_none_of_a_folder_that_came_back(self, shore: Vault) -> None:
        do(shore.root, edit(shore.root, "Log/Ebb.md", "lower\n"))
        trash(shore.root, "Log")
        assert tombstones(shore) == ["Log/Ebb.md"]
        do(shore.root, move(shore.root, ".trash/Log", "Log"))

        assert tombstones(shore) == []
        assert rows(shore, "SELECT state FROM journal_paths WHERE path_key = 'log/ebb.md'") == [
            ("here",)
        ]
        verified(shore)

    def test_not_what_the_disk_has_whatever_the_journal_says(self, shore: Vault) -> None:
        gone = FileChange("Tide.md", None, content_hash(b"high\n"), None)
        append(shore.root, [event(gone, time_ns=10**18)])

        assert tombstones(shore) == []
        (shore.root / "Tide.md").unlink()
        assert tombstones(shore) == ["Tide.md"]
        verified(shore)

    def test_they_outlive_the_index(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()
        shore.sync()
        before = rows(shore, "SELECT * FROM notes_tombstones")
        shore.close()
        shore.index_path.unlink()
        shore.rebuild()

        assert rows(shore, "SELECT * FROM notes_tombstones") == before
        assert ends(shore)[0] == ("Tide", "deleted", "Tide.md")


class TestLinks:
    """A link leads somewhere, led somewhere, or never did."""

    def test_of_a_note_that_went(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()
        trash(shore.root, "Log/Ebb.md")

        assert ends(shore) == [
            ("Tide", "deleted", "Tide.md"),
            ("Ebb", "deleted", "Log/Ebb.md"),
            ("Log/Ebb", "deleted", "Log/Ebb.md"),
            ("Tide.md", "deleted", "Tide.md"),
            ("Reef", "resolved", None),
            ("Nowhere", "unresolved", None),
        ]
        assert ends(shore, "Map.canvas") == [("Tide.md", "deleted", "Tide.md")]
        verified(shore)

    def test_with_what_they_would_be_resolved_by(self, shore: Vault) -> None:
        (shore.root / "Log/Ebb.md").unlink()
        links = shore.links("Links").links

        assert [(link.resolved_by, link.to, link.confidence) for link in links[1:3]] == [
            ("name", None, 0.0),
            ("exact", None, 0.0),
        ]
        assert links[1].display == "the ebb"
        [(gone_ns,)] = rows(shore, "SELECT gone_ns FROM notes_tombstones")
        assert {link.gone_ns for link in links} == {None, gone_ns}

    def test_of_a_note_that_is_back(self, shore: Vault) -> None:
        before = ends(shore)
        (shore.root / "Tide.md").unlink()
        assert ends(shore) != before
        write(shore.root, {"Tide.md": "high again\n"})

        assert ends(shore) == before
        verified(shore)

    def test_prefer_a_file_that_is_there(self, shore: Vault) -> None:
        write(shore.root, {"Other/Tide.md": "another\n"})
        (shore.root / "Tide.md").unlink()

        assert shore.links("Links").links[0].to == "Other/Tide.md"
        (shore.root / "Other/Tide.md").unlink()
        assert ends(shore)[0] == ("Tide", "deleted", "Tide.md")
        verified(shore)

    def test_written_after_the_note_went(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()
        shore.sync()
        write(shore.root, {"Late.md": "[[Tide]] [[Tide/x]]"})

        assert ends(shore, "Late.md") == [
            ("Tide", "deleted", "Tide.md"),
            ("Tide/x", "unresolved", None),
        ]

    def test_count_as_links_to_nothing(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()

        assert shore.status().unresolved == 4
        assert shore.link_counts()[1] == {
            "Links.md": {"Tide": 2, "Nowhere": 1},
            "Map.canvas": {"Tide": 1},
        }
        assert "unresolved:Tide" in shore.link_graph().nodes


class TestBacklinks:
    """Who asks for a note that is not there."""

    def test_of_a_deleted_note(self, shore: Vault) -> None:
        (shore.root / "Tide.md").unlink()
        for name in ("Tide", "tide.md", "[[Tide]]"):
            answer = shore.backlinks(name)

            assert (answer.path, answer.state) == ("Tide.md", "deleted")
            assert [(s.path, s.count) for s in answer.sources] == [
                ("Links.md", 2),
                ("Map.canvas", 1),
            ]

    def test_of_a_deleted_note_that_nobody_links_to(self, shore: Vault) -> None:
        (shore.root / "Links.md").unlink()

        answer = shore.backlinks("Links")

        assert (answer.path, answer.state, answer.sources) == ("Links.md", "deleted", ())

    def test_of_a_note_never_written(self, shore: Vault) -> None:
        write(shore.root, {"More.md": "[[nowhere.md]] [[Some/Nowhere]]"})
        answer = shore.backlinks("Nowhere")

        assert (answer.path, answer.state) == ("Nowhere", "missing")
        assert [(s.path, s.count) for s in answer.sources] == [("Links.md", 1), ("More.md", 1)]

    def test_of_a_note_that_is_there(self, shore: Vault) -> None:
        assert (shore.backlinks("Tide").path, shore.backlinks("Tide").state) == (
            "Tide.md",
            "present",
        )

    @pytest.mark.parametrize("name", ["Never", "", "x" * 300])
    def test_of_what_nobody_asks_for_there_are_none(self, shore: Vault, name: str) -> None:
        with pytest.raises(NoteNotFoundError):
            shore.backlinks(name)
