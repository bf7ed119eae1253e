"""Changing the embedder of a vault: the new one embeds beside the old, which answers until all is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vaultmem.embed.registry import (
    EMBEDDER_NAMES,
    FASTEMBED,
    NO_EMBEDDER,
    fetch_embedder,
    full_name,
    is_name,
)
from vaultmem.embedder_choice import EmbedderChoice
from vaultmem.errors import EmbedderError, RefusedError, UsageError
from vaultmem.index.connection import fetch_int
from vaultmem.index.meta import read_stamp
from vaultmem.index.source import Progress, no_progress
from vaultmem.index.store import IndexStore
from vaultmem.settings import VAULT_CONFIG, Origin

if TYPE_CHECKING:
    from vaultmem.embedders import EmbedderReport, RemoveAnswer, UseAnswer

EMBED_MODEL: Final = "embed.model"
CACHE_NAME: Final = "embeddings.db"


class EmbedderSwitch:
    """What the commands about embedders do. ``choose`` puts another name into the settings in force, whose ``origin``
    is asked for; ``settle`` sees to what killed processes left."""

    def __init__(
        self,
        root: Path,
        store: IndexStore,
        choice: EmbedderChoice,
        *,
        origin: Callable[[], Origin],
        choose: Callable[[str], None],
        settle: Callable[[], None],
    ) -> None:
        self._root = root
        self._store = store
        self._choice = choice
        self._origin = origin
        self._choose = choose
        self._settle = settle

    def report(self, *, every: bool = False) -> EmbedderReport:
        """The embedders that have vectors here or can be had; with ``every`` those that fastembed knows, too. Raises
        EmbedderError when fastembed is asked and cannot be used."""
        from vaultmem.embedders import embedder_report
        from vaultmem.index.meta import vector_names
        from vaultmem.index.vectors import COUNT_BLOCKS, vector_sets

        (stamp, sets, names, blocks), _ = self._store.answer(
            lambda c: (read_stamp(c), vector_sets(c), vector_names(c), fetch_int(c, COUNT_BLOCKS))
        )
        extra: list[str] = []
        if every:
            from vaultmem.embed.fastembed_models import known_models

            extra = [f"{FASTEMBED}{name}" for name, *_ in known_models()]
        return embedder_report(
            vault=str(self._root),
            chosen=full_name(self._choice.name),
            origin=self._origin().source,
            stamp=stamp,
            blocks=blocks,
            sets=sets,
            names=names,
            options=self._choice.options,
            extra=extra,
            problem=self._problem(),
        )

    def _problem(self) -> str:
        from vaultmem.embed.registry import try_embedder

        try:
            try_embedder(self._choice.name, self._choice.embedder)
        except EmbedderError as error:
            return str(error)
        return ""

    def use(
        self, name: str, *, given: Path | None = None, progress: Progress = no_progress
    ) -> UseAnswer:
        """Makes the embedder called ``name`` the one that answers, and writes that into the vault's settings file. It
        is fetched or made where that is needed (``minilm`` from the file or folder ``given``, if there is one), and
        embeds every note, beside the vectors of the one before, which answers until all is done.

        Raises EmbedderError when it cannot be had or fails, UsageError for what is no name, SettingsError when the
        settings file cannot take it; then all is as it was, and what was embedded so far is not embedded again.
        """
        from vaultmem.embedders import UseAnswer
        from vaultmem.index.vectors import vector_sets
        from vaultmem.settings_edit import check_value, set_value

        began = time.perf_counter()
        if not is_name(name):
            raise UsageError(
                f"There is no embedder called {name!r}.",
                hint=f"Known are: {', '.join(EMBEDDER_NAMES)}, fastembed:MODEL, path:/FOLDER.",
            )
        config = self._root / VAULT_CONFIG
        check_value(config, EMBED_MODEL, full_name(name))
        if not self._store.opened.is_usable():
            self._store.ensure(progress)
        name = fetch_embedder(name, self._choice.options, given=given)
        before, _ = self._store.answer(read_stamp)
        held, _ = self._store.answer(vector_sets)
        former = self._choice.name
        answering = "" if former == NO_EMBEDDER else before.vector_name
        self._choose(name)
        try:
            note = self._embed_with_choice(progress)
        except BaseException:
            self._choose(former)
            raise
        set_value(config, EMBED_MODEL, name)
        source = self._origin()
        if source.source in ("flag", "environment") and name != former:
            note = f"{source} says {former!r} and goes before the settings file. {note}".strip()
        report = self.report()
        own = next((view for view in report.embedders if view.name == name), None)
        had = next((s.blocks for s in held if own and s.model == own.model), 0)
        return UseAnswer(
            name=name,
            before=answering,
            model=own.model if own else "",
            dim=own.dim if own else 0,
            blocks=own.vectors if own else 0,
            embedded=max(0, own.vectors - had) if own else 0,
            kept=tuple(v.name for v in report.embedders if v.vectors and v.name != name),
            config=str(config),
            note=note,
            seconds=time.perf_counter() - began,
        )

    def _embed_with_choice(self, progress: Progress) -> str:
        """Gives the index the vectors of the embedder in use; returns what the sync had to say."""
        if self._choice.embedder is None:
            return ""
        self._settle()
        report, note = self._store.sync(begin_vectors=True, progress=progress)
        stamp, _ = self._store.answer(read_stamp)
        if not stamp.has_vectors_of(self._choice.embedder):
            raise EmbedderError(report.note or note or "The notes could not be embedded.")
        return report.note

    def remove(self, name: str, *, files: bool = False) -> RemoveAnswer:
        """Frees the vectors of an embedder that does not answer; with ``files`` what was fetched or made for it on
        this machine, too, which other vaults may use. Raises RefusedError for the one that answers."""
        from vaultmem.embed.registry import remove_files
        from vaultmem.embedders import RemoveAnswer
        from vaultmem.index.meta import vector_names

        name = full_name(name)
        (stamp, names), _ = self._store.answer(lambda c: (read_stamp(c), vector_names(c)))
        if name in (stamp.vector_name, stamp.vector_model, full_name(self._choice.name)):
            raise RefusedError(
                f"{name} is the embedder in use; nothing was removed.",
                hint="Change to another one first, as in: vaultmem embedder use static",
            )
        models = [model for model, known in names.items() if name in (known, model)] or [name]
        places = [self._store.path, self._store.folder / CACHE_NAME]
        size = _sizes(places)
        dropped = self._store.drop_vectors(models)
        cached = sum(self._choice.cache.remove(model) for model in models)
        freed = max(0, size - _sizes(places))
        gone = remove_files(name, self._choice.options) if files else []
        return RemoveAnswer(name, dropped, cached, tuple(map(str, gone)), freed)


def _sizes(files: Sequence[Path]) -> int:
    """How many bytes the databases have, with their logs."""
    every = [path.with_name(path.name + end) for path in files for end in ("", "-wal")]
    return sum(path.stat().st_size for path in every if path.exists())
