"""Nearest vectors: the durable table answers a single question, a matrix in memory answers many.

Scanning ``notes_vec_{dim}`` costs about a microsecond per vector and nothing to prepare. A process that asks a
second time loads the vectors and multiplies, which is seven times faster. From then on it only takes in the vectors of
the notes that were read anew, so that a search right after an edit is quick, too.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_int, fetch_one
from vaultmem.search.fusion import Candidate
from vaultmem.search.readings import Readings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.embed.protocol import Embedder
    from vaultmem.index.meta import Stamp

MATRIX_BYTES = 512 * 1024 * 1024
"""Larger sets of vectors are left to the table."""

SAMPLE = 256
"""Vectors by which the noise of a query is judged."""

NOISE_SIGMAS = 2.5
"""A block counts as like the query when it is above the embedder's noise floor and so many standard deviations
above the query's mean cosine, which differs with language and length of the question."""

SMALL_SET = 30
"""With fewer vectors than this there is no noise to measure, and the embedder's own floor must do."""

MOST_ANEW = 500
"""With more notes read anew than this, all vectors are loaded again."""

MOST_LATER = 4096
"""With more vectors than this added one note at a time, all are loaded again."""

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
SAMPLED_IDS = "SELECT id FROM notes_vec_map WHERE model = ? AND id % ? = 0 LIMIT ?"
COUNT = "SELECT count(*) FROM notes_vec_map WHERE model = ?"
BLOCK_OF = "SELECT block_id, model FROM notes_vec_map WHERE id = ?"


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
    ) -> list[Candidate]:
        """At most ``limit`` blocks above the query's noise, by cosine, best first."""
        loaded = self._matrix(connection, embedder, stamp)
        if loaded is None:
            return _from_table(connection, embedder, wanted, limit)
        return _from_matrix(loaded, embedder, wanted, limit)

    def _matrix(
        self, connection: apsw.Connection, embedder: Embedder, stamp: Stamp
    ) -> _Loaded | None:
        with self._lock:
            if self._loaded is not None and self._loaded.model == embedder.model:
                if self._loaded.stamp != stamp:
                    self._loaded = _renewed(self._loaded, connection, embedder, stamp)
                if self._loaded is not None:
                    return self._loaded
            if self._asked != embedder.model:
                self._asked = embedder.model
                return None
            self._loaded = _load(connection, embedder, stamp)
            return self._loaded


def _load(connection: apsw.Connection, embedder: Embedder, stamp: Stamp) -> _Loaded | None:
    import numpy as np

    ids = fetch(connection, BLOCK_IDS, (embedder.model,))
    if len(ids) * embedder.dim * 4 > MATRIX_BYTES:
        return None
    readings = Readings.take(connection)
    rows = np.zeros((len(ids), embedder.dim), dtype=np.float32)
    place = {row[0]: i for i, row in enumerate(ids)}
    for rowid, blob in connection.execute(f"SELECT rowid, embedding FROM notes_vec_{embedder.dim}"):
        at = place.get(rowid)
        if at is not None:
            rows[at] = np.frombuffer(blob, dtype=np.float32)
    held, blocks, notes = np.array(ids, dtype=np.int64).reshape(-1, 3).T.copy()
    stale = np.zeros(len(ids), dtype=np.bool_)
    return _Loaded(stamp, embedder.model, held, blocks, notes, rows, readings, stale, {})


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


def _from_matrix(
    loaded: _Loaded, embedder: Embedder, wanted: NDArray[np.float32], limit: int
) -> list[Candidate]:
    import numpy as np

    blocks, cosines = _cosines(loaded, wanted)
    if not len(cosines):
        return []
    step = max(1, len(cosines) // SAMPLE)
    floor = _noise_floor(embedder, cosines[::step], len(cosines))
    count = min(limit, len(cosines))
    top = np.argpartition(-cosines, count - 1)[:count]
    found = [Candidate(int(blocks[i]), float(cosines[i])) for i in top if cosines[i] >= floor]
    return sorted(found, key=lambda c: (-c.score, c.block_id))


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
    connection: apsw.Connection, embedder: Embedder, wanted: NDArray[np.float32], limit: int
) -> list[Candidate]:
    import numpy as np

    total = fetch_int(connection, COUNT, (embedder.model,))
    floor = _noise_floor(embedder, _sample(connection, embedder, wanted, total), total)
    rows = fetch(
        connection,
        f"SELECT rowid, embedding FROM notes_vec_{embedder.dim} WHERE embedding MATCH ? AND k = ?",
        (wanted.tobytes(), min(limit, max(total, 1))),
    )
    found = []
    for rowid, embedding in rows:
        block, model = fetch_one(connection, BLOCK_OF, (rowid,))
        # Not from the distance: a text without tokens has the vector 0, which is far, yet not unlike.
        cosine = float(np.frombuffer(embedding, dtype=np.float32) @ wanted)
        if model == embedder.model and cosine >= floor:
            found.append(Candidate(block, cosine))
    return sorted(found, key=lambda c: (-c.score, c.block_id))


def _sample(
    connection: apsw.Connection, embedder: Embedder, wanted: NDArray[np.float32], total: int
) -> NDArray[np.float32]:
    import numpy as np

    step = max(1, total // SAMPLE)
    ids = fetch(connection, SAMPLED_IDS, (embedder.model, step, SAMPLE))
    blobs = []
    for (rowid,) in ids:
        blob = connection.execute(_vector_of(embedder), (rowid,)).get
        if blob is not None:
            blobs.append(np.frombuffer(blob, dtype=np.float32))
    return np.array(blobs, dtype=np.float32).reshape(-1, embedder.dim) @ wanted


def _noise_floor(embedder: Embedder, cosines: NDArray[np.float32], total: int) -> float:
    if total < SMALL_SET or not len(cosines):
        return embedder.noise_floor
    return max(embedder.noise_floor, float(cosines.mean() + NOISE_SIGMAS * cosines.std()))
