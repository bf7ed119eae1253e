"""MinHash signatures of texts and the pairs that share a band of them: likely duplicates without comparing all with all.

After A. Z. Broder, "On the resemblance and containment of documents" (1997), and P. Indyk and R. Motwani, "Approximate
nearest neighbors" (1998). Pure; equal texts give equal signatures, whatever else there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final
from zlib import crc32

if TYPE_CHECKING:
    from numpy import float32, int64, uint32, uint64
    from numpy.typing import NDArray

BANDS: Final = 32
ROWS: Final = 3
"""Values in a band. With 32 bands of 3, two texts that share half of their word pairs are missed in 14 of 1000 cases,
with six in ten in less than 1 of 1000; such that share one in ten meet in 3 of 100."""
SEED: Final = 20260301
IN_BUCKET: Final = 8
"""Next texts of a bucket that a text is paired with: a bucket of thousands (a template) must not become millions of pairs."""
AT_ONCE: Final = 2048
"""Texts whose signatures are made together, so that the numbers stay in the processor's cache."""

_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+"
)
_MIX: Final = 0x9E3779B97F4A7C15


def signatures(texts: Sequence[str]) -> NDArray[uint32]:
    """One row of ``BANDS × ROWS`` values for each text, over its pairs of neighbouring words, or of characters in
    Chinese, Japanese and Korean. The share of equal values is an estimate of the share of equal pairs."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    factors = generator.integers(1, 2**63, size=BANDS * ROWS, dtype=np.uint64) * 2 + 1
    known: dict[str, int] = {}
    found = np.empty((len(texts), BANDS * ROWS), dtype=np.uint32)
    for start in range(0, len(texts), AT_ONCE):
        shingles, offsets = _shingles(texts[start : start + AT_ONCE], known)
        for column, factor in enumerate(factors):
            mixed = (shingles * factor) >> np.uint64(32)
            found[start : start + AT_ONCE, column] = np.minimum.reduceat(mixed, offsets)
    return found


def _shingles(
    texts: Sequence[str], known: dict[str, int]
) -> tuple[NDArray[uint64], NDArray[int64]]:
    """The hashed pairs of all texts in a row, and where each text begins."""
    import numpy as np

    hashes: list[int] = []
    lengths: list[int] = []
    for text in texts:
        words = _WORD.findall(text.lower()) or [text]
        for word in words:
            if word not in known:
                known[word] = crc32(word.encode("utf-8", "surrogatepass")) + 1
        hashes.extend([known[word] for word in words])
        lengths.append(len(words))
    ends = np.cumsum(lengths)
    one = np.array(hashes, dtype=np.uint64)
    following = np.append(one[1:], np.uint64(0))
    following[ends - 1] = 0
    pairs = (one * np.uint64(_MIX)) ^ ((following + np.uint64(1)) * np.uint64(0xC2B2AE3D27D4EB4F))
    pairs ^= pairs >> np.uint64(29)
    keep = np.ones(len(one), dtype=bool)
    several = np.array(lengths) > 1
    keep[(ends - 1)[several]] = False
    offsets = np.concatenate(([0], np.cumsum(np.maximum(np.array(lengths) - 1, 1))[:-1]))
    return pairs[keep], offsets.astype(np.int64)


def near_pairs(
    found: NDArray[uint32], least: float
) -> Iterator[tuple[NDArray[int64], NDArray[int64], NDArray[float32]]]:
    """Pairs of rows that share a band and at least ``least`` of their values, in pieces: first rows, second rows
    (always larger), shares. A pair comes once."""
    import numpy as np

    rows = np.uint64(len(found))
    pairs = np.unique(np.concatenate([_in_band(found, band) for band in range(BANDS)]))
    for start in range(0, max(1, len(pairs)), 65536):
        piece = pairs[start : start + 65536]
        first, second = (piece // rows).astype(np.int64), (piece % rows).astype(np.int64)
        shares = (found[first] == found[second]).mean(axis=1, dtype=np.float32)
        near = shares >= least
        yield first[near], second[near], shares[near]


def _in_band(found: NDArray[uint32], band: int) -> NDArray[uint64]:
    """The pairs of rows with the same values in the band, each as first × rows + second."""
    import numpy as np

    keys = np.zeros(len(found), dtype=np.uint64)
    for column in range(band * ROWS, (band + 1) * ROWS):
        keys = (keys ^ found[:, column].astype(np.uint64)) * np.uint64(_MIX)
        keys ^= keys >> np.uint64(31)
    order = np.argsort(keys, kind="stable").astype(np.uint64)
    keys = keys[order.astype(np.int64)]
    pieces = []
    for step in range(1, IN_BUCKET + 1):
        same = np.flatnonzero(keys[step:] == keys[:-step])
        if not len(same):
            break
        pieces.append(order[same] * np.uint64(len(found)) + order[same + step])
    return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint64)
