"""Notes as resources: ``memo://note/<path>``, listed a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from vaultmem.errors import NoteNotFoundError, UsageError
from vaultmem.server.mcp.budget import MOST, cut
from vaultmem.server.mcp.fence import NOTE_URI, WARNING, Mark, fenced, note_uri, one_line, ours
from vaultmem.server.mcp.reach import LOOK, Reach
from vaultmem.server.mcp.reading import seen_note

if TYPE_CHECKING:
    from vaultmem.vault import Vault

PAGE: Final = 200
"""Notes of one page of the list."""


class Listed(NamedTuple):
    """A note of the list."""

    uri: str
    name: str


def notes_after(vault: Vault, cursor: str | None) -> tuple[list[Listed], str | None]:
    """A page of the notes, in order of their paths, and where the next one begins; None for the last. Raises UsageError
    for a cursor that is none."""
    after = _path_of(cursor) if cursor else ""
    reach = Reach(vault.root)
    page: list[Listed] = []
    for path in vault.files().notes:
        if path <= after or not reach.sees(path):
            continue
        if len(page) == PAGE:
            return page, page[-1].uri
        page.append(Listed(note_uri(path), one_line(path)))
    return page, None


def _path_of(cursor: str) -> str:
    from urllib.parse import unquote

    if not cursor.startswith(NOTE_URI):
        raise ours(UsageError("The cursor is not one that this server gave."))
    return unquote(cursor[len(NOTE_URI) :])


def note_text(vault: Vault, uri: str, mark: Mark) -> str:
    """The text of the note at that address, fenced like every text of the vault; of a long one the beginning."""
    if not uri.startswith(NOTE_URI):
        raise ours(UsageError(f"Only {NOTE_URI}… can be read.", hint=LOOK))
    note = seen_note(vault, uri)
    if note.text is None:
        raise ours(NoteNotFoundError("The note is no text, or not on this disk."), note.path)
    end = cut(note.text, 0, MOST)
    said = [WARNING]
    if end < len(note.text):
        said.append(f'It goes on: memory_get with "offset": {end} has the rest.')
    return "\n".join([*said, fenced(note.text[:end], note_uri(note.path), mark)])
