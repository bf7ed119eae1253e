"""The one object that the command line, servers and the daemon hold. It composes; it does not do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import apsw

from vaultmem.embed.registry import load_embedder
from vaultmem.errors import EmbedderError
from vaultmem.files.places import is_writable
from vaultmem.index.meta import read_stamp
from vaultmem.index.source import Progress, Semantics, no_progress
from vaultmem.index.store import IndexStore
from vaultmem.index.terms import storable
from vaultmem.places import STATE_FOLDER, find_vault, index_dir, user_cache_path
from vaultmem.search.counts import TermCounts
from vaultmem.search.engine import search
from vaultmem.search.matrix import VectorMatrix
from vaultmem.search.model import Freshness, Lane, SearchAnswer
from vaultmem.settings import Settings, load_settings, user_config_path

if TYPE_CHECKING:
    from vaultmem.answers import (
        BacklinksAnswer,
        DoctorReport,
        FileListing,
        GraphView,
        LinksAnswer,
        NoteView,
        RebuildReport,
        Status,
        SyncAnswer,
        TagsAnswer,
        UnlinkedAnswer,
        VerifyReport,
    )
    from vaultmem.embed.protocol import Embedder
    from vaultmem.index.sync import SyncReport
    from vaultmem.index.verify import Verification
    from vaultmem.notes.model import SubpathTarget

_T = TypeVar("_T")

CACHE_NAME = "embeddings.db"

VERIFY_ATTEMPTS = 3
"""How often a verification that finds a difference is done again, when the disk has changed under it."""


def open_vault(
    path: Path | str | None = None,
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
    start: Path | None = None,
    home: Path | None = None,
    user_config: Path | None = None,
    cache_root: Path | None = None,
) -> Vault:
    """The vault at ``path``, or the one that the environment or the current folder means.

    Nothing is read or written yet, and any folder of Markdown will do. Whatever is not given is taken from the
    process: its environment, current folder, home, and the user's settings. Raises VaultNotFoundError,
    SettingsError.
    """
    environ = os.environ if environ is None else environ
    root = find_vault(
        start or Path.cwd(),
        flag=Path(path) if path is not None else None,
        environ=environ,
        home=home or Path.home(),
    )
    if settings is None:
        settings = load_settings(
            vault=root, user_config=user_config or user_config_path(), environ=environ
        )
    return Vault(root, settings, cache_root=cache_root or user_cache_path())


class Vault:
    """A folder of Markdown with its index. Made by :func:`open_vault`; use it in a ``with`` block or close it.

    Every answer first compares the disk with the index, so it never misses an edit made a second ago, and says
    in its ``freshness`` what it could not bring up. Methods that name a note accept its path, its name as a link
    would, or its title or an alias, and raise NoteNotFoundError with close names.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        cache_root: Path,
        clock_ns: Callable[[], int] = time.time_ns,
        cores: int | None = None,
    ) -> None:
        self.root = root
        self.settings = settings
        self._clock_ns = clock_ns
        self._cores = cores or os.cpu_count() or 1
        self._counts = TermCounts()
        self._matrix = VectorMatrix()
        self._store = self._place_index(cache_root)
        self.index_dir = self._store.folder

    def _place_index(self, cache_root: Path) -> IndexStore:
        """The index in the folder that settings name; in the user's cache if that folder cannot be written and
        holds no index that can be used."""
        folder = index_dir(self.root, self.settings, cache_root)
        store = self._store_in(folder)
        if self.settings.index.location == "cache" or is_writable(folder) or store.is_usable():
            return store
        cached = replace(self.settings, index=replace(self.settings.index, location="cache"))
        why = "the vault cannot be written"
        return self._store_in(index_dir(self.root, cached, cache_root), why)

    def _store_in(self, folder: Path, why_there: str = "") -> IndexStore:
        return IndexStore(
            self.root,
            folder,
            semantics=lambda: self._semantics,
            clock_ns=self._clock_ns,
            cores=self._cores,
            why_there=why_there,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the files that are open; a later call opens them again."""
        self._store.close_all()
        if "_semantics" in self.__dict__:
            if self._semantics is not None:
                self._semantics.cache.close()
            del self.__dict__["_semantics"]

    @property
    def index_path(self) -> Path:
        """Where ``memory.db`` lies or will lie."""
        return self._store.path

    @property
    def index_location(self) -> str:
        """Where the index lies in the settings' words: ``vault``, or ``cache``, which may be for want of a vault
        that can be written."""
        return "vault" if self.index_dir == self.root / STATE_FOLDER else "cache"

    @cached_property
    def _embedder(self) -> Embedder | None:
        return load_embedder(self.settings.embed.model)

    def _embedder_for(self, connection: apsw.Connection) -> Embedder | None:
        """The embedder in use. Raises EmbedderError when its model has vectors of another dimension in the index:
        none of them can be compared with its own."""
        embedder, stamp = self._embedder, read_stamp(connection)
        if embedder and stamp.vector_model == embedder.model and stamp.vector_dim != embedder.dim:
            raise EmbedderError(
                f"no vectors of {embedder.model} ({embedder.dim} dimensions) in the index, which has: "
                f"{stamp.vector_model} ({stamp.vector_dim}); run `vaultmem sync`"
            )
        return embedder

    @property
    def _active_model(self) -> str:
        """The model that settings ask for; "" for none, and when it cannot be had."""
        try:
            return self._embedder.model if self._embedder else ""
        except EmbedderError:
            return ""

    @cached_property
    def _semantics(self) -> Semantics | None:
        if self._embedder is None:
            return None
        from vaultmem.embed.cache import EmbeddingCache

        return Semantics(
            self._embedder, EmbeddingCache(self.index_dir / CACHE_NAME), self.settings.embed.model
        )

    # -- upkeep ----------------------------------------------------------------------------------------------

    def rebuild(
        self,
        *,
        vectors: bool = True,
        accept_removals: bool = False,
        progress: Progress = no_progress,
    ) -> RebuildReport:
        """Builds the index anew from the files alone. The old one answers until the new one is whole.

        Raises RefusedError when most notes have vanished (P11), unless ``accept_removals``.
        """
        from vaultmem import views
        from vaultmem.answers import RebuildReport
        from vaultmem.index.queries import figures as count_all

        began = time.perf_counter()
        built = self._store.rebuild(
            vectors=vectors, accept_removals=accept_removals, progress=progress
        )
        seconds = time.perf_counter() - began
        figures, _ = self._store.answer(count_all)
        return RebuildReport(
            vault=str(self.root),
            index=str(self.index_path),
            files=built.files,
            notes=built.notes,
            blocks=built.blocks,
            links=figures.links,
            unresolved=figures.unresolved,
            ambiguous=figures.ambiguous,
            invalid_frontmatter=figures.invalid_frontmatter,
            vectors=built.vectors,
            unreadable=built.unreadable,
            seconds=seconds,
            index_bytes=views.index_bytes(self.index_path),
            vault_bytes=figures.vault_bytes,
        )

    def sync(
        self,
        *,
        accept_removals: bool = False,
        already_removed: int = 0,
        progress: Progress = no_progress,
    ) -> SyncAnswer:
        """Brings the index up with the disk and says what was new. Raises RefusedError on a mass
        disappearance (P11), unless ``accept_removals``; notes ``already_removed`` a moment ago count too."""
        began = time.perf_counter()
        report, note = self._store.sync(
            accept_removals=accept_removals, already_removed=already_removed, progress=progress
        )
        return self._sync_answer(report, note, began)

    def sync_paths(self, paths: Sequence[str], *, already_removed: int = 0) -> SyncAnswer | None:
        """Brings the index up with what stands at those vault paths and below them, in a fraction of the time of
        :meth:`sync`; None, with nothing changed, when only that can tell what to do. ``unchanged`` counts
        those paths alone. Call :meth:`tidy` when it is quiet.

        Raises LockedError, RefusedError (P11), VaultVanishedError, IndexDamagedError.
        """
        began = time.perf_counter()
        report = self._store.sync_paths(paths, already_removed=already_removed)
        return self._sync_answer(report, "", began) if report is not None else None

    def tidy(self) -> None:
        """Does what :meth:`sync_paths` puts off so that nobody has to wait for it."""
        self._store.tidy()

    def is_up(self) -> bool:
        """Whether the index says what the disk says, by stat data. Nothing is written, not even a lock. Raises
        IndexDamagedError when there is no index, VaultVanishedError."""
        return self._store.is_up()

    def _sync_answer(self, report: SyncReport, note: str, began: float) -> SyncAnswer:
        from vaultmem.answers import SyncAnswer

        return SyncAnswer(
            added=report.added,
            changed=report.changed,
            moved=report.moved,
            removed=report.removed,
            unchanged=report.unchanged,
            unreadable=report.unreadable,
            unseen=report.unseen,
            rebuilt=bool(note),
            seconds=time.perf_counter() - began,
            note=" ".join(filter(None, (note, report.note))),
        )

    def verify(self, *, progress: Progress = no_progress) -> VerifyReport:
        """Builds a second index aside from the files alone and compares it with the live one, row by row and
        question by question. The live index is first brought up with the disk; when that changes meanwhile, both
        are done again."""
        from vaultmem.answers import TableComparison, VerifyReport

        began = time.perf_counter()
        _, note = self._store.sync(progress=progress)
        with self._store.writing(60.0):
            for _ in range(VERIFY_ATTEMPTS):
                self._store.sync_locked(progress)
                outcome = self._compare_with_files(progress)
                if outcome.identical or self._store.is_up():
                    break
        return VerifyReport(
            vault=str(self.root),
            identical=outcome.identical,
            tables=tuple(
                TableComparison(t.table, t.rows_live, t.rows_built, t.identical, t.differences)
                for t in outcome.tables
            ),
            queries=outcome.queries,
            queries_differing=outcome.queries_differing,
            skipped=outcome.skipped,
            note=note,
            seconds=time.perf_counter() - began,
        )

    def _compare_with_files(self, progress: Progress) -> Verification:
        from vaultmem.index.verify import verify

        connection = self._store.connection()
        keeps_vectors = bool(read_stamp(connection).vector_model)
        return verify(
            connection,
            self.index_path,
            self._store.source(),
            self._semantics if keeps_vectors else None,
            cores=self._cores,
            progress=progress,
        )

    # -- answers ---------------------------------------------------------------------------------------------

    def _ask(
        self, question: Callable[[apsw.Connection], _T], *, sync: bool = True
    ) -> tuple[_T, Freshness]:
        """The answer to a question, from an index that was first compared with the disk."""
        if sync:
            fresh = self._store.vouched() or self._store.bring_up()
            found, mended = self._store.answer(question)
            note = " ".join(filter(None, (fresh.note, mended)))
            return found, Freshness(True, fresh.synced_ns, fresh.applied, fresh.pending, note)
        built = self._store.ensure()
        (found, stamp), mended = self._store.answer(lambda c: (question(c), read_stamp(c)))
        note = mended or built or "The disk was not compared with the index."
        return found, Freshness(bool(mended or built), stamp.synced_ns, 0, 0, note)

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        lanes: Sequence[Lane] | None = None,
        sync: bool = True,
    ) -> SearchAnswer:
        """At most ``limit`` notes (default: the setting ``search.limit``) that answer the query, best first.

        ``lanes`` restricts the search to those; ``sync=False`` trusts the index as it is (for a caller that
        watches the vault). Never raises for what stands in the query.
        """
        began = time.perf_counter()
        found, freshness = self._ask(
            lambda connection: search(
                connection,
                query,
                limit=limit if limit is not None else self.settings.search.limit,
                chosen=lanes,
                embedder=lambda: self._embedder_for(connection),
                counts=self._counts,
                matrix=self._matrix,
            ),
            sync=sync,
        )
        seconds = time.perf_counter() - began
        return SearchAnswer(storable(query), found.hits, found.lanes, freshness, seconds)

    def note(self, name: str) -> NoteView:
        """One note: its text and all that is known of it."""
        from vaultmem import views

        view, freshness = self._ask(lambda connection: views.note(connection, self.root, name))
        return replace(view, freshness=freshness)

    def links(self, name: str) -> LinksAnswer:
        """The links that a note or canvas holds, and where each leads."""
        from vaultmem import views
        from vaultmem.answers import LinksAnswer

        found, freshness = self._ask(lambda connection: views.links(connection, name))
        return LinksAnswer(*found, freshness)

    def backlinks(self, name: str) -> BacklinksAnswer:
        """Who links to a note or any other file."""
        from vaultmem import views
        from vaultmem.answers import BacklinksAnswer

        found, freshness = self._ask(
            lambda connection: views.backlinks(connection, self.root, name)
        )
        return BacklinksAnswer(*found, freshness)

    def unlinked(self, name: str) -> UnlinkedAnswer:
        """Where a note's name or an alias stands as plain text in other notes."""
        from vaultmem import views
        from vaultmem.answers import UnlinkedAnswer

        found, freshness = self._ask(lambda connection: views.unlinked(connection, name))
        return UnlinkedAnswer(*found, freshness)

    def tags(self, tag: str | None = None) -> TagsAnswer:
        """The tags of the vault; or the notes that hold ``tag`` or one nested below it."""
        from vaultmem import views
        from vaultmem.answers import TagsAnswer

        found, freshness = self._ask(lambda connection: views.tags(connection, tag))
        return TagsAnswer(tag, *found, freshness)

    def status(self) -> Status:
        """The vault and its index in figures."""
        from vaultmem import views

        view, freshness = self._ask(
            lambda connection: views.status_view(
                connection,
                vault=str(self.root),
                index=self.index_path,
                location=self.index_location,
                active_model=self._active_model,
                generation=read_stamp(connection).generation,
            )
        )
        return replace(view, freshness=freshness)

    def doctor(self) -> DoctorReport:
        """What is wrong with the vault, its index or its place, what could be better, and what to do."""
        from vaultmem.doctor import examine

        return examine(self.root, self._store, self.settings, lambda: self._embedder)

    def files(self) -> FileListing:
        """What the vault holds, by kind."""
        from vaultmem import views

        return self._ask(views.file_listing)[0]

    def graph(self, *, existing_only: bool = False, attachments: bool = False) -> GraphView:
        """The link graph as Obsidian draws it."""
        from vaultmem import views

        return self._ask(
            lambda connection: views.graph_view(
                connection, existing_only=existing_only, attachments=attachments
            )
        )[0]

    def link_counts(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
        """Per source how often it links to each file, and to each missing name; links to oneself count."""
        from vaultmem import views

        return self._ask(views.link_counts)[0]

    def resolve(
        self, link: str, source: str, *, markdown: bool = False
    ) -> tuple[str | None, SubpathTarget | None]:
        """Where a link, as typed between its brackets, would lead from the note ``source``: the file, and the
        place in it. With ``markdown`` the link is a Markdown destination."""
        from vaultmem import views

        return self._ask(
            lambda connection: views.resolve_link(connection, link, source, markdown=markdown)
        )[0]

    def make_link(
        self,
        source: str,
        to: str,
        *,
        subpath: str = "",
        display: str | None = None,
        embed: bool = False,
        in_table: bool = False,
    ) -> str:
        """The link to insert into the note ``source`` so that it leads to the file ``to``, in the form that
        Obsidian's settings ask for."""
        from vaultmem.index.names import IndexedNames
        from vaultmem.notes.linktext import make_link

        settings = self._store.source().settings
        return self._ask(
            lambda connection: make_link(
                source=source,
                target_path=to,
                settings=settings,
                lookup=IndexedNames(connection).lookup,
                subpath=subpath,
                display=display,
                embed=embed,
                in_table=in_table,
            )
        )[0]
