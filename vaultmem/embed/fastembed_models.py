"""Models that fastembed knows by name; it fetches them from the model hub and knows how each is to be run.

fastembed takes over half a second to import, so that happens when the first text is embedded. Texts are given to it
one at a time, for the reason that :mod:`vaultmem.embed.onnx` tells.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from vaultmem.embed.facts import ModelFacts, drop_facts, read_facts, write_facts
from vaultmem.embed.noise import measured_noise
from vaultmem.embed.prefixes import prefixes_of
from vaultmem.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastembed import TextEmbedding
    from numpy import float32
    from numpy.typing import NDArray

    from vaultmem.embed.options import EmbedOptions

__all__ = [
    "FOLDER",
    "FastembedEmbedder",
    "fastembed_model",
    "fetch",
    "is_fetched",
    "known_models",
    "unfetch",
]

FOLDER: Final = "fastembed"
_VERSION: Final = 1
"""Rises when the text preparation changes."""

_INSTALL: Final = "Install it with: pip install fastembed"


class FastembedEmbedder:
    """An :class:`~vaultmem.embed.protocol.Embedder` of a model that fastembed runs. Safe to use from several
    threads."""

    def __init__(self, name: str, facts: ModelFacts, load: Callable[[], TextEmbedding]) -> None:
        self._facts = facts
        self._prefixes = prefixes_of(name)
        self._name = name
        self._load = load
        self._lock = Lock()
        self._loaded: TextEmbedding | None = None

    @property
    def model(self) -> str:
        """See :class:`~vaultmem.embed.protocol.Embedder`."""
        return self._facts.identity

    @property
    def dim(self) -> int:
        """See :class:`~vaultmem.embed.protocol.Embedder`."""
        return self._facts.dim

    @property
    def noise_floor(self) -> float:
        """See :class:`~vaultmem.embed.protocol.Embedder`."""
        return self._facts.noise_floor

    def embed_documents(self, texts: Sequence[str]) -> NDArray[float32]:
        """Unit rows in the order of ``texts``; a zero row for white space. Raises EmbedderError."""
        import numpy as np

        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text.strip()]
        if places:
            given = [_whole(self._prefixes.passage + texts[place]) for place in places]
            model = self._running()
            rows[places] = self._vectors(lambda: list(model.passage_embed(given, batch_size=1)))
        return rows

    def embed_query(self, text: str) -> NDArray[float32]:
        """The unit vector of a question; zero for white space. Raises EmbedderError."""
        import numpy as np

        if not text.strip():
            return np.zeros(self.dim, dtype=np.float32)
        model = self._running()
        given = _whole(self._prefixes.query + text)
        row: NDArray[float32] = self._vectors(lambda: list(model.query_embed([given])))[0]
        return row

    def _vectors(self, work: Callable[[], list[Any]]) -> NDArray[float32]:
        import numpy as np

        try:
            rows = np.array(work(), dtype=np.float32)
        except Exception as error:  # from three libraries without a common base
            raise EmbedderError(f"The model {self._name} fails: {_line(error)}.") from error
        if rows.ndim != 2 or rows.shape[1] != self.dim or not np.isfinite(rows).all():
            raise EmbedderError(f"The model {self._name} gives no vectors of {self.dim} numbers.")
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0] = 1
        unit: NDArray[float32] = rows / lengths[:, np.newaxis]
        return unit

    def _running(self) -> TextEmbedding:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded


def known_models() -> list[tuple[str, int, float, str]]:
    """(name, dimensions, gigabytes, licence) of each model that fastembed knows, by size. Raises EmbedderError."""
    models = _library().list_supported_models()
    rows = [
        (str(m["model"]), int(m["dim"]), float(m["size_in_GB"]), str(m["license"])) for m in models
    ]
    return sorted(rows, key=lambda row: (row[2], row[0]))


def fetch(name: str, options: EmbedOptions) -> str:
    """Downloads the model, unless it is there, and finds out about it; returns its name as fastembed writes it. Raises EmbedderError: for a name that fastembed
    does not know, and when the download fails."""
    name = _known(name)
    model = _load(name, options, offline=True) or _download(name, options)
    dim = int(model.embedding_size)
    bare = ModelFacts(_seal(name), f"fastembed/{name}/{_VERSION}", dim, 0.0)
    noise = measured_noise(FastembedEmbedder(name, bare, lambda: model))
    write_facts(options.folder, name, ModelFacts(bare.seal, bare.identity, dim, noise))
    return name


def fastembed_model(name: str, options: EmbedOptions) -> FastembedEmbedder:
    """The embedder of a model that was fetched. Raises EmbedderError when it was not."""
    missing = EmbedderError(
        f"The embedding model {name} is not on this machine.",
        hint=f"Fetch it with: vaultmem embedder use {name}",
    )
    facts = read_facts(options.folder, name, _seal(name))
    if facts is None:
        raise missing

    def load() -> TextEmbedding:
        model = _load(name, options, offline=True)
        if model is None:
            raise missing
        return model

    return FastembedEmbedder(name, facts, load)


def _seal(name: str) -> str:
    return f"{name}/{_VERSION}"


def _library() -> type[TextEmbedding]:
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise EmbedderError(
            f"Models by name need the package fastembed, which cannot be used: {error}.",
            hint=_INSTALL,
        ) from error
    return TextEmbedding


def _known(name: str) -> str:
    """The name as fastembed writes it. Raises EmbedderError with the nearest ones."""
    from difflib import get_close_matches

    names = {known.lower(): known for known, *_ in known_models()}
    if found := names.get(name.lower()):
        return found
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.4)
    raise EmbedderError(
        f"fastembed knows no model called {name!r}.",
        hint=f"Near to it: {', '.join(names[each] for each in near)}."
        if near
        else "See: vaultmem embedder list --all",
    )


def _load(name: str, options: EmbedOptions, *, offline: bool) -> TextEmbedding | None:
    """The model, from what lies on this machine if ``offline``; None then if it does not lie there whole."""
    library = _library()
    folder = options.folder / FOLDER
    # Otherwise a model that is there would still be asked for.
    before = os.environ.get("HF_HUB_DISABLE_PROGRESS_BARS")
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    try:
        with _silence():
            return library(
                name,
                cache_dir=str(folder),
                threads=options.thread_count,
                local_files_only=offline,
            )
    except Exception:  # whatever is wrong, it is not there whole
        if offline:
            return None
        raise
    finally:
        if before is None:
            os.environ.pop("HF_HUB_DISABLE_PROGRESS_BARS", None)
        else:
            os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = before


def _silence() -> Any:
    """fastembed's own log goes to stderr, where our errors are to stand alone."""
    if log := getattr(sys.modules.get("loguru"), "logger", None):
        log.disable("fastembed")
    from warnings import catch_warnings, simplefilter

    caught = catch_warnings()
    simplefilter("ignore")
    return caught


def _download(name: str, options: EmbedOptions) -> TextEmbedding:
    try:
        model = _load(name, options, offline=False)
    except Exception as error:  # of the network, the hub or the files: no common base
        raise EmbedderError(
            f"The model {name} could not be fetched: {_line(error)}.",
            hint="Without the hub: vaultmem embedder use minilm, or a folder: path:/FOLDER",
        ) from error
    assert model is not None
    return model


def _whole(text: str) -> str:
    """The text without halves of surrogate pairs, which are no text to a tokenizer."""
    return text.encode(errors="replace").decode()


def _line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")[:200]


def is_fetched(name: str, options: EmbedOptions) -> bool:
    """Whether the model was fetched and tried out here."""
    return read_facts(options.folder, name, _seal(name)) is not None


def unfetch(name: str, options: EmbedOptions) -> list[Path]:
    """Deletes the model's folder; returns what went."""
    sources = {
        str(m["model"]).lower(): str(m["sources"].get("hf") or "")
        for m in _library().list_supported_models()
    }
    drop_facts(options.folder, name)
    source = sources.get(name.lower(), "")
    folder = options.folder / FOLDER / f"models--{source.replace('/', '--')}"
    if not source or not folder.is_dir():
        return []
    rmtree(folder)
    return [folder]
