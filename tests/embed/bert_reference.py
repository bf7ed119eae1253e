"""BERT's forward pass in numpy, straight from its description: what the ONNX graph has to agree with."""

from __future__ import annotations

from collections.abc import Mapping
from math import erf
from typing import Final

import numpy as np
from numpy.typing import NDArray

Weights = Mapping[str, NDArray[np.float32]]

LAYERS: Final = 2
WIDTH: Final = 64
HEADS: Final = 4
WORDS: Final = 50
PLACES: Final = 24
EPSILON: Final = 1e-12

_erf = np.vectorize(erf, otypes=[np.float64])


def made_up_weights(seed: int = 7) -> dict[str, NDArray[np.float32]]:
    """Weights of a small BERT, of the size that trained ones have, biases and all."""
    rng = np.random.default_rng(seed)

    def some(*shape: int, spread: float = 0.15) -> NDArray[np.float32]:
        return (rng.standard_normal(shape) * spread).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(WORDS, WIDTH),
        "embeddings.position_embeddings.weight": some(PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        sizes = {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (4 * WIDTH, WIDTH),
            "output.dense": (WIDTH, 4 * WIDTH),
        }
        for name, (out, inner) in sizes.items():
            weights[f"{layer}.{name}.weight"] = some(out, inner)
            weights[f"{layer}.{name}.bias"] = some(out)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        weights[f"{name}.weight"] = 1 + some(WIDTH)
        weights[f"{name}.bias"] = some(WIDTH)
    return weights


def sentence_vector(
    weights: Weights, ids: NDArray[np.int64], heads: int, layers: int
) -> NDArray[np.float64]:
    """The mean of the last layer over all tokens, of length 1, in double precision."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}

    def linear(rows: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        turned: NDArray[np.float64] = rows @ w[f"{name}.weight"].T + w[f"{name}.bias"]
        return turned

    def normal(rows: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = rows - rows.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
        scaled: NDArray[np.float64] = centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"]
        return scaled

    def by_head(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows.reshape(len(ids), heads, -1).transpose(1, 0, 2)

    rows = w["embeddings.word_embeddings.weight"][ids]
    rows = rows + w["embeddings.position_embeddings.weight"][: len(ids)]
    rows = normal(rows + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            by_head(linear(rows, f"{layer}.attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        likeness = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        share = np.exp(likeness - likeness.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        answer = (share @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        output = f"{layer}.attention.output"
        rows = normal(linear(answer, f"{output}.dense") + rows, f"{output}.LayerNorm")
        inner = linear(rows, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + _erf(inner / np.sqrt(2)))
        rows = normal(linear(inner, f"{layer}.output.dense") + rows, f"{layer}.output.LayerNorm")
    mean = rows.mean(0)
    unit: NDArray[np.float64] = mean / np.linalg.norm(mean)
    return unit
