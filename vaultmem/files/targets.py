"""From a vault path to the place on the disk that may be written, or a refusal that says why not."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

from vaultmem.files.offload import STUB_ENDING, is_offloaded
from vaultmem.files.refusals import RefusalCode, WriteRefused
from vaultmem.notes.names import name_problems, said
from vaultmem.notes.paths import conflict_original, is_hidden, path_key

TRASH: Final = ".trash"
"""The vault's own trash: moved into and out of, never edited (F-02, D-07)."""

_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\|(?:.*\\)?\.\.(?:\\|$)", re.DOTALL)
"""Absolute on Windows, or leading upward there."""


@dataclass(frozen=True, slots=True)
class WriteRules:
    """What a write keeps to beside the promises."""

    linked: tuple[str, ...] = ()
    """Vault paths of folder links, as ``Scan.linked``: nothing below is written (F-11)."""
    quiet: float = 2.0
    """Seconds that a file must not have been modified (D-03); 0 for bytes that we wrote ourselves."""
    settle: float = 0.05
    """Seconds to wait for late writers where the system does not tell of them."""
    clock: Callable[[], int] = time.time_ns
    """Nanoseconds since 1970."""
    exchange: bool = True
    """False: as if the file system could not exchange two names."""
    leases: bool = True
    """False: as if the system could not tell whether a file is open for writing."""


class Target(NamedTuple):
    """A file's place: the folder is absolute and free of links, and so is the file if it exists."""

    root: bytes
    """The vault's folder, absolute, links resolved."""
    path: str
    """Vault path, links resolved."""
    folder: bytes
    name: bytes


def real_root(root: str | os.PathLike[str]) -> bytes:
    """The vault's folder as a target has it."""
    return os.path.realpath(os.fsencode(root))


def existing_target(root: bytes, path: str, rules: WriteRules, *, trash: bool = False) -> Target:
    """The place of a file or folder that is to be written or moved; it may turn out not to exist.

    A link to a file in the vault stands for that file. ``trash`` allows what lies in the vault's trash. Raises
    WriteRefused.
    """
    _check_path(path, trash=trash)
    _check_linked(path, rules)
    place = os.path.join(root, path.encode())
    real = os.path.realpath(place)
    if real != place:
        path = _path_below(root, real, path)
        _check_path(path, trash=trash)
        _check_linked(path, rules)
    if conflict_original(path) is not None:
        raise WriteRefused(
            RefusalCode.CONFLICT_COPY,
            path,
            f"{path} is a sync conflict copy and is left for you to settle.",
        )
    return Target(root, path, *os.path.split(real))


def new_target(
    root: bytes, path: str, rules: WriteRules, *, trash: bool = False, keep: str | None = None
) -> Target:
    """The place of a file or folder that is to be made; folders on the way may be missing.

    Names that are new keep to N-01 to N-06. ``keep`` is an old path: what it is called already may stay, however
    odd (N-01). Raises WriteRefused; whether the place is free is for ``check_free`` to say.
    """
    _check_path(path, trash=trash)
    _check_linked(path, rules)
    folder, _, name = path.rpartition("/")
    above = os.path.join(root, folder.encode()) if folder else root
    real = os.path.realpath(above)
    if real != above:
        folder = _path_below(root, real, path) if real != root else ""
        path = f"{folder}/{name}" if folder else name
        _check_path(path, trash=trash)
        _check_linked(path, rules)
    _check_names(root, path, () if keep is None else keep.split("/"))
    return Target(root, path, real, name.encode())


def check_free(target: Target, *, moved: str | None = None) -> None:
    """Raises WriteRefused when something is at the target, compared without case (M-17, F-10).

    ``moved`` is the vault path of what is to be moved there: it is not in its own way. A folder on the way
    that exists in another case counts as something, one above ``moved`` as well: two folders so alike cannot travel.
    """
    place, shown = target.root, ""
    parts = target.path.split("/")
    for index, part in enumerate(parts):
        here = os.path.join(place, part.encode())
        if index == len(parts) - 1 or not os.path.isdir(here):
            for other in _alike(place, part):
                if shown + other != moved:
                    raise exists(target.path, shown + other)
        place, shown = here, f"{shown}{part}/"
    check_no_stub(target)


def check_no_stub(target: Target) -> None:
    """Raises WriteRefused when a cloud stub says that the file exists elsewhere (F-10)."""
    stub = os.path.join(target.folder, b"." + target.name + STUB_ENDING.encode())
    if os.path.lexists(stub):
        raise offloaded(target.path)


def check_regular(target: Target, status: os.stat_result) -> None:
    """Raises WriteRefused unless the file with this status is one that may be written."""
    if not stat.S_ISREG(status.st_mode):
        raise WriteRefused(
            RefusalCode.NOT_REGULAR, target.path, f"{target.path} is no regular file."
        )
    if is_offloaded(os.path.join(target.folder, target.name), status):
        raise offloaded(target.path)


def check_writable(target: Target, status: os.stat_result) -> None:
    """Raises WriteRefused for a file that is read-only, FileNotFoundError for one that is gone meanwhile."""
    effective = os.access in os.supports_effective_ids
    place = os.path.join(target.folder, target.name)
    if status.st_mode & 0o222 and os.access(place, os.W_OK, effective_ids=effective):
        return
    if not os.path.lexists(place):
        raise FileNotFoundError(place)
    raise WriteRefused(
        RefusalCode.READ_ONLY,
        target.path,
        f"{target.path} is read-only.",
        hint="Make it writable if it is to be changed.",
    )


def is_quiet(status: os.stat_result, rules: WriteRules) -> bool:
    """Whether the file with this status was modified ``rules.quiet`` seconds ago or earlier.

    A time as far in the future counts as a save as well: clocks of file servers differ a little. One beyond that is no
    sign of a save.
    """
    return rules.quiet <= 0 or abs(rules.clock() - status.st_mtime_ns) >= rules.quiet * 1e9


def check_quiet(target: Target, status: os.stat_result, rules: WriteRules) -> None:
    """Raises WriteRefused for a file modified less than ``rules.quiet`` seconds ago (D-03)."""
    if not is_quiet(status, rules):
        raise WriteRefused(
            RefusalCode.TOO_FRESH,
            target.path,
            f"{target.path} was saved less than {rules.quiet:g} s ago.",
            hint="Try again in a moment.",
        )


def offloaded(path: str) -> WriteRefused:
    """The refusal for a note whose bytes are in the cloud (F-10)."""
    return WriteRefused(
        RefusalCode.OFFLOADED,
        path,
        f"{path} is in the cloud and not on this machine.",
        hint="Open it once to fetch it.",
    )


def _check_path(path: str, *, trash: bool) -> None:
    parts = path.split("/")
    if (
        "\0" in path
        or not {"", ".", ".."}.isdisjoint(parts)
        or _WINDOWS.match(path)
        or not _is_text(path)
    ):
        raise no_vault_path(path)
    seen = path.removeprefix(f"{TRASH}/") if trash else path
    if is_hidden(seen):
        raise WriteRefused(
            RefusalCode.HIDDEN, path, f"{path} is hidden (a name with a leading dot)."
        )


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_linked(path: str, rules: WriteRules) -> None:
    for link in rules.linked:
        if path == link or path.startswith(f"{link}/"):
            raise WriteRefused(
                RefusalCode.LINKED,
                path,
                f"{path} lies in {link}, a link to a folder outside the vault, which is only read.",
            )


def _path_below(root: bytes, real: bytes, asked: str) -> str:
    if real.startswith(root.rstrip(b"/") + b"/") and not os.path.islink(real):
        below = os.fsencode(os.path.relpath(real, root)).replace(os.sep.encode(), b"/")
        try:
            return below.decode()
        except UnicodeDecodeError:
            pass
    raise WriteRefused(
        RefusalCode.OUTSIDE,
        asked,
        f"{asked} is a link that leads out of the vault, or nowhere, and is only read.",
    )


def _check_names(root: bytes, path: str, known: Collection[str]) -> None:
    place = root
    *folders, name = path.split("/")
    for part in folders:
        place = os.path.join(place, part.encode())
        if part not in known and part != TRASH and not os.path.isdir(place):
            _check_name(path, part, "")
    if name not in known:
        dot = len(name) - 3 if name.lower().endswith(".md") else len(name)
        _check_name(path, name[:dot], name[dot:])


def _check_name(path: str, stem: str, extension: str) -> None:
    problems = name_problems(stem, extension)
    if problems:
        raise WriteRefused(
            RefusalCode.UNSAFE_NAME,
            path,
            f"{stem + extension!r} is no name that works everywhere: {said(problems)}.",
            hint="Choose another name.",
        )


def _alike(folder: bytes, name: str) -> list[str]:
    """The names in the folder that equal ``name`` without case, itself included."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    key = path_key(name)
    spelled = (os.fsencode(found).decode("utf-8", "replace") for found in names)
    return [found for found in spelled if path_key(found) == key]


def no_vault_path(path: str) -> WriteRefused:
    """The refusal for what is no path within the vault."""
    return WriteRefused(
        RefusalCode.UNSAFE_PATH,
        path,
        f"{path!r} is no path within the vault.",
        hint="Give it from the vault's folder, with / between its parts.",
    )


def exists(path: str, other: str) -> WriteRefused:
    """The refusal for a new path that is taken by ``other``."""
    what = f"There is {other} already" if other != path else f"{path} exists already"
    return WriteRefused(
        RefusalCode.EXISTS,
        path,
        f"{what}; nothing is overwritten.",
        hint="Choose another name.",
    )
