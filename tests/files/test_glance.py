"""A look at a few paths says just what a scan of everything says about them, or that it cannot tell."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.vaults import write
from vaultmem.errors import VaultVanishedError
from vaultmem.files.glance import Glance, glance
from vaultmem.files.scan import scan_vault

FILES = {
    "a.md": "a",
    "b.png": "b",
    "sub/c.md": "c",
    "sub/deep/d.md": "d",
    ".hidden/e.md": "e",
    "sub/.f.md": "f",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    write(vault, FILES)
    return vault


def seen(found: Glance | None) -> list[str]:
    assert found is not None
    return sorted(file.path for file in found.scan.files)


@pytest.mark.parametrize(
    ("paths", "files", "places"),
    [
        (["a.md"], ["a.md"], ["a.md"]),
        (["sub/c.md", "a.md"], ["a.md", "sub/c.md"], ["a.md", "sub/c.md"]),
        (["sub"], ["sub/c.md", "sub/deep/d.md"], ["sub"]),
        (["sub", "sub/deep"], ["sub/c.md", "sub/deep/d.md"], ["sub", "sub/deep"]),
        (["gone.md"], [], ["gone.md"]),
        # The first part that is missing is what is gone.
        (["no/such/place.md"], [], ["no"]),
        (["sub/no/place.md"], [], ["sub/no"]),
        # A file where a folder was.
        (["a.md/old.md"], ["a.md"], ["a.md"]),
        ([], [], []),
    ],
)
def test_a_glance(root: Path, paths: list[str], files: list[str], places: list[str]) -> None:
    found = glance(root, paths)
    assert seen(found) == files
    assert found is not None
    assert (list(found.places), found.scan.unreadable) == (places, ())


def test_stat_data_are_those_of_a_scan(root: Path) -> None:
    found = glance(root, ["a.md", "b.png", "sub"])
    assert found is not None
    assert sorted(found.scan.files) == sorted(scan_vault(root).files)


def test_a_name_of_another_case_is_looked_at_too(root: Path) -> None:
    (root / "a.md").rename(root / "A.md")
    found = glance(root, ["a.md"])
    assert seen(found) == ["A.md"]
    assert found is not None
    assert set(found.places) == {"a.md", "A.md"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("paths", [["link"], ["link/x.md"], ["to-file.md"], ["folder"]])
def test_links_are_left_to_a_scan(root: Path, paths: list[str]) -> None:
    write(root.parent / "outside", {"x.md": "x"})
    (root / "link").symlink_to(root.parent / "outside")
    (root / "to-file.md").symlink_to(root / "a.md")
    (root / "folder").mkdir()
    (root / "folder" / "link").symlink_to(root.parent / "outside")
    assert glance(root, paths) is None


def test_cloud_stubs_are_left_to_a_scan(root: Path) -> None:
    write(root, {"sub/.Reef.md.icloud": ""})
    assert glance(root, ["sub/Reef.md"]) is None
    assert glance(root, ["sub"]) is None
    assert seen(glance(root, ["sub/c.md"])) == ["sub/c.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="sparse files as Linux has them")
def test_offloaded_files_are_left_to_a_scan(root: Path) -> None:
    with (root / "a.md").open("wb") as file:
        file.truncate(4096)
    assert glance(root, ["a.md"]) is None


def test_what_cannot_be_looked_at_is_not_gone(users_folder: Path) -> None:
    write(users_folder, {"closed/a.md": "a", "open/b.md": "b"})
    (users_folder / "closed").chmod(0)
    for paths in (["closed/a.md"], ["closed"]):
        found = glance(users_folder, [*paths, "open/b.md"])
        assert seen(found) == ["open/b.md"]
        assert found is not None
        assert all(found.scan.may_hide(path) for path in paths)


def test_a_pipe_is_no_file_of_the_vault(root: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names here")
    (root / "a.md").unlink()
    os.mkfifo(root / "a.md")
    assert seen(glance(root, ["a.md"])) == []


def test_a_vault_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(VaultVanishedError):
        glance(tmp_path / "nowhere", ["a.md"])
