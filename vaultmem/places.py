"""Where things lie: the vault that a command means, and the folder of its index."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Final

from vaultmem.dream.folders import ARCHIVE_FOLDER, DREAMS_FOLDER, REVIEW_FOLDER
from vaultmem.errors import VaultNotFoundError
from vaultmem.settings import VAULT_VARIABLE, Settings

__all__ = [
    "ARCHIVE_FOLDER",
    "DREAMS_FOLDER",
    "MARKERS",
    "REVIEW_FOLDER",
    "STATE_FOLDER",
    "find_vault",
    "index_dir",
    "user_cache_path",
]

STATE_FOLDER: Final = ".vaultmem"
"""The dot-folder in a vault that is ours; Obsidian does not see it."""

MARKERS: Final = (STATE_FOLDER, ".obsidian")
"""A folder that holds one of these folders is a vault."""

_LOOKED_AT: Final = 5_000
"""Entries looked at, at most, to learn whether a folder holds Markdown at all."""

_NAME_LENGTH: Final = 40


def find_vault(start: Path, *, flag: Path | None, environ: Mapping[str, str], home: Path) -> Path:
    """The folder of the vault, absolute, as it was named (symbolic links are not resolved). The first that holds:

    1. ``flag``, the command's ``--vault``,
    2. the environment's ``VAULTMEM_VAULT`` (empty counts as not set),
    3. the nearest folder with ``.vaultmem`` or ``.obsidian`` in it, from ``start`` upward,
    4. ``start`` itself, if there is a Markdown file in it or below it.

    A relative path counts from ``start``, and a leading ``~`` is ``home``. The way up never enters the home folder
    or a root: one stray ``.obsidian`` there would make every folder below part of a vault that nobody meant.
    There, only a command given in the folder itself uses it, and only with a marker. Raises
    VaultNotFoundError; its hint names a vault that was passed over.
    """
    start = _absolute(start)
    if flag is not None:
        return _named(flag, "", start, home)
    if from_environment := environ.get(VAULT_VARIABLE):
        return _named(Path(from_environment), VAULT_VARIABLE, start, home)
    if found := next(_marked_upward(start, home), None):
        return found
    if not _is_too_wide(start, home) and _holds_markdown(start):
        return start
    raise _nothing_found(start, home)


def index_dir(vault: Path, settings: Settings, cache_root: Path) -> Path:
    """The folder of the vault's index files; it need not exist.

    ``.vaultmem`` in the vault, or for ``index.location = "cache"`` a folder of its own below ``cache_root``, called
    after the vault's folder and its absolute path: two vaults never share one, and every way to name a
    vault (a relative path, a symbolic link) leads to the same.
    """
    if settings.index.location == "vault":
        return vault / STATE_FOLDER
    real = vault.resolve()
    digest = blake2b(os.fsencode(real), digest_size=8).hexdigest()
    readable = re.sub(r"[^\w-]+", "-", real.name)[:_NAME_LENGTH].strip("-")
    return cache_root / "vaults" / (f"{readable}-{digest}" if readable else digest)


def user_cache_path() -> Path:
    """The user's cache folder for vaultmem, by the customs of the system; it need not exist."""
    from platformdirs import user_cache_path as folder

    return folder("vaultmem", appauthor=False)


def _absolute(path: Path) -> Path:
    """``path`` made absolute and freed of ``..``, with symbolic links kept as they were named."""
    return Path(os.path.abspath(path))


def _named(path: Path, by: str, start: Path, home: Path) -> Path:
    """The folder that the caller named outright; raises VaultNotFoundError if it is none. ``by`` is the variable that
    named it, "" for the call itself, which may be a command or a program's and knows what it said."""
    if path.parts[:1] == ("~",):
        path = home.joinpath(*path.parts[1:])
    vault = _absolute(start / path)
    if vault.is_dir():
        return vault
    called = f"The vault {vault}{f', which {by} names,' if by else ''}"
    if vault.exists():
        raise VaultNotFoundError(
            f"{called} is not a folder.",
            hint=f"Name the vault's folder, perhaps {vault.parent}.",
        )
    raise VaultNotFoundError(
        f"{called} does not exist.",
        hint="Check the spelling, and whether its disk or share is mounted.",
    )


def _marked_upward(start: Path, home: Path) -> Iterator[Path]:
    """The folders with a marker from ``start`` upward, nearest first, too wide ones left out but for ``start``."""
    for folder in (start, *start.parents):
        if _is_marked(folder) and (folder == start or not _is_too_wide(folder, home)):
            yield folder


def _is_marked(folder: Path) -> bool:
    return any((folder / marker).is_dir() for marker in MARKERS)


def _is_too_wide(folder: Path, home: Path) -> bool:
    """Whether ``folder`` is the home folder, or holds it, or is a root."""
    real, real_home = folder.resolve(), home.resolve()
    return real == real_home or real in real_home.parents or real.parent == real


def _holds_markdown(folder: Path) -> bool:
    """Whether a Markdown file lies in ``folder`` or below, outside dot-folders; gives up in a huge folder."""
    return any(name.lower().endswith(".md") for name in islice(_file_names(folder), _LOOKED_AT))


def _file_names(folder: Path) -> Iterator[str]:
    """The names of the files in ``folder`` and below, top first; what cannot be read is passed over."""
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (name for name in files if not name.startswith("."))


def _nothing_found(start: Path, home: Path) -> VaultNotFoundError:
    passed_over = next((folder for folder in start.parents if _is_marked(folder)), None)
    if passed_over is not None:
        hint = f"{passed_over} looks like one, but is too wide to be taken unasked: --vault {passed_over} takes it."
    else:
        hint = f"Go to your vault's folder, or name it with --vault PATH or {VAULT_VARIABLE}."
    markers = " or ".join(MARKERS)
    if _is_too_wide(start, home):
        return VaultNotFoundError(
            f"There is no vault here: {start} holds no {markers}, and is too wide to be taken for one unasked.",
            hint=hint,
        )
    return VaultNotFoundError(
        f"There is no vault here: no Markdown in {start}, and no {markers} in it or above it.",
        hint=hint,
    )
