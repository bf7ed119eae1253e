"""An answer holds as many notes as were asked for, if so many match."""

from __future__ import annotations

import pytest

from tests.conftest import VaultOf
from vaultmem.search.model import Lane


@pytest.mark.parametrize("others", [0, 5_000], ids=["a common word", "a rare word"])
@pytest.mark.parametrize(
    ("query", "lanes"),
    [
        ("bowsprit", None),
        ("bowsprit", [Lane.KEYWORD]),
        ("owspri", [Lane.SUBSTRING]),
    ],
)
def test_as_many_as_were_asked_for(
    vault_of: VaultOf, query: str, lanes: list[Lane] | None, others: int
) -> None:
    files: dict[str, str | bytes] = {f"n/{i}.md": "The bowsprit.\n" for i in range(260)}
    files["Log.md"] = "".join(f"# Day {i}\n\nA calm sea.\n\n" for i in range(others))
    vault = vault_of(files)

    answers = [vault.search(query, lanes=lanes, limit=limit) for limit in (10, 150, 1000)]

    assert [len(answer.hits) for answer in answers] == [10, 150, 260]
