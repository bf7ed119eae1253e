"""One value put into a JSON text that a person may have written, comments and all: every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_SKIPPED: Final = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/|\ufeff)*+", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_WORD: Final = re.compile(r"[^\s,:{}\[\]\"/]+")
_DEEPEST: Final = 100


class NotJsonError(ValueError):
    """The text cannot be understood; its message says where."""


@dataclass(slots=True)
class Node:
    """A value of the text and where it stands."""

    start: int
    end: int = 0
    is_object: bool = False
    members: dict[str, tuple[int, Node]] = field(default_factory=dict)
    """Of an object: where each key begins, and its value."""
    last_end: int = 0
    """Of an object: where its last member ends, its comma included; behind the brace when it has none."""
    has_comma: bool = False
    """Whether a comma stands behind the last member."""


def with_value(text: str, path: Sequence[str], value: object) -> str:
    """The text with the value at that path of keys; objects on the way are made where they are missing, and an object
    that is there keeps the members that the value does not have.

    Raises NotJsonError when the text is no JSON, or something else than an object stands on the way.
    """
    if not text.strip("\ufeff \t\r\n"):
        whole = value
        for key in reversed(path):
            whole = {key: whole}
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    node = parsed(text)
    for depth, key in enumerate(path):
        if not node.is_object:
            where = ".".join(path[:depth]) or "the file"
            raise NotJsonError(f"{where} holds no object")
        if key not in node.members:
            missing = value
            for below in reversed(path[depth + 1 :]):
                missing = {below: missing}
            return _with_member(text, node, key, missing)
        node = node.members[key][1]
    if json_equal(text[node.start : node.end], value):
        return text
    if node.is_object and isinstance(value, dict):
        for key, part in value.items():
            text = with_value(text, [*path, key], part)
        return text
    lead = _indent_of(text, node.start)
    return text[: node.start] + _written(text, value, lead) + text[node.end :]


def json_equal(text: str, value: object) -> bool:
    """Whether the text is JSON for that value."""
    try:
        return bool(json.loads(text) == value)
    except ValueError:
        return False


def parsed(text: str) -> Node:
    """The value that the text holds. Raises NotJsonError."""
    node, at = _value(text, _skip(text, 0), 0)
    at = _skip(text, at)
    if at != len(text):
        raise _fault(text, at)
    return node


def _skip(text: str, at: int) -> int:
    found = _SKIPPED.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > _DEEPEST:
        raise NotJsonError("it is nested too deeply")
    mark = text[at : at + 1]
    if mark == "{":
        return _object(text, at, depth)
    if mark == "[":
        return _array(text, at, depth)
    found = _STRING.match(text, at) if mark == '"' else _WORD.match(text, at)
    if not found:
        raise _fault(text, at)
    _loaded(text, at, found.group())
    return Node(at, found.end()), found.end()


def _loaded(text: str, at: int, written: str) -> object:
    """What that word or string, which stands at the place, is."""
    try:
        return json.loads(written)
    except ValueError:
        raise _fault(text, at) from None


def _object(text: str, start: int, depth: int) -> tuple[Node, int]:
    node = Node(start, is_object=True, last_end=start + 1)
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None or (node.members and not node.has_comma):
            raise _fault(text, at)
        colon = _skip(text, key.end())
        if text[colon : colon + 1] != ":":
            raise _fault(text, colon)
        value, end = _value(text, _skip(text, colon + 1), depth + 1)
        node.members[str(_loaded(text, at, key.group()))] = (at, value)
        node.last_end, node.has_comma = end, False
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            node.last_end, node.has_comma = at + 1, True
            at = _skip(text, at + 1)
    node.end = at + 1
    return node, at + 1


def _array(text: str, start: int, depth: int) -> tuple[Node, int]:
    at, due = _skip(text, start + 1), True
    while text[at : at + 1] != "]":
        if not due:
            raise _fault(text, at)
        _, at = _value(text, at, depth + 1)
        at = _skip(text, at)
        due = text[at : at + 1] == ","
        if due:
            at = _skip(text, at + 1)
    return Node(start, at + 1), at + 1


def _fault(text: str, at: int) -> NotJsonError:
    line = text.count("\n", 0, at) + 1
    return NotJsonError(f"line {line} is not as JSON would have it")


# -- writing -----------------------------------------------------------------------------------------------------


def _with_member(text: str, node: Node, key: str, value: object) -> str:
    """The text with a new last member of that object, set as its neighbours are."""
    newline = "\r\n" if "\r\n" in text else "\n"
    named = json.dumps(key, ensure_ascii=False)
    if not node.members:
        outer = _indent_of(text, node.start)
        inner = outer + _step(text)
        body = f"{newline}{inner}{named}: {_written(text, value, inner)}{newline}{outer}"
        kept = text[: node.end - 1].rstrip(" \t\r\n")  # comments, if any
        return kept + body + text[node.end - 1 :]
    comma = "" if node.has_comma else ","
    after = "," if node.has_comma else ""
    first = next(iter(node.members.values()))[0]
    tail = text[node.last_end : node.end - 1].rstrip(" \t\r\n")  # comments of the last member
    is_one_line = "\n" not in text[node.start : first] + tail and "//" not in tail
    if is_one_line:
        member = f" {named}: {json.dumps(value, ensure_ascii=False)}{after}"
    else:
        lead = _indent_of(text, first)
        member = f"{newline}{lead}{named}: {_written(text, value, lead)}{after}"
    rest = text[node.last_end + len(tail) :]
    return text[: node.last_end] + comma + tail + member + rest


def _written(text: str, value: object, lead: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, indent=_step(text), ensure_ascii=False).split("\n")
    return f"{newline}{lead}".join(lines)


def _indent_of(text: str, at: int) -> str:
    """The blanks that the line of that place begins with."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, begin)
    return found.group() if found else ""


def _step(text: str) -> str:
    """How far the text indents: as its first indented line does."""
    found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return found[1] if found else "  "
