"""Reading one file of the vault into rows: the unit of work of a rebuild and of a sync."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.files.read import (
    NoteRead,
    UnreadableFile,
    decode,
    is_zero_filled,
    read_note_bytes,
)
from vaultmem.index.rows import (
    BlockRows,
    FileRows,
    canvas_rows,
    note_rows,
    textless_note_rows,
)
from vaultmem.notes.paths import FileKind

FAULT: Final = "vaultmem itself failed at it"
"""How the problem of a file begins at which our own code failed."""


class Job(NamedTuple):
    """A file to read."""

    file_id: int
    path: str
    kind: str
    template: bool
    known_hash: bytes = b""
    """When the file's content still has this hash it is not parsed."""


class FileRead(NamedTuple):
    """What reading a file gave. ``rows`` is None when the file could not be read (``problem`` says why), or
    when its content is the known one."""

    file_id: int
    path: str
    problem: str
    """Why it could not be read, for a person; "" when it was."""
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    read_ns: int
    content_hash: bytes
    rows: FileRows | None

    def as_tuple(self) -> tuple[object, ...]:
        """Plain tuples and lists all the way down, which ``marshal`` can write."""
        if self.rows is None:
            return tuple(self)
        blocks = [tuple(block) for block in self.rows.blocks]
        return (*self[:-1], tuple(self.rows._replace(blocks=blocks)))  # type: ignore[arg-type]

    @classmethod
    def from_tuple(cls, plain: tuple[object, ...]) -> FileRead:
        """The inverse of :meth:`as_tuple`."""
        read = cls(*plain)  # type: ignore[arg-type]
        if read.rows is None:
            return read
        rows = FileRows(*read.rows)
        return read._replace(rows=rows._replace(blocks=[BlockRows(*b) for b in rows.blocks]))


def read_job(root: Path, job: Job) -> FileRead:
    """Reads and parses the job's file; never raises for what may stand in a file or happen to it."""
    try:
        read = read_note_bytes(root, job.path)
    except UnreadableFile as error:
        return FileRead(job.file_id, job.path, str(error), 0, 0, 0, 0, 0, b"", None)
    stat = read.stat
    digest = bytes.fromhex(read.hash)
    try:
        rows = None if digest == job.known_hash else _rows(job, read)
    except Exception as error:  # noqa: BLE001 - a fault of ours in one note must not keep all others out
        problem = f"{FAULT} ({type(error).__name__})"
        return FileRead(job.file_id, job.path, problem, 0, 0, 0, 0, 0, b"", None)
    return FileRead(
        job.file_id,
        job.path,
        "",
        stat.size,
        stat.mtime_ns,
        stat.ctime_ns,
        stat.inode,
        read.read_ns,
        digest,
        rows,
    )


def _rows(job: Job, read: NoteRead) -> FileRows:
    text = decode(read.data)
    if job.kind == FileKind.CANVAS:
        return canvas_rows(text if text is not None else "")
    if text is None:
        return textless_note_rows(job.path, "not-utf8")
    if is_zero_filled(read.data):
        return textless_note_rows(job.path, "zero-filled")
    return note_rows(job.path, text, template=job.template)
