"""Every version that a change replaced or made, by the hash of its bytes: ``.vaultmem/objects/ab/cdef…``.

A file holds one byte for the packing and then the bytes, packed where that saves anything. It is written
in ``.vaultmem/incoming``, synced, and renamed, so that a name never leads to a half-written object, and what
a killed process left half-written lies in one small folder.
"""

from __future__ import annotations

import os
import re
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from vaultmem.errors import FailedError
from vaultmem.files.below import make_below
from vaultmem.files.durable import sync_folders, sync_paths, write_whole
from vaultmem.files.read import UnreadableFile, content_hash
from vaultmem.files.refusals import WriteFailed
from vaultmem.files.temporary import may_run

_FOLDER: Final = ".vaultmem/objects"
_INCOMING: Final = ".vaultmem/incoming"
_HASH: Final = re.compile(r"[0-9a-f]{32}")
_PREFIX: Final = re.compile(rb"[0-9a-f]{2}")
_ZLIB: Final = b"z"
_PLAIN: Final = b"-"
_LEVEL: Final = 6
_MAKE: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_under_way: Final[set[bytes]] = set()
"""Files in ``incoming`` that this process is writing now, in any thread."""


class ObjectMissingError(FailedError):
    """No object of that hash is stored; ``hash`` names it."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"The stored version {digest} is missing.")
        self.hash = digest


class ObjectDamagedError(FailedError):
    """The object's file does not hold the bytes of its hash; ``hash`` names it."""

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"The stored version {digest} is damaged.", hint="A backup of .vaultmem may have it."
        )
        self.hash = digest


class ObjectUnreadableError(ObjectDamagedError):
    """The object's file cannot be read, whatever it holds."""

    def __init__(self, digest: str, error: OSError) -> None:
        super().__init__(digest)
        self.message = f"The stored version {digest} cannot be read: {error.strerror}."
        self.hint = "Make .vaultmem/objects and all in it readable for you."


class ObjectStore:
    """The versions of one vault. Any number of processes may use it at once."""

    def __init__(self, root: Path) -> None:
        self._root = os.fsencode(root)
        self._folder = os.path.join(self._root, *_FOLDER.encode().split(b"/"))
        self._incoming = os.path.join(self._root, *_INCOMING.encode().split(b"/"))

    def put(self, data: bytes) -> str:
        """The hash under which ``data`` can be had from now on, durable when this returns (D-04).

        Raises WriteFailed.
        """
        return self.put_all((data,))[0]

    def put_all(self, versions: Iterable[bytes]) -> list[str]:
        """As ``put`` for each, in the order given; many are synced together."""
        hashes: list[str] = []
        fresh: dict[str, bytes] = {}
        try:
            for data in versions:
                digest = content_hash(data)
                hashes.append(digest)
                if digest in fresh:
                    continue
                if self._holds(digest):
                    os.utime(self._path(digest))  # put anew: who clears old versions away sees it
                else:
                    fresh[digest] = self._write_aside(data)
            self._publish(fresh)
        except BaseException as error:
            for aside in fresh.values():
                with suppress(OSError):
                    os.unlink(aside)
            if isinstance(error, OSError):
                raise WriteFailed(_FOLDER, error) from error
            raise
        finally:
            _under_way.difference_update(fresh.values())
        return hashes

    def get(self, digest: str) -> bytes:
        """The bytes of that hash. Raises ObjectMissingError, and ObjectDamagedError: an ObjectUnreadableError when its
        file cannot be read."""
        try:
            with open(self._path(digest), "rb") as file:
                packed = file.read()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ObjectMissingError(digest) from error
        except OSError as error:
            raise ObjectUnreadableError(digest, error) from error
        data = _unpack(packed)
        if data is None or content_hash(data) != digest:
            raise ObjectDamagedError(digest)
        return data

    def has(self, digest: str) -> bool:
        """Whether an object of that hash is stored; whether it is sound, ``get`` tells."""
        return _HASH.fullmatch(digest) is not None and os.path.exists(self._path(digest))

    def walk(self) -> Iterator[str]:
        """The hashes of all stored objects, sorted. Raises UnreadableFile when they cannot be listed."""
        for prefix in _listed(self._folder):
            if _PREFIX.fullmatch(prefix) is None:
                continue
            for rest in _listed(os.path.join(self._folder, prefix)):
                digest = (prefix + rest).decode("ascii", "replace")
                if _HASH.fullmatch(digest):
                    yield digest

    def token(self) -> str:
        """What tells this store from any that was there before or comes later; "" when ``make_token`` was never called
        for it. Who remembers what it holds remembers that as well."""
        try:
            with open(self._token_place, encoding="ascii") as file:
                return file.read().strip()
        except (OSError, ValueError):
            return ""

    def make_token(self) -> str:
        """The token, made where there is none. Raises WriteFailed."""
        if token := self.token():
            return token
        try:
            make_below(self._root, self._folder)
            descriptor = os.open(self._token_place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                write_whole(descriptor, secrets.token_hex(8).encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise WriteFailed(_FOLDER, error) from error
        return self.token()

    @property
    def _token_place(self) -> bytes:
        return os.path.join(self._folder, b"token")

    def unreadable(self) -> list[str]:
        """The hashes of the stored objects whose files cannot be opened. Raises UnreadableFile as ``walk``."""
        found = []
        for digest in self.walk():
            try:
                os.close(os.open(self._path(digest), os.O_RDONLY))
            except FileNotFoundError:
                continue
            except OSError:
                found.append(digest)
        return found

    def status(self, digest: str) -> os.stat_result | None:
        """Size and times of the object's file; None when there is none that can be looked at."""
        try:
            return os.stat(self._path(digest))
        except OSError:
            return None

    def delete(self, digest: str) -> bool:
        """Forgets the object; whether there was one. Raises WriteFailed when it cannot be removed."""
        try:
            os.unlink(self._path(digest))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise WriteFailed(_FOLDER, error) from error
        return True

    def clean(self) -> None:
        """Removes what killed writers left half-written, as far as that can be."""
        try:
            names = _listed(self._incoming)
        except UnreadableFile:
            return
        for name in names:
            pid = name.partition(b"-")[0]
            place = os.path.join(self._incoming, name)
            if pid.isdigit() and not may_run(int(pid)) and place not in _under_way:
                with suppress(OSError):
                    os.unlink(place)

    def _path(self, digest: str) -> bytes:
        if _HASH.fullmatch(digest) is None:
            raise ObjectMissingError(digest)
        return os.path.join(self._folder, digest[:2].encode(), digest[2:].encode())

    def _holds(self, digest: str) -> bool:
        """Whether the object is stored and sound: a file is about to be overwritten in trust of it."""
        try:
            self.get(digest)
        except (ObjectMissingError, ObjectDamagedError):
            return False
        return True

    def _write_aside(self, data: bytes) -> bytes:
        name = f"{os.getpid()}-{secrets.token_hex(6)}".encode()
        aside = os.path.join(self._incoming, name)
        _under_way.add(aside)
        try:
            try:
                descriptor = os.open(aside, _MAKE, 0o600)
            except FileNotFoundError:
                make_below(self._root, self._incoming)
                descriptor = os.open(aside, _MAKE, 0o600)
            try:
                write_whole(descriptor, _pack(data))
            finally:
                os.close(descriptor)
        except OSError:
            with suppress(OSError):
                os.unlink(aside)
            _under_way.discard(aside)
            raise
        return aside

    def _publish(self, fresh: dict[str, bytes]) -> None:
        if not fresh:
            return
        sync_paths(fresh.values())
        folders: set[bytes] = set()
        for digest, aside in fresh.items():
            path = self._path(digest)
            folder = os.path.dirname(path)
            if folder not in folders:
                make_below(self._root, folder)
            os.replace(aside, path)
            folders.add(folder)
        sync_folders([*sorted(folders), self._folder])


def _pack(data: bytes) -> bytes:
    packed = zlib.compress(data, _LEVEL)
    return _ZLIB + packed if len(packed) < len(data) else _PLAIN + data


def _unpack(packed: bytes) -> bytes | None:
    kind, body = packed[:1], packed[1:]
    if kind == _PLAIN:
        return body
    if kind != _ZLIB:
        return None
    try:
        return zlib.decompress(body)
    except zlib.error:
        return None


def _listed(folder: bytes) -> list[bytes]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        shown = os.fsdecode(folder)
        raise UnreadableFile(
            f"The stored versions cannot be listed: {shown}: {error.strerror}.",
            hint="Make .vaultmem/objects and all in it readable for you.",
        ) from error
