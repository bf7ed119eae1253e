"""Building the index from the files alone, beside the old one, and putting it in its place in one step.

A build writes to a file of its own (``memory.db.build-…``). Nobody sees it until it is whole and checked; a crash,
an error or Ctrl-C on the way leaves the old index as it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from vaultmem.errors import IndexDamagedError, IndexReadOnlyError, RefusedError
from vaultmem.files.scan import FileStat
from vaultmem.index import vectors
from vaultmem.index.connection import (
    create_index,
    fetch_int,
    open_index,
    sqlite_errors,
    write_transaction,
)
from vaultmem.index.entries import (
    absent_rows,
    offloaded_row,
    offloaded_stat,
    read_content,
    read_row,
    unread_row,
)
from vaultmem.index.meta import Stamp, read_stamp, set_version, write_stamp
from vaultmem.index.names import ListedNames
from vaultmem.index.plan import CONTENT_KINDS, is_mass_disappearance
from vaultmem.index.reading import FileRead, Job
from vaultmem.index.source import Progress, Semantics, Source, no_progress
from vaultmem.index.workers import read_all, worker_count
from vaultmem.index.writer import PUT_FILE, FileContent, check_in_step, put_contents
from vaultmem.notes.paths import FileKind

BATCH_BYTES = 2_000_000
"""Note text that is collected before it is written: enough that a call's cost does not count."""

FTS_HASH_BYTES = 8_000_000
"""Memory of each full-text index before it writes a segment; eight times the default means fewer merges."""

FTS_HASH_DEFAULT = 1_048_576
"""FTS5's own default (fts5_config.c), restored when the build is done."""

COUNT_NOTES = "SELECT count(*) FROM notes_index"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    files: int
    notes: int
    blocks: int
    vectors: int
    unreadable: tuple[str, ...]


def rebuild(
    target: Path,
    source: Source,
    semantics: Semantics | None,
    *,
    cores: int,
    accept_removals: bool = False,
    damaged: bool = False,
    progress: Progress = no_progress,
) -> BuildReport:
    """Builds the index of the source aside and puts it at ``target``. The caller holds the writer's lock, and
    says with ``damaged`` that the file at ``target`` is not to be written to but replaced.

    Raises RefusedError when most notes of the old index are gone from disk (P11), unless
    ``accept_removals``; FailedError and its kin when the build fails. In all these cases the old index stands.
    """
    old = _old_state(target)
    if old is not None and not accept_removals:
        refuse_mass_disappearance(
            old.notes, sum(f.kind == FileKind.NOTE for f in source.scan.files)
        )
    remove_leftovers(target)
    aside = target.with_name(f"{target.name}.build-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        generation = old.generation + 1 if old else 1
        report = build(
            aside, source, semantics, generation=generation, cores=cores, progress=progress
        )
        _swap(aside, target, keep_open=old is not None and not damaged)
    finally:
        _unlink(aside)
    return report


def build(
    path: Path,
    source: Source,
    semantics: Semantics | None,
    *,
    generation: int,
    cores: int,
    progress: Progress = no_progress,
) -> BuildReport:
    """Builds a whole, checked and closed index file at ``path``, which must not exist."""
    with sqlite_errors(path), closing(create_index(path)) as connection:
        with write_transaction(connection):
            unreadable = _fill(connection, source, cores, progress)
            embedded = _embed(connection, semantics, progress)
            write_stamp(connection, stamp_of(source, semantics, generation))
            set_version(connection)
        check_in_step(connection)
        notes = fetch_int(connection, COUNT_NOTES)
        blocks = fetch_int(connection, "SELECT count(*) FROM notes_blocks")
    _sync_to_disk(path)
    return BuildReport(len(source.scan.files), notes, blocks, embedded, tuple(unreadable))


def stamp_of(source: Source, semantics: Semantics | None, generation: int) -> Stamp:
    """The stamp of an index that now says what the source says."""
    model = semantics.embedder.model if semantics else ""
    return Stamp(generation, source.now_ns, source.settings_digest, model)


def _fill(connection: apsw.Connection, source: Source, cores: int, progress: Progress) -> list[str]:
    """Writes all rows but vectors; returns the paths that could not be read."""
    settings = source.settings
    files = {file.path: file for file in sorted(source.scan.files)}
    absent = sorted(set(source.scan.offloaded) - files.keys())
    ids = {path: number for number, path in enumerate((*files, *absent), 1)}
    names = ListedNames((number, path) for path, number in ids.items())

    connection.executemany(
        PUT_FILE,
        [
            unread_row(ids[f.path], f, settings, names.lookup)
            for f in files.values()
            if not is_read(f)
        ],
    )
    connection.executemany(
        PUT_FILE, [offloaded_row(ids[path], path, settings, names.lookup) for path in absent]
    )
    put_contents(
        connection,
        [FileContent(ids[path], path, absent_rows(offloaded_stat(path))) for path in absent],
        names,
    )

    jobs = [
        Job(ids[f.path], f.path, str(f.kind), settings.in_templates(f.path))
        for f in files.values()
        if is_read(f)
    ]
    set_fts_memory(connection, FTS_HASH_BYTES)
    unreadable: list[str] = []
    done = 0
    progress("read", done, len(jobs))
    reads = read_all(source.root, jobs, worker_count(len(jobs), cores))
    for batch in _batches(reads):
        connection.executemany(
            PUT_FILE, [read_row(read, files[read.path], settings, names.lookup) for read in batch]
        )
        put_contents(connection, [read_content(read, files[read.path]) for read in batch], names)
        unreadable += [read.path for read in batch if read.problem]
        done += len(batch)
        progress("read", done, len(jobs))
    set_fts_memory(connection, FTS_HASH_DEFAULT)
    return unreadable


def is_read(file: FileStat) -> bool:
    """Whether the file's content goes into the index."""
    return file.kind in CONTENT_KINDS


def _batches(reads: Iterable[FileRead]) -> Iterator[list[FileRead]]:
    batch: list[FileRead] = []
    size = 0
    for read in reads:
        batch.append(read)
        size += read.size + 1000
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def set_fts_memory(connection: apsw.Connection, size: int) -> None:
    """How many bytes each full-text index collects before it writes; remembered in the file."""
    for table in ("notes_fts", "notes_fts_trigram"):
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', ?)", (size,))


def _embed(connection: apsw.Connection, semantics: Semantics | None, progress: Progress) -> int:
    if semantics is None:
        return 0
    return vectors.embed_missing(connection, semantics.embedder, semantics.cache, progress=progress)


def _sync_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class _OldIndex:
    generation: int
    notes: int


def _old_state(target: Path) -> _OldIndex | None:
    """The generation and size of the index at ``target``; None when there is none that can be read."""
    if not target.exists():
        return None
    try:
        with sqlite_errors(target), closing(open_index(target)) as connection:
            if connection.readonly("main"):
                raise IndexReadOnlyError(
                    f"The index {target} cannot be written.",
                    hint='Check the folder\'s permissions, or set index.location = "cache".',
                )
            generation = read_stamp(connection).generation
            return _OldIndex(generation, fetch_int(connection, COUNT_NOTES))
    except IndexDamagedError:
        return None


def refuse_mass_disappearance(known_notes: int, seen_notes: int) -> None:
    """Raises RefusedError when so many notes are gone that the folder looks unmounted (P11)."""
    if is_mass_disappearance(known_notes - seen_notes, known_notes):
        raise RefusedError(
            f"Of {known_notes} notes only {seen_notes} are left on disk. The index was not changed, since the "
            "folder looks unmounted or half synced.",
            hint="If you did remove them, say so with --accept-removals.",
        )


def _swap(aside: Path, target: Path, *, keep_open: bool) -> None:
    """Puts the finished build in the old index's place.

    Over a sound index its content is replaced in one transaction, so that other processes that have it open
    go on reading, the old state first and then the new. Over a damaged one, or none, the file is renamed; its
    side files go first, since SQLite would play an old log into the new file.
    """
    if keep_open:
        with (
            sqlite_errors(target),
            closing(open_index(target)) as live,
            closing(open_index(aside, writable=False)) as built,
            live.backup("main", built, "main") as copy,
        ):
            while not copy.done:
                copy.step(2000)
        return
    for suffix in ("-wal", "-shm", "-journal"):
        _unlink(target.with_name(target.name + suffix))
    os.replace(aside, target)
    _sync_to_disk(target.parent)


def remove_leftovers(target: Path) -> None:
    """Deletes what builds of killed processes left beside the index. The caller holds the writer's lock."""
    for leftover in target.parent.glob(f"{target.name}.build-*"):
        _unlink(leftover)


def _unlink(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
