"""Whether an answer is the expected one, by the rules of the case format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from tests.conformance.case import Json

ANY_OF: Final = "any_of"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the answers to one ask are compared."""

    partial: bool = False
    """Only the keys that are expected count."""
    any_order: frozenset[str] = frozenset()
    """Keys whose lists may come in any order."""
    included: frozenset[str] = frozenset()
    """Keys whose expected items must be among those of the answer."""
    paths: Mapping[str, Callable[[Json], Json]] | None = None
    """Key → how the paths in it are brought into NFC."""


def answers(ask: str, expected: Json, got: Json) -> bool:
    """Whether ``got`` is what ``expected`` says, for that ask.

    >>> answers("tag_query", {"files": ["a.md", "b.md"]}, {"files": ["b.md", "a.md"]})
    True
    >>> answers("tags", {"tags": ["a", "b"]}, {"tags": ["b", "a"]})
    False
    """
    if isinstance(members := _members(expected), list):
        return any(answers(ask, member, got) for member in members)
    rules = COMPARISONS.get(ask, Comparison())
    if not isinstance(expected, dict) or not isinstance(got, dict):
        return matches(expected, got)
    if not rules.partial and expected.keys() != got.keys():
        return False
    return all(
        key in got and _key_answers(rules, key, wanted, got[key])
        for key, wanted in expected.items()
    )


def matches(expected: Json, got: Json, *, any_order: bool = False) -> bool:
    """Whether two JSON values are equal, ``any_of`` in ``expected`` standing for each of its members.

    Numbers compare as numbers, and true is no number. ``any_order`` holds for the outermost list only.
    """
    if isinstance(members := _members(expected), list):
        return any(matches(member, got, any_order=any_order) for member in members)
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(
            matches(value, got[key]) for key, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            return False
        if any_order:
            return _pairs_up(expected, got)
        return all(matches(*pair) for pair in zip(expected, got, strict=True))
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return expected == got


def _key_answers(rules: Comparison, key: str, expected: Json, got: Json) -> bool:
    to_nfc = (rules.paths or {}).get(key)
    if to_nfc is not None:
        expected, got = _inside(expected, to_nfc), to_nfc(got)
    if key in rules.included and isinstance(expected, list) and isinstance(got, list):
        return all(any(matches(wanted, item) for item in got) for wanted in expected)
    return matches(expected, got, any_order=key in rules.any_order)


def _pairs_up(expected: list[Json], got: list[Json]) -> bool:
    """Whether each expected item can have an item of its own (``any_of`` may fit several)."""
    if not expected:
        return True
    first, *rest = expected
    return any(
        _pairs_up(rest, got[:at] + got[at + 1 :])
        for at, item in enumerate(got)
        if matches(first, item)
    )


def _members(expected: Json) -> list[Json] | None:
    """The members of an ``any_of``; None when the value is none."""
    if isinstance(expected, dict) and expected.keys() == {ANY_OF}:
        members = expected[ANY_OF]
        if isinstance(members, list):
            return members
    return None


# --- paths, compared after NFC ---


def _inside(value: Json, to_nfc: Callable[[Json], Json]) -> Json:
    """``to_nfc`` of the value, or of each member when it is an ``any_of``."""
    if isinstance(members := _members(value), list):
        return {ANY_OF: [_inside(member, to_nfc) for member in members]}
    return to_nfc(value)


def _path(value: Json) -> Json:
    return normalize("NFC", value) if isinstance(value, str) else value


def _each(to_nfc: Callable[[Json], Json]) -> Callable[[Json], Json]:
    def every(value: Json) -> Json:
        return [_inside(item, to_nfc) for item in value] if isinstance(value, list) else value

    return every


def _keys(to_nfc: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """The keys are paths; ``to_nfc`` is for the values."""

    def mapping(value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        return {normalize("NFC", key): _inside(item, to_nfc) for key, item in value.items()}

    return mapping


def _field(name: str) -> Callable[[Json], Json]:
    """One key of an object is a path."""

    def record(value: Json) -> Json:
        if not isinstance(value, dict) or name not in value:
            return value
        return {**value, name: _inside(value[name], _path)}

    return record


def _same(value: Json) -> Json:
    return value


def _clash(value: Json) -> Json:
    """The paths of a clash, in order, since a clash has none of its own."""
    paths = _each(_path)(value)
    return sorted(paths, key=str) if isinstance(paths, list) else paths


COMPARISONS: Final[Mapping[str, Comparison]] = {
    "links": Comparison(paths={"links": _each(_field("to"))}),
    "resolve": Comparison(paths={"path": _path}),
    "tags": Comparison(partial=True, included=frozenset({"warnings"})),
    "tag_query": Comparison(any_order=frozenset({"files"}), paths={"files": _each(_path)}),
    "properties": Comparison(partial=True, included=frozenset({"warnings"})),
    "rename": Comparison(paths={"changed": _keys(_same)}),
    "rename_heading": Comparison(paths={"changed": _keys(_same)}),
    "link_counts": Comparison(paths={"resolved": _keys(_keys(_same)), "unresolved": _keys(_same)}),
    "backlinks": Comparison(paths={"backlinks": _keys(_same)}),
    "unlinked_mentions": Comparison(paths={"mentions": _keys(_same)}),
    "graph": Comparison(
        any_order=frozenset({"nodes", "edges"}),
        paths={"nodes": _each(_path), "edges": _each(_each(_path))},
    ),
    "index": Comparison(
        partial=True,
        any_order=frozenset(
            {"notes", "attachments", "canvases", "bases", "offloaded", "excluded", "clashes"}
        ),
        paths={
            **dict.fromkeys(
                ("notes", "attachments", "canvases", "bases", "offloaded", "excluded"),
                _each(_path),
            ),
            "conflicts": _keys(_path),
            "clashes": _each(_clash),
        },
    ),
    "name_check": Comparison(any_order=frozenset({"problems"})),
}
"""Asks that are not named compare as plain values."""
