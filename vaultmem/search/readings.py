"""Which notes were read anew since the last look: what is kept in memory about the others is still right."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_one

# When each note was read: another time, and its rows may be others.
READINGS = "SELECT id, read_ns FROM vault_files WHERE kind = 'note'"
NEWER = f"{READINGS} AND read_ns > ?"

# A sum over the same that changes with any of them.
TOTAL = """
SELECT count(*), coalesce(sum(read_ns % 4294967291), 0) FROM vault_files WHERE kind = 'note'
"""
PRIME = 4_294_967_291


class Readings(NamedTuple):
    """When each note of an index was read, at one moment."""

    moments: dict[int, int]
    """Note → nanoseconds."""
    total: tuple[int, int]
    """Their number, and their sum as ``TOTAL`` has it."""

    @classmethod
    def take(cls, connection: apsw.Connection) -> Readings:
        """Those of now."""
        moments = dict(fetch(connection, READINGS))
        return cls(moments, (len(moments), sum(moment % PRIME for moment in moments.values())))

    def since(self, connection: apsw.Connection) -> Change:
        """What has changed since, found by looking only at the newer ones where they account for all of it."""
        newest = max(self.moments.values(), default=0)
        newer = dict(fetch(connection, NEWER, (newest,)))
        replaced = sum(self.moments[note] % PRIME for note in newer if note in self.moments)
        moments = {**self.moments, **newer}
        added = sum(moment % PRIME for moment in newer.values())
        total = (len(moments), self.total[1] - replaced + added)
        if total == tuple(fetch_one(connection, TOTAL)):
            return Change(Readings(moments, total), frozenset(newer))
        now = self.take(connection)  # notes are gone, or the clock was set back
        differing = self.moments.items() ^ now.moments.items()
        return Change(now, frozenset(note for note, _ in differing))


class Change(NamedTuple):
    """The readings of now, and whose are others than before."""

    now: Readings
    notes: frozenset[int]
    """Read anew, new, or gone."""
