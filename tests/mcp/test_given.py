"""What agents send by way of arguments, and what is made of it."""

from __future__ import annotations

import pytest

from vaultmem.errors import UsageError
from vaultmem.server.mcp.given import LONGEST, Given


def given(value: object) -> Given:
    return Given({"a": value}, ("a", "b"))


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), ("3", 3), (" 3 ", 3), (3.0, 3), ("3.0", 3), (-5, 1), (10**30, 9), (None, 4)],
)
def test_numbers(value: object, number: int) -> None:
    assert given(value).whole("a", 4, 1, 9) == number


@pytest.mark.parametrize("value", [True, 2.5, "2.5", "three", [], {}, "1e999", "nan", ""])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(UsageError, match="a whole number"):
        given(value).whole("a", 4, 1, 9)


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        (True, True),
        ("true", True),
        ("YES", True),
        (1, True),
        ("false", False),
        (0, False),
        (None, False),
    ],
)
def test_flags(value: object, flag: bool) -> None:
    assert given(value).flag("a") is flag


@pytest.mark.parametrize("value", ["perhaps", 2, [True], {}])
def test_what_is_no_flag(value: object) -> None:
    with pytest.raises(UsageError, match="true or false"):
        given(value).flag("a")


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (["x", "y"], ("x", "y")),
        ('["x", "y"]', ("x", "y")),
        ("x", ("x",)),
        ("[x", ("[x",)),
        ([1, "x"], ("1", "x")),
        (None, ()),
    ],
)
def test_lists(value: object, texts: tuple[str, ...]) -> None:
    assert given(value).texts("a") == texts


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("closed", "closed"),
        ("4", 4),
        (4, 4),
        ("007", "007"),
        ("true", True),
        ('["a", "b"]', ["a", "b"]),
        (["a", 2], ["a", 2]),
        ("[[Heron]]", "[[Heron]]"),
        ("16:45", "16:45"),
    ],
)
def test_values_of_properties(value: object, kept: object) -> None:
    assert given(value).property_value("a") == kept


def test_texts() -> None:
    assert given(2207).text("a") == "2207"
    assert given(None).text("a", "none") == "none"
    assert given("").text("a", empty=True) == ""
    for value, words in ((None, "missing"), ("  ", "empty"), ([], "a text"), (True, "a text")):
        with pytest.raises(UsageError, match=words):
            given(value).text("a")


def test_what_is_not_known_or_too_large_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="no argument 'c'"):
        Given({"c": 1}, ("a",))
    with pytest.raises(UsageError, match="too much") as caught:
        given("x" * (LONGEST + 1))
    assert len(str(caught.value)) < 200
    with pytest.raises(UsageError, match="sing takes no argument 'a'"):
        given(1).only(("b",), "sing")


def test_a_choice_is_taken_in_any_spelling() -> None:
    assert given("Set-Property").choice("a", ("set_property", "append")) == "set_property"
    with pytest.raises(UsageError, match="Use set_property, append"):
        given("sing").choice("a", ("set_property", "append"))


def test_brackets_without_end_are_a_text_like_any_other() -> None:
    deep = "[" * 5000 + "]" * 5000

    assert given(deep).property_value("a") == deep
