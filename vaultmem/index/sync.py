"""Keeping the index up with the disk: compare, read what differs, write it in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import apsw

from vaultmem.errors import EmbedderError
from vaultmem.files.scan import FileStat
from vaultmem.index import vectors
from vaultmem.index.connection import fetch, fetch_int, sqlite_errors, write_transaction
from vaultmem.index.departures import Departures, missing, with_told_moves
from vaultmem.index.entries import (
    absent_row,
    absent_rows,
    absent_stat,
    copied_from,
    read_row,
    unread_row,
)
from vaultmem.index.handedits import HandEdits, unexplained
from vaultmem.index.journal import has_news, take_in, whereabouts
from vaultmem.index.look import look
from vaultmem.index.meta import Stamp, read_stamp, write_stamp
from vaultmem.index.names import IndexedNames
from vaultmem.index.plan import (
    CONTENT_KINDS,
    OFFLOADED,
    UNREADABLE,
    Comparison,
    SyncPlan,
    decide,
    is_mass_disappearance,
)
from vaultmem.index.reading import FAULT, FileRead, Job
from vaultmem.index.rebuild import COUNT_NOTES, refuse_mass_disappearance
from vaultmem.index.rows import Row, name_hash
from vaultmem.index.rules import Rules
from vaultmem.index.source import Progress, Semantics, Source, no_progress
from vaultmem.index.tombstones import settle
from vaultmem.index.words import add_words
from vaultmem.index.workers import read_all, worker_count
from vaultmem.index.writer import (
    DROP_FILE,
    PUT_FILE,
    FileContent,
    check_in_step,
    drop_contents,
    keep_segments,
    put_contents,
    resolve_again,
)
from vaultmem.notes.paths import FileKind, path_key
from vaultmem.notes.resolve import affected_name_keys

LAST_FILE = "SELECT coalesce(max(id), 0) FROM vault_files"
SET_ASIDE_PATH = "UPDATE vault_files SET path = char(0) || id WHERE id = ?"
SET_STATE = "UPDATE vault_files SET state = ? WHERE id = ?"
# A file that cannot be read just when it would have to be read anew: it must be later, whatever it holds.
SET_ASIDE_CONTENT = """
UPDATE vault_files SET content_hash = NULL, state = iif(state = 'present', 'unreadable', state) WHERE id = ?
"""
EXCLUSIONS = "SELECT id, path, excluded FROM vault_files"
SET_EXCLUDED = "UPDATE vault_files SET excluded = ? WHERE id = ?"
CONFLICT_COPIES = "SELECT id, path, conflict_of FROM vault_files WHERE conflict_of IS NOT NULL"
SET_CONFLICT = "UPDATE vault_files SET conflict_of = ? WHERE id = ?"


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync found and did; paths in order."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]
    unchanged: int
    unreadable: tuple[str, ...]
    unseen: int
    """Files that could not be looked at and were therefore kept."""
    generation: int
    note: str = ""
    """Why blocks are without a vector though there is an embedder, and why hand edits are not in the journal; ""
    when there is nothing to say."""

    @property
    def is_empty(self) -> bool:
        """Whether no content changed."""
        return not (self.added or self.changed or self.moved or self.removed)


class UnclearError(Exception):
    """A look at some paths does not tell; a comparison of all files does."""


def sync(
    connection: apsw.Connection,
    index_path: Path,
    take_source: Callable[[], Source],
    semantics: Callable[[], Semantics | None],
    *,
    cores: int,
    accept_removals: bool = False,
    already_removed: int = 0,
    looking: Callable[[apsw.Connection, Source], Comparison] = look,
    renew_vectors: bool = False,
    begin_vectors: bool = False,
    former: Callable[[Stamp], Semantics | None] = lambda _: None,
    hand_edits: HandEdits | None = None,
    progress: Progress = no_progress,
) -> SyncReport:
    """Brings the index up with the disk and says what it did. The caller holds the writer's lock, and
    ``take_source`` scans now, so that no older look at the disk can undo what another process wrote.
    ``semantics`` is called when there is something to embed, ``looking`` compares the source with the index.
    ``already_removed`` notes went a moment ago: they count with those of this sync, as a disk that goes away in
    small steps goes away all the same. With ``renew_vectors`` an index whose vectors are another model's gets those
    of the embedder in use beside them, and keeps these up from then on; until then ``former`` gives the embedder of the
    vectors that it has. With ``begin_vectors`` one that was built without vectors gets some, too. What no event of the journal explains goes to
    ``hand_edits``, if there is one, before the index knows of it.

    A note that an event moved to another path, or removed, has not disappeared.

    Raises RefusedError on a mass disappearance (P11) unless ``accept_removals``, UnclearError when ``looking`` saw
    some paths only and an event moved a file from these to another one, and the errors of SQLite in our own words; the
    index then stands as it was.
    """
    with sqlite_errors(index_path):
        source = take_source()
        comparison = looking(connection, source)
        stamp = read_stamp(connection)
        reads, plan = _plan(connection, source, comparison, cores, progress)
        owed = vectors.count_without(connection, stamp.vector_model, stamp.vector_dim)
        mendable = owed > 0 and _serving(semantics, former, stamp) is not None
        begin = begin_vectors or bool(stamp.vector_model)
        successor = _successor(semantics, stamp) if renew_vectors and begin else None
        states = _new_states(source, plan, comparison)
        if plan.nothing_to_do and not (
            comparison.away
            or comparison.resettled
            or states
            or mendable
            or successor
            or has_news(connection, source.root)
        ):
            kept = _keep_versions(connection, hand_edits, stamp, stamp, plan)
            note = " ".join(filter(None, (_failed_at(reads), kept)))
            return _report(plan, comparison, stamp.generation, note)
        under_way = hand_edits.under_way() if hand_edits is not None else []
        with write_transaction(connection):
            told = take_in(connection, source.root)
            departures = Departures(source.root, whereabouts(connection), under_way)
            plan = with_told_moves(plan, departures)
            if looking is not look and any(departures.is_elsewhere(r.path) for r in plan.removed):
                raise UnclearError
            if not accept_removals:
                _refuse_mass_disappearance(connection, plan, already_removed, departures)
            unrecorded = ""
            if hand_edits is not None:
                said = whereabouts(connection)
                found = unexplained(plan, _hashes(reads), said, under_way, departures)
                unrecorded = hand_edits.record(found)
                told |= take_in(connection, source.root) if found else set()
            owners = apply_plan(connection, source, plan, reads, comparison.away)
            settle_links(connection, plan, comparison.away, told)
            connection.executemany(SET_STATE, states)
            if comparison.resettled:
                _set_aside(connection, stamp.rules, source, plan, comparison)
                connection.executemany(SET_EXCLUDED, _other_exclusions(connection, source))
            note = ""
            if successor is not None:
                stamp, note = _renew_vectors(connection, successor, stamp, progress)
            elif (owners or mendable) and (
                serving := _serving(semantics, former, stamp)
            ) is not None:
                after = 0 if owed else owners[0][0] - 1
                note = vectors.embed_or_owe(connection, serving, after=after)
            if looking is look:
                vectors.compact(connection)
            check_in_step(connection)
            keep_segments(connection)
            renewed = stamp.after(source.now_ns, source.rules)
            write_stamp(connection, renewed)
            unkept = _keep_versions(connection, hand_edits, stamp, renewed, plan)
        note = " ".join(filter(None, (note, _failed_at(reads), unrecorded, unkept)))
        return _report(plan, comparison, renewed.generation, note)


def _keep_versions(
    connection: apsw.Connection,
    hand_edits: HandEdits | None,
    before: Stamp,
    after: Stamp,
    plan: SyncPlan,
) -> str:
    """Sees to the versions that captured hand edits need; why that could not be, or ""."""
    if hand_edits is None or not hand_edits.owes(connection, after.generation):
        return ""
    paths = [file.path for file in plan.added]
    paths += [pair.seen.path for pair in (*plan.changed, *plan.moved)]
    return hand_edits.keep_present(connection, before.generation, after.generation, paths)


def pending_edits(
    connection: apsw.Connection, source: Source, comparison: Comparison, *, cores: int
) -> int:
    """How many files a sync would have to write anew, for an index that cannot be written; reads what is doubtful."""
    _, plan = _plan(connection, source, comparison, cores, no_progress)
    files = (plan.added, plan.changed, plan.reread, plan.moved, plan.removed, comparison.away)
    settled = _other_exclusions(connection, source) if comparison.resettled else []
    return sum(map(len, (*files, settled)))


def _plan(
    connection: apsw.Connection,
    source: Source,
    comparison: Comparison,
    cores: int,
    progress: Progress,
) -> tuple[dict[str, FileRead], SyncPlan]:
    """What reading the doubtful and new files gave, by path, and what is to be done."""
    before = read_stamp(connection).rules
    rereads = partial(before.rereads, after=source.rules) if comparison.resettled else None
    reads = _read(source, comparison, cores, progress, rereads)
    return reads, decide(comparison, _hashes(reads), rereads=rereads)


def _hashes(reads: dict[str, FileRead]) -> dict[str, bytes | None]:
    return {path: None if read.problem else read.content_hash for path, read in reads.items()}


def _read(
    source: Source,
    comparison: Comparison,
    cores: int,
    progress: Progress,
    rereads: Callable[[str], bool] | None,
) -> dict[str, FileRead]:
    """Reads each doubtful or new file of a content kind; by path."""
    in_templates = source.settings.in_templates
    jobs = [
        Job(
            pair.known.id,
            pair.seen.path,
            str(pair.seen.kind),
            in_templates(pair.seen.path),
            b"" if rereads and rereads(pair.seen.path) else pair.known.content_hash or b"",
        )
        for pair in comparison.doubtful
        if pair.seen.kind in CONTENT_KINDS
    ]
    jobs += [
        Job(0, file.path, str(file.kind), in_templates(file.path))
        for file in comparison.new
        if file.kind in CONTENT_KINDS
    ]
    reads: dict[str, FileRead] = {}
    for read in read_all(source.root, jobs, worker_count(len(jobs), cores)):
        reads[read.path] = read
        progress("read", len(reads), len(jobs))
    return reads


def _failed_at(reads: dict[str, FileRead]) -> str:
    """Which files our own code failed at, for a person; "" for none."""
    failed = [read for read in reads.values() if read.problem.startswith(FAULT)]
    return " ".join(f"{read.path} could not be taken in: {read.problem}." for read in failed)


def _refuse_mass_disappearance(
    connection: apsw.Connection, plan: SyncPlan, already_removed: int, departures: Departures
) -> None:
    gone = [row for row in plan.removed if row.kind == FileKind.NOTE]
    known = fetch_int(connection, COUNT_NOTES) + already_removed
    if not is_mass_disappearance(len(gone) + already_removed, known):
        return
    lost = missing(gone, departures)
    if lost:
        refuse_mass_disappearance(known, known - already_removed - lost)


def _new_states(source: Source, plan: SyncPlan, comparison: Comparison) -> list[Row]:
    """(state, file id) of files whose rows stay though the file cannot be read now."""
    states: list[Row] = [
        (UNREADABLE, pair.known.id) for pair in plan.unreadable if pair.known.state != UNREADABLE
    ]
    away = frozenset(source.scan.offloaded)
    states += [(OFFLOADED if row.path in away else UNREADABLE, row.id) for row in comparison.hidden]
    return states


def _set_aside(
    connection: apsw.Connection,
    before: Rules,
    source: Source,
    plan: SyncPlan,
    comparison: Comparison,
) -> None:
    """Sees to it that files that say something else now, but cannot be read, are read once they can be."""
    rows = [*comparison.unseen, *(pair.known for pair in plan.unreadable)]
    anew = [row for row in rows if before.rereads(row.path, source.rules)]
    connection.executemany(SET_ASIDE_CONTENT, [(row.id,) for row in anew])


def _other_exclusions(connection: apsw.Connection, source: Source) -> list[Row]:
    """(excluded, file id) of the files that the settings of now exclude and those of before do not, or the reverse."""
    is_excluded = source.settings.is_excluded
    return [
        (int(excluded), file_id)
        for file_id, path, before in fetch(connection, EXCLUSIONS)
        if (excluded := is_excluded(path)) != bool(before)
    ]


def _serving(
    semantics: Callable[[], Semantics | None],
    former: Callable[[Stamp], Semantics | None],
    stamp: Stamp,
) -> Semantics | None:
    """The embedder whose vectors the index keeps: the one in use, or the one before it; without it vectors stay
    owed."""
    if not stamp.vector_model:
        return None
    found = semantics()
    if found is not None and stamp.has_vectors_of(found.embedder):
        return found
    return former(stamp)


def _successor(semantics: Callable[[], Semantics | None], stamp: Stamp) -> Semantics | None:
    """The embedder in use, if it is another than the one whose vectors the index keeps."""
    found = semantics()
    return found if found is not None and not stamp.has_vectors_of(found.embedder) else None


def _renew_vectors(
    connection: apsw.Connection, successor: Semantics, stamp: Stamp, progress: Progress
) -> tuple[Stamp, str]:
    """Completes the successor's set of vectors; those of others stay. Returns the stamp that says so, and why some
    are owed; when the embedder takes no text at all, all stays as it is."""
    try:
        with connection:
            vectors.begin_set(connection, successor.embedder)
            vectors.embed_missing(
                connection, successor.embedder, successor.cache, progress=progress
            )
    except EmbedderError as error:
        return stamp, vectors.owing(error)
    embedder = successor.embedder
    named = replace(
        stamp,
        vector_model=embedder.model,
        vector_dim=embedder.dim,
        vector_name=successor.name,
    )
    return named, ""


def apply_plan(
    connection: apsw.Connection,
    source: Source,
    plan: SyncPlan,
    reads: dict[str, FileRead],
    offloaded: Sequence[str],
) -> list[tuple[int, int]]:
    """Carries the plan out, inside a transaction: old rows out, files in place, new rows in.

    Returns (block id, file id) of the new blocks, in order.
    """
    kept = frozenset(pair.seen.path for pair in plan.moved if _is_unreadable(pair.seen, reads))
    anew = [*plan.changed, *plan.reread, *(p for p in plan.moved if p.seen.path not in kept)]
    rewritten = [pair.known.id for pair in anew] + [row.id for row in plan.removed]
    vectors.drop_vectors(connection, drop_contents(connection, rewritten))
    connection.executemany(DROP_FILE, [(row.id,) for row in plan.removed])
    connection.executemany(SET_ASIDE_PATH, [(pair.known.id,) for pair in plan.moved])

    next_id = fetch_int(connection, LAST_FILE) + 1
    placed = [(pair.known.id, pair.seen) for pair in anew]
    placed += [(next_id + i, file) for i, file in enumerate(plan.added)]
    absent = [
        (next_id + len(plan.added) + i, absent_stat(path)) for i, path in enumerate(offloaded)
    ]
    touched = [(pair.known.id, pair.seen) for pair in plan.touched]
    touched += [(pair.known.id, pair.seen) for pair in plan.moved if pair.seen.path in kept]
    _put_files(connection, source, [*placed, *touched], absent, reads)

    names = IndexedNames(connection)
    contents = [
        FileContent(file_id, file.path, reads[file.path].rows or absent_rows(file))
        for file_id, file in placed
        if file.kind in CONTENT_KINDS
    ]
    contents += [FileContent(file_id, file.path, absent_rows(file)) for file_id, file in absent]
    owners = put_contents(connection, contents, names)
    add_words(connection, contents)
    _settle_conflict_copies(connection, names)
    return owners


def settle_links(
    connection: apsw.Connection, plan: SyncPlan, offloaded: Sequence[str], told: set[str]
) -> None:
    """Puts up and takes away tombstones, the files being in place, and resolves again each link that may end
    elsewhere; ``told`` are the keys of paths of which the journal says something new."""
    paths = _touched_paths(plan, offloaded)
    keys = told.union(map(path_key, paths))
    affected = settle(connection, sorted(keys), IndexedNames(connection).lookup)
    affected.update(name_hash(key) for path in paths for key in affected_name_keys(path))
    resolve_again(connection, affected, IndexedNames(connection))


def _is_unreadable(file: FileStat, reads: dict[str, FileRead]) -> bool:
    read = reads.get(file.path)
    return read is not None and bool(read.problem)


def _put_files(
    connection: apsw.Connection,
    source: Source,
    here: Iterable[tuple[int, FileStat]],
    absent: Iterable[tuple[int, FileStat]],
    reads: dict[str, FileRead],
) -> None:
    """Writes the files' own rows; names are looked up before, so copies find originals of the same sync only
    in :func:`_settle_conflict_copies`."""
    names = IndexedNames(connection)
    rows: list[Row] = []
    for file_id, file in here:
        read = reads.get(file.path)
        if read is None:
            rows.append(unread_row(file_id, file, source.settings, names.lookup))
        else:
            rows.append(
                read_row(read._replace(file_id=file_id), file, source.settings, names.lookup)
            )
    rows += [
        absent_row(file_id, file.path, OFFLOADED, source.settings, names.lookup)
        for file_id, file in absent
    ]
    connection.executemany(PUT_FILE, rows)


def _touched_paths(plan: SyncPlan, offloaded: Sequence[str]) -> list[str]:
    """Where a file came or went."""
    paths = [file.path for file in plan.added]
    paths += [row.path for row in plan.removed]
    paths += [path for pair in plan.moved for path in (pair.known.path, pair.seen.path)]
    paths += offloaded
    return paths


def _settle_conflict_copies(connection: apsw.Connection, names: IndexedNames) -> None:
    changes = []
    for file_id, path, before in fetch(connection, CONFLICT_COPIES):
        original = copied_from(path, names.lookup)
        if original != before:
            changes.append((original, file_id))
    connection.executemany(SET_CONFLICT, changes)


def _report(plan: SyncPlan, comparison: Comparison, generation: int, note: str = "") -> SyncReport:
    return SyncReport(
        added=tuple(file.path for file in plan.added),
        changed=tuple(pair.seen.path for pair in plan.changed),
        moved=tuple((pair.known.path, pair.seen.path) for pair in plan.moved),
        removed=tuple(row.path for row in plan.removed),
        unchanged=plan.unchanged + len(plan.touched) + len(plan.reread),
        unreadable=tuple(pair.seen.path for pair in plan.unreadable),
        unseen=len(comparison.unseen),
        generation=generation,
        note=note,
    )
