"""From what a person types to what the tables are asked: never an error, whatever stands there."""

from __future__ import annotations

import time

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.search.query import (
    MAX_TERMS,
    MAX_TOKENS,
    has_trigram,
    match_all,
    match_any,
    match_substrings,
    parse_query,
)
from vaultmem_schemas import index_ddl


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("tide gauge", [("tide",), ("gauge",)]),
        ("Tide tide TIDE", [("tide",)]),
        ("e-mail", [("e", "mail")]),
        ("snake_case", [("snake", "case")]),
        ("C++", [("c",)]),
        ("数据库", [("数据", "据库")]),
        ("库", [("库",)]),
        ("wifi密码", [("wifi",), ("密码",)]),
        ('"tide" AND NOT (ebb* OR ^flow) NEAR/3 body:x', [
            ("tide",), ("and",), ("not",), ("ebb",), ("or",), ("flow",), ("near", "3"), ("body", "x"),
        ]),
        ("a\0b", [("a",), ("b",)]),
        ("\ud800tide", [("tide",)]),
        ("", []),
        ("  \n\t", []),
        ("?! \u0301 ※ → ½ €", [("1", "2")]),
        ("🌊 ✅done", [("symbol1f30a",), ("symbol2705",), ("done",)]),
    ],
)  # fmt: skip
def test_terms(text: str, tokens: list[tuple[str, ...]]) -> None:
    assert [term.tokens for term in parse_query(text).terms] == tokens


def test_a_long_query_is_cut_and_says_so() -> None:
    query = parse_query(" ".join(f"w{i}" for i in range(100)))

    assert (len(query.terms), query.cut) == (MAX_TERMS, 100 - MAX_TERMS)


def test_a_long_term_is_looked_up_by_its_beginning() -> None:
    [cjk, word] = parse_query(f"{'数据' * 5000} {'a-' * 5000}").terms

    assert (len(cjk.tokens), len(word.tokens)) == (MAX_TOKENS, MAX_TOKENS)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("tide gauge", '"tide" OR "gauge"'),
        ("e-mail", '"e mail"'),
        ("数据库", '"数据 据库" OR "数据" OR "据库"'),
        ("OR", '"or"'),
    ],
)
def test_an_expression_is_made_of_quoted_terms(text: str, expression: str) -> None:
    assert match_any(parse_query(text).terms) == expression


def test_all_terms_are_joined_by_and_and_runs_stay_whole() -> None:
    assert match_all(parse_query("wifi 数据库").terms) == '"wifi" AND "数据 据库"'


def test_substrings_are_asked_for_by_their_trigrams() -> None:
    assert match_substrings(["tide", 'a"b']) == '"tid" AND "ide" AND "a""b"'


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    """The real tables, with one block."""
    connection = apsw.Connection(":memory:")
    connection.execute(index_ddl())
    connection.execute(
        "INSERT INTO notes_fts (rowid, title, aliases, headings, tags, body, cjk) VALUES (1, 'tide', '', '', '', 'gauge', '')"
    )
    connection.execute("INSERT INTO notes_fts_trigram (rowid, text) VALUES (1, 'tide gauge')")
    return connection


def ask(index: apsw.Connection, text: str) -> None:
    """Asks both tables for the text, in every way that a search does."""
    terms = parse_query(text).terms
    for expression in filter(None, (match_any(terms), match_all(terms))):
        index.execute(
            "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?", (expression,)
        ).fetchall()
    words = [term.text for term in terms if has_trigram(term.text)]
    if words:
        index.execute(
            "SELECT rowid FROM notes_fts_trigram WHERE notes_fts_trigram MATCH ?",
            (match_substrings(words),),
        ).fetchall()


SYNTAX = st.lists(
    st.sampled_from(
        ['"', "'", "*", "^", ":", "(", ")", "{", "}", "+", "-", "AND", "OR", "NOT", "NEAR", "NEAR(", ", 5)", " ",
         "\0", "\u0301", "\u3099", "🌊", "⺀", "数", "据", "body", "tide", "notes_fts", "rank", "\ud800", "\\"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(SYNTAX | st.text() | st.text(st.characters(categories=["Cs", "Lo", "Mn", "So"])))
def test_no_text_is_syntax(index: apsw.Connection, text: str) -> None:
    ask(index, text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 10_000, id="one word"),
        pytest.param("数据库" * 3_333, id="one run"),
        pytest.param("a" * 5_000 + "-" + "b" * 5_000, id="two words"),
        pytest.param("a-" * 5_000, id="one phrase"),
        pytest.param(" ".join(f"w{i}ord" for i in range(1_500)), id="many words"),
        pytest.param('"' * 10_000, id="quotes"),
        pytest.param("(" * 10_000, id="parentheses"),
        pytest.param("a AND " * 1_700, id="operators"),
        pytest.param("🌊" * 10_000, id="emoji"),
        pytest.param("\u0301" * 10_000, id="marks"),
    ],
)
def test_ten_thousand_characters_are_a_query(index: apsw.Connection, text: str) -> None:
    began = time.process_time()

    ask(index, text)

    assert time.process_time() - began < 2
