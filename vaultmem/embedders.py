"""What there is to say about embedders: those that can be had, those that have vectors here, the one that answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vaultmem.embed.registry import (
    DEFAULT_EMBEDDER,
    EMBEDDER_NAMES,
    FASTEMBED,
    NO_EMBEDDER,
    is_on_machine,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vaultmem.embed.options import EmbedOptions
    from vaultmem.index.meta import Stamp
    from vaultmem.index.vectors import VectorSet

__all__ = ["EmbedderReport", "EmbedderView", "RemoveAnswer", "UseAnswer", "embedder_report"]

ABOUT: Final[Mapping[str, str]] = {
    DEFAULT_EMBEDDER: "ships with vaultmem; quick, weak at paraphrases",
    "minilm": "all-MiniLM-L6-v2, a real sentence model for English; 115 MB",
    "minilm-int8": "the same in a quarter of the size, over twice as fast; 115 MB with minilm",
}


@dataclass(frozen=True, slots=True)
class EmbedderView:
    """An embedder, as far as it concerns a vault."""

    name: str
    """What settings and commands call it."""
    model: str
    """The identity of its vectors; "" when it has none here."""
    dim: int
    """Components of each vector; 0 when it has none here."""
    vectors: int
    """Search blocks of this vault that have a vector of it."""
    chosen: bool
    """Settings name it."""
    answering: bool
    """Questions are answered with its vectors."""
    on_machine: bool
    """Its files are here."""
    about: str
    """What it is, in a few words."""


@dataclass(frozen=True, slots=True)
class EmbedderReport:
    """The embedders of a vault."""

    vault: str
    """The vault's folder."""
    chosen: str
    """The name that settings give."""
    origin: str
    """Where that comes from: flag, environment, vault, user, default."""
    answering: str
    """The name of the one whose vectors answer; "" when none does."""
    blocks: int
    """How many search blocks there are."""
    without: int
    """Blocks that the chosen one has not embedded yet."""
    embedders: tuple[EmbedderView, ...]
    """Those that have vectors here first, then what can be had."""
    models: str
    """The folder of models on this machine."""
    threads: int
    """Threads that embed at the same time."""
    problem: str
    """Why the chosen one cannot be used; "" when it can."""


@dataclass(frozen=True, slots=True)
class UseAnswer:
    """What it took to change to another embedder."""

    name: str
    """The embedder that answers now."""
    before: str
    """The one that did until now; "" for none."""
    model: str
    """The identity of its vectors; "" for none."""
    dim: int
    """Components of each vector."""
    blocks: int
    """Search blocks that have a vector of it."""
    embedded: int
    """Of these, those that had none before."""
    kept: tuple[str, ...]
    """Embedders whose vectors lie beside, for going back at once."""
    config: str
    """The settings file that names it."""
    note: str
    """What still stands in its way; "" for nothing."""
    seconds: float
    """How long it took."""


@dataclass(frozen=True, slots=True)
class RemoveAnswer:
    """What removing an embedder's vectors freed."""

    name: str
    """The embedder."""
    vectors: int
    """Vectors that were in the index."""
    cached: int
    """Vectors that were in the cache."""
    files: tuple[str, ...]
    """Files and folders of the model that were deleted."""
    freed_bytes: int
    """By how much the files are smaller, all together."""


def embedder_report(
    *,
    vault: str,
    chosen: str,
    origin: str,
    stamp: Stamp,
    blocks: int,
    sets: Sequence[VectorSet],
    names: Mapping[str, str],
    options: EmbedOptions,
    extra: Iterable[str] = (),
    problem: str = "",
) -> EmbedderReport:
    """The report of a vault whose index has those sets of vectors; ``names`` tells what their models are called."""
    held = {names.get(each.model, each.model): each for each in sets}
    answering = names.get(stamp.vector_model, stamp.vector_model) if stamp.vector_model else ""
    if chosen == NO_EMBEDDER:
        answering = ""
    known = (name for name in EMBEDDER_NAMES if name != NO_EMBEDDER)
    listed = dict.fromkeys([*sorted(held), *known, *extra])
    if chosen != NO_EMBEDDER:
        listed.setdefault(chosen)
    views = tuple(
        EmbedderView(
            name=name,
            model=held[name].model if name in held else "",
            dim=held[name].dim if name in held else 0,
            vectors=held[name].blocks if name in held else 0,
            chosen=name == chosen,
            answering=name == answering,
            on_machine=is_on_machine(name, options),
            about=ABOUT.get(name, "by fastembed" if name.startswith(FASTEMBED) else ""),
        )
        for name in listed
    )
    own = held.get(chosen)
    return EmbedderReport(
        vault=vault,
        chosen=chosen,
        origin=origin,
        answering=answering,
        blocks=blocks,
        without=0 if chosen == NO_EMBEDDER else blocks - (own.blocks if own else 0),
        embedders=views,
        models=str(options.folder),
        threads=options.thread_count,
        problem=problem,
    )
