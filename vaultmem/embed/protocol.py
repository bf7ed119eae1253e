"""What an embedder is: text in, unit vectors out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32
    from numpy.typing import NDArray

__all__ = ["Embedder"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their likeness.

    Equal text gives bit-equal vectors under one ``model``, whatever else is in the batch and in whichever
    order: an index built in another order must come out the same.
    """

    @property
    def model(self) -> str:
        """The stable identity of weights and text preparation; another identity means other vectors."""

    @property
    def dim(self) -> int:
        """The number of components of every vector."""

    @property
    def noise_floor(self) -> float:
        """The cosine that 99 in 100 pairs of an unrelated question and text stay below, as measured for the
        model on text in its best language: what is not above it is no likeness, whatever else there is."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[float32]:
        """One row per text, in order (n × dim); each of length 1, or all zero for a text without tokens.

        Raises TextRejectedError when the model does not take one of the texts, EmbedderError when it takes none.
        """

    def embed_query(self, text: str) -> NDArray[float32]:
        """The vector (dim,) to compare with document vectors; length 1, or all zero without tokens."""
