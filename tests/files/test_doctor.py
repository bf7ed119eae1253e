"""The doctor looks at what vaultmem keeps of changes: what cannot be read is never well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.files.vaults import AT_ONCE, fill, hash_of
from vaultmem.doctor import state_findings
from vaultmem.files.changes import ChangeSet, Edit, apply_changes
from vaultmem.files.events import EventKind


def changed(root: Path) -> Path:
    """A vault in which a note was edited; its ``.vaultmem``."""
    fill(root, {"a.md": b"old"})
    edit = Edit("a.md", hash_of(root, "a.md"), b"new")
    apply_changes(root, ChangeSet(EventKind.UPDATED, "a", "b", edits=(edit,)), rules=AT_ONCE)
    return root / ".vaultmem"


def in_the_place_of(folder: Path) -> None:
    folder.rename(folder.with_name("away"))
    folder.write_bytes(b"")


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (lambda state: None, []),
        (lambda state: (state / "intents/20260101-x.json").touch(), ["damaged-intents"]),
        (lambda state: in_the_place_of(state / "journal"), ["journal-unreadable"]),
        (lambda state: in_the_place_of(state / "objects"), ["versions-unreadable"]),
        (lambda state: (state / "journal").chmod(0), ["journal-unreadable"]),
        (lambda state: next((state / "journal").iterdir()).chmod(0), ["journal-unreadable"]),
        (lambda state: next(state.glob("journal/*/*")).chmod(0), ["journal-unreadable"]),
        (lambda state: (state / "objects").chmod(0), ["versions-unreadable"]),
        (lambda state: next((state / "objects").iterdir()).chmod(0), ["versions-unreadable"]),
        (lambda state: next(state.glob("objects/*/*")).chmod(0), ["versions-unreadable"]),
    ],
)
def test_what_cannot_be_read_is_found(
    users_folder: Path, harm: Callable[[Path], None], found: list[str]
) -> None:
    harm(changed(users_folder))
    assert [finding.code for finding in state_findings(users_folder)] == found
