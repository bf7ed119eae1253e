"""The vault as its users hold it: every method's whole answer, and what each says of its freshness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.conftest import VaultOf
from tests.vaults import CACHED, age, execute, falsify, found, rows, vault_at, verified, write
from vaultmem import open_vault
from vaultmem.answers import HeadingView, TagCount, TaskView, VectorStatus
from vaultmem.errors import EmbedderError, NoteNotFoundError, UsageError, VaultNotFoundError
from vaultmem.search.model import Lane, LaneReport
from vaultmem.settings import EmbedSettings, IndexSettings, Settings
from vaultmem.vault import Vault

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEANING = Settings()
"""The default settings, with the static embedder."""

STATION = {
    "Harbour.md": "---\ntags: [place]\naliases: [Old port]\n---\n# Harbour\n\nThe [[Ferry]] lands here. #sea/coast\n\n"
    "## Berths\n\n- [ ] paint the bollards\n- [x] count them\n\nSee [[Lost note]] and ![[Map.png]].\n",
    "Boats/Ferry.md": "---\ntitle: The ferry Kittiwake\n---\nShe sails from the harbour at nine. #sea\n",
    "Boats/Élan.md": "---\ntitle: Élan\n---\nA small boat.\n",
    "Map.png": "pixels",
    "Plan.canvas": '{"nodes":[{"id":"n","type":"file","file":"Harbour.md"}],"edges":[]}',
    "日誌.md": "今日は港で船を見た。",
}


def report(vault: Vault, query: str, lane: Lane = Lane.VECTOR) -> LaneReport:
    return next(r for r in vault.search(query).lanes if r.lane == lane)


class TestNames:
    """A note is named by its path, as a link would name it, or by its title or an alias."""

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("Harbour.md", "Harbour.md"),
            ("Harbour", "Harbour.md"),
            ("harbour", "Harbour.md"),
            ("[[Harbour]]", "Harbour.md"),
            (" Harbour ", "Harbour.md"),
            ("Boats/Ferry", "Boats/Ferry.md"),
            ("Ferry", "Boats/Ferry.md"),
            ("the FERRY kittiwake", "Boats/Ferry.md"),
            ("old port", "Harbour.md"),
            ("ÉLAN", "Boats/Élan.md"),
            ("E\u0301lan", "Boats/Élan.md"),
            ("日誌", "日誌.md"),
        ],
    )
    def test_it_is_found(self, vault_of: VaultOf, name: str, path: str) -> None:
        assert vault_of(STATION).note(name).path == path

    @pytest.mark.parametrize("name", ["Habour", "Old prot", "The ferry Kitiwake"])
    def test_a_near_miss_gets_a_hint(self, vault_of: VaultOf, name: str) -> None:
        with pytest.raises(NoteNotFoundError, match="Did you mean"):
            vault_of(STATION).note(name)

    @pytest.mark.parametrize(
        "name", ["", "[[]]", "xyzzy", "x" * 5_000, "\ud800", "../etc/passwd", "/"]
    )
    def test_nothing_of_that_name(self, vault_of: VaultOf, name: str) -> None:
        with pytest.raises(NoteNotFoundError):
            vault_of(STATION).note(name)

    def test_what_is_no_note_is_said_to_be_none(self, vault_of: VaultOf) -> None:
        with pytest.raises(UsageError, match="not a note"):
            vault_of(STATION).note("Map.png")

    HEADED: Mapping[str, str] = {
        "2024-01-02.md": "Preface.\n\n# The Capstan\n\nText.\n\n# Second\n\n## Below\n",
        "Titled.md": "---\ntitle: Other\n---\n# Proper heading\n",
        "捨.md": "# 捨てない\n",
        "Twin 1.md": "# Twins\n",
        "Twin 2.md": "# twins\n",
    }

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("The Capstan", "2024-01-02.md"),
            ("the capstan", "2024-01-02.md"),
            ("Proper heading", "Titled.md"),
            ("捨てない", "捨.md"),
        ],
    )
    def test_a_first_heading_names_a_note(self, vault_of: VaultOf, name: str, path: str) -> None:
        assert vault_of(self.HEADED).note(name).path == path

    @pytest.mark.parametrize("name", ["Second", "Below", "Capstan", "###"])
    def test_no_other_heading_does(self, vault_of: VaultOf, name: str) -> None:
        with pytest.raises(NoteNotFoundError):
            vault_of(self.HEADED).note(name)

    @pytest.mark.parametrize(
        "named",
        [
            {"Sub/The Capstan.md": ""},
            {"a.md": "---\naliases: The Capstan\n---\n"},
            {"a.md": "---\ntitle: The Capstan\n---\n"},
        ],
        ids=["file name", "alias", "title"],
    )
    def test_any_other_name_comes_before_a_heading(
        self, vault_of: VaultOf, named: dict[str, str]
    ) -> None:
        assert [vault_of({**self.HEADED, **named}).note("The Capstan").path] == list(named)

    def test_two_notes_of_one_heading(self, vault_of: VaultOf) -> None:
        with pytest.raises(UsageError, match=r"Twin 1\.md, Twin 2\.md"):
            vault_of(self.HEADED).note("Twins")

    def test_two_notes_of_one_title(self, vault_of: VaultOf) -> None:
        twins = {f"{n}.md": "---\ntitle: Twin\n---\n" for n in "ab"}

        with pytest.raises(UsageError, match=r"a\.md, b\.md"):
            vault_of(twins).note("twin")


class TestAnswers:
    """Each answer, whole."""

    def test_note(self, vault_of: VaultOf) -> None:
        note = vault_of(STATION).note("Harbour")

        assert (note.title, note.category, note.aliases, note.tags) == (
            "Harbour", "", ("Old port",), ("place", "sea/coast"),
        )  # fmt: skip
        assert note.properties == {"tags": ["place"], "aliases": ["Old port"]}
        assert note.headings == (HeadingView(1, "Harbour", 4), HeadingView(2, "Berths", 8))
        assert note.tasks == (
            TaskView(" ", "paint the bollards", 10),
            TaskView("x", "count them", 11),
        )
        assert (note.links, note.backlinks, note.text) == (3, 0, STATION["Harbour.md"])
        assert (note.freshness.checked, note.freshness.pending) == (True, 0)

    def test_links(self, vault_of: VaultOf) -> None:
        answer = vault_of(STATION).links("Harbour")

        assert [(link.target, link.to, link.embed, link.line) for link in answer.links] == [
            ("Ferry", "Boats/Ferry.md", False, 6),
            ("Lost note", None, False, 13),
            ("Map.png", "Map.png", True, 13),
        ]

    def test_backlinks(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION)

        [ferry] = vault.backlinks("Ferry").sources
        [card] = vault.backlinks("Harbour").sources

        assert (ferry.path, ferry.count, [(p.line, p.context) for p in ferry.places]) == (
            "Harbour.md", 1, [(6, "The [[Ferry]] lands here. #sea/coast")],
        )  # fmt: skip
        assert (card.path, card.is_canvas) == ("Plan.canvas", True)

    def test_unlinked(self, vault_of: VaultOf) -> None:
        answer = vault_of(STATION).unlinked("Harbour")

        [source] = answer.sources
        assert answer.names == ("Harbour", "Old port")
        assert (source.path, source.count, source.places[0].line) == ("Boats/Ferry.md", 1, 3)

    @pytest.mark.parametrize("name", ["🌊", "⁂", "C++", "港", "港で", "a_b"])
    def test_unlinked_mentions_of_odd_names(self, vault_of: VaultOf, name: str) -> None:
        vault = vault_of({f"{name}.md": "", "b.md": f"word {name} word", "c.md": "word"})

        assert [source.path for source in vault.unlinked(f"{name}.md").sources] == ["b.md"]

    def test_tags(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION)

        assert vault.tags().tags == (
            TagCount("place", 1, 1), TagCount("sea", 1, 1), TagCount("sea/coast", 1, 1),
        )  # fmt: skip
        assert vault.tags("#SEA").paths == ("Boats/Ferry.md", "Harbour.md")

    def test_status(self, vault_of: VaultOf) -> None:
        status = vault_of(STATION).status()

        assert (status.files, status.notes, status.canvases, status.attachments) == (6, 4, 1, 1)
        assert (status.links, status.unresolved, status.tasks_open, status.index_location) == (
            4,
            1,
            1,
            "vault",
        )

    def test_doctor_finds_nothing_wrong(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION)
        vault.sync()

        answer = vault.doctor()

        assert answer.healthy
        assert [f.code for f in answer.findings if f.level in ("error", "warning")] == []

    def test_a_limit_without_meaning(self, vault_of: VaultOf) -> None:
        for limit in (0, -1, 1001):
            with pytest.raises(UsageError):
                vault_of(STATION).search("tide", limit=limit)


class TestSearch:
    """What is found, by which lane."""

    @pytest.mark.parametrize(
        ("query", "paths"),
        [
            ("harbour", ["Boats/Ferry.md", "Harbour.md"]),
            ("HARBOUR", ["Boats/Ferry.md", "Harbour.md"]),
            ("bollards", ["Harbour.md"]),
            ("kittiwake", ["Boats/Ferry.md"]),
            ("old port", ["Harbour.md"]),
            ("elan", ["Boats/Élan.md"]),
            ("coast", ["Harbour.md"]),
            ("ollard", ["Harbour.md"]),
            ("港", ["日誌.md"]),
            ("港で船", ["日誌.md"]),
            ("誌", ["日誌.md"]),
            ("xyzzy", []),
        ],
    )
    def test_words_and_parts_of_words(
        self, vault_of: VaultOf, query: str, paths: list[str]
    ) -> None:
        assert found(vault_of(STATION), query) == paths

    def test_a_rare_word_that_no_note_has_does_not_hide_a_common_one(
        self, vault_of: VaultOf
    ) -> None:
        vault = vault_of({f"n{i}.md": "tide" for i in range(80)})

        assert len(found(vault, "tide xyzzy")) == 80

    def test_a_common_word_is_left_out_beside_a_rare_one_and_named(self, vault_of: VaultOf) -> None:
        vault = vault_of({**{f"n{i}.md": "tide " * 60 for i in range(80)}, "a.md": "neap"})

        assert found(vault, "tide neap") == ["a.md"]
        assert report(vault, "tide neap", Lane.KEYWORD).note == "too common to rank: tide"

    def test_a_note_answers_once_with_its_best_block(self, vault_of: VaultOf) -> None:
        text = "# Tide\n\nebb\n\n## Neap\n\ntide tide tide\n\n## Spring\n\nnothing\n"

        [hit] = vault_of({"a.md": text}).search("neap tide").hits

        assert (hit.path, hit.heading_path, hit.line) == ("a.md", ("Tide", "Neap"), 4)

    def test_without_a_look_at_the_disk(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        vault.sync()
        write(vault.root, {"b.md": "tide"})

        answer = vault.search("tide", sync=False)

        assert [hit.path for hit in answer.hits] == ["a.md"]
        assert (answer.freshness.checked, answer.freshness.note) == (
            False, "The disk was not compared with the index.",
        )  # fmt: skip

    def test_lanes_may_be_chosen(self, vault_of: VaultOf) -> None:
        answer = vault_of(STATION).search("arbour", lanes=[Lane.SUBSTRING])

        assert [r.lane for r in answer.lanes] == [Lane.SUBSTRING]
        assert [hit.path for hit in answer.hits] == ["Harbour.md", "Boats/Ferry.md"]


class TestVectors:
    """P8: what the vector lane cannot do, it says."""

    def test_it_finds_by_meaning(self, vault_of: VaultOf) -> None:
        notes = {"Whale.md": "An enormous marine mammal.", "Tax.md": "The invoice is overdue."}
        vault = vault_of(notes, settings=MEANING)

        answer = vault.search("a huge sea animal", lanes=[Lane.VECTOR])

        assert answer.lanes[0].ran
        assert [hit.path for hit in answer.hits] == ["Whale.md"]
        verified(vault)

    def test_the_first_question_and_the_next_get_the_same_answer(self, vault_of: VaultOf) -> None:
        """The first is put to the table, the second to a matrix in memory."""
        vault = vault_of({**STATION, "🜁🜂.md": ""}, settings=MEANING)
        vault.rebuild()
        age(vault)

        first, second, third = (vault.search("boat on the water").hits for _ in range(3))

        assert (
            [hit.path for hit in first]
            == [hit.path for hit in second]
            == [hit.path for hit in third]
        )
        for one, two in zip(first, second, strict=True):
            assert one.score == pytest.approx(two.score, abs=1e-5)

    def test_edits_are_embedded(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        vault.sync()
        write(vault.root, {"Whale.md": "An enormous marine mammal surfaced beside us."})

        hits = vault.search("a huge sea mammal", lanes=[Lane.VECTOR]).hits
        assert hits[0].path == "Whale.md"
        verified(vault)

    def test_switched_off(self, vault_of: VaultOf) -> None:
        assert report(vault_of(STATION), "tide") == LaneReport(
            Lane.VECTOR, False, 0, 'switched off (embed.model = "none")'
        )

    def test_an_index_without_vectors(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        vault.rebuild(vectors=False)

        lane = report(vault, "tide")

        assert not lane.ran
        assert "no vectors of" in lane.note
        assert "which has: none; run `vaultmem rebuild`" in lane.note
        verified(vault)

    def test_an_index_with_another_models_vectors(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        vault.rebuild()
        vault.close()
        execute(vault, "UPDATE notes_vec_map SET model = 'other/9', dim = 8")
        execute(vault, "UPDATE index_meta SET value = 'other/9' WHERE key = 'vector_model'")

        lane = report(vault, "tide")

        assert not lane.ran
        assert "has: other/9 (8)" in lane.note
        assert "vector-mismatch" in {finding.code for finding in vault.doctor().findings}

    def test_edits_made_while_it_was_off_are_owed_and_caught_up(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        vault.rebuild()
        without = vault_of()
        write(vault.root, {"Whale.md": "An enormous marine mammal surfaced beside us."})
        without.sync()

        [lane] = vault.search("whale", lanes=[Lane.VECTOR], sync=False).lanes
        assert lane.note == "blocks without a vector: 1; run `vaultmem sync`"

        age(vault)
        vault.sync()
        [lane] = vault.search("whale", lanes=[Lane.VECTOR], sync=False).lanes
        assert (lane.ran, lane.note) == (True, "")
        verified(vault)

    def test_status_counts_them(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        status = vault.status()

        [vectors] = status.vectors
        assert isinstance(vectors, VectorStatus)
        assert (vectors.blocks, vectors.active, vectors.dim) == (status.blocks, True, 256)

    def test_an_embedder_that_cannot_be_had_costs_only_its_lane(self, tmp_path: Path) -> None:
        settings = Settings(embed=EmbedSettings(model="no such model"))
        with vault_at(tmp_path / "vault", settings=settings) as vault:
            write(vault.root, {"a.md": "tide"})

            assert found(vault, "tide") == ["a.md"]
            assert report(vault, "tide").note.startswith(
                "There is no embedder called 'no such model'"
            )
            assert vault.status().notes == 1
            assert "no-embedder" in {f.code for f in vault.doctor().findings if f.level == "error"}
            with pytest.raises(EmbedderError):
                vault.rebuild()
            assert vault.rebuild(vectors=False).notes == 1

    def test_the_cache_outlives_the_index(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        vault.rebuild()
        before = vectors_of(vault)
        vault.index_path.unlink()

        vault.rebuild()

        assert np.array_equal(vectors_of(vault), before)


def vectors_of(vault: Vault) -> NDArray[np.float32]:
    blobs: Sequence[object] = [
        blob for (blob,) in rows(vault, "SELECT embedding FROM notes_vec_256 ORDER BY rowid")
    ]
    return np.array([np.frombuffer(b, np.float32) for b in blobs if isinstance(b, bytes)])


class TestPlaces:
    """Where the index lies."""

    def test_inside_the_vault_by_default(self, vault_of: VaultOf) -> None:
        vault = vault_of({"a.md": "tide"})
        vault.sync()

        assert vault.index_path == vault.root / ".vaultmem/memory.db"
        assert vault.index_path.is_file()

    def test_in_the_users_cache(self, tmp_path: Path) -> None:
        root = tmp_path / "vault"
        write(root, {"a.md": "tide"})
        with vault_at(root, settings=CACHED) as vault:
            assert found(vault, "tide") == ["a.md"]
            assert list(root.iterdir()) == [root / "a.md"]
            assert tmp_path / "vault-cache" in vault.index_path.parents
            verified(vault)

    def test_two_vaults_of_one_name_share_nothing(self, tmp_path: Path) -> None:
        for parent in ("one", "two"):
            write(tmp_path / parent / "vault", {f"{parent}.md": "tide"})
        cache = tmp_path / "cache"
        for parent in ("one", "two"):
            with Vault(tmp_path / parent / "vault", CACHED, cache_root=cache) as vault:
                assert found(vault, "tide") == [f"{parent}.md"]

    def test_opened_by_its_path_with_given_surroundings(self, tmp_path: Path) -> None:
        write(tmp_path / "vault", {"a.md": "tide"})
        settings = Settings(embed=EmbedSettings("none"), index=IndexSettings("cache"))

        with open_vault(
            tmp_path / "vault",
            settings=settings,
            environ={},
            home=tmp_path,
            cache_root=tmp_path / "c",
        ) as vault:
            assert found(vault, "tide") == ["a.md"]

    def test_a_path_of_nothing_is_told_without_a_word_of_the_command_line(
        self, tmp_path: Path
    ) -> None:
        with pytest.raises(VaultNotFoundError) as caught:
            open_vault(tmp_path / "missing", environ={}, home=tmp_path)

        assert caught.value.message == f"The vault {tmp_path / 'missing'} does not exist."
        assert "--" not in str(caught.value)

    def test_closed_and_used_again(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION, settings=MEANING)
        vault.sync()
        vault.close()
        write(vault.root, {"new.md": "tide"})

        assert found(vault, "tide") == ["new.md"]
        verified(vault)


class TestVerify:
    """A verification tells a sound index from one that lies."""

    def test_identical(self, vault_of: VaultOf) -> None:
        answer = vault_of(STATION, settings=MEANING).verify()

        assert answer.identical
        assert answer.queries > 0
        assert all(table.rows_live == table.rows_built for table in answer.tables)
        assert {table.table for table in answer.tables} >= {
            "notes_blocks",
            "notes_links",
            "notes_vec_256",
        }

    @pytest.mark.parametrize(
        ("statement", "table"),
        [
            ("UPDATE notes_index SET title = 'x' WHERE id = 1", "notes_index"),
            ("UPDATE notes_links SET target_id = NULL, status = 'unresolved'", "notes_links"),
            ("UPDATE notes_blocks SET text = 'y' WHERE id = 2", "notes_blocks"),
            ("DELETE FROM notes_tags WHERE ordinal = 0", "notes_tags"),
            ("UPDATE notes_tasks SET status = '?'", "notes_tasks"),
            ("UPDATE vault_files SET excluded = 1 WHERE id = 1", "vault_files"),
            ("UPDATE notes_fts SET title = 'z', aliases = '', headings = '', tags = '', body = '', cjk = '' WHERE rowid = 1",
             "notes_fts_terms"),
            ("UPDATE notes_fts_trigram SET text = 'qqqq' WHERE rowid = 1", "notes_fts_trigram_terms"),
        ],
    )  # fmt: skip
    def test_a_lie_is_named(self, vault_of: VaultOf, statement: str, table: str) -> None:
        vault = vault_of(STATION)
        vault.sync()
        age(vault)
        vault.close()
        falsify(vault, statement)

        answer = vault.verify()

        assert not answer.identical
        [check] = [check for check in answer.tables if check.table == table]
        assert not check.identical
        assert check.differences[0]

    def test_it_leaves_nothing_behind(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION)
        vault.verify()

        assert {p.name for p in vault.index_dir.glob("memory.db*")} <= {
            "memory.db", "memory.db-wal", "memory.db-shm",
        }  # fmt: skip

    def test_an_edit_meanwhile_is_no_difference(self, vault_of: VaultOf) -> None:
        vault = vault_of(STATION)
        vault.sync()
        edits = [{"Harbour.md": "neap"}]

        def edit(step: str, done: int, total: int) -> None:
            """Once, when the second index is begun."""
            if done == 0 and edits:
                write(vault.root, edits.pop())

        assert vault.verify(progress=edit).identical
        assert found(vault, "neap") == ["Harbour.md"]


def test_verify_says_when_it_had_nothing_but_a_new_index_to_compare(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "one\n"})
    with vault_at(tmp_path) as vault:
        vault.rebuild()
    for file in (tmp_path / ".vaultmem").glob("memory.db*"):
        file.unlink()
    with vault_at(tmp_path) as vault:
        first, second = vault.verify(), vault.verify()

    assert first.note == "The index was missing; it was built anew."
    assert second.note == ""
