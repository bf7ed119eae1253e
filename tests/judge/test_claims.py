"""A text as claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.judge.claims import Form, claims


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another one!", ("One thing.", "Another one!")),
        ("# Title\n\n- [x] done ^f-1\n- open\n3. third", ("Title", "[x] done", "open", "third")),
        ("> quoted\n---\n| a | b |\n|---|---|", ("quoted", "| a | b |")),
        ("Ask Dr. Moss, e.g. today. Then go.", ("Ask Dr. Moss, e.g. today.", "Then go.")),
        ("Version 2.4 is out.", ("Version 2.4 is out.",)),
        ("第一句。第二句！", ("第一句。", "第二句！")),
        ("첫 문장입니다. 둘째 문장입니다.", ("첫 문장입니다.", "둘째 문장입니다.")),
        ("```\na. b. c\n```", ("a. b. c",)),
        ("", ()),
    ],
)
def test_claims_of_a_text(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(claim.text for claim in claims(text)) == expected


def test_each_claim_says_how_it_is_written() -> None:
    text = "# Title\n\nProse.\n- item\n- [ ] task\n| a | b |\n```\ncode\n```"

    assert [claim.form for claim in claims(text)] == [
        Form.TITLE,
        Form.PROSE,
        Form.PROSE,
        Form.TASK,
        Form.ROW,
        Form.CODE,
    ]


@given(st.text(alphabet="ab .!。\n-#>|", max_size=60))
def test_no_letter_of_a_text_is_lost_or_doubled(text: str) -> None:
    letters = [c for c in text if c in "ab"]

    assert [c for claim in claims(text) for c in claim.text if c in "ab"] == letters
