"""A model in a folder (``path:/…``), run by ONNX Runtime: exact, bounded, and clear about what is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.embed.bert_reference import HEADS, LAYERS, WIDTH, made_up_weights, sentence_vector
from tests.embed.small_model import WORDS, small_model
from vaultmem.embed.onnx import OnnxEmbedder
from vaultmem.embed.onnx_graph import Graph, Value
from vaultmem.embed.options import EmbedOptions
from vaultmem.embed.protocol import Embedder
from vaultmem.embed.registry import load_embedder
from vaultmem.errors import EmbedderError

TEXTS = ["tide gauge", "storm petrel storm", "rope", "", "knot and what nobody knows", " \n"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_model(tmp_path / "small")


def load(folder: Path, models: Path | None = None, threads: int = 2) -> Embedder:
    embedder = load_embedder(
        f"path:{folder}", EmbedOptions(models or folder.parent / "models", threads)
    )
    assert isinstance(embedder, OnnxEmbedder)
    return embedder


def expected(texts: Sequence[str], limit: int = 16) -> np.ndarray:
    weights, rows = made_up_weights(), []
    for text in texts:
        words = text.lower().split()[: limit - 2]
        ids = [2, *(WORDS.index(word) if word in WORDS else 1 for word in words), 3]
        found = sentence_vector(weights, np.array(ids), HEADS, LAYERS)
        rows.append(found if text.strip() else np.zeros(WIDTH))
    return np.array(rows)


def test_texts_become_the_models_unit_vectors(folder: Path) -> None:
    embedder = load(folder)

    rows = embedder.embed_documents(TEXTS)

    assert (embedder.dim, rows.dtype.name) == (WIDTH, "float32")
    np.testing.assert_allclose(rows, expected(TEXTS), atol=2e-6)


def test_a_vector_does_not_depend_on_neighbours_order_or_threads_to_the_last_bit(
    folder: Path,
) -> None:
    together = load(folder, threads=4).embed_documents(TEXTS)
    backwards = load(folder, threads=1).embed_documents(TEXTS[::-1])[::-1]
    alone = np.array([load(folder).embed_query(text) for text in TEXTS])

    assert together.tobytes() == backwards.tobytes() == alone.tobytes()


def test_only_so_many_tokens_count_as_the_model_takes(folder: Path) -> None:
    embedder = load(folder)

    short, long = embedder.embed_documents(["rope " * 14, "rope " * 14 + "storm " * 100_000])

    assert short.tobytes() == long.tobytes()


def test_half_a_surrogate_pair_is_no_error(folder: Path) -> None:
    assert np.linalg.norm(load(folder).embed_query("tide \udcff")) == pytest.approx(1)


def test_files_beside_the_model_say_how_it_is_used(folder: Path) -> None:
    plain = load(folder)
    (folder / "vaultmem.json").write_text(
        json.dumps({"query_prefix": "storm ", "passage_prefix": "rope ", "token_limit": 4})
    )

    embedder = load(folder)

    np.testing.assert_allclose(
        embedder.embed_documents(["tide"]), expected(["rope tide"]), atol=2e-6
    )
    np.testing.assert_allclose(
        embedder.embed_query("tide gauge"), expected(["storm tide gauge"], 4)[0], atol=2e-6
    )
    assert embedder.model != plain.model


def test_the_identity_is_that_of_the_files_wherever_they_lie(folder: Path, tmp_path: Path) -> None:
    elsewhere = small_model(tmp_path / "elsewhere" / "small")
    other = small_model(tmp_path / "other", seed=8)

    assert load(folder).model == load(elsewhere).model
    assert load(folder).model != load(other).model


def test_what_was_found_out_is_kept_and_a_changed_file_found_out_anew(
    folder: Path, tmp_path: Path
) -> None:
    first = load(folder)
    [kept] = (tmp_path / "models" / "facts").iterdir()
    before = kept.read_bytes()

    assert (load(folder).model, load(folder).noise_floor) == (first.model, first.noise_floor)
    assert kept.read_bytes() == before

    small_model(folder, seed=9)
    assert load(folder).model != first.model


def test_the_noise_is_measured(folder: Path) -> None:
    assert 0 < load(folder).noise_floor <= 1


def test_models_that_cannot_be_kept_in_mind_still_embed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert load(folder, models=tmp_path / "file").embed_query("tide").any()


class TestBrokenModels:
    """Given such a folder, the error names the file and what to do."""

    def error(self, folder: Path) -> str:
        with pytest.raises(EmbedderError) as caught:
            load(folder).embed_documents(["tide", "rope"])
        return str(caught.value)

    def test_no_folder(self, tmp_path: Path) -> None:
        place = tmp_path / "gone"
        assert self.error(place) == f"There is no folder {place}. embed.model names it."

    def test_a_relative_path(self) -> None:
        assert "has to be named from the root" in self.error(Path("models/small"))

    def test_no_model(self, tmp_path: Path) -> None:
        assert f"{tmp_path} holds no files *.onnx." in self.error(tmp_path)

    def test_no_tokenizer(self, folder: Path) -> None:
        (folder / "tokenizer.json").unlink()
        assert f"{folder / 'tokenizer.json'} is missing." in self.error(folder)

    @pytest.mark.parametrize("content", [b"", b"no model", b"\x08\x08\x12\x08"])
    def test_a_corrupt_model(self, folder: Path, content: bytes) -> None:
        (folder / "model.onnx").write_bytes(content)
        assert "The model is broken:" in self.error(folder)

    def test_a_model_cut_short(self, folder: Path) -> None:
        whole = (folder / "model.onnx").read_bytes()
        (folder / "model.onnx").write_bytes(whole[: len(whole) // 2])
        assert "cannot be read" in self.error(folder)

    def test_a_corrupt_tokenizer(self, folder: Path) -> None:
        (folder / "tokenizer.json").write_text("{")
        assert "tokenizer.json cannot be read" in self.error(folder)

    def test_a_model_that_goes_after_it_was_loaded(self, folder: Path) -> None:
        embedder = load(folder)
        (folder / "model.onnx").unlink()

        with pytest.raises(EmbedderError, match=r"model\.onnx is missing"):
            embedder.embed_query("tide")

    def test_a_model_of_no_numbers(self, folder: Path) -> None:
        (folder / "model.onnx").write_bytes(constant_model(np.nan))
        assert "its vectors are no numbers" in self.error(folder)

    def test_a_model_of_zeros(self, folder: Path) -> None:
        (folder / "model.onnx").write_bytes(constant_model(0.0))
        assert "its vectors are no numbers" in self.error(folder)

    def test_a_model_of_something_else(self, folder: Path) -> None:
        (folder / "model.onnx").write_bytes(constant_model(1.0, named="pixels"))
        assert "is not a model of sentences" in self.error(folder)


def constant_model(value: float, named: str = "input_ids") -> bytes:
    """A model that gives every text the same numbers."""
    graph = Graph()
    graph.constant("row", np.full((1, 3), value, np.float32))
    given = graph.node("Cast", [named], "given", to=1)
    zero = graph.constant("axes", np.array([1], np.int64))
    size = graph.node("ReduceSum", [given, zero], "size", keepdims=1)
    one = graph.node("Div", [size, size], "one")
    graph.node("Mul", [one, "row"], "out")
    return graph.to_bytes(
        "constant",
        [Value(named, "int64", ("texts", "tokens"))],
        [Value("out", "float32", ("texts", 3))],
    )
