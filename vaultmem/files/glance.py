"""A look at a few paths instead of a walk over the whole vault: what stands at each of them and below.

A path counts as looked at only when the folder that would hold it was listed. Whatever only a walk over everything can
judge (a symbolic link, a file in the cloud, a folder that goes away meanwhile) makes the look give up.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from vaultmem.errors import VaultVanishedError
from vaultmem.files.offload import is_offloaded, stub_target
from vaultmem.files.scan import FileStat, Scan, root_identity, scan_vault
from vaultmem.notes.paths import file_kind, path_key


class Glance(NamedTuple):
    """What a look at some paths found."""

    scan: Scan
    """The files at and below those paths; ``unreadable`` names what could not be looked at."""
    places: tuple[str, ...]
    """Vault paths, sorted: what is known at one of these or below it, and is neither among the files nor below
    something unreadable, is gone."""


class _UnclearError(Exception):
    """Only a walk over the whole vault can tell."""


def glance(root: Path, paths: Iterable[str]) -> Glance | None:
    """What stands at the vault paths and below them (F-01, F-10 to F-13, G-04); None when only ``scan_vault`` can
    tell.

    Paths may name files or folders, present or not; none of them is hidden. A name of another case or Unicode
    form than a path's is looked at with it, since on some disks both are one file. Raises VaultVanishedError
    when the root cannot be listed or was replaced meanwhile.
    """
    before = root_identity(root)
    look = _Look(os.fspath(root))
    try:
        look.at(paths)
    except _UnclearError:
        return None
    if root_identity(root) != before:
        raise VaultVanishedError(
            f"The vault {root} was replaced while it was being read.",
            hint="Is its disk still mounted? Nothing was changed; try again.",
        )
    return look.result()


class _Look:
    def __init__(self, root: str) -> None:
        self._root = root
        self._are_folders: dict[str, bool] = {}
        self._files: dict[str, FileStat] = {}
        self._hidden: set[str] = set()
        self._places: set[str] = set()

    def result(self) -> Glance:
        scan = Scan(
            files=list(self._files.values()),
            offloaded=(),
            unreadable=tuple(sorted(self._hidden)),
            linked=(),
            warnings=(),
            complete=True,
        )
        return Glance(scan, tuple(sorted(self._places)))

    def at(self, paths: Iterable[str]) -> None:
        wanted: defaultdict[str, set[str]] = defaultdict(set)
        for path in paths:
            try:
                folder, name = self._held_by(path)
            except PermissionError:
                self._hidden.add(path)
                self._places.add(path)
            else:
                wanted[folder].add(name)
        for folder, names in wanted.items():
            self._in_folder(folder, names)

    def _held_by(self, path: str) -> tuple[str, str]:
        """The folder to list and the name to look for in it: the path's own, or those of the first part of the
        path that is missing or no folder."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            if not self._is_folder("/".join(parts[:depth])):
                return "/".join(parts[: depth - 1]), parts[depth - 1]
        return "/".join(parts[:-1]), parts[-1]

    def _is_folder(self, path: str) -> bool:
        if path not in self._are_folders:
            try:
                status = os.lstat(self._place(path))
            except FileNotFoundError:
                self._are_folders[path] = False
            else:
                if _is_link(status):
                    raise _UnclearError
                self._are_folders[path] = stat.S_ISDIR(status.st_mode)
        return self._are_folders[path]

    def _in_folder(self, folder: str, wanted: set[str]) -> None:
        self._places.update(_join(folder, name) for name in wanted)
        try:
            names = os.listdir(self._place(folder))
        except PermissionError:
            self._hidden.update(_join(folder, name) for name in wanted)
            return
        except OSError as error:
            raise _UnclearError from error
        keys = {path_key(name) for name in wanted}
        for name in names:
            if name.startswith("."):
                target = stub_target(name)
                if target is not None and path_key(target) in keys:
                    raise _UnclearError
            elif path_key(name) in keys and _is_text(name):
                self._look_at(_join(folder, name))

    def _look_at(self, path: str) -> None:
        place = self._place(path)
        self._places.add(path)
        try:
            status = os.lstat(place)
        except OSError:
            self._hidden.add(path)  # it was there a moment ago: not seen is not gone
            return
        if _is_link(status):
            raise _UnclearError
        if stat.S_ISDIR(status.st_mode):
            self._below(path)
        elif stat.S_ISREG(status.st_mode):
            if is_offloaded(place, status):
                raise _UnclearError
            times = (status.st_mtime_ns, status.st_ctime_ns)
            kind = file_kind(path)
            self._files[path] = FileStat(path, kind, status.st_size, *times, status.st_ino)

    def _below(self, folder: str) -> None:
        try:
            scan = scan_vault(Path(self._place(folder)))
        except VaultVanishedError as error:
            if not isinstance(error.__cause__, PermissionError):
                raise _UnclearError from error
            self._hidden.add(folder)
            return
        if scan.linked or scan.offloaded or not scan.complete:
            raise _UnclearError
        self._hidden.update(_join(folder, path) for path in scan.unreadable)
        for file in scan.files:
            path = _join(folder, file.path)
            self._files[path] = file._replace(path=path)

    def _place(self, path: str) -> str:
        return os.path.join(self._root, *path.split("/")) if path else self._root


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False  # stands for bytes that are no UTF-8, which a scan leaves out
    return True
