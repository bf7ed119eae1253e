"""Which names are close to one that no note has, among many."""

from __future__ import annotations

import difflib
import random
import time

import pytest

from vaultmem.notes.closeness import LIKENESS, close_names

WORDS = [
    "harbour",
    "tide",
    "fuel",
    "engine",
    "heron",
    "teal",
    "report",
    "meeting",
    "plan",
    "review",
    "budget",
    "supplier",
    "ferry",
]


def many(count: int) -> list[str]:
    """So many different names, always the same."""
    chosen = random.Random(7)
    return [f"{' '.join(chosen.choices(WORDS, k=3))} {number}" for number in range(count)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("herron", ["heron"]),
        ("haebr log", ["harbour log"]),
        ("x", []),
        ("", []),
        ("h" * 300, []),
        ("港口维護", ["港口維護"]),
    ],
)
def test_the_nearest_are_found(wanted: str, found: list[str]) -> None:
    names = ["heron", "harbour log", "港口維護", *many(1000)]
    assert close_names(wanted, names, 1) == found


def test_among_ten_thousand_they_are_as_near_as_when_all_are_compared_and_soon_there() -> None:
    names, chosen, spent = many(10_000), random.Random(8), 0.0
    for name in chosen.sample(names, 8):
        at = chosen.randrange(len(name))
        wanted = name[:at] + "x" + name[at + 1 :]
        began = time.process_time()
        (found,) = close_names(wanted, names, 1)
        spent += time.process_time() - began
        (best,) = difflib.get_close_matches(wanted, names, 1, LIKENESS)
        assert likeness(found, wanted) == likeness(best, wanted)
    assert spent / 8 < 0.3


def likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()
