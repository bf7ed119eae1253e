"""A case: the files of a vault, what happens to it, and what must then be true."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from tests.conformance.case import Json, Malformed

TIES: Final = ("after", "at", "step")
"""Keys by which an outcome names the labelled step that it belongs to."""


class FaultError(Exception):
    """What is wrong with a case, in words."""


@dataclass(frozen=True, slots=True)
class Details:
    """The keys of an object of a case, each read as the type that it must have."""

    held: Mapping[str, Json]
    what: str
    """How messages call the object."""

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.held

    def text(self, key: str, default: str | None = None) -> str:
        """The text at the key. Raises FaultError when it is missing, without a default, or no text."""
        value = self.held.get(key, default)
        if not isinstance(value, str):
            raise FaultError(f"{self.what} takes the text {key!r}")
        return value

    def flag(self, key: str) -> bool:
        """Whether the key stands for true; False when it is missing."""
        value = self.held.get(key, False)
        if not isinstance(value, bool):
            raise FaultError(f"{key!r} of {self.what} is true or false")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """The number at the key."""
        value = self.held.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FaultError(f"{self.what} takes the number {key!r}")
        return value

    def count(self, key: str, default: int | None = None) -> int:
        """The whole number at the key."""
        return int(self.number(key, default))

    def texts(self, key: str) -> list[str]:
        """The list of texts at the key; a single text counts as a list of one."""
        value = self.held.get(key)
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list):
            raise FaultError(f"{self.what} takes the list {key!r}")
        return [_text(item, f"an item of {key!r} of {self.what}") for item in items]

    def part(self, key: str) -> Details:
        """The object at the key; an empty one when it is missing."""
        return Details(_object(self.held.get(key, {}), key), f"{key} of {self.what}")


@dataclass(frozen=True, slots=True)
class FileSpec:
    """A file, link or folder that is there at the start. Exactly one of the contents is given."""

    path: str
    """From the vault's root; for a file outside the vault from the folder that holds the vault."""
    details: Details
    outside: bool


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens."""

    do: str
    label: str
    details: Details

    def filled(self, number: int) -> Step:
        """This step with ``{i}`` replaced by the number in all its texts."""
        held = json.loads(json.dumps(dict(self.details.held)).replace("{i}", str(number)))
        return replace(self, details=Details(held, self.details.what))


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must be true: after the step that it is tied to, else at the end."""

    kind: str
    tie: str
    label: str
    """Of the step that it is tied to; "" for the end."""
    required: bool
    """False for ``level: should``."""
    details: Details


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file."""

    id: str
    kind: str
    files: tuple[FileSpec, ...]
    steps: tuple[Step, ...]
    expect: tuple[Check, ...]
    why: str = ""

    def tied_to(self, label: str) -> tuple[Check, ...]:
        """The outcomes of the step with that label; of the end for ""."""
        return tuple(check for check in self.expect if check.label == label)

    @property
    def is_semantic(self) -> bool:
        """Whether the case asks for search by meaning; all others are about words."""
        steps = any(
            step.details.has("model")
            or step.details.has("embedder")
            or step.details.held.get("semantic") is True
            or step.details.held.get("mode") in ("semantic", "hybrid")
            for step in self.steps
        )
        return steps or any(
            check.details.held.get("mode") in ("semantic", "hybrid") for check in self.expect
        )


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
    except FaultError as fault:
        return Malformed(identity, str(fault))


def _case(held: dict[str, Json], identity: str) -> Case:
    case = Case(
        id=identity,
        kind=_text(held.get("kind"), "kind"),
        files=tuple(map(_file, _list(held.get("files", []), "files"))),
        steps=tuple(map(step_of, _list(held.get("steps"), "steps"))),
        expect=tuple(map(_check, _list(held.get("expect"), "expect"))),
        why=_text(held.get("why", ""), "why"),
    )
    labels = {step.label for step in case.steps}
    for check in case.expect:
        if check.label and check.label not in labels:
            raise FaultError(f"{check.kind} is tied to {check.label!r}, which labels no step")
    return case


def _file(value: Json) -> FileSpec:
    details = Details(_object(value, "a file"), "a file")
    path = details.text("path")
    outside = details.flag("outside")
    parts = PurePosixPath(path).parts
    if outside and parts[:1] == ("..",):  # paths count from the vault's root
        parts = parts[1:]
    if not parts or parts[0] == "/" or ".." in parts or "\0" in path:
        raise FaultError(f"{path!r} is no path inside a vault")
    named = replace(details, what=f"the file {path!r}")
    return FileSpec("/".join(parts), named, outside)


def step_of(value: Json) -> Step:
    """The step that a JSON object describes. Raises FaultError."""
    details = Details(_object(value, "a step"), "a step")
    do = details.text("do")
    return Step(do, details.text("label", ""), replace(details, what=f"the step {do!r}"))


def _check(value: Json) -> Check:
    details = Details(_object(value, "an outcome"), "an outcome")
    kind = details.text("check")
    ties = [key for key in TIES if details.has(key)]
    if len(ties) > 1:
        raise FaultError(f"{kind} is tied to a step by {' and '.join(ties)}")
    tie = ties[0] if ties else ""
    level = details.text("level", "must")
    if level not in ("must", "should"):
        raise FaultError(f"{kind} has the unknown level {level!r}")
    label = details.text(tie) if tie else ""
    return Check(kind, tie, label, level == "must", replace(details, what=f"the check {kind!r}"))


def _text(value: Json, what: str) -> str:
    if not isinstance(value, str):
        raise FaultError(f"{what} is not a text")
    return value


def _object(value: Json, what: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise FaultError(f"{what} is not an object")
    return value


def _list(value: Json, what: str) -> list[Json]:
    if not isinstance(value, list):
        raise FaultError(f"{what} is not a list")
    return value
