"""Answers as JSON: one object, its first key naming the published schema that describes the rest."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import PurePath

SCHEMA_KEY = "schema"


CHANGE = "change"
"""The schema of the receipt that every command that changes notes prints."""

SHARED = dict.fromkeys(
    ("create", "append", "replace", "section", "block", "set", "unset", "mv", "mv-heading", "rm"),
    CHANGE,
)
"""The schema's name of those commands that share one."""


BELOW = {
    "graph path": "graph-path",
    "graph neighbors": "graph-neighbors",
    "graph communities": "graph-communities",
    "graph insights": "graph-insights",
    "graph related": "graph-related",
    "graph export": "graph-export",
    "embedder list": "embedder-list",
    "embedder use": "embedder-use",
    "embedder status": "embedder-list",
    "embedder remove": "embedder-remove",
    "bench retrieval": "bench",
    "bench queries": "bench",
    "daemon status": "daemon-status",
    "daemon install": "daemon-service",
    "daemon uninstall": "daemon-service",
    "dream run": "dream-cycle",
    "dream explain": "dream-cycle",
    "dream list": "dream-list",
    "review": "review-list",
    "review list": "review-list",
    "review show": "review-list",
    "review accept": "review-decided",
    "review reject": "review-decided",
}
"""The schemas of what commands below others print."""


def schema_id(command: str, version: int = 1) -> str:
    """The name of the schema of a command's output; the number rises when a key goes or changes its meaning.

    Commands that print the same have one schema together.

    >>> schema_id("search"), schema_id("mv")
    ('vaultmem/search/1', 'vaultmem/change/1')
    """
    return f"vaultmem/{SHARED.get(command, command)}/{version}"


def to_json(
    command: str, answer: object, *, ascii_only: bool = False, one_line: bool = False
) -> str:
    """The answer of a command as one JSON object, line-broken or in one line, without a last line break."""
    plain = to_plain(answer)
    assert isinstance(plain, dict)
    return json.dumps(
        {SCHEMA_KEY: schema_id(command), **plain},
        ensure_ascii=ascii_only,
        allow_nan=False,
        indent=None if one_line else 2,
    )


def to_plain(value: object) -> object:
    """A value of the answer classes as the plain types of JSON.

    Raises TypeError for a type that has no place in an answer.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, StrEnum | PurePath):
        return str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _not_a_json_number(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    raise TypeError(f"an answer cannot hold {type(value).__name__}")


def _not_a_json_number(value: float) -> str:
    """A float that JSON lacks, as YAML writes it."""
    if math.isnan(value):
        return ".nan"
    return ".inf" if value > 0 else "-.inf"
