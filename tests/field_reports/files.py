"""Puts a case's files on disk, each exactly as given."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.field_reports.case import Case, Details, FaultError, FileSpec

CONTENTS: Final = ("text", "b64", "symlink_to", "hardlink_to", "dir", "gen")

_FAKE: Final = re.compile(r"\{FAKE_([A-Z0-9_]+)\}")


def write_files(folder: Path, root: Path, case: Case) -> dict[str, bytes]:
    """Writes the case's files: those of the vault below ``root``, others beside it in ``folder``.

    Returns the bytes of each regular file, by vault path. Modes and times are set last, so that
    a locked folder can still be filled.
    """
    planted: dict[str, bytes] = {}
    later: list[tuple[Path, Details]] = []
    for spec in case.files:
        for path, details, data in _expanded(spec, folder):
            place = (folder if spec.outside else root) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            _make(place, details, data, folder, folder if spec.outside else root)
            if data is not None:
                planted[f"../{path}" if spec.outside else path] = data
            later.append((place, details))
    for place, details in reversed(later):
        if details.has("mtime"):
            os.utime(place, (details.number("mtime"),) * 2, follow_symlinks=False)
        if details.has("mode"):
            place.chmod(int(details.text("mode"), 8))
    return planted


def _expanded(spec: FileSpec, folder: Path) -> Iterator[tuple[str, Details, bytes | None]]:
    """The files that a specification stands for, with their bytes; None for what is no regular file."""
    given = [key for key in CONTENTS if spec.details.has(key)]
    if len(given) != 1:
        raise FaultError(f"{spec.details.what} has {' and '.join(given) or 'no content'}")
    if given == ["gen"]:
        for path, data in generated(spec.path, spec.details.part("gen")):
            yield path, spec.details, data
    elif given == ["text"]:
        yield spec.path, spec.details, encoded(filled(spec.details.text("text"), folder))
    elif given == ["b64"]:
        yield spec.path, spec.details, decoded(spec.details.text("b64"))
    else:
        yield spec.path, spec.details, None


def _make(place: Path, details: Details, data: bytes | None, folder: Path, root: Path) -> None:
    if data is not None:
        place.write_bytes(data)
    elif details.has("symlink_to"):
        place.symlink_to(filled(details.text("symlink_to"), folder))
    elif details.has("hardlink_to"):
        place.hardlink_to(root / filled(details.text("hardlink_to"), folder))
    else:
        place.mkdir(exist_ok=True)


def generated(path: str, gen: Details) -> Iterator[tuple[str, bytes]]:
    """The (path, bytes) that a ``gen`` object stands for."""
    if gen.has("repeat"):
        text = gen.text("repeat") * gen.count("times") + gen.text("then", "")
        yield path, encoded(text)
    elif gen.has("repeat_byte"):
        yield path, bytes([gen.count("repeat_byte")]) * gen.count("times")
    elif gen.has("numbered"):
        for number in range(gen.count("from", 1), gen.count("to") + 1):
            data = encoded(numbered(gen.text("numbered"), number))
            data = data.ljust(gen.count("pad_to_bytes", 0), b" ")
            yield numbered(path, number), data
    else:
        raise FaultError(f"nothing known is generated for {path!r}")


def numbered(text: str, number: int) -> str:
    """The text with ``{i}`` replaced."""
    return text.replace("{i}", str(number))


def filled(text: str, folder: Path) -> str:
    """The text with ``{ABS}`` and fake secrets put in."""
    return _FAKE.sub(lambda found: fake_secret(found[1]), text.replace("{ABS}", str(folder)))


def fake_secret(name: str) -> str:
    """Something that looks like that kind of secret, put together only now, so that none lies in a file.

    The same name gives the same secret.
    """
    noise = sha256(name.encode()).hexdigest()
    if "PEM" in name:
        rule = "-" * 5
        body = "\n".join(noise[i : i + 32] for i in (0, 32))
        kind = " ".join(("PRIVATE", "KEY"))
        return f"{rule}BEGIN {kind}{rule}\n{body}\n{rule}END {kind}{rule}"
    if "CLOUD" in name or "AWS" in name:
        return "AK" + "IA" + noise[:16].upper()
    if "DB" in name or "URL" in name:
        return "postgres" + "://" + f"keeper:{noise[:12]}@db.example.org/log"
    if "BEARER" in name:
        return "Bearer" + " " + "ey" + "J" + noise[:40]
    return "sk" + "-" + noise[:40]


def encoded(text: str) -> bytes:
    """The text in UTF-8; lone surrogates, which cannot be, stand for themselves so that such a case can be put."""
    return text.encode("utf-8", "surrogatepass")


def decoded(text: str) -> bytes:
    """The bytes of a base64 text. Raises FaultError."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as fault:
        raise FaultError(f"not base64: {fault}") from fault
