"""A note is named as the shell completes its path, too, from wherever one stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run
from vaultmem_cli.naming import note_name


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A vault with folders, a folder beside it, and a link to the vault."""
    vault = tmp_path / "vault"
    for path in ("Home.md", "Notes/x.md", "Notes/two words.md", "Log/x.md", "Log/Home.md"):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text("", encoding="utf-8")
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "y.md").write_text("", encoding="utf-8")
    (tmp_path / "link").symlink_to(vault)
    return tmp_path


@pytest.mark.parametrize(
    ("here", "typed", "name"),
    [
        ("vault/Notes", "./x.md", "Notes/x.md"),
        ("vault/Notes", "../Log/x.md", "Log/x.md"),
        ("vault/Notes", "x.md", "Notes/x.md"),
        ("vault/Notes", "two words.md", "Notes/two words.md"),
        ("vault/Notes", "../Home", "Home"),
        ("vault", "./Home.md", "Home.md"),
        ("vault", "Notes/x.md", "Notes/x.md"),
        ("", "./vault/Notes/x.md", "Notes/x.md"),
        ("", "vault/Notes/x.md", "Notes/x.md"),
        ("", "./link/Notes/x.md", "Notes/x.md"),
        ("link/Notes", "./x.md", "Notes/x.md"),
        # The vault path comes before a file of that name right here.
        ("vault/Log", "Home.md", "Home.md"),
        ("vault/Log", "./Home.md", "Log/Home.md"),
        # What is no path into the vault stays as typed.
        ("vault/Notes", "x", "x"),
        ("vault/Notes", "[[x]]", "[[x]]"),
        ("beside", "./y.md", "./y.md"),
        ("beside", "y.md", "y.md"),
        ("vault", "..", ".."),
        ("vault", ".", "."),
        ("vault", "", ""),
        ("vault", "...and so on", "...and so on"),
        ("vault", "a\0b", "a\0b"),
    ],
)
def test_a_typed_path(tree: Path, here: str, typed: str, name: str) -> None:
    assert note_name([typed], tree / "vault", tree / here) == name


def test_an_absolute_path(tree: Path) -> None:
    vault = tree / "vault"

    assert note_name([str(vault / "Notes/x.md")], vault, tree) == "Notes/x.md"
    assert note_name([str(tree / "link/Notes/x.md")], vault, tree) == "Notes/x.md"
    assert note_name([str(vault / "Notes/x.md")], tree / "link", tree) == "Notes/x.md"
    assert note_name([str(tree / "beside/y.md")], vault, tree) == str(tree / "beside/y.md")
    assert note_name(["/Notes/x"], vault, tree) == "/Notes/x"


def test_words_of_a_path_need_no_quotes(tree: Path) -> None:
    vault = tree / "vault"

    assert note_name(["./two", "words.md"], vault, vault / "Notes") == "Notes/two words.md"


def test_a_folder_linked_into_the_vault_is_part_of_a_vault_path(tree: Path) -> None:
    vault = tree / "vault"
    (vault / "Linked").symlink_to(tree / "beside")

    assert note_name(["./Linked/y.md"], vault, vault) == "Linked/y.md"


@pytest.mark.parametrize("command", ["show", "links", "backlinks", "unlinked"])
def test_commands_take_such_paths(
    tree: Path, user: None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "vault" / "Notes")
    vault = str(tree / "vault")

    for path in ("./x.md", "../Notes/x.md", "x.md", f"{vault}/Notes/x.md"):
        ran = run(command, path, "--vault", vault)
        assert (ran.code, ran.err.startswith("error")) == (0, False), (path, ran.err)
    assert run(command, "../Nothing.md", "--vault", vault).code == 3
