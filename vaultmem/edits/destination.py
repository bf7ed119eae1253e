"""Where a person who types `mv OLD NEW` wants a file: names stay in their folder, paths are the vault's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vaultmem.errors import UsageError

HERE: Final = "./"


def destination(typed: str, old: str, new: str, is_folder: Callable[[str], bool]) -> str:
    """The vault path that ``new`` means for what lies at the vault path ``old`` and was called ``typed``.

    A name for a name stays in the folder: ``Ferry`` → ``Night ferry``. With a ``/`` in either, ``new`` is a
    path from the vault's folder, with or without ``/`` before it. ``/`` at its end, or a folder that is there
    already, means that folder, and the name stays. Raises UsageError for an empty one.
    """
    name = old.rpartition("/")[2]
    wanted = new.strip().removeprefix(HERE)
    path = wanted.strip("/")
    if not path and "/" not in wanted:
        raise UsageError("The new name is empty.", hint="Say where it shall go.")
    if wanted.endswith("/") or not path or (is_folder(path) and path != old):
        return f"{path}/{name}" if path else name
    if "/" in wanted or "/" in typed.strip("/"):
        return path
    folder = old[: -len(name)]
    return folder + path
