"""How a query is taken apart: words, phrases, exclusions, filters."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.search.filters import (
    Before,
    Below,
    Compared,
    Filter,
    Has,
    Holds,
    LinksTo,
    Not,
    OfType,
    Placed,
    Property,
    Says,
    Tagged,
)
from vaultmem.search.languages import stop_words_of
from vaultmem.search.query import FILTERS, parse_query
from vaultmem.search.stopwords import ENGLISH, without_stop_words

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ('"Low  Water"', Says((("low", "water"),))),
        ("“low water”", Says((("low", "water"),))),
        ("«low water»", Says((("low", "water"),))),
        ('"wifi密码"', Says((("wifi",), ("密码",)))),
        ("-draft", Not(Says((("draft",),)))),
        ("-e-mail", Not(Says((("e", "mail"),)))),
        ('-"first draft"', Not(Says((("first", "draft"),)))),
        ("tag:Coast", Tagged("coast")),
        ("Tag:#coast/North,", Tagged("coast/north")),
        ("tag：中文", Tagged("中文")),
        ('path:"My Logs/"', Placed("my logs/")),
        ("type:Café", OfType("cafe")),
        ('in:"Open  Questions"', Below("open questions")),
        ("has:links", Holds(Has.LINK)),
        ('has:"block id"', Holds(Has.BLOCK_ID)),
        ("before:2024-03", Before(date(2024, 3, 1))),
        ("after:2024", Not(Before(date(2025, 1, 1)))),
        ("after:yesterday", Not(Before(date(2026, 11, 30)))),
        ('before:"2 weeks ago"', Before(date(2026, 11, 16))),
        ("link:[[Places/Harbour#Berths|the port]]", LinksTo("places/harbour")),
        ("prop:Status", Property("status")),
        ('prop:"due date"<=2026-01-01', Property("due date", Compared.LESS_OR_EQUAL, "2026-01-01")),
        ('prop:"status=in progress"', Property("status", Compared.EQUAL, "in progress")),
        ('prop:status!="in progress"', Property("status", Compared.UNEQUAL, "in progress")),
        ("-tag:coast", Not(Tagged("coast"))),
    ],
)  # fmt: skip
def test_what_acts_as_a_filter(typed: str, meant: Filter) -> None:
    query = parse_query(f"tide {typed} gauge", today=TODAY)

    assert query.filters.all_of == (meant,)
    assert query.told == ()
    words = [term.text for term in query.terms]
    assert (words[0], words[-1]) == ("tide", "gauge")
    assert (len(words) > 2) is isinstance(meant, Says)


@pytest.mark.parametrize(
    "typed",
    ["http://example.org", "12:30", "note: x", "tag:", "tag: x", "--force", "- x", 'an "open quote', '5"', "a-b", "body:x", "NOT x", "c++", "in a", "日本:x", ":", "-"],
)  # fmt: skip
def test_everything_else_is_words(typed: str) -> None:
    query = parse_query(typed, today=TODAY)

    assert (query.filters.all_of, query.told) == ((), ())
    assert query.words == typed.strip()


def test_a_phrase_stands_among_the_words_where_it_was_typed() -> None:
    query = parse_query('tide "low water" gauge tag:coast -draft')

    assert [term.text for term in query.terms] == ["tide", "low water", "gauge"]
    assert query.words == "tide low water gauge"


@given(st.lists(st.sampled_from([*(f"{name}:" for name in FILTERS), '"', "“", "-", " ", "x", "=", "<", "#", "*", "数", "2024", "\ue000", "\ud800", "：", "|", "[["]), max_size=25).map("".join) | st.text())  # fmt: skip
def test_any_text_is_a_query(text: str) -> None:
    query = parse_query(text, today=TODAY)

    assert len(query.filters.all_of) <= 32
    assert all(term.tokens for term in query.terms)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("what is the tide", ["tide"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("US tax", ["us", "tax"]),
        ("us tax", ["tax"]),
        ('"the who" tour', ["the who", "tour"]),
        ("wann war die sitzung", ["sitzung"]),
        ("die hard", ["die", "hard"]),
        ("où est la clé de la cave", ["cle", "cave"]),
        ("wo sind die der", ["wo", "sind", "die", "der"]),
    ],
)
def test_stop_words_go_while_others_remain(text: str, left: list[str]) -> None:
    kept = [term.text for term in without_stop_words(parse_query(text))]

    assert kept == left


def test_a_language_is_told_by_two_of_its_words() -> None:
    assert "les" in stop_words_of(["dans", "les", "cave"], ENGLISH)
    assert stop_words_of(["les", "paul"], ENGLISH) == frozenset()
