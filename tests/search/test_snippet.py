"""The words around a match, with the match marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.index.terms import fold
from vaultmem.search.query import parse_query
from vaultmem.search.snippet import WIDTH, find_marks, make_snippet


def marked(text: str, query: str) -> str:
    """The text with its marks shown as brackets."""
    out, at = "", 0
    for start, end, _ in find_marks(text, parse_query(query).terms):
        out += f"{text[at:start]}[{text[start:end]}]"
        at = end
    return out + text[at:]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The tide turns.", "tide", "The [tide] turns."),
        ("Tide, TIDE, tides", "tide", "[Tide], [TIDE], tides"),
        ("tides only", "tide", "[tide]s only"),
        ("an e-mail", "e-mail", "an [e-mail]"),
        ("Café and cafe\u0301", "cafe", "[Café] and [cafe\u0301]"),
        ("re\u0301sume\u0301", "résumé", "[re\u0301sume\u0301]"),
        ("the ﬁord", "fiord", "the [ﬁord]"),
        ("İstanbul ﬁ e\u0301a", "éa istanbul", "[İstanbul] ﬁ [e\u0301a]"),
        ("㍿ stock", "式", "[㍿] stock"),
        ("x\u030c ß, Straße", "strasse", "x\u030c ß, [Straße]"),
        ("a 🔵 task", "🔵", "a [🔵] task"),
        ("使用数据库时", "数据库", "使用[数据库]时"),
        ("数据在库里", "数据库", "[数据]在库里"),
        ("トンネル", "ﾄﾝﾈﾙ", "[トンネル]"),
        ("no match", "ebb", "no match"),
        ("", "tide", ""),
        ("tide", "", "tide"),
    ],
)
def test_marks(text: str, query: str, expected: str) -> None:
    assert marked(text, query) == expected


TEXT = st.text("abc ABC éÉ\u0301ﬁ㍿İß数据库がｶﾞ\u3099서울🌊-_\n#*[]()", max_size=60) | st.text(
    max_size=60
)


@given(TEXT, TEXT)
def test_marks_lie_in_the_text_in_order_without_overlap(text: str, query: str) -> None:
    at = 0
    for start, end, _ in find_marks(text, parse_query(query).terms):
        assert at <= start < end <= len(text)
        at = end


@given(TEXT, TEXT)
def test_what_is_marked_is_what_was_asked_for(text: str, query: str) -> None:
    terms = parse_query(query).terms
    asked = {token for term in terms for token in (term.text, *term.tokens)}

    for start, end, _ in find_marks(text, terms):
        assert any(token in fold(text[start:end]) for token in asked)


@given(st.text(max_size=600), TEXT)
def test_a_snippet_is_short_and_its_marks_lie_in_it(markdown: str, query: str) -> None:
    snippet = make_snippet(markdown, parse_query(query).terms)

    assert len(snippet.text) <= WIDTH + 4
    assert "\n" not in snippet.text
    at = 0
    for start, end in snippet.marks:
        assert at <= start < end <= len(snippet.text)
        at = end


def test_a_snippet_shows_the_stretch_with_the_most_terms() -> None:
    text = "tide " + "word " * 100 + "the tide at the old harbour " + "word " * 100

    snippet = make_snippet(text, parse_query("harbour tide").terms)

    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")
    assert [snippet.text[a:b] for a, b in snippet.marks] == ["tide", "harbour"]


def test_a_snippet_has_no_markup() -> None:
    snippet = make_snippet("**Tide** in [[Harbour|the harbour]]", parse_query("tide").terms)

    assert snippet.text == "Tide in the harbour"
    assert snippet.marks == ((0, 4),)
