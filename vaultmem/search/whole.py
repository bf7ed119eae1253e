"""What the stages need to know of a candidate: its note, its length, its age, its vector."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import apsw

from vaultmem.errors import IndexDamagedError
from vaultmem.index.connection import fetch
from vaultmem.index.terms import fold
from vaultmem.notes.letters import LETTER
from vaultmem.search.fusion import Fused
from vaultmem.search.stages import Ranked
from vaultmem.search.timing import shares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.index.meta import Stamp
    from vaultmem.search.ranges import DateRange

_WORD: Final = re.compile(f"{LETTER}+")

NS_PER_DAY: Final = 86_400 * 1_000_000_000

DESCRIBED = """
SELECT b.id, b.note_id, {length}, n.permanent, n.day, f.mtime_ns
FROM json_each(?) AS j JOIN notes_blocks AS b ON b.id = j.value
JOIN notes_index AS n ON n.id = b.note_id JOIN vault_files AS f ON f.id = b.note_id
"""
# The first blocks among those given, with what their notes are called.
NAMES = """
SELECT b.id, n.title, n.aliases FROM json_each(?) AS j JOIN notes_blocks AS b ON b.id = j.value
JOIN notes_index AS n ON n.id = b.note_id WHERE b.ordinal = 0
"""
VECTOR_IDS = """
SELECT m.block_id, m.id FROM json_each(?) AS j JOIN notes_vec_map AS m ON m.block_id = j.value WHERE m.model = ?
"""


def described(
    connection: apsw.Connection,
    fused: Sequence[Fused],
    cosines: Mapping[int, float],
    *,
    dated: bool,
    measured: bool,
    now_ns: int,
    times: Sequence[DateRange] = (),
) -> list[Ranked]:
    """The candidates with what the stages need, in the same order; ages only when ``dated``, lengths only when
    ``measured``, and how much they are of the ``times``."""
    ids = json.dumps([candidate.block_id for candidate in fused])
    statement = DESCRIBED.format(length="length(b.text)" if measured else "0")
    rows = {row[0]: row for row in fetch(connection, statement, (ids,))}
    timely = shares(connection, times, [candidate.block_id for candidate in fused])
    ranked = []
    for candidate in fused:
        row = rows.get(candidate.block_id)
        if row is None:  # a lane offers what no note has
            raise IndexDamagedError(
                f"Block {candidate.block_id} belongs to no note of the index.",
                hint="Run `vaultmem rebuild`; no note is touched.",
            )
        block, note, length, permanent, day, mtime_ns = row
        of = mtime_ns // NS_PER_DAY if day is None else day
        age = float(max(0, now_ns // NS_PER_DAY - of)) if dated and now_ns else None
        ranked.append(
            Ranked(
                block,
                note,
                candidate.score,
                cosine=cosines.get(block),
                length=length,
                age_days=age,
                permanent=bool(permanent),
                timely=timely.get(block, 0.0),
            )
        )
    return ranked


def named(connection: apsw.Connection, blocks: Sequence[int], name: str) -> frozenset[int]:
    """Those of the blocks with which a note begins whose title or alias is that name, without regard to case, accents and
    what stands between the words."""
    wanted = _words_of(name)
    rows = fetch(connection, NAMES, (json.dumps(list(blocks)),)) if wanted else []
    return frozenset(
        block
        for block, title, aliases in rows
        if any(_words_of(called) == wanted for called in (title, *json.loads(aliases)))
    )


def _words_of(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def vectors_of(
    connection: apsw.Connection, stamp: Stamp, blocks: Sequence[int]
) -> dict[int, NDArray[np.float32]]:
    """The vectors of blocks that have one, of the model that the index keeps up."""
    if not stamp.vector_model:
        return {}
    import numpy as np

    found = {}
    get = f"SELECT embedding FROM notes_vec_{stamp.vector_dim} WHERE rowid = ?"
    for block, row in fetch(connection, VECTOR_IDS, (json.dumps(list(blocks)), stamp.vector_model)):
        blob = connection.execute(get, (row,)).get
        if blob is not None:
            found[int(block)] = np.frombuffer(blob, dtype=np.float32)
    return found
