"""Likeness of meaning between notes: the mean of each note's vectors, and which are among each other's nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import apsw

from vaultmem.index.connection import fetch
from vaultmem.index.meta import read_stamp
from vaultmem.index.stored_vectors import stored_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = ["likeness_floor", "mutual_nearest", "note_vectors"]

NOTES_OF: Final = """
SELECT m.id, b.note_id FROM notes_vec_map AS m JOIN notes_blocks AS b ON b.id = m.block_id
WHERE m.model = ? AND m.dim = ?
"""
SEED: Final = 20_261_130
NEAREST: Final = 5
AT_ONCE: Final = 1024
COMPARED_WITH_ALL: Final = 3000
"""Notes; in larger vaults each is compared with those around the same centres only."""
CENTRES_OF: Final = 3
LARGEST: Final = 4000
"""Notes around one centre that are compared; a crowd beyond that is all alike."""


def note_vectors(connection: apsw.Connection, ids: NDArray[np.int64]) -> Matrix | None:
    """For each of the notes the mean of its vectors at unit length, zero for one without; None when the index has no
    vectors."""
    import numpy as np

    stamp = read_stamp(connection)
    if not stamp.vector_model or not len(ids):
        return None
    pairs = fetch(connection, NOTES_OF, (stamp.vector_model, stamp.vector_dim))
    if not pairs:
        return None
    vector_ids, note_ids = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    by_id = np.argsort(vector_ids)
    vector_ids, note_ids = vector_ids[by_id], note_ids[by_id]
    by_note = np.argsort(ids)
    matrix = np.zeros((len(ids), stamp.vector_dim), np.float32)
    for some in stored_vectors(connection, stamp.vector_dim):
        place = np.minimum(np.searchsorted(vector_ids, some.ids), len(vector_ids) - 1)
        note = note_ids[place]
        row = by_note[np.minimum(np.searchsorted(ids, note, sorter=by_note), len(ids) - 1)]
        known = (vector_ids[place] == some.ids) & (ids[row] == note)
        np.add.at(matrix, row[known], some.rows[known])
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(length > 0, length, 1)
    return matrix


def likeness_floor(matrix: Matrix) -> float:
    """The cosine from which two notes are more alike than two taken at random, two standard deviations above their
    mean: what a cosine means differs from one embedder to another."""
    import numpy as np

    chance = np.random.default_rng(SEED)
    ones, others = chance.integers(0, len(matrix), (2, 4000))
    apart = ones != others
    cosines = np.einsum("ij,ij->i", matrix[ones[apart]], matrix[others[apart]])
    return float(cosines.mean() + 2 * cosines.std()) if len(cosines) else 1.0


def mutual_nearest(matrix: Matrix) -> list[tuple[int, int, float]]:
    """Pairs of notes that are each among the other's nearest, the lower first, in order, with how far their cosine
    lies between that of chance and 1."""
    import numpy as np

    floor = likeness_floor(matrix)
    near: dict[int, dict[int, float]] = {}
    for group in _groups(matrix):
        for at in range(0, len(group), AT_ONCE):
            rows = group[at : at + AT_ONCE]
            cosines = matrix[rows] @ matrix[group].T
            cosines[np.arange(len(rows)), np.arange(at, at + len(rows))] = -1
            count = min(NEAREST, len(group) - 1)
            if count < 1:
                continue
            best = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
            value = np.take_along_axis(cosines, best, axis=1)
            for row, places, values in zip(
                rows.tolist(), group[best].tolist(), value.tolist(), strict=True
            ):
                mine = near.setdefault(row, {})
                mine.update(zip(places, values, strict=True))
    pairs = []
    kept = {
        note: dict(sorted(mine.items(), key=lambda item: (-item[1], item[0]))[:NEAREST])
        for note, mine in near.items()
    }
    for note in sorted(kept):
        for other, cosine in sorted(kept[note].items()):
            if note < other and cosine > floor and note in kept.get(other, {}):
                pairs.append((note, other, round((cosine - floor) / max(1e-6, 1 - floor), 4)))
    return pairs


def _groups(matrix: Matrix) -> list[NDArray[np.int64]]:
    """Sets of notes in which the nearest are looked for."""
    import numpy as np

    present = np.flatnonzero(np.abs(matrix).sum(axis=1) > 0)
    if len(present) <= COMPARED_WITH_ALL:
        return [present]
    chance = np.random.default_rng(SEED)
    centres = matrix[np.sort(chance.choice(present, int(len(present) ** 0.5), replace=False))]
    nearest = np.concatenate(
        [
            np.argpartition(-(matrix[present[at : at + AT_ONCE]] @ centres.T), CENTRES_OF, axis=1)[
                :, :CENTRES_OF
            ]
            for at in range(0, len(present), AT_ONCE)
        ]
    )
    flat = nearest.reshape(-1)
    order = np.argsort(flat, kind="stable")
    notes = np.repeat(present, CENTRES_OF)[order]
    ends = np.cumsum(np.bincount(flat, minlength=len(centres)))
    return [np.unique(group)[:LARGEST] for group in np.split(notes, ends[:-1])]
