"""What the note that stays is given of the other one."""

from __future__ import annotations

import pytest

from vaultmem.dream.union import lines_only_in

FERN = "# Fern\n\nWater the fern twice a week.\nIt likes shade.\nMove it gently with both hands.\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (FERN, ()),
        (FERN.replace("gently", "carefully"), ()),
        (FERN.replace("# Fern", "# Tending the fern"), ()),
        (f"{FERN}Frost kills it.\n", ("Frost kills it.",)),
        (
            FERN.replace("the fern", "the fern and the cactus"),
            ("Water the fern and the cactus twice a week.",),
        ),
        (FERN.replace("likes shade", "likes damp shade"), ("It likes damp shade.",)),
        (FERN.replace(" twice a week", ""), ()),
    ],
)
def test_a_line_that_says_more_than_its_like_is_kept_as_well(
    text: str, lines: tuple[str, ...]
) -> None:
    assert lines_only_in(text, FERN) == lines
