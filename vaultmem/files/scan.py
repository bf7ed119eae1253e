"""One walk over the vault: which files there are, as the disk says it and without reading any.

It runs before every answer, so the loop over the entries of a folder is written for speed: one
``stat`` and one tuple per file, no path objects.
"""

from __future__ import annotations

import errno
import gc
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import repeat
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.errors import VaultVanishedError
from vaultmem.files.offload import is_offloaded, may_be_offloaded, stub_target
from vaultmem.notes.paths import FileKind, file_kind


class FileStat(NamedTuple):
    """A file and what the disk says about it; equal stat data is a hint that it is unchanged."""

    path: str
    """Vault path, spelled as on disk."""
    kind: FileKind
    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int
    inode: int


class ScanCode(StrEnum):
    """What a scan warning is about."""

    NOT_REGULAR = "not-a-regular-file"
    """A pipe, socket or device."""
    FILE_SYMLINK = "file-symlink"
    """A symbolic link to a file; Obsidian does not support those."""
    BROKEN_SYMLINK = "broken-symlink"
    SYMLINK_LOOP = "symlink-loop"
    SYMLINK_INTO_VAULT = "symlink-into-vault"
    """Its folder is in the vault already, or holds it."""
    SYMLINK_OVERLAP = "symlink-overlap"
    """Its folder overlaps with that of another link."""
    BROKEN_NAME = "broken-name"
    """The name is not valid UTF-8."""
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
    """It went away while it was being looked at."""


class ScanWarning(NamedTuple):
    """Something in the vault that was left out, and why."""

    code: ScanCode
    path: str
    """Vault path; bytes that are no UTF-8 are shown as ``\\xNN``."""
    message: str
    """A sentence for a person."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What stood in the vault. Not seen is not deleted: see ``may_hide``."""

    files: list[FileStat]
    """Every regular file that is not hidden, in no particular order."""
    offloaded: tuple[str, ...]
    """Vault paths of files that exist but whose bytes are in the cloud, sorted; not in ``files``."""
    unreadable: tuple[str, ...]
    """Vault paths, sorted, of folders that could not be listed and files that could not be looked at:
    nothing is known about them and what lies below."""
    linked: tuple[str, ...]
    """Vault paths of the folder links that were followed, sorted: their files are not to be written."""
    warnings: tuple[ScanWarning, ...]
    """By path."""
    complete: bool
    """False when something vanished during the walk, so that a file may have been missed anywhere: then
    nothing counts as gone. Folders named in ``unreadable`` do not make a scan incomplete."""

    def may_hide(self, path: str) -> bool:
        """Whether a file that is not in ``files`` may exist all the same."""
        if not self.complete or path in self.offloaded:
            return True
        return any(path == place or path.startswith(f"{place}/") for place in self.unreadable)


def scan_vault(root: Path) -> Scan:
    """All files of the vault at ``root`` (F-01, F-02, F-10 to F-13, G-04).

    Names that start with a dot are not looked at, cloud stubs apart. Links to folders are followed only
    where they lead out of the vault and overlap neither with it nor with each other; of two that do, the
    first by path is followed.

    Raises VaultVanishedError when the root cannot be listed, or is another folder after the walk than
    before it.
    """
    before = root_identity(root)
    walk = _Walk(os.fspath(root))
    with collector_paused():
        walk.run()
    if root_identity(root) != before:
        raise VaultVanishedError(
            f"The vault {root} was replaced while it was being read.",
            hint="Is its disk still mounted? Nothing was changed; try again.",
        )
    return walk.result()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Spares the cycle collector going through thousands of new tuples that hold no cycle (6 % of a scan)."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def root_identity(root: Path) -> tuple[int, int]:
    """What tells the vault's folder from any other that may take its place. Raises VaultVanishedError."""
    try:
        status = os.stat(root)
    except OSError as error:
        raise _vanished(root, error) from error
    if not stat.S_ISDIR(status.st_mode):
        raise VaultVanishedError(f"The vault {root} is not a folder any more.")
    return status.st_dev, status.st_ino


def _vanished(root: Path | str, error: OSError) -> VaultVanishedError:
    return VaultVanishedError(
        f"The vault {os.fspath(root)} cannot be read: {error.strerror}.",
        hint="Is its disk mounted, and may you read it? The index was left as it is.",
    )


_REGULAR: Final = stat.S_IFREG >> 12
_ON_LINUX: Final = sys.platform == "linux"
_BY_DESCRIPTOR: Final = os.listdir in os.supports_fd and os.stat in os.supports_dir_fd
_NAMES_ARE_UTF8: Final = sys.getfilesystemencoding() == "utf-8"


class _Walk:
    """The state of one walk. Folders are pairs: how to open them, and their vault path with a ``/``."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders = [(root, "")]
        self._links: list[tuple[str, str]] = []
        self._roots: list[_Place] = []
        self._kinds: dict[str, FileKind] = {}
        self._stubs: list[str] = []
        self._offloaded: list[str] = []
        self._unreadable: list[str] = []
        self._linked: list[str] = []
        self._warnings: list[ScanWarning] = []
        self._complete = True
        self.files: list[FileStat] = []

    def run(self) -> None:
        """Walks the vault, then the folders that its links lead out to, and the links in those."""
        self._drain()
        if self._links:
            try:
                self._roots.append(_Place(self._root))
            except OSError as error:
                raise _vanished(self._root, error) from error
        while self._links:
            links, self._links = sorted(self._links, key=lambda link: link[1]), []
            for link, path in links:
                try:
                    self._follow(link, path)
                except OSError as error:
                    self._failed(path, error)
            self._drain()

    def result(self) -> Scan:
        """The walk's findings, in a fixed order where order matters."""
        if self._stubs:
            present = {file.path for file in self.files}
            self._offloaded.extend(path for path in self._stubs if path not in present)
        return Scan(
            files=self.files,
            offloaded=tuple(sorted(set(self._offloaded))),
            unreadable=tuple(sorted(self._unreadable)),
            linked=tuple(sorted(self._linked)),
            warnings=tuple(sorted(self._warnings, key=lambda warning: warning.path)),
            complete=self._complete,
        )

    def _drain(self) -> None:
        while self._folders:
            folder, prefix = self._folders.pop()
            try:
                self._open_and_list(folder, prefix)
            except OSError as error:
                if folder == self._root:
                    raise _vanished(folder, error) from error
                self._failed(prefix[:-1], error)

    def _open_and_list(self, folder: str, prefix: str) -> None:
        if not _BY_DESCRIPTOR:
            with os.scandir(folder) as found:
                entries = _Entries(found)
            self._list(entries, entries.look, -1, folder, prefix)
            return
        # Asking an open folder spares the system the way from the root to it for every file.
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._list(os.listdir(descriptor), os.lstat, descriptor, folder, prefix)
        finally:
            os.close(descriptor)

    def _list(
        self,
        names: Iterable[str],
        look: Callable[..., os.stat_result],
        descriptor: int,
        folder: str,
        prefix: str,
    ) -> None:
        """Takes in one folder. The loop is hot: the usual case first, names bound once, few calls."""
        rows: list[tuple[str, FileKind, int, int, int, int]] = []
        add = rows.append
        note = FileKind.NOTE
        on_linux, regular = _ON_LINUX, _REGULAR
        for name in names:
            if name[0] == ".":
                if name.endswith(".icloud"):
                    self._stub(prefix, name)
                continue
            path = name
            if not name.isascii() and (path := _spelled(name) or "") == "":
                self._broken_name(prefix, name)
                continue
            try:
                status = look(name, dir_fd=descriptor)
            except OSError as error:
                self._failed(prefix + path, error)
                continue
            if status.st_mode >> 12 != regular or (
                # may_be_offloaded(status), written out for the system where it is that short
                (not status.st_blocks and status.st_size) if on_linux else may_be_offloaded(status)
            ):
                self._unusual(f"{folder}{os.sep}{name}", prefix + path, status)
                continue
            add(
                (
                    prefix + path,
                    note if name[-3:] == ".md" else self._kind(name),
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                    status.st_ino,
                )
            )
        # The same as FileStat(*row), without a Python call for each.
        self.files.extend(map(tuple.__new__, repeat(FileStat), rows))

    def _kind(self, name: str) -> FileKind:
        """The kind of a file that is not plainly a note; each spelling of a suffix is looked at once."""
        suffix = name[name.rfind(".") :]
        kind = self._kinds.get(suffix)
        if kind is None:
            kind = file_kind(name)
            if suffix[0] == ".":
                self._kinds[suffix] = kind
        return kind

    def _stub(self, prefix: str, name: str) -> None:
        spelled = _spelled(name)
        target = stub_target(spelled) if spelled is not None else None
        if target is not None:
            self._stubs.append(prefix + target)

    def _unusual(self, place: str, path: str, status: os.stat_result) -> None:
        """Folders, links, and all that is not a regular file with its bytes in place."""
        if stat.S_ISLNK(status.st_mode) or _is_junction(status):
            self._links.append((place, path))
        elif stat.S_ISDIR(status.st_mode):
            self._folders.append((place, path + "/"))
        elif not stat.S_ISREG(status.st_mode):
            self._warn(ScanCode.NOT_REGULAR, path, "is no regular file")
        elif is_offloaded(place, status):
            self._offloaded.append(path)
        else:
            times = (status.st_mtime_ns, status.st_ctime_ns)
            self.files.append(
                FileStat(path, file_kind(path), status.st_size, *times, status.st_ino)
            )

    def _follow(self, link: str, path: str) -> None:
        """Decides about one symbolic link (F-11)."""
        try:
            status = os.stat(link)
        except FileNotFoundError:
            self._warn(ScanCode.BROKEN_SYMLINK, path, "is a symbolic link that leads nowhere")
            return
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            self._warn(ScanCode.SYMLINK_LOOP, path, "is a symbolic link that leads to itself")
            return
        if not stat.S_ISDIR(status.st_mode):
            self._warn(ScanCode.FILE_SYMLINK, path, "is a symbolic link to a file")
            return
        place = _Place(link)
        vault, *others = self._roots
        if place.overlaps(vault):
            self._warn(ScanCode.SYMLINK_INTO_VAULT, path, "leads to a folder of the vault itself")
        elif any(place.overlaps(other) for other in others):
            self._warn(ScanCode.SYMLINK_OVERLAP, path, "overlaps with another link's folder")
        else:
            self._roots.append(place)
            self._linked.append(path)
            self._folders.append((link, path + "/"))

    def _failed(self, path: str, error: OSError) -> None:
        self._unreadable.append(path)
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            self._complete = False
            self._warn(ScanCode.VANISHED, path, "went away while the vault was being read")
        else:
            self._warn(ScanCode.UNREADABLE, path, f"cannot be read ({error.strerror})")

    def _broken_name(self, prefix: str, name: str) -> None:
        shown = os.fsencode(name).decode("utf-8", "backslashreplace")
        self._warn(ScanCode.BROKEN_NAME, prefix + shown, "has a name that is not valid UTF-8")

    def _warn(self, code: ScanCode, path: str, fault: str) -> None:
        self._warnings.append(ScanWarning(code, path, f"{path} {fault}; it was left out."))


class _Entries(dict[str, "os.DirEntry[str]"]):
    """A folder's entries by name, for systems where they come with what ``stat`` would have to ask."""

    def __init__(self, found: Iterable[os.DirEntry[str]]) -> None:
        super().__init__((entry.name, entry) for entry in found)

    def look(self, name: str, *, dir_fd: int) -> os.stat_result:  # noqa: ARG002 - as os.lstat has it
        return self[name].stat(follow_symlinks=False)


class _Place:
    """A folder as its identity and those of the folders above it, whatever their spelling."""

    def __init__(self, path: str) -> None:
        real = os.path.realpath(path)
        self.identity = _identity(real)
        self.chain = {self.identity}
        while (above := os.path.dirname(real)) != real:
            real = above
            self.chain.add(_identity(real))

    def overlaps(self, other: _Place) -> bool:
        """Whether one of the two is, or lies in, the other."""
        return self.identity in other.chain or other.identity in self.chain


def _identity(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _spelled(name: str) -> str | None:
    """The name as text, whatever encoding the locale made Python assume; None when it is no UTF-8."""
    try:
        if _NAMES_ARE_UTF8:
            name.encode()  # fails for the surrogates that stand for broken bytes
            return name
        return os.fsencode(name).decode("utf-8")
    except UnicodeError:
        return None


def _is_junction(status: os.stat_result) -> bool:
    """Whether it is Windows' other kind of link to a folder."""
    tag: int = getattr(status, "st_reparse_tag", 0)
    return tag == 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT
