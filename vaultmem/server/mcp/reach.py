"""What of the disk an agent can name: notes of the vault, and nothing beside them. Every name goes through here."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from vaultmem.errors import RefusedError, UsageError
from vaultmem.files.obsidian_config import read_obsidian_config
from vaultmem.notes.paths import is_hidden, path_key
from vaultmem.server.mcp.fence import NOTE_URI, ours

LONGEST_NAME: Final = 1_000
LONGEST_PATH: Final = 4_096
"""Characters that systems allow a path."""

_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]|[A-Za-z]:\Z|[\\/]|~[\\/]|~\Z|[A-Za-z][A-Za-z0-9+.-]*:/")


def name_of(given: str) -> str:
    """The name of a note as it may be looked for, out of what an agent calls it: a path, a name, a link, or the
    address ``memo://note/…``.

    Raises UsageError for what leads out of the vault or to hidden files, in whatever spelling.
    """
    name = path_of(given).strip()
    if not name:
        raise ours(UsageError("The name of the note is empty.", hint="Give its path in the vault."))
    if len(name) > LONGEST_NAME:
        raise ours(
            UsageError("The name of the note is too long.", hint="Give its path in the vault.")
        )
    for spelling in _spellings(name):
        _check(spelling)
    return name


def path_of(given: str) -> str:
    """What the address ``memo://note/…`` names, to the letter; anything else as it is."""
    if given.startswith(NOTE_URI):
        return unquote(given[len(NOTE_URI) :].partition("#")[0])  # the whole note, not a line
    return given


def _spellings(name: str) -> tuple[str, ...]:
    """The name, and what others would make of it who decode it once or twice."""
    once = unquote(name)
    return tuple(dict.fromkeys((name, once, unquote(once))))


def _check(name: str) -> None:
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        raise ours(
            UsageError(
                "The name of a note holds a control character.", hint="Give its path in the vault."
            )
        )
    parts = re.split(r"[\\/]", name.removeprefix("[[").removesuffix("]]"))
    if _DRIVE.match(name) or any(part.strip() == ".." for part in parts):
        raise ours(
            UsageError(
                "That leads out of the vault.", hint="Give the note's path from the vault's folder."
            )
        )
    if any(part.lstrip().startswith(".") for part in parts):
        raise ours(
            UsageError(
                "Names that begin with a dot are not for agents.",
                hint="Only notes can be read and changed.",
            )
        )


APP_JSON = "app.json"
"""Holds the excluded files."""


class Reach:
    """Which paths of one vault an agent may see, by the settings of now."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._settings = read_obsidian_config(root)
        # What is excluded is not known then, so that nothing is shown rather than too much.
        self._is_blind = any(APP_JSON in warning for warning in self._settings.warnings)

    @property
    def excludes(self) -> bool:
        """Whether the settings exclude any files at all."""
        return bool(self._settings.ignored_prefixes or self._settings.ignored_patterns)

    def sees(self, path: str) -> bool:
        """Whether the file at the vault path is for agents: not hidden, not excluded by Obsidian's settings, and in
        the vault with every link on the way followed."""
        if self._is_blind or self._is_closed(path):
            return False
        real = self._really(path)
        return real is not None and (real == path or not self._is_closed(real))

    def _is_closed(self, path: str) -> bool:
        return is_hidden(path) or self._settings.is_excluded(path)

    def _really(self, path: str) -> str | None:
        """The vault path with every link on the way followed; None when that is not in the vault."""
        real = os.path.realpath(os.path.join(self._root, path))
        within = self._root.rstrip(os.sep) + os.sep
        return real[len(within) :].replace(os.sep, "/") if real.startswith(within) else None

    def check_known(self) -> None:
        """Raises RefusedError while it cannot be known what is for agents."""
        if self._is_blind:
            raise ours(
                RefusedError(
                    "Obsidian's app.json cannot be read wholly, so it is not known which notes are excluded.",
                    hint="Ask again when the file is whole; until then no note is shown.",
                )
            )

    def require_new(self, path: str) -> str:
        """The path of a file to be made; raises RefusedError when it could not be seen afterwards, and in the same
        words when something that is not seen is there under another spelling."""
        if not self._is_blind and not self._is_closed(path) and self._really(path) is None:
            raise ours(
                RefusedError(
                    "A link on the way to that place leads out of the vault.",
                    hint="Choose another folder.",
                )
            )
        if not all(map(self.sees, (path, *self._alike(path)))):
            raise ours(
                RefusedError(
                    "Obsidian's settings exclude that place.", hint="Choose another folder."
                )
            )
        return path

    def _alike(self, path: str) -> list[str]:
        """What is there under that path when case and Unicode form do not count."""
        found = [""]
        for part in path.split("/"):
            found = [
                f"{folder}/{name}".lstrip("/")
                for folder in found
                for name in _names(os.path.join(self._root, folder))
                if path_key(name) == path_key(part)
            ]
        return found


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


LOOK: Final = "Look for it with memory_search."
