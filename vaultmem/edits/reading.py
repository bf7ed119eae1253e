"""A note read so that it may be changed: its text, and the hash of exactly those bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from vaultmem.files.read import NoteRead, UnreadableFile, decode, is_zero_filled, read_note_bytes
from vaultmem.notes.refusal import EditRefused, RefusalCode


class NoteText(NamedTuple):
    """The text of a file, a byte order mark kept, and what it was read from."""

    text: str
    read: NoteRead


def read_for_change(root: Path, path: str) -> NoteText:
    """The file's text. Raises EditRefused ``missing``, ``not-utf8`` and ``zero-filled``: such bytes would be lost
    with a rewrite; and UnreadableFile."""
    try:
        read = read_note_bytes(root, path)
    except UnreadableFile as error:
        if error.missing:
            raise EditRefused(RefusalCode.MISSING, f"There is no file {path}.") from error
        raise
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


class SourceTexts:
    """The texts of the files that a plan asks for; each is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.held: dict[str, NoteText] = {}

    def read(self, path: str) -> str | None:
        """The text; None when it is no readable text."""
        if path not in self.held:
            try:
                self.held[path] = read_for_change(self._root, path)
            except (EditRefused, UnreadableFile):
                return None
        return self.held[path].text


def folder_links(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """The vault paths of those folders on the way to ``paths`` that are links: nothing below is written (F-11)."""
    real = os.path.realpath(os.fsencode(root))
    found: set[str] = set()
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            try:
                if os.path.islink(os.path.join(real, folder.encode())):
                    found.add(folder)
            except (ValueError, UnicodeEncodeError):  # no path at all, which the write says
                break
    return tuple(sorted(found))
