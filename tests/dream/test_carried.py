"""A claim that was taken over says where it is from, and is read so again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.dream.carried import Origin, carried, without_origin
from vaultmem.dream.passages import Passage, passages

FROM = Origin("[[Rack log]]", 20_615)


@pytest.mark.parametrize(
    ("line", "claim", "expected"),
    [
        ("- Port 8080.", "Port 9090.", "- Port 9090. — from [[Rack log]], 2026-06-11"),
        ("+   Port 8080.", "Port 9090.", "+   Port 9090. — from [[Rack log]], 2026-06-11"),
        ("Port 8080.", "Port 9090.", "Port 9090. — from [[Rack log]], 2026-06-11"),
        ("- Port 8080.", "Port ![[Port]] 9090.", ""),
        ("- Port 8080.", "Port [9090](port.md).", ""),
        ("- Port 8080.", "Port 9090[^1].", ""),
        ("- Port 8080.", "port:: 9090", ""),
    ],
)
def test_a_line_with_its_origin(line: str, claim: str, expected: str) -> None:
    assert carried(line, claim, FROM) == expected


def test_a_note_that_no_link_can_name_is_no_origin() -> None:
    assert carried("- Port 8080.", "Port 9090.", Origin("a]b.md", 1)) == ""


@given(
    words=st.lists(
        st.sampled_from(["port", "— from", "[[Rack]]", "2026-06-11", "端口"]), min_size=2
    ),
    day=st.integers(min_value=0, max_value=40_000),
    bullet=st.sampled_from(["", "- ", "* "]),
)
def test_what_is_written_is_read_again(words: list[str], day: int, bullet: str) -> None:
    claim = " ".join(words) + "."

    line = carried(f"{bullet}x", claim, Origin("[[A|b]]", day))

    assert without_origin(line) == (f"{bullet}{claim}", Origin("[[A|b]]", day))


@pytest.mark.parametrize(
    "line",
    [
        "- Port 9090. — from [[Rack]]",
        "- Port 9090. — from Rack, 2026-06-11",
        "- Port 9090. — from [[Rack]], 2026-13-41",
        "- Port 9090. — from [[Rack]], 2026-06-11, he said",
    ],
)
def test_anything_else_is_a_persons_own_words(line: str) -> None:
    assert without_origin(line) == (line, None)


def test_a_passage_is_the_claim_without_its_origin() -> None:
    line = "- The port is 9090. — from [[Rack log]], 2026-06-11"

    assert list(passages(line)) == [
        Passage("The port is 9090.", line, whole=True, logged=None, origin=FROM)
    ]
