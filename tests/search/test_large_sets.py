"""Sets of vectors too large to be kept whole: nominated by their signs, compared exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.search.test_matrix import SEMANTIC, nearest, text
from tests.vaults import vault_at, write
from vaultmem.search import matrix, signs
from vaultmem.search.signs import Signs, packed_signs

Rows = NDArray[np.float32]


def clustered(count: int, dim: int, seed: int = 1) -> Rows:
    """Unit rows that lie in clusters, as those of texts do."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((count // 20, dim))
    rows = centres[rng.integers(0, len(centres), count)] + 0.6 * rng.standard_normal((count, dim))
    unit: Rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.mark.parametrize("dim", [100, 256, 384])
def test_the_true_first_ten_are_among_the_nominated(dim: int) -> None:
    rows = clustered(20_000, dim)
    held = Signs.of_packed(packed_signs(rows))
    nobody_out = np.zeros(len(rows), np.bool_)
    agreed = []
    for wanted in clustered(20_000, dim)[::1000]:
        places = set(held.nominated(wanted, nobody_out).tolist())
        true = np.argsort(-(rows @ wanted))[:10].tolist()
        agreed.append(len(places.intersection(true)) / 10)

    assert np.mean(agreed) >= 0.98


def test_those_that_are_out_are_not_nominated_and_leave_no_gap() -> None:
    rows = clustered(2_000, 64)
    held = Signs.of_packed(packed_signs(rows))
    out = np.arange(len(rows)) % 10 != 0

    places = held.nominated(rows[5], out, most=50)

    assert 50 <= len(places) < 200
    assert not out[places].any()


def test_with_few_left_all_are_nominated() -> None:
    rows = clustered(200, 64)
    held = Signs.of_packed(packed_signs(rows))

    assert held.nominated(rows[0], np.zeros(200, np.bool_)).tolist() == list(range(200))
    assert held.nominated(rows[0], np.ones(200, np.bool_)).tolist() == []


def test_bits_are_counted_alike_by_every_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = packed_signs(clustered(500, 192)).reshape(-1)
    counted = signs._ones(numbers)
    monkeypatch.delattr(np, "bitwise_count", raising=False)

    assert signs._ones(numbers).tolist() == counted.tolist()
    assert counted.tolist() == [int(number).bit_count() for number in numbers]


def test_a_large_set_finds_what_a_kept_one_finds_whatever_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "vault"
    write(root, {f"{number}.md": text(number % 8, number // 8) for number in range(60)})
    with vault_at(root, settings=SEMANTIC) as kept:
        kept.rebuild()
    with (
        vault_at(root, settings=SEMANTIC) as large,
        vault_at(root, settings=SEMANTIC) as kept,
    ):
        for vault in (large, kept):
            monkeypatch.setattr(matrix, "MATRIX_BYTES", 0 if vault is large else 1 << 30)
            nearest(vault)
            nearest(vault)
        assert large._searching.memory.matrix._loaded is not None
        assert large._searching.memory.matrix._loaded.signs is not None
        assert kept._searching.memory.matrix._loaded is not None
        assert kept._searching.memory.matrix._loaded.signs is None
        assert nearest(large) == nearest(kept)

        write(root, {"3.md": text(1, 1), "new.md": text(2, 5)})
        (root / "8.md").unlink()

        assert nearest(large) == nearest(kept)
