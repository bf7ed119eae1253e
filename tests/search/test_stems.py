"""Forms of an English word share a stem; everything else is its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.index.stems import stem


@pytest.mark.parametrize(
    ("words", "shared"),
    [
        (("seal", "seals", "sealed", "sealing"), "seal"),
        (("caress", "caresses"), "caress"),
        (("pony", "ponies"), "poni"),
        (("hop", "hops", "hopped", "hopping"), "hop"),
        (("fall", "falls", "falling"), "fall"),
        (("file", "files", "filed", "filing"), "file"),
        (("study", "studies", "studied", "studying"), "studi"),
        (("relate", "related", "relational"), "relat"),
        (("hope", "hopeful", "hopefulness"), "hope"),
        (("adjust", "adjustable", "adjustment"), "adjust"),
        (("agree", "agreed"), "agre"),
        (("control", "controll"), "control"),
    ],
)
def test_forms_of_a_word_share_a_stem(words: tuple[str, ...], shared: str) -> None:
    assert [stem(word) for word in words] == [shared] * len(words)


@pytest.mark.parametrize(
    "word",
    ["is", "as", "naïves", "straßen", "машины", "東京", "f16s", "symbol1f535", "", "x" * 31 + "s"],
)
def test_what_is_no_english_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=12))
def test_a_stem_is_never_longer_by_more_than_an_e(word: str) -> None:
    assert 0 <= len(stem(word)) <= len(word) + 1
    assert stem(word) or not word
