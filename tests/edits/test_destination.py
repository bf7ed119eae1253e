"""Where `mv OLD NEW` wants a file."""

from __future__ import annotations

import pytest

from vaultmem.edits.destination import destination
from vaultmem.errors import UsageError

FOLDERS = {"boats", "Archive", "Archive/2024"}


@pytest.mark.parametrize(
    ("typed", "old", "new", "path"),
    [
        # a name for a name stays in the folder
        ("Ferry", "log/Ferry.md", "Night ferry", "log/Night ferry"),
        ("Ferry", "Ferry.md", "Night ferry", "Night ferry"),
        # a path is the vault's
        ("Ferry", "log/Ferry.md", "sea/Ferry", "sea/Ferry"),
        ("log/Ferry.md", "log/Ferry.md", "Ferry.md", "Ferry.md"),
        ("Ferry", "log/Ferry.md", "/Ferry", "Ferry"),
        ("log/Ferry", "log/Ferry.md", "./sea/F.md", "sea/F.md"),
        # a folder takes it in
        ("Ferry", "log/Ferry.md", "boats", "boats/Ferry.md"),
        ("Ferry", "log/Ferry.md", "boats/", "boats/Ferry.md"),
        ("Ferry", "log/Ferry.md", "new folder/", "new folder/Ferry.md"),
        ("Ferry", "log/Ferry.md", "Archive/2024", "Archive/2024/Ferry.md"),
        ("Ferry", "log/Ferry.md", "/", "Ferry.md"),
        # folders
        ("log", "log", "diary", "diary"),
        ("log", "log", "boats", "boats/log"),
        ("a/log", "a/log", "diary", "diary"),
        ("boats", "boats", "boats", "boats"),
    ],
)
def test_what_a_person_means(typed: str, old: str, new: str, path: str) -> None:
    assert destination(typed, old, new, FOLDERS.__contains__) == path


@pytest.mark.parametrize("new", ["", "  "])
def test_no_name_is_no_place(new: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        destination("Ferry", "Ferry.md", new, FOLDERS.__contains__)
