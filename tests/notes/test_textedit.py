"""Splices: what no edit names keeps its bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultmem.notes.textedit import (
    ByteEdit,
    TextEdit,
    apply_byte_edits,
    apply_edits,
    byte_edits,
    in_order,
    inverse_edits,
    line_end,
    line_ending,
    line_ending_near,
    line_number,
    line_start,
    next_line,
    split_lines,
    with_line_ending,
)


def test_edits_are_made_at_once_whatever_their_order() -> None:
    edits = [TextEdit(6, 10, "ship"), TextEdit(0, 1, "The"), TextEdit(2, 2, "old ")]
    assert apply_edits("a big boat", edits) == "The old big ship"


def test_an_insertion_stands_before_a_replacement_at_the_same_place() -> None:
    assert apply_edits("ab", [TextEdit(1, 2, "B"), TextEdit(1, 1, "-")]) == "a-B"


def test_edits_that_change_nothing_are_dropped() -> None:
    assert in_order("boat", [TextEdit(0, 4, "boat"), TextEdit(4, 4, "")]) == ()


@pytest.mark.parametrize(
    "edits",
    [
        [TextEdit(0, 2, ""), TextEdit(1, 3, "")],
        [TextEdit(0, 3, ""), TextEdit(1, 1, "x")],
        [TextEdit(1, 1, "x"), TextEdit(1, 1, "y")],
        [TextEdit(2, 1, "")],
        [TextEdit(-1, 1, "")],
        [TextEdit(4, 5, "")],
        [TextEdit(0, 0, "\ud83d")],
    ],
)
def test_edits_whose_outcome_is_not_certain_are_refused(edits: list[TextEdit]) -> None:
    with pytest.raises(ValueError, match=r"overlaps|insert|surrogate"):
        apply_edits("boat", edits)


def test_byte_edits_count_bytes_of_both_files() -> None:
    edits = [TextEdit(1, 2, "é"), TextEdit(4, 5, "")]
    assert byte_edits("\ufeffń 潮x", edits) == (
        ByteEdit(3, "ń".encode(), 3, "é".encode()),
        ByteEdit(9, b"x", 9, b""),
    )


def test_byte_edits_do_not_touch_other_bytes_than_they_were_made_for() -> None:
    with pytest.raises(ValueError, match="the bytes at 0"):
        apply_byte_edits(b"ship", [ByteEdit(0, b"boat", 0, b"raft")])


texts = st.text(alphabet="ab\r\n\ufeffé潮😀", max_size=30)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[TextEdit]]:
    text = draw(texts)
    # An even number of distinct places, two to an edit, cannot overlap.
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = zip(places[::2], places[1::2], strict=False)
    edits = [TextEdit(start, end, draw(texts)) for start, end in pairs]
    return text, draw(st.permutations(edits))


@settings(deadline=None)
@given(edited())
def test_an_edit_and_its_inverse_give_the_text_back(given_: tuple[str, list[TextEdit]]) -> None:
    text, edits = given_
    after = apply_edits(text, edits)
    assert apply_edits(after, inverse_edits(text, edits)) == text


@settings(deadline=None)
@given(edited())
def test_bytes_and_text_are_edited_alike(given_: tuple[str, list[TextEdit]]) -> None:
    text, edits = given_
    changes = byte_edits(text, edits)
    after = apply_edits(text, edits).encode()
    assert apply_byte_edits(text.encode(), changes) == after
    assert all(after[change.new_start : change.new_end] == change.new for change in changes)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("", "\n"),
        ("one line", "\n"),
        ("a\nb\n", "\n"),
        ("a\r\nb", "\r\n"),
        ("a\rb\r", "\r"),
        ("a\r\nb\nc\n", "\n"),
        ("a\r\nb\n", "\r\n"),  # a draw
    ],
)
def test_the_line_ending_of_a_text(text: str, ending: str) -> None:
    assert line_ending(text) == ending


@pytest.mark.parametrize(
    ("at", "ending"), [(0, "\r\n"), (3, "\r\n"), (4, "\r\n"), (5, "\n"), (6, "\n")]
)
def test_the_line_ending_of_the_neighbourhood(at: int, ending: str) -> None:
    assert line_ending_near("a\r\nb\nc", at) == ending


def test_lines() -> None:
    text = "one\r\ntwo\rthree\n\nend"
    starts = [0, 5, 9, 15, 16]
    assert [line_start(text, at) for at in (2, 5, 11, 15, 18)] == starts
    assert [line_end(text, at) for at in starts] == [3, 8, 14, 15, 19]
    assert [next_line(text, at) for at in starts] == [5, 9, 15, 16, 19]
    assert [line_number(text, at) for at in starts] == [0, 1, 2, 3, 4]
    assert with_line_ending(text, "\n") == "one\ntwo\nthree\n\nend"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("a\n", ["a", ""]),
        ("a\u2028b\x0cc\x0bd\x85e\x1cf", ["a\u2028b\x0cc\x0bd\x85e\x1cf"]),
    ],
)
def test_lines_are_cut_as_the_parser_cuts_them(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
