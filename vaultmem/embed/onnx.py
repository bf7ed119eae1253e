"""Sentence models in ONNX form, run by ONNX Runtime.

Every text is run alone, without padding, several at a time on threads of our own. On two idle cores that is faster than
batches (MiniLM, texts of 166 tokens: 51 a second, against 43 in batches of 16 and 33 of 64), and it is exact: the rows of
a batch depend on what else is in it, which would make an index depend on the order in which notes were read.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vaultmem.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy import float32, int64
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["OnnxEmbedder", "OnnxModel", "Pooling", "open_session"]

_CHARACTERS_PER_TOKEN: Final = 24
"""Text past this many characters for each token that counts is not even split."""


class Pooling(StrEnum):
    """How the vectors of the tokens become one."""

    MEAN = "mean"
    CLS = "cls"
    LAST = "last"
    NONE = "none"
    """The model does it itself."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """What has to be known of a model to run it."""

    model: str
    """The stable identity of the vectors."""
    weights: Path
    tokenizer: Path
    dim: int
    noise_floor: float
    token_limit: int
    pooling: Pooling
    output: str = ""
    """The output that is taken; "" for the first."""
    query_prefix: str = ""
    passage_prefix: str = ""
    mend: str = ""
    """What to do when a file is broken."""


class _Running(NamedTuple):
    session: InferenceSession
    tokenizer: Tokenizer
    inputs: frozenset[str]
    outputs: list[str]


class OnnxEmbedder:
    """An :class:`~vaultmem.embed.protocol.Embedder` of a model in ONNX form. Safe to use from several threads.

    The files are read when the first text is embedded, so that holding an embedder costs a command nothing.
    """

    def __init__(self, model: OnnxModel, threads: int) -> None:
        self._model = model
        self._threads = threads
        self._lock = Lock()
        self._loaded: _Running | None = None

    @property
    def model(self) -> str:
        """See :class:`~vaultmem.embed.protocol.Embedder`."""
        return self._model.model

    @property
    def dim(self) -> int:
        """See :class:`~vaultmem.embed.protocol.Embedder`."""
        return self._model.dim

    @property
    def noise_floor(self) -> float:
        """See :class:`~vaultmem.embed.protocol.Embedder`."""
        return self._model.noise_floor

    def embed_documents(self, texts: Sequence[str]) -> NDArray[float32]:
        """Unit rows in the order of ``texts``; a zero row for white space. Only the first ``token_limit`` tokens of
        a text count. Raises EmbedderError when the files cannot be read, or the model gives something that is no
        vector."""
        import numpy as np

        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        if not len(texts):
            return rows
        running = self._running()
        work = partial(self._row, running, self._model.passage_prefix)
        if self._threads == 1 or len(texts) == 1:
            for place, text in enumerate(texts):
                rows[place] = work(text)
            return rows
        pool = ThreadPoolExecutor(self._threads, thread_name_prefix="embed")
        try:
            for place, row in enumerate(pool.map(work, texts)):
                rows[place] = row
        finally:
            pool.shutdown(cancel_futures=True)
        return rows

    def embed_query(self, text: str) -> NDArray[float32]:
        """The unit vector of a question; zero for white space. Raises EmbedderError like ``embed_documents``."""
        return self._row(self._running(), self._model.query_prefix, text)

    def _row(self, running: _Running, prefix: str, text: str) -> NDArray[float32]:
        import numpy as np

        if not text.strip():
            return np.zeros(self.dim, dtype=np.float32)
        cut = (prefix + text)[: self._model.token_limit * _CHARACTERS_PER_TOKEN]
        # Half a surrogate pair, from a file that is not UTF-8, is no text to a tokenizer.
        ids = running.tokenizer.encode(cut.encode(errors="replace").decode()).ids
        return self._pooled(self._run(running, np.array([ids], dtype=np.int64)))

    def _run(self, running: _Running, ids: NDArray[int64]) -> NDArray[float32]:
        import numpy as np

        given: dict[str, NDArray[int64]] = {"input_ids": ids}
        if "attention_mask" in running.inputs:
            given["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in running.inputs:
            given["token_type_ids"] = np.zeros_like(ids)
        try:
            found: Any = running.session.run(running.outputs, given)[0][0]
        except Exception as error:  # the library's errors have no common base of their own
            raise self._broken(f"it fails on a text: {_first_line(error)}") from error
        return np.asarray(found, dtype=np.float32)

    def _pooled(self, found: NDArray[float32]) -> NDArray[float32]:
        """One vector of length 1 from what the model gave for a text without padding; an output of one vector per
        text is pooled already."""
        import numpy as np

        match Pooling.NONE if found.ndim == 1 else self._model.pooling:
            case Pooling.MEAN:
                row = found.mean(axis=0, dtype=np.float32)
            case Pooling.CLS:
                row = found[0]
            case Pooling.LAST:
                row = found[-1]
            case Pooling.NONE:
                row = found
        if row.shape != (self.dim,):
            raise self._broken(f"its vectors have the shape {row.shape}, not ({self.dim},)")
        length = float(np.sqrt(np.einsum("i,i->", row, row)))
        if not np.isfinite(length) or length == 0:
            raise self._broken("its vectors are no numbers")
        unit: NDArray[float32] = row / np.float32(length)
        return unit

    def _running(self) -> _Running:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _Running:
        for path in (self._model.weights, self._model.tokenizer):
            if not path.is_file():
                raise self._broken(f"{path} is missing")
        tokenizer = self._read_tokenizer()
        session = open_session(self._model.weights, self._broken)
        inputs = frozenset(each.name for each in session.get_inputs())
        outputs = [each.name for each in session.get_outputs()]
        wanted = self._model.output or outputs[0]
        if wanted not in outputs or "input_ids" not in inputs:
            raise self._broken(f"{self._model.weights} is not a model of sentences")
        return _Running(session, tokenizer, inputs, [wanted])

    def _read_tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        path = self._model.tokenizer
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise self._broken(f"{path} cannot be read: {_first_line(error)}") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._model.token_limit)
        return tokenizer

    def _broken(self, why: str) -> EmbedderError:
        return EmbedderError(f"The embedding model is broken: {why}.", hint=self._model.mend)


def open_session(weights: Path, broken: Any) -> InferenceSession:
    """The model in memory, one thread to a run. Raises what ``broken`` makes of the reason when it cannot be read,
    and EmbedderError when ONNX Runtime is not there."""
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderError(
            f"Models of this kind need the package onnxruntime, which cannot be used: {error}.",
            hint="Install it with: pip install onnxruntime",
        ) from error
    onnxruntime.set_default_logger_severity(4)  # its warnings go past Python to stderr
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the library's errors have no common base of their own
        raise broken(f"{weights} cannot be read: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")
