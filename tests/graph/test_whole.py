"""The graph of a vault as a whole: communities, insights, what is related, provenance, export, tidy names."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from contextlib import closing

import numpy as np
import pytest

from tests.conftest import VaultOf
from tests.vaults import rows
from vaultmem.errors import NoteNotFoundError, NotFoundError, UsageError
from vaultmem.graph.hygiene import canonical_categories, canonical_relations
from vaultmem.graph.near import mutual_nearest
from vaultmem.graph.uris import MemoUri, note_uri, parse_uri
from vaultmem.index.connection import open_index
from vaultmem.settings import Settings
from vaultmem.vault import Vault


def ring(folder: str, names: str, tag: str) -> dict[str, str]:
    """Notes that each link to the next two."""
    return {
        f"{folder}/{name}.md": f"[[{names[(at + 1) % len(names)]}]] [[{names[(at + 2) % len(names)]}]] #{tag}"
        for at, name in enumerate(names)
    }


SHORES = {**ring("Birds", "abcdef", "bird"), **ring("boats", "uvwxyz", "boat")}


@pytest.fixture
def shores(vault_of: VaultOf) -> Vault:
    files = dict(SHORES)
    files["Birds/a.md"] += " [[u]]"
    files["Lone.md"] = "Nobody links here; it speaks of Zephyr."
    files["Zephyr.md"] = "Alone too. #rarity"
    files["Gust.md"] = "#rarity"
    return vault_of(files)


def test_communities_are_named_kept_and_found_by_a_note(shores: Vault, vault_of: VaultOf) -> None:
    answer = shores.graph.communities()

    assert [(c.size, c.terms[0]) for c in answer.communities] == [(6, "bird"), (6, "boat")]
    assert answer.loose == 3
    own = shores.graph.communities("Birds/c").communities
    assert [sorted(c.paths) for c in own] == [[f"Birds/{name}.md" for name in "abcdef"]]
    assert shores.graph.communities("Lone").communities == ()
    kept = rows(shores, "SELECT id, name, notes FROM notes_graph_communities ORDER BY id")
    assert kept == [(c.id, c.name, c.size) for c in answer.communities]
    assert vault_of().graph.communities().communities == answer.communities
    assert shores.graph.communities(anew=True).communities == answer.communities


def test_communities_keep_their_ids_and_names_when_the_index_is_built_anew(
    shores: Vault, vault_of: VaultOf
) -> None:
    shores.graph.communities()
    with closing(open_index(shores.index_path)) as connection:
        connection.execute("UPDATE notes_graph_communities SET name = 'as it was called'||id")
    before = vault_of().graph.communities().communities
    (shores.root / "New.md").write_text("A rook without links.\n")
    shores.rebuild()

    after = vault_of().graph.communities().communities

    assert [(c.id, c.name) for c in after] == [(c.id, c.name) for c in before]
    assert all(c.name.startswith("as it was called") for c in after)


def test_insights_have_reasons_and_are_kept(shores: Vault) -> None:
    answer = shores.graph.insights()

    assert [(i.kind, i.path, i.other) for i in answer.insights if i.kind != "sparse"] == [
        ("isolated", "Lone.md", ""),
        ("isolated", "Zephyr.md", ""),
        ("isolated", "Gust.md", ""),
        ("surprising", "Birds/a.md", "boats/u.md"),
    ]
    assert dict(answer.counts)["isolated"] == 3
    kept = rows(shores, "SELECT count(*) FROM notes_graph_insights WHERE reason != ''")
    assert kept == [(len(answer.insights),)]
    only = shores.graph.insights(["isolated"], limit=1).insights
    assert [i.path for i in only] == ["Lone.md"]
    assert only[0].reason.endswith("it has 7 words.")
    with pytest.raises(UsageError):
        shores.graph.insights(["odd"])


def test_related_notes_come_with_their_reasons(shores: Vault) -> None:
    found = shores.graph.related("Zephyr")

    assert [(r.path, r.reasons) for r in found.related] == [
        ("Lone.md", ("names it without a link (1 time)",)),
        ("Gust.md", ("both tagged #rarity",)),
    ]
    (opposite,) = [r for r in shores.graph.related("Birds/a").related if r.path == "Birds/d.md"]
    assert opposite.reasons[0].startswith("linked with the same notes: ")


def test_likeness_of_meaning_is_a_reason(vault_of: VaultOf) -> None:
    vault = vault_of(
        {
            "Ale.md": "Brewing beer from malt and hops, fermented with yeast in a barrel.",
            "Stout.md": "Beer brewed of dark malt; the yeast ferments it in a cask with hops.",
            **{f"Other {n}.md": text for n, text in enumerate(OTHERS)},
        },
        settings=Settings(),
    )

    (first, *_) = vault.graph.related("Ale").related

    assert first.path == "Stout.md"
    assert first.reasons[0].startswith("alike in meaning (0.")


OTHERS = (
    "The court heard the appeal.",
    "Stars orbit the centre of a galaxy.",
    "Tie a bowline before the gale.",
    "Interest rates and inflation.",
    "Prune the roses in spring.",
    "The router dropped the packet.",
)


def test_pairs_are_near_only_when_each_is_among_the_others_nearest() -> None:
    chance = np.random.default_rng(1)
    matrix = chance.normal(size=(40, 16)).astype(np.float32)
    matrix[1] = matrix[0] + 0.05
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)

    pairs = mutual_nearest(matrix)

    assert max(pairs, key=lambda pair: pair[2])[:2] == (0, 1)
    assert all(a < b for a, b, _ in pairs)


class TestTrace:
    FILES = {  # noqa: RUF012 - a table
        "Profile.md": '---\ntype: profile\nsource_notes: ["[[Synthesis]]"]\n---\nLikes tea.',
        "Synthesis.md": '---\nsource_notes: ["[[Raw day]]", "[[Nowhere]]"]\n'
        'fact_provenance:\n  f-tea: "memo://note/Raw%20day.md#L2"\n  f-log: memo://raw/r-17\n---\n'
        "- Tea at four ^f-tea\n- From a log ^f-log\n",
        "Raw day.md": "Morning.\nHe drank tea at four.\n",
        "Ring.md": "sources:: [[Ring]] [[Profile]]",
    }

    def test_goes_back_level_by_level_to_lines_and_records(self, vault_of: VaultOf) -> None:
        answer = vault_of(self.FILES).graph.trace("Profile")

        assert [(s.level, s.via, s.state, s.path or s.title) for s in answer.steps] == [
            (0, "", "note", "Profile.md"),
            (1, "source", "note", "Synthesis.md"),
            (2, "fact f-log", "raw", "r-17"),
            (2, "fact f-tea", "note", "Raw day.md"),
            (2, "source", "note", "Raw day.md"),
            (2, "source", "missing", ""),
        ]
        line = answer.steps[3]
        assert (line.uri, line.text) == ("memo://note/Raw%20day.md#L2", "He drank tea at four.")
        assert not answer.complete

    def test_says_which_sources_are_superseded(self, vault_of: VaultOf) -> None:
        vault = vault_of(
            {**self.FILES, "New day.md": '---\nsupersedes: "[[Raw day]]"\n---\nAt five.'}
        )

        current = {step.path: step.current for step in vault.graph.trace("Synthesis").steps}

        assert current["Raw day.md"] == "New day.md"
        assert current["Synthesis.md"] == ""

    def test_of_one_fact_follows_that_fact_alone(self, vault_of: VaultOf) -> None:
        answer = vault_of(self.FILES).graph.trace("memo://note/Synthesis.md#^f-tea")

        assert [(s.line, s.text) for s in answer.steps] == [
            (6, "- Tea at four ^f-tea"),
            (1, "He drank tea at four."),
        ]
        assert answer.complete

    @pytest.mark.parametrize(
        ("uri", "said"),
        [
            ("memo://note/Raw%20day.md#L3", "Raw day.md has no line 3; it ends at line 2."),
            ("memo://note/Raw%20day.md#^gone", "Raw day.md has no block ^gone."),
            ("memo://note/Empty.md#L1", "Empty.md has no line 1; it is empty."),
            ("memo://note/Bare.md#L99", "Bare.md has no line 99; it ends at line 3."),
        ],
    )
    def test_of_a_place_that_is_not_there_says_so(
        self, vault_of: VaultOf, uri: str, said: str
    ) -> None:
        vault = vault_of({**self.FILES, "Empty.md": "", "Bare.md": "---\na: 1\n---\n"})

        with pytest.raises(NotFoundError, match=re.escape(said)):
            vault.graph.trace(uri)
        assert len(vault.graph.trace("memo://note/Raw%20day.md#L2").steps) == 1
        assert len(vault.graph.trace("memo://note/Bare.md#L2").steps) == 1

    def test_a_source_of_which_the_place_is_gone_is_missing_and_followed(
        self, vault_of: VaultOf
    ) -> None:
        digest = '---\nfact_provenance:\n  f-a: "memo://note/Synthesis.md#L99"\n---\n- a ^f-a\n'

        answer = vault_of({**self.FILES, "Digest.md": digest}).graph.trace("Digest")

        assert [(s.path, s.state) for s in answer.steps[:3]] == [
            ("Digest.md", "note"),
            ("Synthesis.md", "missing"),
            ("", "raw"),
        ]
        assert not answer.complete

    def test_ends_in_a_ring_and_at_a_note_without_sources(self, vault_of: VaultOf) -> None:
        vault = vault_of(self.FILES)

        assert [s.path for s in vault.graph.trace("Ring").steps][:3] == [
            "Ring.md",
            "Ring.md",
            "Profile.md",
        ]
        assert len(vault.graph.trace("Raw day").steps) == 1
        with pytest.raises(NoteNotFoundError):
            vault.graph.trace("memo://note/Gone.md")
        with pytest.raises(UsageError):
            vault.graph.trace("memo://raw/r-17")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        (note_uri("A b/Zoë #1.md"), MemoUri("note", "A b/Zoë #1.md")),
        (note_uri("潮.md", line=0), MemoUri("note", "潮.md", 0)),
        (note_uri("n.md", block_id="f-3k9x"), MemoUri("note", "n.md", None, "f-3k9x")),
        ("MEMO://note/n.md#L7", MemoUri("note", "n.md", 6)),
        ("memo://raw/2026/1", MemoUri("raw", "2026/1")),
    ],
)
def test_a_uri_says_what_it_was_made_of(uri: str, expected: MemoUri) -> None:
    assert parse_uri(uri) == expected


@pytest.mark.parametrize(
    "bad",
    [
        "memo://note/",
        "memo://note/../etc/passwd",
        "memo://note/a/%2e%2e/b.md",
        "memo://note//etc/passwd",
        "memo://note/.obsidian/app.json",
        "memo://note/a%00.md",
        "memo://note/a%5Cb.md",
        "memo://note/%ff.md",
        "memo://note/%zz.md",
        "memo://other/a.md",
        "http://note/a.md",
        "",
    ],
)
def test_what_is_no_address_in_a_vault_is_refused(bad: str) -> None:
    with pytest.raises(UsageError):
        parse_uri(bad)


class TestExport:
    def test_graphml_and_json_hold_every_note_and_edge(self, shores: Vault) -> None:
        xml = shores.graph.export("graphml")
        data = json.loads(shores.graph.export("JSON").text)

        root = ET.fromstring(xml.text)
        names = [element.tag.rpartition("}")[2] for element in root.iter()]
        assert (names.count("node"), names.count("edge")) == (xml.notes, xml.edges) == (15, 25)
        assert (len(data["nodes"]), len(data["edges"])) == (15, 25)
        assert shores.graph.networkx().number_of_edges() == 25

    def test_a_canvas_has_cards_frames_and_arrows(self, shores: Vault) -> None:
        data = json.loads(shores.graph.export("canvas", ["Birds/a"], depth=1).text)

        files = sorted(node["file"] for node in data["nodes"] if node["type"] == "file")
        assert files == [*(f"Birds/{name}.md" for name in "abcef"), "boats/u.md"]
        assert sum(node["type"] == "group" for node in data["nodes"]) == 2
        ids = {node["id"] for node in data["nodes"]}
        assert all({edge["fromNode"], edge["toNode"]} <= ids for edge in data["edges"])

    def test_an_empty_vault_and_odd_characters_are_no_trouble(self, vault_of: VaultOf) -> None:
        vault = vault_of({})
        assert json.loads(vault.graph.export("canvas").text) == {"nodes": [], "edges": []}
        (vault.root / "n.md").write_text('---\ntitle: "a\\x01 <&>"\n---\n')

        ET.fromstring(vault.graph.export("graphml").text)

    def test_another_format_is_refused(self, shores: Vault) -> None:
        with pytest.raises(UsageError, match="graphml, canvas, json"):
            shores.graph.export("pdf")


def test_categories_that_differ_in_case_or_number_are_one_in_the_graph(vault_of: VaultOf) -> None:
    vault = vault_of(
        {
            "Projects/A.md": "",
            "Projects/B.md": "",
            "C.md": "---\ncategory: project\n---\n",
            "News/D.md": "",
        }
    )

    graph = vault.graph.snapshot()

    assert dict(zip(graph.paths, graph.categories, strict=True)) == {
        "C.md": "Projects",
        "News/D.md": "News",
        "Projects/A.md": "Projects",
        "Projects/B.md": "Projects",
    }
    assert vault.note("C").category == "project"


def test_the_most_used_spelling_of_a_category_is_chosen() -> None:
    assert canonical_categories(["story", "Stories", "Stories", "class", "", "Dutch"]) == {
        "story": "Stories",
        "Stories": "Stories",
        "class": "class",
        "": "",
        "Dutch": "Dutch",
    }


def test_relations_are_freed_of_the_names_of_notes() -> None:
    relations = ["works at", "Works-At", "works_at_Acme", "knows Ana Lund", "Ana Lund", "part"]
    relations += ["this is what he said to me", "supersedes"]

    assert canonical_relations(relations, ["Acme", "Ana Lund", "Part", "supersedes"]) == {
        "works at": "works_at",
        "Works-At": "works_at",
        "works_at_Acme": "works_at",
        "knows Ana Lund": "knows",
        "Ana Lund": "mentions",
        "part": "part",
        "this is what he said to me": "mentions",
        "supersedes": "supersedes",
    }


def test_a_rename_after_the_graph_was_kept_leaves_the_index_sound(shores: Vault) -> None:
    shores.graph.communities()

    receipt = shores.edits.move("Birds/a.md", "Birds/z.md", by="test")

    assert receipt.note == ""
    (shores.root / "Birds" / "b.md").rename(shores.root / "Birds" / "y.md")
    answer = shores.sync()
    assert (answer.moved, answer.note) == ((("Birds/b.md", "Birds/y.md"),), "")
