"""What a killed process leaves beside the notes: told apart by name and content, and removed or put back.

A version of a note that is nowhere else is never removed: it goes back into its place, or to ``displaced``, from where
it is told as a late save. There waits as well what another program has open: it may yet save into it.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from vaultmem.files.displaced import Place, set_aside
from vaultmem.files.folder import Folder
from vaultmem.files.leases import Lease
from vaultmem.files.objects import ObjectStore
from vaultmem.files.refusals import WriteFailed, WriteRefused
from vaultmem.files.swap import Replacement
from vaultmem.files.targets import Target, WriteRules, real_root
from vaultmem.files.temporary import State, Temporary, parse_name, same_hash
from vaultmem.files.versions import Version

_NO_NOTES: Final = frozenset((b".vaultmem", b".git"))
"""Folders below which nothing is written beside a note."""


class Settled(StrEnum):
    """What became of a leftover."""

    REMOVED = "removed"
    """Its bytes were never in place, or are elsewhere."""
    RESTORED = "restored"
    """It is the note again: nothing, or only our own unfinished write, was in its place."""
    KEPT = "kept"
    """It waits below ``.vaultmem/displaced``: it is a save that the note does not hold, or may become one."""
    LEFT = "left"
    """Its process may still run, it cannot be read, or it cannot be moved away."""


class Leftover(NamedTuple):
    """One file that a killed process left."""

    path: str
    """Vault path of the note it belongs to, as far as that is known."""
    settled: Settled
    hash: str | None


Owned = Callable[[str, Temporary], bool]
"""Whether the file of that name beside the note at that vault path is for certain a dead process's."""


def nobodys(path: str, name: Temporary) -> bool:
    """Nothing is known but the number of the process, which may have been given to another since."""
    del path, name
    return False


def folders_with(root: Path, is_meant: Callable[[bytes, Temporary], bool]) -> Iterator[str]:
    """The vault paths of all folders that hold a leftover which is meant, by its name and what that tells."""
    real = real_root(root)
    for place, folders, names in os.walk(real):
        folders[:] = [name for name in folders if name not in _NO_NOTES]
        parsed = ((name, parse_name(name)) for name in names)
        if any(parts is not None and is_meant(name, parts) for name, parts in parsed):
            path = os.path.relpath(place, real).replace(os.sep.encode(), b"/")
            with suppress(UnicodeDecodeError):  # no vault path: no note of ours is there
                yield "" if path == b"." else path.decode()


def clean_leftovers(
    root: Path,
    folders: Iterable[str],
    *,
    rules: WriteRules | None = None,
    dead: Owned = nobodys,
) -> tuple[Leftover, ...]:
    """Settles the leftovers in the folders (vault paths, ``""`` for the vault's own), and says what was done.

    One whose process may still run is left, unless ``dead`` knows better. Missing folders are passed over. May be
    killed and called again. Raises WriteFailed when the disk refuses.
    """
    real = real_root(root)
    found: list[Leftover] = []
    for path in sorted(set(folders)):
        place = os.path.join(real, path.encode()) if path else real
        try:
            folder = Folder(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        with folder:
            cleaner = _Cleaner(real, path, folder, rules or WriteRules(), dead)
            try:
                found += cleaner.run()
            except OSError as error:
                raise WriteFailed(path or ".", error) from error
    return tuple(found)


class _Cleaner:
    def __init__(
        self, root: bytes, path: str, folder: Folder, rules: WriteRules, dead: Owned
    ) -> None:
        self._root = root
        self._path = path
        self._folder = folder
        self._rules = rules
        self._dead = dead
        self._store = ObjectStore(Path(os.fsdecode(root)))

    def run(self) -> list[Leftover]:
        found = []
        for name in sorted(self._folder.names()):
            parts = parse_name(name)
            if parts is not None:
                found.append(self._settle(name, parts))
        if found:
            self._folder.sync()
        return found

    def _settle(self, name: bytes, parts: Temporary) -> Leftover:
        note = self._note(parts)
        target = Target(self._root, self._vault_path(note or parts.name), self._folder.place, note)
        if parts.owner_lives() and not self._dead(target.path, parts):
            return Leftover(target.path, Settled.LEFT, None)
        if parts.state is State.PART:
            self._folder.unlink(name)
            return Leftover(target.path, Settled.REMOVED, None)
        version = Version(self._folder, name, leased=self._rules.leases)
        try:
            settled = self._decide(name, parts, target, version)
        finally:
            version.close()
        return Leftover(target.path, settled, version.hash)

    def _decide(self, name: bytes, parts: Temporary, target: Target, version: Version) -> Settled:
        found = version.hash or ""
        swap = parts.state is State.SWAP
        is_open = version.lease is Lease.BUSY
        if swap and same_hash(parts.new, found):
            if is_open:
                return self._to_be_told(name, parts, target, replaced=found)
            self._folder.unlink(name)
            return Settled.REMOVED
        if target.name and self._folder.status(target.name) is None:
            with suppress(FileExistsError):
                self._folder.put_new(name, self._folder, target.name)
                return Settled.RESTORED
        if version.hash is None:
            return Settled.LEFT  # a folder, and its name is taken
        if is_open:
            is_old = swap and same_hash(parts.old, found)
            return self._to_be_told(name, parts, target, replaced=found if is_old else parts.old)
        present = self._hash_of(target)
        if found == present or (swap and same_hash(parts.old, found)):
            self._aside(name, target, found, present)
            return Settled.REMOVED
        self._store.put(version.data())
        ours_is_there = swap and present is not None and same_hash(parts.new, present)
        if present and ours_is_there and self._give_back(target, present, version.data()):
            self._aside(name, target, found, present)
            return Settled.RESTORED
        return self._to_be_told(name, parts, target, replaced=parts.old)

    def _to_be_told(
        self, name: bytes, parts: Temporary, target: Target, *, replaced: str
    ) -> Settled:
        """Moves it to where late saves are settled: as one, unless it holds the version of the hash ``replaced``."""
        place = Place(self._root, target.path, self._folder, name)
        set_aside(place, found=replaced, by=parts.new, now_ns=self._rules.clock())
        return Settled.KEPT if self._folder.status(name) is None else Settled.LEFT

    def _give_back(self, target: Target, present: str, data: bytes) -> bool:
        """Another program's save came out when our write was killed: it takes its place again, if it can."""
        rules = dataclasses.replace(self._rules, quiet=0)
        try:
            with Replacement(target, present, data, rules) as replacement:
                replacement.complete()
        except (WriteRefused, WriteFailed):
            return False
        return True

    def _aside(self, name: bytes, target: Target, found: str, present: str | None) -> None:
        place = Place(self._root, target.path, self._folder, name)
        set_aside(place, found=found, by=present or "", now_ns=self._rules.clock())

    def _hash_of(self, target: Target) -> str | None:
        if not target.name:
            return None
        try:
            version = Version(self._folder, target.name, leased=False)
        except OSError:
            return None
        version.close()
        return version.hash

    def _note(self, parts: Temporary) -> bytes:
        """The note's name; empty when it was cut and no single file fits."""
        if not parts.cut:
            return parts.name
        fitting = [
            name
            for name in self._folder.names()
            if name.startswith(parts.name) and parse_name(name) is None
        ]
        return fitting[0] if len(fitting) == 1 else b""

    def _vault_path(self, name: bytes) -> str:
        shown = name.decode("utf-8", "replace")
        return f"{self._path}/{shown}" if self._path else shown
