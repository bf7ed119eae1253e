"""Files that come to a new name: made there, moved there, or taken back from there. Nothing is ever overwritten."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from vaultmem.files.displaced import Place, set_aside
from vaultmem.files.durable import sync_file, sync_folder, write_whole
from vaultmem.files.folder import MAKE, Folder
from vaultmem.files.leases import Lease
from vaultmem.files.read import content_hash
from vaultmem.files.refusals import WriteConflict, WriteFailed, WriteRefused, busy
from vaultmem.files.renames import NotOfferedError
from vaultmem.files.scan import FileStat
from vaultmem.files.swap import Written
from vaultmem.files.targets import (
    TRASH,
    Target,
    WriteRules,
    check_regular,
    exists,
)
from vaultmem.files.temporary import State, make_name
from vaultmem.files.versions import Version
from vaultmem.notes.names import free_name
from vaultmem.notes.paths import file_kind, stem


def trash_path(root: Path, path: str) -> str:
    """A free path in the vault's trash for the file, numbered when its name is taken (D-07)."""
    name = path.rpartition("/")[2]
    base = stem(name)
    extension = name[len(base) :]
    try:
        taken = os.listdir(os.path.join(root, TRASH))
    except (FileNotFoundError, NotADirectoryError):
        taken = []
    return f"{TRASH}/{free_name(base, taken, extension)}{extension}"


def place_new(target: Target, data: bytes, rules: WriteRules) -> Written:
    """A new file at a target that was checked holds ``data``, durably; missing folders are made.

    The file appears whole or not at all. Raises WriteRefused when something is there after all, and WriteFailed when the
    disk does not take it.
    """
    digest = content_hash(data)
    made = make_folders(target)
    try:
        with Folder(target.folder) as folder:
            beside = make_name(target.name, State.PART, new=digest)
            try:
                status = _write(folder, beside, data)
                folder.put_new(beside, folder, target.name)
            except FileExistsError as error:
                raise exists(target.path, target.path) from error
            finally:
                folder.unlink(beside)
            try:
                folder.sync()
            except OSError:
                with suppress(OSError, WriteRefused):  # saved anew meanwhile: it stays
                    _take_away(folder, target, digest, rules)
                raise
    except (WriteRefused, OSError) as error:
        remove_folders(made)
        if isinstance(error, OSError):
            raise WriteFailed(target.path, error) from error
        raise
    return Written(None, digest, _seen(target, status))


def carry(source: Target, target: Target, expected: str | None) -> FileStat:
    """The file is at ``target``, durably, with all it is; the stat data there comes back (M-15 to M-17).

    Both targets were checked. ``expected`` is the hash that was read; None moves a folder with all that is in it.
    Missing folders are made. A change of case only goes through on disks that know no case. Raises WriteConflict when
    the file holds other bytes or is gone, WriteRefused when something is at the new place, and WriteFailed.
    """
    made = make_folders(target)
    try:
        with Folder(source.folder) as folder, Folder(target.folder) as to:
            _check_source(folder, source, expected)
            _rename(folder, source, to, target)
            status = to.status(target.name)
            if status is None or not _arrived(to, target, expected):
                with suppress(OSError, WriteRefused):  # the old name is taken anew: both stay
                    _rename(to, target, folder, source)
                raise _conflict(folder, source, expected)
            try:
                to.sync()
                folder.sync()
            except OSError:
                with suppress(OSError, WriteRefused):
                    _rename(to, target, folder, source)
                raise
            return _seen(target, status)
    except FileNotFoundError as error:
        remove_folders(made)
        raise WriteConflict(source.path, expected=expected or "", found=None) from error
    except OSError as error:
        remove_folders(made)
        raise WriteFailed(target.path, error) from error
    except WriteRefused:
        remove_folders(made)
        raise


def take_back(target: Target, expected: str, rules: WriteRules) -> None:
    """Removes a file that we made, if it still holds the bytes of the hash ``expected``; else WriteRefused."""
    try:
        with Folder(target.folder) as folder:
            _take_away(folder, target, expected, rules)
            folder.sync()
    except FileNotFoundError as error:
        raise WriteConflict(target.path, expected=expected, found=None) from error
    except OSError as error:
        raise WriteFailed(target.path, error) from error


def _take_away(folder: Folder, target: Target, expected: str, rules: WriteRules) -> None:
    away = make_name(target.name, State.AWAY, old=expected)
    folder.rename(target.name, folder, away)
    version = Version(folder, away, leased=rules.leases)
    try:
        if version.lease is Lease.BUSY or version.hash != expected:
            with suppress(FileExistsError):  # saved anew: both stay, the older as a leftover
                folder.put_new(away, folder, target.name)
            if version.hash == expected:
                raise busy(target.path)
            raise WriteConflict(target.path, expected=expected, found=version.hash)
        place = Place(target.root, target.path, folder, away)
        set_aside(place, found=expected, by="", now_ns=rules.clock())
    finally:
        version.close()


def make_folders(target: Target) -> list[bytes]:
    """Makes the target's folder and those above it, durably; the ones that were made, outermost first.

    Raises WriteRefused when a file is in a folder's place, WriteFailed when the disk refuses.
    """
    missing: list[bytes] = []
    place = target.folder
    while len(place) > len(target.root) and not os.path.lexists(place):
        missing.append(place)
        place = os.path.dirname(place)
    made: list[bytes] = []
    try:
        for folder in reversed(missing):
            with suppress(FileExistsError):  # another process was faster
                os.mkdir(folder)
                made.append(folder)
            sync_folder(os.path.dirname(folder))
        if not os.path.isdir(target.folder):
            raise exists(target.path, os.fsdecode(os.path.relpath(place, target.root)))
    except OSError as error:
        remove_folders(made)
        raise WriteFailed(target.path, error) from error
    return made


def remove_folders(made: list[bytes]) -> None:
    """Removes those of the folders that are empty."""
    for folder in reversed(made):
        with suppress(OSError):
            os.rmdir(folder)


def _write(folder: Folder, name: bytes, data: bytes) -> os.stat_result:
    descriptor = folder.open(name, MAKE)
    try:
        write_whole(descriptor, data)
        sync_file(descriptor)
        os.lseek(descriptor, 0, os.SEEK_SET)
        if os.read(descriptor, len(data) + 1) != data:
            raise OSError(errno.EIO, "the disk gives back other bytes than were written")
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _check_source(folder: Folder, source: Target, expected: str | None) -> None:
    status = folder.status(source.name)
    if status is None:
        raise FileNotFoundError(source.path)
    if expected is None:
        if not stat.S_ISDIR(status.st_mode):
            raise WriteConflict(source.path, expected="", found=None)
        return
    check_regular(source, status)
    if not _holds(folder, source.name, expected):
        raise _conflict(folder, source, expected)


def _rename(folder: Folder, source: Target, to: Folder, target: Target) -> None:
    """In one step where the system has it, else through a dot name; never over anything."""
    there = to.status(target.name)
    here = folder.status(source.name)
    if here is None:
        raise FileNotFoundError(source.path)
    same = there is not None and os.path.samestat(there, here)
    if there is not None and not same:
        raise exists(target.path, target.path)
    if not same:
        try:
            folder.rename_new(source.name, to, target.name)
            return
        except FileExistsError as error:
            raise exists(target.path, target.path) from error
        except NotOfferedError:
            pass
    away = make_name(source.name, State.AWAY)
    folder.rename(source.name, folder, away)
    try:
        folder.put_new(away, to, target.name)
    except FileExistsError as error:
        folder.put_new(away, folder, source.name)
        raise exists(target.path, target.path) from error
    except BaseException:
        folder.put_new(away, folder, source.name)
        raise


def _arrived(to: Folder, target: Target, expected: str | None) -> bool:
    return expected is None or _holds(to, target.name, expected)


def _holds(folder: Folder, name: bytes, expected: str) -> bool:
    try:
        version = Version(folder, name, leased=False)
    except FileNotFoundError:
        return False
    version.close()
    return version.hash == expected


def _conflict(folder: Folder, source: Target, expected: str | None) -> WriteConflict:
    found = None
    with suppress(OSError):
        version = Version(folder, source.name, leased=False)
        version.close()
        found = version.hash
    return WriteConflict(source.path, expected=expected or "", found=found)


def _seen(target: Target, status: os.stat_result) -> FileStat:
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return FileStat(target.path, file_kind(target.path), status.st_size, *times, status.st_ino)
