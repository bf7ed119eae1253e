"""Which folder is the vault, and where its index lies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from vaultmem.errors import VaultNotFoundError
from vaultmem.places import find_vault, index_dir
from vaultmem.settings import IndexSettings, Settings

IN_CACHE = Settings(index=IndexSettings(location="cache"))


class Tree:
    """A home folder with things in it, and a search from somewhere in it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.home.mkdir()

    def make(self, *paths: str) -> None:
        """Makes files; a path that ends in ``/`` is a folder."""
        for path in paths:
            target = self.home / path
            if path.endswith("/"):
                target.mkdir(parents=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("# A note\n", encoding="utf-8")

    def find(
        self, start: str, *, flag: str | None = None, environ: Mapping[str, str] | None = None
    ) -> str:
        """The vault found from ``start``, as a path from the home folder."""
        found = find_vault(
            self.home / start,
            flag=None if flag is None else Path(flag),
            environ=environ or {},
            home=self.home,
        )
        assert found.is_absolute()
        return found.relative_to(self.home).as_posix()

    def error(self, start: str, *, flag: str | None = None) -> VaultNotFoundError:
        with pytest.raises(VaultNotFoundError) as caught:
            self.find(start, flag=flag)
        return caught.value


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


class TestUpward:
    """Given no name, the nearest folder with a marker is the vault."""

    @pytest.mark.parametrize("marker", [".obsidian/", ".vaultmem/"])
    @pytest.mark.parametrize("start", ["Vault", "Vault/Daily", "Vault/Daily/2025"])
    def test_from_the_vault_or_below(self, tree: Tree, marker: str, start: str) -> None:
        tree.make("Vault/Daily/2025/", f"Vault/{marker}")

        assert tree.find(start) == "Vault"

    def test_a_vault_in_a_vault_is_nearer(self, tree: Tree) -> None:
        tree.make("Vault/.obsidian/", "Vault/Inner/.obsidian/", "Vault/Inner/Deep/")

        assert tree.find("Vault/Inner/Deep") == "Vault/Inner"

    def test_markdown_here_does_not_hide_the_vault_above(self, tree: Tree) -> None:
        tree.make("Vault/.obsidian/", "Vault/Daily/2025-06-09.md")

        assert tree.find("Vault/Daily") == "Vault"

    def test_from_within_obsidians_own_folder(self, tree: Tree) -> None:
        tree.make("Vault/.obsidian/plugins/")

        assert tree.find("Vault/.obsidian/plugins") == "Vault"

    def test_a_file_of_that_name_is_no_marker(self, tree: Tree) -> None:
        tree.make("Vault/.obsidian", "Vault/Deep/")

        assert "no Markdown" in tree.error("Vault/Deep").message


class TestAnyFolderOfMarkdown:
    """Given no marker, the folder itself is the vault if it holds Markdown."""

    @pytest.mark.parametrize("note", ["Tides.md", "Places/Bay/Heron Marsh.md", "UPPER.MD"])
    def test_here_or_below(self, tree: Tree, note: str) -> None:
        tree.make(f"Notes/{note}")

        assert tree.find("Notes") == "Notes"

    def test_a_folder_above_is_never_taken_for_its_markdown(self, tree: Tree) -> None:
        tree.make("Notes/Tides.md", "Notes/Attachments/")

        assert "no Markdown" in tree.error("Notes/Attachments").message

    @pytest.mark.parametrize("file", ["photo.png", "notes.txt", ".hidden/a.md", ".a.md", "md"])
    def test_other_files_do_not_make_a_vault(self, tree: Tree, file: str) -> None:
        tree.make(f"Stuff/{file}")

        error = tree.error("Stuff")

        assert error.message == (
            f"There is no vault here: no Markdown in {tree.home}/Stuff, "
            "and no .vaultmem or .obsidian in it or above it."
        )
        assert (
            error.hint
            == "Go to your vault's folder, or name it with --vault PATH or VAULTMEM_VAULT."
        )


class TestTooWide:
    """Given a home folder, or a folder that holds it, nothing is taken unasked."""

    def test_a_stray_marker_at_home_is_passed_over_and_named(self, tree: Tree) -> None:
        tree.make(".obsidian/", "Projects/tool/")

        error = tree.error("Projects/tool")

        assert f"--vault {tree.home} takes it" in error.hint

    def test_markdown_below_a_stray_marker_is_a_vault_of_its_own(self, tree: Tree) -> None:
        tree.make(".obsidian/", "Notes/Tides.md")

        assert tree.find("Notes") == "Notes"

    def test_at_home_itself_a_marker_counts(self, tree: Tree) -> None:
        tree.make(".obsidian/")

        assert tree.find("") == "."

    def test_at_home_itself_markdown_alone_does_not(self, tree: Tree) -> None:
        tree.make("stray.md", "Vault/Tides.md")

        assert "too wide" in tree.error("").message

    def test_above_home_neither(self, tree: Tree) -> None:
        tree.make("stray.md")

        assert "too wide" in tree.error("..").message

    def test_a_home_reached_through_a_link_is_still_home(self, tree: Tree, tmp_path: Path) -> None:
        tree.make(".obsidian/", "Projects/")
        (tmp_path / "link").symlink_to(tree.home)

        with pytest.raises(VaultNotFoundError):
            find_vault(tmp_path / "link" / "Projects", flag=None, environ={}, home=tree.home)

    def test_named_outright_anything_goes(self, tree: Tree) -> None:
        tree.make("stray.md")

        assert tree.find("", flag=".") == "."


class TestNamed:
    """Given a name, it is used: the flag before the environment, both before any search."""

    def test_the_order(self, tree: Tree) -> None:
        tree.make("Here/.obsidian/", "Flag/", "Variable/")
        environ = {"VAULTMEM_VAULT": str(tree.home / "Variable")}

        assert tree.find("Here", flag=str(tree.home / "Flag"), environ=environ) == "Flag"
        assert tree.find("Here", environ=environ) == "Variable"
        assert tree.find("Here", environ={"VAULTMEM_VAULT": ""}) == "Here"

    @pytest.mark.parametrize("name", ["../Vault", "../Vault/", "~/Vault", "../Other/../Vault"])
    def test_relative_names_and_the_home_sign(self, tree: Tree, name: str) -> None:
        tree.make("Here/", "Vault/")

        assert tree.find("Here", flag=name) == "Vault"
        assert tree.find("Here", environ={"VAULTMEM_VAULT": name}) == "Vault"

    def test_a_named_folder_is_taken_as_it_is(self, tree: Tree) -> None:
        tree.make("Vault/.obsidian/", "Vault/Empty/")

        assert tree.find("", flag="Vault/Empty") == "Vault/Empty"

    def test_a_link_keeps_its_name(self, tree: Tree) -> None:
        tree.make("Vault/")
        (tree.home / "Link").symlink_to(tree.home / "Vault")

        assert tree.find("", flag="Link") == "Link"

    def test_a_name_of_nothing(self, tree: Tree) -> None:
        error = tree.error("", flag="Valut")

        assert error.message == f"The vault {tree.home}/Valut does not exist."
        assert "mounted" in error.hint

    def test_a_name_of_a_file(self, tree: Tree) -> None:
        tree.make("Vault/Tides.md")

        error = tree.error("", flag="Vault/Tides.md")

        assert error.message == f"The vault {tree.home}/Vault/Tides.md is not a folder."
        assert error.hint == f"Name the vault's folder, perhaps {tree.home}/Vault."


class TestIndexDir:
    """Given a vault and settings, the index has one place."""

    def test_in_the_vault(self, tmp_path: Path) -> None:
        assert index_dir(tmp_path, Settings(), tmp_path / "cache") == tmp_path / ".vaultmem"

    def test_in_the_cache_it_can_be_told_apart_by_eye(self, tmp_path: Path) -> None:
        vault = tmp_path / "My notes (old) 笔记"

        folder = index_dir(vault, IN_CACHE, tmp_path / "cache")

        assert folder.parent == tmp_path / "cache" / "vaults"
        assert re.fullmatch(r"My-notes-old-笔记-[0-9a-f]{16}", folder.name)

    def test_two_vaults_of_one_name_do_not_share(self, tmp_path: Path) -> None:
        one, two = (index_dir(tmp_path / side / "Vault", IN_CACHE, tmp_path) for side in "ab")

        assert one != two

    def test_every_way_to_name_a_vault_leads_to_the_same(self, tmp_path: Path) -> None:
        vault = tmp_path / "Vault"
        vault.mkdir()
        (tmp_path / "Link").symlink_to(vault)

        names = (vault, tmp_path / "Link", tmp_path / "x" / ".." / "Vault")

        assert len({index_dir(name, IN_CACHE, tmp_path / "cache") for name in names}) == 1

    @pytest.mark.parametrize("name", ["…", "x" * 200, "a\udcffb"])
    def test_any_name_gives_a_usable_folder(self, tmp_path: Path, name: str) -> None:
        folder = index_dir(tmp_path / name, IN_CACHE, tmp_path)

        assert 0 < len(folder.name) <= 60
        folder.mkdir(parents=True)
