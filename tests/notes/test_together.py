"""Two changes of one text put together: given a text and two later forms of it, the form with both."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.notes.textedit import apply_edits
from vaultmem.notes.together import both, stretches


@pytest.mark.parametrize(
    ("base", "one", "other", "after"),
    [
        pytest.param("a b c", "A b c", "a b C", "A b C", id="two words of a line"),
        pytest.param("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n", id="two lines"),
        pytest.param("a: x\nb: y\n", "a:\n- x\nb: y\n", "a: x\nb:\n- y\n", "a:\n- x\nb:\n- y\n", id="lines side by side"),
        pytest.param("a\r\nb\r\n", "A\r\nb\r\n", "a\r\nB\r\n", "A\r\nB\r\n", id="line ends stay"),
        pytest.param("a\nb\nc\n", "a\nc\n", "a\nb\nC\n", None, id="a line that goes, and the next"),
        pytest.param("a b", "A b", "Z b", None, id="one word twice"),
        pytest.param("ab", "Ab", "aB", None, id="letters side by side"),
        pytest.param("a\n", "a\nb\n", "a\nc\n", None, id="two new lines in one place"),
        pytest.param("a\n", "a\n", "b\n", "b\n", id="one of them is none"),
    ],
)  # fmt: skip
def test_both_changes_stand_where_they_are_apart(
    base: str, one: str, other: str, after: str | None
) -> None:
    assert both(base, one, other) == after
    assert both(base, other, one) == after


TEXTS = st.text(alphabet="ab \n\r-é", max_size=24)


@given(TEXTS, TEXTS)
def test_a_change_made_anew_gives_the_same_text(before: str, after: str) -> None:
    assert apply_edits(before, stretches(before, after)) == after


@given(TEXTS, TEXTS, TEXTS)
def test_nothing_that_either_put_in_or_took_out_is_lost(base: str, one: str, other: str) -> None:
    after = both(base, one, other)

    assert both(base, other, one) == after
    assert both(base, base, other) == other
    if after is not None:
        assert len(after) == len(one) + len(other) - len(base)
        assert not Counter(after) - (Counter(one) + Counter(other))
