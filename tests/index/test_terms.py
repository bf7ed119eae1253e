"""How text becomes terms: what was written and what is asked must meet."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.index.terms import (
    CJK_RUN,
    cjk_grams,
    fold,
    storable,
    without_cjk,
    words_and_grams,
)
from vaultmem.search.query import match_all, match_any, words_of
from vaultmem_schemas import index_ddl

CJK = st.text("数据库北海道がぷんトンネルㄅ서울물결ー々ゞ漢𠀋", min_size=1, max_size=12)
MARKED = "हिन्दीகிழ்שָׁلَّခ်วา้\u0301\u093c a-’"
WORDS = st.text("abcçÇéе\u0301йЙßİıΣς12_-. '🌊🧭", max_size=20)
MIXED = st.lists(CJK | WORDS | st.text(max_size=8), max_size=6).map("".join)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Tide GAUGE 7", "tide gauge 7"),
        ("Café", "cafe"),
        ("Cafe\u0301", "cafe"),
        ("Ｃａｆé", "cafe"),
        ("x\u0302", "x"),
        ("İstanbul", "istanbul"),
        ("Ёлка и Йод", "елка и иод"),
        ("Άλφα", "αλφα"),
        ("ﬁord", "fiord"),
        ("Straße STRAẞE", "strasse strasse"),
        ("Økland Okładka Đorđe Æsir cœur Þór", "okland okladka dorde aesir coeur thor"),
        ("ガ", "ガ"),
        ("が", "が"),
        ("か\u3099", "が"),
        ("ﾄﾝﾈﾙ", "トンネル"),
        ("서울", "서울"),
        ("ไทย", "ไทย"),
        ("a\0b", "a b"),
        ("", ""),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folded_text_is_folded_for_good_once_it_is_stable(text: str) -> None:
    twice = fold(fold(text))

    assert fold(twice) == twice


@pytest.mark.parametrize(
    ("text", "kept"),
    [("tide", "tide"), ("潮", "潮"), ("a\ud800b", "a\ufffdb"), ("\udfff", "\ufffd"), ("🌊", "🌊")],
)
def test_half_a_surrogate_pair_cannot_be_stored(text: str, kept: str) -> None:
    assert storable(text) == kept


@pytest.mark.parametrize(
    ("text", "grams"),
    [
        ("数据库", "数据 据库 数 据 库"),
        ("库", "库"),
        ("数据 and 库存", "数据 数 据 库存 库 存"),
        ("tide", ""),
        ("", ""),
        ("潮がひく", "潮が がひ ひく 潮 が ひ く"),
        ("서울에서", "서울 울에 에서 서 울 에 서"),
        ("tide 🌊up", "symbol1f30a"),
        ("数据✅数", "数据 数 据 symbol2705 数"),
        ("a → b ━ 5 € 🏽", ""),
    ],
)
def test_grams_are_pairs_and_then_single_characters(text: str, grams: str) -> None:
    assert cjk_grams(text) == grams


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tide 数据库 gauge", "tide   gauge"),
        ("done🥳", "done "),
        ("“tide”", " tide "),
        ("naïve", "naïve"),
        ("हिन्दी தமிழ் น้ำ", "हिन्दी தமிழ் น้ำ"),
        ("don’t ❤\ufe0f", "don t  "),
    ],
)
def test_outside_cjk_only_words_are_left(text: str, words: str) -> None:
    assert without_cjk(text) == words


@pytest.fixture(scope="module")
def blocks() -> apsw.Connection:
    """An index of nothing, with the tables of ours that a query meets."""
    connection = apsw.Connection(":memory:")
    connection.execute(index_ddl())
    return connection


def is_found(blocks: apsw.Connection, text: str, expression: str) -> bool:
    """Whether the one block with that body satisfies the expression, by the real word index."""
    blocks.execute("DELETE FROM notes_fts WHERE rowid = 1")
    folded = fold(text)
    blocks.execute(
        "INSERT INTO notes_fts (rowid, title, aliases, headings, tags, body, cjk) VALUES (1, '', '', '', '', ?, ?)",
        (without_cjk(folded), cjk_grams(folded)),
    )
    query = "SELECT count(*) FROM notes_fts WHERE notes_fts MATCH ?"
    return bool(blocks.execute(query, (expression,)).get)


@given(before=MIXED, run=CJK, after=MIXED, data=st.data())
def test_every_part_of_a_cjk_run_is_found(
    blocks: apsw.Connection, before: str, run: str, after: str, data: st.DataObject
) -> None:
    text = f"{before}{run}{after}"
    runs = CJK_RUN.findall(fold(text))
    whole = data.draw(st.sampled_from(runs))
    start = data.draw(st.integers(0, len(whole) - 1))
    part = whole[start : data.draw(st.integers(start + 1, len(whole)))]

    assert is_found(blocks, text, match_all(words_of(part)))


@given(st.lists(CJK, min_size=2, max_size=4))
def test_no_phrase_reaches_from_one_run_into_the_next(
    blocks: apsw.Connection, runs: list[str]
) -> None:
    text = " ".join(runs)
    across = fold(runs[0])[-1] + fold(runs[1])[0]

    whole = [run for run in CJK_RUN.findall(fold(text)) if across in run]

    assert is_found(blocks, text, match_all(words_of(across))) is bool(whole)


@given(MIXED)
def test_each_term_of_a_text_finds_that_text(blocks: apsw.Connection, text: str) -> None:
    for term in words_of(text):
        assert is_found(blocks, text, match_all([term])), term
        assert is_found(blocks, text, match_any([term])), term


@given(st.text())
def test_columns_with_words_and_grams_hold_what_the_body_holds(text: str) -> None:
    folded = fold(text)

    assert words_and_grams(folded).split() == [
        *without_cjk(folded).split(),
        *cjk_grams(folded).split(),
    ]


INDIC = ["हिन्दी", "हिन्दू", "தமிழ்", "தமிழ", "עִבְרִית", "العَرَبِيَّة", "မြန်မာ", "বাংলা", "বাংলাদেশ"]


@pytest.mark.parametrize("word", INDIC)
def test_signs_above_and_below_are_parts_of_their_word(blocks: apsw.Connection, word: str) -> None:
    """Given words that differ in such a sign alone, then each is found by itself only."""
    (term,) = words_of(word)
    assert term.tokens == (fold(word),)

    found = [text for text in INDIC if is_found(blocks, f"a {text}.", match_all((term,)))]

    assert found == [word]


@given(st.text(MARKED, min_size=1, max_size=12))
def test_the_word_index_cuts_marked_words_as_the_query_does(
    blocks: apsw.Connection, word: str
) -> None:
    is_found(blocks, word, '"x"')
    seen = {term for (term,) in blocks.execute("SELECT term FROM notes_fts_terms")}

    assert {token for term in words_of(word) for token in term.tokens} == seen
