"""A slip in a query is answered with the word of the vault that was probably meant, and only when there is a slip."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import VaultOf
from vaultmem.search.model import Lane
from vaultmem.search.spelling import slips_between

PANTRY = {
    "Crocks.md": "# Crocks\n\nThe fermentation of cabbage takes weeks, a fermentation of beets less.\n",
    "Bread.md": "---\naliases: [Sourdough]\n---\nFlour, water, patience. Fermented over night, E-Mail to Ada.\n",
    "Погреб.md": "Квашеная капуста стоит в погребе.\n",
    "Crème.md": "A crème brûlée needs a torch.\n",
    "Rare.md": "cabbale accommodation किताब\n",
    "漬物.md": "白菜を塩で漬ける。\n",
}


class TestSlips:
    """A word that stands in no note is replaced, the others stay as typed."""

    @pytest.mark.parametrize(
        ("query", "meant"),
        [
            ("fermantation", "fermentation"),
            ("frementation", "fermentation"),
            ("kermentation", "fermentation"),
            ("efrmentation", "fermentation"),
            ("ffermentation", "fermentation"),
            ("fermenatoin", "fermentation"),
            ("FERMANTATION", "fermentation"),
            ("Flour fermantation, PATIENCE", "Flour fermentation, PATIENCE"),
            ("sourdogh", "sourdough"),
            ("e-mial", "e-mail"),
            ("капусат", "капуста"),
            ("brulee cremme", "brulee creme"),
            ("cabage", "cabbage"),
            ("acomodation", "accommodation"),  # two slips, one of them in the beginning
            ("किताव", "किताब"),
        ],
    )
    def test_the_word_meant_is_offered(self, vault_of: VaultOf, query: str, meant: str) -> None:
        assert vault_of(PANTRY).search(query).did_you_mean == meant

    @pytest.mark.parametrize(
        "query",
        [
            "fermentation",
            "Fermentation cabbage",
            "ferment",  # a part of words
            "zeppelin",
            "fermantatoins",  # three slips
            "cab",
            "tkae",  # two slips in a short word
            "1984",
            "塩漬",
            "🔵",
            "",
            '" OR *',
        ],
    )
    def test_nothing_is_offered(self, vault_of: VaultOf, query: str) -> None:
        assert vault_of(PANTRY).search(query).did_you_mean == ""

    def test_of_equal_ones_the_more_common(self, vault_of: VaultOf) -> None:
        files = {f"{n}.md": "barrel" for n in range(3)} | {"b.md": "barred"}

        assert vault_of(files).search("barreb").did_you_mean == "barrel"

    def test_a_word_of_excluded_notes_is_not(self, vault_of: VaultOf) -> None:
        files = PANTRY | {".obsidian/app.json": '{"userIgnoreFilters": ["Crocks.md"]}'}

        assert vault_of(files).search("fermantation").did_you_mean == ""

    def test_a_word_that_is_gone_is_not(self, vault_of: VaultOf) -> None:
        vault = vault_of(PANTRY)
        assert vault.search("fermantation").did_you_mean
        (vault.root / "Crocks.md").unlink()

        assert vault.search("fermantation").did_you_mean == ""

    def test_who_asks_for_meaning_alone_is_not_told(self, vault_of: VaultOf) -> None:
        vault = vault_of(PANTRY)

        assert vault.search("fermantation", lanes=[Lane.VECTOR]).did_you_mean == ""
        assert vault.search("fermantation", lanes=[Lane.KEYWORD]).did_you_mean == "fermentation"


def _distance(one: str, other: str) -> int:
    """By the book: the table of all distances, with neighbours swapped as one slip."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i, j in product(range(1, len(one) + 1), range(1, len(other) + 1)):
        same = one[i - 1] == other[j - 1]
        least = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (not same))
        if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
            least = min(least, table[i - 2, j - 2] + 1)
        table[i, j] = least
    return table[len(one), len(other)]


WORDS = st.text("abc", max_size=7)


@given(WORDS, WORDS)
def test_slips_are_counted_as_the_book_says(one: str, other: str) -> None:
    assert slips_between(one, other, 2) == min(_distance(one, other), 3)
