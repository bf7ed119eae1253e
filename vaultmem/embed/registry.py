"""Embedders by the name that settings give them.

======================= ==============================================================================
``static``              the default: token vectors that ship with a package; nothing to fetch
``minilm``              all-MiniLM-L6-v2, made on this machine; ``minilm-int8`` is its small form
``fastembed:NAME``      a model that fastembed knows, as in ``fastembed:BAAI/bge-small-en-v1.5``; the
                        prefix may be left out before a name with a ``/``
``path:/FOLDER``        a folder with a sentence model in ONNX form, for machines without a network
``none``                no vectors
======================= ==============================================================================

Nothing but what a name needs is imported, and that only when the embedder is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vaultmem.embed.options import EmbedOptions
from vaultmem.errors import EmbedderError

if TYPE_CHECKING:
    from pathlib import Path

    from vaultmem.embed.protocol import Embedder

__all__ = [
    "BY_PATH",
    "DEFAULT_EMBEDDER",
    "EMBEDDER_NAMES",
    "FASTEMBED",
    "NO_EMBEDDER",
    "fetch_embedder",
    "full_name",
    "is_name",
    "is_on_machine",
    "load_embedder",
    "made_by_workers",
    "remove_files",
    "try_embedder",
]

DEFAULT_EMBEDDER: Final = "static"
NO_EMBEDDER: Final = "none"
FASTEMBED: Final = "fastembed:"
BY_PATH: Final = "path:"

_MINILM: Final = ("minilm", "minilm-int8")

EMBEDDER_NAMES: Final = (DEFAULT_EMBEDDER, *_MINILM, NO_EMBEDDER)
"""Every name that is whole by itself, the default first."""


def full_name(name: str) -> str:
    """The name with its prefix, where that may be left out."""
    name = name.strip()
    if name in EMBEDDER_NAMES or name.startswith((FASTEMBED, BY_PATH)) or "/" not in name:
        return name
    return f"{FASTEMBED}{name}"


def is_name(name: str) -> bool:
    """Whether the name has the form of one; whether there is such a model is not looked at."""
    full = full_name(name)
    prefix, colon, rest = full.partition(":")
    return full in EMBEDDER_NAMES or (prefix + colon in (FASTEMBED, BY_PATH) and bool(rest.strip()))


def made_by_workers(name: str) -> bool:
    """Whether each process that parses notes should make the embedder for itself: only the one that takes next to
    no memory and is quick. The others use all cores by themselves."""
    return name == DEFAULT_EMBEDDER


def load_embedder(
    name: str = DEFAULT_EMBEDDER, options: EmbedOptions | None = None
) -> Embedder | None:
    """The embedder called ``name``; None for "none", which switches the vector lane off. Nothing is downloaded.

    Raises EmbedderError if there is no such embedder, if it was not fetched or made on this machine yet, or if a
    package or file of it is missing.
    """
    options = options or EmbedOptions()
    name = full_name(name)
    if name == NO_EMBEDDER:
        return None
    if name == DEFAULT_EMBEDDER:
        from vaultmem.embed.static import StaticEmbedder

        return StaticEmbedder.load()
    if name in _MINILM:
        from vaultmem.embed.minilm import minilm

        return minilm(name, options)
    if name.startswith(FASTEMBED):
        from vaultmem.embed.fastembed_models import fastembed_model

        return fastembed_model(name.removeprefix(FASTEMBED), options)
    if name.startswith(BY_PATH):
        from vaultmem.embed.folder_model import folder_model

        return folder_model(name.removeprefix(BY_PATH), options)
    raise EmbedderError(
        f"There is no embedder called {name!r}.",
        hint=f"Known are: {', '.join(EMBEDDER_NAMES)}, fastembed:MODEL, path:/FOLDER.",
    )


def fetch_embedder(name: str, options: EmbedOptions, *, given: Path | None = None) -> str:
    """Sees to it that the embedder can be loaded on this machine, which may mean a download, and that it embeds;
    returns the name by which it is loaded. ``given`` is a file or folder to make ``minilm`` from.

    Raises EmbedderError: then nothing has changed.
    """
    name = full_name(name)
    if name in _MINILM:
        from vaultmem.embed.minilm import is_whole, make

        if given is not None or not is_whole(name, options):
            make(options, given=given)
    elif name.startswith(FASTEMBED):
        from vaultmem.embed.fastembed_models import fetch

        name = FASTEMBED + fetch(name.removeprefix(FASTEMBED), options)
    try_embedder(name, load_embedder(name, options))
    return name


def is_on_machine(name: str, options: EmbedOptions) -> bool:
    """Whether the files of the embedder are here, as far as that can be seen without reading them."""
    if name in _MINILM:
        from vaultmem.embed.minilm import is_made

        return is_made(name, options)
    if name.startswith(FASTEMBED):
        from vaultmem.embed.fastembed_models import is_fetched

        return is_fetched(name.removeprefix(FASTEMBED), options)
    if name.startswith(BY_PATH):
        from pathlib import Path

        return Path(name.removeprefix(BY_PATH)).expanduser().is_dir()
    return name == DEFAULT_EMBEDDER


def remove_files(name: str, options: EmbedOptions) -> list[Path]:
    """Deletes what was fetched or made for the embedder on this machine; returns what went. Files that vaultmem did
    not put there stay."""
    if name in _MINILM:
        from vaultmem.embed.minilm import unmake

        return unmake(options)
    if name.startswith(FASTEMBED):
        from vaultmem.embed.fastembed_models import unfetch

        return unfetch(name.removeprefix(FASTEMBED), options)
    return []


def try_embedder(name: str, embedder: Embedder | None) -> None:
    """Raises EmbedderError unless the embedder gives vectors that can be compared; None is fine."""
    import numpy as np

    if embedder is None:
        return

    rows = [
        embedder.embed_query("Where is the key?"),
        *embedder.embed_documents(["In the drawer."]),
    ]
    for row in rows:
        length = float(np.linalg.norm(row)) if row.shape == (embedder.dim,) else 0.0
        if not abs(length - 1) < 0.01:  # not a number, too
            raise EmbedderError(f"The embedder {name} does not work: it gives no unit vectors.")
