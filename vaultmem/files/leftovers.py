"""What a killed process leaves beside the notes: told apart by name and content, and removed or put back.

A version of a note that is nowhere else is never removed: it goes back into its place, or into the object store.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from vaultmem.files.displaced import Place, set_aside
from vaultmem.files.folder import Folder
from vaultmem.files.leases import Lease
from vaultmem.files.objects import ObjectStore
from vaultmem.files.refusals import WriteFailed, WriteRefused
from vaultmem.files.swap import Replacement
from vaultmem.files.targets import Target, WriteRules, real_root
from vaultmem.files.temporary import State, Temporary, parse_name, same_hash
from vaultmem.files.versions import Version


class Settled(StrEnum):
    """What became of a leftover."""

    REMOVED = "removed"
    """Its bytes were never in place, or are elsewhere."""
    RESTORED = "restored"
    """It is the note again: nothing, or only our own unfinished write, was in its place."""
    KEPT = "kept"
    """Its bytes are in the object store now; the note holds newer ones."""
    LEFT = "left"
    """Its process may still run, another program has it open, or it cannot be read."""


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
        if version.lease is Lease.BUSY:
            return Settled.LEFT
        found = version.hash or ""
        swap = parts.state is State.SWAP
        if swap and same_hash(parts.new, found):
            self._folder.unlink(name)
            return Settled.REMOVED
        if target.name and self._folder.status(target.name) is None:
            with suppress(FileExistsError):
                self._folder.put_new(name, self._folder, target.name)
                return Settled.RESTORED
        if version.hash is None:
            return Settled.LEFT  # a folder, and its name is taken
        present = self._hash_of(target)
        if found == present or (swap and same_hash(parts.old, found)):
            self._aside(name, target, found, present)
            return Settled.REMOVED
        self._store.put(version.data())
        settled = Settled.KEPT
        if swap and present is not None and same_hash(parts.new, present):
            settled = self._give_back(target, present, version.data())
        self._aside(name, target, found, present)
        return settled

    def _give_back(self, target: Target, present: str, data: bytes) -> Settled:
        """Another program's save came out when our write was killed: it takes its place again."""
        rules = dataclasses.replace(self._rules, quiet=0)
        try:
            with Replacement(target, present, data, rules) as replacement:
                replacement.complete()
        except (WriteRefused, WriteFailed):
            return Settled.KEPT
        return Settled.RESTORED

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
