"""Being a normal user for a while in a test run that is root, for whom no permission would count."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_DAC_OVERRIDE: Final = 1 << 1
_DAC_READ_SEARCH: Final = 1 << 2
_VERSION_3: Final = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def can_be_normal() -> bool:
    """Whether file permissions count for this process, or can be made to."""
    return os.name == "posix" and (os.geteuid() != 0 or sys.platform == "linux")


@contextmanager
def normal_user() -> Iterator[None]:
    """File permissions count for this thread, even for root: it gives up the capabilities to disregard them.

    That is nearer to what is wanted than becoming another user, who may not read the interpreter's own files.
    Only for this thread, and not for processes that it starts.
    """
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, held = _Header(_VERSION_3, 0), (_Data * 2)()
    _call(libc.capget, header, held)
    before = held[0].effective
    held[0].effective = before & ~(_DAC_OVERRIDE | _DAC_READ_SEARCH)
    _call(libc.capset, header, held)
    try:
        yield
    finally:
        held[0].effective = before
        _call(libc.capset, header, held)


def _call(function: ctypes._NamedFuncPointer, header: _Header, data: ctypes.Array[_Data]) -> None:
    if function(ctypes.byref(header), data):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
