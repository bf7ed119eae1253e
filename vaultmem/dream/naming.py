"""How a note is named where the dream writes: in links, in titles of proposals. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from vaultmem.notes.paths import name_key, stem

_UNSAFE: Final = re.compile(r"[\[\]|#^\r\n]|%%")
_COPY: Final = re.compile(r"\s*(?:\(\d{1,3}\)|\bcopy(?: \d{1,3})?|\s\d{1,2})$", re.IGNORECASE)


class Names:
    """The files of a vault, for links that mean one of them and no other."""

    def __init__(self, paths: Iterable[str]) -> None:
        found: dict[str, int] = {}
        for path in paths:
            key = name_key(path)
            found[key] = found.get(key, 0) + 1
        self._count: Mapping[str, int] = found

    def link(self, path: str, *, moved_to: str | None = None) -> str:
        """A wikilink to the note: by its name where no other file has it, else by its path. "" for a name that no
        wikilink can hold. ``moved_to`` is where the note will be."""
        place = path if moved_to is None else moved_to
        others = self._count.get(name_key(place), 0) - (name_key(place) == name_key(path))
        target = stem(place.rpartition("/")[2]) if others <= 0 else place.removesuffix(".md")
        return "" if _UNSAFE.search(target) else f"[[{target}]]"


def is_copy_of(title: str, other: str) -> bool:
    """Whether one of the titles is the other with what programs add to the names of copies.

    >>> is_copy_of("Ferry times (2)", "Ferry times"), is_copy_of("Hydrophone 1", "Hydrophone 2")
    (True, False)
    """
    a, b = title.casefold().strip(), other.casefold().strip()
    return a != b and (_COPY.sub("", a) == b or _COPY.sub("", b) == a)
