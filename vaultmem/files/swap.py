"""Compare-and-swap for one file: the new bytes are put in its place only if it holds what was read (P2, D-01, D-02).

The new version is written beside the note and the two names are exchanged. What comes out is looked at: it is
either the version that was read, or another program saved meanwhile, and then the two are exchanged back. At
every moment the note's name leads to a whole version, and every version has a name.

Three kinds of rivals, and what protects their saves:

- *save by rename*, or into a new file: their version comes out of the exchange and goes back in;
- *in place, before the exchange*: the bytes differ, or the file is open for writing (a lease tells);
- *in place, across the exchange*: they wait in the kernel while we hold the lease; the file they wait for goes back.

Where the system tells of no open files, late writers are waited for (``WriteRules.settle``); and everywhere what was
replaced stays for a minute in ``displaced``. Where two names cannot be exchanged, the note steps aside and the new
version takes its name: nothing is lost either, but for an instant there is no file of that name.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from vaultmem.files.attributes import copy_attributes
from vaultmem.files.displaced import Place, set_aside
from vaultmem.files.durable import sync_file, write_whole
from vaultmem.files.folder import MAKE, READ, Folder
from vaultmem.files.leases import Lease
from vaultmem.files.objects import ObjectStore
from vaultmem.files.read import content_hash
from vaultmem.files.refusals import WriteConflict, WriteFailed, WriteRefused, busy
from vaultmem.files.renames import NotOfferedError
from vaultmem.files.scan import FileStat
from vaultmem.files.targets import (
    Target,
    WriteRules,
    check_no_stub,
    check_quiet,
    check_regular,
    check_writable,
    existing_target,
    real_root,
)
from vaultmem.files.temporary import State, make_name, with_state
from vaultmem.files.versions import Version
from vaultmem.notes.paths import file_kind

_ROUNDS: Final = 1000
"""Exchanges against a rival that saves between each two of them, before it is left to ``leftovers``."""


class Written(NamedTuple):
    """A file that was written, as it then stood on the disk."""

    hash_before: str | None
    """None for a new file."""
    hash_after: str
    stat: FileStat


def replace(
    root: Path, path: str, *, expected: str, data: bytes, rules: WriteRules | None = None
) -> Written:
    """The file at the vault path holds ``data``, durably, having held the bytes of the hash ``expected`` (D-01, D-02).

    Mode, owner and extended attributes stay, as far as this user may set them. A link to a file of the vault is
    written through. Equal bytes are written too: D-05 is for the caller.

    Raises WriteConflict when the file holds other bytes or is gone, WriteRefused for what must not be
    written (see ``RefusalCode``), WriteFailed when the disk does not take it. The file then is as
    it was, or as another program meanwhile saved it.
    """
    rules = rules or WriteRules()
    target = existing_target(real_root(root), path, rules)
    with Replacement(target, expected, data, rules) as replacement:
        return replacement.complete()


class Replacement:
    """One file's replacement in steps, so that many can share the waiting for the disk.

    ``with Replacement(…) as it: it.prepare(); it.sync(); it.swap(); it.sync_folder();
    it.settle()``. ``prepare``
    writes the new version beside the note; ``swap`` compares and exchanges; ``settle`` makes sure that no late
    writer was there. Each raises WriteRefused or WriteFailed, with the note as it was or as its other
    writer left it. Leaving the block tidies up; a swap that was done stays done.
    """

    def __init__(self, target: Target, expected: str, data: bytes, rules: WriteRules) -> None:
        self.target = target
        self._expected = expected
        self._data = data
        self._hash = content_hash(data)
        self._rules = rules
        self._opened: Folder | None = None
        self._beside = b""
        self._old: Version | None = None
        self._new: Version | None = None
        self._more: list[Version] = []
        self._checked = False

    def __enter__(self) -> Replacement:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def complete(self) -> Written:
        """All the steps, for one file alone."""
        self.prepare()
        self.sync()
        written = self.swap()
        self.sync_folder()
        time.sleep(self.wait)
        self.settle()
        return written

    def prepare(self) -> None:
        """Writes the new version, with the note's attributes, under a name that says it may be unfinished."""
        try:
            self._opened = Folder(self.target.folder)
            self._check_current()
            current = self._folder.open(self.target.name, READ)
            try:
                self._write_beside(current)
            finally:
                os.close(current)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise self._conflict(None) from error
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error

    @property
    def place(self) -> bytes:
        """Where the new version lies between ``prepare`` and ``swap``."""
        return self._folder.path_of(self._beside)

    def sync(self) -> None:
        """The new version is on the disk when this returns."""
        try:
            descriptor = self._folder.open(self._beside, READ)
            try:
                sync_file(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error

    def swap(self) -> Written:
        """Compares and exchanges."""
        try:
            new = self._new = self._read_back()
            old = self._old = self._compare()
            self._exchange()
        except FileNotFoundError as error:
            raise self._conflict(None) from error
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error
        self._check_out()
        status = new.status()
        times = (status.st_mtime_ns, status.st_ctime_ns)
        path = self.target.path
        seen = FileStat(path, file_kind(path), status.st_size, *times, status.st_ino)
        assert old.hash == self._expected
        return Written(self._expected, self._hash, seen)

    def sync_folder(self) -> None:
        """The exchange is on the disk when this returns."""
        try:
            self._folder.sync()
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error

    @property
    def wait(self) -> float:
        """Seconds to let pass between ``swap`` and ``settle``."""
        told = self._old is not None and self._old.lease is Lease.GRANTED
        return 0.0 if told else self._rules.settle

    def settle(self) -> None:
        """Returns when the version that was read is at rest; raises WriteRefused, with it back, when it is not."""
        self._check_out()

    def close(self) -> None:
        """Tidies up: the unused new version goes, and what was replaced is set aside for late writers. Raises WriteFailed
        when the disk refuses that: then a file stays beside the note."""
        try:
            if self._opened is not None and self._beside:
                self._tidy()
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error
        finally:
            for version in (self._old, self._new, *self._more):
                if version is not None:
                    version.close()
            self._more.clear()
            if self._opened is not None:
                self._opened.close()
            self._beside = b""

    @property
    def _folder(self) -> Folder:
        assert self._opened is not None, "prepare comes first"
        return self._opened

    def _check_current(self) -> os.stat_result:
        status = self._folder.status(self.target.name)
        if status is None:
            check_no_stub(self.target)
            raise self._conflict(None)
        check_regular(self.target, status)
        check_writable(self.target, status)
        return status

    def _write_beside(self, current: int) -> None:
        name = make_name(self.target.name, State.PART, old=self._expected, new=self._hash)
        descriptor = self._folder.open(name, MAKE, 0o600)
        self._beside = name
        try:
            write_whole(descriptor, self._data)
            copy_attributes(current, descriptor, self._folder.path_of(name))
        finally:
            os.close(descriptor)

    def _read_back(self) -> Version:
        whole = with_state(self._beside, State.SWAP)
        self._folder.rename(self._beside, self._folder, whole)
        self._beside = whole
        new = self._look()
        if new.hash != self._hash:
            raise OSError(None, "the disk gives back other bytes than were written")
        return new

    def _compare(self) -> Version:
        status = self._check_current()
        old = Version(self._folder, self.target.name, leased=self._rules.leases)
        self._more.append(old)
        if old.lease is Lease.BUSY:
            raise busy(self.target.path)
        if old.hash != self._expected:
            raise self._conflict(old.hash)
        check_quiet(self.target, status, self._rules)
        return old

    def _look(self) -> Version:
        """What is beside the note now."""
        version = Version(self._folder, self._beside, leased=self._rules.leases)
        self._more.append(version)
        return version

    def _exchange(self) -> None:
        """What is beside the note and what is in its place change places.

        Raises FileNotFoundError when there is no note, and WriteConflict when one was made anew while it stood
        aside: then that one stays, and nothing is beside it.
        """
        if self._rules.exchange:
            with suppress(NotOfferedError):
                self._folder.exchange(self._beside, self.target.name)
                return
        away = make_name(self.target.name, State.SWAP, old=self._expected, new=self._hash)
        self._folder.rename(self.target.name, self._folder, away)
        try:
            self._folder.put_new(self._beside, self._folder, self.target.name)
        except FileExistsError as error:
            self._part_with()
            self._beside = away
            self._part_with()
            raise self._conflict(self._hash_in_place()) from error
        except BaseException:
            self._folder.put_new(away, self._folder, self.target.name)
            raise
        self._folder.rename(away, self._folder, self._beside)

    def _check_out(self) -> None:
        """Raises WriteRefused, with the newest save in place, unless the version that was read came out untouched."""
        old = self._old
        assert old is not None, "swap comes first"
        if old.is_at(self._folder, self._beside) and old.is_untouched():
            self._checked = True
            return
        self._checked = False
        try:
            raise self._put_back()
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error

    def _put_back(self) -> WriteRefused:
        """Exchanges until what comes out is what was last put in: then the newest save is in the note's place.

        Each round beyond the first needs another save between two calls. A file that others wait to write
        counts as newer than any other; when it is two, one of them waits in ``displaced``.
        """
        inside, outside = self._new, self._look()
        assert inside is not None
        refusal = self._refusal(outside)
        seen: set[tuple[object, str | None]] = set()
        for _ in range(_ROUNDS):
            try:
                self._exchange()
            except FileNotFoundError:
                # Its other writer took the note away, perhaps to save it anew in a moment.
                with suppress(FileExistsError):
                    self._folder.put_new(self._beside, self._folder, self.target.name)
                    self._beside = b""
                    return refusal
                continue
            came = self._look()
            known = (came.inode, came.hash)
            if known in seen or (came.inode == inside.inode and inside.is_untouched()):
                self._part_with()
                break
            seen.add(known)
            inside, outside = outside, came
        self._beside = b""
        return refusal

    def _refusal(self, outside: Version) -> WriteRefused:
        if outside.hash == self._expected:
            return busy(self.target.path)
        return self._conflict(outside.hash)

    def _part_with(self) -> None:
        """What is beside the note is superseded: it goes, and if it is not ours its bytes are kept."""
        version = self._look()
        if version.hash not in (None, self._expected, self._hash):
            ObjectStore(Path(os.fsdecode(self.target.root))).put(version.data())
        self._set_aside(version.hash or "")
        self._beside = b""

    def _tidy(self) -> None:
        new = self._new
        if self._beside.endswith(State.PART.encode()) or (
            new is not None and new.is_at(self._folder, self._beside) and new.is_untouched()
        ):
            self._folder.unlink(self._beside)
            return
        if not self._checked and self._old is not None:
            # Interrupted between the exchange and the look at what came out.
            with suppress(WriteRefused, WriteFailed):
                self._check_out()
        if self._beside:
            self._set_aside(self._expected)

    def _set_aside(self, found: str) -> None:
        place = Place(self.target.root, self.target.path, self._folder, self._beside)
        set_aside(place, found=found, by=self._hash, now_ns=self._rules.clock())

    def _hash_in_place(self) -> str | None:
        try:
            version = Version(self._folder, self.target.name, leased=False)
        except OSError:
            return None
        version.close()
        return version.hash

    def _conflict(self, found: str | None) -> WriteConflict:
        return WriteConflict(self.target.path, expected=self._expected, found=found)
