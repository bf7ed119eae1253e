"""From a file's path as a shell completes it to the name by which the vault knows the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

HERE = (".", "..")
"""First parts of a path that can only count from the current folder."""


def note_name(words: Sequence[str], vault: Path, here: Path) -> str:
    """What a person means by the words, for a vault: a path that begins with ``./`` or ``../``, or an absolute one,
    as a vault path when it leads into the vault; so too the plain name of a file in the folder ``here``, unless a
    file has that very vault path. Anything else stays as typed: a vault path, a title, an alias, ``[[link]]``.
    """
    typed = " ".join(words)
    path = Path(typed)
    if "\0" in typed or not path.parts:
        return typed
    if path.is_absolute() or typed.split(os.sep, 1)[0] in HERE:
        return _in_vault(here / path, vault) or typed
    if (here / path).is_file() and not (vault / path).exists():
        return _in_vault(here / path, vault) or typed
    return typed


def new_name(typed: str, vault: Path, here: Path) -> str:
    """The vault path that a person means who names a place for a file: an absolute path, or one that begins with ``./``
    or ``../``, counts as for :func:`note_name`; anything else is a vault path, or a name, as it was typed. A ``/`` at
    its end stays, and ``/`` alone is the vault's folder. Raises WriteRefused for a place that is not in the vault.
    """
    words = typed.strip()
    counts_from_here = words.split("/", 1)[0] in HERE and _is_within(here, vault)
    if "\0" in words or not (os.path.isabs(words) or counts_from_here) or not words.strip("/"):
        return typed
    place = here / words
    end = "/" if words.endswith("/") or words.rsplit("/", 1)[-1] in HERE else ""
    if path := _in_vault(place, vault):
        return path + end
    if os.path.realpath(place) == os.path.realpath(vault):
        return "/"
    from vaultmem.files.targets import no_vault_path

    raise no_vault_path(typed)


def _is_within(here: Path, vault: Path) -> bool:
    return here == vault or bool(_in_vault(here, vault)) or here.resolve() == vault.resolve()


def _in_vault(place: Path, vault: Path) -> str:
    """The vault path of a place; "" for one that is not in the vault, or is the vault itself."""
    named = Path(os.path.abspath(place))
    # Folder links within the vault are part of a vault path; those on the way to the vault may be named or not.
    for file, root in ((named, vault), (named, vault.resolve()), (_real(named), vault.resolve())):
        if file != root and file.is_relative_to(root):
            return file.relative_to(root).as_posix()
    return ""


def _real(place: Path) -> Path:
    """The place with the links on the way to its folder resolved."""
    return place.parent.resolve() / place.name
