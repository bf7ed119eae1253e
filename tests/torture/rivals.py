"""Editors that save the files we write, each kind in its own way, and remember what they saved."""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

PATIENCE: Final = 1.0
"""Seconds after which a save that cannot be seen counts as missing."""
_TOKEN: Final = re.compile(rb"^saved: (\S+)$", re.MULTILINE)
_PAUSES: Final = (0, 0, 0, 0, 0, 0, 0.0002, 0.001, 0.003)


class Save(NamedTuple):
    """One save that returned to its editor."""

    file: str
    token: str
    began: int
    ended: int
    """Nanoseconds of the monotonic clock, which all processes share."""


def token_of(data: bytes) -> str | None:
    """The token of the save that the content comes from."""
    match = _TOKEN.search(data)
    return match[1].decode() if match else None


def first_content(name: str) -> bytes:
    """What a file holds at the start."""
    return _content(f"start-{name}", 0, random.Random(name))


def run(folder: Path, kind: str, files: list[str], stop: Path, log: Path, seed: int) -> None:
    """Saves the files in turn until ``stop`` exists; then writes what was saved and missed to ``log``.

    Editors of one file take turns, so that nobody but us can cost a save; and before each save, the
    last one must be there.
    """
    chance = random.Random(seed)
    saves: list[Save] = []
    missing: list[str] = []
    number = 0
    while not stop.exists():
        number += 1
        name = chance.choice(files)
        token = f"{kind}-{os.getpid()}-{number}"
        with open(stop.with_name(f"{name}.turn"), "a+b") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            turn.seek(0)
            last = turn.read().decode()
            path = folder / name
            if last and not _is_seen(path, last):
                missing.append(last)
            data = _content(token, _our_count(path), chance)
            began = time.monotonic_ns()
            try:
                KINDS[kind](path, data, chance)
            except FileNotFoundError:
                continue  # for an instant there was none: an editor would say so and be asked again
            saves.append(Save(name, token, began, time.monotonic_ns()))
            turn.truncate(0)
            turn.write(token.encode())
        time.sleep(chance.choice(_PAUSES) * 3)
    log.write_text(json.dumps({"saves": saves, "missing": missing}))


def _is_seen(path: Path, token: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError):
            if token_of(path.read_bytes()) == token:
                return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)


def _our_count(path: Path) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_bytes().split(b"\n", 1)[0].split()[1])
    return 0


def _content(token: str, ours: int, chance: random.Random) -> bytes:
    filler = "".join(f"line {index} of the log\n" for index in range(chance.randrange(60)))
    return f"ours: {ours}\nsaved: {token}\n{filler}end\n".encode()


def _in_place(path: Path, data: bytes, chance: random.Random) -> None:
    """Opens the file for reading and writing, and overwrites it piece by piece."""
    with open(path, "r+b", buffering=0) as file:
        _pause(chance)
        _in_pieces(file.write, data, chance)
        file.truncate(len(data))


def _truncate(path: Path, data: bytes, chance: random.Random) -> None:
    """Empties the file and writes it slowly."""
    with open(path, "wb", buffering=0) as file:
        _pause(chance)
        _in_pieces(file.write, data, chance)


def _by_rename(path: Path, data: bytes, chance: random.Random) -> None:
    """Writes a temporary file and renames it over the note."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.editor")
    with open(beside, "wb", buffering=0) as file:
        _in_pieces(file.write, data, chance)
    _pause(chance)
    os.replace(beside, path)


def _new_file(path: Path, data: bytes, chance: random.Random) -> None:
    """Renames the note to a backup, writes it anew, and removes the backup."""
    backup = path.with_name(f"{path.name}.{os.getpid()}~")
    os.replace(path, backup)
    _pause(chance)
    with open(path, "wb", buffering=0) as file:
        _in_pieces(file.write, data, chance)
    backup.unlink()


KINDS: Final[dict[str, Callable[[Path, bytes, random.Random], None]]] = {
    "in-place": _in_place,
    "truncate": _truncate,
    "by-rename": _by_rename,
    "new-file": _new_file,
}


def _in_pieces(write: Callable[[bytes], object], data: bytes, chance: random.Random) -> None:
    cut = chance.randrange(len(data))
    for piece in (data[:cut], data[cut:]):
        write(piece)
        _pause(chance)


def _pause(chance: random.Random) -> None:
    seconds = chance.choice(_PAUSES)
    if seconds:
        time.sleep(seconds)


if __name__ == "__main__":
    where, which, names, until, record, number = sys.argv[1:]
    run(Path(where), which, names.split(","), Path(until), Path(record), int(number))
