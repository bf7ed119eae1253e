"""Which machine this is, to the vault: each one appends to files of its own, so that file sync never conflicts."""

from __future__ import annotations

import os
import platform
import re
import secrets
import sys
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from vaultmem.files.below import make_below
from vaultmem.files.durable import sync_file, sync_folder, write_whole
from vaultmem.files.refusals import WriteFailed

_FOLDER: Final = ".vaultmem/devices"
_INCOMING: Final = ".vaultmem/incoming"
"""Where what a killed process leaves half-written is cleared away, with half-written objects."""
_MACHINE_FILES: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_WINDOWS_KEY: Final = r"SOFTWARE\Microsoft\Cryptography"


def device_id(root: Path, machine: str | None = None, formerly: str | None = None) -> str:
    """The name of this machine in the vault: eight hexadecimal digits, made once and kept.

    It is kept in a file that is named after the machine. The folder may be synced: another machine
    finds no file of its name there and makes its own, so that two never share one. ``machine`` is
    what tells machines apart, by default ``machine_name()``; ``formerly`` is what older versions of vaultmem took
    for it: a name that was made then stays. Raises WriteFailed.
    """
    if machine is None:
        machine, formerly = machine_name(), _name_with_host()
    path = _place(root, machine)
    try:
        # Two machines with one system id, copies of each other, have had names of their own by their host names.
        former = None if formerly is None else _read(_place(root, formerly))
        for _ in range(2):
            found = _read(path)
            if found is not None:
                return former or found
            _make(root, path, former or secrets.token_hex(4))
        return path.read_text("ascii").strip()
    except OSError as error:
        raise WriteFailed(f"{_FOLDER}/{path.name}", error) from error


def machine_name() -> str:
    """What tells this machine from others, whatever it is called today and in which network: the id that its system
    was given once. Where it has none, the host name."""
    return _system_id() or platform.node()


def _name_with_host() -> str:
    """What older versions took: with another host name it was another machine to them."""
    parts = [platform.node()]
    for place in _MACHINE_FILES:
        with suppress(OSError):
            parts.append(Path(place).read_text("ascii", "replace").strip())
            break
    return "\n".join(parts)


def _system_id() -> str:
    if sys.platform == "win32":
        import winreg

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _WINDOWS_KEY) as key:
            return str(winreg.QueryValueEx(key, "MachineGuid")[0]).strip()
        return ""
    if sys.platform == "darwin":
        return _mac_id()
    for place in _MACHINE_FILES:
        with suppress(OSError):
            found = Path(place).read_text("ascii", "replace").strip()
            if re.fullmatch(r"[0-9a-f]{32}", found):  # not "uninitialized", as in an image
                return found
    return ""


def _mac_id() -> str:
    import ctypes

    uuid = (ctypes.c_ubyte * 16)()
    at_most = (ctypes.c_long * 2)(1, 0)  # a second of waiting for it
    with suppress(OSError, AttributeError):
        if ctypes.CDLL(None).gethostuuid(uuid, at_most) == 0:
            return bytes(uuid).hex()
    return ""


def _place(root: Path, machine: str) -> Path:
    return root / _FOLDER / blake2b(machine.encode(), digest_size=8).hexdigest()


def _read(path: Path) -> str | None:
    """The name in the file; None when there is none, and then no half-written one either."""
    try:
        found = path.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    if len(found) == 8 and found.isalnum():
        return found
    path.unlink()
    return None


def _make(root: Path, path: Path, name: str) -> None:
    """Another process may be making it as well: the first one wins."""
    incoming = root / _INCOMING
    for folder in (path.parent, incoming):
        make_below(root, folder)
    beside = incoming / f"{os.getpid()}-{secrets.token_hex(6)}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            write_whole(descriptor, f"{name}\n".encode())
            sync_file(descriptor)
        finally:
            os.close(descriptor)
        try:
            with suppress(FileExistsError):
                os.link(beside, path)
        except OSError:  # no links here
            os.replace(beside, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)
    sync_folder(path.parent)
