"""Folders of our own in a vault. Only ever below it: a vault that went away (an unmounted disk) must not be put there
again as an empty folder, with an empty index in it."""

from __future__ import annotations

import os
from contextlib import suppress


def make_below(
    root: str | bytes | os.PathLike[str],
    folder: str | bytes | os.PathLike[str],
    mode: int = 0o700,
) -> None:
    """Makes the folder, with that mode, and those on the way to it where they are missing; never ``root``.

    Raises FileNotFoundError when that is not there, and what else making a folder raises.
    """
    top, path = os.fsencode(root), os.fsencode(folder)
    missing = []
    while path != top and len(path) > len(top) and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for each in reversed(missing):
        with suppress(FileExistsError):  # another process makes them as well
            os.mkdir(each, mode if each == missing[0] else 0o777)
