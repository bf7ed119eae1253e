"""The journal: one line per event, only ever appended to, in ``.vaultmem/journal/<device>/YYYY-MM.jsonl``.

An append is one write and one sync. A line that a crash cut off stays where it is, is told of by
reading, and the next event starts on a line of its own. A device never goes back to an older file than its newest: so
its files, and the lines in them, are in the order in which it wrote, whatever its clock said.
"""

from __future__ import annotations

import heapq
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from vaultmem.errors import FailedError
from vaultmem.files.below import make_below
from vaultmem.files.device import device_id
from vaultmem.files.durable import sync_file, sync_folder
from vaultmem.files.events import MemoryEvent, from_json, to_json
from vaultmem.files.journal_copies import Once, is_device, is_original
from vaultmem.files.refusals import WriteFailed

_FOLDER: Final = ".vaultmem/journal"
_APPEND: Final = (
    os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_BLOCK: Final = 1 << 16
_BEGINNING: Final = re.compile(rb'\{"id":"([0-9a-z-]+)"')
_TEXTS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


class JournalUnreadableError(FailedError):
    """The journal or a part of it cannot be read, so that nobody knows what it tells; ``path`` says which."""

    def __init__(self, root: Path, place: Path, error: OSError) -> None:
        self.path = place.relative_to(root).as_posix()
        super().__init__(
            f"The journal cannot be read: {self.path}: {error.strerror or error}.",
            hint="Make it readable for you, or let file sync finish; until then nobody knows what it tells.",
        )


def journal_files(root: Path) -> dict[str, list[Path]]:
    """The files of the journal by the name of their device, both in order; none without a journal.

    Raises JournalUnreadableError when a folder cannot be listed: what is not seen is not gone.
    """
    base = root / _FOLDER
    found: dict[str, list[Path]] = {}
    with _readable(root, base):
        try:
            devices = sorted(base.iterdir())
        except FileNotFoundError:
            if base.is_symlink():
                raise
            return {}
    for folder in devices:
        with _readable(root, folder):
            if not folder.is_file():
                found[folder.name] = _files_in(folder)
    return found


def check_readable(root: Path) -> None:
    """Raises JournalUnreadableError unless every file of the journal can be opened."""
    for path in (path for files in journal_files(root).values() for path in files):
        with _opened(root, path):
            pass


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")


@contextmanager
def _readable(root: Path, place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JournalUnreadableError(root, place, error) from error


@contextmanager
def _opened(root: Path, place: Path) -> Iterator[BinaryIO]:
    with _readable(root, place):
        file = open(place, "rb")  # noqa: SIM115 - closed below
    with file:
        yield file


class JournalFault(NamedTuple):
    """A line that is no event."""

    file: str
    """Vault path."""
    line: int
    """From 1; 0 where it is not known."""
    torn: bool
    """Whether a crash or a full disk cut it off: it has no end. False for one that holds anything else."""
    event: str = ""
    """The id of the event that it was to tell of, where so much of it is there."""


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

    def append(self, event: MemoryEvent, *more: MemoryEvent) -> None:
        """The events are on the disk when this returns; nothing of any is when it raises WriteFailed."""
        path = self._file(event.time_ns)
        try:
            path = self._last_file(path)
            new = not path.exists()
            if new:
                make_below(self._root, path.parent)
            descriptor = os.open(path, _APPEND, 0o600)
            try:
                _append_line(descriptor, "\n".join(map(to_json, (event, *more))).encode())
            finally:
                os.close(descriptor)
            if new:
                for folder in (path.parent, *path.parent.parents[:2]):
                    sync_folder(folder)
        except OSError as error:
            raise WriteFailed(f"{_FOLDER}/{self.device}/{path.name}", error) from error

    def read(self, *, since_ns: int = 0, on_fault: OnFault = _ignore) -> Iterator[MemoryEvent]:
        """The events of all devices from ``since_ns`` on, oldest first, read as they are asked for.

        A device's own events stay in the order in which they were written, even when its clock went back. Each
        event comes once, however many copies of a file there are; what only a copy has comes at its time.
        """
        first = _month(since_ns)
        streams = [
            self._in_order([path for path in files if _may_hold(path, first)], on_fault)
            for folder, found in journal_files(self._root).items()
            for files in _one_by_one(folder, found)
        ]
        once = Once(self._ids_of)
        for entry in heapq.merge(*streams, key=_place):
            if entry.event.time_ns >= since_ns and once.passes(
                entry.event, original=entry.original
            ):
                yield entry.event

    def newest(self) -> Iterator[MemoryEvent]:
        """This device's events, the last written first; only as much is read as is asked for."""
        return self._backward({self.device: self._files_of(self.device)}, bool)

    def backward(self, wanted: Callable[[bytes], bool] = bool) -> Iterator[MemoryEvent]:
        """The events of all devices, newest first, read as they are asked for; faulty lines are passed over.

        Only lines for which ``wanted`` holds are looked into, as they stand in the journal. A device's own
        events come in the opposite order of their writing, even when its clock went back. Each event comes once.
        """
        return self._backward(journal_files(self._root), wanted)

    def holds(self, event: MemoryEvent) -> bool:
        """Whether this very event was appended."""
        mark = f'"{event.id}"'.encode()
        first = _month(event.time_ns)
        return any(
            mark in line and (found := _parse(line)) is not None and found.id == event.id
            for path in reversed(self._files_of(event.device))
            if _may_hold(path, first)
            for line in self._lines_backward(path)
        )

    def _backward(
        self, found: Mapping[str, Sequence[Path]], wanted: Callable[[bytes], bool]
    ) -> Iterator[MemoryEvent]:
        streams = [
            self._in_reverse(files, wanted)
            for folder, paths in found.items()
            for files in reversed(_one_by_one(folder, paths))
        ]
        once = Once(self._ids_of)
        for entry in heapq.merge(*streams, key=_place, reverse=True):
            if once.passes(entry.event, original=entry.original):
                yield entry.event

    def _file(self, time_ns: int) -> Path:
        return self._root / _FOLDER / self.device / f"{_month(time_ns)}.jsonl"

    def _last_file(self, path: Path) -> Path:
        """That file of this device, or a newer one if it has one already."""
        try:
            found = _files_in(path.parent)
        except FileNotFoundError:
            return path
        return max([path, *_own_and_copies(path.parent.name, found)[0]])

    def _files_of(self, device: str) -> list[Path]:
        folder = self._root / _FOLDER / device
        with _readable(self._root, folder):
            try:
                return _files_in(folder)
            except (FileNotFoundError, NotADirectoryError):
                return []

    def _ids_of(self, device: str) -> frozenset[str]:
        """Of the events in that device's own files."""
        own, _ = _own_and_copies(device, self._files_of(device) if is_device(device) else [])
        return frozenset(entry.event.id for entry in self._in_reverse(own, bool) if entry.original)

    def _in_reverse(
        self, files: Sequence[Path], wanted: Callable[[bytes], bool]
    ) -> Iterator[_Entry]:
        earliest = sys.maxsize
        for path in reversed(files):
            for line in self._lines_backward(path):
                if wanted(line) and (event := _parse(line)) is not None:
                    earliest = min(earliest, event.time_ns)
                    yield _entry(earliest, event, path)

    def _lines_backward(self, path: Path) -> Iterator[bytes]:
        with _opened(self._root, path) as file:
            yield from _lines_backward(file)

    def _in_order(self, files: Sequence[Path], on_fault: OnFault) -> Iterator[_Entry]:
        latest = 0
        for path in files:
            shown = path.relative_to(self._root).as_posix()
            with _opened(self._root, path) as file:
                for number, line in enumerate(file, 1):
                    event = _parse(line)
                    if event is not None:
                        latest = max(latest, event.time_ns)
                        yield _entry(latest, event, path)
                    elif line.strip():
                        on_fault(JournalFault(shown, number, is_cut_off(line), _told_id(line)))


class _Entry(NamedTuple):
    """An event with what places it among those of other files."""

    at_ns: int
    """Its time, put right where the device's clock went back."""
    event: MemoryEvent
    original: bool
    """Whether it stands where its device wrote it."""


def _entry(at_ns: int, event: MemoryEvent, path: Path) -> _Entry:
    folder = path.parent.name
    return _Entry(at_ns, event, event.device == folder and is_original(folder, path.name))


def _place(entry: _Entry) -> tuple[int, str]:
    return entry.at_ns, entry.event.device


def _may_hold(path: Path, first: str) -> bool:
    """Whether the file may hold an event of that month or a later one."""
    return path.stem >= first or not is_original(path.parent.name, path.name)


def _own_and_copies(folder: str, files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    own = [path for path in files if is_original(folder, path.name)]
    return own, [path for path in files if path not in own]


def _one_by_one(folder: str, files: Sequence[Path]) -> list[list[Path]]:
    """The files of a folder that are read one after the other: the device's own, and each copy for itself."""
    own, copies = _own_and_copies(folder, files)
    return [own, *([path] for path in copies)]


def is_cut_off(line: bytes) -> bool:
    """Whether a line that is no event is the beginning of one, which a crash or a full disk left without its end."""
    if not line.endswith(b"\n") or b"\0" in line:  # a crash may leave the room, and nothing in it
        return True
    rest = _TEXTS.sub(b"", line)
    return rest.count(b"{") > rest.count(b"}")


def _told_id(line: bytes) -> str:
    """The id of the event that a line which is none was to tell of; "" where it has none."""
    found = _BEGINNING.match(line)
    return found[1].decode("ascii") if found else ""


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
