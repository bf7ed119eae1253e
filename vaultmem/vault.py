"""The one object that the command line, servers and the daemon hold. It composes; it does not do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import apsw

from vaultmem.desk import Desk
from vaultmem.embed.options import EmbedOptions
from vaultmem.embedder_choice import EmbedderChoice
from vaultmem.errors import SettingsError
from vaultmem.index.meta import read_stamp
from vaultmem.index.source import Progress, no_progress
from vaultmem.index.terms import fold
from vaultmem.index_place import place_index
from vaultmem.places import ARCHIVE_FOLDER, DREAMS_FOLDER, REVIEW_FOLDER, STATE_FOLDER
from vaultmem.search.engine import Asked, Found
from vaultmem.search.model import Freshness, Lane, SearchAnswer, Trace
from vaultmem.search.profile import profile_named
from vaultmem.searching import Searching
from vaultmem.settings import Settings, chosen_embedder

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
    from vaultmem.daemon_state import DaemonHealth
    from vaultmem.edits.editor import Editor
    from vaultmem.embed.protocol import Embedder
    from vaultmem.embedder_switch import EmbedderSwitch
    from vaultmem.embedders import EmbedderReport, RemoveAnswer, UseAnswer
    from vaultmem.files.targets import WriteRules
    from vaultmem.graph.graph import Graph
    from vaultmem.history.history import History
    from vaultmem.index.rehearsal import Rehearsal
    from vaultmem.notes.model import SubpathTarget
    from vaultmem.search.trace import ScoredFact
    from vaultmem.upkeep import Upkeep

_T = TypeVar("_T")

EMBED_MODEL = "embed.model"
CACHE_NAME = "embeddings.db"
MODELS_NAME = "models"
"""The folder of embedding models in the user's cache."""

RECALLED = 3
"""Notes that are remembered with a question: a person seldom looks further down."""


class Vault:
    """A folder of Markdown with its index. Made by :func:`open_vault`; use it in a ``with`` block or close it.

    Every answer first compares the disk with the index, so it never misses an edit made a second ago, and says
    in its ``freshness`` what it could not bring up. Methods that name a note accept its path, its name as a link
    would, its title, an alias or its first heading, and raise NoteNotFoundError with close names.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        cache_root: Path,
        clock_ns: Callable[[], int] = time.time_ns,
        cores: int | None = None,
        write_rules: WriteRules | None = None,
        loaded: bool = False,
    ) -> None:
        """``loaded`` says that the settings are those of the files, whose choice of an embedder is then followed."""
        self.root = root
        self.settings = settings
        self.settings_fault: SettingsError | None = None
        """Why the vault's settings could not be read, so that others are in force."""
        self._clock_ns = clock_ns
        self._given_rules = write_rules
        self._loaded = loaded
        self._cores = cores or os.cpu_count() or 1
        options = EmbedOptions(cache_root / MODELS_NAME, settings.embed.threads)
        self._choice = EmbedderChoice(
            settings.embed.model, options, lambda: self.index_dir / CACHE_NAME
        )
        self._searching = Searching(self._ask, self._choice)
        self._store = place_index(
            root,
            settings,
            self._choice,
            cache_root=cache_root,
            clock_ns=clock_ns,
            cores=self._cores,
        )
        self._desk = Desk(root, self._store, rules=lambda: self._write_rules, clock_ns=clock_ns)
        self.index_dir = self._store.folder

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
        self._store.opened.close_all()
        self._choice.close()

    @property
    def index_path(self) -> Path:
        """Where ``memory.db`` lies or will lie."""
        return self._store.path

    @property
    def index_location(self) -> str:
        """Where the index lies in the settings' words: ``vault``, or ``cache``, which may be for want of a vault
        that can be written."""
        return "vault" if self.index_dir == self.root / STATE_FOLDER else "cache"

    # -- embedders -------------------------------------------------------------------------------------------

    def _follow_choice(self) -> None:
        """Takes over the embedder that the vault's settings file names by now: another process may have changed it,
        and two that disagree would each undo what the other embedded."""
        source = self.settings.origin(EMBED_MODEL).source
        if source in ("flag", "environment") or not self._loaded:
            return
        with suppress(SettingsError):
            named = chosen_embedder(self.root)
            if named is not None and named != self.settings.embed.model:
                self._choose(named)

    def _choose(self, name: str) -> None:
        embed = replace(self.settings.embed, model=name)
        self.settings = replace(self.settings, embed=embed)
        self._choice.choose(name)

    def embedders(self, *, every: bool = False) -> EmbedderReport:
        """The embedders that have vectors here or can be had; with ``every`` those that fastembed knows, too. Raises
        EmbedderError when fastembed is asked and cannot be used."""
        self._follow_choice()
        return self._switch.report(every=every)

    def use_embedder(
        self, name: str, *, given: Path | None = None, progress: Progress = no_progress
    ) -> UseAnswer:
        """Makes the embedder called ``name`` the one that answers, and writes that into the vault's settings file. It
        is fetched or made where that is needed (``minilm`` from the file or folder ``given``, if there is one), and
        embeds every note, beside the vectors of the one before, which answers until all is done.

        Raises EmbedderError when it cannot be had or fails, UsageError for what is no name, SettingsError when the
        settings file cannot take it; then all is as it was, and what was embedded so far is not embedded again.
        """
        return self._switch.use(name, given=given, progress=progress)

    def remove_embedder(self, name: str, *, files: bool = False) -> RemoveAnswer:
        """Frees the vectors of an embedder that does not answer; with ``files`` what was fetched or made for it on
        this machine, too, which other vaults may use. Raises RefusedError for the one that answers."""
        self._follow_choice()
        answer = self._switch.remove(name, files=files)
        self._searching.forget()
        return answer

    def warm_up(self) -> None:
        """Loads the embedder, so that the first edit need not wait for it; what fails is told when it is needed."""
        self._choice.warm_up()

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
        return self._upkeep.rebuild(
            vectors=vectors, accept_removals=accept_removals, progress=progress
        )

    def sync(
        self,
        *,
        accept_removals: bool = False,
        already_removed: int = 0,
        begin_vectors: bool = False,
        progress: Progress = no_progress,
    ) -> SyncAnswer:
        """Brings the index up with the disk and says what was new; with ``begin_vectors`` an index that was built
        without vectors gets some. Raises RefusedError on a mass
        disappearance (P11), unless ``accept_removals``; notes ``already_removed`` a moment ago count too."""
        self._follow_choice()
        return self._upkeep.sync(
            accept_removals=accept_removals,
            already_removed=already_removed,
            begin_vectors=begin_vectors,
            progress=progress,
        )

    def sync_paths(self, paths: Sequence[str], *, already_removed: int = 0) -> SyncAnswer | None:
        """Brings the index up with what stands at those vault paths and below them, in a fraction of the time of
        :meth:`sync`; None, with nothing changed, when only that can tell what to do. ``unchanged`` counts
        those paths alone. Call :meth:`tidy` when it is quiet.

        Raises LockedError, RefusedError (P11), VaultVanishedError, IndexDamagedError.
        """
        return self._upkeep.sync_paths(paths, already_removed=already_removed)

    def tidy(self) -> None:
        """Does what :meth:`sync_paths` puts off so that nobody has to wait for it."""
        self._store.tidy()

    def is_up(self) -> bool:
        """Whether the index says what the disk says, by stat data. Nothing is written, not even a lock. Raises
        IndexDamagedError when there is no index, VaultVanishedError."""
        return self._store.is_up()

    def verify(self, *, progress: Progress = no_progress) -> VerifyReport:
        """Builds a second index aside from the files alone and compares it with the live one, row by row and
        question by question. The live index is first brought up with the disk; when that changes meanwhile, both
        are done again."""
        return self._upkeep.verify(progress=progress)

    # -- changes ---------------------------------------------------------------------------------------------

    @cached_property
    def _upkeep(self) -> Upkeep:
        from vaultmem.upkeep import Upkeep

        return Upkeep(self._store, self._choice, cores=self._cores, settle=self._desk.settle)

    @cached_property
    def _write_rules(self) -> WriteRules:
        from vaultmem.files.targets import WriteRules

        return self._given_rules or WriteRules(clock=self._clock_ns)

    @cached_property
    def edits(self) -> Editor:
        """What creates, edits, renames and removes notes."""
        from vaultmem.edits.editor import Editor

        return Editor(self._desk, self._write_rules)

    @cached_property
    def _switch(self) -> EmbedderSwitch:
        from vaultmem.embedder_switch import EmbedderSwitch

        return EmbedderSwitch(
            self.root,
            self._store,
            self._choice,
            origin=lambda: self.settings.origin(EMBED_MODEL),
            choose=self._choose,
            settle=self._desk.settle,
        )

    @cached_property
    def history(self) -> History:
        """What the journal tells: the past of the notes, and the way back."""
        from vaultmem.history.history import History

        return History(
            self.root,
            keep_days=self.settings.history.keep_days,
            clock_ns=self._clock_ns,
            rules=self._write_rules,
            find=self._desk.path_of,
            bring_in=self._desk.bring_in,
            see=lambda: self._ask(lambda _: None),
            in_use=self._versions_in_use,
            fold=fold,
        )

    def _versions_in_use(self) -> frozenset[bytes]:
        """Where hand edits are captured, the versions that notes hold now: the next edit needs them."""
        from vaultmem.index.present import present_versions

        if not self.settings.history.capture_hand_edits:
            return frozenset()
        return self._ask(present_versions)[0]

    @cached_property
    def graph(self) -> Graph:
        """The notes as a graph of links: paths, neighbours, communities, what is related and why."""
        from vaultmem import views
        from vaultmem.files.recalls import RecallLog
        from vaultmem.graph.graph import Graph

        return Graph(
            self._ask,
            keep=self._store.keep,
            find=views.find_note,
            mentions=views.mention_counts,
            ask_as_is=lambda question: self._ask(question, sync=False),
            recalls=RecallLog(self.root),
        )

    def rehearse(self, folder: Path) -> Rehearsal:
        """A copy of the index in ``folder``, in which changes can be tried out: nothing of it comes back."""
        from vaultmem.index.rehearsal import Rehearsal

        self._follow_choice()
        self._ask(lambda _: None)
        return Rehearsal(
            self._store.opened.connection(),
            folder / "rehearsal.db",
            self.root,
            semantics=self._choice.serving,
            now_ns=self._clock_ns(),
        )

    def embedder_for(self, connection: apsw.Connection) -> Embedder | None:
        """The embedder whose vectors an index like ours holds; None when it has none."""
        return self._choice.embedder_for(connection, [])

    # -- answers ---------------------------------------------------------------------------------------------

    def read_index(self, question: Callable[[apsw.Connection], _T]) -> _T:
        """The answer to a question to the tables, in one state, brought up with the disk: for the dream, and for
        measuring. Raises as every answer does."""
        return self._ask(question)[0]

    def _ask(
        self, question: Callable[[apsw.Connection], _T], *, sync: bool = True
    ) -> tuple[_T, Freshness]:
        """The answer to a question, from an index that was first compared with the disk."""
        if sync:
            self._desk.settle()
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
        profile: str = "default",
        within: str = "",
        why: bool = False,
    ) -> SearchAnswer:
        """At most ``limit`` notes (default: the setting ``search.limit``) that answer the query, best first.

        ``lanes`` restricts the search to those; ``sync=False`` trusts the index as it is (for a caller that
        watches the vault); ``within`` is a folder to stay in; ``why`` asks for the trace. Never raises for what stands
        in the query; UsageError for a profile that there is not.
        """
        asked = self._asked(query, limit, lanes, profile, within)
        return self._searching.answer(asked, sync=sync, why=why)

    def remember(self, query: str, paths: Sequence[str], *, by: str) -> None:
        """Keeps a question of a ``person`` or an ``agent`` with the notes that came first, best first: they say which
        notes are needed. Silent where it cannot, and where settings do not want it; not where nothing of ours is in the
        vault yet. Nothing is waited for."""
        if not paths or not self.settings.dream.remember_queries:
            return
        from vaultmem.files.recalls import RecallEntry, RecallLog

        if (self.root / STATE_FOLDER).is_dir():
            first = tuple(paths[:RECALLED])
            RecallLog(self.root).append(RecallEntry(self._clock_ns(), by, query, first))

    def retrieve_with_trace(
        self,
        query: str,
        *,
        limit: int | None = None,
        lanes: Sequence[Lane] | None = None,
        sync: bool = True,
        profile: str = "default",
        within: str = "",
    ) -> tuple[tuple[ScoredFact, ...], Trace]:
        """The ``limit`` blocks that answer the query best, each with its provenance, and how they came to their places.
        A note may answer with several. For the rest see :meth:`search`."""
        asked = self._asked(query, limit, lanes, profile, within)
        return self._searching.facts(asked, sync=sync)

    def _asked(
        self,
        query: str,
        limit: int | None,
        lanes: Sequence[Lane] | None,
        profile: str,
        within: str,
    ) -> Asked:
        return Asked(
            query,
            limit if limit is not None else self.settings.search.limit,
            lanes,
            profile_named(profile),
            within.strip("/"),
            now_ns=self._clock_ns(),
            set_aside=self.set_aside,
        )

    @property
    def set_aside(self) -> tuple[str, ...]:
        """The folders whose notes are found only by who asks within them: the dream's archive, what waits for review,
        and the digests, which quote what other notes say or said."""
        root = self.settings.memory.root
        return tuple(f"{root}/{name}" for name in (ARCHIVE_FOLDER, REVIEW_FOLDER, DREAMS_FOLDER))

    def found(self, asked: Asked) -> Found:
        """What a search finds and how, from the index as it is: for measuring."""
        return self._searching.found(asked)

    def block_places(self) -> dict[int, tuple[str, int]]:
        """Path and first line of each block by its id, from the index as it is: for measuring."""
        from vaultmem.index.queries import block_places

        return self._ask(block_places, sync=False)[0]

    def note(self, name: str) -> NoteView:
        """One note: its text and all that is known of it."""
        from vaultmem import views

        view, freshness = self._ask(lambda connection: views.note(connection, self.root, name))
        return replace(view, freshness=freshness)

    def pinned(self) -> tuple[str, ...]:
        """The paths of the permanent notes, in order: those with ``permanent: true`` or a tag permanent or pinned."""
        from vaultmem.index.connection import fetch
        from vaultmem.index.queries import PERMANENT_NOTES

        return self._ask(lambda c: tuple(path for (path,) in fetch(c, PERMANENT_NOTES)))[0]

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
                active_model=self._choice.active_model,
                generation=read_stamp(connection).generation,
            )
        )
        return replace(view, freshness=freshness, dream=self.daemon_health())

    def daemon_health(self) -> DaemonHealth:
        """How the vault's daemon is, and when the vault was last tended, by it or by a command. Reads no note."""
        from vaultmem.cycles import as_the_journal_tells
        from vaultmem.daemon_state import daemon_health

        dream = self.settings.dream
        health = daemon_health(
            self.index_dir, enabled=dream.enabled, window=dream.window, now_ns=self._clock_ns()
        )
        return as_the_journal_tells(health, self.root)

    def doctor(self) -> DoctorReport:
        """What is wrong with the vault, its index or its place, what could be better, and what to do."""
        from vaultmem.doctor import examine

        return examine(
            self.root,
            self._store,
            self.settings,
            lambda: self._choice.embedder,
            self.settings_fault,
        )

    def files(self) -> FileListing:
        """What the vault holds, by kind."""
        from vaultmem import views

        return self._ask(views.file_listing)[0]

    def link_graph(self, *, existing_only: bool = False, attachments: bool = False) -> GraphView:
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
