"""A note read so that it may be changed: its text, and the hash of exactly those bytes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from vaultmem.files.read import NoteRead, UnreadableFile, decode, is_zero_filled, read_note_bytes
from vaultmem.files.refusals import WriteConflict
from vaultmem.notes.refusal import EditRefused, RefusalCode


class NoteText(NamedTuple):
    """The text of a file, a byte order mark kept, and what it was read from."""

    text: str
    read: NoteRead


def read_for_change(root: Path, path: str) -> NoteText:
    """The file's text. Raises WriteConflict when it is gone, EditRefused ``not-utf8`` and ``zero-filled``: such bytes
    would be lost with a rewrite; and UnreadableFile."""
    read = read_bytes(root, path)
    text = decode(read.data)
    if text is None:
        raise EditRefused(
            RefusalCode.NOT_UTF8,
            f"{path} is not valid UTF-8 and was left alone: a rewrite would damage it.",
            hint="Save it as UTF-8 first.",
        )
    if is_zero_filled(read.data):
        raise EditRefused(
            RefusalCode.ZERO_FILLED,
            f"{path} holds nothing but zero bytes, as a crash leaves them, and was left alone.",
            hint="Bring it back from a backup, or empty it yourself.",
        )
    return NoteText(text, read)


def read_bytes(root: Path, path: str) -> NoteRead:
    """The bytes of a file that the index has. Raises WriteConflict when it is gone, so that the change is planned anew,
    and UnreadableFile."""
    try:
        return read_note_bytes(root, path)
    except UnreadableFile as error:
        if error.missing:
            raise WriteConflict(path, expected="", found=None) from error
        raise


class SourceTexts:
    """The texts of the files that a plan asks for; each is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.held: dict[str, NoteText] = {}
        self.faults: dict[str, str] = {}
        """Why there is no text, a sentence, by path."""

    def read(self, path: str) -> str | None:
        """The text; None when it is no readable text. Raises WriteConflict when the file is gone: it was there when
        the index was asked."""
        if path not in self.held:
            try:
                self.held[path] = read_for_change(self._root, path)
            except (EditRefused, UnreadableFile) as error:
                self.faults[path] = error.message
                return None
        return self.held[path].text
