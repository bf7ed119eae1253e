"""A copy of the index in which changes are tried out before anything is written: how would the vault answer then?

The copy is a throw-away file. Changes are given as texts, go through the very code that a sync uses, and are
kept or taken back; the vault, its index and the embedding model's answers are as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.files.read import content_hash
from vaultmem.files.scan import FileStat, Scan
from vaultmem.index import vectors
from vaultmem.index.connection import create_copy, open_index, sqlite_errors
from vaultmem.index.look import known_files
from vaultmem.index.meta import Stamp, read_stamp, write_stamp
from vaultmem.index.plan import KnownFile, Pair, SyncPlan
from vaultmem.index.reading import FileRead
from vaultmem.index.rows import note_rows
from vaultmem.index.source import Semantics, Source
from vaultmem.index.sync import apply_plan, settle_links
from vaultmem.notes.paths import FileKind

_PAGES: int = 4_000
"""Copied at a time."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What would stand at a path."""

    path: str
    path_after: str
    text: str


class Rehearsal:
    """The copy, made when this is; ``with`` removes it. ``connection`` is searched as that of the index is."""

    def __init__(
        self,
        live: apsw.Connection,
        path: Path,
        root: Path,
        *,
        semantics: Callable[[Stamp], Semantics | None],
        now_ns: int,
    ) -> None:
        """``live`` is a connection to the index, ``path`` where the copy goes. Raises the errors of SQLite in our
        own words: without room for the copy nothing can be tried out."""
        self._path = path
        self._semantics = semantics
        with sqlite_errors(path):
            empty = create_copy(path)
            with empty, empty.backup("main", live, "main") as copy:
                while not copy.done:
                    copy.step(_PAGES)
            empty.close()
        self.connection = open_index(path)
        self.connection.execute("PRAGMA synchronous = OFF")
        self._known = known_files(self.connection)
        settings = read_obsidian_config(root)
        self._source = Source(root, Scan([], (), (), (), (), True), settings, now_ns)
        self._generation = read_stamp(self.connection).generation

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
        """Removes the copy."""
        self.connection.close()
        for ending in ("", "-wal", "-shm", "-journal"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    @contextmanager
    def trying(self, trials: Sequence[Trial]) -> Iterator[Keep]:
        """Inside the block the copy is as if those texts stood there. Afterwards it is as it was before, unless the
        yielded object was told to ``keep`` them."""
        keep = Keep()
        before = dict(self._known)
        self.connection.execute("SAVEPOINT trial")
        try:
            self._apply(trials)
            yield keep
        finally:
            if keep.kept:
                self.connection.execute("RELEASE trial")
            else:
                self.connection.execute("ROLLBACK TO trial; RELEASE trial")
                self._known = before

    def _apply(self, trials: Sequence[Trial]) -> None:
        reads: dict[str, FileRead] = {}
        changed: list[Pair] = []
        moved: list[Pair] = []
        added: list[FileStat] = []
        for trial in trials:
            known = self._known.pop(trial.path, None)
            read = self._read(trial, known)
            seen = FileStat(trial.path_after, FileKind.NOTE, read.size, 0, 0, 0)
            reads[trial.path_after] = read
            if known is None:
                added.append(seen)
            elif trial.path != trial.path_after:
                moved.append(Pair(known, seen))
            else:
                changed.append(Pair(known, seen))
        plan = SyncPlan(tuple(added), tuple(changed), tuple(moved), (), (), (), (), 0)
        owners = apply_plan(self.connection, self._source, plan, reads, ())
        settle_links(self.connection, plan, (), set())
        stamp = read_stamp(self.connection)
        semantics = self._semantics(stamp)
        if owners and semantics is not None:
            vectors.embed_or_owe(self.connection, semantics, after=owners[0][0] - 1)
        self._renew_generation()
        now = known_files(self.connection) if added else None
        for trial in trials:
            self._known[trial.path_after] = (
                now[trial.path_after] if now is not None else self._after(trial, reads)
            )

    def _after(self, trial: Trial, reads: dict[str, FileRead]) -> KnownFile:
        read = reads[trial.path_after]
        row = self.connection.execute(FILE_ID, (trial.path_after,)).get
        digest = read.content_hash
        return KnownFile(
            trial.path_after, read.size, 0, 0, 0, 0, int(row), "note", "present", 0, digest
        )

    def _read(self, trial: Trial, known: KnownFile | None) -> FileRead:
        data = trial.text.encode()
        template = self._source.settings.in_templates(trial.path_after)
        rows = note_rows(trial.path_after, trial.text, template=template)
        file_id = known.id if known is not None else 0
        digest = bytes.fromhex(content_hash(data))
        return FileRead(
            file_id, trial.path_after, "", len(data), 0, 0, 0, self._source.now_ns, digest, rows
        )

    def _renew_generation(self) -> None:
        """Each state that is tried has a number of its own: what a search remembers of one must not pass for
        another's. What is taken back leaves the state before, with its number."""
        self._generation += 1
        stamp = read_stamp(self.connection)
        write_stamp(self.connection, replace(stamp, generation=self._generation))


FILE_ID = "SELECT id FROM vault_files WHERE path = ?"


class Keep:
    """Says that what was tried out stays in the copy."""

    def __init__(self) -> None:
        self.kept = False

    def keep(self) -> None:
        """It stays."""
        self.kept = True
