"""A BERT sentence encoder as an ONNX model: weights as published (``safetensors``) in, a file for ONNX Runtime out.

The graph is the published architecture, with ONNX Runtime's fused operators where they exist (attention, skip
connection with normalisation, GELU with bias). Token types are left out, since a single sentence has but one: its
row is added to the positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vaultmem.embed.onnx_graph import CONTRIB, Graph, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy import float32
    from numpy.typing import NDArray

    Weights = Mapping[str, "NDArray[float32]"]

__all__ = ["TOKEN_VECTORS", "UNIT_VECTOR", "BertShape", "bert_model"]

TOKEN_VECTORS: Final = "last_hidden_state"
"""The first output, a vector per token: what other programs expect of such a file and pool themselves."""

UNIT_VECTOR: Final = "sentence_embedding"
"""The second output, one per text: the mean over its tokens, of length 1."""

_IDS: Final = "input_ids"
_MASK: Final = "attention_mask"


@dataclass(frozen=True, slots=True)
class BertShape:
    """The sizes of a BERT."""

    layers: int
    width: int
    heads: int
    epsilon: float


def bert_model(weights: Weights, shape: BertShape, *, int8: bool = False) -> bytes:
    """The ONNX file of a BERT of those weights, with mean pooling. Raises KeyError when one is missing.

    With ``int8`` the matrices hold whole numbers with a scale for each column, and what is multiplied by them is
    brought to one byte when the model runs: a quarter of the size. That second scale is one for all texts of a batch,
    so such a model is to be given one text at a time.
    """
    return _Encoder(weights, shape, int8).build()


class _Encoder:
    """The graph while it is being made."""

    def __init__(self, weights: Weights, shape: BertShape, int8: bool) -> None:
        self._weights = weights
        self._shape = shape
        self._int8 = int8
        self._graph = Graph()

    def build(self) -> bytes:
        graph = self._graph
        mask = graph.node("Cast", [_MASK], "mask_int", to=6)
        hidden = self._embeddings()
        for layer in range(self._shape.layers):
            hidden = self._layer(hidden, mask, layer)
        graph.node("Identity", [hidden], TOKEN_VECTORS)
        self._pooling(hidden)
        width = self._shape.width
        ids = [Value(name, "int64", ("texts", "tokens")) for name in (_IDS, _MASK)]
        outputs = [
            Value(TOKEN_VECTORS, "float32", ("texts", "tokens", width)),
            Value(UNIT_VECTOR, "float32", ("texts", width)),
        ]
        return graph.to_bytes("bert", ids, outputs)

    def _embeddings(self) -> str:
        import numpy as np

        graph, prefix = self._graph, "embeddings"
        # One token type only, so its vector belongs to every position.
        types = self._weights[f"{prefix}.token_type_embeddings.weight"]
        places = self._weights[f"{prefix}.position_embeddings.weight"] + types[0]
        words = self._words(f"{prefix}.word_embeddings.weight")
        graph.constant("positions", places)
        sizes = graph.node("Shape", [_IDS], "ids_shape")
        one = graph.constant("axis_1", np.array([1], np.int64))
        length = graph.node("Gather", [sizes, one], "length", axis=0)
        zero = graph.constant("axis_0", np.array([0], np.int64))
        cut = graph.node("Slice", ["positions", zero, length, zero], "positions_used")
        summed = graph.node("Add", [words, cut], "embedded")
        return self._normalised(summed, f"{prefix}.LayerNorm")

    def _words(self, name: str) -> str:
        """The vectors of the tokens; kept as bytes with a scale for each, if the model is to be small."""
        import numpy as np

        graph, table = self._graph, self._weights[name]
        if not self._int8:
            return graph.node("Gather", [graph.constant(name, table), _IDS], "words")
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
        whole = np.rint(table / scale).astype(np.int8)
        picked = graph.node("Gather", [graph.constant(name, whole), _IDS], "words_whole")
        scales = graph.constant(f"{name}.scale", scale.astype(np.float32))
        by = graph.node("Gather", [scales, _IDS], "words_scale")
        return graph.node("Mul", [graph.node("Cast", [picked], "words_float", to=1), by], "words")

    def _layer(self, hidden: str, mask: str, number: int) -> str:
        layer = f"encoder.layer.{number}"
        attended = self._attention(hidden, mask, layer)
        hidden = self._joined(attended, hidden, f"{layer}.attention.output")
        inner = self._product(hidden, f"{layer}.intermediate.dense")
        bias = self._constant(f"{layer}.intermediate.dense.bias")
        active = self._graph.node("BiasGelu", [inner, bias], f"{layer}.active", domain=CONTRIB)
        return self._joined(active, hidden, f"{layer}.output")

    def _attention(self, hidden: str, mask: str, layer: str) -> str:
        """The heads' answers side by side. Query, key and value are one matrix, so that it is one product."""
        import numpy as np

        graph, heads = self._graph, f"{layer}.attention.self"
        names = [f"{heads}.{part}" for part in ("query", "key", "value")]
        matrix = np.concatenate([self._weights[f"{name}.weight"].T for name in names], axis=1)
        bias = np.concatenate([self._weights[f"{name}.bias"] for name in names])
        product = self._times(hidden, matrix, f"{heads}.all")
        width = self._shape.width
        sizes = graph.constant("three_widths", np.array([width] * 3, np.int64))
        parts = [f"{heads}.{part}_rows" for part in ("query", "key", "value")]
        graph.node("Split", [product, sizes], parts, axis=2)
        inputs = [*parts, graph.constant(f"{heads}.bias", bias), mask]
        return graph.node(
            "MultiHeadAttention",
            inputs,
            f"{heads}.answer",
            domain=CONTRIB,
            num_heads=self._shape.heads,
        )

    def _joined(self, found: str, hidden: str, block: str) -> str:
        """``found`` through the block's matrix, added to what was there before, normalised."""
        product = self._product(found, f"{block}.dense")
        norm = [self._constant(f"{block}.LayerNorm.{part}") for part in ("weight", "bias")]
        inputs = [product, hidden, *norm, self._constant(f"{block}.dense.bias")]
        return self._graph.node(
            "SkipLayerNormalization",
            inputs,
            f"{block}.normal",
            domain=CONTRIB,
            epsilon=self._shape.epsilon,
        )

    def _normalised(self, rows: str, name: str) -> str:
        norm = [self._constant(f"{name}.{part}") for part in ("weight", "bias")]
        return self._graph.node(
            "LayerNormalization",
            [rows, *norm],
            f"{name}.normal",
            axis=-1,
            epsilon=self._shape.epsilon,
        )

    def _product(self, rows: str, name: str) -> str:
        return self._times(rows, self._weights[f"{name}.weight"].T, name)

    def _times(self, rows: str, matrix: NDArray[float32], name: str) -> str:
        """``rows`` times the matrix, without a bias."""
        import numpy as np

        graph = self._graph
        if not self._int8:
            return graph.node(
                "MatMul", [rows, graph.constant(f"{name}.matrix", matrix)], f"{name}.product"
            )
        # Seven bits: processors without instructions for such products add two of them in 16 bits, which overflow
        # with eight.
        scale = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / 63
        whole = np.rint(matrix / scale).astype(np.int8)
        inputs = [
            rows,
            graph.constant(f"{name}.matrix", whole),
            graph.constant(f"{name}.scale", scale.astype(np.float32)),
            graph.constant(f"{name}.zero", np.zeros(matrix.shape[1], np.int8)),
        ]
        return graph.node("DynamicQuantizeMatMul", inputs, f"{name}.product", domain=CONTRIB)

    def _pooling(self, hidden: str) -> None:
        """The mean over the tokens that the mask names, brought to length 1."""
        import numpy as np

        graph = self._graph
        last = graph.constant("axis_last", np.array([-1], np.int64))
        held = graph.node("Cast", [_MASK], "mask_float", to=1)
        column = graph.node("Unsqueeze", [held, last], "mask_column")
        kept = graph.node("Mul", [hidden, column], "kept")
        one = graph.constant("axis_1", np.array([1], np.int64))
        summed = graph.node("ReduceSum", [kept, one], "summed", keepdims=0)
        # The length is brought to 1 next, so the sum does as well as the mean.
        graph.node("LpNormalization", [summed], UNIT_VECTOR, axis=-1, p=2)

    def _constant(self, name: str) -> str:
        array: NDArray[Any] = self._weights[name]
        return self._graph.constant(name, array)
