"""Nearest vectors: the durable table answers a single question, a matrix in memory answers many.

Scanning ``notes_vec_{dim}`` costs about a microsecond per vector and nothing to prepare. A process that asks a
second time between two changes of the index loads the vectors once and multiplies, which is seven times faster.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import apsw

from vaultmem.index.connection import fetch, fetch_int, fetch_one
from vaultmem.search.fusion import Candidate

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

BLOCK_IDS = "SELECT id, block_id FROM notes_vec_map WHERE model = ? ORDER BY id"
SAMPLED_IDS = "SELECT id FROM notes_vec_map WHERE model = ? AND id % ? = 0 LIMIT ?"
COUNT = "SELECT count(*) FROM notes_vec_map WHERE model = ?"
BLOCK_OF = "SELECT block_id, model FROM notes_vec_map WHERE id = ?"


class _Loaded(NamedTuple):
    stamp: Stamp
    model: str
    blocks: NDArray[np.int64]
    rows: NDArray[np.float32]


class VectorMatrix:
    """The vectors of one index, kept in memory from the second question on; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: _Loaded | None = None
        self._asked: tuple[Stamp, str] | None = None

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
        key = (stamp, embedder.model)
        with self._lock:
            if self._loaded is not None and self._loaded[:2] == key:
                return self._loaded
            if self._asked != key:
                self._asked = key
                return None
            self._loaded = _load(connection, embedder, stamp)
            return self._loaded


def _load(connection: apsw.Connection, embedder: Embedder, stamp: Stamp) -> _Loaded | None:
    import numpy as np

    ids = fetch(connection, BLOCK_IDS, (embedder.model,))
    if len(ids) * embedder.dim * 4 > MATRIX_BYTES:
        return None
    rows = np.zeros((len(ids), embedder.dim), dtype=np.float32)
    place = {row[0]: i for i, row in enumerate(ids)}
    for rowid, blob in connection.execute(f"SELECT rowid, embedding FROM notes_vec_{embedder.dim}"):
        at = place.get(rowid)
        if at is not None:
            rows[at] = np.frombuffer(blob, dtype=np.float32)
    blocks = np.array([row[1] for row in ids], dtype=np.int64)
    return _Loaded(stamp, embedder.model, blocks, rows)


def _from_matrix(
    loaded: _Loaded, embedder: Embedder, wanted: NDArray[np.float32], limit: int
) -> list[Candidate]:
    import numpy as np

    cosines = loaded.rows @ wanted
    if not len(cosines):
        return []
    step = max(1, len(cosines) // SAMPLE)
    floor = _noise_floor(embedder, cosines[::step], len(cosines))
    count = min(limit, len(cosines))
    top = np.argpartition(-cosines, count - 1)[:count]
    found = [
        Candidate(int(loaded.blocks[i]), float(cosines[i])) for i in top if cosines[i] >= floor
    ]
    return sorted(found, key=lambda c: (-c.score, c.block_id))


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
        blob = connection.execute(
            f"SELECT embedding FROM notes_vec_{embedder.dim} WHERE rowid = ?", (rowid,)
        ).get
        if blob is not None:
            blobs.append(np.frombuffer(blob, dtype=np.float32))
    return np.array(blobs, dtype=np.float32).reshape(-1, embedder.dim) @ wanted


def _noise_floor(embedder: Embedder, cosines: NDArray[np.float32], total: int) -> float:
    if total < SMALL_SET or not len(cosines):
        return embedder.noise_floor
    return max(embedder.noise_floor, float(cosines.mean() + NOISE_SIGMAS * cosines.std()))
