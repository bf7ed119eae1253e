"""Where notes are archived: nothing is ever in the way."""

from __future__ import annotations

import pytest

from vaultmem.dream.archive import Archive

ARCHIVE = "Memory/_archive"


@pytest.mark.parametrize(
    ("there", "path", "place"),
    [
        ([], "Memory/keeper/Winch.md", "keeper/Winch.md"),
        ([], "Tools/Winch.md", "Tools/Winch.md"),
        ([f"{ARCHIVE}/keeper/winch.MD"], "Memory/keeper/Winch.md", "keeper/Winch 1.md"),
        ([f"{ARCHIVE}/keeper/Winch.md/x.md"], "Memory/keeper/Winch.md", "keeper/Winch 1.md"),
        (["memory/_Archive/keeper/Winch.md"], "Memory/keeper/Winch.md", "keeper/Winch 1.md"),
        (["Memory/keeper/Winch 1.md"], "Memory/keeper/Winch.md", "keeper/Winch.md"),
    ],
)
def test_a_note_keeps_the_rest_of_its_path(there: list[str], path: str, place: str) -> None:
    assert Archive(ARCHIVE, "Memory", there).place(path) == f"{ARCHIVE}/{place}"


def test_a_note_always_gets_the_same_place_and_no_two_get_one() -> None:
    archive = Archive(ARCHIVE, "Memory", [])
    places = [archive.place(path) for path in ("Memory/a.md", "a.md", "Memory/a.md", "Memory/A.md")]
    assert places == [f"{ARCHIVE}/{name}.md" for name in ("a", "a 1", "a", "A 2")]
