"""How like a query each block is, measured by what is usual for that query, and with what stands around the block.

A cosine says little by itself: its range differs with the model, the language and the length of the question. So it is
told in standard deviations above the mean of blocks from all over the vault. And a block is seldom understood alone: the
mean with its neighbours' cosines (``around``) is the better judge of a talk or a note of short sections. Short blocks
are likened to anything that shares their one word, so that a likeness is believed by the length of its block.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEIGHBOURS: Final = ((0, 1.0), (1, 0.7), (-1, 1.0), (2, 0.3), (-2, 0.5), (3, 0.2), (-3, 0.3))
"""What the cosine of the block so many places on counts in a block's surroundings; what stands before it counts more."""

CLEAR_SIGMAS: Final = 2.5
"""A likeness so many standard deviations above the usual is no accident."""

CENTRES: Final = 256
"""Blocks by which it is judged what is usual for a query."""

USUAL_WEIGHT: Final = 30
"""As how many blocks the model's own noise counts: of a small vault nothing else is known."""

NOISE_PERCENTILE: Final = 99
"""A block counts as like the query when its cosine is above that of so many of a hundred blocks or no accident, and above
the model's own noise. Not by deviations alone: in a vault of two languages the cosines have two peaks."""

MOST_SIGMAS: Final = 6.0
"""What is so far above the usual is as like as can be."""


class Likeness(NamedTuple):
    """Of one block to a query."""

    cosine: float
    around: float
    """The mean of the cosines of the block and its neighbours, the near ones counting more."""
    words: float
    """Of the block."""


class Usual(NamedTuple):
    """Mean and standard deviation of one measure over blocks that have nothing to do with the query."""

    mean: float
    spread: float

    def above(self, value: float) -> float:
        """How far a value is above the usual, 0 … 1; 1 from ``MOST_SIGMAS`` deviations on."""
        return min(max((value - self.mean) / self.spread / MOST_SIGMAS, 0.0), 1.0)


class Noise(NamedTuple):
    """What is usual for one query."""

    alone: Usual
    around: Usual
    floor: float
    """The cosine below which there is no likeness."""
    clear: float
    """The cosine from which on a likeness is no accident, as far as a question can tell."""


def centres(closed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The blocks, by id, that stand for the vault (or the part of it that is searched)."""
    import numpy as np

    open_ = np.flatnonzero(~closed)
    return open_[:: max(1, len(open_) // CENTRES)][:CENTRES]


def with_neighbours(notes: NDArray[np.int32], blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The blocks, and those around them in their notes; each once, ascending. ``notes`` has the note of each block."""
    import numpy as np

    places, same = _places(notes, blocks)
    return np.unique(places[same])


def _places(
    notes: NDArray[np.int32], blocks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each block (a column) its neighbours, and which of these are of its note."""
    import numpy as np

    steps = np.array([step for step, _ in NEIGHBOURS], dtype=np.int64)
    places = blocks[np.newaxis] + steps[:, np.newaxis]
    inside = (places > 0) & (places < len(notes))
    places = np.where(inside, places, 0)
    return places, inside & (notes[places] == notes[blocks][np.newaxis])


def around(
    notes: NDArray[np.int32], cosines: NDArray[np.float32], blocks: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The mean of the cosines around each of the blocks; NaN for a block without any. ``cosines`` is by block id, NaN
    where there is none."""
    import numpy as np

    places, same = _places(notes, blocks)
    found = cosines[places]
    known = same & ~np.isnan(found)
    shares = np.array([share for _, share in NEIGHBOURS], dtype=np.float32)[:, np.newaxis]
    weights = np.where(known, shares, 0)
    total = weights.sum(axis=0)
    sums = (weights * np.where(known, found, 0)).sum(axis=0)
    means: NDArray[np.float32] = np.divide(
        sums, total, out=np.full(len(blocks), np.nan, np.float32), where=total > 0
    )
    return means


def usual(values: NDArray[np.float32], model_floor: float) -> Usual:
    """What is usual among the values, NaN left out, with the model's own noise mixed in: of it only its 99th percentile
    is known, which a normal distribution has 2.33 deviations above the mean; the deviation is taken for a quarter of it."""
    spread = model_floor / 4
    mean = model_floor - 2.33 * spread
    known = values[values == values]  # NaN is not
    count = len(known)
    if not count:
        return Usual(mean, spread)
    own_mean = float(known.mean())
    total = count + USUAL_WEIGHT
    together = (count * own_mean + USUAL_WEIGHT * mean) / total
    square = (
        count * (float(known.var()) + (own_mean - together) ** 2)
        + USUAL_WEIGHT * (spread**2 + (mean - together) ** 2)
    ) / total
    return Usual(together, math.sqrt(square))


def noise_of(
    notes: NDArray[np.int32],
    cosines: NDArray[np.float32],
    chosen: NDArray[np.int64],
    model_floor: float,
) -> Noise:
    """What is usual for a query, by the ``chosen`` blocks. ``model_floor`` is the model's own noise."""
    import numpy as np

    alone = usual(cosines[chosen], model_floor)
    clear = floor = model_floor
    known = cosines[chosen][~np.isnan(cosines[chosen])]
    if len(known) >= USUAL_WEIGHT:  # of fewer, some may be what is asked for
        clear = max(clear, alone.mean + CLEAR_SIGMAS * alone.spread)
        floor = max(floor, min(clear, float(np.percentile(known, NOISE_PERCENTILE))))
    return Noise(alone, usual(around(notes, cosines, chosen), model_floor), floor, clear)


def likenesses(
    notes: NDArray[np.int32],
    lengths: NDArray[np.float32],
    cosines: NDArray[np.float32],
    blocks: Iterable[int],
) -> dict[int, Likeness]:
    """How like the query each of the blocks is, of those that have a vector. ``lengths`` are words by block id."""
    import numpy as np

    asked = np.array(sorted(set(blocks)), dtype=np.int64)
    asked = asked[~np.isnan(cosines[asked])]
    means = around(notes, cosines, asked)
    return {
        int(block): Likeness(float(cosines[block]), float(mean), float(lengths[block]))
        for block, mean in zip(asked, means, strict=True)
    }


def believed(words: float, half: float) -> float:
    """How much the likeness of a block of so many words is believed, 0 … 1; by half with ``half`` words."""
    return words / (words + half)


class Judged(NamedTuple):
    """What fusion and ``cosine_rerank`` take from the likeness of a block, each 0 … 1."""

    alone: float
    around: float


def judged(likes: Mapping[int, Likeness], noise: Noise, half: float) -> dict[int, Judged]:
    """How far each block is above the usual, as far as its length lets it be believed."""
    found = {}
    for block, like in likes.items():
        share = believed(like.words, half)
        found[block] = Judged(
            share * noise.alone.above(like.cosine), share * noise.around.above(like.around)
        )
    return found
