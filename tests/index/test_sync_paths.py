"""A sync of some paths leaves the index as a sync of everything would, and never takes the unseen for gone."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import VaultOf
from tests.vaults import found, rows, verified, write
from vaultmem.answers import SyncAnswer
from vaultmem.errors import RefusedError, VaultVanishedError
from vaultmem.vault import Vault

FILES = {
    "Keel.md": "# Keel\n\nSee [[Mast]] and [[Boom]].\n",
    "Mast.md": "---\naliases: [Spar]\n---\nThe mast stands on the [[Keel]].\n",
    "Log/Monday.md": "Reefed twice. ![[chart.png]]\n",
    "Log/Tuesday.md": "Calm.\n",
    "Log/chart.png": "not really",
}


def _edit(root: Path) -> None:
    write(root, {"Keel.md": "# Keel\n\nNow of oak. [[Log/Monday]]\n"})


def _add(root: Path) -> None:
    write(root, {"Boom.md": "The boom.\n", "New/Gaff.md": "[[Boom]] [[Spar]]\n"})


def _remove(root: Path) -> None:
    (root / "Mast.md").unlink()


def _remove_folder(root: Path) -> None:
    shutil.rmtree(root / "Log")


def _rename(root: Path) -> None:
    (root / "Mast.md").rename(root / "Boom.md")


def _rename_folder(root: Path) -> None:
    (root / "Log").rename(root / "Diary")


def _trash(root: Path) -> None:
    (root / ".trash").mkdir()
    (root / "Mast.md").rename(root / ".trash/Mast.md")


def _replace_folder_by_file(root: Path) -> None:
    shutil.rmtree(root / "Log")
    write(root, {"Log": "a file now"})


def _attachment(root: Path) -> None:
    write(root, {"Log/chart.png": "drawn anew", "Log/map.pdf": "a map"})


EDITS: list[tuple[Callable[[Path], None], list[str], tuple[int, int, int, int]]] = [
    (_edit, ["Keel.md"], (0, 1, 0, 0)),
    (_add, ["Boom.md", "New"], (2, 0, 0, 0)),
    (_add, ["Boom.md", "New/Gaff.md"], (2, 0, 0, 0)),
    (_remove, ["Mast.md"], (0, 0, 0, 1)),
    (_remove_folder, ["Log"], (0, 0, 0, 3)),
    (_remove_folder, ["Log/Monday.md", "Log/Tuesday.md", "Log/chart.png"], (0, 0, 0, 3)),
    (_rename, ["Mast.md", "Boom.md"], (0, 0, 1, 0)),
    (_rename_folder, ["Log", "Diary"], (0, 0, 3, 0)),
    (_replace_folder_by_file, ["Log"], (1, 0, 0, 3)),
    (_attachment, ["Log/chart.png", "Log/map.pdf"], (1, 0, 0, 0)),
    (lambda root: None, ["Keel.md", "Nowhere.md"], (0, 0, 0, 0)),
    (_trash, ["Mast.md", ".trash/Mast.md", ".trash"], (0, 0, 0, 1)),
]


def figures(answer: SyncAnswer | None) -> tuple[int, int, int, int]:
    assert answer is not None
    added, changed, moved, removed = answer.added, answer.changed, answer.moved, answer.removed
    return len(added), len(changed), len(moved), len(removed)


def is_up(vault: Vault) -> bool:
    """Whether a comparison of everything finds nothing that the index lacks."""
    answer = vault.sync()
    return not (answer.added or answer.changed or answer.moved or answer.removed)


@pytest.mark.parametrize(("edit", "paths", "expected"), EDITS)
def test_it_does_what_a_whole_sync_does(
    vault_of: VaultOf,
    edit: Callable[[Path], None],
    paths: list[str],
    expected: tuple[int, int, int, int],
) -> None:
    vault = vault_of(FILES)
    vault.sync()
    edit(vault.root)
    assert figures(vault.sync_paths(paths)) == expected
    assert is_up(vault)
    verified(vault)


def test_it_looks_at_nothing_else(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    vault.sync()
    write(vault.root, {"Keel.md": "of oak\n", "Mast.md": "of pine\n"})
    (vault.root / "Log" / "Monday.md").unlink()
    answer = vault.sync_paths(["Keel.md"])
    assert answer is not None
    assert (answer.changed, answer.removed) == (("Keel.md",), ())
    assert figures(vault.sync()) == (0, 1, 0, 1)


def test_a_rename_keeps_the_id(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    vault.sync()
    before = rows(vault, "SELECT id FROM vault_files WHERE path = 'Mast.md'")
    (vault.root / "Mast.md").rename(vault.root / "Boom.md")
    vault.sync_paths(["Mast.md", "Boom.md"])
    assert rows(vault, "SELECT id FROM vault_files WHERE path = 'Boom.md'") == before


def test_other_settings_need_a_whole_sync(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    vault.sync()
    write(vault.root, {".obsidian/app.json": '{"userIgnoreFilters": ["Log/"]}', "Keel.md": "oak\n"})
    assert vault.sync_paths(["Keel.md"]) is None
    assert found(vault, "reefed") == []


def test_a_missing_index_needs_a_whole_sync(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    assert vault.sync_paths(["Keel.md"]) is None
    assert not vault.index_path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_need_a_whole_sync(vault_of: VaultOf, tmp_path: Path) -> None:
    vault = vault_of(FILES)
    vault.sync()
    write(tmp_path / "outside", {"Far.md": "far away\n"})
    (vault.root / "Link").symlink_to(tmp_path / "outside")
    assert vault.sync_paths(["Link"]) is None
    assert found(vault, "far") == ["Link/Far.md"]
    assert vault.sync_paths(["Link/Far.md"]) is None


def test_a_closed_folder_is_kept(vault_of: VaultOf) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        pytest.skip("the superuser may look anywhere; test_glance has the same as another user")
    vault = vault_of(FILES)
    vault.sync()
    (vault.root / "Log").chmod(0)
    try:
        assert figures(vault.sync_paths(["Log/Monday.md"])) == (0, 0, 0, 0)
        assert found(vault, "reefed") == ["Log/Monday.md"]
    finally:
        (vault.root / "Log").chmod(0o755)


def test_mass_disappearance_is_refused(vault_of: VaultOf) -> None:
    vault = vault_of({f"{number}.md": f"word{number}\n" for number in range(40)})
    vault.sync()
    paths = [f"{number}.md" for number in range(30)]
    for path in paths:
        (vault.root / path).unlink()
    with pytest.raises(RefusedError):
        vault.sync_paths(paths)
    assert rows(vault, "SELECT count(*) FROM notes_index") == [(40,)]


@pytest.mark.parametrize("whole", [False, True])
def test_mass_disappearance_in_small_steps_is_refused(vault_of: VaultOf, whole: bool) -> None:
    vault = vault_of({f"{number}.md": f"word{number}\n" for number in range(40)})
    vault.sync()
    gone = [f"{number}.md" for number in range(30)]
    for path in gone:
        (vault.root / path).unlink()
    assert figures(vault.sync_paths(gone[:15])) == (0, 0, 0, 15)
    again = vault.sync if whole else partial(vault.sync_paths, gone[15:])
    with pytest.raises(RefusedError):
        again(already_removed=15)
    assert rows(vault, "SELECT count(*) FROM notes_index") == [(25,)]


def test_an_index_is_not_made_where_a_vault_is_gone(vault_of: VaultOf) -> None:
    vault = vault_of(FILES)
    vault.sync()
    vault.close()
    vault.root.rename(vault.root.with_name("elsewhere"))
    for attempt in (vault.sync, lambda: vault.search("keel")):
        with pytest.raises(VaultVanishedError):
            attempt()
    assert not vault.root.exists()
