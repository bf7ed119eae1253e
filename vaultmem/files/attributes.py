"""What a file is besides its bytes: mode, owner, extended attributes, and on some systems its birth."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress

_FULL = (errno.ENOSPC, errno.EDQUOT) if sys.platform != "win32" else (errno.ENOSPC,)


def copy_attributes(source: int, target: int, target_path: bytes) -> None:
    """Gives the open file ``target`` what the open file ``source`` has, as far as this user may (D-02).

    Owner and group first, since changing them clears bits of the mode. Raises OSError when the disk is
    full; what is merely not permitted or not known there is left.
    """
    status = os.fstat(source)
    if sys.platform == "win32":
        with suppress(OSError):
            os.chmod(target_path, stat.S_IMODE(status.st_mode))
        return
    _copy_owner(status, target)
    if sys.platform == "linux":
        _copy_extended(source, target)
    elif sys.platform == "darwin":
        _copy_for_mac(source, target)
        _copy_birth(status, target_path)
    os.fchmod(target, stat.S_IMODE(status.st_mode))


if sys.platform != "win32":

    def _copy_owner(status: os.stat_result, target: int) -> None:
        own = os.fstat(target)
        if own.st_gid != status.st_gid:
            with suppress(OSError):
                os.fchown(target, -1, status.st_gid)
        if own.st_uid != status.st_uid:
            with suppress(OSError):
                os.fchown(target, status.st_uid, -1)


if sys.platform == "linux":

    def _copy_extended(source: int, target: int) -> None:
        """Access control lists are among them."""
        try:
            names = os.listxattr(source)
        except OSError:
            return
        for name in names:
            try:
                os.setxattr(target, name, os.getxattr(source, name))
            except OSError as error:
                if error.errno in _FULL:
                    raise


elif sys.platform == "darwin":

    def _copy_for_mac(source: int, target: int) -> None:
        import ctypes

        access_lists, extended = 1 << 0, 1 << 2
        ctypes.CDLL(None).fcopyfile(source, target, None, access_lists | extended)

    def _copy_birth(status: os.stat_result, target_path: bytes) -> None:
        """The birth of a file follows a modification time that is set before it."""
        born = int(status.st_birthtime * 1e9)
        now = os.stat(target_path)
        with suppress(OSError):
            os.utime(target_path, ns=(now.st_atime_ns, born))
            os.utime(target_path, ns=(now.st_atime_ns, now.st_mtime_ns))
