"""Published contracts: the DDL of the index, and the JSON Schemas of what the commands print."""

from __future__ import annotations

from importlib.resources import files

__all__ = ["SCHEMA_VERSION", "graph_triggers_ddl", "index_ddl", "vector_table_ddl"]

SCHEMA_VERSION = 9
"""Rises with every change to ``sql/``; an index of another version is rebuilt, never migrated."""


def index_ddl() -> str:
    """The statements that make an empty index, the numbered files in order."""
    folder = files(__package__) / "sql"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name[:3].isdigit())
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def vector_table_ddl(dim: int) -> str:
    """The statement that makes the table for vectors of ``dim`` dimensions."""
    template = (files(__package__) / "sql" / "vectors_dim.sql").read_text(encoding="utf-8")
    return template.replace("{dim}", str(dim))


def graph_triggers_ddl() -> str:
    """The statements that make an index note what a kept snapshot of the graph lacks; they may be there already."""
    return (files(__package__) / "sql" / "graph_triggers.sql").read_text(encoding="utf-8")
