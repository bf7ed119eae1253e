"""The default embedder, on the real weights that ship in its wheel."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from vaultmem.embed import static
from vaultmem.embed.protocol import Embedder
from vaultmem.embed.static import DIM, TOKEN_LIMIT, StaticEmbedder
from vaultmem.errors import EmbedderError

EMBEDDER = StaticEmbedder.load()
WHEEL = Path(next(iter(find_spec("wordllama").submodule_search_locations or ())))  # type: ignore[union-attr]
WEIGHTS = WHEEL / "weights" / "l2_supercat_256.safetensors"
TOKENIZER = WHEEL / "tokenizers" / "l2_supercat_tokenizer_config.json"

PIPELINE = Tokenizer.from_file(str(TOKENIZER))
PIPELINE.encode_special_tokens = True

TEXTS = st.text(max_size=200) | st.lists(
    st.sampled_from(
        ["tide", "gauge", "潮", "間帯", "갯벌", "abc", "\n", "  ", "\u3000", "<s>", "🦭", "x" * 40]
    )
).map("".join)


def test_it_is_an_embedder_with_a_versioned_identity() -> None:
    assert isinstance(EMBEDDER, Embedder)
    assert (EMBEDDER.model, EMBEDDER.dim) == ("wordllama-l2-supercat-256/1", 256)


@given(st.lists(TEXTS, max_size=8))
@settings(max_examples=60, deadline=None)
def test_every_row_has_length_one_unless_the_text_is_white_space(texts: list[str]) -> None:
    rows = EMBEDDER.embed_documents(texts)

    assert rows.shape == (len(texts), DIM)
    assert rows.dtype == np.float32
    expected = [1.0 if text.strip() else 0.0 for text in texts]
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), expected, atol=1e-5)


@given(st.lists(TEXTS, min_size=1, max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_vector_does_not_depend_on_its_neighbours_to_the_last_bit(
    texts: list[str], shuffler: object
) -> None:
    order = list(range(len(texts)))
    shuffler.shuffle(order)  # type: ignore[attr-defined]

    together = EMBEDDER.embed_documents(texts)
    shuffled = EMBEDDER.embed_documents([texts[i] for i in order])
    alone = np.stack([EMBEDDER.embed_query(text) for text in texts])
    elsewhere = StaticEmbedder(WEIGHTS, TOKENIZER).embed_documents(texts[:1])

    assert together[order].tobytes() == shuffled.tobytes()
    assert together.tobytes() == alone.tobytes()
    assert together[:1].tobytes() == elsewhere.tobytes()


def test_more_texts_than_one_batch_keep_their_order() -> None:
    texts = [f"reading {number} of the gauge" for number in range(1_100)]

    rows = EMBEDDER.embed_documents(texts)

    for number in (0, 511, 512, 1_023, 1_024, 1_099):
        assert rows[number].tobytes() == EMBEDDER.embed_query(texts[number]).tobytes()


def test_no_texts_give_no_rows() -> None:
    assert EMBEDDER.embed_documents([]).shape == (0, DIM)


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u3000\u00a0"])
def test_white_space_gives_the_zero_vector(text: str) -> None:
    assert not EMBEDDER.embed_query(text).any()


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("boat", "The ship left the harbour at dawn.", "Add two spoons of sugar and stir."),
        (
            "How do I cook rice?",
            "Boil the rice for twelve minutes.",
            "The mast was struck by lightning.",
        ),
        ("潮汐", "今天的潮汐很高。", "请把文件放进抽屉。"),
        ("바다", "바다 소리를 녹음했다.", "회의는 세 시에 시작한다."),
    ],
)
def test_likeness_is_higher_for_what_is_alike(query: str, near: str, far: str) -> None:
    close, distant = EMBEDDER.embed_documents([near, far]) @ EMBEDDER.embed_query(query)

    assert close > distant


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("storm petrel\nlistening", "storm petrel listening"),
        ("  - storm\t petrel\r\n", "- storm petrel"),
        ("a\u00a0b", "a b"),
        ("潮間 帯", "潮間帯"),
        ("潮間帯tide pool", "潮間帯 tide pool"),
    ],
)
def test_how_a_text_is_broken_into_lines_does_not_matter(one: str, same: str) -> None:
    assert EMBEDDER.embed_query(one).tobytes() == EMBEDDER.embed_query(same).tobytes()


def test_text_that_looks_like_a_control_token_is_text() -> None:
    control = PIPELINE.token_to_id("<s>")

    (tokens,) = EMBEDDER._tokens(["<s>struck out</s>"])

    assert control not in tokens


@pytest.mark.parametrize(
    "text",
    [
        "tide gauge",
        "The buoy, re-moored (twice!), drifts.",
        "naïve café Ünder",
        "x" * 90,
        "🦭 seal",
    ],
)
def test_the_vector_is_the_mean_that_the_weights_prescribe(text: str) -> None:
    """The definition, written out with the whole pipeline of the tokenizer and in double precision."""
    from safetensors.numpy import load_file

    table = load_file(WEIGHTS)["embedding.weight"].astype(np.float64)
    ids = PIPELINE.encode(text, add_special_tokens=False).ids
    mean = table[ids].mean(axis=0)

    np.testing.assert_allclose(EMBEDDER.embed_query(text), mean / np.linalg.norm(mean), atol=1e-6)


@given(st.text(st.characters(codec="utf-8"), max_size=60) | TEXTS)
@settings(max_examples=200, deadline=None)
def test_encoding_word_by_word_is_encoding_the_text_with_single_spaces(text: str) -> None:
    """The tokenizer's own pipeline, run over the words joined by spaces, gives the same tokens."""
    words = static._split(text)
    spaced = "".join(word if static._HAS_ALONE.match(word) else " " + word for word in words)
    expected = PIPELINE.encode(spaced.removeprefix(" "), add_special_tokens=False).ids
    if words and static._HAS_ALONE.match(words[0]):
        expected = expected[1:]  # the pipeline puts the mark of a word's beginning first

    (tokens,) = EMBEDDER._tokens([text])

    assert tokens.tolist() == expected


def test_no_entry_of_the_vocabulary_spans_a_cut_between_words() -> None:
    """Why words can be encoded one by one: merging could never have joined what the cuts separate."""
    byte_entry = re.compile("^<0x..>$")
    entries = [entry for entry in PIPELINE.get_vocab() if not byte_entry.match(entry)]

    assert len(entries) == 32_000 - 256
    assert [entry for entry in entries if re.search("[^\u2581]\u2581", entry)] == []
    assert [entry for entry in entries if len(entry) > 1 and static._HAS_ALONE.search(entry)] == []
    assert max(map(len, entries)) <= static._LONGEST_TOKEN


def test_only_the_first_tokens_of_a_long_text_count() -> None:
    start = "tide " * TOKEN_LIMIT

    long = EMBEDDER.embed_query(start + "petrel " * 50_000)

    assert long.tobytes() == EMBEDDER.embed_query(start).tobytes()


def test_words_past_the_memory_limit_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "_REMEMBERED_WORDS", 2)
    forgetful = StaticEmbedder.load()
    texts = ["one two three", "four " + "long" * 20, "one two three", "five"]

    rows = np.stack([forgetful.embed_query(text) for text in texts])

    assert rows.tobytes() == EMBEDDER.embed_documents(texts).tobytes()
    assert len(forgetful._words) <= 4


def test_half_a_surrogate_pair_is_read_as_a_replacement_mark() -> None:
    assert EMBEDDER.embed_query("tide \udcff").tobytes() == EMBEDDER.embed_query("tide ?").tobytes()


def test_holding_an_embedder_reads_nothing_and_imports_nothing_heavy() -> None:
    program = (
        "import sys; from vaultmem.embed.registry import load_embedder; load_embedder('static');"
        "print(sorted({'numpy', 'tokenizers', 'safetensors', 'wordllama'} & sys.modules.keys()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


class TestBrokenFiles:
    """Given damaged or missing model files, the error names the file and the remedy."""

    def test_damaged_weights(self, tmp_path: Path) -> None:
        weights = tmp_path / "weights.safetensors"
        weights.write_bytes(b"not weights")

        with pytest.raises(EmbedderError, match=r"weights\.safetensors") as caught:
            StaticEmbedder(weights, TOKENIZER).embed_query("tide")

        assert "pip install" in caught.value.hint

    def test_missing_weights(self, tmp_path: Path) -> None:
        with pytest.raises(EmbedderError, match=r"absent\.safetensors"):
            StaticEmbedder(tmp_path / "absent.safetensors", TOKENIZER).embed_documents(["tide"])

    def test_weights_of_another_shape(self, tmp_path: Path) -> None:
        from safetensors.numpy import save_file

        weights = tmp_path / "small.safetensors"
        save_file({"embedding.weight": np.zeros((4, 8), np.float16)}, weights)

        with pytest.raises(EmbedderError, match=r"shape \(4, 8\)"):
            StaticEmbedder(weights, TOKENIZER).embed_query("tide")

    def test_weights_under_another_name(self, tmp_path: Path) -> None:
        from safetensors.numpy import save_file

        weights = tmp_path / "other.safetensors"
        save_file({"something": np.zeros((4, DIM), np.float16)}, weights)

        with pytest.raises(EmbedderError, match=r"other\.safetensors"):
            StaticEmbedder(weights, TOKENIZER).embed_query("tide")

    def test_damaged_tokenizer(self, tmp_path: Path) -> None:
        tokenizer = tmp_path / "tokenizer.json"
        tokenizer.write_text("{}", encoding="utf-8")

        with pytest.raises(EmbedderError, match=r"tokenizer\.json"):
            StaticEmbedder(WEIGHTS, tokenizer).embed_query("tide")

    def test_the_package_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(static, "find_spec", lambda name: None)

        with pytest.raises(EmbedderError, match="wordllama is not installed"):
            StaticEmbedder.load()

    def test_the_package_lacks_its_weights(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "wordllama").mkdir()
        (tmp_path / "wordllama" / "__init__.py").touch()
        monkeypatch.setattr(sys, "path", [str(tmp_path)])

        with pytest.raises(EmbedderError, match="is missing"):
            StaticEmbedder.load()
