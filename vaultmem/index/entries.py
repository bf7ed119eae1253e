"""The row of a file in ``vault_files``, for a rebuild and for a sync alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultmem.files.scan import FileStat
from vaultmem.index.plan import PRESENT, UNREADABLE
from vaultmem.index.rows import FileRows, Row, name_hash, textless_note_rows
from vaultmem.index.writer import FileContent
from vaultmem.notes.paths import FileKind, conflict_original, file_kind, name_key
from vaultmem.notes.resolve import Lookup, resolve_exact

if TYPE_CHECKING:
    from vaultmem.index.reading import FileRead
    from vaultmem.notes.obsidian import ObsidianSettings


def unread_row(file_id: int, file: FileStat, settings: ObsidianSettings, lookup: Lookup) -> Row:
    """The row of a file whose content is not read: an attachment or a base."""
    return _row(file_id, file, PRESENT, 0, None, settings, lookup)


def read_row(read: FileRead, file: FileStat, settings: ObsidianSettings, lookup: Lookup) -> Row:
    """The row of a file that was read, with the stat data of the reading, not of the scan before it."""
    if read.problem:
        return _row(read.file_id, file, UNREADABLE, 0, None, settings, lookup)
    stat = file._replace(
        size=read.size, mtime_ns=read.mtime_ns, ctime_ns=read.ctime_ns, inode=read.inode
    )
    return _row(read.file_id, stat, PRESENT, read.read_ns, read.content_hash, settings, lookup)


def absent_row(
    file_id: int, path: str, state: str, settings: ObsidianSettings, lookup: Lookup
) -> Row:
    """The row of a file that exists but cannot be looked at (offloaded, unreadable): links may lead to it."""
    return _row(file_id, absent_stat(path), state, 0, None, settings, lookup)


def absent_stat(path: str) -> FileStat:
    """The stat data of a file that cannot be looked at."""
    return FileStat(path, file_kind(path), 0, 0, 0, 0)


def read_content(read: FileRead, file: FileStat) -> FileContent:
    """What was read, or for a file that could not be read the rows that its name alone yields."""
    return FileContent(read.file_id, read.path, read.rows or absent_rows(file))


def absent_rows(file: FileStat) -> FileRows:
    """The rows of a file whose content cannot be had: a note is found by its name, a canvas says nothing."""
    if file.kind == FileKind.NOTE:
        return textless_note_rows(file.path, "absent")
    return FileRows(None, [], [], [], [], [], [], [], [])


def _row(
    file_id: int,
    file: FileStat,
    state: str,
    read_ns: int,
    content_hash: bytes | None,
    settings: ObsidianSettings,
    lookup: Lookup,
) -> Row:
    return (
        file_id,
        file.path,
        name_hash(name_key(file.path)),
        str(file.kind),
        state,
        int(settings.is_excluded(file.path)),
        file.size,
        file.mtime_ns,
        file.ctime_ns,
        file.inode,
        read_ns,
        content_hash,
        copied_from(file.path, lookup),
    )


def copied_from(path: str, lookup: Lookup) -> str | None:
    """For a sync conflict copy the path of its original, "" when that is gone; None for any other file."""
    original = conflict_original(path)
    return None if original is None else (resolve_exact(original, lookup).path or "")
