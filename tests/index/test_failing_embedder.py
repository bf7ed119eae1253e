"""An embedder that is there but fails costs vectors, which are owed and told, never a word (P8)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import VaultOf
from tests.field_reports.embedders import CaseEmbedder
from tests.field_reports.world import CaseVault
from tests.vaults import found, rows, verified, write
from vaultmem.errors import EmbedderError
from vaultmem.search.model import Lane
from vaultmem.settings import Settings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

FAILS = "The model's server does not answer."
OWED = f"Some notes are not searched by meaning yet. {FAILS}"
COUNT = "SELECT count(*) FROM notes_vec_map"
MANY = {f"{i % 7}/n{i}.md": f"# Note {i}\n\nTide {i}.\n" for i in range(410)}
"""Enough files for a worker process."""


class Unsteady(CaseEmbedder):
    """Works for so many texts, then no longer."""

    left = 0

    def embed_documents(self, texts: Sequence[str]) -> NDArray[float32]:
        self.left -= len(texts)
        if self.left < 0:
            raise EmbedderError(FAILS)
        return super().embed_documents(texts)


@pytest.fixture
def embedder() -> Unsteady:
    return Unsteady()


@pytest.fixture
def vault(tmp_path: Path, embedder: Unsteady) -> Iterator[CaseVault]:
    write(tmp_path / "vault", {"a.md": "zebra"})
    with CaseVault(tmp_path / "vault", tmp_path / "cache", embedder) as vault:
        yield vault


def test_the_first_answer_comes_from_words(vault: CaseVault) -> None:
    answer = vault.search("zebra")

    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert answer.freshness.note == f"The index was missing; it was built anew. {OWED}"
    [lane] = [lane for lane in answer.lanes if lane.lane == Lane.VECTOR]
    assert lane.note == "blocks without a vector: 1; run `vaultmem sync`"


def test_an_edit_is_found_by_its_words(vault: CaseVault, embedder: Unsteady) -> None:
    embedder.left = 1
    vault.rebuild()
    write(vault.root, {"new.md": "quagga"})

    answer = vault.search("quagga")

    assert [hit.path for hit in answer.hits] == ["new.md"]
    assert (answer.freshness.applied, answer.freshness.pending) == (1, 0)
    assert answer.freshness.note == OWED
    assert rows(vault, COUNT) == [(1,)]


def test_what_is_owed_is_made_up_for(vault: CaseVault, embedder: Unsteady) -> None:
    assert vault.sync().note.endswith(OWED)
    assert (vault.sync().note, vault.sync().rebuilt) == (OWED, False)

    embedder.left = 9

    assert vault.sync().note == ""
    assert rows(vault, COUNT) == [(1,)]
    verified(vault)


def test_another_model_that_fails_leaves_the_vectors_of_the_one_before(tmp_path: Path) -> None:
    write(tmp_path / "vault", {"a.md": "zebra"})
    with CaseVault(tmp_path / "vault", tmp_path / "cache", CaseEmbedder("one", 8)) as vault:
        vault.rebuild()
    with CaseVault(tmp_path / "vault", tmp_path / "cache", Unsteady("two", 16)) as vault:
        assert vault.sync().note == OWED
    with CaseVault(tmp_path / "vault", tmp_path / "cache", CaseEmbedder("one", 8)) as vault:
        [lane] = vault.search("zebra", lanes=[Lane.VECTOR]).lanes
        assert (lane.ran, lane.note) == (True, "")
        verified(vault)


def test_a_rebuild_that_is_asked_for_fails_and_says_why(vault: CaseVault) -> None:
    vault.rebuild(vectors=False)

    with pytest.raises(EmbedderError, match=FAILS):
        vault.rebuild()

    assert found(vault, "zebra") == ["a.md"]


@pytest.fixture
def broken_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped model with a file of weights that was cut short."""
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations
    shipped = Path(next(iter(spec.submodule_search_locations)))
    package = tmp_path / "packages/wordllama"
    weights = "weights/l2_supercat_256.safetensors"
    write(package, {"__init__.py": "", weights: (shipped / weights).read_bytes()[:1000]})
    shutil.copytree(shipped / "tokenizers", package / "tokenizers")
    monkeypatch.syspath_prepend(str(package.parent))


@pytest.mark.usefixtures("broken_model")
def test_workers_go_on_without_their_embedder(
    vault_of: VaultOf, capfd: pytest.CaptureFixture[str]
) -> None:
    vault = vault_of(MANY, settings=Settings(), cores=2)

    answer = vault.search("tide", limit=1000)

    assert len(answer.hits) == len(MANY)
    assert "it was built anew. Some notes are not searched by meaning yet." in answer.freshness.note
    assert "weights cannot be read" in answer.freshness.note
    [lane] = [lane for lane in answer.lanes if lane.lane == Lane.VECTOR]
    assert (lane.ran, "weights cannot be read" in lane.note) == (False, True)
    assert capfd.readouterr().err == ""
