"""A case: a small vault, a question, and the answer that Obsidian's users expect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file."""

    id: str
    rule: str
    files: Mapping[str, str]
    """Vault path → the whole text, line endings and byte order mark included."""
    ask: str
    args: Mapping[str, Json]
    expect: Json
    needs: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no case: its id where it can be told, else ``FILE:LINE``, and what is wrong."""

    id: str
    fault: str


class _FaultError(Exception):
    """What is wrong with a line, in words."""


def read_cases(path: Path) -> Iterator[Case | Malformed]:
    """The cases of a file in its order; blank lines are passed over, bad lines come back as Malformed.

    Raises OSError when the file cannot be read.
    """
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            yield read_case(line, f"{path.name}:{number}")


def read_case(line: bytes, place: str) -> Case | Malformed:
    """The case that a line holds. ``place`` names the line where it has no id of its own."""
    try:
        held = json.loads(line)
    except (ValueError, RecursionError) as fault:
        return Malformed(place, f"not JSON: {fault}")
    if not isinstance(held, dict):
        return Malformed(place, "not a JSON object")
    name = held.get("id")
    identity = name if isinstance(name, str) and name else place
    try:
        return _case(held, identity)
    except _FaultError as fault:
        return Malformed(identity, str(fault))


def _case(held: dict[str, Json], identity: str) -> Case:
    if "expect" not in held:
        raise _FaultError("no expect")
    return Case(
        id=identity,
        rule=_text(held.get("rule", ""), "rule"),
        files=_files(held.get("files")),
        ask=_text(held.get("ask"), "ask"),
        args=_object(held.get("args", {}), "args"),
        expect=held["expect"],
        needs=_needs(held.get("needs", [])),
        why=_text(held.get("why", ""), "why"),
    )


def _text(value: Json, what: str) -> str:
    if not isinstance(value, str):
        raise _FaultError(f"{what} is not a text")
    return value


def _object(value: Json, what: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _FaultError(f"{what} is not an object")
    return value


def _files(value: Json) -> dict[str, str]:
    files = {
        path: _text(text, f"the text of {path!r}") for path, text in _object(value, "files").items()
    }
    for path in files:
        parts = PurePosixPath(path).parts
        if not parts or parts[0] == "/" or ".." in parts or "\0" in path or path.endswith("/"):
            raise _FaultError(f"{path!r} is no path inside a vault")
    return files


def _needs(value: Json) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list):
        raise _FaultError("needs is not a list")
    return tuple(_text(item, "an item of needs") for item in items)
