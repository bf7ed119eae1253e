"""Building the index from the files alone, beside the old one, and putting it in its place in one step.

A build writes to a file of its own (``memory.db.build-…``). Nobody sees it until it is whole and checked; a crash,
an error or Ctrl-C on the way leaves the old index as it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

from vaultmem.errors import FailedError, IndexDamagedError, IndexReadOnlyError, RefusedError
from vaultmem.files.events import MemoryEvent
from vaultmem.files.scan import FileStat, Scan, scan_vault
from vaultmem.index import vectors
from vaultmem.index.connection import (
    SET_ASIDE,
    check_whole,
    create_index,
    fetch,
    fetch_int,
    open_index,
    read_file_id,
    sqlite_errors,
    write_transaction,
)
from vaultmem.index.departures import Departures
from vaultmem.index.entries import (
    absent_row,
    absent_rows,
    absent_stat,
    read_content,
    read_row,
    unread_row,
)
from vaultmem.index.groups import Groups, carry_over, groups_in
from vaultmem.index.handedits import HandEdits, unexplained
from vaultmem.index.journal import journal_sizes, take_in, whereabouts
from vaultmem.index.look import known_files
from vaultmem.index.meta import (
    INDEX_VERSION,
    Stamp,
    read_generation,
    set_version,
    version_of,
    write_stamp,
)
from vaultmem.index.names import IndexedNames, ListedNames
from vaultmem.index.plan import (
    CONTENT_KINDS,
    OFFLOADED,
    UNREADABLE,
    KnownFile,
    SyncPlan,
    compare,
    decide,
    is_mass_disappearance,
)
from vaultmem.index.reading import FileRead, Job
from vaultmem.index.rows import Row
from vaultmem.index.source import Progress, Semantics, Source, no_progress
from vaultmem.index.tombstones import settle, settle_all, tombstone_paths
from vaultmem.index.words import fill_words
from vaultmem.index.workers import read_all, worker_count
from vaultmem.index.writer import (
    PUT_FILE,
    FileContent,
    check_in_step,
    check_segments,
    keep_segments,
    put_contents,
    resolve_again,
)
from vaultmem.notes.paths import FileKind, file_kind

BATCH_BYTES = 500_000
"""Note text that is collected before it is written: enough that a call's cost does not count."""

FTS_HASH_BYTES = 8_000_000
"""Memory of each full-text index before it writes a segment; eight times the default means fewer merges."""

FTS_HASH_DEFAULT = 1_048_576
"""FTS5's own default (fts5_config.c), restored when the build is done."""

COUNT_BLOCKS = "SELECT count(*) FROM notes_blocks"
COUNT_VECTORS = "SELECT count(*) FROM notes_vec_map"
COUNT_NOTES = "SELECT count(*) FROM notes_index"
COUNT_READABLE = """
SELECT count(*) FROM notes_index JOIN vault_files USING (id) WHERE state != 'unreadable'
"""
CONTENT_HASHES = "SELECT path, content_hash FROM vault_files WHERE state = 'present'"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did; ``unreadable`` names files that could not be read and folders that could not be listed."""

    files: int
    notes: int
    blocks: int
    vectors: int
    unreadable: tuple[str, ...]
    note: str = ""
    """Why blocks are without a vector though there is an embedder, and why hand edits are not in the journal; ""
    when there is nothing to say."""


def rebuild(
    target: Path,
    source: Source,
    semantics: Semantics | None,
    *,
    cores: int,
    accept_removals: bool = False,
    damaged: bool = False,
    may_owe: bool = False,
    hand_edits: HandEdits | None = None,
    progress: Progress = no_progress,
) -> BuildReport:
    """Builds the index of the source aside and puts it at ``target``. The caller holds the writer's lock, and
    says with ``damaged`` that the file at ``target`` is not to be written to but replaced; it is then set aside.
    An index that ``may_owe`` its vectors is built when the embedder fails, too, and the report says so. What differs
    from a sound old index, and no event of the journal explains, goes to ``hand_edits``, if there is one.

    Raises EmbedderError otherwise, RefusedError when most notes of the old index cannot be read on disk (P11), unless
    ``accept_removals``; VaultVanishedError when the vault goes away meanwhile; FailedError and its kin when the
    build fails. In all these cases the old index stands.
    """
    old = _old_state(target)
    in_place = old is not None and old.can_be_filled and not damaged
    known = 0
    if old is not None:
        source = replace(source, hidden=hidden_paths(old.files, source.scan))
        known = 0 if accept_removals else old.notes
    if not journal_sizes(source.root):  # what could account for notes that are gone
        refuse_mass_disappearance(known, _count_notes(source))
    under_way = hand_edits.under_way() if hand_edits is not None else []

    def compare_with_old(connection: apsw.Connection, unreadable: Sequence[str]) -> str:
        if old is None:
            return ""
        carry_over(connection, old.groups)
        hashes = dict(fetch(connection, CONTENT_HASHES))
        plan = _plan(source, old.files, hashes)
        unread = sum(file_kind(path) == FileKind.NOTE for path in unreadable)
        departures = Departures(source.root, whereabouts(connection), under_way)
        removed = sum(
            row.kind == FileKind.NOTE and departures.is_removed(row.path) for row in plan.removed
        )
        refuse_mass_disappearance(known, _count_notes(source) - unread + removed)
        if damaged or hand_edits is None:
            return ""
        return _record(connection, source, plan, hashes, hand_edits, under_way, departures)

    aside = target.with_name(f"{target.name}.build-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        remove_leftovers(target)
        report = build(
            aside,
            source,
            semantics,
            generation=old.generation + 1 if old else 1,
            file_id=old.file_id if old is not None and in_place else None,
            cores=cores,
            may_owe=may_owe,
            before_the_end=compare_with_old,
            progress=progress,
        )
        if damaged or (old is None and target.exists()):
            _set_aside(target)
        _swap(aside, target, keep_open=in_place)
    except OSError as error:
        raise FailedError(
            f"The new index could not be put at {target} ({error.strerror}); the old one stands.",
            hint="Check the folder's permissions and its room.",
        ) from error
    finally:
        _unlink(aside)
    return replace(report, unreadable=(*source.scan.unreadable, *report.unreadable))


def _plan(
    source: Source, known: Mapping[str, KnownFile], hashes: Mapping[str, bytes | None]
) -> SyncPlan:
    """What the new index says otherwise than the old one."""
    scan = source.scan
    comparison = compare(
        scan.files,
        known,
        hidden_below=scan.unreadable,
        offloaded=scan.offloaded,
        complete=scan.complete,
    )
    return decide(comparison, hashes)


def _record(
    connection: apsw.Connection,
    source: Source,
    plan: SyncPlan,
    hashes: Mapping[str, bytes | None],
    hand_edits: HandEdits,
    under_way: Sequence[MemoryEvent],
    departures: Departures,
) -> str:
    """Records what of the plan no event explains, and takes that in."""
    found = unexplained(plan, hashes, whereabouts(connection), under_way, departures)
    note = hand_edits.record(found)
    if found:
        affected = settle(
            connection,
            sorted(take_in(connection, source.root)),
            IndexedNames(connection).lookup,
        )
        resolve_again(connection, affected, IndexedNames(connection))
    return note


def _count_notes(source: Source) -> int:
    """Notes that are there as far as the scan can tell, those in the cloud and in unreadable folders included."""
    paths = (*source.scan.offloaded, *source.hidden)
    seen = sum(file.kind == FileKind.NOTE for file in source.scan.files)
    return seen + sum(file_kind(path) == FileKind.NOTE for path in paths)


def hidden_paths(known: Iterable[str], scan: Scan) -> tuple[str, ...]:
    """Those of the known paths that the scan did not see and could not look at."""
    if scan.complete and not scan.unreadable:
        return ()
    seen = {file.path for file in scan.files}.union(scan.offloaded)
    return tuple(path for path in known if path not in seen and scan.may_hide(path))


def build(
    path: Path,
    source: Source,
    semantics: Semantics | None,
    *,
    generation: int,
    cores: int,
    file_id: int | None = None,
    may_owe: bool = False,
    before_the_end: Callable[[apsw.Connection, Sequence[str]], str] = lambda *_: "",
    progress: Progress = no_progress,
) -> BuildReport:
    """Builds a whole, checked and closed index file at ``path``, which must not exist; with that file id, or one of
    its own. ``before_the_end`` sees it whole, and what could not be read, and may add to the report's note.

    Raises VaultVanishedError when the vault goes away meanwhile, and EmbedderError when the embedder fails, unless
    the index ``may_owe`` the vectors then.
    """
    if file_id is None:
        file_id = int.from_bytes(os.urandom(4), "big") >> 1
    with sqlite_errors(path), closing(create_index(path, file_id)) as connection:
        with write_transaction(connection):
            unreadable = _fill(connection, source, semantics, cores, progress)
            if unreadable:
                scan_vault(source.root)  # raises when it is the vault that went away
            note = ""
            if semantics is not None and may_owe:
                note = vectors.embed_or_owe(connection, semantics, progress=progress)
            elif semantics is not None:
                vectors.embed_missing(
                    connection, semantics.embedder, semantics.cache, progress=progress
                )
            note = " ".join(filter(None, (note, before_the_end(connection, unreadable))))
            fill_words(connection)
            keep_segments(connection)
            write_stamp(connection, stamp_of(source, semantics, generation))
            set_version(connection)
        check_in_step(connection)
        check_segments(connection)
        notes = fetch_int(connection, COUNT_NOTES)
        blocks = fetch_int(connection, COUNT_BLOCKS)
        embedded = fetch_int(connection, COUNT_VECTORS)
    _sync_to_disk(path)
    return BuildReport(len(source.scan.files), notes, blocks, embedded, tuple(unreadable), note)


def stamp_of(source: Source, semantics: Semantics | None, generation: int) -> Stamp:
    """The stamp of an index that now says what the source says."""
    embedder = semantics.embedder if semantics else None
    model, dim = (embedder.model, embedder.dim) if embedder else ("", 0)
    name = semantics.name if semantics else ""
    return Stamp(generation, source.now_ns, source.rules, model, dim, name)


def _fill(
    connection: apsw.Connection,
    source: Source,
    semantics: Semantics | None,
    cores: int,
    progress: Progress,
) -> list[str]:
    """Writes the rows of all files; returns the paths that could not be read."""
    files = {file.path: file for file in sorted(source.scan.files)}
    absent = sorted({*source.scan.offloaded, *source.hidden} - files.keys())
    ids = {path: number for number, path in enumerate((*files, *absent), 1)}
    names = ListedNames((number, path) for path, number in ids.items())
    take_in(connection, source.root)
    settle_all(connection, names.lookup)
    for path in tombstone_paths(connection):
        names.gone.add(path)
    _put_unread(connection, source, files, absent, ids, names)

    in_templates = source.settings.in_templates
    jobs = [
        Job(ids[f.path], f.path, str(f.kind), in_templates(f.path))
        for f in files.values()
        if is_read(f)
    ]
    workers = worker_count(len(jobs), cores, embedding=bool(semantics and semantics.by_workers))
    reads = read_all(
        source.root, jobs, workers, semantics if semantics and semantics.by_workers else None
    )
    set_fts_memory(connection, FTS_HASH_BYTES)
    unreadable: list[str] = []
    done = 0
    progress("read", done, len(jobs))
    for batch in _batches(reads):
        _put_read(connection, batch, files, source, names, semantics)
        unreadable += [read.path for read in batch if read.problem]
        done += len(batch)
        progress("read", done, len(jobs))
    set_fts_memory(connection, FTS_HASH_DEFAULT)
    return unreadable


def _put_unread(
    connection: apsw.Connection,
    source: Source,
    files: Mapping[str, FileStat],
    absent: Sequence[str],
    ids: Mapping[str, int],
    names: ListedNames,
) -> None:
    """Writes the rows of files whose content is not read: attachments, and what is in the cloud or hidden."""
    settings, lookup = source.settings, names.lookup
    rows = [
        unread_row(ids[file.path], file, settings, lookup)
        for file in files.values()
        if not is_read(file)
    ]
    away = frozenset(source.scan.offloaded)
    rows += [
        absent_row(ids[path], path, OFFLOADED if path in away else UNREADABLE, settings, lookup)
        for path in absent
    ]
    connection.executemany(PUT_FILE, rows)
    contents = [FileContent(ids[path], path, absent_rows(absent_stat(path))) for path in absent]
    put_contents(connection, contents, names)


def _put_read(
    connection: apsw.Connection,
    batch: Sequence[FileRead],
    files: Mapping[str, FileStat],
    source: Source,
    names: ListedNames,
    semantics: Semantics | None,
) -> None:
    """Writes the rows of files that were read, and the vectors that came with them."""
    connection.executemany(
        PUT_FILE,
        [read_row(read, files[read.path], source.settings, names.lookup) for read in batch],
    )
    contents = [read_content(read, files[read.path]) for read in batch]
    owners = put_contents(connection, contents, names)
    if semantics is None:
        return
    blocks: list[int] = []
    rows: list[Row] = []
    place = 0
    for content in contents:
        size = len(content.rows.blocks)
        if content.rows.vectors:
            blocks += [block for block, _ in owners[place : place + size]]
            rows += content.rows.vectors
        place += size
    vectors.put_vectors(connection, semantics.embedder, blocks, rows)


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


def _sync_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class _OldIndex:
    generation: int
    file_id: int
    notes: int
    """Those that could be read, or were in the cloud."""
    files: Mapping[str, KnownFile]
    groups: Groups
    can_be_filled: bool
    """Its file has our form and may be written to."""


def _old_state(target: Path) -> _OldIndex | None:
    """What the index at ``target`` knew; None when there is none that can be read."""
    if not target.exists():
        return None
    try:
        with sqlite_errors(target), closing(open_index(target)) as connection:
            check_whole(connection, target)
            return _OldIndex(
                file_id=read_file_id(connection),
                generation=read_generation(connection),
                notes=fetch_int(connection, COUNT_READABLE),
                files=known_files(connection),
                groups=groups_in(connection),
                can_be_filled=version_of(connection) == INDEX_VERSION
                and not connection.readonly("main"),
            )
    except (IndexDamagedError, IndexReadOnlyError):
        return None


def refuse_mass_disappearance(known_notes: int, seen_notes: int) -> None:
    """Raises RefusedError when so many notes cannot be read that the folder looks unmounted (P11)."""
    if is_mass_disappearance(known_notes - seen_notes, known_notes):
        raise RefusedError(
            f"Of {known_notes} notes only {seen_notes} can be read on disk. The index was not changed, since the "
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
        try:
            _fill_from(aside, target)
        except IndexDamagedError:
            pass  # a page that nobody had read until now; replace the file
        else:
            return
    for suffix in ("-wal", "-shm", "-journal"):
        _unlink(target.with_name(target.name + suffix))
    os.replace(aside, target)
    _sync_to_disk(target.parent)


def _set_aside(target: Path) -> None:
    """Keeps the damaged index, side files included, for who wants to know what happened to it; one that was kept
    before goes.

    The file itself stays where it is, too, until the new one takes its place, so that nobody finds none.
    """
    if not target.exists():
        return
    kept = target.with_name(target.name + SET_ASIDE)
    _unlink(kept)
    try:
        os.link(target, kept)
    except OSError:  # no hard links here
        with suppress(FileNotFoundError):
            os.replace(target, kept)
    for suffix in ("-wal", "-shm", "-journal"):
        side, place = (file.with_name(file.name + suffix) for file in (target, kept))
        _unlink(place)
        with suppress(FileNotFoundError):
            os.replace(side, place)


def _fill_from(aside: Path, target: Path) -> None:
    with sqlite_errors(target), closing(open_index(target)) as live:
        with (
            closing(open_index(aside, writable=False)) as built,
            live.backup("main", built, "main") as copy,
        ):
            while not copy.done:
                copy.step(2000)
        live.set_busy_timeout(
            0
        )  # what readers still need stays in the log, for a later commit to move
        live.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def remove_leftovers(target: Path) -> None:
    """Deletes what builds of killed processes left beside the index. The caller holds the writer's lock."""
    for step in ("build", "verify"):
        for leftover in target.parent.glob(f"{target.name}.{step}-*"):
            _unlink(leftover)


def _unlink(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
