"""The documentation says what the program does: nothing is missing, nothing is stale, every link leads somewhere."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.main import get_command

import vaultmem
from vaultmem import errors
from vaultmem.settings import SETTINGS, Settings, explain
from vaultmem.vault import Vault
from vaultmem_cli.app import COMMANDS, app
from vaultmem_cli.configuration import toml_word
from vaultmem_cli.contracts import OUTPUTS
from vaultmem_cli.jsonout import schema_id
from vaultmem_cli.running import _kind
from vaultmem_schemas import index_ddl

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
CLI = get_command(app)


def script(name: str) -> ModuleType:
    """A program of ``scripts/``, which is no package that tests could import."""
    spec = spec_from_file_location(f"scripts.{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_cli_reference = script("make_cli_reference")
make_json_reference = script("make_json_reference")
make_transcripts = script("make_transcripts")

MADE_LATER = {DOCS / "internals" / "benchmarks.md"}
"""Written by ``make bench``; a checkout may be without."""

FENCE = re.compile(r"^(```+)(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\[]+\]\(([^)\s]+)\)")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def reference(name: str) -> str:
    return read(DOCS / "reference" / name)


def prose(page: str) -> str:
    """The page without its fenced blocks."""
    return FENCE.sub("", page)


def links(page: str) -> list[str]:
    """Where the links of the page lead."""
    return LINK.findall(re.sub(r"`[^`\n]+`", "`code`", prose(page)))


def fenced(page: str, language: str) -> list[str]:
    return [match[3] for match in FENCE.finditer(page) if match[2] == language]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# -- generated pages ---------------------------------------------------------------------------------------------


def test_the_reference_of_the_command_is_current() -> None:
    assert reference("cli.md") == make_cli_reference.page(), (
        "run: python -m scripts.make_cli_reference"
    )


def test_the_reference_of_json_is_current() -> None:
    page = reference("json.md")
    assert page == make_json_reference.page(page), "run: python -m scripts.make_json_reference"


@pytest.mark.parametrize("path", make_transcripts.pages(), ids=named)
def test_a_transcript_says_what_the_commands_print(path: Path) -> None:
    page = read(path)
    now = make_transcripts.settled(make_transcripts.played(page))
    assert now == make_transcripts.settled(page), "run: python -m scripts.make_transcripts"


def test_a_transcript_is_played_again_and_times_do_not_count() -> None:
    page = "```console\n$ echo took 3 ms\ntook 5 ms\n\n$ echo b\nc\n```\n"

    played = make_transcripts.played(page)

    assert played == "```console\n$ echo took 3 ms\ntook 3 ms\n\n$ echo b\nb\n```\n"
    assert make_transcripts.settled(played) != make_transcripts.settled(page)
    assert make_transcripts.settled("took 3 ms") == make_transcripts.settled("took 5 ms")


# -- complete ----------------------------------------------------------------------------------------------------


def options() -> Iterator[tuple[str, str]]:
    """(command, option) of everything that can be typed."""
    commands: dict[str, Any] = CLI.commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        below = getattr(command, "commands", {}).values()
        for parameter in [*command.params, *(each for one in below for each in one.params)]:
            if parameter.param_type_name == "option":
                yield from ((name, word) for word in [*parameter.opts, *parameter.secondary_opts])
            else:
                yield name, parameter.metavar


def section(page: str, heading: str) -> str:
    """What stands below a heading of the second level."""
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert found, heading
    return found[1]


def test_every_command_and_option_is_documented() -> None:
    page = reference("cli.md")
    missing = [
        (name, word)
        for name, word in options()
        if f"`{word}`" not in section(page, f"vaultmem {name}")
    ]
    assert missing == []
    commands: dict[str, Any] = CLI.commands  # type: ignore[attr-defined]
    typed = [
        below
        for name in COMMANDS
        for below in [f"{name} {each}" for each in getattr(commands[name], "commands", ())]
        or [name]
    ]
    typed += [name for name in COMMANDS if getattr(commands[name], "invoke_without_command", False)]
    assert sorted(make_cli_reference.EXITS) == sorted(typed)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_is_documented(setting: Any) -> None:
    default = {each.key: each.value for each in explain(Settings())}[setting.key]
    (row,) = re.findall(rf"^\| `{re.escape(setting.key)}` \|.*$", reference("settings.md"), re.M)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1] == f"`{setting.variable}`"
    assert cells[3] == f"`{toml_word(default)}`"


def test_no_setting_is_documented_that_is_not_there() -> None:
    rows = re.findall(r"^\| `(\w+\.\w+)` \|", reference("settings.md"), re.M)
    assert rows == [setting.key for setting in SETTINGS]


def test_every_schema_and_every_key_is_documented() -> None:
    page = reference("json.md")
    folder = ROOT / "schemas" / "vaultmem_schemas" / "json"
    names = sorted(path.name.removesuffix(".schema.json") for path in folder.iterdir())
    assert names == sorted(OUTPUTS)
    assert [name for name in names if f"Schema `{schema_id(name)}`" not in page] == []
    assert [line for line in page.splitlines() if re.search(r"\| *\|$", line)] == []


def error_classes() -> list[type[errors.VaultmemError]]:
    return [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.VaultmemError)
    ]


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_is_documented_with_its_code(kind: type[errors.VaultmemError]) -> None:
    if kind is errors.VaultmemError:
        assert "All are `VaultmemError`" in reference("python.md")
        return
    word = _kind(kind(""))
    above = kind.__base__
    assert above is not None
    assert f"| `{word}` | {kind.exit_code} |" in reference("json.md")
    assert f"| `{kind.__name__}` | `{above.__name__}` | {kind.exit_code} |" in reference(
        "python.md"
    )


def test_every_exit_code_is_documented() -> None:
    table = section(reference("cli.md"), "Exit codes")
    from vaultmem_cli import running

    codes = {
        running.DONE,
        running.FAILED,
        running.USAGE,
        running.NOTHING_FOUND,
        running.PARTIAL,
        running.INTERRUPTED,
        *(kind.exit_code for kind in error_classes()),
    }
    assert sorted(map(int, re.findall(r"^\| (\d+) \|", table, re.M))) == sorted(codes)


def public_methods() -> list[str]:
    return [name for name, _ in inspect.getmembers(Vault) if not name.startswith("_")]


@pytest.mark.parametrize("name", public_methods())
def test_every_method_of_a_vault_is_documented_with_its_parameters(name: str) -> None:
    page = reference("python.md")
    member = getattr(Vault, name)
    if not callable(member):
        assert f"| `{name}` |" in page
        return
    found = re.search(rf"^\| `{name}\(([^`]*)\)` \|", page, re.M)
    assert found, name
    documented = [part.split("=")[0].strip() for part in found[1].split(",") if part.strip()]
    actual = [
        ("*" if parameter.kind is parameter.KEYWORD_ONLY else "", parameter.name)
        for parameter in inspect.signature(member).parameters.values()
        if parameter.name != "self"
    ]
    assert [word for word in documented if word != "*"] == [word for _, word in actual]
    assert ("*" in documented) == any(star for star, _ in actual)


def test_the_public_names_and_open_vault_are_documented() -> None:
    page = reference("python.md")
    assert f"from vaultmem import {', '.join(vaultmem.__all__)}\n" in page
    (signature,) = re.findall(r"^open_vault\((.*)\) -> Vault$", page, re.M)
    words = [part.split("=")[0].strip() for part in signature.split(",")]
    parameters = inspect.signature(vaultmem.open_vault).parameters
    assert [word for word in words if word != "*"] == list(parameters)


def test_every_table_of_the_index_is_in_the_architecture() -> None:
    tables = re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", index_ddl())
    page = read(DOCS / "internals" / "architecture.md")
    assert len(tables) > 10
    assert [table for table in tables if f"`{table}`" not in page] == []


def test_every_layer_of_the_import_contract_is_in_the_architecture() -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))
    (contract,) = [
        contract
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    diagram = next(
        block
        for block in fenced(read(DOCS / "internals" / "architecture.md"), "text")
        if "vaultmem_cli" in block
    )
    layers = [
        {name.strip().removeprefix("vaultmem.") for name in layer.split("|")}
        for layer in contract["layers"]
    ]
    drawn = [
        {name.removeprefix("vaultmem.") for name in re.split(r" {2,}", line)[0:2] if name in line}
        for line in diagram.splitlines()
    ]
    assert len(drawn) == len(layers)
    for layer, words in zip(layers, drawn, strict=True):
        assert layer & words, (layer, words)


# -- right -------------------------------------------------------------------------------------------------------


def shell_lines() -> Iterator[tuple[str, str]]:
    """(page, line) of each line of a shell block, prompts taken away."""
    for path in PAGES:
        page = read(path)
        for block in fenced(page, "sh"):
            yield from ((named(path), line) for line in block.splitlines())
        for block in fenced(page, "console"):
            yield from ((named(path), line[2:]) for line in block.splitlines() if line[:2] == "$ ")
        yield from ((named(path), code) for code in re.findall(r"`(vaultmem [^`]+)`", prose(page)))


def uses() -> Iterator[tuple[str, str, list[str]]]:
    """(page, command, options) of each use of ``vaultmem`` in the docs."""
    for page, line in shell_lines():
        for part in re.split(r"[;|&]+|2?>", line.partition(" #")[0]):
            words = shlex.split(part.strip(), comments=False)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if words[:1] == ["vaultmem"] and len(words) > 1 and words[1].islower():
                options = [word for word in words[2:] if re.match(r"--?[a-z]", word)]
                if "--" in words:
                    options = [word for word in options if word in words[: words.index("--")]]
                yield page, words[1], [option.partition("=")[0] for option in options]


def test_the_commands_and_options_that_the_docs_use_exist() -> None:
    known = set(options())
    used = list(uses())
    unknown = [
        (page, command, option)
        for page, command, given in used
        for option in given
        if (command, option) not in known and option != "--help"
    ]
    unknown += [
        (page, command, "") for page, command, _ in used if command not in (*COMMANDS, "--version")
    ]
    assert unknown == []
    assert {command for _, command, _ in used} >= set(COMMANDS)


def test_the_readme_begins_with_its_two_commands_and_they_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", read(ROOT / "Makefile"), re.M))
    first = fenced(read(README), "sh")[0]
    assert re.findall(r"^make (\w+)", first, re.M) == ["demo", "test"]
    everywhere = {
        target for path in PAGES for target in re.findall(r"\bmake ([a-z]+)\b`?", code_of(path))
    }
    assert everywhere - targets == set()


def code_of(path: Path) -> str:
    """What stands in backticks or in shell blocks of a page."""
    page = read(path)
    return "\n".join([*re.findall(r"`([^`\n]+)`", prose(page)), *fenced(page, "sh")])


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(read(path)), re.M)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    broken = []
    for target in links(read(path)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (path.parent / file).resolve() if file else path
        if place in MADE_LATER and not place.exists():
            continue
        if not place.exists() or (anchor and anchor not in anchors(place)):
            broken.append(target)
    assert broken == []


def test_the_index_leads_to_every_page() -> None:
    index = DOCS / "index.md"
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in links(read(index))}
    assert [named(path) for path in PAGES[1:] if path != index and path not in linked] == []


@pytest.mark.parametrize("path", [p for p in PAGES if fenced(read(p), "python")], ids=named)
def test_python_examples_run(path: Path, tmp_path: Path) -> None:
    home = tmp_path.resolve()
    os.rename(make_transcripts.checkout(home) / "sample_vault", home / "Notes")
    program = "\n".join(fenced(read(path), "python"))

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=home / "Notes",
        env=make_transcripts.environment(home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_settings_in_the_docs_are_ones_that_can_be_read(path: Path, tmp_path: Path) -> None:
    from vaultmem.settings import load_settings

    for text in fenced(read(path), "toml"):
        file = tmp_path / "config.toml"
        file.write_text(text, encoding="utf-8")
        settings = load_settings(vault=None, user_config=file, environ={})
        assert len(settings.origins) >= 1
