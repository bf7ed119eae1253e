"""Vaults at the ends of what there is: nothing, one note, and a hub on which all hangs."""

from __future__ import annotations

LEAVES = 250
RELATIONS = 200

EMPTY: dict[str, str] = {}
ONE = {"Only.md": "It links to [[Only]] alone.\n"}


def hub() -> dict[str, str]:
    """A note with 50,000 edges: under each of 200 relations it links to each of 250 notes."""
    leaves = [f"n{number:03}" for number in range(LEAVES)]
    links = " ".join(f"[[{leaf}]]" for leaf in leaves)
    lines = "\n".join(f"r{number:03}:: {links}" for number in range(RELATIONS))
    return {"Hub.md": f"{lines}\n", **{f"{leaf}.md": "A leaf.\n" for leaf in leaves}}
