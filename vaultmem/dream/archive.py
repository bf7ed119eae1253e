"""Where notes are archived: below the archive, with the rest of their path. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from vaultmem.notes.names import free_name
from vaultmem.notes.paths import parent, path_key, stem


class Archive:
    """The places of one archive. It remembers those it has given: two notes never get one, and a note always gets the
    same."""

    def __init__(self, folder: str, memory_root: str, file_names: Iterable[str]) -> None:
        """``folder`` is the archive, ``file_names`` are the vault paths of all files."""
        self._folder = folder
        self._root = f"{memory_root}/" if memory_root else ""
        self._given: dict[str, str] = {}
        self._taken: dict[str, set[str]] = {}
        within = path_key(f"{folder}/")
        for path in file_names:
            if path_key(path).startswith(within):
                self._take(path)

    def _take(self, path: str) -> None:
        """Notes that the file is there, and with it the folders on the way: they have names, too."""
        while path:
            folder, _, name = path.rpartition("/")
            self._taken.setdefault(path_key(folder), set()).add(name)
            path = folder

    def place(self, path: str) -> str:
        """The vault path for the note at ``path``, numbered where something is there (N-08)."""
        if path in self._given:
            return self._given[path]
        wanted = f"{self._folder}/{path.removeprefix(self._root)}"
        folder = parent(wanted)
        taken = self._taken.get(path_key(folder), set())
        place = f"{folder}/{free_name(stem(wanted), taken)}.md"
        self._take(place)
        self._given[path] = place
        return place
