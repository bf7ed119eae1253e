"""Links and titles as findings, reasons and corrections show them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from vaultmem.dream.context import DreamContext
from vaultmem.dream.proposal import Proposal
from vaultmem.errors import RefusedError
from vaultmem.notes.linktext import make_link
from vaultmem.notes.obsidian import LinkFormat
from vaultmem.notes.paths import name_key, stem
from vaultmem.notes.resolve import NameIndex

LONGEST: Final = 160
"""Characters of a claim in a title or reason."""

SOURCE_RELATIONS: Final = frozenset(
    ("source_notes", "source_note", "sources", "source", "derived_from")
)
"""Relations that say what a note was made from."""


class Links:
    """Wikilinks to the notes of a vault; each leads to its note from wherever it stands."""

    def __init__(self, context: DreamContext) -> None:
        self.lookup = NameIndex(sorted(context.file_names))
        self._settings = replace(
            context.settings, use_markdown_links=False, new_link_format=LinkFormat.SHORTEST
        )

    def to(self, path: str, *, source: str = "") -> str:
        """The link to a note, by its whole path where several have its name; its path where no link can hold that."""
        if len(self.lookup(name_key(path))) > 1:
            return self.by_path(path)
        try:
            return make_link(
                source=source, target_path=path, settings=self._settings, lookup=self.lookup
            )
        except RefusedError:
            return path

    def by_path(self, path: str) -> str:
        """The link to a note by its whole path, which tells it from others of its name."""
        return f"[[{path[:-3] if path.endswith('.md') else path}]]"


# --- names ---


def name(path: str, other: str = "") -> str:
    """A note's name in quotes; its path, where the other note has the same name."""
    own = stem(path)
    return f'"{path if other and own == stem(other) else own}"'


def short(text: str) -> str:
    """The text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def fresh(context: DreamContext, proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals that were not rejected on these very inputs."""
    return [p for p in proposals if context.rejected.find(p.rejected_as, p.inputs) is None]
