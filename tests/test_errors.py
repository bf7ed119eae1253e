"""The tree of errors that is drawn is the tree that there is."""

from __future__ import annotations

import importlib
import pkgutil
import re

import vaultmem
import vaultmem_cli
import vaultmem_daemon
from vaultmem import errors
from vaultmem.errors import VaultmemError


def test_every_error_stands_in_the_drawing_below_its_base() -> None:
    for package in (vaultmem, vaultmem_cli, vaultmem_daemon):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    assert drawn() == {cls.__name__: cls.__mro__[1].__name__ for cls in descendants(VaultmemError)}


def descendants(base: type) -> list[type]:
    """All classes below ``base`` that a caller may meet."""
    found: list[type] = []
    below: list[type] = base.__subclasses__()
    for cls in below:
        if cls.__module__.startswith("vaultmem"):
            found += [each for each in (cls, *descendants(cls)) if each.__name__[0] != "_"]
    return found


def drawn() -> dict[str, str]:
    """Class → the one above it, by the indents of the drawing."""
    assert errors.__doc__ is not None
    above: dict[int, str] = {}
    bases: dict[str, str] = {}
    for line in errors.__doc__.splitlines():
        found = re.match(r"([ │]*)(?:[├└]── )?([A-Z][A-Za-z]+)(?: |$)", line)
        if found and line.startswith("    "):
            depth = len(found[1]) // 4 + ("──" in line)
            above[depth] = found[2]
            if depth > 1:
                bases[found[2]] = above[depth - 1]
    return bases
