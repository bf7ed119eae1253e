"""When an answer is clearly about what was asked, and when it is only what comes nearest."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import VaultOf
from vaultmem.search.model import Lane
from vaultmem.search.relevance import COVERED, covered
from vaultmem.search.words import Heard

NEAREST = "nothing here is clearly about this; what comes nearest is shown"

GARDEN = {
    "Compost.md": "# Compost\nLeaves and peelings rot for a year before they feed the beds.",
    "Beans.md": "# Beans\nSow runner beans in May, two to a cane, and water them well.",
    "Frost.md": "# Frost\nThe last frost comes in the middle of May; cover the tomatoes.",
    "Bees.md": "# Bees\nThe hive stands by the orchard wall, out of the wind.",
}


@pytest.mark.parametrize(
    ("query", "is_about_it"),
    [
        ("runner beans", True),
        ("when do I sow runner beans", True),
        ("compost", True),
        ("year tax return deadline for self employed plumbers", False),
        ("in May", True),
        ("path:beans sow", True),
    ],
)
def test_an_answer_says_when_nothing_is_clearly_about_the_question(
    vault_of: VaultOf, query: str, *, is_about_it: bool
) -> None:
    answer = vault_of(GARDEN).search(query, lanes=[Lane.KEYWORD], why=True)

    assert (NEAREST in answer.told) is not is_about_it
    assert answer.trace is not None
    assert answer.trace.relevant is is_about_it


def test_without_any_hit_there_is_nothing_to_say_of_them(vault_of: VaultOf) -> None:
    answer = vault_of(GARDEN).search("zzyzx", lanes=[Lane.KEYWORD], why=True)

    assert (answer.hits, answer.told) == ((), ())


def test_a_part_of_a_word_is_clear_enough(vault_of: VaultOf) -> None:
    answer = vault_of(GARDEN).search("mpos")

    assert [hit.path for hit in answer.hits][:1] == ["Compost.md"]
    assert NEAREST not in answer.told


def test_rare_words_count_more() -> None:
    heard = (
        Heard("a", 3.0, np.array([2, 7])),
        Heard("b", 1.0, np.array([7, 9])),
        Heard("c", 2.0, np.array([])),
    )

    assert [covered(block, heard) for block in (1, 2, 7, 9)] == [
        0,
        pytest.approx(1 / 2),
        pytest.approx(2 / 3),
        pytest.approx(1 / 6),
    ]
    assert covered(7, heard) > COVERED > covered(2, heard)
