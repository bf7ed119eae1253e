"""Which machine this is, to the vault: each one appends to files of its own, so that file sync never conflicts."""

from __future__ import annotations

import os
import platform
import secrets
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from vaultmem.files.durable import sync_file, sync_folder, write_whole
from vaultmem.files.refusals import WriteFailed

_FOLDER: Final = ".vaultmem/devices"
_INCOMING: Final = ".vaultmem/incoming"
"""Where what a killed process leaves half-written is cleared away, with half-written objects."""
_MACHINE_FILES: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def device_id(root: Path, machine: str | None = None) -> str:
    """The name of this machine in the vault: eight hexadecimal digits, made once and kept.

    It is kept in a file that is named after the machine. The folder may be synced: another machine
    finds no file of its name there and makes its own, so that two never share one. ``machine`` is
    what tells machines apart, by default ``machine_name()``. Raises WriteFailed.
    """
    digest = blake2b((machine or machine_name()).encode(), digest_size=8).hexdigest()
    path = root / _FOLDER / digest
    for _ in range(2):
        with suppress(FileNotFoundError):
            found = path.read_text("ascii", "replace").strip()
            if len(found) == 8 and found.isalnum():
                return found
            path.unlink()  # half-written
        try:
            _make(root, path, secrets.token_hex(4))
        except OSError as error:
            raise WriteFailed(f"{_FOLDER}/{digest}", error) from error
    return path.read_text("ascii").strip()


def machine_name() -> str:
    """What this machine calls itself: the system's own id where it has one, and the host name."""
    parts = [platform.node()]
    for place in _MACHINE_FILES:
        with suppress(OSError):
            parts.append(Path(place).read_text("ascii", "replace").strip())
            break
    return "\n".join(parts)


def _make(root: Path, path: Path, name: str) -> None:
    """Another process may be making it as well: the first one wins."""
    incoming = root / _INCOMING
    for folder in (path.parent, incoming):
        folder.mkdir(0o700, parents=True, exist_ok=True)
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
