"""Exit codes tell kinds of endings apart, and errors are two lines on stderr."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.command import Ran, run


def _in(vault: Path, *words: str) -> Ran:
    return run(words[0], "--vault", str(vault), *words[1:])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("search", "harbour", "--lane", "keyword"), 0),
        (("search", "zeppelin", "--lane", "keyword"), 3),
        (("search", "harbour", "--lane", "telepathy"), 2),
        (("search", "harbour", "--limit", "0"), 2),
        (("show", "Harbour"), 0),
        (("show", "The", "Kittiwake"), 0),
        (("show", "Nowhere"), 3),
        (("links", "Harbour"), 0),
        (("backlinks", "Harbour"), 0),
        (("unlinked", "Ferry"), 0),
        (("tags",), 0),
        (("tags", "boat"), 0),
        (("tags", "#boat"), 0),
        (("tags", "kite"), 3),
        (("sync",), 0),
        (("status",), 0),
        (("doctor",), 0),
        (("verify",), 0),
        (("config",), 0),
        (("init",), 0),
    ],
)
def test_exit_code(vault: Path, words: tuple[str, ...], code: int) -> None:
    assert _in(vault, "rebuild", "--no-vectors").code == 0
    ran = _in(vault, *words)
    assert (ran.code, "Traceback" in ran.err) == (code, False)


def test_commands_need_no_rebuild_before_them(vault: Path) -> None:
    ran = _in(vault, "search", "nine", "--lane", "keyword")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "1  Ferry  Ferry.md:5  keyword 1")


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["serch", "x"], "No such command 'serch'.", "Did you mean 'search'?"),
        (["search", "--limt", "3", "x"], "No such option: --limt.", "Did you mean --limit"),
        (["search"], "Missing argument 'QUERY'.", "See: vaultmem search --help"),
        (["search", "-x"], "No such option: -x.", "To search for it: vaultmem search -- -x"),
        (
            ["--vault", "/", "search", "x"],
            "No such option: --vault.",
            "Options stand after the command, as in: vaultmem search --vault PATH WORDS",
        ),
    ],
)
def test_wrong_usage(user: None, words: list[str], error: str, hint: str) -> None:
    ran = run(*words)
    first, second = ran.err.splitlines()
    assert (ran.code, ran.out, first) == (2, "", f"error: {error}")
    assert second.startswith(f"hint: {hint}")


def test_a_vault_that_is_not_there(user: None, tmp_path: Path) -> None:
    ran = run("status", "--vault", str(tmp_path / "gone"))
    assert ran.code == 3
    assert ran.err.startswith(
        f"error: The vault given by --vault does not exist: {tmp_path / 'gone'}."
    )


def test_files_that_cannot_be_read_make_a_rebuild_partial(vault: Path) -> None:
    os.mkfifo(vault / "Pipe.md")  # seen by no scan: not a file
    shutil.copy(vault / "Ferry.md", vault / "Locked.md")
    (vault / "Locked.md").chmod(0)
    if os.access(vault / "Locked.md", os.R_OK):
        pytest.skip("this user may read everything")
    ran = _in(vault, "rebuild", "--no-vectors")
    assert ran.code == 5
    assert ran.err == "warning: 1 file could not be read:\n  Locked.md\n"


def test_mass_disappearance_is_refused_and_says_how_to_go_on(vault: Path) -> None:
    for number in range(100):
        (vault / f"{number}.md").write_text("text", encoding="utf-8")
    assert _in(vault, "rebuild", "--no-vectors").code == 0
    for number in range(100):
        (vault / f"{number}.md").unlink()
    ran = _in(vault, "sync")
    assert ran.code == 4
    assert "--accept-removals" in ran.err
    assert _in(vault, "sync", "--accept-removals").code == 0


def test_a_settings_file_with_a_fault_is_named(vault: Path) -> None:
    (vault / ".vaultmem").mkdir()
    config = vault / ".vaultmem" / "config.toml"
    config.write_text("[index]\nlocation = 3\n", encoding="utf-8")
    ran = _in(vault, "status")
    assert ran.code == 1
    assert ran.err.startswith(f"error: {config}: index.location must be")
