"""The two renames that Python does not offer: exchange two names, and rename without replacing.

Both are one step for every other program. Names are relative to open folders.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Final

NOT_OFFERED: Final = frozenset(
    {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, getattr(errno, "EOPNOTSUPP", errno.ENOTSUP)}
)
"""What systems and file systems answer that do not know such a rename."""

_Rename = Callable[[int, bytes, int, bytes, int], None]

if sys.platform == "darwin":
    _NO_REPLACE, _EXCHANGE = 4, 2
else:
    _NO_REPLACE, _EXCHANGE = 1, 2

_SYSCALL_NUMBERS: Final = {
    "x86_64": 316,
    "i386": 353,
    "i686": 353,
    "aarch64": 276,
    "armv6l": 382,
    "armv7l": 382,
    "riscv64": 276,
    "loongarch64": 276,
    "ppc64le": 357,
    "ppc64": 357,
    "s390x": 347,
}
"""``renameat2`` of Linux by machine, for C libraries without a function of that name."""


class NotOfferedError(OSError):
    """The system or the file system has no such rename; nothing was changed."""


def exchange(folder: int, name: bytes, other_folder: int, other: bytes) -> None:
    """Each of the two names leads to the other's file from now on, at no moment to none.

    Raises NotOfferedError, or OSError as a rename does; FileNotFoundError when one of them is missing.
    """
    _call(folder, name, other_folder, other, _EXCHANGE)


def rename_new(folder: int, name: bytes, new_folder: int, new: bytes) -> None:
    """Renames, unless something is at the new name: then FileExistsError. Raises NotOfferedError too."""
    _call(folder, name, new_folder, new, _NO_REPLACE)


def _call(folder: int, name: bytes, other_folder: int, other: bytes, flag: int) -> None:
    function = _system_function()
    if function is None:
        raise NotOfferedError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    try:
        function(folder, name, other_folder, other, flag)
    except OSError as error:
        if error.errno in NOT_OFFERED:
            raise NotOfferedError(error.errno, error.strerror) from error
        raise


@lru_cache(maxsize=1)
def _system_function() -> _Rename | None:
    """The system's call, which raises OSError; None where there is none."""
    if sys.platform not in ("linux", "darwin"):
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    symbol = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    found = getattr(library, symbol, None)
    leading: tuple[ctypes.c_long, ...] = ()
    if found is None:
        number = _SYSCALL_NUMBERS.get(os.uname().machine) if sys.platform == "linux" else None
        if number is None or (sys.maxsize < 2**32 and os.uname().machine == "x86_64"):
            return None
        found, leading = library.syscall, (ctypes.c_long(number),)
    found.restype = ctypes.c_int

    def rename(folder: int, name: bytes, other_folder: int, other: bytes, flag: int) -> None:
        names = (ctypes.c_int(folder), ctypes.c_char_p(name))
        others = (ctypes.c_int(other_folder), ctypes.c_char_p(other))
        if found(*leading, *names, *others, ctypes.c_uint(flag)):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), name, None, other)

    return rename
