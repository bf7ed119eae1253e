"""Nearest vectors: the durable table answers a single question, a matrix in memory answers many.

Scanning ``notes_vec_{dim}`` costs about a microsecond per vector and nothing to prepare. A process that asks a
second time loads the vectors and multiplies, which is seven times faster. From then on it only takes in the vectors of
the notes that were read anew, so that a search right after an edit is quick, too. Of sets that are too large to be
kept (``MATRIX_BYTES``) only the signs are, which nominate what is then compared exactly.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_int, fetch_one
from vaultmem.index.stored_vectors import rows_at, stored_vectors
from vaultmem.index.vectors import vector_sets
from vaultmem.search.fusion import Candidate
from vaultmem.search.likeness import (
    Likeness,
    Noise,
    centres,
    likenesses,
    noise_of,
    with_neighbours,
)
from vaultmem.search.readings import Readings
from vaultmem.search.signs import Signs, packed_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.embed.protocol import Embedder
    from vaultmem.index.meta import Stamp

MATRIX_BYTES = 512 * 1024 * 1024
"""Of larger sets only the signs are kept in memory."""

MOST_ANEW = 500
"""With more notes read anew than this, all vectors are loaded again."""

MOST_LATER = 4096
"""With more vectors than this added one note at a time, all are loaded again."""

MOST_NEIGHBOURS = 4096
"""Neighbours that sqlite-vec gives at most."""

MOST_SPARE = 2000
"""Barred blocks, in whose place the table is asked for so many more; with more, the vectors are loaded at once."""

# The vectors of a model, with the blocks and notes that they belong to.
BLOCK_IDS = """
SELECT m.id, m.block_id, b.note_id FROM notes_vec_map AS m JOIN notes_blocks AS b ON b.id = m.block_id
WHERE m.model = ? ORDER BY m.id
"""
IDS_OF_NOTE = """
SELECT m.id, m.block_id FROM notes_blocks AS b JOIN notes_vec_map AS m ON m.block_id = b.id
WHERE b.note_id = ? AND m.model = ? ORDER BY m.id
"""
LAST_ID = "SELECT max(id) FROM notes_vec_map WHERE model = ?"
COUNT = "SELECT count(*) FROM notes_vec_map WHERE model = ?"
BLOCK_OF = "SELECT block_id, model FROM notes_vec_map WHERE id = ?"


# The ids of the vectors of some blocks.
IDS_OF_BLOCKS = """
SELECT m.block_id, m.id FROM json_each(?) AS j JOIN notes_vec_map AS m ON m.block_id = j.value WHERE m.model = ?
"""


class Searched(NamedTuple):
    """The blocks of one search; arrays by block id."""

    notes: NDArray[np.int32]
    """The note of each block; 0 where there is no block."""
    lengths: NDArray[np.float32]
    """Words of each block."""
    closed: NDArray[np.bool_]
    """Blocks that are not searched."""
    barred: NDArray[np.bool_]
    """These, and those that were offered already."""
    narrow: bool
    """Most blocks are closed."""


class Near(NamedTuple):
    """What is like a query."""

    found: list[Candidate]
    """Blocks above the noise by their cosines, best first."""
    likes: dict[int, Likeness]
    """Of these, and of the blocks that were asked for by id, as far as they have a vector."""
    noise: Noise


class _Later(NamedTuple):
    """The vectors of one note that was read after the others were loaded."""

    ids: NDArray[np.int64]
    blocks: NDArray[np.int64]
    rows: NDArray[np.float32]


class _Loaded(NamedTuple):
    """Never changed, only replaced: another thread may be multiplying."""

    stamp: Stamp
    model: str
    ids: NDArray[np.int64]
    blocks: NDArray[np.int64]
    notes: NDArray[np.int64]
    """The block and the note of each row."""
    rows: NDArray[np.float32]
    """None at all of a large set."""
    signs: Signs | None
    """Of a large set, in the place of its rows."""
    readings: Readings
    stale: NDArray[np.bool_]
    """Rows of notes that were read anew since, or are gone."""
    later: dict[int, _Later]
    """By note."""


class VectorMatrix:
    """The vectors of one index, kept in memory from the second question on; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: _Loaded | None = None
        self._asked: str | None = None

    def nearest(
        self,
        connection: apsw.Connection,
        stamp: Stamp,
        embedder: Embedder,
        wanted: NDArray[np.float32],
        limit: int,
        *,
        searched: Searched,
        also: Sequence[int] = (),
    ) -> Near:
        """At most ``limit`` blocks above the query's noise, by cosine, best first, none of the barred ones; and the
        likeness of the blocks in ``also``."""
        spare = int((searched.barred & (searched.notes > 0)).sum())
        at_once = searched.narrow or spare > MOST_SPARE
        loaded = self._matrix(connection, embedder, stamp, at_once=at_once)
        if loaded is None:
            offered = _from_table(connection, embedder, wanted, limit + spare)
        elif loaded.signs is not None:
            offered = _from_signs(connection, loaded, embedder, wanted, searched)
        else:
            blocks, cosines = _cosines(loaded, wanted)
            by_block = _by_block(searched, blocks, cosines)
            noise = noise_of(
                searched.notes, by_block, centres(searched.closed), embedder.noise_floor
            )
            found = _best(blocks, cosines, noise.floor, limit, searched)
            return _near(searched, by_block, found, noise, also)
        return _looked_up(connection, embedder, wanted, limit, searched, offered, also)

    def _matrix(
        self, connection: apsw.Connection, embedder: Embedder, stamp: Stamp, *, at_once: bool
    ) -> _Loaded | None:
        with self._lock:
            if self._loaded is not None and self._loaded.model == embedder.model:
                if self._loaded.stamp != stamp:
                    self._loaded = _renewed(self._loaded, connection, embedder, stamp)
                if self._loaded is not None:
                    return self._loaded
            if self._asked != embedder.model and not at_once and _alone(connection, embedder):
                self._asked = embedder.model
                return None
            self._loaded = _load(connection, embedder, stamp)
            return self._loaded


def _alone(connection: apsw.Connection, embedder: Embedder) -> bool:
    """Whether the table holds vectors of this model only; the nearest among those of two would be of both."""
    sets = vector_sets(connection)
    return not any(other.dim == embedder.dim for other in sets if other.model != embedder.model)


def _load(connection: apsw.Connection, embedder: Embedder, stamp: Stamp) -> _Loaded | None:
    import numpy as np

    ids = fetch(connection, BLOCK_IDS, (embedder.model,))
    readings = Readings.take(connection)
    held, blocks, notes = np.array(ids, dtype=np.int64).reshape(-1, 3).T.copy()
    stale = np.zeros(len(ids), dtype=np.bool_)
    if len(ids) * embedder.dim * 4 > MATRIX_BYTES:
        signs: Signs | None = _signs(connection, embedder, held)
        rows = np.zeros((0, embedder.dim), dtype=np.float32)
    else:
        signs = None
        rows = np.zeros((len(ids), embedder.dim), dtype=np.float32)
        for some in stored_vectors(connection, embedder.dim):
            at, known = _places(held, some.ids)
            rows[at[known]] = some.rows[known]
    return _Loaded(stamp, embedder.model, held, blocks, notes, rows, signs, readings, stale, {})


def _places(
    held: NDArray[np.int64], ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each id stands in the ascending ``held``, and whether it does; vectors of other models do not."""
    import numpy as np

    if not len(held):
        return np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
    at = np.minimum(np.searchsorted(held, ids), len(held) - 1)
    return at, held[at] == ids


def _signs(connection: apsw.Connection, embedder: Embedder, held: NDArray[np.int64]) -> Signs:
    """The signs of the vectors with the ids ``held``, in their order."""
    import numpy as np

    packed = np.zeros((len(held), -(-embedder.dim // 64)), np.uint64)
    for some in stored_vectors(connection, embedder.dim):
        at, known = _places(held, some.ids)
        packed[at[known]] = packed_signs(some.rows[known])
    return Signs.of_packed(packed)


def _renewed(
    loaded: _Loaded, connection: apsw.Connection, embedder: Embedder, stamp: Stamp
) -> _Loaded | None:
    """The vectors as they are now, those of unchanged notes taken over; None when it is better to load them all."""
    import numpy as np

    change = loaded.readings.since(connection)
    if len(change.notes) > MOST_ANEW:
        return None
    later = {note: part for note, part in loaded.later.items() if note not in change.notes}
    later.update(
        (note, _of_note(connection, embedder, note))
        for note in change.notes
        if note in change.now.moments
    )
    stale = loaded.stale | np.isin(loaded.notes, list(change.notes))
    if sum(len(part.ids) for part in later.values()) > MOST_LATER:
        return None
    held = np.concatenate([loaded.ids[~stale], *(part.ids for part in later.values())])
    # Vectors that came without their note being read anew (the embedder was missing then) have higher ids.
    if int(held.max(initial=0)) != fetch_int(connection, LAST_ID, (embedder.model,)):
        return None
    return loaded._replace(stamp=stamp, readings=change.now, stale=stale, later=later)


def _of_note(connection: apsw.Connection, embedder: Embedder, note: int) -> _Later:
    import numpy as np

    found = fetch(connection, IDS_OF_NOTE, (note, embedder.model))
    blobs = [fetch_one(connection, _vector_of(embedder), (rowid,))[0] for rowid, _ in found]
    ids, blocks = np.array(found, dtype=np.int64).reshape(-1, 2).T.copy()
    rows = np.frombuffer(b"".join(blobs), dtype=np.float32).reshape(-1, embedder.dim)
    return _Later(ids, blocks, rows)


def _vector_of(embedder: Embedder) -> str:
    return f"SELECT embedding FROM notes_vec_{embedder.dim} WHERE rowid = ?"


class _Offered(NamedTuple):
    """Blocks that may be like the query, and their cosines."""

    blocks: NDArray[np.int64]
    cosines: NDArray[np.float32]


def _by_block(
    searched: Searched, blocks: NDArray[np.int64], cosines: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The cosines by block id; NaN where there is none."""
    import numpy as np

    by_block = np.full(len(searched.notes), np.nan, dtype=np.float32)
    by_block[blocks] = cosines
    return by_block


def _best(
    blocks: NDArray[np.int64],
    cosines: NDArray[np.float32],
    floor: float,
    limit: int,
    searched: Searched,
) -> list[Candidate]:
    """The blocks above the floor that are not barred, best first."""
    import numpy as np

    over = np.flatnonzero((cosines >= floor) & ~searched.barred[blocks])
    if len(over) > limit:
        over = over[np.argpartition(-cosines[over], limit - 1)[:limit]]
    found = [Candidate(int(blocks[i]), float(cosines[i])) for i in over]
    return sorted(found, key=lambda c: (-c.score, c.block_id))


def _near(
    searched: Searched,
    by_block: NDArray[np.float32],
    found: list[Candidate],
    noise: Noise,
    also: Sequence[int],
) -> Near:
    asked = [*(c.block_id for c in found), *also]
    return Near(found, likenesses(searched.notes, searched.lengths, by_block, asked), noise)


def _looked_up(
    connection: apsw.Connection,
    embedder: Embedder,
    wanted: NDArray[np.float32],
    limit: int,
    searched: Searched,
    offered: _Offered,
    also: Sequence[int],
) -> Near:
    """Like what is said of a matrix in memory, the same numbers, with every vector that is needed read from the table."""
    import numpy as np

    chosen = centres(searched.closed)
    known = _read_cosines(connection, embedder, wanted, with_neighbours(searched.notes, chosen))
    by_block = _by_block(searched, *known)
    noise = noise_of(searched.notes, by_block, chosen, embedder.noise_floor)
    found = _best(*offered, noise.floor, limit, searched)
    asked = np.array([*(c.block_id for c in found), *also], dtype=np.int64)
    around = with_neighbours(searched.notes, asked)
    blocks, cosines = _read_cosines(
        connection, embedder, wanted, around[np.isnan(by_block[around])]
    )
    by_block[blocks] = cosines
    return _near(searched, by_block, found, noise, also)


def _read_cosines(
    connection: apsw.Connection,
    embedder: Embedder,
    wanted: NDArray[np.float32],
    blocks: NDArray[np.int64],
) -> _Offered:
    """The cosines of those of the blocks that have a vector."""
    import numpy as np

    asked = (json.dumps(blocks.tolist()), embedder.model)
    ids = np.array(fetch(connection, IDS_OF_BLOCKS, asked), dtype=np.int64).reshape(-1, 2)
    rows = rows_at(connection, embedder.dim, ids[:, 1].tolist())
    return _Offered(ids[:, 0], rows @ wanted)


def _from_signs(
    connection: apsw.Connection,
    loaded: _Loaded,
    embedder: Embedder,
    wanted: NDArray[np.float32],
    searched: Searched,
) -> _Offered:
    """Of a large set what its signs nominate, and later notes, compared exactly."""
    import numpy as np

    assert loaded.signs is not None
    places = loaded.signs.nominated(wanted, loaded.stale | searched.barred[loaded.blocks])
    parts = loaded.later.values()
    rows = rows_at(connection, embedder.dim, loaded.ids[places].tolist())
    return _Offered(
        np.concatenate([loaded.blocks[places], *(part.blocks for part in parts)]),
        np.concatenate([rows @ wanted, *(part.rows @ wanted for part in parts)]),
    )


def _cosines(
    loaded: _Loaded, wanted: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Blocks and their cosines, those of stale rows left out."""
    import numpy as np

    blocks, cosines = loaded.blocks, loaded.rows @ wanted
    if loaded.stale.any():
        blocks, cosines = blocks[~loaded.stale], cosines[~loaded.stale]
    parts = loaded.later.values()
    if not parts:
        return blocks, cosines
    return (
        np.concatenate([blocks, *(part.blocks for part in parts)]),
        np.concatenate([cosines, *(part.rows @ wanted for part in parts)]),
    )


def _from_table(
    connection: apsw.Connection, embedder: Embedder, wanted: NDArray[np.float32], most: int
) -> _Offered:
    """The blocks nearest to the query."""
    import numpy as np

    total = fetch_int(connection, COUNT, (embedder.model,))
    rows = fetch(
        connection,
        f"SELECT rowid, embedding FROM notes_vec_{embedder.dim} WHERE embedding MATCH ? AND k = ?",
        (wanted.tobytes(), min(most, max(total, 1), MOST_NEIGHBOURS)),
    )
    blocks, cosines = [], []
    for rowid, embedding in rows:
        block, model = fetch_one(connection, BLOCK_OF, (rowid,))
        if model == embedder.model:
            blocks.append(block)
            # Not from the distance: a text without tokens has the vector 0, which is far, yet not unlike.
            cosines.append(float(np.frombuffer(embedding, dtype=np.float32) @ wanted))
    return _Offered(np.array(blocks, np.int64), np.array(cosines, np.float32))
