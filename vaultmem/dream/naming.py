"""How a note is named where the dream writes: in links, in titles of proposals. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from vaultmem.errors import RefusedError
from vaultmem.notes.linktext import make_link
from vaultmem.notes.obsidian import LinkFormat, ObsidianSettings
from vaultmem.notes.paths import name_key
from vaultmem.notes.resolve import NameIndex

_BY_NAME: Final = ObsidianSettings(new_link_format=LinkFormat.SHORTEST)
_BY_PATH: Final = ObsidianSettings(new_link_format=LinkFormat.ABSOLUTE)
_COPY: Final = re.compile(
    r"\s*(?:\(\d{1,3}\)|(?:-\s*)?\b(?:copy|kopie|copie|copia)(?: \d{1,3}| \(\d{1,3}\))?|\s\d{1,2})$"
    r"|^(?:copy of|kopie von|copie de|copia de)\s+",
    re.IGNORECASE,
)
"""What programs put behind the name of a copy, or before it."""


class Links:
    """Wikilinks to the files of a vault; each leads to its file from wherever it stands, and to no other."""

    def __init__(self, paths: Iterable[str]) -> None:
        """``paths`` are those of all files."""
        self.lookup = NameIndex(sorted(paths))

    def to(self, path: str, *, source: str = "", moved_to: str = "") -> str:
        """The link to a file, by its whole path where others have its name; its path where no link can hold that. A file that is
        there no longer goes by its name, which leads to where it was moved. ``moved_to`` is where it will be."""
        named = self.lookup(name_key(path))
        if not moved_to and len(named) == 1 and path not in named:
            path = named[0]  # it has moved since
        place = moved_to or path

        def lookup(key: str) -> Sequence[str]:
            others = tuple(other for other in self.lookup(key) if other != path)
            return (*others, place) if key == name_key(place) else others

        alone = len(lookup(name_key(place))) == 1
        try:
            return make_link(
                source=source,
                target_path=place,
                settings=_BY_NAME if alone else _BY_PATH,
                lookup=lookup,
            )
        except RefusedError:
            return place

    def wikilink(self, path: str, *, moved_to: str = "") -> str:
        """The same for a property, which holds no other kind of link: "" for a name that no wikilink can hold."""
        link = self.to(path, moved_to=moved_to)
        return link if link.startswith("[[") else ""


def is_copy_of(title: str, other: str) -> bool:
    """Whether one of the titles is the other with what programs add to the names of copies.

    >>> is_copy_of("Ferry times (2)", "Ferry times"), is_copy_of("Hydrophone 1", "Hydrophone 2")
    (True, False)
    """
    return is_named_as_copy(title, other) or is_named_as_copy(other, title)


def is_named_as_copy(title: str, original: str) -> bool:
    """Whether the first title is the second with what programs add to the names of copies.

    >>> is_named_as_copy("Tides - Copy (2)", "Tides"), is_named_as_copy("Tides", "Copy of Tides")
    (True, False)
    """
    a, b = title.casefold().strip(), original.casefold().strip()
    return a != b and _COPY.sub("", a) == b
