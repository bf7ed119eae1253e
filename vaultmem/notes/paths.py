"""Vault paths: how they compare, what kind of file they name, and which are hidden or copies.

A vault path is relative to the vault's root, has ``/`` between its parts, and is spelled as on disk.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum
from typing import Final
from unicodedata import normalize


class FileKind(StrEnum):
    """What a file is to the vault, told by its extension alone (F-01)."""

    NOTE = "note"
    CANVAS = "canvas"
    BASE = "base"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    PDF = "pdf"
    OTHER = "other"


_EXTENSIONS: Final = {
    FileKind.NOTE: "md",
    FileKind.CANVAS: "canvas",
    FileKind.BASE: "base",
    FileKind.IMAGE: "avif bmp gif jpeg jpg png svg webp",
    FileKind.AUDIO: "flac m4a mp3 ogg wav 3gp",
    # The rules list webm as audio and as video; a film without a picture is still a film file.
    FileKind.VIDEO: "mkv mov mp4 ogv webm",
    FileKind.PDF: "pdf",
}

KIND_BY_EXTENSION: Final[dict[str, FileKind]] = {
    extension: kind for kind, names in _EXTENSIONS.items() for extension in names.split()
}
"""Lower-case extension without its dot → kind; what is not here is ``FileKind.OTHER``."""

# No-break space and narrow no-break space count as spaces.
_NO_BREAK_SPACES: Final = str.maketrans({"\u00a0": " ", "\u202f": " "})


def path_key(path: str) -> str:
    """The form in which two paths, names or link targets are compared (G-02, R-05).

    NFC, no-break spaces as spaces, lower case. A Greek final sigma counts as a sigma: which of the two
    lower-casing yields depends on what follows, and so ``key(name) + ".md"`` would differ from
    ``key(name + ".md")``.
    """
    if path.isascii():
        return path.lower()
    composed = normalize("NFC", path).translate(_NO_BREAK_SPACES)
    return composed.lower().replace("ς", "σ")


def name_key(path: str) -> str:
    """The key of a path's last part, extension included."""
    return path_key(path[path.rfind("/") + 1 :])


def file_kind(path: str) -> FileKind:
    """What the path's extension, in any case, says the file is (F-01, F-13)."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot < 0:
        return FileKind.OTHER
    return KIND_BY_EXTENSION.get(name[dot + 1 :].lower(), FileKind.OTHER)


def stem(path: str) -> str:
    """The name that links use: a note's file name without ``.md``, any other's whole name (G-03, L-12)."""
    name = path[path.rfind("/") + 1 :]
    return name[:-3] if name[-3:].lower() == ".md" else name


def parent(path: str) -> str:
    """The folder a path lies in; ``""`` for the root of the vault."""
    return path[: max(path.rfind("/"), 0)]


def is_hidden(path: str) -> bool:
    """Whether any part of the path starts with a dot, so that it does not exist for the vault (G-04)."""
    return path.startswith(".") or "/." in path


_CONFLICT_MARK: Final = r"""(?:
    \ \(conflicted\ copy\ .*\d{12}\)                     # Obsidian Sync: device, then minute
  | \ \(conflicted\ copy\ \d{4}-\d\d-\d\d\ \d{6}\)       # Nextcloud, ownCloud
  | \ \([^()]*'s\ conflicted\ copy\ \d{4}-\d\d-\d\d\)   # Dropbox
  | \.sync-conflict-\d{8}-\d{6}-[0-9a-z]+                # Syncthing
)"""

_CONFLICT_COPY: Final = re.compile(
    rf"(?P<original>.+?){_CONFLICT_MARK}+(?P<extension>\.[^.]+)?",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def conflict_original(path: str) -> str | None:
    """The path that a sync conflict copy was made from, None for any other file (F-09).

    The name alone decides; whether the original (still) exists is for the caller to see.

    >>> conflict_original("Log (Conflicted copy Laptop 202501312359).md")
    'Log.md'
    >>> conflict_original("Log 1.md") is None
    True
    """
    # Two plain tests spare the expression for nearly every file of a vault.
    lowered = path.lower()
    if "conflicted copy" not in lowered and ".sync-conflict-" not in lowered:
        return None
    name_start = path.rfind("/") + 1
    match = _CONFLICT_COPY.fullmatch(path, name_start)
    if match is None:
        return None
    return path[:name_start] + match["original"] + (match["extension"] or "")


def clashes(paths: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of different paths that are equal without case or Unicode form, each sorted (F-12)."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[path_key(path)].append(path)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)
