"""The first look before every answer: does the index still say what the disk says? Nothing is read or written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import apsw

from vaultmem.files.scan import FileStat
from vaultmem.index.connection import fetch, fetch_int
from vaultmem.index.meta import read_stamp
from vaultmem.index.plan import Comparison, KnownFile, compare
from vaultmem.index.source import Source

FRESH_NS = 2_500_000_000
"""Stat data this close to the reading are not trusted: a later edit may have left the same (2 s on FAT)."""

# Whether a file's stat data prove that it was not edited after it was read. A change time cannot be set by hand,
# so a modification time in the future (a wrong clock, once) does not cast doubt for ever.
_TRUSTED = """(content_hash IS NULL OR
  iif(mtime_ns > read_ns + :fresh, ctime_ns, max(mtime_ns, ctime_ns)) < read_ns - :fresh)"""
KNOWN_FILES = f"""
SELECT path, size, mtime_ns, ctime_ns, inode, {_TRUSTED}, id, kind, state, excluded, content_hash FROM vault_files
"""
SETTLED_FILES = f"""
SELECT path, size, mtime_ns, ctime_ns, inode FROM vault_files WHERE state = 'present' AND {_TRUSTED}
"""
COUNT_FILES = "SELECT count(*) FROM vault_files"


def look(connection: apsw.Connection, source: Source) -> Comparison:
    """What differs between index and disk by stat data.

    Nearly always nothing does, so files that are just as the index has them are sifted out first, by the hash of
    their stat data and without a look at anything else.
    """
    if read_stamp(connection).settings_digest != source.settings_digest:
        known = {path: file._replace(trusted=0) for path, file in known_files(connection).items()}
        return _compare(source.scan.files, known, source)
    settled = set(fetch(connection, SETTLED_FILES, {"fresh": FRESH_NS}))
    seen = source.scan.files
    odd = [file for file in seen if (file[0], *file[2:]) not in settled]
    alike = len(seen) - len(odd)
    if not (odd or source.scan.offloaded) and alike == fetch_int(connection, COUNT_FILES):
        return Comparison(alike, (), (), (), ())
    same = {file.path for file in seen}.difference(file.path for file in odd)
    known = {path: file for path, file in known_files(connection).items() if path not in same}
    comparison = _compare(odd, known, source)
    return replace(comparison, unchanged=comparison.unchanged + alike)


def _compare(
    seen: Sequence[FileStat], known: Mapping[str, KnownFile], source: Source
) -> Comparison:
    scan = source.scan
    return compare(
        seen,
        known,
        hidden_below=scan.unreadable,
        offloaded=scan.offloaded,
        complete=scan.complete,
    )


def known_files(connection: apsw.Connection) -> dict[str, KnownFile]:
    """Every file of the index, by path."""
    make = KnownFile._make
    return {row[0]: make(row) for row in fetch(connection, KNOWN_FILES, {"fresh": FRESH_NS})}
