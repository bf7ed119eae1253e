"""Stopping a process at an exact moment: before the n-th call by which it would change the disk.

The function runs in a child of this process. The kernel (seccomp) reports to us (ptrace) before each call that writes,
syncs, renames, makes, removes or locks, and only before those, so the child is hardly slower. Linux on x86-64 and arm64;
elsewhere, and where tracing is forbidden, ``can_trace`` says so.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NoReturn

_CALLS: Final = {
    # name: (number on x86-64, on arm64); 0 where there is none
    "write": (1, 64),
    "pwrite64": (18, 68),
    "writev": (20, 66),
    "flock": (73, 32),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "rename": (82, 0),
    "mkdir": (83, 0),
    "rmdir": (84, 0),
    "link": (86, 0),
    "unlink": (87, 0),
    "chmod": (90, 0),
    "fchmod": (91, 52),
    "mkdirat": (258, 34),
    "unlinkat": (263, 35),
    "renameat": (264, 38),
    "linkat": (265, 37),
    "utimensat": (280, 88),
    "fallocate": (285, 47),
    "syncfs": (306, 267),
    "renameat2": (316, 276),
}
_OPENAT: Final = (257, 56)
_CREATING: Final = os.O_CREAT

_SEIZE, _CONT, _GET_EVENT = 0x4206, 7, 0x4201
_TRACE_FORK, _TRACE_VFORK, _TRACE_CLONE, _TRACE_SECCOMP, _EXIT_KILL = 2, 4, 8, 0x80, 0x100000
_SECCOMP_STOP: Final = signal.SIGTRAP | (7 << 8)
_WALL: Final = 0x40000000

Work = Callable[[Callable[[bytes], None]], None]
"""What the child does; it is given a way to tell what it has come to."""


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("if_true", ctypes.c_ubyte),
        ("if_false", ctypes.c_ubyte),
        ("operand", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("first", ctypes.POINTER(_Instruction)))


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a child."""

    moments: int
    """Calls before which it was looked at; 0 when it was not traced."""
    told: bytes
    """All that it told, to its end or death."""
    killed: bool
    status: int
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether it ended by itself and not well."""
        return not self.killed and self.status != 0


@lru_cache(maxsize=1)
def can_trace() -> bool:
    """Whether a child can be stopped at exact moments here."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        return False
    try:
        ran = run(lambda tell: tell(b"x"), trace=True)
    except OSError:
        return False
    return ran.status == 0 and ran.moments >= 1


def run(
    work: Work,
    *,
    trace: bool = False,
    kill_before: int | None = None,
    kill_after_s: float | None = None,
    stop_before: int | None = None,
    while_stopped: Callable[[], None] = lambda: None,
) -> Ran:
    """Runs ``work`` in a child process to its end, or kills it: before the moment ``kill_before`` (from 1), or so many
    seconds after its start. Before the moment ``stop_before`` it waits while ``while_stopped`` is called.

    An error in the child is told as a traceback, and its exit status is 1.
    """
    trace = trace or kill_before is not None or stop_before is not None
    told, tell = os.pipe()
    gate, open_gate = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(told)
        os.close(open_gate)
        _be_the_child(work, tell, gate, trace)
    os.close(tell)
    os.close(gate)
    try:
        if trace:
            options = _TRACE_SECCOMP | _TRACE_CLONE | _TRACE_FORK | _TRACE_VFORK | _EXIT_KILL
            _ptrace(_SEIZE, pid, options)
        began = time.perf_counter()
        os.write(open_gate, b"go")
        os.close(open_gate)
        if trace:
            moments, status = _follow(pid, kill_before, stop_before, while_stopped)
        else:
            moments = 0
            if kill_after_s is not None:
                time.sleep(kill_after_s)
                os.kill(pid, signal.SIGKILL)
            status = 0
        if not trace:
            words = _read_all(told)
            _, status = os.waitpid(pid, 0)
        else:
            words = _read_all(told)
        seconds = time.perf_counter() - began
    finally:
        os.close(told)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return Ran(moments, words, killed, status, seconds)


def _follow(
    pid: int, kill_before: int | None, stop_before: int | None, while_stopped: Callable[[], None]
) -> tuple[int, int]:
    """Lets the child and its threads go on from stop to stop; the number of moments, and the child's exit status."""
    moments = 0
    while True:
        who, status = os.waitpid(-1, _WALL)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            if who == pid:
                return moments, status
            continue
        forward = 0
        if status >> 8 == _SECCOMP_STOP:
            moments += 1
            if moments == kill_before:
                os.kill(pid, signal.SIGKILL)
                continue
            if moments == stop_before:
                while_stopped()
        elif status >> 16 == 0 and os.WSTOPSIG(status) not in (signal.SIGTRAP, signal.SIGSTOP):
            forward = os.WSTOPSIG(status)
        _ptrace(_CONT, who, forward, gone_is_fine=True)


def _be_the_child(work: Work, tell: int, gate: int, trace: bool) -> NoReturn:
    status = 1
    try:
        os.read(gate, 2)
        if trace:
            _report_changing_calls()

        def say(words: bytes) -> None:
            os.write(tell, words)

        work(say)
        status = 0
    except BaseException:  # noqa: BLE001 - whatever it is, the parent has to know
        os.write(tell, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _read_all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return libc


_LIBC: Final = _libc() if sys.platform == "linux" else None


def _ptrace(request: int, pid: int, data: int, *, gone_is_fine: bool = False) -> None:
    assert _LIBC is not None
    if _LIBC.ptrace(request, pid, None, ctypes.c_void_p(data)) < 0:
        number = ctypes.get_errno()
        if not (gone_is_fine and number == 3):  # ESRCH: it was killed meanwhile
            raise OSError(number, os.strerror(number))


def _report_changing_calls() -> None:
    """From now on the kernel stops this process before each of the calls, for whoever traces it."""
    assert _LIBC is not None
    column = 0 if platform.machine() == "x86_64" else 1
    numbers = sorted({row[column] for row in _CALLS.values() if row[column]})
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    traced, allowed = 0x7FF00000, 0x7FFF0000
    count = len(numbers)
    # number; equal to any → the last line; openat → its flags; else allowed
    lines = [(load, 0, 0, 0)]
    lines += [(equal, count - at + 4, 0, number) for at, number in enumerate(numbers)]
    lines += [
        (equal, 1, 0, _OPENAT[column]),
        (give, 0, 0, allowed),
        (load, 0, 0, 16 + 8 * 2),
        (any_bit, 1, 0, _CREATING),
        (give, 0, 0, allowed),
        (give, 0, 0, traced),
    ]
    filled = (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    program = _Program(len(lines), filled)
    no_new_privileges, set_seccomp, by_filter = 38, 22, 2
    if _LIBC.prctl(no_new_privileges, 1, 0, 0, 0) or _LIBC.prctl(
        set_seccomp, by_filter, ctypes.addressof(program), 0, 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
