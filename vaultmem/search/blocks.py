"""Which block belongs to which note, and how long it is, for all blocks at once: kept in memory until notes change."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import apsw

from vaultmem.index.connection import fetch
from vaultmem.search.readings import Readings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultmem.index.meta import Stamp

MOST_ANEW: Final = 500
"""With more notes read anew than this, all blocks are loaded again."""

MARGIN: Final = 2
"""Empty places before the first block and behind the last, so that neighbours can be had without asking."""

COLUMNS: Final = 6
"""Of ``notes_fts``; each has its number of words in a block's size."""

BLOCKS = "SELECT id, note_id FROM notes_blocks ORDER BY note_id, ordinal"
BLOCKS_OF = "SELECT id, note_id FROM notes_blocks WHERE note_id = ?"
SIZES = "SELECT id, sz FROM notes_fts_docsize"
SIZE_OF = "SELECT id, sz FROM notes_fts_docsize WHERE id = ?"
EXCLUDED = "SELECT id FROM vault_files WHERE excluded = 1"


class Blocks(NamedTuple):
    """The blocks of one state of the index. Never changed, only replaced. Both arrays are as long as the highest block
    id and a margin."""

    stamp: Stamp
    readings: Readings
    notes: NDArray[np.int32]
    """The note of each block; 0 where there is no block."""
    lengths: NDArray[np.float32]
    """Words of each block, CJK pairs and characters counted alike; 0 where there is no block."""
    excluded: NDArray[np.bool_]
    """Blocks of notes that Obsidian's settings leave out of search (F-03), and places without a block."""
    last_note: int
    """The highest id of a note."""
    total: int
    """How many blocks there are."""

    mean_length: float
    """Words of a block together with its neighbours, on average; 1 when there are none."""


class BlockTable:
    """The blocks of one index; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks: Blocks | None = None
        """Of the newest state that was asked for."""

    def get(self, connection: apsw.Connection, stamp: Stamp) -> Blocks:
        """The blocks as that stamp has them. Call inside the transaction that read the stamp."""
        with self._lock:
            blocks = self._blocks
            if blocks is None:
                blocks = _load(connection, stamp)
            elif blocks.stamp.generation > stamp.generation:
                return _load(connection, stamp)  # a thread that still reads an older state
            elif blocks.stamp != stamp:
                blocks = _renewed(blocks, connection, stamp)
            self._blocks = blocks
            return blocks


def _load(connection: apsw.Connection, stamp: Stamp) -> Blocks:
    import numpy as np

    found = np.array(fetch(connection, BLOCKS), dtype=np.int64).reshape(-1, 2)
    size = int(found[:, 0].max(initial=0)) + 1 + MARGIN
    notes = np.zeros(size, dtype=np.int32)
    notes[found[:, 0]] = found[:, 1]
    lengths = np.zeros(size, dtype=np.float32)
    _put_lengths(lengths, fetch(connection, SIZES))
    lengths[notes == 0] = 0
    return _made(connection, stamp, Readings.take(connection), notes, lengths)


def _renewed(blocks: Blocks, connection: apsw.Connection, stamp: Stamp) -> Blocks:
    import numpy as np

    change = blocks.readings.since(connection)
    if len(change.notes) > MOST_ANEW:
        return _load(connection, stamp)
    new = [row for note in change.notes for row in fetch(connection, BLOCKS_OF, (note,))]
    sizes = [row for block, _ in new for row in fetch(connection, SIZE_OF, (block,))]
    size = max(len(blocks.notes), max((block for block, _ in new), default=0) + 1 + MARGIN)
    notes = np.zeros(size, dtype=np.int32)
    notes[: len(blocks.notes)] = blocks.notes
    notes[np.isin(notes, list(change.notes))] = 0
    lengths = np.zeros(size, dtype=np.float32)
    lengths[: len(blocks.lengths)] = blocks.lengths
    for block, note in new:
        notes[block] = note
    _put_lengths(lengths, sizes)
    lengths[notes == 0] = 0
    return _made(connection, stamp, change.now, notes, lengths)


def _made(
    connection: apsw.Connection,
    stamp: Stamp,
    readings: Readings,
    notes: NDArray[np.int32],
    lengths: NDArray[np.float32],
) -> Blocks:
    import numpy as np

    excluded = notes == 0
    left_out = [note for (note,) in fetch(connection, EXCLUDED)]
    if left_out:
        excluded |= np.isin(notes, left_out)
    last_note = int(notes.max(initial=0))
    total = int(np.count_nonzero(notes))
    return Blocks(
        stamp,
        readings,
        notes,
        lengths,
        excluded,
        last_note,
        total,
        _mean_length(notes, lengths, total),
    )


def _mean_length(notes: NDArray[np.int32], lengths: NDArray[np.float32], total: int) -> float:
    same = (notes[1:] == notes[:-1]) & (notes[1:] > 0)
    shared = float((lengths[1:] + lengths[:-1])[same].sum())
    return max(1.0, (float(lengths.sum()) + shared) / total) if total else 1.0


def _put_lengths(lengths: NDArray[np.float32], sizes: list[tuple[int, bytes]]) -> None:
    """Writes the words of each block, all columns together. A size is a row of numbers of seven bits a byte, the
    highest first, the last without the eighth bit."""
    import numpy as np

    sizes = [row for row in sizes if row[0] < len(lengths)]
    if not sizes:
        return
    data = np.frombuffer(b"".join(size for _, size in sizes), dtype=np.uint8)
    ends = np.flatnonzero(data < 128)
    starts = np.concatenate(([0], ends[:-1] + 1))
    places = np.repeat(ends, ends - starts + 1) - np.arange(len(data))
    values = np.add.reduceat((data & 127).astype(np.int64) << (7 * places), starts)
    lengths[[block for block, _ in sizes]] = values.reshape(-1, COLUMNS).sum(axis=1)
