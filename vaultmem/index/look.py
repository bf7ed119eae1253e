"""The first look before every answer: does the index still say what the disk says? No content is read, and
nothing written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import apsw

from vaultmem.files.read import can_be_opened
from vaultmem.files.scan import FileStat, collector_paused
from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.meta import read_stamp
from vaultmem.index.plan import UNREADABLE, Comparison, KnownFile, compare
from vaultmem.index.rules import Rules
from vaultmem.index.source import Source
from vaultmem.notes.paths import FileKind

FRESH_NS = 2_500_000_000
"""Stat data this close to the reading are not trusted: a later edit may have left the same (2 s on FAT)."""

FEW = 500
"""Files that are looked up one by one; for more, all are read at once."""

# Whether a file's stat data prove that it was not edited after it was read. A change time cannot be set by hand,
# so a modification time in the future (a wrong clock, once) does not cast doubt for ever.
_TRUSTED = """(content_hash IS NULL OR
  iif(mtime_ns > read_ns + :fresh, ctime_ns, max(mtime_ns, ctime_ns)) < read_ns - :fresh)"""
KNOWN_FILES = f"""
SELECT path, size, mtime_ns, ctime_ns, inode, {_TRUSTED}, id, kind, state, excluded, content_hash FROM vault_files
"""
KNOWN_FILE = f"{KNOWN_FILES} WHERE path = :path"
SETTLED_FILES = f"""
SELECT path, size, mtime_ns, ctime_ns, inode FROM vault_files WHERE state = 'present' AND {_TRUSTED}
"""
# Those that may not be seen though they are there: in the cloud, or not to be read.
ABSENT_FILES = f"{KNOWN_FILES} WHERE state != 'present'"
COUNT_FILES = "SELECT count(*) FROM vault_files"
# Those at a path or below it; :past is the first text after all that begin with the path and a slash.
KNOWN_AT = f"{KNOWN_FILES} WHERE path = :path OR (path > :below AND path < :past)"


def look(connection: apsw.Connection, source: Source) -> Comparison:
    """What differs between index and disk by stat data.

    Nearly always nothing does, so files that are just as the index has them are sifted out first, by the hash of
    their stat data and without a look at anything else.
    """
    seen = source.scan.files
    before = read_stamp(connection).rules
    with collector_paused():
        settled = _settled_files(connection)
        odd = [f for f in seen if (f[0], f[2], f[3], f[4], f[5]) not in settled]
    resettled = before != source.rules
    if resettled:
        odd = _with_reread(odd, seen, before, source.rules)
    alike = len(seen) - len(odd)
    known = _known_among(connection, odd) if len(odd) <= FEW else {}
    known.update(_files(connection, ABSENT_FILES))
    if alike + len(known) != fetch_int(connection, COUNT_FILES):
        same = {file.path for file in seen}.difference(file.path for file in odd)
        known = {path: row for path, row in known_files(connection).items() if path not in same}
    if resettled:
        known = {
            path: row._replace(trusted=0) if before.rereads(path, source.rules) else row
            for path, row in known.items()
        }
    comparison = _compare(odd, known, source)
    return replace(comparison, unchanged=comparison.unchanged + alike, resettled=resettled)


_SETTLED: WeakKeyDictionary[apsw.Connection, tuple[tuple[int, int], frozenset[Any]]] = (
    WeakKeyDictionary()
)
"""What each open connection read last: a server looks before every answer, and mostly nothing was written since."""


def _settled_files(connection: apsw.Connection) -> frozenset[Any]:
    """(path, size, mtime, ctime, inode) of each file whose stat data are to be trusted, as of the snapshot that
    the last query saw."""
    version = (connection.data_version(), connection.total_changes())
    held = _SETTLED.get(connection)
    if held is None or held[0] != version:
        files = frozenset(fetch(connection, SETTLED_FILES, {"fresh": FRESH_NS}))
        held = _SETTLED[connection] = (version, files)
    return held[1]


def _with_reread(
    odd: Sequence[FileStat], seen: Sequence[FileStat], before: Rules, after: Rules
) -> list[FileStat]:
    """The odd files and those that say something else under the rules of now, in the order of the scan."""
    paths = {file.path for file in odd}
    return [
        file
        for file in seen
        if file.path in paths or (file.kind == FileKind.NOTE and before.rereads(file.path, after))
    ]


def _known_among(connection: apsw.Connection, files: Sequence[FileStat]) -> dict[str, KnownFile]:
    known = {}
    for file in files:
        for row in fetch(connection, KNOWN_FILE, {"path": file.path, "fresh": FRESH_NS}):
            known[file.path] = KnownFile._make(row)
    return known


def look_at(connection: apsw.Connection, source: Source, places: Sequence[str]) -> Comparison:
    """Like :func:`look`, for a source whose scan saw nothing but those paths and what lies below them."""
    known: dict[str, KnownFile] = {}
    for place in places:
        span = {"path": place, "below": f"{place}/", "past": f"{place}0", "fresh": FRESH_NS}
        known.update((row[0], KnownFile._make(row)) for row in fetch(connection, KNOWN_AT, span))
    return _compare(source.scan.files, known, source)


def _compare(
    seen: Sequence[FileStat], known: Mapping[str, KnownFile], source: Source
) -> Comparison:
    scan = source.scan
    comparison = compare(
        seen,
        known,
        hidden_below=scan.unreadable,
        offloaded=scan.offloaded,
        complete=scan.complete,
    )
    shut = tuple(
        pair
        for pair in comparison.doubtful
        if pair.known.state == UNREADABLE and not can_be_opened(source.root, pair.seen.path)
    )
    if not shut:
        return comparison
    left_out = frozenset(shut)
    doubtful = tuple(pair for pair in comparison.doubtful if pair not in left_out)
    return replace(comparison, doubtful=doubtful, shut=shut)


def known_files(connection: apsw.Connection) -> dict[str, KnownFile]:
    """Every file of the index, by path."""
    return _files(connection, KNOWN_FILES)


def _files(connection: apsw.Connection, query: str) -> dict[str, KnownFile]:
    make = KnownFile._make
    return {row[0]: make(row) for row in fetch(connection, query, {"fresh": FRESH_NS})}
