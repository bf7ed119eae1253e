"""Where the strings of a JSON text stand, so that one can be spliced and every other byte kept (M-18)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

from vaultmem.notes.textedit import TextEdit, in_order

JsonPath: TypeAlias = tuple[str | int, ...]
"""From the top down: text for a key, a number for a place in a list."""


@dataclass(frozen=True, slots=True)
class JsonString:
    """A string value and where it stands, its quotes left out."""

    value: str
    start: int
    end: int


def json_strings(text: str, start: int = 0) -> dict[JsonPath, JsonString]:
    """Every string value of the JSON that begins at ``start``, by its path; keys are not values.

    The JSON must be valid. Of a key that stands twice the last one counts, as it does to a reader.
    """
    found: dict[JsonPath, JsonString] = {}
    path: list[str | int] = []
    key_is_due = False
    for token in _TOKEN.finditer(text, start):
        mark = text[token.start()]
        if mark == '"':
            inner = token.start() + 1, token.end() - 1
            value = json.loads(token.group())
            if key_is_due:
                path[-1], key_is_due = value, False
            else:
                found[tuple(path)] = JsonString(value, *inner)
        elif mark == "{":
            path.append("")
            key_is_due = True
        elif mark == "[":
            path.append(0)
        elif mark in "}]":
            path.pop()
            key_is_due = False
        else:  # a comma
            here = path[-1]
            if isinstance(here, int):
                path[-1] = here + 1
            else:
                key_is_due = True
    return found


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],]')
_CHARACTER: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)


def splice_string(text: str, string: JsonString, edits: list[TextEdit]) -> tuple[TextEdit, ...]:
    """Edits of a string's value as edits of the JSON text that holds it; the rest keeps its escapes.

    Raises ValueError as :func:`vaultmem.notes.textedit.in_order` does.
    """
    ordered = in_order(string.value, edits)
    raw = text[string.start : string.end]
    places: list[int] | range = range(len(raw) + 1)
    if "\\" in raw:
        places = list(accumulate((len(one) for one in _CHARACTER.findall(raw)), initial=0))
    shift = string.start
    return tuple(
        TextEdit(places[edit.start] + shift, places[edit.end] + shift, json_text(edit.replacement))
        for edit in ordered
    )


def json_text(value: str) -> str:
    """The value as it stands between a JSON string's quotes, letters of any script readable."""
    return json.dumps(value, ensure_ascii=False)[1:-1]
