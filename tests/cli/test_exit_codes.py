"""Exit codes tell kinds of endings apart, and errors are two lines on stderr."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.command import Ran, run
from vaultmem_cli.running import _in_our_words


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
        (["serch", "x"], "No such command 'serch'.", "Did you mean 'search'"),
        (["search", "--limt", "3", "x"], "No such option: --limt.", "Did you mean --limit"),
        (["search"], "Missing argument 'QUERY'.", "See: vaultmem search --help"),
        (["graph", "path"], "Missing argument 'FROM'.", "See: vaultmem graph path --help"),
        (["graph", "--x"], "No such option: --x.", "See: vaultmem graph --help"),
        (["search", "-x"], "No such option: -x.", "To search for it: vaultmem search -- -x"),
        (
            ["show", "-x.md"],
            "No such option: -x.",
            "For a note of that name: vaultmem show -- -x.md",
        ),
        (["links", "-x"], "No such option: -x.", "For a note of that name: vaultmem links -- -x"),
        (
            ["backlinks", "-x"],
            "No such option: -x.",
            "For a note of that name: vaultmem backlinks -- -x",
        ),
        (
            ["unlinked", "-x"],
            "No such option: -x.",
            "For a note of that name: vaultmem unlinked -- -x",
        ),
        (["tags", "-x"], "No such option: -x.", "For a tag of that name: vaultmem tags -- -x"),
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


def test_a_note_whose_name_begins_with_a_dash(vault: Path) -> None:
    (vault / "-x.md").write_text("text", encoding="utf-8")

    assert run("show", "--vault", str(vault), "--raw", "--", "-x").out == "text"


@pytest.mark.parametrize("query", ["", " ", "\t"])
def test_an_empty_query_is_told_in_one_sentence(vault: Path, query: str) -> None:
    ran = _in(vault, "search", query)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: The query is empty, so there is nothing to search for.\n"


def test_braces_of_the_parser_are_not_shown() -> None:
    assert _in_our_words("Missing argument '{QUERY}'.", ["search"])[0] == (
        "Missing argument 'QUERY'."
    )


def test_an_error_cannot_steer_the_terminal(vault: Path) -> None:
    for folder in ("a", "b"):
        (vault / folder).mkdir()
        (vault / folder / "x\x1b[31m\ny.md").write_text("", encoding="utf-8")

    ran = _in(vault, "show", "x\x1b[31m\ny")

    assert ran.code == 2
    assert ran.err.splitlines()[1] == "hint: Say which: a/x\ufffd[31m y.md, b/x\ufffd[31m y.md"


def test_files_that_are_left_out_are_named(vault: Path) -> None:
    (vault / "Latin.md").write_bytes(b"caf\xe9")
    (vault / "Crashed.md").write_bytes(b"\0" * 100)
    with suppress(OSError):  # where a name must be UTF-8
        Path(os.fsdecode(os.fsencode(vault) + b"/caf\xe9.md")).touch()
    broken = len(list(vault.glob("caf*")))

    for command in (("rebuild", "--no-vectors", "--quiet"), ("sync",)):
        ran = _in(vault, *command)
        assert ran.code == 0
        assert ran.err.splitlines() == [
            f"warning: {2 + broken} files not in the index, or by name only:",
            "  Crashed.md holds nothing but zero bytes, as a crashed save leaves behind; "
            "it is found by its name only.",
            "  Latin.md is not in UTF-8; it is found by its name only.",
            *["  caf\\xe9.md has a name that is not valid UTF-8; it was left out."] * broken,
        ]


class TestDoctor:
    """It goes on where other commands cannot."""

    @pytest.mark.parametrize("content", ["[index]\nlocation = 3\n", "no TOML"])
    def test_with_a_settings_file_that_has_a_fault(self, vault: Path, content: str) -> None:
        assert _in(vault, "rebuild", "--no-vectors").code == 0
        config = vault / ".vaultmem" / "config.toml"
        config.write_text(content, encoding="utf-8")

        ran = _in(vault, "doctor")

        assert ran.code == 1
        assert str(config) in ran.out.splitlines()[0]
        assert ran.out.startswith("✗ ")
        assert "✓ The index is sound and up to date." in ran.out
        assert "1 link to files that are not there" in ran.out

    def test_it_tells_of_properties_that_do_not_say_what_is_meant(self, indexed: Path) -> None:
        (indexed / "Heating.md").write_text(
            "---\ntags: #house\nalias: H\ncssclass: wide\ncreated: 2026-13-45\n---\nWarm.\n",
            encoding="utf-8",
        )

        ran = _in(indexed, "doctor")

        assert ran.code == 0
        for said in (
            "· 1 file with tags or aliases that YAML takes for a comment, so that they count for nothing.\n"
            "  Write tags without #: tags: [one, two]. An alias that begins with # needs quotes.\n    Heating.md\n",
            "· 1 file with a property that is no day of the calendar.\n",
            "· 1 file with a property that Obsidian no longer reads: tag, alias or cssclass.\n"
            "  Call it tags, aliases or cssclasses.\n    Heating.md\n",
        ):
            assert said in ran.out
        assert "could be better." in ran.err
        assert "All is well." not in ran.err

    def test_it_makes_no_index_where_the_settings_may_forbid_it(
        self, vault: Path, tmp_path: Path
    ) -> None:
        (vault / ".vaultmem").mkdir()
        (vault / ".vaultmem/config.toml").write_text("[index\n", encoding="utf-8")

        assert _in(vault, "doctor").code == 1

        assert [place.name for place in (vault / ".vaultmem").iterdir()] == ["config.toml"]
        assert list((tmp_path / "home").rglob("memory.db")) != []

    def test_with_a_fault_in_the_environment(self, indexed: Path) -> None:
        os.environ["VAULTMEM_SEARCH_LIMIT"] = "many"

        ran = _in(indexed, "doctor")

        assert ran.code == 1
        assert ran.out.startswith("✗ VAULTMEM_SEARCH_LIMIT must be")

    def test_it_names_what_was_set_aside(self, indexed: Path) -> None:
        index = indexed / ".vaultmem" / "memory.db"
        index.write_bytes(b"noise")
        assert _in(indexed, "sync").code == 0

        ran = _in(indexed, "doctor")

        assert ran.code == 0
        assert (
            "· 1 file of an index that proved damaged and was built anew. Nothing reads them.\n"
            "  Delete them, unless you want to find out what happened to the index.\n"
            f"    {index}.set-aside\n"
        ) in ran.out


def test_a_vault_that_is_not_there(user: None, tmp_path: Path) -> None:
    ran = run("status", "--vault", str(tmp_path / "gone"))
    assert ran.code == 3
    assert ran.err.startswith(f"error: The vault {tmp_path / 'gone'} does not exist.")


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
