"""Which embedder a vault has: the one that settings ask for, and the one whose vectors answer until its own are there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from vaultmem.embed.options import EmbedOptions
from vaultmem.embed.registry import NO_EMBEDDER, full_name, load_embedder
from vaultmem.errors import EmbedderError
from vaultmem.index.meta import Stamp, read_stamp
from vaultmem.index.source import Semantics

if TYPE_CHECKING:
    from vaultmem.embed.cache import EmbeddingCache
    from vaultmem.embed.protocol import Embedder


class EmbedderChoice:
    """The embedder called ``name`` and those that were used before it, each loaded when it is first needed."""

    def __init__(self, name: str, options: EmbedOptions, cache_path: Callable[[], Path]) -> None:
        self.name = name
        self.options = options
        self._cache_path = cache_path
        self._formers: dict[str, Semantics | None] = {}
        """By name, what embeds like vectors that the index has, though settings ask for others."""

    def choose(self, name: str) -> None:
        """Another one is asked for from now on."""
        self.name = name
        for kept in ("embedder", "semantics"):
            self.__dict__.pop(kept, None)
        self._formers.clear()

    def close(self) -> None:
        """Closes the cache; the next use opens it again."""
        if "cache" in self.__dict__:
            self.cache.close()
        for kept in ("cache", "semantics"):
            self.__dict__.pop(kept, None)
        self._formers.clear()

    @cached_property
    def embedder(self) -> Embedder | None:
        """The one that settings ask for; None for none. Raises EmbedderError."""
        return load_embedder(self.name, self.options)

    def embedder_for(self, connection: apsw.Connection, said: list[str]) -> Embedder | None:
        """The embedder in use; the one before it, and that is ``said``, as long as the index has no complete set of
        vectors of the one that settings ask for. Raises EmbedderError when there is neither, and when its model has
        vectors of another dimension in the index: none of them can be compared with its own."""
        stamp = read_stamp(connection)
        try:
            embedder = self.embedder
        except EmbedderError as error:
            if former := self.former(stamp):
                said.append(f"Meaning was searched with {stamp.vector_name}. {error}")
                return former.embedder
            raise
        if embedder is None or stamp.has_vectors_of(embedder):
            return embedder
        if former := self.former(stamp):
            said.append(
                f"Meaning was searched with {stamp.vector_name}: {self.name} has not embedded all "
                "notes yet; run `vaultmem sync`."
            )
            return former.embedder
        if stamp.vector_model == embedder.model:
            raise EmbedderError(
                f"no vectors of {embedder.model} ({embedder.dim} dimensions) in the index, which has: "
                f"{stamp.vector_model} ({stamp.vector_dim}); run `vaultmem sync`"
            )
        return embedder

    def warm_up(self) -> None:
        """Loads the embedder, so that the first edit need not wait for it; what fails is told when it is needed."""
        with suppress(EmbedderError):
            if self.embedder is not None:
                self.embedder.embed_documents(["A sentence."])

    @property
    def active_model(self) -> str:
        """The model that settings ask for; "" for none, and when it cannot be had."""
        try:
            return self.embedder.model if self.embedder else ""
        except EmbedderError:
            return ""

    @cached_property
    def semantics(self) -> Semantics | None:
        """It with its cache. Raises EmbedderError."""
        if self.embedder is None:
            return None
        return Semantics(self.embedder, self.cache, full_name(self.name))

    def serving(self, stamp: Stamp) -> Semantics | None:
        """The embedder of the vectors that the index keeps up, if it can be had."""
        if not stamp.vector_model:
            return None
        with suppress(EmbedderError):
            found = self.semantics
            if found is not None and stamp.has_vectors_of(found.embedder):
                return found
        return self.former(stamp)

    @cached_property
    def cache(self) -> EmbeddingCache:
        """The vectors by text, of every model."""
        from vaultmem.embed.cache import EmbeddingCache

        return EmbeddingCache(self._cache_path())

    def former(self, stamp: Stamp) -> Semantics | None:
        """The embedder of the vectors that the index has, if settings ask for another one and it can be had."""
        name, chosen = stamp.vector_name, full_name(self.name)
        if not name or chosen in (name, NO_EMBEDDER):
            return None
        if name not in self._formers:
            try:
                embedder = load_embedder(name, self.options)
            except EmbedderError:
                embedder = None
            found = Semantics(embedder, self.cache, name) if embedder is not None else None
            self._formers[name] = found
        former = self._formers[name]
        return former if former is not None and stamp.has_vectors_of(former.embedder) else None
