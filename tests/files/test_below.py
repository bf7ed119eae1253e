"""A vault that went away is not put there again: no folder, lock, journal or index of ours stands in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vaults import write
from vaultmem.errors import VaultmemError, VaultVanishedError
from vaultmem.files.below import make_below
from vaultmem.files.objects import ObjectStore
from vaultmem.files.recover import changes_lock
from vaultmem.notes.note_edit import AppendText
from vaultmem.settings import EmbedSettings, Settings
from vaultmem.vault import Vault


def test_folders_are_made_below_the_root(tmp_path: Path) -> None:
    make_below(tmp_path, tmp_path / "a" / "b")
    make_below(tmp_path, tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_the_root_itself_never_is(tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    with pytest.raises(FileNotFoundError):
        make_below(gone, gone / "a" / "b")

    assert list(tmp_path.iterdir()) == []


def _lock(root: Path) -> None:
    changes_lock(root, timeout=0).acquire()


def _put(root: Path) -> None:
    ObjectStore(root).put(b"bytes")


def _append(root: Path) -> None:
    with Vault(root, Settings(embed=EmbedSettings(model="none")), cache_root=root.parent) as vault:
        vault.edits.edit("A", [AppendText("more")])


@pytest.mark.parametrize("act", [_lock, _put, _append])
def test_nothing_is_made_where_the_vault_had_been(
    tmp_path: Path, act: Callable[[Path], None]
) -> None:
    gone = tmp_path / "gone"

    with pytest.raises(VaultmemError):
        act(gone)

    assert not gone.exists()


def test_a_vault_that_goes_between_two_changes_is_told_as_gone(tmp_path: Path) -> None:
    root, away = tmp_path / "vault", tmp_path / "away"
    write(root, {"A.md": "[[B]]", "B.md": "text"})
    settings = Settings(embed=EmbedSettings(model="none"))
    with Vault(root, settings, cache_root=tmp_path / "cache") as vault:
        vault.sync()
        root.rename(away)

        with pytest.raises(VaultVanishedError):
            vault.edits.rename("B", "C")

    assert not root.exists()
    assert (away / "B.md").read_text("utf-8") == "text"
