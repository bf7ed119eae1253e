"""The journal: one line per event, only ever appended to, in ``.vaultmem/journal/<device>/YYYY-MM.jsonl``.

An append is one write and one sync. A line that a crash cut off stays where it is, is told of by
reading, and the next event starts on a line of its own.
"""

from __future__ import annotations

import heapq
import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from vaultmem.files.device import device_id
from vaultmem.files.durable import sync_file, sync_folder
from vaultmem.files.events import MemoryEvent, from_json, to_json
from vaultmem.files.refusals import WriteFailed

_FOLDER: Final = ".vaultmem/journal"
_APPEND: Final = (
    os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_BLOCK: Final = 1 << 16


class JournalFault(NamedTuple):
    """A line that is no event."""

    file: str
    """Vault path."""
    line: int
    """From 1; 0 where it is not known."""
    torn: bool
    """Whether it is a last line without an end: a crash or a full disk cut it off."""


OnFault = Callable[[JournalFault], None]


def _ignore(fault: JournalFault) -> None:
    """Faults are for those who ask."""


class Journal:
    """The journal of one vault; ``device`` is this machine's, made when it is first needed."""

    def __init__(self, root: Path, device: str | None = None) -> None:
        self._root = root
        self._device = device

    @property
    def device(self) -> str:
        """The name of this machine in the vault."""
        if self._device is None:
            self._device = device_id(self._root)
        return self._device

    def append(self, event: MemoryEvent) -> None:
        """The event is on the disk when this returns; nothing of it is when it raises WriteFailed."""
        path = self._file(event.time_ns)
        try:
            new = not path.exists()
            if new:
                path.parent.mkdir(0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, _APPEND, 0o600)
            try:
                _append_line(descriptor, to_json(event).encode())
            finally:
                os.close(descriptor)
            if new:
                for folder in (path.parent, *path.parent.parents[:2]):
                    sync_folder(folder)
        except OSError as error:
            raise WriteFailed(f"{_FOLDER}/{self.device}/{path.name}", error) from error

    def read(self, *, since_ns: int = 0, on_fault: OnFault = _ignore) -> Iterator[MemoryEvent]:
        """The events of all devices from ``since_ns`` on, oldest first, read as they are asked for.

        A device's own events stay in the order in which they were written, even when its clock went back.
        """
        base = self._root / _FOLDER
        devices = sorted(base.iterdir()) if base.is_dir() else []
        streams = [self._in_order(folder, since_ns, on_fault) for folder in devices]
        for _, _, event in heapq.merge(*streams, key=lambda entry: entry[:2]):
            if event.time_ns >= since_ns:
                yield event

    def newest(self) -> Iterator[MemoryEvent]:
        """This device's events, the last written first; only as much is read as is asked for."""
        folder = self._root / _FOLDER / self.device
        for path in sorted(folder.glob("*.jsonl"), reverse=True):
            with open(path, "rb") as file:
                for line in _lines_backward(file):
                    event = _parse(line)
                    if event is not None:
                        yield event

    def backward(self, wanted: Callable[[bytes], bool] = bool) -> Iterator[MemoryEvent]:
        """The events of all devices, newest first, read as they are asked for; faulty lines are passed over.

        Only lines for which ``wanted`` holds are looked into, as they stand in the journal. A device's own
        events come in the opposite order of their writing, even when its clock went back.
        """
        base = self._root / _FOLDER
        devices = sorted(base.iterdir()) if base.is_dir() else []
        streams = [_in_reverse(folder, wanted) for folder in devices]
        for _, _, event in heapq.merge(*streams, key=lambda entry: entry[:2], reverse=True):
            yield event

    def holds(self, event: MemoryEvent) -> bool:
        """Whether this very event was appended."""
        path = self._root / _FOLDER / event.device / f"{_month(event.time_ns)}.jsonl"
        mark = f'"{event.id}"'.encode()
        try:
            with open(path, "rb") as file:
                return any(
                    mark in line and (found := _parse(line)) is not None and found.id == event.id
                    for line in _lines_backward(file)
                )
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _file(self, time_ns: int) -> Path:
        return self._root / _FOLDER / self.device / f"{_month(time_ns)}.jsonl"

    def _in_order(
        self, folder: Path, since_ns: int, on_fault: OnFault
    ) -> Iterator[tuple[int, str, MemoryEvent]]:
        latest = 0
        first = _month(since_ns)
        for path in sorted(folder.glob("*.jsonl")):
            if path.stem < first:
                continue
            shown = path.relative_to(self._root).as_posix()
            with open(path, "rb") as file:
                for number, line in enumerate(file, 1):
                    event = _parse(line)
                    if event is not None:
                        latest = max(latest, event.time_ns)
                        yield latest, event.device, event
                    elif line.strip():
                        on_fault(JournalFault(shown, number, not line.endswith(b"\n")))


def _in_reverse(
    folder: Path, wanted: Callable[[bytes], bool]
) -> Iterator[tuple[int, str, MemoryEvent]]:
    earliest = sys.maxsize
    for path in sorted(folder.glob("*.jsonl"), reverse=True):
        with open(path, "rb") as file:
            for line in _lines_backward(file):
                if wanted(line) and (event := _parse(line)) is not None:
                    earliest = min(earliest, event.time_ns)
                    yield earliest, event.device, event


def _append_line(descriptor: int, line: bytes) -> None:
    with _alone(descriptor):
        size = os.fstat(descriptor).st_size
        whole = line + b"\n"
        if size and _last_byte(descriptor, size) != b"\n":
            whole = b"\n" + whole
        try:
            written = os.write(descriptor, whole)
            if written < len(whole):
                raise OSError(None, "the disk took only a part")
            sync_file(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise


class _alone:  # noqa: N801 - used like a function
    """Inside, no other process of this machine appends to the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> None:
        self._flock("LOCK_EX")

    def __exit__(self, *exception: object) -> None:
        self._flock("LOCK_UN")

    def _flock(self, operation: str) -> None:
        if sys.platform == "win32":
            return
        import fcntl

        try:
            fcntl.flock(self._descriptor, getattr(fcntl, operation))
        except OSError:
            return  # a disk without locks: one append is one write all the same


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def _month(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns // 10**9, UTC).strftime("%Y-%m")


def _parse(line: bytes) -> MemoryEvent | None:
    try:
        return from_json(line.decode())
    except ValueError:  # a broken encoding is one too
        return None


def _lines_backward(file: BinaryIO) -> Iterator[bytes]:
    position = file.seek(0, os.SEEK_END)
    rest = b""
    while position:
        size = min(_BLOCK, position)
        position -= size
        file.seek(position)
        first, *lines = (file.read(size) + rest).split(b"\n")
        yield from reversed(lines)
        rest = first
    yield rest
