"""The first look before every answer: does the index still say what the disk says? Nothing is read or written."""

from __future__ import annotations

import apsw

from vaultmem.index.meta import read_stamp
from vaultmem.index.plan import Comparison, KnownFile, compare
from vaultmem.index.source import Source

FRESH_NS = 2_500_000_000
"""Stat data this close to the reading are not trusted: a later edit may have left the same (2 s on FAT)."""

# Every file, with whether its stat data prove that it was not edited after it was read. A change time cannot be
# set by hand, so a modification time in the future (a wrong clock, once) does not cast doubt for ever.
KNOWN_FILES = """
SELECT path, size, mtime_ns, ctime_ns, inode,
       content_hash IS NULL OR
       iif(mtime_ns > read_ns + :fresh, ctime_ns, max(mtime_ns, ctime_ns)) < read_ns - :fresh,
       id, kind, state, excluded, content_hash
FROM vault_files
"""


def look(connection: apsw.Connection, source: Source) -> Comparison:
    """What differs between index and disk by stat data; nothing is read and nothing written."""
    known = known_files(connection)
    if read_stamp(connection).settings_digest != source.settings_digest:
        known = {path: file._replace(trusted=0) for path, file in known.items()}
    scan = source.scan
    return compare(
        scan.files,
        known,
        hidden_below=scan.unreadable,
        offloaded=scan.offloaded,
        complete=scan.complete,
    )


def known_files(connection: apsw.Connection) -> dict[str, KnownFile]:
    """Every file of the index, by path."""
    make = KnownFile._make
    return {row[0]: make(row) for row in connection.execute(KNOWN_FILES, {"fresh": FRESH_NS})}
