"""What file events mean to a vault: hidden places and mere reading mean nothing, a move is a loss and a birth."""

from __future__ import annotations

import os

import pytest

from vaultmem_daemon.events import (
    SETTINGS_CHANGED,
    Change,
    Cookie,
    Kind,
    Notice,
    notices,
    vault_path,
)

BORN, CHANGED, GONE = Kind.BORN, Kind.CHANGED, Kind.GONE


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (("created", False, "a.md"), [Change("a.md", BORN)]),
        (("modified", False, "a.md"), [Change("a.md", CHANGED)]),
        (("closed", False, "deep/er/a.md"), [Change("deep/er/a.md", CHANGED)]),
        (("attrib", False, "a.md"), [Change("a.md", CHANGED)]),
        (("deleted", False, "a.md"), [Change("a.md", GONE)]),
        (("moved", False, "a.md", "b.md"), [Change("a.md", GONE), Change("b.md", BORN)]),
        (("created", True, "folder"), [Change("folder", BORN)]),
        (("deleted", True, "folder"), [Change("folder", GONE)]),
        (("moved", True, "one", "two"), [Change("one", GONE), Change("two", BORN)]),
        # Reading, and what is said of a folder when something in it changes.
        (("opened", False, "a.md"), []),
        (("closed_no_write", False, "a.md"), []),
        (("modified", True, "folder"), []),
        (("attrib", True, "folder"), []),
        (("modified", True, ""), []),
        (("deleted", True, ""), []),
        # Dot-folders and dot-files: our own index, Git, the bin, swap files, temporary files.
        (("modified", False, ".vaultmem/memory.db-wal"), []),
        (("created", False, ".git/index.lock"), []),
        (("modified", False, ".obsidian/workspace.json"), []),
        (("created", False, ".a.md.swp"), []),
        (("created", True, "sub/.hidden"), []),
        (("modified", False, "sub/.hidden/a.md"), []),
        (("moved", False, "a.md", ".trash/a.md"), [Change("a.md", GONE)]),
        (("moved", False, ".trash/a.md", "a.md"), [Change("a.md", BORN)]),
        (("moved", False, ".a.md.tmp", "a.md"), [Change("a.md", BORN)]),
        (("moved", False, "a.md", None), [Change("a.md", GONE)]),
        # Obsidian's settings decide how every note is read.
        (("closed", False, ".obsidian/app.json"), [SETTINGS_CHANGED]),
        (("moved", False, ".obsidian/app.json.tmp", ".obsidian/app.json"), [SETTINGS_CHANGED]),
        (("deleted", True, ".obsidian"), [SETTINGS_CHANGED]),
        # A stub of a file in the cloud stands for the file.
        (("created", False, "sub/.Reef.md.icloud"), [Change("sub/Reef.md", CHANGED)]),
        (("created", False, ".Reef.md.icloud"), [Change("Reef.md", CHANGED)]),
        # A question marks its moment.
        (("created", False, ".vaultmem/watch-cookie-7-1.lock"), [Cookie("watch-cookie-7-1.lock")]),
        (("deleted", False, ".vaultmem/watch-cookie-7-1.lock"), []),
        (("created", False, "sub/.vaultmem/watch-cookie-7-1.lock"), []),
    ],
    ids=str,
)
def test_notices(event: tuple[str, bool, str | None], expected: list[Notice]) -> None:
    assert notices(*event) == expected


@pytest.mark.parametrize(
    ("place", "base", "prefix", "expected"),
    [
        (("v", "a.md"), ("v",), "", "a.md"),
        (("v", "sub", "a.md"), ("v",), "", "sub/a.md"),
        (("v",), ("v",), "", ""),
        (("v2", "a.md"), ("v",), "", None),
        (("elsewhere",), ("v",), "", None),
        (("shared", "sub", "a.md"), ("shared",), "Link", "Link/sub/a.md"),
        (("shared",), ("shared",), "Deep/Link", "Deep/Link"),
    ],
)
def test_vault_path(
    place: tuple[str, ...], base: tuple[str, ...], prefix: str, expected: str | None
) -> None:
    root = os.path.abspath(os.sep)
    assert vault_path(os.path.join(root, *place), os.path.join(root, *base), prefix) == expected


def test_vault_path_below_the_root_of_a_disk() -> None:
    root = os.path.abspath(os.sep)
    assert vault_path(os.path.join(root, "a.md"), root, "") == "a.md"
