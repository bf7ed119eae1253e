"""The ONNX graph of a BERT: it gives the vectors that the architecture describes."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.embed.bert_reference import (
    EPSILON,
    HEADS,
    LAYERS,
    PLACES,
    WIDTH,
    WORDS,
    made_up_weights,
    sentence_vector,
)
from vaultmem.embed.bert import TOKEN_VECTORS, UNIT_VECTOR, BertShape, bert_model

WEIGHTS = made_up_weights()
SHAPE = BertShape(LAYERS, WIDTH, HEADS, EPSILON)
IDS = st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=PLACES)


def session(content: bytes) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])


EXACT = session(bert_model(WEIGHTS, SHAPE))
SMALL = session(bert_model(WEIGHTS, SHAPE, int8=True))


def run(
    model: onnxruntime.InferenceSession, ids: list[list[int]], output: str = UNIT_VECTOR
) -> NDArray[np.float32]:
    longest = max(map(len, ids))
    padded = np.array([row + [0] * (longest - len(row)) for row in ids], np.int64)
    mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in ids], np.int64)
    found: NDArray[np.float32] = model.run([output], {"input_ids": padded, "attention_mask": mask})[
        0
    ]
    return found


def cosine(model: onnxruntime.InferenceSession, ids: list[int]) -> float:
    wanted = sentence_vector(WEIGHTS, np.array(ids), HEADS, LAYERS)
    return float(run(model, [ids])[0].astype(np.float64) @ wanted)


@given(IDS)
@settings(max_examples=40, deadline=None)
def test_vectors_are_those_of_the_architecture(ids: list[int]) -> None:
    assert cosine(EXACT, ids) > 0.999999


@given(IDS)
@settings(max_examples=40, deadline=None)
def test_the_small_form_is_near(ids: list[int]) -> None:
    assert cosine(SMALL, ids) > 0.97


def test_the_small_form_is_small() -> None:
    assert len(bert_model(WEIGHTS, SHAPE, int8=True)) < 0.36 * len(bert_model(WEIGHTS, SHAPE))


def test_padding_and_neighbours_change_nothing_that_matters() -> None:
    texts = [[1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11], [12]]

    together = run(EXACT, texts)

    for row, text in zip(together, texts, strict=True):
        assert float(row @ run(EXACT, [text])[0]) > 0.99999


def test_other_programs_find_a_vector_per_token_in_the_first_output() -> None:
    assert [output.name for output in EXACT.get_outputs()] == [TOKEN_VECTORS, UNIT_VECTOR]

    tokens = run(EXACT, [[3, 1, 4, 1, 5]], TOKEN_VECTORS)

    assert tokens.shape == (1, 5, WIDTH)
    pooled = tokens[0].mean(0)
    np.testing.assert_allclose(
        pooled / np.linalg.norm(pooled), run(EXACT, [[3, 1, 4, 1, 5]])[0], atol=1e-6
    )


def test_a_weight_that_is_missing_is_named() -> None:
    lacking = {name: array for name, array in WEIGHTS.items() if "layer.1.output" not in name}

    with pytest.raises(KeyError, match=r"encoder\.layer\.1\.output\.dense\.weight"):
        bert_model(lacking, SHAPE)
