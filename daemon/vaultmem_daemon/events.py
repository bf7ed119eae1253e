"""What the system's file events mean to a vault: pure, and without a word of the library that brings them."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Final, NamedTuple

from vaultmem.files.obsidian_config import CONFIG_FOLDER
from vaultmem.files.offload import stub_target
from vaultmem.notes.obsidian import SETTINGS_FILES
from vaultmem.notes.paths import is_hidden, parent
from vaultmem.places import STATE_FOLDER


class Kind(StrEnum):
    """What happened at a path."""

    BORN = "born"
    CHANGED = "changed"
    GONE = "gone"


class Change(NamedTuple):
    """Something happened to a file or a folder of the vault."""

    path: str
    kind: Kind


class Everything(NamedTuple):
    """Only a comparison of all files can tell what happened."""

    reason: str


class Cookie(NamedTuple):
    """The file by which a question marks its moment in the stream of events has come by."""

    name: str


Notice = Change | Everything | Cookie

COOKIE_PREFIX: Final = "watch-cookie-"
COOKIE_SUFFIX: Final = ".lock"

_SETTINGS: Final = frozenset(
    (CONFIG_FOLDER, *(f"{CONFIG_FOLDER}/{name}" for name in SETTINGS_FILES))
)
SETTINGS_CHANGED: Final = Everything("Obsidian's settings changed")

_COMES: Final = {"created": Kind.BORN, "modified": Kind.CHANGED, "closed": Kind.CHANGED}
_COMES["attrib"] = Kind.CHANGED
_TELLS_NOTHING: Final = frozenset({"modified", "attrib"})
"""Of a folder: that something in it changed, which has an event of its own."""


def vault_path(place: str, base: str, prefix: str) -> str | None:
    """The vault path of a place below the watched folder ``base``, whose vault path is ``prefix``; None for a
    place that is not below it. The base itself is ``prefix``."""
    if place == base:
        return prefix
    if not place.startswith(base.rstrip(os.sep) + os.sep):
        return None
    below = place[len(base.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    return f"{prefix}/{below}" if prefix else below


def notices(kind: str, is_folder: bool, path: str | None, to: str | None = None) -> list[Notice]:
    """What an event means; ``kind`` is its name, ``path`` and ``to`` are vault paths, None for elsewhere.

    Nothing, for whatever is no part of the vault: dot-folders (our own index, Git, the bin, editors' swap files)
    and mere reading. A move is one path that is gone and one that is born.
    """
    if kind == "moved":
        return [*_at(path, Kind.GONE), *_at(to, Kind.BORN)]
    if kind == "deleted":
        return _at(path, Kind.GONE)
    if kind not in _COMES or (is_folder and kind in _TELLS_NOTHING):
        return []
    return _at(path, _COMES[kind])


def _at(path: str | None, kind: Kind) -> list[Notice]:
    if not path:
        return []  # elsewhere, or the vault's own folder, which is looked at by itself
    if not is_hidden(path):
        return [Change(path, kind)]
    if path in _SETTINGS:
        return [SETTINGS_CHANGED]
    folder, _, name = path.rpartition("/")
    if folder == STATE_FOLDER and name.startswith(COOKIE_PREFIX) and name.endswith(COOKIE_SUFFIX):
        return [Cookie(name)] if kind == Kind.BORN else []
    target = stub_target(name)
    if target is not None and not is_hidden(folder):
        return [Change(f"{parent(path)}/{target}".lstrip("/"), Kind.CHANGED)]
    return []
