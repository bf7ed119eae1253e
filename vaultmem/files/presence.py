"""What stands at a vault path: a file, a folder, a link to a folder. No bytes are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def is_folder(root: Path, path: str) -> bool:
    """Whether a folder, or a link to one, is at the vault path; False for what is no path at all."""
    place = _place(root, path)
    return place is not None and os.path.isdir(place)


def is_file(root: Path, path: str) -> bool:
    """Whether a file, or a link to one, is at the vault path; False for what is no path at all."""
    place = _place(root, path)
    return place is not None and os.path.isfile(place)


def is_taken(root: Path, path: str) -> bool:
    """Whether anything is at the vault path, even a link that leads nowhere."""
    place = _place(root, path)
    return place is not None and os.path.lexists(place)


def names_in(root: Path, folder: str) -> list[str]:
    """What the folder at the vault path holds, in no order; nothing where there is none. What is no UTF-8 is spelled
    as Python does."""
    place = _place(root, folder)
    try:
        return [os.fsdecode(name) for name in os.listdir(place)] if place is not None else []
    except (FileNotFoundError, NotADirectoryError):
        return []


def linked_folders(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """The vault paths of those folders on the way to ``paths`` that are links, in order: nothing below them is
    written (F-11). What is no path at all has none."""
    found: set[str] = set()
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            place = _place(root, folder)
            if place is not None and os.path.islink(place):
                found.add(folder)
    return tuple(sorted(found))


def _place(root: Path, path: str) -> bytes | None:
    if "\0" in path:
        return None
    try:
        return os.path.join(os.path.realpath(os.fsencode(root)), path.encode())
    except UnicodeEncodeError:
        return None
