"""A retrieval set as a vault, asked through the real index and the real search."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultmem.bench.as_vault import write_vault
from vaultmem.bench.measures import judge
from vaultmem.bench.run import bench_queries, bench_set
from vaultmem.bench.sets import Item, RetrievalSet, read_set
from vaultmem.errors import UsageError
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault


def retrieval_set(*items: Item) -> RetrievalSet:
    return RetrievalSet("set", items, (), {})


TALK = (
    Item("s/1", "Ann, session 1", "Ann: The heron is back.", "2024-05-01T09:00", "s"),
    Item("s/2", "Ben, session 1", "Ben: Where did you see it?", "2024-05-01T09:00", "s"),
    Item("s/3", "Ann, session 2", "Ann: The kettle broke.", "2024-05-02T09:00", "s"),
)


def test_turns_of_one_time_are_blocks_of_a_session_note(tmp_path: Path) -> None:
    written = write_vault(tmp_path, retrieval_set(*TALK))

    assert (tmp_path / "s/2024-05-01 session 1.md").read_text("utf-8") == (
        '---\ntitle: "session 1"\ndate: 2024-05-01T09:00\ntype: session\n---\n\n'
        "## Ann\n\nThe heron is back. ^t1\n\n## Ben\n\nWhere did you see it? ^t2\n\n"
    )
    assert written.by_block
    places = [("s/2024-05-01 session 1.md", line) for line in (6, 8, 10, 13)]
    assert [written.item_at(*place) for place in places] == ["s/1", "s/1", "s/2", "s/2"]
    assert written.item_at("s/Ann, session 2.md", 7) == "s/3"


def test_a_transcript_becomes_a_note_with_a_heading_for_each_turn(tmp_path: Path) -> None:
    text = "Ann: Hello.\nBen: Hello.\nAnn: Bye.\nBen: Bye."
    written = write_vault(tmp_path, retrieval_set(Item("d", "Talk", text)))

    assert not written.by_block
    assert (
        (tmp_path / "Talk.md")
        .read_text("utf-8")
        .startswith("---\ntype: session\n---\n\n## Ann\n\nHello.\n")
    )


def test_documents_are_notes_whose_names_do_not_clash(tmp_path: Path) -> None:
    items = [Item(str(i), title, "Text.") for i, title in enumerate(("A/B?", "A B", "", "…"))]
    written = write_vault(tmp_path, retrieval_set(*items))

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "A B 2.md",
        "A B.md",
        "Untitled.md",
        "….md",
    ]
    assert written.item_at("A B 2.md", 0) == "1"


def test_the_measures_of_a_ranking() -> None:
    judged = judge(["x", "a", "y", "b"], {"a": 1, "b": 1, "c": 1})

    assert {name: round(value, 4) for name, value in judged.items()} == {
        "hit@1": 0.0,
        "hit@5": 1.0,
        "hit@10": 1.0,
        "recall_all@10": 0.0,
        "mrr@10": 0.5,
        "ndcg@10": round((1 / 1.584963 + 1 / 2.321928) / (1 + 1 / 1.584963 + 0.5), 4),
    }


def write_set(folder: Path) -> Path:
    rows = [
        {
            "id": item.id,
            "title": item.title,
            "text": item.text,
            "date": item.date,
            "scope": item.scope,
        }
        for item in TALK
    ] + [
        {
            "id": "o/1",
            "title": "Ann, session 1",
            "text": "Ann: A heron.",
            "date": "2024",
            "scope": "o",
        }
    ]
    questions = [
        {"id": "q1", "text": "Who saw a heron?", "category": "birds", "scope": "s"},
        {"id": "q2", "text": "What broke?", "category": "things", "scope": "s"},
        {"id": "q3", "text": "Without a judgement", "scope": "s"},
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, questions)), "utf-8")
    (folder / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\ts/1\t1\nq2\ts/3\t1\n", "utf-8"
    )
    return folder


def test_a_set_is_asked_within_its_scopes_beside_plain_bm25_and_each_lane(tmp_path: Path) -> None:
    report = bench_set(read_set(write_set(tmp_path)), embedder="none")

    assert (report.queries, report.items, report.overall["hit@1"]) == (2, 4, 1.0)
    assert {name: found["hit@1"] for name, found in report.by_category.items()} == {
        "birds": 1.0,
        "things": 1.0,
    }
    assert [one.way for one in report.beside] == [
        "plain BM25",
        "keyword",
        "bridge",
        "substring",
        "vector",
    ]


def test_a_folder_that_holds_no_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no retrieval set"):
        read_set(tmp_path)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    root = tmp_path_factory.mktemp("sample") / "vault"
    shutil.copytree(Path(__file__).parents[2] / "sample_vault", root)
    settings = Settings(embed=EmbedSettings(model="static"))
    with Vault(root, settings, cache_root=root.parent / "cache") as vault:
        yield vault


SAMPLE_QUERIES = Path(__file__).with_name("sample_queries.jsonl")


def test_questions_with_known_notes_are_asked_on_a_vault_as_it_is(sample: Vault) -> None:
    report = bench_queries(sample, SAMPLE_QUERIES)

    assert (report.name, report.queries, report.items) == ("sample_queries", 11, 89)
    assert {kind: found["hit@1"] for kind, found in report.by_category.items()} == {
        "cjk": 1.0,
        "exact": 1.0,
        "words": 1.0,
        "paraphrase": 0.0,
    }
    assert [one.way for one in report.beside] == ["keyword", "bridge", "substring", "vector"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no question"),
        ('{"query": "x"}', "is no list of questions"),
        ('{"query": "x", "paths": []}', "is no list of questions"),
        ('{"query": "x", "paths": "Home.md"}', "is no list of questions"),
        ('{"query": 5, "paths": ["Home.md"]}', "is no list of questions"),
        ('{"query": "x", "paths": ["Nowhere.md"]}', "names a note that there is not: Nowhere.md"),
        ("not json", "is no list of questions"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_list_of_questions_is_told(
    sample: Vault, tmp_path: Path, text: str | None, said: str
) -> None:
    path = tmp_path / "queries.jsonl"
    if text is not None:
        path.write_text(text, "utf-8")

    with pytest.raises(UsageError, match=said):
        bench_queries(sample, path)
