"""Vectors when the embedding model changes, and when it does not take a text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.field_reports.embedders import CaseEmbedder
from tests.field_reports.world import CaseVault
from tests.vaults import rows, verified, write
from vaultmem.embed.cache import EmbeddingCache
from vaultmem.index.reading import Job, read_job
from vaultmem.index.vectors import NOT_EMBEDDED, with_vectors
from vaultmem.search.model import Lane

FILES = {
    "Barometer.md": "The barometer falls before a storm.\n",
    "Hull.md": "Paint the hull in dry weather.\n",
}
SETS = "SELECT model, dim, count(*) FROM notes_vec_map GROUP BY model, dim"
TABLES = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING vec0%'"


class Models:
    """Opens one vault with one embedder after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.vault: CaseVault | None = None

    def open(self, embedder: CaseEmbedder | None) -> CaseVault:
        self.close()
        self.vault = CaseVault(self.folder / "vault", self.folder / "cache", embedder)
        return self.vault

    def close(self) -> None:
        if self.vault is not None:
            self.vault.close()


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Models]:
    models = Models(tmp_path)
    write(tmp_path / "vault", FILES)
    yield models
    models.close()


def by_meaning(vault: CaseVault, query: str) -> tuple[list[str], str]:
    """The notes found by meaning alone, and what the lane says."""
    answer = vault.search(query, lanes=[Lane.VECTOR])
    return [hit.path for hit in answer.hits], answer.lanes[0].note


@pytest.mark.parametrize(("before", "after"), [(384, 768), (384, 384)])
def test_a_sync_gives_an_index_the_vectors_of_the_model_in_use(
    models: Models, before: int, after: int
) -> None:
    models.open(CaseEmbedder("one", before)).rebuild()
    vault = models.open(CaseEmbedder("two", after))

    hits, note = by_meaning(vault, "signs of a storm")
    assert (hits, note) == (
        [],
        f"no vectors of two ({after} dimensions) in the index, which has: one ({before}); "
        "run `vaultmem sync`",
    )
    assert [hit.path for hit in vault.search("barometer").hits] == ["Barometer.md"]

    vault.sync()

    assert by_meaning(vault, "signs of a storm") == (["Barometer.md"], "")
    assert rows(vault, SETS) == [("one", before, 2), ("two", after, 2)]
    names = sorted(name for (name,) in rows(vault, TABLES))
    assert names == sorted({f"notes_vec_{before}", f"notes_vec_{after}"})
    verified(vault)


@pytest.mark.parametrize("write_between", [False, True])
def test_one_model_of_another_dimension_is_told_and_renewed(
    models: Models, write_between: bool
) -> None:
    models.open(CaseEmbedder("one", 384)).rebuild()
    vault = models.open(CaseEmbedder("one", 768))
    if write_between:
        write(vault.root, {"New.md": "A new note.\n"})

    answer = vault.search("barometer")

    assert [hit.path for hit in answer.hits] == ["Barometer.md"]
    assert answer.freshness.note == ""
    assert [lane.note for lane in answer.lanes if lane.lane == Lane.VECTOR] == [
        "no vectors of one (768 dimensions) in the index, which has: one (384); run `vaultmem sync`"
    ]
    assert rows(vault, SETS) == [("one", 384, 2)]

    vault.sync()

    assert by_meaning(vault, "signs of a storm") == (["Barometer.md"], "")
    assert rows(vault, SETS) == [("one", 768, 3 if write_between else 2)]
    verified(vault)


def test_an_answer_never_waits_for_all_notes_to_be_embedded_anew(models: Models) -> None:
    models.open(CaseEmbedder("one", 384)).rebuild()
    embedder = CaseEmbedder("two", 384)
    vault = models.open(embedder)
    write(vault.root, {"New.md": "A new note.\n"})

    assert [hit.path for hit in vault.search("new").hits] == ["New.md"]
    assert embedder.texts == []


def test_a_second_sync_embeds_nothing(models: Models) -> None:
    models.open(CaseEmbedder("one", 384)).rebuild()
    embedder = CaseEmbedder("two", 384)
    vault = models.open(embedder)
    vault.sync()
    embedder.texts.clear()

    vault.sync()

    assert embedder.texts == []


def test_an_index_without_vectors_stays_without(models: Models) -> None:
    models.open(None).rebuild()
    vault = models.open(CaseEmbedder("two", 384))

    vault.sync()

    assert rows(vault, SETS) == []


REJECTED = {
    "Blob.md": "# Blob\n\nWhatever a barometer says.\n\n# More\n\nof it\n",
    **FILES,
}


def warnings(vault: CaseVault, name: str) -> list[tuple[str, str, int | None]]:
    return [(w.code, w.message, w.line) for w in vault.note(name).warnings]


def test_a_rejected_text_costs_its_own_vector_and_is_told(models: Models) -> None:
    write(models.folder / "vault", REJECTED)
    vault = models.open(CaseEmbedder(rejected_notes=frozenset({"Blob"})))
    vault.rebuild()

    assert warnings(vault, "Blob") == [
        (
            NOT_EMBEDDED,
            "2 parts of the text are not searched by meaning: The embedding model rejects this text.",
            0,
        )
    ]
    assert warnings(vault, "Hull") == []
    assert by_meaning(vault, "signs of a storm") == (["Barometer.md"], "")
    assert [hit.path for hit in vault.search("whatever").hits] == ["Blob.md"]
    assert NOT_EMBEDDED in [finding.code for finding in vault.doctor().findings]
    verified(vault)


def test_a_rejected_text_is_not_tried_again_until_it_changes(models: Models) -> None:
    write(models.folder / "vault", REJECTED)
    embedder = CaseEmbedder(rejected_notes=frozenset({"Blob"}))
    vault = models.open(embedder)
    vault.rebuild()
    embedder.texts.clear()

    vault.sync()
    assert embedder.texts == []

    write(vault.root, {"Blob.md": "# Blob\n\nShorter.\n"})
    vault.sync()
    assert embedder.texts == ["Blob\nBlob\n\nShorter."]
    assert len(warnings(vault, "Blob")) == 1
    verified(vault)


def test_a_model_that_takes_the_text_ends_the_warning(models: Models) -> None:
    write(models.folder / "vault", REJECTED)
    models.open(CaseEmbedder("one", 384, rejected_notes=frozenset({"Blob"}))).rebuild()
    vault = models.open(CaseEmbedder("two", 384))

    vault.sync()

    assert warnings(vault, "Blob") == []
    verified(vault)


def test_a_text_too_long_for_the_model_stands_by_its_beginning(models: Models) -> None:
    vault_files = {"Long.md": "The barometer falls before a storm.\n" + "rope " * 900}
    write(models.folder / "vault", vault_files)
    vault = models.open(CaseEmbedder(token_limit=300))
    vault.rebuild()

    assert warnings(vault, "Long") == []
    assert "Long.md" in by_meaning(vault, "the barometer falls before a storm, rope")[0]


def test_a_worker_tells_of_rejected_texts_as_a_build_does(models: Models, tmp_path: Path) -> None:
    write(models.folder / "vault", REJECTED)
    embedder = CaseEmbedder(rejected_notes=frozenset({"Blob"}))
    vault = models.open(embedder)
    vault.rebuild()
    jobs = [Job(0, path, "note", False) for path in sorted(REJECTED)]
    reads = [read_job(vault.root, job) for job in jobs]

    with EmbeddingCache(tmp_path / "worker.db") as cache:
        done = with_vectors(reads, embedder, cache)

    told = {read.path: [tuple(row[1:]) for row in read.rows.warnings] for read in done if read.rows}
    assert told == {path: warnings(vault, path) for path in REJECTED}
    assert [len(read.rows.vectors) for read in done if read.rows] == [1, 2, 1]
