"""Taking a change back from under a hand edit: the hand wins, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.notes.merge import KeptHunk, Merge, hunks, split, take_back

LINES = st.lists(
    st.tuples(
        st.sampled_from([b"a", b"b", b"c", b"", b"\xff\xfe"]),
        st.sampled_from([b"\n", b"\r\n", b"\r"]),
    ),
    max_size=9,
).map(lambda lines: b"".join(text + end for text, end in lines))
TEXTS = st.tuples(LINES, st.sampled_from([b"", b"z", b"a"])).map(b"".join)


@given(TEXTS)
def test_lines_joined_are_the_text(data: bytes) -> None:
    assert b"".join(split(data)) == data


@given(TEXTS, TEXTS)
def test_hunks_turn_one_text_into_the_other(one: bytes, other: bytes) -> None:
    old, new = split(one), split(other)
    made: list[bytes] = []
    at = 0
    for hunk in hunks(old, new):
        made += [*old[at : hunk.start], *new[hunk.new_start : hunk.new_end]]
        at = hunk.end
    assert b"".join([*made, *old[at:]]) == other


@given(TEXTS, TEXTS)
def test_without_a_hand_edit_it_is_a_plain_undo(after: bytes, before: bytes) -> None:
    merged = take_back(after, before, after)
    assert (merged.data, merged.kept) == (before, ())


@given(TEXTS, TEXTS)
def test_a_change_that_changed_nothing_leaves_the_hand_alone(after: bytes, mine: bytes) -> None:
    assert take_back(after, after, mine) == Merge(mine, 0, ())


@given(TEXTS, TEXTS, TEXTS)
def test_what_a_hand_wrote_stays(after: bytes, before: bytes, mine: bytes) -> None:
    """Every run of lines that the hand put in is still there, in order, and nothing stands within it."""
    merged = take_back(after, before, mine)
    now = split(mine)
    at = 0
    for hunk in hunks(split(after), now):
        written = b"".join(now[hunk.new_start : hunk.new_end])
        found = merged.data.find(written, at)
        assert found >= at
        at = found + len(written)


@given(TEXTS, TEXTS, TEXTS)
def test_each_hunk_is_undone_or_named(after: bytes, before: bytes, mine: bytes) -> None:
    merged = take_back(after, before, mine)
    assert merged.undone + len(merged.kept) == len(hunks(split(after), split(before)))


BEFORE = b"one\ntwo\nthree\nfour\nfive\n"
AFTER = b"ONE\ntwo\nthree\nfour\nFIVE\n"


@pytest.mark.parametrize(
    ("mine", "data", "kept"),
    [
        pytest.param(
            b"ONE\ntwo\nmy three\nfour\nFIVE\n",
            b"one\ntwo\nmy three\nfour\nfive\n",
            (),
            id="apart",
        ),
        pytest.param(
            b"ONE!\ntwo\nthree\nfour\nFIVE\n",
            b"ONE!\ntwo\nthree\nfour\nfive\n",
            (KeptHunk(0, (b"ONE\n",), (b"one\n",)),),
            id="the very line",
        ),
        pytest.param(
            b"ONE\nmine\ntwo\nthree\nfour\nFIVE\n",
            b"ONE\nmine\ntwo\nthree\nfour\nfive\n",
            (KeptHunk(0, (b"ONE\n",), (b"one\n",)),),
            id="the next line",
        ),
        pytest.param(
            b"one\ntwo\nthree\nfour\nFIVE\n",
            b"one\ntwo\nthree\nfour\nfive\n",
            (),
            id="done by hand",
        ),
        pytest.param(
            b"ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n",
            b"ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n",
            (
                KeptHunk(0, (b"ONE\n",), (b"one\n",)),
                KeptHunk(4, (b"FIVE\n",), (b"five\n",)),
            ),
            id="every line break",
        ),
    ],
)
def test_cases(mine: bytes, data: bytes, kept: tuple[KeptHunk, ...]) -> None:
    merged = take_back(AFTER, BEFORE, mine)
    assert (merged.data, merged.kept) == (data, kept)
