"""Where a person wants a file who types `create PATH` or `mv OLD NEW`: names stay in their folder, paths are the
vault's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from unicodedata import normalize

from vaultmem.errors import UsageError
from vaultmem.notes.paths import FileKind, file_kind

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


def new_note_path(path: str) -> str:
    """The vault path of a new note, in NFC (N-07), ``.md`` added where there is no ending. Raises UsageError."""
    wanted = normalize("NFC", path.strip().strip("/"))
    if not wanted:
        raise UsageError("A new note needs a name.", hint="Give its path in the vault.")
    if file_kind(wanted) is FileKind.NOTE:
        return wanted
    name = wanted.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending in _OTHER_ENDINGS:
        raise UsageError(f"{wanted} would be no note.", hint="Notes end with .md.")
    return f"{wanted}.md"


_OTHER_ENDINGS: Final = frozenset(
    [
        "base",
        "canvas",
        "css",
        "gif",
        "htm",
        "html",
        "jpeg",
        "jpg",
        "js",
        "json",
        "mp3",
        "mp4",
        "pdf",
        "png",
        "svg",
        "txt",
        "wav",
        "webm",
        "webp",
        "yaml",
        "yml",
    ]
)
"""Endings that nobody means as a part of a note's name."""


def with_ending_of(old: str, new: str) -> str:
    """The new path; a note's ``.md`` is added where it was left out."""
    if file_kind(old) is FileKind.NOTE and file_kind(new) is not FileKind.NOTE:
        return f"{new}.md"
    return new
