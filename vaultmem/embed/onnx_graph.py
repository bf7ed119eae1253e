"""Writing ONNX models: values in, the bytes of a ``ModelProto`` out.

The ``onnx`` package would bring 30 MB for what is a page of Protocol Buffers: a message is a run of fields, each a
tag (number and wire type) and a value. Only what a transformer needs is here; field numbers are those of
``onnx.proto3``, which never change.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CONTRIB", "Graph", "Value"]

CONTRIB: Final = "com.microsoft"
"""The domain of ONNX Runtime's own operators."""

_IR_VERSION: Final = 8
_OPSET: Final = 17
_CONTRIB_OPSET: Final = 1

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED32: Final = 5

_ELEMENTS: Final = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
"""TensorProto.DataType by numpy's name of the type."""

Attribute = int | float | tuple[int, ...]


class Value(NamedTuple):
    """An input or output of a model."""

    name: str
    element: str
    """numpy's name of the type."""
    shape: tuple[str | int, ...]
    """A name stands for a size that differs from run to run."""


@dataclass(slots=True)
class Graph:
    """Nodes and constants in the order in which they were added; ``to_bytes`` makes the model of them."""

    _nodes: list[bytes] = field(default_factory=list)
    _constants: dict[str, bytes] = field(default_factory=dict)

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Adds a constant, unless it is there already, and returns its name."""
        if name not in self._constants:
            self._constants[name] = b"".join(_tensor(name, array))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        output: str | Sequence[str],
        *,
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """Adds a node and returns the name of its first output; "" stands for an optional input that is not given."""
        outputs = [output] if isinstance(output, str) else list(output)
        parts = [_text(1, name) for name in inputs]
        parts += [_text(2, name) for name in outputs]
        parts += [_text(3, outputs[0]), _text(4, operator)]
        parts += [_message(5, _attribute(name, value)) for name, value in attributes.items()]
        if domain:
            parts.append(_text(7, domain))
        self._nodes.append(b"".join(parts))
        return outputs[0]

    def to_bytes(self, name: str, inputs: Sequence[Value], outputs: Sequence[Value]) -> bytes:
        """The file of the model called ``name``."""
        graph = [_message(1, node) for node in self._nodes]
        graph.append(_text(2, name))
        graph += [_message(5, constant) for constant in self._constants.values()]
        graph += [_message(11, _value(value)) for value in inputs]
        graph += [_message(12, _value(value)) for value in outputs]
        model = [
            _integer(1, _IR_VERSION),
            _text(2, "vaultmem"),
            _message(7, b"".join(graph)),
            _message(8, _text(1, "") + _integer(2, _OPSET)),
            _message(8, _text(1, CONTRIB) + _integer(2, _CONTRIB_OPSET)),
        ]
        return b"".join(model)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # two's complement, as int64 is written
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _tag(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _integer(number: int, value: int) -> bytes:
    return _tag(number, _VARINT) + _varint(value)


def _message(number: int, content: bytes) -> bytes:
    return _tag(number, _BYTES) + _varint(len(content)) + content


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode())


def _tensor(name: str, array: NDArray[Any]) -> Iterator[bytes]:
    import numpy as np

    for size in array.shape:
        yield _integer(1, size)
    yield _integer(2, _ELEMENTS[array.dtype.name])
    yield _text(8, name)
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    yield _message(9, little.tobytes())


def _attribute(name: str, value: Attribute) -> bytes:
    head = _text(1, name)
    if isinstance(value, float):
        return head + _tag(2, _FIXED32) + struct.pack("<f", value) + _integer(20, 1)
    if isinstance(value, int):
        return head + _integer(3, value) + _integer(20, 2)
    return head + b"".join(_integer(8, item) for item in value) + _integer(20, 7)


def _value(value: Value) -> bytes:
    dims = [
        _message(1, _text(2, size) if isinstance(size, str) else _integer(1, size))
        for size in value.shape
    ]
    tensor = _integer(1, _ELEMENTS[value.element]) + _message(2, b"".join(dims))
    return _text(1, value.name) + _message(2, _message(1, tensor))
