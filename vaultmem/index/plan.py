"""What a sync has to do: a pure comparison of the files seen with the files known.

It has two halves, because a hash is read only where it is needed. :func:`compare` looks at stat data alone and
says which files must be read; :func:`decide` takes what reading found and says what to do. Rules that both keep:
times are compared for equality, never for order; what was not seen is gone only if the place where it was could
be looked at; a file that is gone while another with the same content is new has moved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vaultmem.files.scan import FileStat
from vaultmem.notes.paths import FileKind

CONTENT_KINDS = frozenset({FileKind.NOTE, FileKind.CANVAS})
"""Kinds whose content is read; of all others only name and stat data are kept."""

PRESENT = "present"
OFFLOADED = "offloaded"
UNREADABLE = "unreadable"

MASS_FLOOR = 20
"""Fewer lost notes than this are never called a mass disappearance."""

MASS_SHARE = 0.5


class KnownFile(NamedTuple):
    """A file as the index has it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    trusted: int
    """1 when an edit after the last reading must have left other stat data behind."""
    id: int
    kind: str
    state: str
    excluded: int
    content_hash: bytes | None


class Pair(NamedTuple):
    """A known file and what stands in its place now."""

    known: KnownFile
    seen: FileStat


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first half: by stat data alone. Every known and every seen file is in exactly one of the first lists."""

    unchanged: int
    doubtful: tuple[Pair, ...]
    """Stat data differ, or are too fresh to trust: read and compare the hash."""
    new: tuple[FileStat, ...]
    gone: tuple[KnownFile, ...]
    unseen: tuple[KnownFile, ...]
    """Could not be looked at (unreadable folder, file in the cloud, scan cut short): keep as they are."""
    away: tuple[str, ...] = ()
    """Paths of files in the cloud that are not known yet; in order."""
    hidden: tuple[KnownFile, ...] = ()
    """Those of ``unseen`` whose state has to say so, and does not yet."""
    shut: tuple[Pair, ...] = ()
    """Could not be read before and cannot be read now: keep as they are."""
    resettled: bool = False
    """The settings that decide how files become rows are others now."""

    @property
    def nothing_to_do(self) -> bool:
        """Whether the index already says what the disk says."""
        return not (
            self.doubtful or self.new or self.gone or self.away or self.hidden or self.resettled
        )


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """The second half: what the index must do. Every known and every seen file is in exactly one list."""

    added: tuple[FileStat, ...]
    changed: tuple[Pair, ...]
    moved: tuple[Pair, ...]
    removed: tuple[KnownFile, ...]
    touched: tuple[Pair, ...]
    """Same content, other stat data: only those are written."""
    reread: tuple[Pair, ...]
    """Same content, which says something else under the settings of now: its rows are written anew."""
    unreadable: tuple[Pair, ...]
    """Seen, but reading failed: the old rows stay."""
    unchanged: int

    @property
    def nothing_to_do(self) -> bool:
        """Whether no row has to change."""
        return not (
            self.added or self.changed or self.moved or self.removed or self.touched or self.reread
        )


def compare(
    seen: Sequence[FileStat],
    known: Mapping[str, KnownFile],
    *,
    hidden_below: Iterable[str] = (),
    offloaded: Iterable[str] = (),
    complete: bool = True,
) -> Comparison:
    """Files seen against files known, by path and stat data.

    ``hidden_below`` are folders and files that could not be looked at, ``offloaded`` notes that exist elsewhere;
    with ``complete`` false nothing counts as gone.
    """
    doubtful: list[Pair] = []
    new: list[FileStat] = []
    left = dict(known)
    take = left.pop
    for file in seen:
        row = take(file[0], None)
        if row is None:
            new.append(file)
        elif row[1:5] != file[2:6] or not row[5] or row[8] != PRESENT:
            doubtful.append(Pair(row, file))
    places, elsewhere = tuple(hidden_below), frozenset(offloaded)
    gone, unseen = _split_missing(left.values(), places, elsewhere, complete)
    return Comparison(
        unchanged=len(seen) - len(new) - len(doubtful),
        doubtful=tuple(doubtful),
        new=tuple(new),
        gone=gone,
        unseen=unseen,
        away=tuple(sorted(path for path in elsewhere if path not in known)),
        hidden=tuple(
            row
            for row in unseen
            if (row.path in elsewhere and row.state != OFFLOADED)
            or (row.state == PRESENT and _is_below(row.path, places))
        ),
    )


def _split_missing(
    missing: Iterable[KnownFile], hidden: tuple[str, ...], offloaded: frozenset[str], complete: bool
) -> tuple[tuple[KnownFile, ...], tuple[KnownFile, ...]]:
    gone: list[KnownFile] = []
    unseen: list[KnownFile] = []
    for row in missing:
        looked_at = complete and row.path not in offloaded and not _is_below(row.path, hidden)
        (gone if looked_at else unseen).append(row)
    return tuple(gone), tuple(unseen)


def _is_below(path: str, places: tuple[str, ...]) -> bool:
    return any(not place or path == place or path.startswith(f"{place}/") for place in places)


def decide(
    comparison: Comparison,
    hashes: Mapping[str, bytes | None],
    *,
    rereads: Callable[[str], bool] | None = None,
) -> SyncPlan:
    """The plan, given the content hash of each doubtful or new file of a content kind, by path; None for a file
    that could not be read. ``rereads`` tells the paths of files that say something else though their content is
    the same (the settings by which they are read have changed)."""
    changed: list[Pair] = []
    touched: list[Pair] = []
    reread: list[Pair] = []
    unreadable: list[Pair] = [*comparison.shut]
    for pair in comparison.doubtful:
        path = pair.seen.path
        if pair.seen.kind not in CONTENT_KINDS:
            touched.append(pair)
        elif hashes.get(path) is None:
            unreadable.append(pair)
        elif hashes[path] != pair.known.content_hash:
            changed.append(pair)
        elif rereads is not None and rereads(path):
            reread.append(pair)
        else:
            touched.append(pair)
    moved = _match_moves(comparison.new, comparison.gone, hashes)
    moved_to = {pair.seen.path for pair in moved}
    moved_from = {pair.known.path for pair in moved}
    return SyncPlan(
        added=tuple(f for f in comparison.new if f.path not in moved_to),
        changed=tuple(changed),
        moved=tuple(moved),
        removed=tuple(k for k in comparison.gone if k.path not in moved_from),
        touched=tuple(touched),
        reread=tuple(reread),
        unreadable=tuple(unreadable),
        unchanged=comparison.unchanged,
    )


def _match_moves(
    new: Sequence[FileStat], gone: Sequence[KnownFile], hashes: Mapping[str, bytes | None]
) -> list[Pair]:
    """Pairs of gone and new files with the same content, each file once, surest first: same inode, then same
    name, then the order of the paths. Empty files are alike by chance, so they need the same inode. A file that
    cannot be read is the one with the same inode that was as large and as old."""
    files, rows = sorted(new), sorted(gone)
    moves: list[Pair] = []
    for sign in (_same_file, _same_name, _same_content, _same_stat):
        waiting: dict[Hashable, deque[KnownFile]] = {}
        for row in rows:
            waiting.setdefault(sign(row, row.content_hash), deque()).append(row)
        for file in files:
            alike = waiting.get(sign(file, hashes.get(file.path)))
            if alike:
                moves.append(Pair(alike.popleft(), file))
        moved = {path for pair in moves for path in (pair.known.path, pair.seen.path)}
        files = [file for file in files if file.path not in moved]
        rows = [row for row in rows if row.path not in moved]
    return moves


def _same_file(file: FileStat | KnownFile, content_hash: bytes | None) -> Hashable:
    """What two files have in common that are one: content and inode; for files that are not read, stat data."""
    if file.kind in CONTENT_KINDS:
        return (content_hash or file.path, file.inode)
    return (str(file.kind), file.inode, file.size, file.mtime_ns)


def _same_stat(file: FileStat | KnownFile, content_hash: bytes | None) -> Hashable:
    """What a file that cannot be read still shows of itself; of one that can, what no other file has."""
    shows_more = content_hash is not None or file.kind not in CONTENT_KINDS
    if not file.inode or (isinstance(file, FileStat) and shows_more):
        return file.path
    return (str(file.kind), file.inode, file.size, file.mtime_ns)


def _same_name(file: FileStat | KnownFile, content_hash: bytes | None) -> Hashable:
    return (_same_content(file, content_hash), file.path.rpartition("/")[2])


def _same_content(file: FileStat | KnownFile, content_hash: bytes | None) -> Hashable:
    """The content, or what no other file has where that proves nothing."""
    says_much = content_hash is not None and file.size > 0 and file.kind in CONTENT_KINDS
    return content_hash if says_much else file.path


def is_mass_disappearance(removed_notes: int, known_notes: int) -> bool:
    """Whether so many notes are gone at once that the folder is more likely unmounted than emptied (P11)."""
    return removed_notes >= MASS_FLOOR and removed_notes > MASS_SHARE * known_notes
