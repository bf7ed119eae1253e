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


def sections(count: int, text: str) -> str:
    return "".join(f"# {text} {i}\n\n{text} {text} {text}\n\n" for i in range(count))


@pytest.mark.parametrize(
    ("query", "lanes"),
    [("zebra", None), ("zebra", [Lane.KEYWORD]), ("zebr", [Lane.SUBSTRING])],
)
@pytest.mark.parametrize("others", [0, 5_000], ids=["a common word", "a rare word"])
def test_notes_with_many_blocks_leave_room_for_others(
    vault_of: VaultOf, query: str, lanes: list[Lane] | None, others: int
) -> None:
    """Given notes whose blocks alone fill a lane, when ten notes are asked for, then ten that match are found."""
    files: dict[str, str | bytes] = {f"n/{i}.md": "A zebra, once.\n" for i in range(9)}
    files |= {f"big {i}.md": sections(500, "zebra") for i in range(3)}
    files["Log.md"] = "".join(f"# Day {i}\n\nA calm sea.\n\n" for i in range(others))
    vault = vault_of(files)

    paths = [
        {hit.path for hit in vault.search(query, lanes=lanes, limit=limit).hits}
        for limit in (10, 12, 13)
    ]

    assert [len(found) for found in paths] == [10, 12, 12]
    assert paths[2] == set(files) - {"Log.md"}


def test_a_note_keeps_its_rank_in_a_lane_that_goes_on(vault_of: VaultOf) -> None:
    """Given a lane that a long note fills, then what it offers of other notes is ranked behind that."""
    files: dict[str, str | bytes] = {f"n/{i}.md": "A zebra, once.\n" for i in range(9)}
    files["big.md"] = sections(150, "zebra")
    files["Log.md"] = "".join(f"# Day {i}\n\nA calm sea.\n\n" for i in range(2_000))
    answer = vault_of(files).search("zebra", lanes=[Lane.KEYWORD])

    assert answer.hits[0].path == "big.md"
    assert [rank.rank for hit in answer.hits for rank in hit.lanes] == [1, *range(101, 110)]
    assert [hit.score for hit in answer.hits] == sorted(
        (h.score for h in answer.hits), reverse=True
    )
    (lane,) = answer.lanes
    assert (lane.ran, lane.note) == (True, "")


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("हिन्दी", "hindi.md"),
        ("हिन्दू", "hindu.md"),
        ("न्दी", "hindi.md"),
        ("தமிழ", "tamil.md"),
        ("on’t", "dont.md"),
        ("on't", "dot.md"),
        ("l’ea", "eau.md"),
        ("o’clo", "clock.md"),
    ],
)
def test_signs_and_marks_within_words(vault_of: VaultOf, query: str, path: str) -> None:
    """Given words with vowel signs or apostrophes, then they and parts of them are found as typed."""
    vault = vault_of(
        {
            "hindi.md": "वह हिन्दी है",
            "hindu.md": "वह हिन्दू है",
            "tamil.md": "இது தமிழ் மொழி",
            "dont.md": "We don’t know.",
            "dot.md": "We don't know.",
            "other.md": "On with it, t o clock.",
            "eau.md": "Dans l’eau",
            "clock.md": "At five o’clock",
        }
    )

    assert [
        hit.path for hit in vault.search(query, limit=3, lanes=[Lane.KEYWORD, Lane.SUBSTRING]).hits
    ][:1] == [path]
    assert vault.verify().identical
