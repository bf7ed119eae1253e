"""Embedders by the name that settings give them.

A further embedder is one more entry in ``_MAKERS``: a name, and a function that imports and makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vaultmem.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vaultmem.embed.protocol import Embedder

__all__ = ["DEFAULT_EMBEDDER", "EMBEDDER_NAMES", "NO_EMBEDDER", "load_embedder"]

DEFAULT_EMBEDDER: Final = "static"
NO_EMBEDDER: Final = "none"


def _static() -> Embedder:
    from vaultmem.embed.static import StaticEmbedder

    return StaticEmbedder.load()


_MAKERS: Final[dict[str, Callable[[], Embedder]]] = {DEFAULT_EMBEDDER: _static}

EMBEDDER_NAMES: Final = (*_MAKERS, NO_EMBEDDER)
"""Every name that :func:`load_embedder` knows, the default first."""


def load_embedder(name: str = DEFAULT_EMBEDDER) -> Embedder | None:
    """The embedder called ``name``; None for "none", which switches the vector lane off.

    Raises EmbedderError if there is no such embedder, or if its package or files are missing.
    """
    if name == NO_EMBEDDER:
        return None
    if name not in _MAKERS:
        raise EmbedderError(
            f"There is no embedder called {name!r}.",
            hint=f"Known are: {', '.join(EMBEDDER_NAMES)}.",
        )
    return _MAKERS[name]()
