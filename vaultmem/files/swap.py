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
from types import TracebackType
from typing import Final, NamedTuple

from vaultmem.files.attributes import copy_attributes
from vaultmem.files.durable import sync_file, write_whole
from vaultmem.files.folder import MAKE, READ, Folder
from vaultmem.files.leases import Lease
from vaultmem.files.read import content_hash
from vaultmem.files.refusals import WriteConflict, WriteFailed, WriteRefused, busy
from vaultmem.files.renames import NotOfferedError
from vaultmem.files.scan import FileStat
from vaultmem.files.targets import (
    Target,
    WriteRules,
    check_quiet,
    check_regular,
    check_writable,
)
from vaultmem.files.temporary import State, make_name, with_state

_ROUNDS: Final = 1000
"""Exchanges against a rival that saves between each two of them, before we leave it to ``leftovers``."""


class Written(NamedTuple):
    """A file that was written, as it stood on the disk then."""

    hash_before: str | None
    """None for a new file."""
    hash_after: str
    stat: FileStat


class Replacement:
    """One file's replacement in steps, so that many can share the waiting for the disk.

    ``with Replacement(…) as it: it.prepare(); it.sync(); it.swap(); it.settle()`` and then the folder's sync.
    ``prepare`` writes the new version beside the note; ``swap`` compares and exchanges; ``settle`` makes sure that
    no late writer was there. Each raises WriteRefused or WriteFailed with the note as it was, or as its
    other writer left it. Leaving the block removes what is not needed.
    """

    def __init__(self, target: Target, expected: str, data: bytes, rules: WriteRules) -> None:
        self.target = target
        self._expected = expected
        self._data = data
        self._hash = content_hash(data)
        self._rules = rules
        self._folder: Folder | None = None
        self._beside = b""
        self._versions: list[_Version] = []
        self._swapped = False
        self._settled = False

    def __enter__(self) -> Replacement:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def prepare(self) -> None:
        """Writes the new version, with the note's attributes, under a name that says it may be unfinished."""
        try:
            self._folder = Folder(self.target.folder)
        except FileNotFoundError as error:
            raise self._conflict(None) from error
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error
        current = self._open_current()
        try:
            check_quiet(self.target, os.fstat(current), self._rules)
            self._write_beside(current)
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error
        finally:
            os.close(current)

    def sync(self) -> None:
        """The new version is on the disk when this returns."""
        try:
            descriptor = self._here.open(self._beside, READ)
            try:
                sync_file(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error

    @property
    def place(self) -> bytes:
        """Where the new version lies until the swap."""
        return self._here.path_of(self._beside)

    def swap(self) -> Written:
        """Compares and exchanges. The version that was read is kept until ``settle`` and ``close``."""
        try:
            old = self._compare()
            new = self._read_back()
            self._exchange(new)
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error
        self._swapped = True
        if self._is_out(old):
            return Written(self._expected, self._hash, self._stat_of(new))
        raise self._put_back(new, old)

    def settle(self) -> None:
        """Returns when the replaced version is at rest; raises WriteRefused, with it back, when it was not."""
        old, new = self._versions
        if not old.leased:
            time.sleep(self._rules.settle)
        if not self._is_out(old):
            raise self._put_back(new, old)
        self._settled = True

    def close(self) -> None:
        """Lets go of everything; after a completed swap the replaced version goes to ``displaced``."""
        for version in self._versions:
            version.close()
        self._versions.clear()
        if self._folder is None:
            return
        with suppress(OSError):  # what cannot be tidied now is a leftover for later
            if self._settled:
                self._discard(self._expected)
            elif not self._swapped and self._beside:
                self._folder.unlink(self._beside)
        self._folder.close()
        self._folder = None

    @property
    def _here(self) -> Folder:
        assert self._folder is not None, "prepare comes first"
        return self._folder

    def _open_current(self) -> int:
        name = self.target.name
        status = self._here.status(name)
        if status is None:
            raise self._conflict(None)
        check_regular(self.target, status)
        check_writable(self.target, status)
        try:
            return self._here.open(name, READ)
        except FileNotFoundError as error:
            raise self._conflict(None) from error
        except OSError as error:
            raise WriteFailed(self.target.path, error) from error

    def _write_beside(self, current: int) -> None:
        hashes = {"old": self._expected, "new": self._hash}
        name = make_name(self.target.name, State.PART, **hashes)
        descriptor = self._here.open(name, MAKE, 0o600)
        self._beside = name
        try:
            write_whole(descriptor, self._data)
            copy_attributes(current, descriptor, self._here.path_of(name))
        finally:
            os.close(descriptor)

    def _compare(self) -> _Version:
        descriptor = self._open_current()
        lease = self._lease(descriptor)
        if lease is Lease.BUSY:
            os.close(descriptor)
            raise busy(self.target.path)
        old = self._hold(descriptor, leased=lease is Lease.GRANTED)
        if old.hash != self._expected:
            raise self._conflict(old.hash)
        return old

    def _read_back(self) -> _Version:
        whole = with_state(self._beside, State.SWAP)
        self._here.rename(self._beside, self._here, whole)
        self._beside = whole
        descriptor = self._here.open(whole, READ)
        new = self._hold(descriptor, leased=self._lease(descriptor) is Lease.GRANTED)
        if new.hash != self._hash:
            raise OSError(None, "the disk returned other bytes than were written")
        return new

    def _exchange(self, new: _Version) -> None:
        """Raises WriteConflict when the note is gone, or was made anew while it stood aside."""
        try:
            if self._rules.exchange:
                self._here.exchange(self._beside, self.target.name)
                return
        except NotOfferedError:
            pass
        except FileNotFoundError as error:
            raise self._conflict(None) from error
        self._step_aside()

    def _step_aside(self) -> None:
        """The exchange in three renames; the name of the new version becomes that of the old."""
        here, note = self._here, self.target.name
        away = make_name(note, State.SWAP, old=self._expected, new=self._hash)
        try:
            here.rename(note, here, away)
        except FileNotFoundError as error:
            raise self._conflict(None) from error
        try:
            here.put_new(self._beside, here, note)
        except FileExistsError as error:
            # Saved anew while there was no note: the newest save stays, and what stood aside is kept.
            here.unlink(self._beside)
            self._beside = away
            self._swapped = True
            raise self._superseded() from error
        except OSError:
            here.put_new(away, here, note)
            raise
        here.rename(away, here, self._beside)

    def _superseded(self) -> WriteConflict:
        with self._look(self._beside) as version:
            self._keep(version)
        self._discard(version.hash)
        return self._conflict(self._hash_at_note())

    def _is_out(self, old: _Version) -> bool:
        """Whether the version that was read, and nothing else, came out and is at rest."""
        status = self._here.status(self._beside)
        return status is not None and status.st_ino == old.inode and old.is_untouched()

    def _put_back(self, new: _Version, old: _Version) -> WriteRefused:
        """Exchanges until what comes out is what was last put in: then the newest save is in the note's place.

        Each further round needs another save between two calls. A save that a later one superseded is kept.
        """
        inside = new
        outside = self._look_beside(old)
        first = outside
        for _ in range(_ROUNDS):
            try:
                self._exchange_any()
            except FileNotFoundError:
                self._fill_gap()
                break
            came = self._look_beside(inside)
            if came.inode == inside.inode and inside.is_untouched():
                self._keep(inside)
                self._discard(inside.hash)
                break
            inside, outside = outside, came
        self._swapped = True
        if first is old:
            return busy(self.target.path)
        return self._conflict(first.hash)
