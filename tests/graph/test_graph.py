"""The graph of a vault on disk: names, paths, what is near, what was superseded, and edits that it follows."""

from __future__ import annotations

import pytest

from tests.conftest import VaultOf
from tests.vaults import rows
from vaultmem.errors import NoteNotFoundError, UsageError
from vaultmem.vault import Vault

HARBOUR = {
    "Ferry.md": "Leaves from the [[Pier]]. See [[Tide table 2023]].",
    "Pier.md": "---\ncategory: Places\ntags: [place]\nseverity: high\n---\nBuilt by [[Ana]].",
    "Ana.md": "---\naliases: [The builder]\n---\nLives in [[Towns/Port]].",
    "Towns/Port.md": "# Port of call\n",
    "Villages/Port.md": "[[Villages/Port]] links to itself.",
    "Tide table 2023.md": "[[Ana]] made it.",
    "Tide table 2024.md": '---\nsupersedes: "[[Tide table 2023]]"\n---\nMeasured by [[Ana]].',
    "Alone.md": "No link.",
}


@pytest.fixture
def harbour(vault_of: VaultOf) -> Vault:
    return vault_of(HARBOUR)


def test_a_path_tells_each_link_and_its_direction(harbour: Vault) -> None:
    answer = harbour.graph.path("Pier", "Tide table 2024")

    assert [(s.note.path, s.edge.source, s.forward) for s in answer.steps] == [
        ("Ana.md", "Pier.md", True),
        ("Tide table 2024.md", "Tide table 2024.md", False),
    ]
    assert (answer.found, answer.superseded, answer.current) == (True, (), ())
    assert answer.freshness.checked


def test_a_path_through_a_superseded_note_says_so_and_gives_the_current_one(harbour: Vault) -> None:
    answer = harbour.graph.path("Ferry", "Tide table 2023")

    assert [step.note.path for step in answer.steps] == ["Tide table 2023.md"]
    assert answer.end.current == "Tide table 2024.md"
    assert [(s.path, s.current, s.ring) for s in answer.superseded] == [
        ("Tide table 2023.md", "Tide table 2024.md", False)
    ]
    assert answer.current_start == "Ferry.md"
    assert [step.note.path for step in answer.current] == [
        "Pier.md",
        "Ana.md",
        "Tide table 2024.md",
    ]


def test_what_stands_for_a_neighbour_is_there_with_it(harbour: Vault) -> None:
    answer = harbour.graph.neighbors("Ferry")

    assert [(n.note.path, n.distance, n.via) for n in answer.neighbors] == [
        ("Tide table 2023.md", 1, "Ferry.md"),
        ("Pier.md", 1, "Ferry.md"),
        ("Tide table 2024.md", 0, "Tide table 2023.md"),
    ]
    assert answer.total == 2
    assert [edge.relation for edge in answer.neighbors[0].edges] == ["mentions"]


def test_a_subgraph_holds_all_links_between_its_notes(harbour: Vault) -> None:
    answer = harbour.graph.subgraph(["Pier", "Ferry"], depth=1)

    assert answer.roots == ("Pier.md", "Ferry.md")
    assert sorted((edge.source, edge.target) for edge in answer.edges) == [
        ("Ferry.md", "Pier.md"),
        ("Ferry.md", "Tide table 2023.md"),
        ("Pier.md", "Ana.md"),
        ("Tide table 2023.md", "Ana.md"),
        ("Tide table 2024.md", "Ana.md"),
        ("Tide table 2024.md", "Tide table 2023.md"),
    ]


def test_a_note_is_told_with_its_category_tags_and_severity(harbour: Vault) -> None:
    note = harbour.graph.neighbors("Pier").note

    assert (note.title, note.category, note.tags, note.severity) == (
        "Pier",
        "Places",
        ("place",),
        "high",
    )


def test_a_note_without_links_has_no_neighbours_and_no_paths(harbour: Vault) -> None:
    assert harbour.graph.neighbors("Alone", depth=3).neighbors == ()
    assert harbour.graph.neighbors("Villages/Port").neighbors == ()
    assert not harbour.graph.path("Alone", "Pier").found


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Ferry", "Ferry.md"),
        ("ferry.md", "Ferry.md"),
        ("[[Pier]]", "Pier.md"),
        ("towns/port", "Towns/Port.md"),
        ("the BUILDER", "Ana.md"),
        ("Port of call", "Towns/Port.md"),
    ],
)
def test_a_name_is_what_a_link_would_mean_or_a_title_an_alias_a_heading(
    harbour: Vault, name: str, path: str
) -> None:
    meant = harbour.graph.meant(name)

    assert (meant.path, meant.problem) == (path, "")


def test_a_name_that_is_unclear_or_unknown_comes_with_candidates(harbour: Vault) -> None:
    unclear, unknown = harbour.graph.meant("Port"), harbour.graph.meant("Tide tabel 2024")

    assert (unclear.path, unclear.problem) == (None, "ambiguous")
    assert unclear.candidates == ("Towns/Port.md", "Villages/Port.md")
    assert (unknown.path, unknown.problem) == (None, "unknown")
    assert unknown.candidates[0] == "Tide table 2024.md"
    with pytest.raises(UsageError):
        harbour.graph.path("Port", "Pier")
    with pytest.raises(NoteNotFoundError):
        harbour.graph.neighbors("Nowhere at all")


@pytest.mark.parametrize("bad", [{"depth": 0}, {"limit": 0}, {"direction": "up"}, {"depth": 99}])
def test_a_question_that_has_no_meaning_is_refused(harbour: Vault, bad: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        harbour.graph.neighbors("Pier", **bad)  # type: ignore[arg-type]


def test_an_unknown_relation_is_refused_with_those_there_are(harbour: Vault) -> None:
    with pytest.raises(UsageError, match="mentions, supersedes"):
        harbour.graph.neighbors("Pier", relations=["loves"])


def test_as_it_is_looks_at_no_file(harbour: Vault) -> None:
    before = harbour.graph.neighbors("Alone")
    (harbour.root / "Alone.md").write_text("[[Ferry]]")

    trusting = harbour.graph.as_it_is.neighbors("Alone")

    assert (trusting.neighbors, trusting.freshness.checked) == (before.neighbors, False)
    assert harbour.graph.neighbors("Alone").total == 1
    assert harbour.graph.as_it_is.neighbors("Alone").total == 1


def test_an_empty_vault_has_an_empty_graph(vault_of: VaultOf) -> None:
    vault = vault_of({})

    assert len(vault.graph.snapshot()) == 0
    with pytest.raises(NoteNotFoundError):
        vault.graph.neighbors("Anything")


def test_excluded_notes_are_not_reached(vault_of: VaultOf) -> None:
    vault = vault_of(
        {
            ".obsidian/app.json": '{"userIgnoreFilters": ["Secret/"]}',
            "Secret/Plan.md": "[[Open]]",
            "Open.md": "[[Plan]]",
        }
    )

    assert vault.graph.snapshot().paths == ["Open.md"]
    assert vault.graph.meant("Plan").problem == "excluded"
    with pytest.raises(NoteNotFoundError):
        vault.graph.neighbors("Plan")


class TestTheKeptSnapshot:
    def test_follows_edits_moves_and_removals_by_what_changed(
        self, vault_of: VaultOf, harbour: Vault
    ) -> None:
        harbour.graph.snapshot()
        assert rows(harbour, "SELECT key FROM notes_graph_cache") == [("snapshot",)]

        (harbour.root / "Alone.md").write_text("Not any more: [[Ferry]] [[Later]]")
        (harbour.root / "Villages/Port.md").unlink()
        (harbour.root / "Towns/Port.md").rename(harbour.root / "Towns/Haven.md")
        followed = harbour.graph.snapshot()
        (harbour.root / "Later.md").write_text("[[Haven]]")
        followed = harbour.graph.snapshot()

        other = vault_of()
        by_another = other.graph.snapshot()
        other.rebuild()
        anew = other.graph.snapshot()
        for each in (followed, by_another):
            assert (each.paths, each.titles) == (anew.paths, anew.titles)
            assert each.source.tolist() == anew.source.tolist()
            assert each.target.tolist() == anew.target.tolist()

    def test_is_known_to_be_old_after_another_process_kept_a_newer_one(
        self, vault_of: VaultOf, harbour: Vault
    ) -> None:
        harbour.graph.snapshot()
        other = vault_of()
        for number in range(5):
            (harbour.root / f"New {number}.md").write_text("[[Pier]]")
            other.graph.snapshot()

        assert len(harbour.graph.snapshot()) == len(HARBOUR) + 5
        assert len(harbour.graph.neighbors("Pier").neighbors) == 2 + 5

    def test_waits_for_nobody_and_is_kept_when_the_writer_is_done(self, harbour: Vault) -> None:
        harbour.sync()
        with harbour._store.writing(1.0):
            assert len(harbour.graph.as_it_is.snapshot()) == len(HARBOUR)
            assert rows(harbour, "SELECT key FROM notes_graph_cache") == []

        harbour.graph.as_it_is.snapshot()

        assert rows(harbour, "SELECT key FROM notes_graph_cache") == [("snapshot",)]

    def test_changes_nothing_that_verify_sees(self, harbour: Vault) -> None:
        harbour.graph.snapshot()
        (harbour.root / "Alone.md").write_text("[[Ferry]]")
        harbour.graph.snapshot()

        assert harbour.verify().identical


def test_a_note_that_was_edited_and_then_moved_costs_no_rebuild(vault_of: VaultOf) -> None:
    notes = {f"Pier {n}.md": f"See [[Pier {n + 1}]].\n" for n in range(40)}
    vault = vault_of(notes)
    vault.graph.communities()  # keeps a snapshot, and from then on what changed

    (vault.root / "Pier 7.md").write_text("See [[Pier 9]] now.\n")
    vault.sync()
    (vault.root / "Pier 7.md").rename(vault.root / "Quay.md")
    moved = vault.sync()

    assert (moved.rebuilt, moved.moved) == (False, (("Pier 7.md", "Quay.md"),))
    assert vault.verify().identical
