"""The package as others get it: what it exports, what it ships, what it needs."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = {
    "vaultmem": ROOT / "vaultmem",
    "vaultmem_cli": ROOT / "cli" / "vaultmem_cli",
    "vaultmem_daemon": ROOT / "daemon" / "vaultmem_daemon",
    "vaultmem_schemas": ROOT / "schemas" / "vaultmem_schemas",
}
LOCK = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
DEV_IN = (ROOT / "requirements" / "dev.in").read_text(encoding="utf-8")


def module_names() -> list[str]:
    """Every module of ours, but for the ones that are programs."""
    walked = [
        info.name
        for name, folder in PACKAGES.items()
        for info in pkgutil.walk_packages([str(folder)], prefix=f"{name}.")
    ]
    return sorted([*PACKAGES, *(name for name in walked if not name.endswith("__main__"))])


def normal(distribution: str) -> str:
    """A distribution's name as indexes compare it, without version and extras."""
    name = re.split(r"[\s\[<>=!~;]", distribution.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


EXTRAS = PROJECT["project"]["optional-dependencies"]
DEPENDENCIES = sorted(
    normal(each)
    for needed in (PROJECT["project"]["dependencies"], *EXTRAS.values())
    for each in needed
)
DEV_TOOLS = sorted(normal(line) for line in DEV_IN.splitlines() if not line.startswith("#"))


@pytest.mark.parametrize("name", module_names())
def test_what_a_module_exports_is_there_and_complete(name: str) -> None:
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", None)
    if exported is None:
        return

    assert [each for each in exported if not hasattr(module, each)] == []
    assert len(exported) == len(set(exported))
    assert sorted(defined_in(module) - set(exported)) == []


def defined_in(module: ModuleType) -> set[str]:
    """The public functions and classes that the module itself defines."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and callable(value)
    }


def imported_names() -> Iterator[tuple[str, str]]:
    """Each top-level name that our sources import, with the file."""
    for folder in PACKAGES.values():
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names = [node.module]
                for name in names:
                    yield name.partition(".")[0], path.relative_to(ROOT).as_posix()


def test_everything_imported_is_a_declared_dependency() -> None:
    distributions = packages_distributions()

    undeclared = {
        (name, file)
        for name, file in imported_names()
        if name not in sys.stdlib_module_names
        and name not in PACKAGES
        and not {normal(each) for each in distributions.get(name, [])} & set(DEPENDENCIES)
    }

    assert undeclared == set()


def test_what_is_under_the_gpl_is_imported_by_one_module_alone() -> None:
    importing = {file for name, file in imported_names() if name in ("igraph", "leidenalg")}

    assert importing == {"vaultmem/graph/partition.py"}


def test_what_an_extra_brings_is_imported_by_one_module_alone() -> None:
    assert list(EXTRAS) == ["llm"]
    importing = {file for name, file in imported_names() if name in ("pydantic_ai", "httpx2")}

    assert importing == {"vaultmem/judge/client.py"}


def test_every_dependency_is_locked_with_hashes() -> None:
    entries = re.findall(
        r"^(\S+)==\S+((?: \\\n\s+--hash=sha256:[0-9a-f]{64})+)$", LOCK, re.MULTILINE
    )
    locked = {normal(name) for name, _ in entries}

    assert locked == {normal(line) for line in LOCK.splitlines() if re.match(r"\w", line)}
    assert sorted({*DEPENDENCIES, *DEV_TOOLS} - locked) == []


def test_the_lock_names_no_place_of_the_machine_that_made_it() -> None:
    lines = LOCK.splitlines()

    assert [
        line for line in lines if "://" in line or re.match(r"\s*(--(?!hash)|-[a-zA-Z] )", line)
    ] == []
    assert [line for line in lines if re.search(r"(^|\s)/|file:/|@ ", line)] == []


@pytest.mark.parametrize("name", sorted({*DEPENDENCIES, *DEV_TOOLS}))
def test_every_dependency_has_its_reason(name: str) -> None:
    reasons = (ROOT / "docs" / "internals" / "dependencies.md").read_text(encoding="utf-8")

    described = {
        normal(each)
        for row in re.findall(r"^\| (.+?) \|", reasons, re.MULTILINE)
        for each in row.split(",")
    }

    assert name in described


def test_the_wheel_holds_every_source_and_data_file_and_nothing_else(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    tree.mkdir()
    for entry in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / entry, tree / entry)
    for entry in ("vaultmem", "cli", "daemon", "schemas"):
        if (ROOT / entry).exists():
            shutil.copytree(
                ROOT / entry,
                tree / entry,
                ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
            )
    program = f"import setuptools.build_meta as b; b.build_wheel({str(out)!r})"
    out.mkdir()
    subprocess.run([sys.executable, "-c", program], cwd=tree, capture_output=True, check=True)
    (wheel,) = out.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        (entry_points,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        commands = archive.read(entry_points).decode()

    assert packed == {
        f"{name}/{path.relative_to(folder).as_posix()}"
        for name, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "vaultmem = vaultmem_cli.main:main" in commands
