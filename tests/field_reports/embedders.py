"""Embedders for cases: the shipped one, counted; one of any name and dimension; one that rejects texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from zlib import crc32

from vaultmem.embed.static import StaticEmbedder
from vaultmem.errors import TextRejectedError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_LIMIT: Final = re.compile(r"rejects inputs above ([\d,]+) tokens")
_ALWAYS: Final = re.compile(r"rejects (\S+?\.md) always")
_TOKEN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]|\w{1,4}|[^\w\s]")
"""A piece of text that a word-piece tokenizer would make about one token of."""


@dataclass(slots=True)
class CaseEmbedder:
    """The shipped embedder under another name, turned into another dimension without changing any likeness.

    It counts the texts that it is given, and can reject some as models with a limit do.
    """

    name: str = ""
    """"" for the shipped embedder's own."""
    size: int = 0
    """0 for the shipped embedder's own dimension."""
    token_limit: int = 0
    rejected_notes: frozenset[str] = frozenset()
    texts: list[str] = field(default_factory=list)
    """Every text that was handed over to be embedded as a document, in order."""
    _shipped: StaticEmbedder = field(default_factory=StaticEmbedder.load)

    @property
    def model(self) -> str:
        return self.name or self._shipped.model

    @property
    def dim(self) -> int:
        return self.size or self._shipped.dim

    @property
    def noise_floor(self) -> float:
        return self._shipped.noise_floor

    def embed_documents(self, texts: Sequence[str]) -> NDArray[float32]:
        self.texts += texts
        for text in texts:
            self._refuse(text)
        return self._turned(self._shipped.embed_documents(texts))

    def embed_query(self, text: str) -> NDArray[float32]:
        row: NDArray[float32] = self._turned(self._shipped.embed_query(text).reshape(1, -1))[0]
        return row

    def _refuse(self, text: str) -> None:
        title = text.partition("\n")[0].partition(" > ")[0]
        if title in self.rejected_notes:
            raise TextRejectedError("The embedding model rejects this text.")
        if self.token_limit and len(_TOKEN.findall(text)) > self.token_limit:
            raise TextRejectedError(f"The text has more than {self.token_limit} tokens.")

    def _turned(self, rows: NDArray[float32]) -> NDArray[float32]:
        """The rows in this embedder's space: a fixed rotation by name, which keeps every cosine."""
        if not (self.name or self.size):
            return rows
        import numpy as np

        seed = np.random.default_rng(crc32(self.name.encode()))
        square = seed.standard_normal((max(self.dim, rows.shape[1]),) * 2)
        turn = np.linalg.qr(square)[0][: rows.shape[1], : self.dim]
        # One at a time, so that no bit of a vector depends on what else is in the batch.
        turned = np.array([row @ turn.astype(np.float32) for row in rows]).reshape(-1, self.dim)
        lengths = np.linalg.norm(turned, axis=1, keepdims=True)
        unit: NDArray[float32] = np.divide(
            turned, lengths, out=np.zeros_like(turned), where=lengths > 0
        )
        return unit


def described(words: str) -> CaseEmbedder | None:
    """The embedder that a case describes in words; None when they say nothing that is known."""
    limit, always = _LIMIT.search(words), _ALWAYS.findall(words)
    if not (limit or always):
        return None
    return CaseEmbedder(
        token_limit=int(limit[1].replace(",", "")) if limit else 0,
        rejected_notes=frozenset(PurePosixPath(path).stem for path in always),
    )
