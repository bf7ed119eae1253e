"""A vault in which many notes link to one, in every form that a link can have, and to each other."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Final

HUB: Final = "Hub/Target note.md"
"""The note to which all others link."""
FOLDER: Final = "Hub"
HEADING: Final = "Plain heading"

_HUB_TEXT: Final = f"""---
aliases: [The target]
tags: [hub]
---
# {HEADING}

What is linked to. ^block-1

## Another part

See [[#{HEADING}]] and [[Target note#Another part|below]].
"""
_FORMS: Final = (
    "[[Target note]]",
    "[[Hub/Target note]]",
    "[[Target note|shown]]",
    f"[[Target note#{HEADING}]]",
    "[[Target note#^block-1|a line]]",
    "![[Target note]]",
    f"![[Hub/Target note#{HEADING}]]",
    "[shown](Hub/Target%20note.md)",
    "[shown](<Hub/Target note.md>)",
    "[shown](../Hub/Target%20note.md#Another%20part)",
    '[shown](<../Hub/Target note.md> "with a title")',
    "![shown](/Hub/Target%20note.md)",
    "> a quote of [[Target note]]",
    "- [ ] a task for [[target NOTE]]",
    "| a | b |\n| - | - |\n| [[Target note\\|cell]] | [[Hub/Target note.md]] |",
    "works_at:: [[Target note]]",
    "==[[Target note]]== and **[[Target note|bold]]**",
)
_PROPERTIES: Final = (
    'up: "[[Target note]]"\n',
    'related:\n  - "[[Hub/Target note|here]]"  # kept\n  - other\n',
    "related: ['[[Target note#Another part]]', x]\n",
)


def linked_vault(notes: int, links: int | None = None) -> dict[str, bytes]:
    """Vault path → bytes: ``notes`` files besides the hub and its neighbours, with ``links`` links to the hub at least.

    A tenth of the notes has properties, some have a byte order mark, CRLF line ends or no last newline; one in fifty
    files is a canvas.
    """
    files = {
        HUB: _HUB_TEXT.encode(),
        f"{FOLDER}/Neighbour.md": b"Near [[Target note]] and [there](Target%20note.md).\n",
        f"{FOLDER}/deep/Far one.md": b"[up](../Target%20note.md) and [[note 1]]\n",
        f"{FOLDER}/picture.png": b"\x89PNG no picture",
    }
    wanted = 2 * notes if links is None else links
    forms = cycle(_FORMS)
    for number in range(notes):
        own = wanted // notes + (number < wanted % notes)
        lines = list(islice(forms, own))
        if number % 50 == 49:
            files[f"boards/board {number}.canvas"] = _canvas(number, own)
        else:
            folder = f"notes {number % 7}"
            files[f"{folder}/note {number}.md"] = _note(number, notes, lines)
    return files


def _note(number: int, notes: int, lines: list[str]) -> bytes:
    properties = _PROPERTIES[number // 10 % 3] if number % 10 == 0 else ""
    head = f"---\ntitle: Note {number}\n{properties}---\n" if properties else ""
    near = f"After [[note {(number * 7 + 1) % notes}]], see ![[picture.png]].\n\n"
    words = f"Words of number {number}: {'heron ' * (number * 13 % 90)}\n\n"
    text = f"{head}# Note {number}\n\n{near}{words}" + "\n\n".join(lines)
    text += "" if number % 11 == 0 else "\n"
    if number % 9 == 4:
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if number % 13 == 5 else b"") + text.encode()


def _canvas(number: int, links: int) -> bytes:
    nodes: list[dict[str, object]] = [
        {"id": f"f{n}", "type": "file", "file": HUB, "x": n, "y": 0, "width": 9, "height": 9}
        for n in range(max(links - 1, 1))
    ]
    text = f"of {number}: [[Target note#{HEADING}]]"
    nodes.append({"id": "t", "type": "text", "text": text, "x": 0, "y": 9, "width": 9, "height": 9})
    return json.dumps({"nodes": nodes, "edges": []}, indent="\t").encode()


def put(root: Path, files: Mapping[str, bytes], *, age_s: float = 3600) -> None:
    """Writes the files as if they had been saved ``age_s`` seconds ago."""
    for path, data in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        saved = place.stat().st_mtime - age_s
        os.utime(place, (saved, saved))


def files_of(root: Path) -> dict[str, bytes]:
    """Vault path → bytes of all that is in the vault, hidden or not, without vaultmem's own folder."""
    found = {}
    for folder, names, files in os.walk(root):
        if Path(folder) == root:
            names[:] = [name for name in names if name != ".vaultmem"]
        for name in files:
            place = Path(folder, name)
            found[place.relative_to(root).as_posix()] = place.read_bytes()
    return found


__all__ = ["FOLDER", "HEADING", "HUB", "files_of", "linked_vault", "put"]
