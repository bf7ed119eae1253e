"""Writes the JSON Schemas of what the commands print, from the classes of their answers.

    python -m scripts.make_schemas            writes them
    python -m scripts.make_schemas --check    says which are not current; exit 1 when one is not

Descriptions are the docstrings of classes and fields, so there is one place to write them.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from vaultmem.notes import model
from vaultmem_cli.contracts import OUTPUTS
from vaultmem_cli.jsonout import SCHEMA_KEY, schema_id

FOLDER: Final = Path(__file__).resolve().parent.parent / "schemas" / "vaultmem_schemas" / "json"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, object]

PLAIN: Final[Mapping[str, str]] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "None": "null",
}

PROPERTY_VALUE: Final[Schema] = {
    "description": inspect.cleandoc(
        """A property's value as YAML 1.2 core reads it. Dates are text, and so are numbers that JSON lacks:
        .inf, -.inf, .nan."""
    ).replace("\n", " "),
    "type": ["null", "boolean", "number", "string", "array", "object"],
    "items": {"$ref": "#/$defs/PropertyValue"},
    "additionalProperties": {"$ref": "#/$defs/PropertyValue"},
}


def main(words: Sequence[str]) -> int:
    """Writes the schemas, or checks them; returns the exit code."""
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    texts = schema_texts()
    stale = [name for name, text in texts.items() if _on_disk(name) != text]
    extra = sorted({path.name for path in FOLDER.glob("*")} - texts.keys())
    if words:
        print("\n".join(f"not current: {name}" for name in [*stale, *extra]) or "all current")
        return 1 if stale or extra else 0
    for name in stale:
        (FOLDER / name).write_text(texts[name], encoding="utf-8", newline="\n")
    for name in extra:
        (FOLDER / name).unlink()
    print(f"{len(stale)} written, {len(extra)} removed, {len(texts) - len(stale)} unchanged")
    return 0


def schema_texts() -> dict[str, str]:
    """File name → text of every schema."""
    return {
        f"{name}.schema.json": json.dumps(schema(name, kind), ensure_ascii=False, indent=2) + "\n"
        for name, kind in OUTPUTS.items()
    }


def schema(name: str, kind: type) -> Schema:
    """The schema of one command's output: the fields of its answer's class, and the key that names the schema."""
    maker = _Maker()
    top = maker.object_of(kind)
    properties = top["properties"]
    required = top["required"]
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    identity = schema_id(name)
    return {
        "$schema": DIALECT,
        "$id": "urn:" + identity.replace("/", ":"),
        "title": f"vaultmem {name} --json"
        if name != "error"
        else "vaultmem … --json, when it fails",
        **top,
        "properties": {SCHEMA_KEY: {"const": identity}, **properties},
        "required": [SCHEMA_KEY, *required],
        **({"$defs": maker.definitions} if maker.definitions else {}),
    }


class _Maker:
    """Schemas of classes, those met on the way collected as definitions."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def object_of(self, kind: type) -> Schema:
        described = _field_docs(kind)
        properties = {
            field.name: {
                **({"description": doc} if (doc := described.get(field.name)) else {}),
                **self._value(ast.parse(str(field.type), mode="eval").body, kind),
            }
            for field in fields(kind)
        }
        return {
            "description": _one_line(kind.__doc__ or ""),
            "type": "object",
            "properties": properties,
            "required": list(properties),
        }

    def _value(self, node: ast.expr, home: type) -> Schema:
        """The schema of an annotation that stands in the class ``home``."""
        match node:
            case ast.Constant(value=None):
                return {"type": "null"}
            case ast.Name(id=name):
                return self._named(name, home)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _either(self._value(left, home), self._value(right, home))
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=items)):
                return self._tuple(items, home)
            case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, item])):
                return {"type": "object", "additionalProperties": self._value(item, home)}
        raise TypeError(f"{home.__name__}: no schema for {ast.unparse(node)}")

    def _tuple(self, items: list[ast.expr], home: type) -> Schema:
        match items:
            case [item, ast.Constant(value=value)] if value is ...:
                return {"type": "array", "items": self._value(item, home)}
        return {
            "type": "array",
            "prefixItems": [self._value(item, home) for item in items],
            "minItems": len(items),
            "items": False,
        }

    def _named(self, name: str, home: type) -> Schema:
        if name in PLAIN:
            return {"type": PLAIN[name]}
        if name == "PropertyValue":
            self.definitions.setdefault(name, PROPERTY_VALUE)
            return {"$ref": f"#/$defs/{name}"}
        kind = getattr(inspect.getmodule(home), name, None) or getattr(model, name)
        if issubclass(kind, StrEnum):
            self.definitions.setdefault(
                name,
                {
                    "description": _one_line(kind.__doc__ or ""),
                    "enum": [str(member) for member in kind],
                },
            )
        elif isinstance(kind, type) and is_dataclass(kind):
            if name not in self.definitions:
                self.definitions[name] = {}
                self.definitions[name] = self.object_of(kind)
        else:
            raise TypeError(f"{home.__name__}: no schema for {name}")
        return {"$ref": f"#/$defs/{name}"}


def _either(left: Schema, right: Schema) -> Schema:
    """One of two, as short as it can be said."""
    if left.keys() == right.keys() == {"type"}:
        types = [left["type"], right["type"]]
        return {
            "type": [
                name for kind in types for name in (kind if isinstance(kind, list) else [kind])
            ]
        }
    return {"anyOf": [left, right]}


@cache
def _field_docs(kind: type) -> Mapping[str, str]:
    """Field → the text that stands below it in the class."""
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    return dict(_documented(definition.body))


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, following in pairwise(body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(text))
            ):
                yield name, _one_line(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _on_disk(name: str) -> str | None:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
